"""Are local thresholds better or worse than a global one, by more than the noise?

The *gain* is the accuracy on test data with local thresholds minus that with a global one: its mean
over coverages from 0.5 to 1 (``area``), and at one coverage (``at``).
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from local.samples import DRAWN, N_FOLDS, Array
from local.trying import CLASSIFIERS, COVERAGES, DEFAULT_SIZE, SIZES, SOURCES, Record

COVERAGE, NECKLACE_COVERAGE = 0.9, 0.95
# What counts as a difference.
N_ERRORS, LEAST_DIFFERENCE = 2.0, 0.001
ERRORS_A_CELL = [10, 100]

Repeats = list[list[Record]]


class Difference(NamedTuple):
    """Local minus global: the mean, and its standard error."""

    mean: float
    error: float


def difference(values: Array, name: str) -> Difference:
    """Return mean and error over the repeats; folds share what they train on, draws do not.

    For folds after Nadeau and Bengio: (1/k + test/train) in place of 1/k.
    """
    share = 0.0 if name in DRAWN else 1 / (N_FOLDS - 1)
    error = np.sqrt((1 / len(values) + share) * values.var(ddof=1))
    return Difference(float(values.mean()), float(error))


def verdict(gain: Difference) -> str:
    """Return whether local thresholds are noticeably better or worse."""
    least = max(N_ERRORS * gain.error, LEAST_DIFFERENCE)
    return "better" if gain.mean > least else "worse" if gain.mean < -least else "level"


def chosen(repeats: Repeats, source: str, n: int | None, size: int | None) -> list[Record]:
    """Return the records of one way to set thresholds, one for each repeat."""
    way = (source, n, size)
    return [
        record
        for records in repeats
        for record in records
        if (record["source"], record["n"], record["size"]) == way
    ]


def column(records: list[Record], field: str) -> Array:
    return np.array([record[field] for record in records])


def position(coverage: float) -> int:
    return int(np.argmin(np.abs(COVERAGES - coverage)))


def pairs(found: dict[tuple[str, str], Repeats]) -> list[Record]:
    """Return the comparisons of all classifiers on all sets."""
    lines = []
    for (name, classifier), repeats in found.items():
        ways = [(r["source"], r["n"], r["size"]) for r in repeats[0] if r["size"] is not None]
        lines += [
            {"set": name, "classifier": classifier, **pair(name, repeats, *way)} for way in ways
        ]
    return lines


def pair(name: str, repeats: Repeats, source: str, n: int | None, size: int) -> Record:
    """Return how local thresholds compare with a global one, over the repeats.

    With all data of a source there is more than the area: the gain ``at`` one coverage and by how
    much the accuracy promised exceeds that delivered, with a global threshold and with local ones.
    With the default size there is also ``end``, the least coverage at which each has something to
    choose, and ``common``, the area over coverages where both have.
    """
    one, own = (chosen(repeats, source, n, at) for at in (None, size))
    gains = column(own, "accuracies") - column(one, "accuracies")
    found: Record = {
        "source": source,
        "n": n,
        "size": size,
        "cells": float(column(own, "n_cells").mean()),
        "errors": float(column(own, "n_errors").mean()),
        **judged("area", difference(gains.mean(axis=1), name)),
    }
    if n is None:
        found |= judged("at", difference(gains[:, position(COVERAGE)], name))
        found["promised_too_much"] = [
            float((column(records, "promised") - column(records, "delivered")).mean())
            for records in (one, own)
        ]
    if n is None and size == DEFAULT_SIZE:
        ends = np.array([column(one, "end"), column(own, "end")])
        reached = ends.max(axis=0)[:, np.newaxis] <= COVERAGES + 1e-12
        common = (gains * reached).sum(axis=1) / reached.sum(axis=1)
        found |= {"end": ends.mean(axis=1).tolist(), "common": difference(common, name)}
    return found


def judged(field: str, gain: Difference) -> Record:
    return {field: gain, f"{field}_verdict": verdict(gain)}


def usual(lines: list[Record], source: str) -> list[Record]:
    """Return the comparisons with all data of a source and the default size."""
    way = (source, None, DEFAULT_SIZE)
    return [line for line in lines if (line["source"], line["n"], line["size"]) == way]


def by_size(lines: list[Record]) -> list[Record]:
    """Return what each min_cell_size brings, over the sets."""
    summaries = []
    for source in SOURCES:
        for classifier in CLASSIFIERS:
            of_size = {
                size: [
                    line
                    for line in lines
                    if (line["source"], line["classifier"], line["n"], line["size"])
                    == (source, classifier, None, size)
                ]
                for size in SIZES
            }
            at_default = of_size[DEFAULT_SIZE]
            for size, some in of_size.items():
                summary = {"source": source, "classifier": classifier, "size": size}
                summaries.append({**summary, **over_sets(some, at_default)})
    return summaries


def over_sets(lines: list[Record], at_default: list[Record]) -> Record:
    """Return means over the sets, and how they differ from those with the default size."""
    found: Record = {"sets": len(lines)}
    for field in ("area", "at"):
        gains = np.array([line[field].mean for line in lines])
        over_default = gains - [line[field].mean for line in at_default]
        found[field] = float(gains.mean())
        error = float(over_default.std(ddof=1) / np.sqrt(len(lines)))
        found[f"{field}_over_default"] = Difference(float(over_default.mean()), error)
    too_much = np.mean([line["promised_too_much"] for line in lines], axis=0)
    return {**found, "promised_too_much": too_much.tolist()}


def on_new_samples(lines: list[Record]) -> list[Record]:
    """Return comparisons with prototypes or classes as cells, and no training data.

    Small calibration sets are there too, where at least one cell has a threshold of its own.
    """
    return [
        line
        for line in lines
        if line["size"] == DEFAULT_SIZE
        and line["source"] != "training"
        and not line["classifier"].startswith("tree")
        and line["cells"] >= 1
    ]


def by_errors(lines: list[Record]) -> list[Record]:
    """Return how prototypes and classes as cells fare, by calibration errors for each threshold."""
    fair = on_new_samples(lines)
    summaries = []
    for least, most in pairwise([0, *ERRORS_A_CELL, np.inf]):
        some = [line for line in fair if least <= line["errors"] / line["cells"] < most]
        summary: Record = {
            "least": least,
            "most": None if most == np.inf else most,
            "comparisons": len(some),
            "area": float(np.mean([line["area"].mean for line in some])),
        }
        for kind in ("better", "worse"):
            names = [line["set"] for line in some if line["area_verdict"] == kind]
            summary |= {kind: len(names), f"{kind}_sets": sorted(set(names))}
        summaries.append(summary)
    return summaries


def necklace_gains(found: dict[str, Repeats]) -> list[Record]:
    """Return what local thresholds bring on the pearl necklaces, and the curves."""
    lines = []
    at = position(NECKLACE_COVERAGE)
    for classifier, repeats in found.items():
        for source in SOURCES:
            one, own = (
                column(chosen(repeats, source, None, size), "accuracies")
                for size in (None, DEFAULT_SIZE)
            )
            gains = own[:, at] - one[:, at]
            lines.append(
                {
                    "classifier": classifier,
                    "source": source,
                    "necklaces": len(gains),
                    "accuracy": float(one[:, 0].mean()),
                    "global": spread(one[:, at]),
                    "local": spread(own[:, at]),
                    "gain": spread(gains),
                    "two_points": int((gains >= 0.02).sum()),
                    "curves": [mean_and_sd(one), mean_and_sd(own)] if source == "cv" else None,
                }
            )
    return lines


def mean_and_sd(curves: Array) -> Record:
    return {"mean": curves.mean(axis=0).tolist(), "sd": curves.std(axis=0, ddof=1).tolist()}


def spread(values: Array) -> Record:
    return {
        "mean": float(values.mean()),
        "sd": float(values.std(ddof=1)),
        "range": [float(values.min()), float(values.max())],
    }
