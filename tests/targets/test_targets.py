"""Targets choose the best row there is: compared with going through all rows one by one."""

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from abstain import (
    Accuracy,
    Guarantee,
    InputError,
    RejectCost,
    RejectRate,
    operating_point,
    pareto_front,
)
from abstain.targets.base import BaseTarget, certifies
from tests.examples import many_examples
from tests.fronts.strategies import Calibration, half_tied, synthetic

shares = st.sampled_from([0.05, 0.1, 0.25, 0.5, 0.9])


def points(front):
    return [
        (int(true), int(false), int(true + false), float(accuracy))
        for true, false, accuracy in zip(
            front.true_rejects, front.false_rejects, front.accuracies, strict=True
        )
    ]


@many_examples
@given(half_tied(max_size=30), shares)
def test_reject_rate_is_the_most_accurate_row_within_the_budget(data, rate):
    front = pareto_front(*data)
    chosen = points(front)[RejectRate(rate).choose(front)]
    assert chosen[2] / front.n_samples <= rate
    for _, _, rejects, accuracy in points(front):
        if rejects / front.n_samples <= rate and not math.isnan(accuracy):
            assert (chosen[3], -chosen[2]) >= (accuracy, -rejects)


# Rows of 1 + 2 and of 2 + 2 rejects both reach 0.85.
TWO_ROWS = Calibration(np.arange(12.0), np.array([1, 1, 0, 0] + [1] * 8, bool), np.zeros(12, int))


@many_examples
@given(half_tied(max_size=30), shares)
@example(TWO_ROWS, 0.85)
def test_accuracy_is_the_row_with_the_fewest_rejects_that_reaches_it(data, accuracy):
    front = pareto_front(*data)
    reaching = [point for point in points(front) if point[3] >= accuracy]
    if not reaching:
        with pytest.raises(InputError, match=f"accuracy={accuracy} cannot be reached"):
            Accuracy(accuracy).choose(front)
    else:
        chosen = points(front)[Accuracy(accuracy).choose(front)]
        assert chosen[3] >= accuracy
        assert chosen[2] == min(rejects for _, _, rejects, _ in reaching)


@many_examples
@given(half_tied(max_size=30), st.sampled_from([0.05, 0.2, 0.5, 0.8]))
def test_reject_cost_is_the_cheapest_row(data, cost):
    front = pareto_front(*data)

    def price(point):
        return front.n_errors - point[0] + cost * point[2]

    chosen = points(front)[RejectCost(cost).choose(front)]
    assert price(chosen) == pytest.approx(min(map(price, points(front))))


# With known costs each cell decides for itself, and the answer is a breakpoint of the envelope.
@many_examples
@given(half_tied(max_size=40), st.sampled_from([0.07, 0.31, 0.53]))
def test_reject_cost_needs_no_more_than_the_hull(data, cost):
    exact, hull = pareto_front(*data), pareto_front(*data, method="hull")

    def price(front):
        point = operating_point(front, RejectCost(cost))
        return point.errors_left + cost * (point.true_rejects + point.false_rejects)

    assert price(exact) == pytest.approx(price(hull))


def test_rejecting_everything_reaches_no_accuracy():
    front = pareto_front([0.1, 0.2], [False, False])
    with pytest.raises(InputError, match=r"the most on these 2 samples is 0, with 0\.0% rejected"):
        Accuracy(0.5).choose(front)
    assert RejectRate(1.0).choose(front) < 2


# 29 of 100 samples are 0.29 of them, although 0.29 × 100 falls short of 29 in floating point.
def test_budgets_are_not_lost_to_rounding():
    front = pareto_front(np.arange(100.0), np.arange(100) >= 29)
    assert operating_point(front, RejectRate(0.29)).true_rejects == 29


def test_operating_point_tells_what_recounting_finds():
    certainty = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    correct = np.array([False, True, False, True, True, True])
    cells = np.array(["a", "a", "b", "b", "a", "b"])
    point = operating_point(pareto_front(certainty, correct, cells), Accuracy(1.0))
    rejected = certainty < point.thresholds[np.searchsorted(point.cells, cells)]
    assert point.true_rejects == (rejected & ~correct).sum() == 2
    assert point.false_rejects == (rejected & correct).sum() == 0
    assert point.reject_rate == rejected.mean()
    assert point.coverage == 1 - rejected.mean()
    assert point.accuracy == correct[~rejected].mean() == 1.0
    assert (point.errors_left, point.gap, point.n_samples, point.n_errors) == (0, 0, 6, 2)


def test_an_operating_point_cannot_be_changed():
    point = operating_point(pareto_front([0.1, 0.2], [False, True]), RejectRate(0.5))
    with pytest.raises(FrozenInstanceError):
        point.true_rejects = 2


