"""How do the staircases of samples come about that only Dask can hold?

Both passes of `chunked` run where the blocks are, and their results are merged in trees. Each pass
asks for the blocks anew: whoever makes them at some cost, and has the memory, persists them before.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

from abstain._dask import (
    aligned_blocks,
    block_by_block,
    gathered,
    later,
    merged_where_made,
)
from abstain.fronts.chunked import count_right, gather_errors, join, merge_errors, merge_right
from abstain.fronts.staircases import Staircases

__all__ = ["build_staircases_on_dask"]


def build_staircases_on_dask(certainty: Any, correct: Any, cells: Any = None) -> Staircases:
    """Return the staircases of Dask arrays that are chunked alike."""
    blocks = aligned_blocks(certainty=certainty, correct=correct, cells=cells)
    found = block_by_block(gather_errors, blocks)
    # Kept on the cluster, and made again there if it is lost.
    errors = merged_where_made(merge_errors, found)
    right = block_by_block(count_right, blocks, errors)
    found_steps: Staircases = gathered(later(join, errors, merged_where_made(merge_right, right)))
    return found_steps
