"""What do thresholds set out of fold cost beside the predictions out of fold themselves?

``python -m rejectors.out_of_fold`` prints one line of JSON for each round. A round takes the time
of ``cross_val_predict``, of ``RejectOptionClassifier.fit`` with the same folds, and, inside the
latter, of its one fit to all samples, which has nothing to do with thresholds: predictions out of
fold need that fit as well. Times are the processor's.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Self

from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from abstain import GMLVQ, Accuracy, RejectOptionClassifier
from rejectors.problems import CLASSIFIERS, Problems

MODELS: dict[str, Callable[[int], Any]] = {
    **CLASSIFIERS,
    "GMLVQ": lambda seed: GMLVQ(1, random_state=seed),
    "KNeighbors": lambda seed: KNeighborsClassifier(),
}


class TimedPipeline(Pipeline):  # type: ignore[misc]
    """A pipeline that notes how many samples its fits had, and how long they took."""

    fits: ClassVar[list[tuple[int, float]]] = []

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Fit as any pipeline does."""
        fit = super().fit
        self.fits.append((len(X), seconds_of(lambda: fit(X, y, **params))))
        return self


def seconds_of(function: Callable[[], object]) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start


def time_round(estimator: Any, X: Any, y: Any, target: float, reverse: bool) -> dict[str, float]:
    """Take all times once; every other round in reverse order."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    clf = RejectOptionClassifier(estimator, cv=folds, target=Accuracy(target), outliers=None)
    steps = {
        "predict": lambda: cross_val_predict(estimator, X, y, cv=folds),
        "fit": lambda: clf.fit(X, y),
    }
    TimedPipeline.fits.clear()
    times = {name: seconds_of(steps[name]) for name in sorted(steps, reverse=reverse)}
    (refit,) = (seconds for n, seconds in TimedPipeline.fits if n == len(y))
    return {**times, "refit": refit}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--classifier", choices=MODELS)
    parser.add_argument("--samples", type=Path, help="file of samples and labels")
    parser.add_argument("--target", type=float, help="accuracy to reach")
    parser.add_argument("--rounds", type=int)
    arguments = parser.parse_args()
    problems = Problems(arguments.samples)
    steps = [("scale", StandardScaler()), ("classify", MODELS[arguments.classifier](0))]
    task = TimedPipeline(steps), problems.samples, problems.labels, arguments.target
    time_round(*task, reverse=False)  # imports what is imported on first use
    for number in range(arguments.rounds):
        print(json.dumps(time_round(*task, reverse=bool(number % 2))), flush=True)


if __name__ == "__main__":
    main()
