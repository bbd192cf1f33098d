"""How long does a library take to choose thresholds, and how do they do on new samples?

``python -m rejectors LIBRARY`` tells what the library has; with a classifier and a file of samples,
every draw of the samples is given to all of its methods, and prints one line of JSON for each.
"""

import argparse
import contextlib
import importlib
import json
import sys
import time
import warnings
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from rejectors.methods import Method, lines_of_user_code
from rejectors.problems import Part, Problems, make_classifier

Row = dict[str, Any]


def trial(method: Method, classifier: Any, known: Part, test: Part, options: Any) -> Row:
    """Choose thresholds, and return how many test samples are answered, and how many rightly."""
    accepted = is_right = np.zeros(len(test.y), dtype=bool)
    refusal: str | None = None
    start, end = time.process_time(), None
    try:
        chosen = method.choose(classifier, *known, *options)
        end = time.process_time()
        labels, accepted = map(np.asarray, method.answer(chosen, test.X))
        is_right = labels == test.y
    except ValueError as error:  # some refuse as late as in their answers
        refusal = _one_line(error)
    return {
        "seconds": (end or time.process_time()) - start,
        "n_test": len(test.y),
        "answers": int(accepted.sum()),
        "right": int((accepted & is_right).sum()),
        "refusal": refusal if accepted.any() else refusal or "nothing is answered",
    }


def draws(methods: dict[str, Method], arguments: argparse.Namespace) -> Iterator[Row]:
    """Give each draw of the samples to all methods that have seconds left."""
    problems = Problems(arguments.samples)
    used = dict.fromkeys(methods, 0.0)
    for seed in range(arguments.n_draws):
        train, calibrate, test = problems.parts(seed)
        template = make_classifier(arguments.classifier, seed)
        fitted = clone(template).fit(*train)
        plain_right = int((fitted.predict(test.X) == test.y).sum())
        for name, method in methods.items():
            is_over = method.out_of_fold and seed >= arguments.n_draws_out_of_fold
            if is_over or used[name] > arguments.budget:
                continue
            start = time.process_time()
            options = arguments.target, arguments.confidence if method.certifies else None
            if method.out_of_fold:
                row = trial(method, clone(template), train.joined_with(calibrate), test, options)
            else:
                row = trial(method, fitted, calibrate, test, options)
            used[name] += time.process_time() - start
            # The plain answers are the same in every library, if they have the same classifiers.
            yield {"method": name, "seed": seed, "plain_right": plain_right, **row}


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
    if arguments.classifier is None:
        say(describe(adapter), stream)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for row in draws(adapter.METHODS, arguments):
            say(row, stream)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("--classifier")
    parser.add_argument("--samples", type=Path, help="file of samples and labels")
    parser.add_argument("--target", type=float, help="accuracy to reach")
    parser.add_argument("--confidence", type=float, help="where it can be certified")
    parser.add_argument("--n-draws", type=int)
    parser.add_argument("--n-draws-out-of-fold", type=int)
    parser.add_argument("--budget", type=float, help="seconds of the processor for each method")
    arguments = parser.parse_args()
    # Whatever a library prints must not come between the lines of the answer.
    with contextlib.redirect_stdout(sys.stderr):
        try:
            run(arguments, sys.__stdout__)
        except Exception as error:
            say({"failure": _one_line(error)}, sys.__stdout__)


if __name__ == "__main__":
    main()
