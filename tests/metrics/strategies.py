"""Small samples with everything that makes metrics hard: ties, zero weights, infinities."""

from itertools import product
from typing import NamedTuple

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

# The same examples on every run and every machine.
law = settings(derandomize=True, database=None)

LABELS = ["ant", "bee", "cat"]
# Few values, so that most are tied.
CERTAINTIES = [0.0, -0.0, 0.25, 0.5, 2.0, -1.5, np.inf, -np.inf]
# Sums of these are exact: results must not differ in the last digit either.
WEIGHTS = [1.0, 0.0, 0.25, 0.5, 3.0]
INTEGER_WEIGHTS = [1, 0, 2, 3]


class Samples(NamedTuple):
    y_true: np.ndarray
    y_pred: np.ndarray
    certainty: np.ndarray
    rejected: np.ndarray
    weights: np.ndarray

    @property
    def pos_label(self):
        """A label that is sure to occur: the first weight is never zero."""
        return self.y_true[0]

    def take(self, rows):
        return Samples(*(column[rows] for column in self))


def rows(weights, **size):
    """Draw whole rows at once, which is much faster than one draw for every cell."""
    possible = list(product(LABELS, LABELS, CERTAINTIES, [False, True], weights))
    return st.lists(st.sampled_from(possible), **size).map(as_samples)


def as_samples(rows):
    return Samples(*(np.array(column) for column in zip(*rows, strict=True)))


def samples(weights=WEIGHTS, min_size=1):
    return rows(weights, min_size=min_size, max_size=15).map(with_weight_in_first_row)


def with_weight_in_first_row(s):
    return s._replace(weights=np.append(max(s.weights[0], 1), s.weights[1:]))
