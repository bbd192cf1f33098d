"""How long does a library take to choose thresholds, and how do they do on new samples?

``python -m rejectors LIBRARY`` tells what the library has; with a method, a classifier and a file
of samples, one line of JSON is printed for each seed as it is done. The sweep by hand runs on the
same samples in turn, so that times can be compared within the process.
"""

import argparse
import contextlib
import importlib
import json
import os
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from rejectors import sweep
from rejectors.methods import Method, lines_of_user_code
from rejectors.problems import Part, Problems, make_classifier

# What takes less is done a few times; the least time counts.
SHORT_SECONDS = 0.5
ROUNDS = 3


class Trial:
    """One method on one draw of the samples."""

    def __init__(self, method: Method, classifier: Any, known: Part, options: Any) -> None:
        self.method, self.classifier, self.known = method, classifier, known
        self.options = options
        self.seconds = self.processor_seconds = float("inf")
        self.chosen: Any = None
        self.refusal: str | None = None

    def run(self) -> None:
        """Choose thresholds once more."""
        classifier = clone(self.classifier) if self.method.out_of_fold else self.classifier
        self.chosen, self.refusal = None, None
        wall, processor = time.perf_counter(), time.process_time()
        try:
            self.chosen = self.method.choose(classifier, *self.known, *self.options)
        except ValueError as error:
            self.refusal = _one_line(error)
        self.seconds = min(self.seconds, time.perf_counter() - wall)
        self.processor_seconds = min(self.processor_seconds, time.process_time() - processor)

    def answers(self, test: Part) -> dict[str, Any]:
        """Return how many test samples are answered, and how many of them rightly."""
        accepted = is_right = np.zeros(len(test.y), dtype=bool)
        if self.refusal is None:
            try:
                labels, accepted = map(np.asarray, self.method.answer(self.chosen, test.X))
                is_right = labels == test.y
            except ValueError as error:  # some refuse as late as here
                self.refusal = _one_line(error)
        if self.refusal is None and not accepted.any():
            self.refusal = "nothing is answered"
        return {
            "answers": int(accepted.sum()),
            "right": int((accepted & is_right).sum()),
            "refusal": self.refusal,
        }


def measure(method: Method, name: str, problems: Problems, seed: int, options: Any) -> Any:
    """Choose thresholds for one draw, by the method and by hand in turn."""
    train, calibrate, test = problems.parts(seed)
    classifier = make_classifier(name, seed)
    if method.out_of_fold:
        known = train.joined_with(calibrate)
        by_hand = sweep.METHODS["one threshold, out of fold"]
    else:
        classifier.fit(*train)
        known, by_hand = calibrate, sweep.METHODS["one threshold"]
    trial = Trial(method, classifier, known, options)
    reference = Trial(by_hand, classifier, known, options)
    for _ in range(ROUNDS):
        trial.run()
        reference.run()
        if max(trial.seconds, reference.seconds) > SHORT_SECONDS:
            break
    fitted = reference.chosen[0]
    return {
        "seed": seed,
        "n_test": len(test.y),
        "seconds": trial.seconds,
        "processor_seconds": trial.processor_seconds,
        **trial.answers(test),
        "reference_seconds": reference.seconds,
        "reference_processor_seconds": reference.processor_seconds,
        **{f"reference_{key}": value for key, value in reference.answers(test).items()},
        # The same in every library, if they have the same classifiers.
        "plain_right": int((fitted.predict(test.X) == test.y).sum()),
    }


def _one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:200]


def describe(adapter: Any) -> dict[str, Any]:
    return {
        "methods": {
            name: {
                "out_of_fold": method.out_of_fold,
                "takes_target": method.takes_target,
                "certifies": method.certifies,
                "lines": lines_of_user_code(method),
            }
            for name, method in adapter.METHODS.items()
        },
        "versions": {package: version(package) for package in adapter.PACKAGES},
    }


def say(line: dict[str, Any], stream: Any) -> None:
    print(json.dumps(line), file=stream, flush=True)


def run(arguments: argparse.Namespace, stream: Any) -> None:
    adapter = importlib.import_module(f"rejectors.{arguments.library}")
    if arguments.method is None:
        say(describe(adapter), stream)
        return
    method, problems = adapter.METHODS[arguments.method], Problems(arguments.samples)
    options = arguments.target, arguments.confidence
    start = time.process_time()
    for seed in range(arguments.n_seeds):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            say(measure(method, arguments.classifier, problems, seed, options), stream)
        if time.process_time() - start > arguments.budget:
            break


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("--method")
    parser.add_argument("--classifier")
    parser.add_argument("--samples", type=Path, help="file of samples and labels")
    parser.add_argument("--target", type=float, help="accuracy to reach")
    parser.add_argument("--confidence", type=float, help="where it can be certified")
    parser.add_argument("--n-seeds", type=int)
    parser.add_argument(
        "--budget", type=float, help="seconds of the processor after which no seed is begun"
    )
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        # Not every library obeys the variables that ask for one thread; the kernel does.
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    # Whatever a library prints must not come between the lines of the answer.
    with contextlib.redirect_stdout(sys.stderr):
        try:
            run(arguments, sys.__stdout__)
        except Exception as error:
            say({"failure": _one_line(error)}, sys.__stdout__)


if __name__ == "__main__":
    main()
