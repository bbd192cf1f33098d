"""Which runs does a study consist of?

The paper's protocol: ten-fold cross-validation, repeated ten times; of medical data, 1,000 random
splits into nine tenths to train on and one tenth to test on. What the study adds to the paper runs
on fewer repeats, and so do sets that are prepared otherwise.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from threadpoolctl import threadpool_limits

from abstain._core.checks import InputError
from abstain.study.classifiers import CLASSIFIERS, Classifier
from abstain.study.libsvm import check_installed
from abstain.study.measuring import Extent, Part, Record, Split, measure
from abstain.study.problems import PROBLEMS, Problem, Sample

__all__ = ["Plan", "Task", "make_plan"]

EXTRA = [name for name, classifier in CLASSIFIERS.items() if classifier.is_extra]

N_FOLDS = 10
# Repeats of a set that is prepared otherwise, at most.
VARIANT_REPEATS = 2
# Of medical data whose claims are judged by thresholds set out of fold, these are set in so many
# times the extra runs: single splits vary more than folds, which test every sample.
MORE_OUT_OF_FOLD = 3


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
                counts = 1, self.n_medical_splits
            elif problem.is_variant:
                counts = min(self.n_repeats, VARIANT_REPEATS), N_FOLDS
            runs = [(repeat, split) for repeat in range(counts[0]) for split in range(counts[1])]
            tasks += [
                Task(name, *run, model)
                for run in runs
                for model in self.models
                if self._takes(problem, CLASSIFIERS[model], *run)
            ]
        order = np.random.default_rng(self.seed).permutation(len(tasks))
        return [tasks[index] for index in order]

    def check(self) -> None:
        """Refuse what could not be run to its end, before it begins."""
        if not self.tasks():
            raise InputError(
                f"--models {','.join(self.models)} has no part in this study of "
                f"{', '.join(self.sets)}: bayes is for artificial sets, of medical ones --quick "
                f"has gmlvq and svm, of others no {', '.join(EXTRA[:-1])} and {EXTRA[-1]}"
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
        problem, classifier = PROBLEMS[task.name], CLASSIFIERS[task.model]
        sample = problem.draw(self.state(task.repeat))
        split = self._split(problem, sample, task)
        seed = self.state(task.repeat, task.split)
        extent = self._extent(problem, classifier, task.repeat, task.split)
        key = {"set": task.name, "repeat": task.repeat, "split": task.split}
        return [key | found for found in measure(problem, sample, split, classifier, seed, extent)]

    def place(self, record: Record) -> tuple[int, ...]:
        """Return where a record stands among all: by set, repeat, split and classifier."""
        return (
            self.sets.index(record["set"]),
            record["repeat"],
            record["split"],
            self.models.index(record["model"]),
        )

    def _split(self, problem: Problem, sample: Sample, task: Task) -> Split:
        if problem.kind == "medical":
            seed = self.state(task.repeat, task.split)
            splitter: Any = StratifiedShuffleSplit(1, test_size=0.1, random_state=seed)
            (parts,) = splitter.split(sample.X, sample.y)
        else:
            seed = self.state(task.repeat)
            splitter = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
            parts = next(islice(splitter.split(sample.X, sample.y), task.split, None))
        return Split(*(Part(sample.X[rows], sample.y[rows]) for rows in parts))

    def _takes(self, problem: Problem, classifier: Classifier, repeat: int, split: int) -> bool:
        """Tell whether a classifier runs on a split."""
        if classifier.name == "bayes":
            return problem.kind == "artificial"
        return _is_usual(problem, classifier) or self._is_extra_run(problem, repeat, split)

    def _is_extra_run(self, problem: Problem, repeat: int, split: int, times: int = 1) -> bool:
        """Tell whether a split is one of those that get what the paper has not."""
        if problem.is_variant:
            return False
        number = split if problem.kind == "medical" else N_FOLDS * repeat
        return number < N_FOLDS * self.n_extra_repeats * times

    def _extent(self, problem: Problem, classifier: Classifier, repeat: int, split: int) -> Extent:
        """Return what is measured of a classifier on a split."""
        # There claims are judged by thresholds set out of fold, those of the SVM too.
        is_decisive = (
            problem.kind == "medical" and problem.is_separable and _is_usual(problem, classifier)
        )
        times = MORE_OUT_OF_FOLD if is_decisive else 1
        is_open = is_decisive or classifier.cells is not None
        if classifier.name == "lgmlvq" and not problem.is_separable:
            is_open = False  # it takes longest of all, and no claim asks for it
        return Extent(
            greedy=problem.kind != "medical",
            out_of_fold=is_open and self._is_extra_run(problem, repeat, split, times),
            guarantee=self._is_extra_run(problem, repeat, split),
        )


class Task(NamedTuple):
    """A classifier on one split of a set: a fold of a repeat, or a split of medical data."""

    name: str
    repeat: int
    split: int
    model: str

    @property
    def title(self) -> str:
        """A name for files."""
        return f"{self.name}-{self.repeat:02d}-{self.split:03d}-{self.model}"


def _is_usual(problem: Problem, classifier: Classifier) -> bool:
    """Tell whether the paper has a classifier on a set: of medical data, GMLVQ and the SVM."""
    if problem.kind == "medical":
        return classifier.name in ("gmlvq", "svm")
    return not classifier.is_extra


def make_plan(
    *,
    only: list[str] | None = None,
    models: list[str] | None = None,
    quick: bool = False,
    seed: int = 0,
) -> Plan:
    """Return the plan that serves the wishes of a caller.

    A quick study has sets that are prepared otherwise only if they are asked for.
    """
    sets = _chosen("--only", only, list(PROBLEMS))
    if quick and only is None:
        sets = tuple(name for name in sets if not PROBLEMS[name].is_variant)
    names = _chosen("--models", models, list(CLASSIFIERS))
    repeats = (1, 0, 20) if quick else (10, 1, 1000)
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
