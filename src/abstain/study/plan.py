"""Which runs does a study consist of?

The paper's protocol: ten-fold cross-validation, repeated ten times; for medical data, 1,000 random
splits into nine tenths for training and one tenth for testing. Classifiers and thresholds that are
not in the paper, and variants of data sets, run on fewer repeats.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from threadpoolctl import threadpool_limits

from abstain._core.errors import Argument, InputError
from abstain.study.experiments import (
    CLASSIFIERS,
    PROBLEMS,
    Classifier,
    Data,
    Problem,
    import_libsvm,
)
from abstain.study.measuring import Extras, Record, Split, measure

EXTRA = [name for name, classifier in CLASSIFIERS.items() if classifier.is_extra]

N_FOLDS = 10
# A variant of a data set is repeated at most this often.
VARIANT_REPEATS = 2
# Where claims about medical data depend on thresholds set out of fold, those are set in this many
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
        """Return all tasks, shuffled so that the time left can be estimated from the time taken."""
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
                if self._includes(problem, CLASSIFIERS[model], *run)
            ]
        order = np.random.default_rng(self.seed).permutation(len(tasks))
        return [tasks[index] for index in order]

    def check(self) -> None:
        """Refuse a plan that has no tasks, or that lacks a package or a data set."""
        if not self.tasks():
            raise InputError(
                Argument("models"),
                f" {','.join(self.models)} has no part in this study of {', '.join(self.sets)}: "
                "bayes is for artificial sets; ",
                Argument("quick"),
                " has only gmlvq and svm on medical sets, and no "
                f"{', '.join(EXTRA[:-1])} and {EXTRA[-1]} on others",
            )
        if "svm" in self.models:
            import_libsvm()
        with threadpool_limits(1):  # the data are cached: they must be those that a worker makes
            for name in self.sets:
                PROBLEMS[name].draw(self.seed_of(0))

    def seed_of(self, repeat: int, split: int = -1) -> int:
        """Return the seed of a repeat, or of a split in it."""
        words = self.seed, repeat, split + 1  # NumPy ignores a last 0
        return int(np.random.SeedSequence(words).generate_state(1)[0])

    def run(self, task: Task) -> list[Record]:
        """Return the records of a task."""
        problem, classifier = PROBLEMS[task.name], CLASSIFIERS[task.model]
        data = problem.draw(self.seed_of(task.repeat))
        split = self._split(problem, data, task)
        seed = self.seed_of(task.repeat, task.split)
        extras = self._extras(problem, classifier, task.repeat, task.split)
        key = {"set": task.name, "repeat": task.repeat, "split": task.split}
        records = measure(problem, data, split, classifier, seed, extras)
        return [key | record for record in records]

    def sort_key(self, record: Record) -> tuple[int, ...]:
        """Order records by set, repeat, split and classifier."""
        return (
            self.sets.index(record["set"]),
            record["repeat"],
            record["split"],
            self.models.index(record["model"]),
        )

    def _split(self, problem: Problem, data: Data, task: Task) -> Split:
        if problem.kind == "medical":
            seed = self.seed_of(task.repeat, task.split)
            splitter: Any = StratifiedShuffleSplit(1, test_size=0.1, random_state=seed)
            ((train, test),) = splitter.split(data.X, data.y)
        else:
            seed = self.seed_of(task.repeat)
            splitter = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
            train, test = next(islice(splitter.split(data.X, data.y), task.split, None))
        return Split((data.X[train], data.y[train]), (data.X[test], data.y[test]))

    def _includes(self, problem: Problem, classifier: Classifier, repeat: int, split: int) -> bool:
        """Return whether a classifier runs on a split."""
        if classifier.name == "bayes":
            return problem.kind == "artificial"
        return _is_in_paper(problem, classifier) or self._is_extra_run(problem, repeat, split)

    def _is_extra_run(self, problem: Problem, repeat: int, split: int, times: int = 1) -> bool:
        """Return whether a split also gets what the paper does not have."""
        if problem.is_variant:
            return False
        number = split if problem.kind == "medical" else N_FOLDS * repeat
        return number < N_FOLDS * self.n_extra_repeats * times

    def _extras(self, problem: Problem, classifier: Classifier, repeat: int, split: int) -> Extras:
        """Return what else is measured of a classifier on a split."""
        # There, claims are checked with thresholds set out of fold, also those of the SVM.
        is_decisive = (
            problem.kind == "medical" and problem.is_separable and _is_in_paper(problem, classifier)
        )
        times = MORE_OUT_OF_FOLD if is_decisive else 1
        out_of_fold = is_decisive or classifier.cells is not None
        if classifier.name == "lgmlvq" and not problem.is_separable:
            out_of_fold = False  # the slowest classifier, and no claim needs it
        return Extras(
            greedy=problem.kind != "medical",
            out_of_fold=out_of_fold and self._is_extra_run(problem, repeat, split, times),
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
        """The name of its file."""
        return f"{self.name}-{self.repeat:02d}-{self.split:03d}-{self.model}"


def _is_in_paper(problem: Problem, classifier: Classifier) -> bool:
    """Return whether the paper has a classifier on a set: GMLVQ and the SVM on medical data."""
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
    """Return the plan of a study of some data sets and classifiers; None stands for all.

    A quick study has variants of data sets only if they are named.
    """
    sets = _select("only", only, list(PROBLEMS))
    if quick and only is None:
        sets = tuple(name for name in sets if not PROBLEMS[name].is_variant)
    names = _select("models", models, list(CLASSIFIERS))
    repeats = (1, 0, 20) if quick else (10, 1, 1000)
    return Plan(sets, names, *repeats, seed)


def _select(argument: str, wanted: list[str] | None, known: list[str]) -> tuple[str, ...]:
    if wanted is None:
        return tuple(known)
    unknown = [name for name in wanted if name not in known]
    if unknown or not wanted:
        got = ", ".join(unknown) or "nothing"
        raise InputError(Argument(argument), f" must name some of {', '.join(known)}, got {got}")
    return tuple(name for name in known if name in wanted)
