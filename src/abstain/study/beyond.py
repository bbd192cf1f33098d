"""What do thresholds change that the paper does not have?

The paper sets thresholds on the training part, for as many cells as there are prototypes. Here they
are also set on out-of-fold answers and by the pooled front, and small cells share a threshold. The
second question is whether new samples have the accuracy that was requested: with thresholds that
just reach it on the samples that they are set on, and with thresholds tested on other samples.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from abstain.study.curves import MIN_SHARE, Curves, Way, mean_of_known
from abstain.study.intervals import interval
from abstain.study.measuring import SMALL_CELLS, Record
from abstain.study.problems import PROBLEMS

__all__ = ["Change", "Guarantee", "compare_options", "count_guarantees"]

# Where curves are compared: the reject rates that users ask for.
RATES = np.round(np.arange(0.01, 0.205, 0.01), 2)


class Change(NamedTuple):
    """What a way to set thresholds changes.

    ``difference`` is the mean difference of accuracies at 1 to 20 % rejects, as far as the curves
    of both go in at least 80 % of the runs; NaN where they do not. ``end_before`` and ``end`` are
    the mean reject rates at which the curves end: thresholds that are set on few errors reject
    little.
    """

    set: str
    model: str
    change: str
    runs: int
    end_before: float
    end: float
    difference: float
    low: float
    high: float


class Guarantee(NamedTuple):
    """What became of an accuracy that was asked for.

    Counted over the runs that were tried in all ways. ``coverage`` is the share of test samples
    that are answered, in a run whose target was refused none; ``answers`` how many these are, and
    ``reached`` the share of them that are right.
    """

    set: str
    source: str
    accuracy: float
    runs: int
    refused: int
    coverage: float
    answers: int
    reached: float


def compare_options(curves: Curves) -> Iterator[Change]:
    """Yield what each other way changes, run by run."""
    for way in curves.ways:
        for change, other in _others(way):
            if way.part == "test" and way.method == "exact" and curves.has(other):
                yield _change(curves, way, other, change)


def _change(curves: Curves, way: Way, other: Way, change: str) -> Change:
    theirs, ours = (curves.values(each, RATES) for each in (way, other))
    differences = {key: ours[key] - theirs[key] for key in ours if key in theirs}
    shares = np.mean([~np.isnan(values) for values in differences.values()], axis=0)
    runs = {key: mean_of_known(values[shares >= MIN_SHARE]) for key, values in differences.items()}
    before, after = (
        float(np.mean([curves.ends(each)[key] for key in differences])) for each in (way, other)
    )
    found = interval(runs, drawn_anew=PROBLEMS[way.set].kind == "artificial")
    return Change(way.set, way.model, change, len(runs), before, after, *found)


def _others(way: Way) -> Iterator[tuple[str, Way]]:
    """Yield what a way is compared with."""
    if way.min_cell_size > 1:
        return
    if way.source == "training":
        yield f"out of fold, {way.cells}", way._replace(source="out of fold")
    if way.cells == "global":
        yield f"local, {way.source}", way._replace(cells="local")
        yield f"pooled, {way.source}", way._replace(cells="local", method="pooled")
    else:
        for size in SMALL_CELLS:
            yield f"min_cell_size={size}, {way.source}", way._replace(min_cell_size=size)


def count_guarantees(records: list[Record]) -> Iterator[Guarantee]:
    """Yield the counts over the runs of each set."""
    ways: dict[tuple[str, str, float], dict[tuple[int, int], Record]] = {}
    for record in records:
        if record["kind"] == "target":
            way = record["set"], record["source"], record["accuracy"]
            ways.setdefault(way, {})[record["repeat"], record["split"]] = record
    for way, runs in ways.items():
        others = [known for other, known in ways.items() if other[0] == way[0]]
        shared = [record for run, record in runs.items() if all(run in known for known in others)]
        served = [record for record in shared if not record["is_refused"]]
        # What was refused has answered nothing.
        n, accepted, errors = (
            sum(record[name] for record in shared) for name in ("n", "accepted", "errors")
        )
        yield Guarantee(
            *way,
            runs=len(shared),
            refused=len(shared) - len(served),
            coverage=accepted / n if n else np.nan,
            answers=accepted,
            reached=1 - errors / accepted if accepted else np.nan,
        )
