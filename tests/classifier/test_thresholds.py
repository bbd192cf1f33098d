"""Thresholds picked elsewhere come back into the classifier that they were made for."""

import json
from pathlib import Path

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
    settings = {"method": "exact", "cv": "training", "outliers": None}
    return RejectOptionClassifier(request.param, **settings).fit(*data)


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
        back = clf.retarget(RejectRate(0.05)).set_thresholds(given)
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
    point = clf.set_thresholds(thresholds).operating_point_
    rejected, wrong = clf.reject(X), clf.predict(X) != y
    assert point.row is None
    assert point.true_rejects == np.count_nonzero(rejected & wrong)
    assert point.false_rejects == np.count_nonzero(rejected & ~wrong)
    (fewest,) = clf.front_.false_rejects[clf.front_.true_rejects == point.true_rejects]
    assert point.gap == point.false_rejects - fewest > 0


@pytest.mark.parametrize("method", ["greedy", "hull", "pooled"])
def test_the_gap_is_never_too_small(method, data):
    exact = RejectOptionClassifier(GaussianNB(), method="exact").fit(*data)
    clf = RejectOptionClassifier(GaussianNB(), method=method).fit(*data)
    for quantile in (0.05, 0.2, 0.5):
        given = np.full(len(clf.thresholds_), np.quantile(clf.calibration_.certainty, quantile))
        needless = exact.set_thresholds(given).operating_point_.gap
        assert clf.set_thresholds(given).operating_point_.gap >= needless


@pytest.mark.parametrize("given", [[0.1, 0.2], np.ones(4), {"thresholds": [0.1]}], ids=str)
def test_thresholds_are_no_target(clf, given):
    before = clf.thresholds_.copy()
    with pytest.raises(InputError, match="give thresholds to set_thresholds") as caught:
        clf.retarget(given)
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="give a target to retarget"):
        clf.set_thresholds(RejectRate(0.1))
    assert np.array_equal(clf.thresholds_, before)


def test_thresholds_are_copied(clf):
    given = np.full(len(clf.thresholds_), 0.4)
    clf.set_thresholds(given)
    given[:] = 7.0
    assert (clf.thresholds_ == 0.4).all()


def test_given_thresholds_are_saved(clf, data, tmp_path):
    clf.set_thresholds(np.full(len(clf.thresholds_), 0.4))
    save(clf, tmp_path / "model.abstain")
    loaded = load(tmp_path / "model.abstain")
    assert np.array_equal(loaded.thresholds_, clf.thresholds_)
    assert np.array_equal(loaded.reject(data[0]), clf.reject(data[0]))
    assert loaded.operating_point_.row is None


