"""Thresholds that follow a stream, by benchmarks/online.py."""

from statistics import fmean

from tools.numbers.writing import find, find_all, record, table

RECORD = record("online")
TRACKED = RECORD["tracked"]
SETS = {
    "electricity": "electricity",
    "weather": "weather",
    "gas_drift": "gas drift",
    "noise": "Gaussian, noise changes",
    "stationary": "Gaussian, stationary",
}
DRIFTING = [row for row in TRACKED if row["set"] != "stationary"]
COMPARED = [row["ratio"] for row in DRIFTING if row["ratio"] is not None]
STATIONARY = [row["ratio"] for row in TRACKED if row["set"] == "stationary"]


def points(distance: float | None) -> str:
    """Write a distance in points; without answers there is none."""
    return "no answers" if distance is None else f"{100 * distance:.1f}"


def mean_ratio(name: str) -> float:
    """Return the mean distance on a set, relative to that of thresholds that are set once."""
    rows = [row for row in find_all(TRACKED, set=name) if row["ratio"] is not None]
    return fmean(row["distance"] for row in rows) / fmean(row["fixed_distance"] for row in rows)


def distances() -> str:
    """Write the mean distance of the accuracy from the target, and the share of answers."""
    lines = [
        [
            f"{SETS[row['set']]}, {row['learner']}",
            f"{100 * row['target']:.0f}%",
            points(row["fixed_distance"]),
            points(row["distance"]),
            f"{100 * row['fixed_coverage']:.0f}%",
            f"{100 * row['coverage']:.0f}%",
        ]
        for row in TRACKED
    ]
    head = ["stream", "target", "set once", "following", "answered, set once", "following"]
    return table(head, lines)


VALUES = {
    "distances": distances(),
    "mean_ratio": f"{sum(mean_ratio(name) for name in SETS if name != 'stationary') / 4:.2f}",
    "n_half": str(sum(ratio <= 0.5 for ratio in COMPARED)),
    "n_better": str(sum(ratio < 1 for ratio in COMPARED)),
    "n_compared": str(len(COMPARED)),
    "most_stationary": f"{max(STATIONARY):.2f}",
    "least_us": f"{min(row['over_us'] for row in RECORD['times']):.0f}",
    "most_us": f"{max(row['over_us'] for row in RECORD['times']):.0f}",
    "many_cells": str(find(RECORD["times"], n_cells=50)["n_cells"]),
    "megabytes": f"{RECORD['memory']['growth_bytes'] / 1e6:.1f}",
    "millions": f"{RECORD['memory']['n_samples'] // 1_000_000}",
}
