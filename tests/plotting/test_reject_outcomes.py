"""Every sample is of one of four kinds, whose numbers a count by hand finds."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.naive_bayes import GaussianNB

from abstain import InputError, RejectOptionClassifier, RejectRate, pareto_front
from abstain.metrics import accuracy_reject_curve
from abstain.plotting import RejectOutcomesDisplay
from tests.fronts.strategies import synthetic

pytest.importorskip("matplotlib", reason="pip install '.[plot]' to test figures")

KINDS = ["right", "wrong", "truly_rejected", "falsely_rejected"]


def parts(display):
    return np.array([getattr(display, kind) for kind in KINDS])


def by_hand(correct, rejected):
    masks = (correct & ~rejected, ~correct & ~rejected, ~correct & rejected, correct & rejected)
    return [float(mask.mean()) for mask in masks]


@pytest.fixture(scope="module")
def fitted():
    X, y = load_digits(return_X_y=True)
    clf = RejectOptionClassifier(GaussianNB(), outliers=None, random_state=0).fit(X[::2], y[::2])
    return clf, X[1::2], y[1::2]


def of_each_kind(fitted):
    certainty, correct, cells = synthetic(300, 3, decimals=1)
    y_pred = np.where(correct, 1, 0)
    yield RejectOutcomesDisplay.from_front(pareto_front(certainty, correct, cells))
    yield RejectOutcomesDisplay.from_predictions(np.ones(300, int), y_pred, certainty)
    yield RejectOutcomesDisplay.from_estimator(*fitted)
    yield RejectOutcomesDisplay.from_estimator(*fitted, certainty="margin")


def test_the_four_shares_sum_to_one(fitted):
    for display in of_each_kind(fitted):
        shares = parts(display)
        assert (shares >= 0).all()
        assert shares.sum(axis=0) == pytest.approx(1)
        assert (shares[2] + shares[3]).tolist() == pytest.approx(display.reject_rates.tolist())
        assert (np.diff(display.reject_rates) >= 0).all()
        # The errors are as many everywhere, whether they are answered or rejected.
        assert np.ptp(shares[1] + shares[2]) == pytest.approx(0)
        assert display.reject_rates[0] == 0


def test_a_threshold_does_what_a_count_finds():
    certainty, correct, _ = synthetic(200, 1, decimals=1)
    y_pred = np.where(correct, "a", "b")
    display = RejectOutcomesDisplay.from_predictions(["a"] * 200, y_pred, certainty)
    limits = [-np.inf, *np.unique(certainty)[1:], np.inf]
    expected = [by_hand(correct, certainty < limit) for limit in limits]
    shares = parts(display).T
    assert shares == pytest.approx(np.array(expected))
    accuracies, rates, _ = accuracy_reject_curve(["a"] * 200, y_pred, certainty)
    assert display.reject_rates[:-1].tolist() == pytest.approx(rates.tolist())
    answered = display.right + display.wrong
    assert display.right[:-1] / answered[:-1] == pytest.approx(accuracies)


def test_a_weight_counts_as_so_many_rows():
    y_true, y_pred, certainty = [1, 0, 1, 1], [1, 0, 0, 1], [0.9, 0.8, 0.7, 0.5]
    weights = [1, 2, 3, 0]
    weighted = RejectOutcomesDisplay.from_predictions(
        y_true, y_pred, certainty, sample_weight=weights
    )
    repeated = RejectOutcomesDisplay.from_predictions(
        *(np.repeat(values, weights) for values in (y_true, y_pred, certainty))
    )
    assert parts(weighted) == pytest.approx(parts(repeated))


def test_a_front_does_to_its_samples_what_its_thresholds_do():
    certainty, correct, cells = synthetic(300, 3)
    front = pareto_front(certainty, correct, cells)
    display = RejectOutcomesDisplay.from_front(front)
    columns = np.searchsorted(front.cells, cells)
    for entry, row in enumerate(display.rows.tolist()):
        rejected = certainty < front.thresholds_at(row)[columns]
        assert parts(display)[:, entry].tolist() == pytest.approx(by_hand(correct, rejected))


# Outliers are rejected at every point of the figure.
def test_outliers_are_rejected_from_the_first_point_on():
    X, y = load_digits(return_X_y=True)
    clf = RejectOptionClassifier(GaussianNB()).fit(X[::2], y[::2])
    display = RejectOutcomesDisplay.from_estimator(clf, X[1::2], y[1::2])
    outlier = clf.decide(X[1::2]).outlier
    assert display.reject_rates[0] == pytest.approx(outlier.mean())
    assert outlier.any()


# To move along the stored front is to see what the figure shows.
def test_new_samples_fare_as_after_retargeting(fitted):
    clf, X, y = fitted
    display = RejectOutcomesDisplay.from_estimator(*fitted)
    correct = clf.estimator_.predict(X) == y
    assert len(display.rows) > 50
    for entry in range(0, len(display.rows), 9):
        row = display.rows[entry]
        clf.retarget(RejectRate(clf.front_.reject_rates[row]))
        shares = parts(display)[:, entry].tolist()
        assert shares == pytest.approx(by_hand(correct, clf.reject(X)))


def test_areas_lie_on_top_of_each_other_and_differ_without_colour(fitted):
    display = RejectOutcomesDisplay.from_estimator(*fitted)
    right, wrong, truly_rejected, falsely_rejected = parts(display)
    panels = {0.0: (right, falsely_rejected), 1.2: (wrong, truly_rejected)}
    areas = iter(display.areas_)
    for bottom, shares in panels.items():
        borders = np.cumsum([np.zeros_like(right), *shares], axis=0)
        for low, high in pairwise(borders):
            (path,) = next(areas).get_paths()
            ends = bottom + np.array([low.min(), high.max()]) / borders.max()
            assert [path.vertices[:, 1].min(), path.vertices[:, 1].max()] == pytest.approx(ends)
    assert len({area.get_hatch() for area in display.areas_}) == 4
    entries = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert entries == [area.get_label() for area in display.areas_[::-1]]


def test_shares_of_different_lengths_are_refused():
    with pytest.raises(InputError, match=r"^all shares must have the shape of reject_rates"):
        RejectOutcomesDisplay(
            reject_rates=[0.0],
            right=[1.0, 1.0],
            wrong=[0.0],
            truly_rejected=[0.0],
            falsely_rejected=[0.0],
        )