def test_an_operating_point_without_answers_has_no_accuracy():
    front = pareto_front([0.1], [False])
    assert math.isnan(operating_point(front, RejectCost(0.5)).accuracy)


# Applied to the calibration data, the thresholds reject what the point says they do.
@many_examples
@given(half_tied(max_size=40), shares)
def test_reject_applies_the_thresholds(data, rate):
    point = operating_point(pareto_front(*data), RejectRate(rate))
    rejected = point.reject(data.certainty, data.cells)
    assert (rejected & data.correct).sum() == point.false_rejects
    assert (rejected & ~data.correct).sum() == point.true_rejects
    assert (point.reject_rate, point.coverage) == (rejected.mean(), 1 - rejected.mean())
    if not rejected.all():
        assert point.accuracy == data.correct[~rejected].mean()


def test_reject_needs_cells_only_where_there_are_several():
    single = operating_point(pareto_front([0.1, 0.2], [False, True]), RejectRate(0.5))
    assert single.reject([0.15, 0.3]).tolist() == [True, False]
    two = operating_point(pareto_front([0.1, 0.2], [False, True], ["a", "b"]), RejectRate(0.5))
    assert two.reject([0.15, 0.15], ["b", "a"]).tolist() == [False, True]
    with pytest.raises(InputError, match="cells must name one of 2 cells per sample, got None"):
        two.reject([0.15])
    with pytest.raises(InputError, match=r"calibration data \('a', 'b'\), got 'c'"):
        two.reject([0.15], ["c"])


def test_a_point_prints_accuracy_and_coverage_on_one_line():
    certainty, correct = [0.1, 0.2, 0.8, 0.9] * 25, [False, True, True, True] * 25
    front = pareto_front(certainty, correct)
    assert repr(operating_point(front, RejectRate(0.25))) == (
        "OperatingPoint(accuracy=1, coverage=0.75, true_rejects=25, false_rejects=0, "
        "n_thresholds=1)"
    )
    target = Accuracy(0.9, confidence=0.95)
    certified = operating_point(front, target, held_out=(certainty, correct))
    assert str(certified).endswith("certified_accuracy=0.9, confidence=0.95)")
    everything = operating_point(pareto_front([0.1], [False]), RejectCost(0.5))
    assert "accuracy=nan, coverage=0" in repr(everything)


# --- what a target may do -------------------------------------------------------------------------


class Row:
    """A target with nothing but `choose`."""

    def choose(self, front):
        return 1


class Strict(Row):
    """A target of somebody else that also certifies."""

    def min_test_samples(self):
        return 5

    def certify(self, front, held_out):
        return 0, Guarantee(0.5, 0.5, held_out.n_samples, 5, 0, 0.9, 1)


def test_a_target_chooses_and_certifies_by_its_own_methods():
    front = pareto_front([0.1, 0.2, 0.3, 0.4], [False, True, False, True])
    held_out = ([0.5] * 7, [True] * 7)
    assert operating_point(front, Row()).row == 1
    assert operating_point(front, Row(), held_out).row == 1
    assert operating_point(front, Row(), held_out).guarantee is None
    assert operating_point(front, Strict()).row == 1
    certified = operating_point(front, Strict(), held_out)
    assert (certified.row, certified.guarantee.n_samples) == (0, 7)


def test_only_a_confidence_needs_samples_that_test():
    assert certifies(Accuracy(0.99, confidence=0.95))
    assert Accuracy(0.99, confidence=0.95).min_test_samples() == 299
    for target in (Accuracy(0.99), RejectRate(0.1), RejectCost(0.2), Row()):
        assert not certifies(target)


@pytest.mark.parametrize("missing", ["_check", "_choose"])
def test_a_target_says_what_it_checks_and_what_it_chooses(missing):
    methods = {name: lambda *_: 0 for name in ("_check", "_choose") if name != missing}
    with pytest.raises(TypeError, match=f"abstract method '?{missing}"):
        type("Half", (BaseTarget,), methods)()


@pytest.mark.parametrize("target", [0.99, Accuracy])
def test_what_is_no_target_is_refused(target):
    with pytest.raises(InputError, match=r"such as Accuracy\(0.99\), got"):
        operating_point(pareto_front([0.1], [True]), target)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (Accuracy(99), r"accuracy must be a number in \(0, 1\], got 99; 99% is 0.99"),
        (RejectRate(1.5), r"rate must be a number in \[0, 1\], got 1.5"),
        (RejectRate(float("nan")), r"rate must be a number in \[0, 1\], got nan"),
        (Accuracy(0), r"accuracy must be a number in \(0, 1\], got 0"),
        (Accuracy("high"), r"accuracy must be a number in \(0, 1\], got 'high'"),
        (Accuracy(1, confidence=0.9), "accuracy must be below 1 to be certified, got 1"),
        (RejectCost(1.0), r"cost must be a number in \(0, 1\), got 1.0"),
        (RejectCost(True), r"cost must be a number in \(0, 1\), got True"),
    ],
)
def test_targets_out_of_range_are_refused(target, message):
    with pytest.raises(InputError, match=message):
        target.choose(pareto_front([0.1, 0.2], [False, True]))


