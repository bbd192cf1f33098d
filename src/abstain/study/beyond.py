"""What do thresholds change that the paper does not have?

The paper sets thresholds on the training part, for as many cells as there are prototypes. Here they
are also set on answers out of fold, and small cells share one. Of an accuracy that is asked for,
the question is whether new samples have it: with thresholds that just reach it on the samples that
they are set on, and with those that are tested on others.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from abstain.study.curves import Curves, Way
from abstain.study.intervals import interval
from abstain.study.measuring import SMALL_CELL, Record
from abstain.study.problems import PROBLEMS

__all__ = ["Change", "Guarantee", "compare_options", "count_guarantees"]

# Where curves are compared: the reject rates that users ask for.
RATES = np.round(np.arange(0.01, 0.205, 0.01), 2)


class Change(NamedTuple):
    """What a way to set thresholds changes: the mean difference at 1 to 20 % rejects."""

    set: str
    model: str
    change: str
    runs: int
    difference: float
    low: float
    high: float


class Guarantee(NamedTuple):
    """What became of an accuracy that was asked for.

    ``coverage`` is the share of test samples that are answered, and ``reached`` the share of those
    answers that are right, over all runs whose target was not refused.
    """

    set: str
    source: str
    accuracy: float
    runs: int
    refused: int
    coverage: float
    reached: float


def compare_options(curves: Curves) -> Iterator[Change]:
    """Yield what each other way changes, run by run."""
    for way in curves.ways:
        for change, other in _others(way):
            if way.part == "test" and way.method == "exact" and curves.has(other):
                theirs = curves.values_within(way, RATES)
                ours = curves.values_within(other, RATES)
                runs = {key: float(np.mean(ours[key] - theirs[key])) for key in ours}
                found = interval(runs, drawn_anew=PROBLEMS[way.set].kind == "artificial")
                yield Change(way.set, way.model, change, len(runs), *found)


def _others(way: Way) -> Iterator[tuple[str, Way]]:
    """Yield what a way is compared with."""
    if way.min_cell_size > 1:
        return
    if way.source == "training":
        yield f"out of fold, {way.cells}", way._replace(source="out of fold")
    if way.cells == "global":
        yield f"local, {way.source}", way._replace(cells="local")
    else:
        yield f"min_cell_size={SMALL_CELL}, {way.source}", way._replace(min_cell_size=SMALL_CELL)


def count_guarantees(records: list[Record]) -> Iterator[Guarantee]:
    """Yield the counts over the runs of each set."""
    targets = [record for record in records if record["kind"] == "target"]
    keys = dict.fromkeys((r["set"], r["source"], r["accuracy"]) for r in targets)
    for key in keys:
        found = [r for r in targets if (r["set"], r["source"], r["accuracy"]) == key]
        served = [record for record in found if not record["is_refused"]]
        n, accepted, errors = (
            sum(record[name] for record in served) for name in ("n", "accepted", "errors")
        )
        yield Guarantee(
            *key,
            runs=len(found),
            refused=len(found) - len(served),
            coverage=accepted / n if n else np.nan,
            reached=1 - errors / accepted if accepted else np.nan,
        )
