"""How accurate is each way to reject at a given reject rate, run by run?

A run has a value at a reject rate within the range of its own curve only; rows that reject the same
share of its test samples are averaged.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.metrics import AveragedCurve, average_curves
from abstain.metrics.averaging import values_at
from abstain.study.measuring import Record

__all__ = ["GRID", "MIN_SHARE", "Curves", "Way", "mean_of_known"]

Floats = NDArray[np.float64]

GRID = np.round(np.linspace(0.0, 0.9, 91), 2)
# A reject rate counts where so many of the runs have a value.
MIN_SHARE = 0.8


class Way(NamedTuple):
    """A classifier and how its thresholds were set; what it is tried on."""

    set: str
    model: str
    cells: str = "global"
    source: str = "training"
    method: str = "exact"
    min_cell_size: int = 1
    part: str = "test"


@dataclass(frozen=True, eq=False)
class Curves:
    """All curves of a study."""

    records: list[Record]

    @cached_property
    def _of_way(self) -> dict[Way, dict[tuple[int, int], tuple[Floats, Floats]]]:
        found: dict[Way, dict[tuple[int, int], tuple[Floats, Floats]]] = {}
        for record in self.records:
            if record["kind"] == "curve":
                way = Way(*(record[name] for name in Way._fields))
                key = record["repeat"], record["split"]
                found.setdefault(way, {})[key] = _curve(record)
        return found

    @property
    def ways(self) -> list[Way]:
        """All ways that the study has run."""
        return list(self._of_way)

    def has(self, *ways: Way) -> bool:
        """Tell whether the study has run these ways."""
        return all(way in self._of_way for way in ways)

    def runs(self, way: Way) -> list[tuple[int, int]]:
        """Return repeat and split of all runs of a way."""
        return list(self._of_way[way])

    def averaged(self, way: Way) -> AveragedCurve:
        """Return the mean curve, where at least 80 % of the runs have a value."""
        return average_curves(list(self._of_way[way].values()), GRID, MIN_SHARE)

    def n_tested(self, way: Way, *, drawn_anew: bool) -> int:
        """Return how many different samples all runs were tested on."""
        sizes: dict[int, int] = {}
        for record in self.records:
            if record["kind"] == "curve" and Way(*(record[name] for name in Way._fields)) == way:
                sizes[record["repeat"]] = sizes.get(record["repeat"], 0) + record["n"]
        return sum(sizes.values()) if drawn_anew else max(sizes.values())

    def ends(self, way: Way) -> dict[tuple[int, int], float]:
        """Return the reject rate at which the curve of each run ends."""
        return {key: float(rates[-1]) for key, (_, rates) in self._of_way[way].items()}

    def share_that_ends_before(self, way: Way, rate: float) -> float:
        """Return the share of runs whose curve ends before a reject rate."""
        return float(np.mean([end < rate - 1e-9 for end in self.ends(way).values()]))

    def at_no_rejects(self, way: Way) -> float:
        """Return the mean accuracy of all runs, without rejects."""
        return float(np.mean([values[0] for values, _ in self._of_way[way].values()]))

    def values(self, way: Way, rates: Floats) -> dict[tuple[int, int], Floats]:
        """Return the accuracy of each run at the reject rates; NaN beyond its range."""
        return {key: _at(curve, rates) for key, curve in self._of_way[way].items()}

    def values_within(self, way: Way, rates: Floats) -> dict[tuple[int, int], Floats]:
        """Return the same; beyond the range of a run, the accuracy at its end.

        There every error that the thresholds were set on is rejected: nothing more is asked for.
        """
        return {
            key: _at(curve, np.minimum(rates, curve[1][-1]))
            for key, curve in self._of_way[way].items()
        }

    def values_along(self, way: Way, shares: Floats) -> dict[tuple[int, int], Floats]:
        """Return the accuracy of each run at shares of the range of its own curve."""
        return {
            key: _at(curve, np.minimum(shares * curve[1][-1], curve[1][-1]))
            for key, curve in self._of_way[way].items()
        }


def mean_of_known(values: Floats) -> float:
    """Return the mean of what there is."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else np.nan


def _at(curve: tuple[Floats, Floats], rates: Floats) -> Floats:
    return values_at(rates, *curve)


def _curve(record: Record) -> tuple[Floats, Floats]:
    accepted, errors = (np.array(record[name]) for name in ("accepted", "errors"))
    some = accepted > 0
    rates, group = np.unique(1 - accepted[some] / record["n"], return_inverse=True)
    accuracies = 1 - errors[some] / accepted[some]
    return np.bincount(group, weights=accuracies) / np.bincount(group), rates
