"""Which samples are surely no outliers?

Nearly all samples are none, and single precision is enough to know it of most of them: in half of
the memory, and with half of the operations. The others are decided in double precision, so that no
decision depends on rounding.

Let c = x − m be the centred features, computed with a rounding error of u = 2⁻²⁴ for each
operation, and w the weights of a residual of p features, for which wᵀ c is computed. Inside the
limits of values, |c_i| ≤ B_i, so that its error is at most

    u Σ_i |w_i| ((p + 4) B_i + 2 |m_i|),

from the bound of a sum of p products, and the errors of x, m, c and w. The screen takes `SLACK`
times as much. Values that are rounded onto a limit may lie beyond it. Where known values lie there,
as many may, and double precision decides.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abstain.certainty.outlier_scores import Floats, Known

Singles = NDArray[np.float32]

UNIT = 2.0**-24
SLACK = 4
# Values that are compared at once: they fit into a fast cache.
BLOCK = 1 << 17
# Rows of few features are joined: operations on so many values at once are fast.
JOINED = 1 << 10
# Larger or smaller deviations, or their reciprocals, may not be numbers of single precision.
LARGEST_SCALE = 1e12


@dataclass(frozen=True, eq=False)
class OutlierScreen:
    """The limits of samples that are no outliers.

    ``low`` and ``high`` are the least and the largest values of each feature, ``most`` is the
    largest residual.
    """

    known: Known
    low: Floats
    high: Floats
    most: float

    @cached_property
    def is_precise(self) -> bool:
        """Whether single precision can tell anything."""
        scale = self.known.scale
        return bool(((scale < LARGEST_SCALE) & (scale > 1 / LARGEST_SCALE)).all())

    def may_be_outliers(self, samples: Floats) -> NDArray[np.bool_]:
        """Return False for samples that are surely none."""
        may_be = np.ones(len(samples), dtype=np.bool_)
        if self.is_precise:
            n_joined, n_features = self._n_joined, samples.shape[1]
            n_rows = n_joined * max(1, BLOCK // (n_joined * n_features))
            with np.errstate(over="ignore", invalid="ignore"):
                # The last few rows cannot be joined.
                for start in range(0, len(samples) - n_joined + 1, n_rows):
                    block = samples[start : start + n_rows]
                    rows = slice(start, start + len(block) // n_joined * n_joined)
                    may_be[rows] = self._may_be(samples[rows].reshape(-1, n_joined * n_features))
        return may_be

    def _may_be(self, joined: Floats) -> NDArray[np.bool_]:
        centred = joined.astype(np.float32)
        centred -= self._mean
        is_outside = self._is_outside(joined, centred)
        n_features = len(self.known.mean)
        rows = centred.reshape(-1, n_features)
        may_be = np.zeros(len(rows), dtype=np.bool_)
        for own, weights in self._residuals:
            residuals = weights @ rows[:, own].T  # maxima of columns are faster than of rows
            np.abs(residuals, out=residuals)
            may_be |= ~(residuals.max(axis=0) <= 1)  # nothing is known of a missing value
        may_be[np.flatnonzero(is_outside) // n_features] = True
        return may_be

    def _is_outside(self, joined: Floats, centred: Singles) -> NDArray[np.bool_]:
        ends = self._ends
        if ends is None:
            return (joined < self._joined(self.low)) | (joined > self._joined(self.high))
        is_outside = centred < ends[0]
        is_outside |= centred > ends[1]
        return is_outside

    @cached_property
    def _ends(self) -> tuple[Singles, Singles] | None:
        """The ends of centred features, a little inside; None if known values may lie there."""
        known = self.known
        limits = np.abs([self.low, self.high, known.mean])
        margin = 8 * UNIT * np.where(np.isfinite(limits), limits, 0).max(axis=0)
        lowest, highest = known.center - known.below, known.center + known.above
        if not ((lowest - self.low > 2 * margin) & (self.high - highest > 2 * margin)).all():
            return None
        low, high = self.low - known.mean + margin, self.high - known.mean - margin
        return _singles(self._joined(low)), _singles(self._joined(high))

    @cached_property
    def _mean(self) -> Singles:
        return _singles(self._joined(self.known.mean))

    @cached_property
    def _residuals(self) -> list[tuple[slice, Singles]]:
        """The weights of the residuals of each block, relative to the largest of sure inliers."""
        known, blocks = self.known, []
        reach = np.maximum(np.abs(self.low - known.mean), np.abs(self.high - known.mean))
        for own in known.blocks:
            n_features = own.stop - own.start
            weights = known.weights[own, :n_features].T * known.factor[own]
            errors = (n_features + 4) * reach[own] + 2 * np.abs(known.mean[own])
            most = self.most - SLACK * UNIT * np.abs(weights) @ errors
            most[~(most > 0)] = np.nan
            blocks.append((own, _singles(weights / most[:, np.newaxis])))
        return blocks

    @property
    def _n_joined(self) -> int:
        return max(1, JOINED // len(self.known.mean))

    def _joined(self, values: Floats) -> Floats:
        return np.tile(values, self._n_joined)


def _singles(values: Floats) -> Singles:
    with np.errstate(over="ignore"):
        return values.astype(np.float32)
