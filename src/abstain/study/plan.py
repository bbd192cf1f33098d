"""Which runs does a study consist of?

The paper's protocol: ten-fold cross-validation, repeated ten times; of medical data, 1,000 random
splits into nine tenths to train on and one tenth to test on. What the study adds to the paper runs
on fewer repeats, and so do sets that are prepared otherwise.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice, product
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from threadpoolctl import threadpool_limits

from abstain._checks import InputError
from abstain.study.classifiers import CLASSIFIERS, Classifier
from abstain.study.libsvm import check_installed
from abstain.study.measuring import Part, Record, Split, measure
from abstain.study.problems import PROBLEMS, Problem, Sample

__all__ = ["Plan", "Task", "make_plan"]

N_FOLDS = 10
# Splits of medical data that make one task: a fit takes milliseconds.
SPLITS_A_TASK = 20
# Repeats of a set that is prepared otherwise, at most.
VARIANT_REPEATS = 2


@dataclass(frozen=True)
class Plan:
    """What is run, and how often."""

    sets: tuple[str, ...]
    models: tuple[str, ...]
    n_repeats: int
    n_extra_repeats: int
    n_medical_splits: int
    seed: int

    def as_dict(self) -> dict[str, Any]:
        """Return what a configuration file holds."""
        return asdict(self)

    def tasks(self) -> list[Task]:
        """Return all tasks, in an order that mixes short and long ones.

        What is left to do is then like what has been done, and so is the time that it takes.
        """
        tasks = []
        for name in self.sets:
            problem = PROBLEMS[name]
            counts = self.n_repeats, N_FOLDS
            if problem.kind == "medical":
                counts = 1, -(-self.n_medical_splits // SPLITS_A_TASK)
            elif problem.is_variant:
                counts = min(self.n_repeats, VARIANT_REPEATS), N_FOLDS
            tasks += [Task(name, r, b) for r in range(counts[0]) for b in range(counts[1])]
        order = np.random.default_rng(self.seed).permutation(len(tasks))
        return [tasks[index] for index in order]

    def check(self) -> None:
        """Refuse what could not be run to its end, before it begins."""
        pairs = product(self.sets, self.models)
        if not any(self._takes(PROBLEMS[name], CLASSIFIERS[model], 0, 0) for name, model in pairs):
            raise InputError(
                f"--models {','.join(self.models)} has no part in this study of "
                f"{', '.join(self.sets)}: bayes is for artificial sets, of medical ones --quick "
                "has gmlvq and svm, of others no mrslvq, forest and boosting"
            )
        if "svm" in self.models:
            check_installed()
        with threadpool_limits(1):  # what is kept of it shall be what a worker would make
            for name in self.sets:
                PROBLEMS[name].draw(self.state(0))

    def state(self, repeat: int, split: int = -1) -> int:
        """Return the seed of a repeat, or of a split in it: another one for every seed."""
        words = self.seed, repeat, split + 1  # NumPy takes a last 0 for nothing
        return int(np.random.SeedSequence(words).generate_state(1)[0])

    def run(self, task: Task) -> list[Record]:
        """Return the records of a task."""
        problem = PROBLEMS[task.name]
        sample = problem.draw(self.state(task.repeat))
        records = []
        for number, split in self._splits(problem, sample, task):
            chosen = [
                classifier
                for classifier in map(CLASSIFIERS.__getitem__, self.models)
                if self._takes(problem, classifier, task.repeat, number)
            ]
            key = {"set": task.name, "repeat": task.repeat, "split": number}
            seed = self.state(task.repeat, number)
            beyond = self._goes_beyond(problem, task.repeat, number)
            found = measure(problem, sample, split, chosen, seed, beyond)
            records += [key | record for record in found]
        return records

    def _splits(self, problem: Problem, sample: Sample, task: Task) -> Iterator[tuple[int, Split]]:
        if problem.kind == "medical":
            splitter: Any = StratifiedShuffleSplit(
                self.n_medical_splits, test_size=0.1, random_state=self.state(0)
            )
            first = task.block * SPLITS_A_TASK
            last = first + SPLITS_A_TASK
        else:
            splitter = StratifiedKFold(N_FOLDS, shuffle=True, random_state=self.state(task.repeat))
            first, last = task.block, task.block + 1
        for number, parts in islice(enumerate(splitter.split(sample.X, sample.y)), first, last):
            yield number, Split(*(Part(sample.X[rows], sample.y[rows]) for rows in parts))

    def _takes(self, problem: Problem, classifier: Classifier, repeat: int, split: int) -> bool:
        """Tell whether a classifier runs on a split."""
        if classifier.name == "bayes":
            return problem.kind == "artificial"
        # Of medical data, the paper has GMLVQ and the SVM.
        is_usual = not classifier.is_extra
        if problem.kind == "medical":
            is_usual = classifier.name in ("gmlvq", "svm")
        return is_usual or self._goes_beyond(problem, repeat, split)

    def _goes_beyond(self, problem: Problem, repeat: int, split: int) -> bool:
        """Tell whether a split is one of those that get what the paper has not."""
        if problem.is_variant:
            return False
        number = split if problem.kind == "medical" else N_FOLDS * repeat
        return number < N_FOLDS * self.n_extra_repeats


class Task(NamedTuple):
    """Some splits of a data set: one fold of a repeat, or a block of medical splits."""

    name: str
    repeat: int
    block: int

    @property
    def title(self) -> str:
        """A name for files."""
        return f"{self.name}-{self.repeat:02d}-{self.block:02d}"


def make_plan(
    *,
    only: list[str] | None = None,
    models: list[str] | None = None,
    quick: bool = False,
    seed: int = 0,
) -> Plan:
    """Return the plan that serves the wishes of a caller."""
    sets = _chosen("--only", only, list(PROBLEMS))
    names = _chosen("--models", models, list(CLASSIFIERS))
    repeats = (1, 0, 40) if quick else (10, 1, 1000)
    return Plan(sets, names, *repeats, seed)


def _chosen(option: str, wanted: list[str] | None, known: list[str]) -> tuple[str, ...]:
    if wanted is None:
        return tuple(known)
    unknown = [name for name in wanted if name not in known]
    if unknown or not wanted:
        raise InputError(
            f"{option} must name some of {', '.join(known)}, got {', '.join(unknown) or 'nothing'}"
        )
    return tuple(name for name in known if name in wanted)
