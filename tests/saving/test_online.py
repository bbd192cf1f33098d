"""A reject option on a stream goes on after loading as if it had not been saved."""

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB

from abstain import Accuracy, InputError, OnlineRejectOption, RejectRate, save
from tests.saving.checks import round_trip, same_bits

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 2000)
X = 1.5 * Y[:, np.newaxis] + RNG.normal(size=(2000, 2))


def follow(clf, start, stop, size=90):
    for at in range(start, stop, size):
        clf.partial_fit(X[at : at + size], Y[at : at + size], classes=[0, 1])
    return clf


def same(one, other):
    for name in ("thresholds_", "cells_", "classes_"):
        assert same_bits(getattr(one, name), getattr(other, name))
    for method in ("predict", "reject", "certainties", "predict_correct_proba", "predict_proba"):
        assert same_bits(getattr(one, method)(X), getattr(other, method)(X))
    assert (one.n_seen_, one.n_drifts_) == (other.n_seen_, other.n_drifts_)


@pytest.mark.parametrize(
    "settings",
    [
        {"target": Accuracy(0.93)},
        {"target": RejectRate(0.2), "method": "exact", "half_life": np.inf},
        {"cells": "global", "certainty": "conf", "detect_drift": False, "reject_label": -1},
    ],
)
def test_what_is_loaded_goes_on_with_the_same_answers(settings, path):
    clf = follow(OnlineRejectOption(GaussianNB(), **settings), 0, 1000)
    loaded = round_trip(clf, path)
    same(clf, loaded)
    same(follow(clf, 1000, 2000), follow(loaded, 1000, 2000))
    if clf.monitor_ is not None:
        assert loaded.monitor_.to_dict() == clf.monitor_.to_dict()


def test_one_that_has_seen_nothing_yet_goes_on_too(path):
    clf = OnlineRejectOption(GaussianNB()).partial_fit(X[:90], Y[:90])
    loaded = round_trip(clf, path)
    same(follow(clf, 90, 500), follow(loaded, 90, 500))


def test_a_frozen_classifier_and_names_of_cells_are_kept(path):
    clf = OnlineRejectOption(FrozenEstimator(GaussianNB().fit(X, np.where(Y, "yes", "no"))))
    clf.fit(X, np.where(Y, "yes", "no"))
    same(clf, round_trip(clf, path))


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda tracker: setattr(tracker, "thresholds", np.zeros(9)), "thresholds are not of its"),
        (lambda tracker: tracker.cells.append(tracker.cells[0]), "all different"),
        (lambda tracker: setattr(tracker, "shift", np.inf), "tracker"),
        (lambda tracker: setattr(tracker, "drift", np.zeros((2, 2, 9, 5))), "shape"),
    ],
)
def test_what_no_stream_leaves_is_refused(change, match, path):
    clf = follow(OnlineRejectOption(GaussianNB()), 0, 500)
    change(clf._tracker)
    with pytest.raises(InputError, match=match) as caught:
        save(clf, path)
    assert "\n" not in str(caught.value)