def test_a_guarantee_does_not_come_with_given_thresholds(data):
    target = Accuracy(0.6, confidence=0.9)
    clf = RejectOptionClassifier(GaussianNB(), target=target, random_state=0).fit(*data)
    assert clf.operating_point_.guarantee is not None
    assert clf.set_thresholds(clf.thresholds_).operating_point_.guarantee is None


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
        ({"thresholds": 0.1}, "thresholds must be a list, got 0.1"),
        ({"thresholds": [0.1, 0.1, 0.1, [0.1]]}, r"thresholds must be numbers, .* got \[0.1\]"),
        ({"thresholds": [0.1] * 4, "row": True}, "row must be an integer, got True"),
        ({"thresholds": [0.1] * 4, "cells": "abc"}, "cells must be a list of names, got 'abc'"),
        ({"thresholds": [0.1] * 4, "cells": [1]}, r"cells must be a list of names, got \[1\]"),
        ({"thresholds": [0.1] * 4, "accuracy": "high"}, "accuracy must be a number in .* 'high'"),
        ({"thresholds": [0.1] * 4, "accuracy": True}, "accuracy must be a number in .* True"),
        ({"thresholds": [0.1] * 4, "accuracy": 0.123}, "accuracy=0.123 is not that of these"),
        ({"thresholds": [0.1] * 4, "reject_rate": 1}, "reject_rate=1 is not that of these"),
        ({"thresholds": [0.1] * 4, "rows": 3}, "unknown key 'rows': did you mean 'row'"),
        ({"tresholds": [0.1] * 4}, "unknown key 'tresholds': did you mean 'thresholds'"),
        ({"thresholds": [0.1] * 4, "q": 3}, "unknown key 'q': known are format, thresholds, "),
        ({0: 0.5}, r"thresholds must be a list, or a dict exported by a report, got \{0: 0.5\}"),
        (
            {"abstain": "1", "method": "pooled", "cells": [{"cell": "a", "threshold": 0.5}]},
            "thresholds must be those of a classifier, .* what abstain front writes",
        ),
        ({"thresholds": [0.1] * 4, 3: 3}, "unknown key 3: known are format"),
        ({"thresholds": [0.1] * 4, "row": 3}, "row=3 has other thresholds in this classifier"),
        ({"thresholds": [0.1] * 4, "cells": ["a", "b", "d", None]}, "made for another one"),
    ],
)
def test_what_cannot_be_meant_is_refused(given, message, data):
    clf = RejectOptionClassifier(GaussianNB()).fit(*data)
    before = clf.thresholds_.copy()
    with pytest.raises(InputError, match=message):
        clf.set_thresholds(given)
    assert np.array_equal(clf.thresholds_, before)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "must be JSON"),
        ("", "must be JSON"),
        ("[0.5]", "must be an object with a list of thresholds"),
        ('{"row": 3}', "thresholds must be among the keys"),
        ('{"thresholds": "0.5"}', "thresholds must be a list, got '0.5'"),
        ('{"thresholds": ["0.5"]}', "thresholds must be numbers"),
        ('{"thresholds": [true]}', "thresholds must be numbers, '-inf' or 'inf', got True"),
        ('{"thresholds": [NaN]}', "numbers must be finite, got 'NaN'"),
        ('{"thresholds": [-Infinity]}', "finite, got '-Infinity'; write '-inf' as text"),
        ('{"thresholds": [1e999]}', "numbers must be finite, got '1e999'"),
        ('{"thresholds": [' + "9" * 5000 + "]}", "numbers must be finite, got '999"),
        ('{"thresholds": [' + "9" * 309 + "]}", "numbers must be finite, got '999"),
        ('{"thresholds": [1], "thresholds": [2]}', "once, got 'thresholds' twice"),
        ('{"thresholds": [1], "accurracy": 1}', "did you mean 'accuracy'?"),
        ('{"thresholds": [{}]}', "thresholds must be numbers"),
        ('{"thresholds": ' + "[" * 100_000 + "]" * 100_000 + "}", "too deep to read"),
        ("[" * 100_000, "too deep to read"),
        ('{"a":' * 100_000, "too deep to read"),
        ('{"thresholds": ["\x1b[2J\\u001b[2J\\ud800"]}', "must be JSON"),
        ('{"thresholds": ["\\u001b[2J\\ud800"]}', r"got '\\x1b\[2J\\ud800'"),
    ],
    ids=lambda text: text[:30],
)
def test_a_file_without_thresholds_is_refused_in_one_line(text, message, tmp_path):
    file = tmp_path / "thresholds.json"
    file.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        read_thresholds(file)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("depth", [100, 500, 900, 990, 2000, 20_000])
def test_lists_in_lists_are_refused_however_deep(depth, tmp_path):
    file = tmp_path / "thresholds.json"
    for text in ('{"thresholds": %s}', '{"thresholds": [1], "cells": %s}', "%s"):
        file.write_text(text % ("[" * depth + "]" * depth))
        with pytest.raises(InputError):
            read_thresholds(file)


# What has no end, such as a device, is not read to the end.
@pytest.mark.skipif(
    not Path("/dev/zero").exists(), reason="there is no /dev/zero: run this on Linux or macOS"
)
def test_a_file_that_is_too_large_is_refused(tmp_path):
    file = tmp_path / "thresholds.json"
    file.write_bytes(b" " * 16_000_001)
    with pytest.raises(InputError, match="must be a file of thresholds, at most 16 MB"):
        read_thresholds(file)
    with pytest.raises(InputError, match="/dev/zero is a device; write its content to a file"):
        read_thresholds("/dev/zero")
    file.write_bytes(b'{"thresholds": [1]}'.ljust(16_000_000))
    assert read_thresholds(file) == {"thresholds": [1]}


def test_thresholds_are_checked_against_all_that_travels_with_them(clf):
    point = clf.retarget(RejectRate(0.3)).operating_point_
    names = [None if cell is None else str(cell) for cell in clf.cells_.tolist()]
    given = {
        "format": "abstain-thresholds-1",
        "thresholds": as_json(clf.thresholds_),
        "cells": names,
        "row": point.row,
        "reject_rate": point.reject_rate,
        "accuracy": round(point.accuracy, 7),
        "coverage": point.coverage,
        "n_samples": point.n_samples,
        "n_errors": point.n_errors,
        "true_rejects": point.true_rejects,
        "false_rejects": point.false_rejects,
    }
    assert clf.set_thresholds(given).operating_point_.row == point.row
    for key in list(given)[4:]:
        step = 1 if key in ("n_samples", "n_errors", "true_rejects", "false_rejects") else 0.01
        with pytest.raises(InputError, match=f"leave the {key} out"):
            clf.set_thresholds({**given, key: given[key] - step})


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match=r"missing\.json does not exist; check the path"):
        read_thresholds(tmp_path / "missing.json")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="must be JSON"):
        read_thresholds(tmp_path / "binary.json")
