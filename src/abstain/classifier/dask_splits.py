"""Which samples of each block of Dask collections test, and which tell what an outlier is?

As many as on one machine, and the same share of every block, drawn by a seed and the number of the
block: with h of n in all, ⌊h b / n⌋ − ⌊h a / n⌋ of a block whose rows go from a up to b.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from abstain._core.errors import InputError
from abstain._scale.blocks import row_chunks
from abstain._scale.computing import reduce_blocks
from abstain._scale.graphs import Blocks, map_blocks
from abstain.certainty.outliers import MAX_KNOWN
from abstain.classifier.holding_out import n_telling_outliers
from abstain.targets import Target
from abstain.targets.base import CertifyingTarget, certifies


class Drawn(NamedTuple):
    """The samples of a block in random order: those held out come first, then those known."""

    seed: int
    number: int
    n_held: int
    n_known: int

    def order(self, n_samples: int) -> NDArray[np.int64]:
        """Return the positions of the samples."""
        return np.random.default_rng([self.seed, self.number]).permutation(n_samples)

    def held(self, n_samples: int) -> NDArray[np.int64]:
        """Return the positions of those held out; ascending."""
        return np.sort(self.order(n_samples)[: self.n_held])

    def others(self, n_samples: int) -> NDArray[np.int64]:
        """Return the positions of all others; ascending."""
        return np.sort(self.order(n_samples)[self.n_held :])

    def known(self, n_samples: int) -> NDArray[np.int64]:
        """Return the positions of those that tell outliers."""
        return self.order(n_samples)[self.n_held : self.n_held + self.n_known]


class BlockSplit(NamedTuple):
    """What each block holds out to test, and to tell outliers.

    With one threshold, all but those that tell outliers set it and test.
    """

    drawn: list[Drawn]
    is_one_threshold: bool

    @property
    def has_known(self) -> bool:
        """Whether any samples tell outliers."""
        return any(each.n_known for each in self.drawn)


def split_blocks(
    target: Target,
    test_size: Callable[[CertifyingTarget, int], float],
    tells_outliers: bool,
    random_state: Any,
    sizes: list[int],
) -> BlockSplit:
    """Draw the samples of each block; ``tells_outliers``: some are to be known.

    Without a target that certifies, and with one that learns thresholds, all that learn are known,
    or `MAX_KNOWN` of them.
    """
    n_samples, n_held, is_one_threshold = sum(sizes), 0, False
    if not n_samples:
        raise InputError("X must hold at least one sample, got 0")
    if certifies(target):
        share = test_size(target, n_samples)
        is_one_threshold = share == 1
        n_held = 0 if is_one_threshold else round(share * n_samples)
        if n_held == n_samples:
            raise InputError(f"{target} leaves none of {n_held:,} samples to set thresholds on")
    held = block_shares(sizes, n_held)
    others = [size - n_out for size, n_out in zip(sizes, held, strict=True)]
    n_known = sum(others)
    if is_one_threshold:
        assert certifies(target)
        n_known = n_telling_outliers(target, n_samples)
    known = block_shares(others, min(n_known, MAX_KNOWN) if tells_outliers else 0)
    # Reproducible without a seed where any samples will do.
    if random_state is None and not n_held:
        random_state = 0
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    drawn = [Drawn(seed, *each) for each in zip(range(len(sizes)), held, known, strict=True)]
    return BlockSplit(drawn, is_one_threshold)


def block_sizes(X: Any, blocks: Blocks) -> list[int]:
    """Return how many samples each block has; those that Dask does not know are computed."""
    sizes = row_chunks(X)
    if not any(size != size for size in sizes):
        return [int(size) for size in sizes]
    return computed_sizes(map_blocks(_size, blocks))


def computed_sizes(parts: list[Any]) -> list[int]:
    """Return the sizes that delayed objects compute, a list for each block."""
    sizes: list[int] = reduce_blocks(_join, parts)
    return sizes


def _size(X: Any, y: Any) -> list[int]:
    return [X.shape[0]]


def _join(parts: Sequence[list[int]]) -> list[int]:
    return [size for part in parts for size in part]


def block_shares(sizes: Sequence[int], n_drawn: int) -> list[int]:
    """Return how many samples of each block are drawn: so many in all, spread evenly."""
    total = sum(sizes)
    # In integers: sums of a share lose digits.
    ends = [n_drawn * end // total for end in np.cumsum([0, *sizes]).tolist()]
    return [end - begin for begin, end in pairwise(ends)]
