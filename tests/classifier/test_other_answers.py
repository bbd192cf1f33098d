"""Moving between costs equals a fit with the others: answers, thresholds, cells and counts."""

from copy import copy
from itertools import permutations

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from abstain import (
    RSLVQ,
    Accuracy,
    ExpectedCost,
    InputError,
    Recall,
    RejectCost,
    RejectOptionClassifier,
    RejectRate,
    load,
    save,
)
from abstain.certainty import MEASURES
from abstain.certainty.measures import certainty_of
from abstain.certainty.outputs import Outputs
from abstain.classifier import other_answers
from tests.saving.forging import forge, without_unused_arrays

CODES = make_classification(
    400, 6, n_informative=4, n_classes=3, weights=[0.6, 0.3], flip_y=0.1, random_state=0
)
X, Y = CODES[0], np.array(["ash", "elm", "oak"])[CODES[1]]
COSTS = np.array([[0, 1, 1], [5, 0, 2], [20, 8, 0]])
TARGETS = [
    RejectRate(0.2),
    ExpectedCost(COSTS, 0.6),
    ExpectedCost(COSTS.T, 0.4),
    ExpectedCost(COSTS, 0.6, answers="predicted"),
]
FIT, CALIBRATE = slice(None, 200), slice(200, None)


def first_feature(model, X):
    return X[:, 0]


def side(model, X):
    return X[:, 1] > 0


def clusters():
    return KMeans(3, n_init=1, random_state=0)


def assert_same(clf, other):
    assert clf.cells_.tolist() == other.cells_.tolist()
    assert np.array_equal(clf.thresholds_, other.thresholds_)
    assert repr(clf.operating_point_) == repr(other.operating_point_)
    for mine, others in zip(clf.decide(X), other.decide(X), strict=True):
        assert np.array_equal(mine, others, equal_nan=mine.dtype.kind == "f")
    for mine, others in zip(clf.calibration_, other.calibration_, strict=True):
        assert repr(mine) == repr(others)


def assert_moving_is_fitting(clf, targets=TARGETS[:3], data=(X[CALIBRATE], Y[CALIBRATE])):
    fits = [copy(clf).set_params(target=target).fit(*data) for target in targets]
    for start, end in permutations(range(len(targets)), 2):
        moved = copy(fits[start]).retarget(targets[end])
        assert_same(moved, fits[end])
        assert_same(moved.retarget(targets[start]), fits[start])


LINEAR = LogisticRegression()
PROTOTYPES = RSLVQ(sigma2=1, random_state=0)
TREE = DecisionTreeClassifier(max_depth=4, random_state=0)
CASES = [
    *[(LINEAR, certainty, "class") for certainty in ("conf", "logit", "margin", "decision")],
    *[(LINEAR, certainty, "global") for certainty in ("entropy", "boundary", "logit")],
    (LINEAR, "logit", clusters()),
    (LINEAR, "conf", side),
    (LINEAR, first_feature, "class"),
    (GaussianNB(), "auto", "auto"),
    *[(PROTOTYPES, certainty, "prototype") for certainty in ("logit", "relsim", "distance")],
    *[(TREE, certainty, "leaf") for certainty in ("conf", "logit", "margin", "entropy")],
    (TREE, "conf", "class"),
    (CalibratedClassifierCV(SVC(), ensemble=False, cv=2), "pairwise", "class"),
]


@pytest.mark.parametrize(("model", "certainty", "cells"), CASES)
def test_moving_between_costs_is_fitting_with_them(model, certainty, cells):
    settings = {"certainty": certainty, "cells": cells, "random_state": 0}
    assert_moving_is_fitting(RejectOptionClassifier(model, cv=3, **settings))
    prior = {"class_prior": {"oak": 0.03}}
    assert_moving_is_fitting(RejectOptionClassifier(model, cv=3, **settings, **prior))
    frozen = FrozenEstimator(model.fit(X[FIT], Y[FIT]))
    assert_moving_is_fitting(RejectOptionClassifier(frozen, **settings))


@pytest.mark.parametrize(("model", "cells"), [(LINEAR, "class"), (TREE, "leaf")])
def test_so_it_is_with_a_trust_score_that_each_fold_fits(model, cells):
    clf = RejectOptionClassifier(model, certainty="trust", cells=cells, cv=3, random_state=0)
    assert_moving_is_fitting(clf)


@pytest.mark.parametrize("method", ["exact", "hull", "greedy"])
@pytest.mark.parametrize("n_samples", [25, 300])  # few: no cell has a threshold of its own
def test_so_it_is_with_other_methods(method, n_samples):
    clf = RejectOptionClassifier(GaussianNB(), method=method, cv=3, random_state=0)
    some = CALIBRATE.start + n_samples
    assert_moving_is_fitting(clf, data=(X[200:some], Y[200:some]))


def test_so_it_is_where_a_fold_does_not_know_a_class():
    labels = np.where(np.arange(len(Y)) == 200, "yew", Y)
    cheap = np.ones((4, 4)) - np.eye(4)
    cheap[:, 3] = 0.1  # whatever is true, this answer costs little
    clf = RejectOptionClassifier(LINEAR, cv=3, random_state=0)
    targets = [RejectCost(0.2), ExpectedCost(cheap, 0.3)]
    assert_moving_is_fitting(clf, targets, (X[CALIBRATE], labels[CALIBRATE]))


