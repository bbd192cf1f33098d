"""How often does an accuracy that was certified not hold on new data?

From populations whose truth is known, 600 samples make a front and 600 more certify an accuracy of
0.9 with confidence 0.9, a thousand times over. Beside it: thresholds that reach 0.9 on all 1,200
samples, as one would pick them without a test, and the same test done by hand, with the rows in the
plainest order. Then, with other shares of the samples held out for the test: how many are answered?

``python benchmarks/guarantee.py`` prints the table and writes ``docs/benchmarks/guarantee.json``.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from rich.console import Console  # noqa: E402
from rich.progress import track  # noqa: E402
from rich.table import Table  # noqa: E402

from abstain import Accuracy, InputError, operating_point, pareto_front  # noqa: E402
from abstain._files import whole_files  # noqa: E402
from tests.reference.guarantee import certify_plainly, fit, population  # noqa: E402

RESULTS = ROOT / "docs" / "benchmarks" / "guarantee.json"
KINDS = ["smooth", "ties", "flat"]
N_RUNS, N_SAMPLES = 1000, 1200
ACCURACY, LEVEL = 0.9, 0.1
SHARES, SIZES = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7], [600, 1200, 4800]

Row = dict[str, Any]
STDERR = Console(stderr=True)


def truth(everything: Any, thresholds: Any) -> tuple[bool, float]:
    """Return whether thresholds miss the accuracy, and what share of all samples they accept."""
    certainty, correct, cells = everything
    if thresholds is None:
        return False, 0.0
    accepted = certainty >= thresholds[cells]
    if not accepted.any():
        return False, 0.0
    return bool(correct[accepted].mean() < ACCURACY), float(accepted.mean())


def certified(drawn: Any) -> Any:
    try:
        return fit(drawn).thresholds_
    except InputError:
        return None


def picked(drawn: Any) -> Any:
    return operating_point(pareto_front(*drawn), Accuracy(ACCURACY)).thresholds


def by_hand(drawn: Any) -> Any:
    half = N_SAMPLES // 2
    front = pareto_front(*(values[:half] for values in drawn))
    return certify_plainly(front, [values[half:] for values in drawn], ACCURACY, LEVEL)


WAYS = {"certified": certified, "by hand": by_hand, "picked without a test": picked}


def simulate(kind: str, n_runs: int) -> list[Row]:
    """Return how often each way misses the accuracy, and how much it accepts."""
    everything = population(kind)
    generator = np.random.default_rng(0)
    found: dict[str, list[tuple[bool, float]]] = {name: [] for name in WAYS}
    for _ in track(range(n_runs), description=kind, console=STDERR):
        chosen = generator.integers(len(everything[0]), size=N_SAMPLES)
        drawn = [values[chosen] for values in everything]
        for name, way in WAYS.items():
            found[name].append(truth(everything, way(drawn)))
    return [
        {
            "population": kind,
            "way": name,
            "runs": n_runs,
            "missed": float(np.mean([missed for missed, _ in outcomes])),
            "coverage": float(np.mean([coverage for _, coverage in outcomes])),
            "nothing": float(np.mean([coverage == 0 for _, coverage in outcomes])),
        }
        for name, outcomes in found.items()
    ]


def by_share(kind: str, n_samples: int, n_runs: int) -> list[Row]:
    """Return how much is accepted when more or less of the samples is held out for the test."""
    everything = population(kind)
    rows = []
    for share in SHARES:
        generator, covered = np.random.default_rng(0), []
        for _ in track(range(n_runs), f"{kind}, {share:.0%} of {n_samples}", console=STDERR):
            chosen = generator.integers(len(everything[0]), size=n_samples)
            drawn = [values[chosen] for values in everything]
            first = n_samples - round(share * n_samples)
            front = pareto_front(*(values[:first] for values in drawn))
            target = Accuracy(ACCURACY, confidence=1 - LEVEL)
            held_out = tuple(values[first:] for values in drawn)
            try:
                thresholds = operating_point(front, target, held_out).thresholds
            except InputError:
                thresholds = None
            covered.append(truth(everything, thresholds)[1])
        rows.append({"population": kind, "samples": n_samples, "share": share, "runs": n_runs})
        rows[-1]["coverage"] = float(np.mean(covered))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=N_RUNS, help="with fewer, nothing is written")
    n_runs = parser.parse_args().runs
    rows = [row for kind in KINDS for row in simulate(kind, n_runs)]
    allowed = LEVEL + 3 * (LEVEL * (1 - LEVEL) / n_runs) ** 0.5
    table = Table("population", "way", "missed", "coverage", "nothing accepted")
    for row in rows:
        told = [f"{row[name]:.1%}" for name in ("missed", "coverage", "nothing")]
        table.add_row(row["population"], row["way"], *told)
    Console().print(table, f"at most {allowed:.1%} may miss")
    shares = [
        row
        for kind in KINDS[:2]
        for n_samples in SIZES
        for row in by_share(kind, n_samples, n_runs // 5)
    ]
    table = Table("population", "samples", *(f"{share:.0%} held out" for share in SHARES))
    for start in range(0, len(shares), len(SHARES)):
        some = shares[start : start + len(SHARES)]
        told = [f"{row['coverage']:.1%}" for row in some]
        table.add_row(some[0]["population"], str(some[0]["samples"]), *told)
    Console().print(table)
    if n_runs == N_RUNS:
        results: Row = {"accuracy": ACCURACY, "level": LEVEL, "allowed": allowed, "rows": rows}
        results["shares"] = shares
        with whole_files(RESULTS) as (draft,):
            draft.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
