"""How accurate is each setting at a given reject rate, run by run, and how sure is the mean?

A run has a value at a reject rate only within the range of its own curve; rows that reject the same
share of its test samples are averaged.

Runs that share training samples are not independent. For folds and random splits the variance is
corrected after Nadeau and Bengio (2003): (1/k + test/train) in place of 1/k. Artificial samples are
drawn anew for each repeat, so that the means of the repeats are independent; if there is only one
repeat, its folds are used.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from abstain.metrics import AveragedCurve, average_curves
from abstain.metrics.curves import values_at
from abstain.study.experiments import PROBLEMS
from abstain.study.measuring import Record

Floats = NDArray[np.float64]
RunKey = tuple[int, int]  # repeat and split
Runs = dict[RunKey, float]
Where = Literal["at", "by", "within", "along"]

GRID = np.round(np.linspace(0.0, 0.9, 91), 2)
# Curves have a mean at the reject rates that at least this share of the runs reaches.
MIN_SHARE = 0.8
CONFIDENCE = 0.95
# A tenth of the samples is for testing, nine tenths are for training.
TEST_OVER_TRAIN = 1 / 9


class Setting(NamedTuple):
    """A data set, a classifier, how its thresholds are set, and the part they are applied to."""

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
    def _runs_of(self) -> dict[Setting, dict[RunKey, tuple[Floats, Floats]]]:
        runs: dict[Setting, dict[RunKey, tuple[Floats, Floats]]] = {}
        for record in self.records:
            if record["kind"] == "curve":
                key = record["repeat"], record["split"]
                runs.setdefault(_setting(record), {})[key] = _curve(record)
        return runs

    @property
    def settings(self) -> list[Setting]:
        """All settings that the study has run."""
        return list(self._runs_of)

    def has(self, *settings: Setting) -> bool:
        """Return whether the study has run these settings."""
        return all(setting in self._runs_of for setting in settings)

    def runs(self, setting: Setting) -> list[RunKey]:
        """Return repeat and split of all runs of a setting."""
        return list(self._runs_of[setting])

    def averaged(self, setting: Setting) -> AveragedCurve:
        """Return the mean curve, where at least 80% of the runs have a value."""
        return average_curves(list(self._runs_of[setting].values()), GRID, MIN_SHARE)

    def n_tested(self, setting: Setting) -> int:
        """Return how many different samples all runs were tested on."""
        sizes: dict[int, int] = {}
        for record in self.records:
            if record["kind"] == "curve" and _setting(record) == setting:
                sizes[record["repeat"]] = sizes.get(record["repeat"], 0) + record["n"]
        return (sum if has_independent_repeats(setting.set) else max)(sizes.values())

    def ends(self, setting: Setting) -> Runs:
        """Return the reject rate at which the curve of each run ends."""
        return {key: float(rates[-1]) for key, (_, rates) in self._runs_of[setting].items()}

    def share_that_ends_before(self, setting: Setting, rate: float) -> float:
        """Return the share of runs whose curve ends before a reject rate."""
        return float(np.mean([end < rate - 1e-9 for end in self.ends(setting).values()]))

    def at_no_rejects(self, setting: Setting) -> float:
        """Return the mean accuracy of all runs, without rejects."""
        return float(np.mean([values[0] for values, _ in self._runs_of[setting].values()]))

    def values(self, setting: Setting, rates: Floats, where: Where = "at") -> dict[RunKey, Floats]:
        """Return the accuracy of each run at reject rates.

        "at" a rate beyond the end of its curve, a run has no value (NaN); "by" or "within" it, the
        run has the accuracy at the end, whose thresholds reject every error that they were set on.
        Rates "along" a curve are shares of its range.
        """
        values = {}
        for key, (accuracies, known) in self._runs_of[setting].items():
            at = rates * known[-1] if where == "along" else rates
            at = at if where == "at" else np.minimum(at, known[-1])
            values[key] = values_at(at, accuracies, known)
        return values


def _setting(record: Record) -> Setting:
    return Setting(*(record[name] for name in Setting._fields))


def _curve(record: Record) -> tuple[Floats, Floats]:
    """Return accuracies and ascending reject rates."""
    accepted, errors = (np.array(record[name]) for name in ("accepted", "errors"))
    some = accepted > 0
    rates, group = np.unique(1 - accepted[some] / record["n"], return_inverse=True)
    accuracies = 1 - errors[some] / accepted[some]
    return np.bincount(group, weights=accuracies) / np.bincount(group), rates


def mean_per_run(values: dict[RunKey, Floats]) -> tuple[Runs, NDArray[np.bool_]]:
    """Return the mean of each run over the rates that enough runs reach, and which rates these are.

    At other rates a mean would compare different runs than elsewhere.
    """
    enough = np.mean([~np.isnan(run) for run in values.values()], axis=0) >= MIN_SHARE
    return {key: _nan_mean(run[enough]) for key, run in values.items()}, enough


def _nan_mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else np.nan


# --- intervals ----------------------------------------------------------------------------------


class Interval(NamedTuple):
    """A mean and its 95% confidence interval."""

    value: float
    low: float
    high: float


def has_independent_repeats(name: str) -> bool:
    """Return whether the samples of a data set are drawn anew for each repeat."""
    return PROBLEMS[name].kind == "artificial"


def interval(runs: Runs, *, independent_repeats: bool) -> Interval:
    """Return the mean over the runs that have a value, with its interval."""
    mean, error, n = _mean_and_error(runs, independent_repeats)
    if n < 2:
        return Interval(mean, -np.inf, np.inf)
    reach = float(t.ppf((1 + CONFIDENCE) / 2, n - 1)) * error
    return Interval(mean, mean - reach, mean + reach)


def p_value(runs: Runs, *, independent_repeats: bool) -> float:
    """Return the p-value of the hypothesis that the mean is 0."""
    mean, error, n = _mean_and_error(runs, independent_repeats)
    if n < 2 or error == 0:
        return 1.0 if mean == 0 else np.nan if n < 2 else 0.0
    return float(2 * t.sf(abs(mean) / error, n - 1))


def _mean_and_error(runs: Runs, independent_repeats: bool) -> tuple[float, float, int]:
    """Return the mean, its standard error and the number of values."""
    known = {key: value for key, value in runs.items() if not np.isnan(value)}
    if not known:
        return np.nan, np.nan, 0
    values: Floats = np.array(list(known.values()))
    overlap = TEST_OVER_TRAIN
    repeats = np.array([repeat for repeat, _ in known])
    if independent_repeats and len(np.unique(repeats)) > 1:
        values = np.array([values[repeats == repeat].mean() for repeat in np.unique(repeats)])
        overlap = 0.0
    n = len(values)
    error = np.sqrt((1 / n + overlap) * values.var(ddof=1)) if n > 1 else np.inf
    return float(values.mean()), float(error), n
