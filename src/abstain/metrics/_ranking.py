"""What is accepted as the threshold descends past one group of equal certainty after another.

The samples are ranked once, the surest first. The k-th group is the k-th largest distinct
certainty; accepting it means accepting all groups before it as well. Curves and scores are made of
cumulative weights at the end of each group, never within one: that makes them independent of the
order of tied rows.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._checks import check_real_vector
from abstain.metrics._samples import check_samples

__all__ = ["RankedSamples", "rank_samples"]


@dataclass(frozen=True, eq=False)
class RankedSamples:
    """The samples of positive weight, the surest first, and where their groups end.

    ``y_true``, ``y_pred`` and ``weights`` have one entry per sample; ``ends`` (one past the
    position of a group's last sample) and ``certainties`` (descending) one per group.
    """

    y_true: NDArray[Any]
    y_pred: NDArray[Any]
    weights: NDArray[np.float64]
    ends: NDArray[np.intp]
    certainties: NDArray[np.float64]

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Whether each sample's prediction equals its label."""
        return np.asarray(self.y_true == self.y_pred, dtype=np.bool_)

    @property
    def sizes(self) -> NDArray[np.intp]:
        """Number of samples in each group."""
        return np.diff(self.ends, prepend=0)

    def accepted_weight(self, marked: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
        """Return the weight of the (marked) samples accepted with each group."""
        weights = self.weights if marked is None else self.weights * marked
        return np.asarray(np.cumsum(weights)[self.ends - 1], dtype=np.float64)


def rank_samples(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    certainty: ArrayLike,
    sample_weight: ArrayLike | None = None,
) -> RankedSamples:
    """Check the aligned arrays and rank the samples by descending certainty."""
    certainty = check_real_vector("certainty", certainty)
    labels, predictions, weights = check_samples(y_true, y_pred, sample_weight, certainty=certainty)
    # A sample of weight zero is no sample: left in, it could make a group, and a row, of its own.
    counted = np.flatnonzero(weights)
    order = counted[np.argsort(-certainty[counted])]
    ranked = certainty[order]
    ends = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]) + 1, len(ranked))
    return RankedSamples(
        y_true=labels[order],
        y_pred=predictions[order],
        weights=weights[order],
        ends=ends,
        certainties=ranked[ends - 1],
    )
