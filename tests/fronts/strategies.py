"""Random calibration data: real-valued or tied certainties, several cells, one-sided ones too."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st


class Calibration(NamedTuple):
    certainty: np.ndarray
    correct: np.ndarray
    cells: np.ndarray


finite = st.floats(-100, 100, allow_nan=False)
tied = st.sampled_from([-np.inf, -2.0, -0.5, -0.0, 0.0, 0.25, 1.0, np.inf])


@st.composite
def calibrations(draw, max_size=14, max_cells=4, certainties=finite | tied):
    """Draw data of which half is tied: each data set keeps to one kind of certainty."""
    values = draw(st.sampled_from([finite, tied])) if certainties is None else certainties
    size = draw(st.integers(1, max_size))
    column = st.lists(st.integers(0, max_cells - 1), min_size=size, max_size=size)
    cells = np.array(draw(column))
    correct = np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    one_sided = draw(st.sampled_from(["none", "right", "wrong"]))
    if one_sided != "none":
        correct[cells == cells[0]] = one_sided == "right"
    certainty = draw(st.lists(values, min_size=size, max_size=size))
    return Calibration(np.array(certainty, dtype=float), correct, cells)


def half_tied(**kwargs):
    return calibrations(certainties=None, **kwargs)


def synthetic(n_samples, n_cells, *, decimals=None, seed=0):
    """Draw a larger data set: errors get rarer with certainty, at another rate in each cell."""
    rng = np.random.default_rng(seed)
    certainty = rng.random(n_samples)
    cells = rng.integers(0, n_cells, n_samples)
    rate = rng.uniform(0.5, 3.0, n_cells)[cells]
    correct = rng.random(n_samples) > 0.3 * np.exp(-2.0 * rate * certainty)
    if decimals is not None:
        certainty = certainty.round(decimals)
    return Calibration(certainty, correct, cells)
