"""The synthetic steroid data have the shape of the private ones."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedShuffleSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import InputError
from abstain.datasets import make_steroid_like
from abstain.models import GMLVQ


@pytest.mark.parametrize("random_state", [0, 1, np.random.RandomState(2), None])
def test_the_shape_is_that_of_the_paper(random_state):
    X, y = make_steroid_like(random_state=random_state)
    assert X.shape == (147, 32)
    assert np.bincount(y).tolist() == [102, 45]
    assert np.isnan(X).sum() == 56
    assert not np.isinf(X).any()
    assert (np.sum(~np.isnan(X), axis=0) > 100).all()
    assert np.sum(np.diff(y) != 0) > 20  # in random order


def test_one_seed_draws_one_sample():
    (first_X, first_y), (again_X, again_y) = (make_steroid_like(random_state=1) for _ in range(2))
    other_X, other_y = make_steroid_like(random_state=2)
    np.testing.assert_array_equal(first_X, again_X)
    np.testing.assert_array_equal(first_y, again_y)
    assert not np.array_equal(first_y, other_y)
    assert not np.array_equal(first_X, other_X, equal_nan=True)


def test_markers_follow_the_formula():
    draws = [make_steroid_like(random_state=i) for i in range(200)]
    X, y = map(np.concatenate, zip(*draws, strict=True))
    marker = np.arange(32)
    waves = np.cos(np.pi * np.outer(np.arange(1, 5), marker + 0.5) / 32)
    stds = np.sqrt(0.8**2 * (waves**2).sum(axis=0) + 0.6**2)
    for label, mean, scale in [(0, 0, 1), (1, 1.3 * 0.9**marker, 1.5)]:
        points = X[y == label]
        error = 5 * scale * stds / np.sqrt(len(points))
        assert (abs(np.nanmean(points, axis=0) - mean) < error).all()
        assert np.nanstd(points, axis=0) == pytest.approx(scale * stds, rel=0.06)


def test_the_classes_overlap_little():
    X, y = make_steroid_like(random_state=0)
    splits = StratifiedShuffleSplit(8, test_size=0.1, random_state=0)
    scores = cross_val_score(make_pipeline(StandardScaler(), GMLVQ()), X, y, cv=splits)
    assert scores.mean() == pytest.approx(0.9, abs=0.06)


def test_a_seed_that_is_none_is_refused():
    with pytest.raises(InputError, match=r"random_state must be an int from 0 .*, got 'seed'"):
        make_steroid_like(random_state="seed")
