"""Which samples are surely no outliers?

Nearly all samples are none, and single precision is enough to know it of most of them: in half of
the memory, and with half of the operations. The others are decided in double precision, so that no
decision depends on rounding.

Let c = x − m be the centred features, computed with a rounding error of u = 2⁻²⁴ for each
operation, z their standardized values, p their number, and M the norm of m in standard deviations.
With K ≤ 16 components,

    | computed d² − d² | ≤ u ((9 p + 60) ‖z‖² + 2 M²) / σ²,

from ‖z‖² / σ² ≥ ‖U z‖², the bounds of sums of p products, and an error of at most 2 u (‖z‖ + M)
in z. The screen takes `SLACK` (p + 8) and M² times as much. Values that are rounded onto a limit
may lie beyond it. Where known values lie there, as many may, and double precision decides.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abstain.certainty.outlier_scores import Floats, Known

Singles = NDArray[np.float32]

UNIT = 2.0**-24
SLACK = 16
# Values that are compared at once: they fit into a fast cache.
BLOCK = 1 << 17
# Rows of few features are joined: operations on so many values at once are fast.
JOINED = 1 << 10
# Squares of larger or smaller deviations, or errors of means so many deviations away, are too
# large for single precision.
LARGEST_SCALE, FARTHEST_MEAN = 1e12, 1e3


@dataclass(frozen=True, eq=False)
class OutlierScreen:
    """The limits of samples that are no outliers.

    ``low`` and ``high`` are the least and the largest values of each feature, ``most`` is the
    largest d².
    """

    known: Known
    low: Floats
    high: Floats
    most: float

    @cached_property
    def is_precise(self) -> bool:
        """Whether single precision can tell anything."""
        scale = self.known.scale
        is_usual = (scale < LARGEST_SCALE) & (scale > 1 / LARGEST_SCALE)
        return bool(is_usual.all() and self._mean_norm < FARTHEST_MEAN)

    @property
    def _mean_norm(self) -> float:
        return float(np.linalg.norm(self.known.mean * self.known.factor))

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
        mean, weights, components, most = self._distance
        centred = joined.astype(np.float32)
        centred -= mean
        is_outside = self._is_outside(joined, centred)
        n_features = len(weights)
        projected = centred.reshape(-1, n_features) @ components
        centred *= centred
        squares = centred.reshape(-1, n_features) @ weights
        squares -= np.einsum("ij,ij->i", projected, projected)
        may_be = ~(squares < most)  # nothing is known of a missing value
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
    def _distance(self) -> tuple[Singles, Singles, Singles, float]:
        """The mean, weights of squares, components; and the largest sum of sure inliers."""
        known = self.known
        slack = 1 + SLACK * (len(known.mean) + 8) * UNIT
        weights = known.factor**2 * (slack / known.variance)
        components = known.factor[:, np.newaxis] * known.components
        most = self.most - SLACK * UNIT * self._mean_norm**2 / known.variance
        return _singles(self._joined(known.mean)), _singles(weights), _singles(components), most

    @property
    def _n_joined(self) -> int:
        return max(1, JOINED // len(self.known.mean))

    def _joined(self, values: Floats) -> Floats:
        return np.tile(values, self._n_joined)


def _singles(values: Floats) -> Singles:
    with np.errstate(over="ignore"):
        return values.astype(np.float32)