# A suggested value must itself be accepted: 1 is no confidence, but a reject rate.
@pytest.mark.parametrize(
    ("target", "remedy"),
    [
        (Accuracy(0.9, confidence=100), None),
        (Accuracy(0.9, confidence=99), "99% is 0.99"),
        (RejectCost(100), None),
        (RejectRate(100), "100% is 1"),
        (RejectRate(2), None),
    ],
    ids=repr,
)
def test_a_percentage_is_translated_where_its_share_is_accepted(target, remedy):
    with pytest.raises(InputError, match="must be a number in") as caught:
        target.check()
    assert str(caught.value).partition("; ")[2] == (remedy or "")


# --- nested rows ----------------------------------------------------------------------------------


@given(half_tied(max_size=40), st.floats(0, 1))
def test_a_nested_front_rejects_the_share_that_is_asked_for_up_to_ties(data, rate):
    front = pareto_front(*data, method="pooled")
    row = RejectRate(rate).choose(front)
    assert front.reject_rates[row] <= rate
    assert row + 1 == len(front) or front.reject_rates[row + 1] > rate


def test_so_it_does_beyond_the_last_calibration_error():
    rng = np.random.default_rng(0)
    certainty = rng.random(1000)
    correct = certainty > 0.1
    pooled, exact = (pareto_front(certainty, correct, method=name) for name in ("pooled", "exact"))
    assert operating_point(pooled, RejectRate(0.4)).reject_rate == 0.4
    assert operating_point(exact, RejectRate(0.4)).reject_rate < 0.15


# Of many rows some reach an accuracy by chance: it must also be reached with each sample left out
# of its own threshold, and by the probabilities, as far as some row does. Thresholds per cell must
# by these be as accurate as one threshold that is chosen in the same way.
@given(half_tied(max_size=40), st.floats(0.05, 1))
@example(synthetic(60, 3, seed=22), 0.9)  # each condition excludes other rows
@example(synthetic(60, 3, decimals=1, seed=0), 0.9)
def test_an_accuracy_is_reached_with_each_sample_left_out_and_by_the_probabilities(data, accuracy):
    front = pareto_front(*data, method="pooled")
    row, _ = _reference_row(front.one_threshold, accuracy, 0.0)
    expected = front.one_threshold.expected_accuracies[row]
    row, is_reached = _reference_row(front, accuracy, expected)
    if not is_reached:
        with pytest.raises(InputError, match="cannot be reached: the most on these"):
            Accuracy(accuracy).choose(front)
        return
    assert Accuracy(accuracy).choose(front) == row
    assert front.accuracies[row] >= accuracy


def _reference_row(front, accuracy, expected):
    """Return the first row that reaches an accuracy, or the nearest; rows ascend in rejects."""
    probable = (front.expected_accuracies + 1e-9).tolist()
    enough = min(expected, np.nanmax(probable))
    rows = [row for row, value in enumerate(probable) if value >= enough]
    left_out, seen = front.leave_one_out_accuracies.tolist(), front.accuracies.tolist()
    for values in (np.minimum(left_out, probable), left_out, seen):
        reached = [row for row in rows if values[row] >= accuracy]
        if reached:
            return reached[0], True
        known = [row for row in rows if not np.isnan(values[row])] or rows[:1]
        nearest = max(known, key=lambda row: values[row])
        rows = [row for row in rows if row >= nearest]
    return nearest, False


# A nested front has a common curve: cells that it has not seen get its threshold.
def test_cells_not_seen_share_a_threshold_on_a_nested_front():
    rng = np.random.default_rng(0)
    certainty, cells = rng.random(600), rng.integers(3, size=600)
    correct = rng.random(600) < certainty
    front = pareto_front(certainty, correct, cells, method="pooled")
    point = operating_point(front, RejectRate(0.3))
    (shared,) = front.shared_thresholds(np.array([point.row]))
    assert point.reject([shared - 1e-9, shared], [7, 7]).tolist() == [True, False]
    assert (point.reject(certainty, cells) == (certainty < point.thresholds[cells])).all()
    held_out = certainty, correct, np.full(600, 7)
    target = Accuracy(0.7, confidence=0.9)
    assert operating_point(front, target, held_out=held_out).guarantee.n_tested > 0
    with pytest.raises(InputError, match=r"among those of the calibration data \(0, 1, 2\), got 7"):
        operating_point(pareto_front(certainty, correct, cells), RejectRate(0.3)).reject([0.5], [7])
