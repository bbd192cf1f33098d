"""Samples, and what the tests of model files have in common."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

from abstain import InputError, load, save

X, CLASSES = make_classification(
    240, 5, n_informative=4, n_redundant=0, n_classes=3, flip_y=0.15, random_state=0
)
Y = np.array(["ash", "beech", "cedar"])[CLASSES]


def round_trip(clf, path, **settings):
    save(clf, path)
    return load(path, **settings)


def same_bits(one, other):
    one, other = np.asarray(one), np.asarray(other)
    if one.dtype.hasobject:
        return one.tolist() == other.tolist()
    return (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())


def same_answers(clf, loaded, X=X):
    assert same_bits(loaded.thresholds_, clf.thresholds_)
    assert same_bits(loaded.cells_, clf.cells_)
    for method in ("predict", "certainties", "apply", "reject"):
        assert same_bits(getattr(loaded, method)(X), getattr(clf, method)(X))
    assert loaded.explain(X).equals(clf.explain(X))


def refused(call, *args, match, **settings):
    with pytest.raises(InputError, match=match) as caught:
        call(*args, **settings)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 1000
