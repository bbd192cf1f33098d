"""What do thresholds set out of fold cost beside the predictions out of fold themselves?

``python -m rejectors.out_of_fold`` prints one line of JSON for each round. A round takes the time
of ``cross_val_predict`` (of the classes, and of the scores), of ``RejectOptionClassifier.fit`` with
the same folds, and, inside the latter, of its one fit to all samples, which has nothing to do with
thresholds: whoever predicts out of fold has to fit the classifier to use too. Each time is taken by
the clock on the wall and by the processor's, which others on the machine disturb less.
"""

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Self

from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from abstain import GMLVQ, Accuracy, RejectOptionClassifier
from rejectors.problems import Problems

LEAST_ROUNDS = 5
MODELS = {
    "LogisticRegression": lambda: LogisticRegression(max_iter=1000),
    "RandomForest": lambda: RandomForestClassifier(random_state=0),
    "GMLVQ": lambda: GMLVQ(random_state=0),
    "KNeighbors": KNeighborsClassifier,
}


Times = tuple[float, float]


class TimedPipeline(Pipeline):  # type: ignore[misc]
    """A pipeline that notes how many samples its fits had, and how long they took."""

    fits: ClassVar[list[tuple[int, Times]]] = []

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Fit as any pipeline does."""
        fit = super().fit
        self.fits.append((len(X), times_of(lambda: fit(X, y, **params))))
        return self


def times_of(function: Callable[[], object]) -> Times:
    """Return the seconds on the wall and of the processor."""
    wall, processor = time.perf_counter(), time.process_time()
    function()
    return time.perf_counter() - wall, time.process_time() - processor


class Rounds:
    """The rounds of one classifier on one data set."""

    def __init__(self, problems: Problems, model: str, target: float) -> None:
        self.X, self.y = problems.samples, problems.labels
        self.estimator = TimedPipeline(
            [("scale", StandardScaler()), ("classify", MODELS[model]())],
        )
        self.folds = StratifiedKFold(5, shuffle=True, random_state=0)
        self.wrapper = RejectOptionClassifier(
            self.estimator, cv=self.folds, target=Accuracy(target)
        )
        has_posteriors = hasattr(self.estimator, "predict_proba")
        self.scores = "predict_proba" if has_posteriors else "decision_function"
        self.refit: Times = (0.0, 0.0)

    def predict(self) -> object:
        """Predict the classes out of fold."""
        return cross_val_predict(self.estimator, self.X, self.y, cv=self.folds)

    def predict_scores(self) -> object:
        """Predict posteriors out of fold, or what there is in their place."""
        return cross_val_predict(self.estimator, self.X, self.y, cv=self.folds, method=self.scores)

    def fit(self) -> None:
        """Set thresholds out of fold."""
        TimedPipeline.fits.clear()
        self.wrapper.fit(self.X, self.y)
        (self.refit,) = (times for n, times in TimedPipeline.fits if n == len(self.y))

    def run(self, number: int) -> dict[str, Times]:
        """Take all times once; every other round in reverse order."""
        steps = {"predict": self.predict, "predict_scores": self.predict_scores, "fit": self.fit}
        names = sorted(steps, reverse=bool(number % 2))
        times = {name: times_of(steps[name]) for name in names}
        return {**times, "refit": self.refit}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--classifier", choices=MODELS)
    parser.add_argument("--samples", type=Path, help="file of samples and labels")
    parser.add_argument("--target", type=float, help="accuracy to reach")
    parser.add_argument("--rounds", type=int)
    parser.add_argument(
        "--budget",
        type=float,
        help="seconds of the processor after which no round is begun, but for the first few",
    )
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    rounds = Rounds(Problems(arguments.samples), arguments.classifier, arguments.target)
    rounds.run(0)  # imports what is imported on first use
    start = time.process_time()
    for number in range(arguments.rounds):
        print(json.dumps(rounds.run(number)), flush=True)
        if number + 1 >= LEAST_ROUNDS and time.process_time() - start > arguments.budget:
            break


if __name__ == "__main__":
    main()
