"""What do the decisions of some libraries cost on new samples?

``python -m pricing LIBRARY …`` tells what the libraries have; with a set and a classifier, every
draw is given to all of their methods, and prints one line of JSON for each. The folds of all
methods are the same, so a classifier is fitted once per fold.
"""

import argparse
import contextlib
import importlib
import json
import sys
import warnings
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from rejectors.methods import Method, lines_of_user_code

from pricing.problems import CLASSIFIERS, PRICES, FittedOnce, Part, draw

Row = dict[str, Any]


def trial(method: Method, classifier: Any, fit: Part, test: Part, set_name: str) -> Row:
    """Return what the decisions about test samples cost; with a refusal, all are rejected."""
    labels, accepted, refusal = test.y, np.zeros(len(test.y), dtype=bool), None
    prices = PRICES[set_name]
    try:
        chosen = method.choose(classifier, *fit, prices)
        labels, accepted = map(np.asarray, method.answer(chosen, test.X))
    except ValueError as error:
        refusal = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    return {
        "cost": float(prices.of(test.y, labels, accepted).mean()),
        "coverage": float(accepted.mean()),
        "refusal": refusal,
    }


def trials(adapters: dict[str, Any], arguments: argparse.Namespace) -> Iterator[Row]:
    """Give each draw to all methods."""
    for seed in range(arguments.n_draws):
        FittedOnce.known.clear()
        fit, test = draw(arguments.set, arguments.samples, seed)
        for library, adapter in adapters.items():
            for name, method in adapter.METHODS.items():
                classifier = FittedOnce(CLASSIFIERS[arguments.classifier]())
                row = trial(method, classifier, fit, test, arguments.set)
                yield {"library": library, "method": name, "seed": seed, **row}


def describe(adapters: dict[str, Any]) -> Iterator[Row]:
    """Yield what each method is, and the versions of its library."""
    for library, adapter in adapters.items():
        for name, method in adapter.METHODS.items():
            yield {
                "library": library,
                "method": name,
                "certifies": method.certifies,
                "lines": lines_of_user_code(method),
                "versions": {package: version(package) for package in adapter.PACKAGES},
            }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("libraries", nargs="+")
    parser.add_argument("--set")
    parser.add_argument("--samples", type=Path, help="file of samples; none if it is generated")
    parser.add_argument("--classifier")
    parser.add_argument("--n-draws", type=int)
    arguments = parser.parse_args()
    # Whatever a library prints must not come between the lines of the answer.
    with contextlib.redirect_stdout(sys.stderr), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            adapters = {
                name: importlib.import_module(f"pricing.{name}") for name in arguments.libraries
            }
            for row in trials(adapters, arguments) if arguments.set else describe(adapters):
                print(json.dumps(row), file=sys.__stdout__, flush=True)
        except Exception as error:
            failure = " ".join(f"{type(error).__name__}: {error}".split())[:200]
            print(json.dumps({"failure": failure}), file=sys.__stdout__, flush=True)


if __name__ == "__main__":
    main()
