"""Histograms of a stream, sample by sample: slow, and obviously right."""

import numpy as np


def decayed_sums(blocks, edges, half_life, n_cells):
    """Return seen, right and wrong by cell and bin, from the age of each sample.

    A block is certainty, cells, and correctness, which is None where no label is known.
    """
    sums = np.zeros((3, n_cells, len(edges)))
    n_later = 0
    for certainty, cells, correct in reversed(blocks):
        for value, cell, is_right in zip(certainty, cells, correct, strict=True):
            column = max(sum(edge <= value for edge in edges) - 1, 0)
            weight = 2.0 ** (-n_later / half_life)
            sums[0, cell, column] += weight
            if is_right is not None:
                sums[1 if is_right else 2, cell, column] += weight
        n_later += len(certainty)
    return sums
