"""Thresholds picked elsewhere come back into the classifier that they were made for."""

import json

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from abstain import (
    GMLVQ,
    Accuracy,
    InputError,
    RejectOptionClassifier,
    RejectRate,
    load,
    read_thresholds,
    save,
)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    X = rng.normal(size=(300, 4)) + np.eye(3, 4)[y] * 1.5
    return X, np.array(["a", "b", "c"])[y]


@pytest.fixture(params=[GaussianNB(), GMLVQ(n_prototypes_per_class=2)], ids=["bayes", "gmlvq"])
def clf(data, request):
    return RejectOptionClassifier(request.param).fit(*data)


def as_json(thresholds):
    return [value if np.isfinite(value) else str(value) for value in thresholds.tolist()]


@pytest.mark.parametrize("target", [RejectRate(0.0), RejectRate(0.3), RejectRate(1.0)], ids=repr)
def test_the_thresholds_of_a_row_are_that_row(clf, data, target, tmp_path):
    there = clf.retarget(target).operating_point_
    thresholds, rejected = clf.thresholds_.copy(), clf.reject(data[0])
    document = {"thresholds": as_json(thresholds), "row": there.row}
    file = tmp_path / "thresholds.json"
    file.write_text(json.dumps(document, allow_nan=False))
    for given in (thresholds, thresholds.tolist(), document, read_thresholds(file)):
        back = clf.retarget(RejectRate(0.05)).retarget(given)
        assert back is clf
        assert np.array_equal(back.thresholds_, thresholds)
        assert np.array_equal(back.reject(data[0]), rejected)
        point = back.operating_point_
        assert (point.row, point.gap) == (there.row, there.gap)
        assert (point.true_rejects, point.false_rejects) == (
            there.true_rejects,
            there.false_rejects,
        )
        assert point.cells.tolist() == there.cells.tolist()
        assert np.array_equal(point.thresholds, there.thresholds)
        assert back.target == RejectRate(0.05)


def test_other_thresholds_are_counted_on_the_calibration_data(clf, data):
    X, y = data
    thresholds = np.full(len(clf.thresholds_), np.median(clf.calibration_.certainty))
    point = clf.retarget(thresholds).operating_point_
    rejected, wrong = clf.reject(X), clf.predict(X) != y
    assert point.row is None
    assert point.true_rejects == np.count_nonzero(rejected & wrong)
    assert point.false_rejects == np.count_nonzero(rejected & ~wrong)
    (fewest,) = clf.front_.false_rejects[clf.front_.true_rejects == point.true_rejects]
    assert point.gap == point.false_rejects - fewest > 0


@pytest.mark.parametrize("method", ["greedy", "hull"])
def test_the_gap_is_never_too_small(method, data):
    exact = RejectOptionClassifier(GaussianNB()).fit(*data)
    clf = RejectOptionClassifier(GaussianNB(), method=method).fit(*data)
    for quantile in (0.05, 0.2, 0.5):
        given = np.full(len(clf.thresholds_), np.quantile(clf.calibration_.certainty, quantile))
        needless = exact.retarget(given).operating_point_.gap
        assert clf.retarget(given).operating_point_.gap >= needless


def test_given_thresholds_are_saved(clf, data, tmp_path):
    clf.retarget(np.full(len(clf.thresholds_), 0.4))
    save(clf, tmp_path / "model.abstain")
    loaded = load(tmp_path / "model.abstain")
    assert np.array_equal(loaded.thresholds_, clf.thresholds_)
    assert np.array_equal(loaded.reject(data[0]), clf.reject(data[0]))
    assert loaded.operating_point_.row is None


def test_a_guarantee_does_not_come_with_given_thresholds(data):
    target = Accuracy(0.6, confidence=0.9)
    clf = RejectOptionClassifier(GaussianNB(), target=target, random_state=0).fit(*data)
    assert clf.operating_point_.guarantee is not None
    assert clf.retarget(clf.thresholds_).operating_point_.guarantee is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([0.1, 0.2], r"thresholds must be 4, one for each of 3 cells .* got 2"),
        ([0.1, 0.2, "much", 0.1], r"thresholds must be numbers, '-inf' or 'inf', got 'much'"),
        ([0.1, 0.2, float("nan"), 0.1], "thresholds must hold no missing value"),
        (np.array([["0.1"] * 4]), "thresholds must be one-dimensional"),
        ([0.1, None, 0.1, 0.1], "thresholds must hold no missing value"),
        ({"row": 3}, r"thresholds must be among the keys, got \['row'\]"),
        ({"thresholds": [0.1] * 4, "format": "other"}, "format must be 'abstain-thresholds-1'"),
        ({"thresholds": [0.1] * 4, "row": 3}, "row=3 has other thresholds in this classifier"),
        ({"thresholds": [0.1] * 4, "cells": ["a", "b", "d", None]}, "made for another one"),
    ],
)
def test_what_cannot_be_meant_is_refused(given, message, data):
    clf = RejectOptionClassifier(GaussianNB()).fit(*data)
    before = clf.thresholds_.copy()
    with pytest.raises(InputError, match=message):
        clf.retarget(given)
    assert np.array_equal(clf.thresholds_, before)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "must be JSON"),
        ("[0.5]", "must be an object with a list of thresholds"),
        ('{"thresholds": "0.5"}', "must be an object with a list of thresholds"),
        ('{"thresholds": ["0.5"]}', "thresholds must be numbers"),
        ('{"thresholds": [NaN]}', "thresholds must hold no missing value"),
    ],
)
def test_a_file_without_thresholds_is_refused(text, message, tmp_path):
    file = tmp_path / "thresholds.json"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        read_thresholds(file)


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match=r"cannot read .*missing\.json: No such file"):
        read_thresholds(tmp_path / "missing.json")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="must be JSON"):
        read_thresholds(tmp_path / "binary.json")
