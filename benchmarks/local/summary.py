"""What do many draws on many sets come to?

Figures are means over draws with their standard errors: of a (set, classifier) pair, of a set (the
mean of its classifiers in each draw), and of all pairs. A standard error says how well a figure is
known for these sets and fitted classifiers, not how other sets would differ.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from local.sets import CHOSEN_ON
from local.trials import PRICED, SIZES, WAYS

__all__ = ["GROUPS", "OWN", "Record", "summarize"]

Record = dict[str, Any]

OWN = "pooled"
GROUPS = ["all", "chosen on", "confirming"]
# Another method is ahead of pooled on a pair by so many points, and by two standard errors.
CLEARLY_AHEAD = 0.2


def summarize(rows: list[Record]) -> Record:
    """Return the tables of the record, from one row per set and classifier."""
    return {
        "sets": _sets(rows),
        "by_method": [line for group in GROUPS for line in _by_method(_in(rows, group), group)],
        "by_accuracy": [
            {"sets": group, **line} for group in GROUPS for line in _by_accuracy(_in(rows, group))
        ],
        "by_classifier": [
            {"classifier": name, **line}
            for name in dict.fromkeys(row["classifier"] for row in rows)
            for line in _by_accuracy([row for row in rows if row["classifier"] == name])
        ],
        "by_price": [
            {"sets": group, **line} for group in GROUPS for line in _by_price(_in(rows, group))
        ],
        "by_set": _by_set(rows),
        "behind": _behind(rows),
        "pairs": _pairs(rows),
    }


def _in(rows: list[Record], group: str) -> list[Record]:
    """Return the rows of sets that the model was chosen on, of the others, or of all."""
    return [
        row for row in rows if group == "all" or (row["set"] in CHOSEN_ON) == (group == GROUPS[1])
    ]


def _at(rows: list[Record], size: int) -> list[tuple[Record, Record]]:
    """Return the rows that have been tried with so many samples, and what came of it."""
    return [(row, tried) for row in rows for tried in row["sizes"] if tried["size"] == size]


def _mean(draws: ArrayLike) -> list[float]:
    """Return the mean over draws and its standard error."""
    values = np.asarray(draws, dtype=float)
    error = values.std(ddof=1) / np.sqrt(len(values))
    return [round(float(values.mean()), 4), round(float(error), 4)]


def _sets(rows: list[Record]) -> list[Record]:
    first = {row["set"]: row for row in reversed(rows)}
    fields = ["features", "classes", "rest"]
    return [
        {"name": name, "chosen_on": name in CHOSEN_ON, **{at: first[name][at] for at in fields}}
        for name in dict.fromkeys(row["set"] for row in rows)
    ]


def _pairs(rows: list[Record]) -> list[Record]:
    return [
        {
            "set": row["set"],
            "classifier": row["classifier"],
            "size": size,
            "cells": row["cells"],
            "accuracy": round(row["accuracy"], 4),
            "gains": {name: _mean(draws) for name, draws in tried["gains"].items()},
        }
        for size in SIZES
        for row, tried in _at(rows, size)
    ]


def _by_set(rows: list[Record]) -> list[Record]:
    lines = []
    for size in SIZES:
        for name in dict.fromkeys(row["set"] for row, _ in _at(rows, size)):
            of_pairs = [tried["gains"] for row, tried in _at(rows, size) if row["set"] == name]
            gains = {
                at: _mean(np.mean([gains[at] for gains in of_pairs], axis=0)) for at in of_pairs[0]
            }
            lines.append({"set": name, "size": size, "gains": gains})
    return lines


def _behind(rows: list[Record]) -> list[Record]:
    """Return where another method is clearly ahead of pooled, and which is most so."""
    lines = []
    for size in SIZES:
        for row, tried in _at(rows, size):
            own = np.array(tried["gains"][OWN])
            leads = {name: _mean(np.array(its) - own) for name, its in tried["gains"].items()}
            name = max(leads, key=lambda at: leads[at][0])
            if leads[name][0] > max(CLEARLY_AHEAD, 2 * leads[name][1]):
                pair = {"set": row["set"], "classifier": row["classifier"], "size": size}
                lines.append({**pair, "method": name, "ahead": leads[name]})
    return lines


def _by_method(rows: list[Record], group: str) -> list[Record]:
    """Return, for each method, its mean gain, its worst and best pair, and what pooled leads by."""
    lines = []
    for size in SIZES:
        tried = _at(rows, size)
        for name in tried[0][1]["gains"] if tried else []:
            gains = np.array([trial["gains"][name] for _, trial in tried])
            own = np.array([trial["gains"][OWN] for _, trial in tried])
            order = np.argsort(gains.mean(axis=1))
            worst, best = (
                {
                    "set": tried[at][0]["set"],
                    "classifier": tried[at][0]["classifier"],
                    "gain": _mean(gains[at]),
                }
                for at in (order[0], order[-1])
            )
            lines.append(
                {
                    "sets": group,
                    "size": size,
                    "method": name,
                    "pairs": len(tried),
                    "gain": _mean(gains.mean(axis=0)),
                    "pooled_leads_by": _mean((own - gains).mean(axis=0)),
                    "worst": worst,
                    "best": best,
                }
            )
    return lines


def _by_accuracy(rows: list[Record]) -> list[Record]:
    """Return, for each way to set thresholds, how often an accuracy is missed on test samples."""
    lines = []
    for size in SIZES:
        tried = _at(rows, size)
        # pair, draw, target; what is answered and how far the accuracy is above the target
        reached = {way: np.array([row["reached"][way] for _, row in tried]) for way in WAYS}
        for way, values in reached.items() if tried else []:
            answered, above = values[..., 0], values[..., 1]
            own = reached[OWN][..., 1] < 0
            missed = above < 0
            lines.append(
                {
                    "size": size,
                    "way": way,
                    "cases": missed.size,
                    "missed": _mean(missed.mean(axis=(0, 2))),
                    "pooled_misses_more": _mean(
                        (own.astype(float) - missed.astype(float)).mean(axis=(0, 2))
                    ),
                    "short_by": round(float(100 * np.maximum(-above, 0).mean()), 4),
                    "answered": _mean(answered.mean(axis=(0, 2))),
                }
            )
    return lines


def _by_price(rows: list[Record]) -> list[Record]:
    """Return the cost of each way to choose a row, and how much more it is than that of pooled."""
    lines = []
    for size in SIZES:
        tried = _at(rows, size)
        # pair, draw, price
        costs = {way: np.array([row["costs"][way] for _, row in tried]) for way in PRICED}
        for way, values in costs.items() if tried else []:
            more = (values - costs[OWN]).mean(axis=(0, 2))
            mean = _mean(values.mean(axis=(0, 2)))
            lines.append({"size": size, "way": way, "cost": mean, "more_than_pooled": _mean(more)})
    return lines
