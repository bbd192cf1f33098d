"""Which samples of Dask collections tell what an outlier is, and how many are outliers?

Only the features of the known samples come to the client, where the detector is fitted as on one
machine. Workers find the outliers with it, and what comes back are counts.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from abstain._core.sklearn_private import take_rows
from abstain._scale.computing import compute, persist
from abstain._scale.graphs import Blocks, map_blocks
from abstain.certainty.outliers import OutlierDetector, fit_outlier_detector, numbers_of
from abstain.certainty.outputs import Outputs
from abstain.classifier.calibrate import Calibration
from abstain.classifier.dask_splits import Drawn
from abstain.targets.operating import SampleCounts


def fit_detector_on_dask(
    estimator: Any, blocks: Blocks, drawn: Sequence[Drawn], rate: float
) -> OutlierDetector | None:
    """Return a detector of samples unlike those that are known; None if there can be none."""
    own = [(X, *each) for (X, _), each in zip(blocks, drawn, strict=True)]
    # Persisted first: an error then names the block.
    known = _join(compute(persist(map_blocks(_known_samples, own, estimator))))
    if not known or any(samples is None for samples, _ in known):
        return None
    detector, _ = fit_outlier_detector(np.concatenate([samples for samples, _ in known]), rate)
    return None if detector is None else replace(detector, columns=known[0][1])


def _known_samples(estimator: Any, X: Any, *drawn: int) -> list[Any]:
    rows = Drawn(*drawn).known(X.shape[0])
    return [numbers_of(Outputs(estimator, take_rows(X, rows)).samples)] if len(rows) else []


def _join(parts: Sequence[list[Any]]) -> list[Any]:
    return [each for part in parts for each in part]


# --- counts ---------------------------------------------------------------------------------------


class OutlierCounts(NamedTuple):
    """Inliers of each block, and outliers of all, of which some are answered wrongly."""

    inliers: list[int]
    n_outliers: int
    n_wrong: int

    @classmethod
    def of(cls, known: Calibration) -> OutlierCounts:
        """Count the samples of one block."""
        outlier = np.zeros(len(known.correct), np.bool_) if known.outlier is None else known.outlier
        n_outliers = int(outlier.sum())
        n_wrong = int((outlier & ~known.correct).sum())
        return cls([len(outlier) - n_outliers], n_outliers, n_wrong)

    @classmethod
    def merge(cls, parts: Sequence[OutlierCounts]) -> OutlierCounts:
        """Return the counts of several blocks."""
        inliers, n_outliers, n_wrong = zip(*parts, strict=True)
        return cls(_join(inliers), sum(n_outliers), sum(n_wrong))

    @property
    def rejected(self) -> SampleCounts | None:
        """The outliers, all of which are rejected; None if there are none."""
        if not self.n_outliers:
            return None
        n_right = self.n_outliers - self.n_wrong
        return SampleCounts(self.n_outliers, self.n_wrong, self.n_wrong, n_right)
