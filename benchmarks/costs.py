"""What do decisions cost on new samples, beside other libraries and thresholds by hand?

A missed sample of class 1, a false alarm and a reject have each their price; ``cost`` is the mean
price of the decisions about test samples. All methods have the same classifiers, draws and folds. A
method that refuses a draw rejects all of its samples. ``difference`` is the cost minus that of the
best pair of thresholds on posteriors out of fold, draw by draw.

``python benchmarks/costs.py`` prints the tables and writes ``docs/benchmarks/costs.json``, in about
ten minutes on one core. Rows that are done are kept in ``build/``: a run that was stopped goes on
where it was. With ``--quick`` there are two draws, and nothing is written.
"""

import argparse
import os
from collections.abc import Callable
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from environments import PATIENCE_SECONDS, PeerError, ask, python_with
from keeping import KeptRows
from measuring import show, write_record
from pricing.problems import CLASSIFIERS, MOST_FIT, MOST_TESTED, N_FRAUD, PRICES, write

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("ABSTAIN_DATA_HOME", ROOT.parent / "shared" / "data"))
CACHE = ROOT / "build" / "benchmarks" / "costs"
REQUIREMENTS = ROOT / "benchmarks" / "rejectors" / "requirements"
PACKAGES = ["numpy", "scikit-learn"]

# Libraries that share an environment share the fits of a draw.
PROCESSES = [["abstain", "by_hand", "scikit_learn"], ["mapie"]]
BY_HAND = ("by_hand", "two thresholds, cv=5")
# Draws of small sets are cheap, and differ more.
N_DRAWS = dict.fromkeys(PRICES, 20) | {"fraud": 12, "electricity": 10, "weather": 10}
QUICK_DRAWS = dict.fromkeys(PRICES, 2)

Row = dict[str, Any]


def code() -> list[Path]:
    """Return the code that is measured and the code that measures it."""
    here, package = Path(__file__).parent, ROOT / "src" / "abstain"
    files = [Path(__file__), here / "environments.py", here / "rejectors" / "methods.py"]
    files.append(REQUIREMENTS / "mapie.txt")
    return [*files, *here.glob("pricing/*.py"), *package.glob("**/*.py")]


def ask_libraries(libraries: list[str], *options: str, timeout: float | None = None) -> list[Row]:
    """Return what the libraries print, in the environment that they share."""
    python = python_with(REQUIREMENTS / f"{libraries[0]}.txt")
    return ask(python, ["pricing", *libraries, *options], timeout)


def or_failure(make: Callable[[], Row]) -> Row:
    """Return a row, or why there is none."""
    try:
        return make()
    except PeerError as error:
        return {"failure": str(error)}


def drawn(kept: KeptRows, libraries: list[str], set_name: str, name: str, n_draws: int) -> Row:
    """Return all draws of libraries on one set with one classifier, or why there are none."""
    options = ["--set", set_name, "--classifier", name, "--n-draws", str(n_draws)]
    if set_name != "fraud":
        file = kept.samples(set_name, lambda draft: write(set_name, DATA, draft))
        options += ["--samples", str(file)]
    return kept.row(
        f"{libraries[0]}: {name} on {set_name}",
        str(n_draws),
        lambda: or_failure(lambda: {"draws": ask_libraries(libraries, *options)}),
    )


def problem(kept: KeptRows, methods: list[Row], set_name: str, name: str, n: int) -> list[Row]:
    """Return the figures of all methods on one set with one classifier."""
    draws: list[Row] = []
    failures: dict[str, str | None] = {}
    for libraries in PROCESSES:
        answer = drawn(kept, libraries, set_name, name, n)
        draws += answer.get("draws", [])
        failures |= dict.fromkeys(libraries, answer.get("failure"))
    key = {"set": set_name, "classifier": name}

    def of(library: str, method: str) -> list[Row]:
        return [row for row in draws if (row["library"], row["method"]) == (library, method)]

    by_hand = of(*BY_HAND)
    return [
        key | about | summary(of(about["library"], about["method"]), by_hand)
        if not failures[about["library"]]
        else key | about | {"failure": failures[about["library"]]}
        for about in methods
    ]


def summary(draws: list[Row], by_hand: list[Row]) -> Row:
    """Return the figures of a method over the draws of one set."""
    gaps = [own["cost"] - other["cost"] for own, other in zip(draws, by_hand, strict=True)]
    refusals = [draw["refusal"] for draw in draws if draw["refusal"]]
    return {
        "draws": len(draws),
        "cost": fmean(draw["cost"] for draw in draws),
        "difference": fmean(gaps),
        "standard_error": stdev(gaps) / sqrt(len(gaps)),
        "coverage": fmean(draw["coverage"] for draw in draws),
        "refused": len(refusals) / len(draws),
        "first_refusal": refusals[0] if refusals else None,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--fresh", action="store_true", help="measure all rows again")
    parser.add_argument("--quick", action="store_true", help="two draws, nothing is written")
    options = parser.parse_args()
    kept = KeptRows(CACHE, code, options.fresh)
    about = [
        row for libraries in PROCESSES for row in ask_libraries(libraries, timeout=PATIENCE_SECONDS)
    ]
    versions = {row["library"]: row.pop("versions") for row in about}
    n_draws = QUICK_DRAWS if options.quick else N_DRAWS
    rows = [
        row
        for set_name in PRICES
        for name in CLASSIFIERS
        for row in problem(kept, about, set_name, name, n_draws[set_name])
    ]
    for set_name in PRICES:
        columns = ["classifier", "library", "method", "draws", "cost", "difference"]
        columns += ["standard_error", "coverage", "refused", "lines"]
        table = [
            {name: row.get(name) for name in columns} for row in rows if row["set"] == set_name
        ]
        show(f"{set_name}: {PRICES[set_name]}", table)
    if not options.quick:
        write_record(
            "costs.json",
            PACKAGES,
            versions=versions,
            fraud_samples=N_FRAUD,
            most_fit=MOST_FIT,
            most_tested=MOST_TESTED,
            by_hand=list(BY_HAND),
            prices={name: prices._asdict() for name, prices in PRICES.items()},
            methods=rows,
        )


if __name__ == "__main__":
    main()