def test_so_it_is_where_the_prediction_is_not_the_most_probable_class():
    Z, binary = make_classification(500, weights=[0.8], flip_y=0.1, random_state=0)
    model = FixedThresholdClassifier(LINEAR, threshold=0.2)
    targets = [RejectCost(0.2), ExpectedCost({(1, 0): 9, (0, 1): 1}, 0.3)]
    clf = RejectOptionClassifier(model, cv=3, random_state=0)
    fits = [copy(clf).set_params(target=target).fit(Z, binary) for target in targets]
    for start, end in [(0, 1), (1, 0)]:
        moved = copy(fits[start]).retarget(targets[end])
        assert np.array_equal(moved.predict(Z), fits[end].predict(Z))
        assert np.array_equal(moved.reject(Z), fits[end].reject(Z))


@pytest.mark.parametrize("is_frozen", [True, False])
def test_costs_and_back_restore_a_certificate(is_frozen):
    target = Accuracy(0.6, confidence=0.8)
    model = FrozenEstimator(LINEAR.fit(X[FIT], Y[FIT])) if is_frozen else LINEAR
    clf = RejectOptionClassifier(model, target=target, cv=3, random_state=0)
    fitted = copy(clf.fit(X[CALIBRATE], Y[CALIBRATE]))
    moved = copy(clf).retarget(TARGETS[1])
    assert not np.array_equal(moved.predict(X), fitted.predict(X))
    recall = Recall("ash", 0.6, confidence=0.7)
    for clf in (moved, other := copy(fitted)):
        with pytest.warns(UserWarning, match="2 targets have been tested on the same samples"):
            clf.retarget(recall)
    assert_same(moved, other)
    with pytest.warns(UserWarning, match="2 targets have been tested on the same samples"):
        moved.retarget(target)
    assert_same(moved, fitted)


def test_a_leaf_has_the_certainty_of_the_tree_that_decides():
    clf = RejectOptionClassifier(TREE, target=TARGETS[1], cells="leaf", cv=3).fit(X, Y)
    known = clf.calibration_
    order = known.rows.argsort()
    assert np.array_equal(known.certainty[order], clf.certainties(X))


@pytest.mark.parametrize("certainty", ["decision", "logit", "conf"])
@pytest.mark.parametrize("cells", ["leaf", "class"])
def test_what_was_loaded_moves_like_what_was_saved(certainty, cells, tmp_path):
    model = TREE if cells == "leaf" else LINEAR
    certainty = "margin" if (cells, certainty) == ("leaf", "decision") else certainty
    clf = RejectOptionClassifier(model, certainty=certainty, cells=cells, cv=3).fit(X, Y)
    save(clf, tmp_path / "model")
    loaded = load(tmp_path / "model")
    for target in (*TARGETS[1:], TARGETS[0]):
        assert_same(loaded.retarget(target), clf.retarget(target))
        save(loaded, tmp_path / "moved")
        loaded = load(tmp_path / "moved")


def test_files_of_earlier_versions_say_that_they_do_not_hold_it(tmp_path):
    path = tmp_path / "model"
    save(RejectOptionClassifier(LINEAR, target=TARGETS[1], cv=3).fit(X, Y), path)

    def be_earlier(file):
        node = file["model"]["state"]["calibration"]
        new = {"predicted", "certainties", "deciding_predicted", "deciding_posteriors"}
        node["dict"] = [pair for pair in node["dict"] if pair[0] not in new]

    forge(path, be_earlier)
    without_unused_arrays(path)
    loaded = load(path)
    loaded.retarget(ExpectedCost(COSTS, 0.2))  # the same answers
    lacking = "changes the answers, and files of earlier versions do not hold what they are chosen"
    with pytest.raises(InputError, match=lacking + " by; fit it with this target, or with"):
        loaded.retarget(TARGETS[2])
    with pytest.raises(InputError, match=r"^target=RejectRate\(rate=0.2\) " + lacking):
        loaded.retarget(TARGETS[0])


def test_many_samples_are_kept_for_costs_alone(monkeypatch):
    monkeypatch.setattr(other_answers, "MOST_KEPT", 3 * len(X) - 1)
    clf = RejectOptionClassifier(LINEAR, cv=3).fit(X, Y)
    assert clf.calibration_.posteriors is None
    said = "changes the answers, and a fit without costs does not keep for 400 samples of 3 classes"
    with pytest.raises(InputError, match=said + " what they are chosen by"):
        clf.retarget(TARGETS[1])
    clf.retarget(TARGETS[3])  # the answers stay as predicted
    priced = RejectOptionClassifier(LINEAR, cv=3, target=TARGETS[1]).fit(X, Y)
    moved = priced.retarget(TARGETS[3])
    assert np.array_equal(moved.thresholds_, clf.thresholds_)
    assert np.array_equal(moved.predict(X), clf.predict(X))


@pytest.mark.parametrize("measure", MEASURES.values(), ids=list(MEASURES))
def test_a_measure_depends_on_the_answer_if_it_says_so(measure):
    models = [PROTOTYPES, LINEAR, SVC()]
    served = [model for model in models if measure.serves(model.fit(X, Y))]
    if not served:
        assert measure.name in {"votes", "trust"}  # of classifiers without posteriors; see above
        return
    outputs = Outputs(served[0], X)
    values = []
    for code in range(3):
        outputs.answer(np.full(len(X), code))
        values.append(certainty_of(outputs, measure.name))
    assert np.array_equal(values[0], values[1]) != measure.depends_on_answer
