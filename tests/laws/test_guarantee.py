"""A certified accuracy holds on new data as often as was promised."""

import math
import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import binom

from abstain import Accuracy, InputError, operating_point, pareto_front
from abstain.fronts import METHODS
from abstain.fronts.held_out import (
    HeldOut,
    HeldOutCounts,
    StepThresholds,
    count_by_step,
    merge_step_counts,
)
from abstain.targets.guarantee import _order, certify, enough_answers, needed_answers
from tests.fronts.strategies import Calibration, half_tied, synthetic
from tests.reference import guarantee as by_hand

levels = st.sampled_from([0.05, 0.2, 0.5])
accuracies = st.sampled_from([0.3, 0.6, 0.9])


def held_out_of(front, tested):
    known = {label: index for index, label in enumerate(front.cells.tolist())}
    columns = np.array([known.get(cell, -1) for cell in tested.cells.tolist()], dtype=np.int64)
    return HeldOut(tested.certainty, tested.correct, columns)


# Two rows have P(Bin(11, 0.7) ≤ 3) = P(Bin(9, 0.7) ≤ 2), up to rounding.
EQUAL_BUT_FOR_ROUNDING = Calibration(
    np.array([0, 0, 0, 0, 0, -2, 49, 54, -17, -3, 57, 23, 50, -59, 100, -1, 17, -71, -60.0]),
    np.array([0] * 6 + [1] * 6 + [0] * 4 + [1] * 3, dtype=bool),
    np.array([3, 3, 3, 2, 0, 1, 0, 1, 3, 0, 3, 1, 3, 3, 1, 2, 2, 1, 0]),
)

ONE_RIGHT = Calibration(np.array([0.5]), np.array([True]), np.array([0]))
TWO_OF_36_WRONG = Calibration(np.zeros(36), np.arange(36) >= 2, np.zeros(36, dtype=int))


@given(half_tied(max_size=25), half_tied(max_size=25), accuracies, levels)
@example(EQUAL_BUT_FOR_ROUNDING, EQUAL_BUT_FOR_ROUNDING, 0.3, 0.05)
def test_certifying_is_testing_row_by_row(learned, tested, accuracy, level):
    front = pareto_front(*learned)
    held_out = held_out_of(front, tested)
    expected, n_tested = by_hand.certify(front, held_out, accuracy, level)
    if expected is None:
        with pytest.raises(InputError, match=r"cannot be certified|takes at least"):
            certify(front, held_out, accuracy, 1 - level)
        return
    row, guarantee = certify(front, held_out, accuracy, 1 - level)
    assert (row, guarantee.accepted, guarantee.errors) == expected
    assert (guarantee.n_tested, guarantee.n_samples) == (n_tested, len(tested.correct))
    assert guarantee.bound >= accuracy - 1e-9
    # The bound is the accuracy at which so few errors are just as improbable as the level says.
    assert by_hand.tail(guarantee.accepted, guarantee.errors, 1 - guarantee.bound) == pytest.approx(
        level
    )


# Nested rows are tested in another order, from few accepted samples to all.
@given(
    st.integers(50, 300),
    st.integers(5, 200),
    st.integers(1, 4),
    st.integers(0, 99),
    accuracies,
    levels,
)
def test_certifying_nested_rows_is_testing_row_by_row(
    n_learned, n_tested, n_cells, seed, accuracy, level
):
    front = pareto_front(*synthetic(n_learned, n_cells, seed=seed), method="pooled")
    held_out = held_out_of(front, synthetic(n_tested, n_cells, seed=seed + 100))
    expected, n_rows = by_hand.certify(front, held_out, accuracy, level)
    if expected is None:
        with pytest.raises(InputError, match=r"cannot be certified|takes at least"):
            certify(front, held_out, accuracy, 1 - level)
        return
    row, guarantee = certify(front, held_out, accuracy, 1 - level)
    assert (row, guarantee.accepted, guarantee.errors, guarantee.n_tested) == (*expected, n_rows)


# The last row that passes is then the one with the fewest rejects of those that pass.
@given(half_tied(), st.sampled_from(METHODS), accuracies, levels, st.integers(1, 500))
def test_rows_are_tested_in_an_order_of_ever_fewer_rejects(
    data, method, accuracy, level, n_samples
):
    front = pareto_front(*data, method=method)
    order = _order(front, n_samples, accuracy, 1 - level)
    assert (np.diff((front.true_rejects + front.false_rejects)[order]) <= 0).all()


# The remedy for an accuracy that cannot be certified: how many samples would be enough, no fewer
# than were accepted, if one more error is added to those seen?
@given(st.integers(1, 60), st.integers(0, 10), st.sampled_from([0.6, 0.9, 0.95]), levels)
@example(59, 2, 0.95, 0.05)  # 3 / 60 is 0.05, and 1 - 0.95 a little more
def test_enough_samples_are_the_fewest_that_pass(accepted, errors, accuracy, level):
    errors = min(errors, accepted)
    rate = (errors + 1) / (accepted + 1) if errors else 0.0
    enough = enough_answers(accepted, errors, accuracy, level)
    if rate > (1 - accuracy) * (1 - 1e-6):
        assert enough is None
        return

    def passes(n):
        return binom.cdf(int(rate * n), n, 1 - accuracy) <= level

    assert passes(enough)
    # Above 100 samples, only some numbers are tried.
    assert not any(passes(n) for n in range(accepted, min(enough, 101)))


@given(half_tied(max_size=25), half_tied(max_size=25), accuracies, levels)
@example(ONE_RIGHT, ONE_RIGHT, 0.3, 0.2)  # one is accepted
@example(TWO_OF_36_WRONG, TWO_OF_36_WRONG, 0.9, 0.05)  # 693 would do: 19.25 times as many
def test_the_remedy_follows_from_the_counts_in_the_message(learned, tested, accuracy, level):
    front = pareto_front(*learned)
    message = refusal(front, held_out_of(front, tested), accuracy, level) or ""
    pattern = r"of (\d+) test samples (\d+) (is|are) accepted .* tested, (\d+) of them wrong"
    if (said := re.search(pattern, message)) is None:
        return
    n_samples, accepted, errors = (int(said[group]) for group in (1, 2, 4))
    assert said[3] == ("is" if accepted == 1 else "are")
    enough = enough_answers(accepted, errors, accuracy, level)
    if enough is None:
        assert message.endswith(", or use a surer classifier")
    elif (wanted := math.ceil(enough * n_samples / accepted)) <= 20 * n_samples:
        assert f", or hold out about {wanted:,} samples (it takes" in message
    else:
        assert ", or hold out far more samples (it takes" in message


def refusal(front, held_out, accuracy, level):
    """What is said of an accuracy that cannot be certified; None of one that can."""
    try:
        assert certify(front, held_out, accuracy, 1 - level)[1].accuracy == accuracy
    except InputError as error:
        return str(error)


@given(
    half_tied(max_size=25),
    half_tied(max_size=25),
    st.integers(2, 999),
    levels,
    st.integers(0, 999),
)
@example(ONE_RIGHT, ONE_RIGHT, 500, 0.001, 0)  # nothing but the lowest is certified
def test_the_accuracy_that_is_named_instead_is_the_highest_that_is_certified(
    learned, tested, asked, level, other
):
    front = pareto_front(*learned)
    held_out = held_out_of(front, tested)
    said = refusal(front, held_out, asked / 1000, level)
    if said is None:
        return
    match = re.search(r"they certify (0\.\d+) at most", said)
    named = round(1000 * float(match[1])) if match else 0
    assert match or "they certify no accuracy at all" in said
    assert named < asked
    assert not match or refusal(front, held_out, named / 1000, level) is None
    higher = named + 1 + other % (asked - named)
    assert refusal(front, held_out, higher / 1000, level) is not None


@given(
    half_tied(max_size=25),
    half_tied(max_size=40),
    st.sampled_from(METHODS),
    st.lists(st.integers(0, 40), max_size=4),
)
def test_counts_by_step_tell_what_samples_do(learned, tested, method, cuts):
    front = pareto_front(*learned, method=method)
    plain, steps = held_out_of(front, tested), StepThresholds.of(front)
    parts = zip(*(np.split(part, sorted(cuts)) for part in plain[:3]), strict=True)
    step_counts = merge_step_counts([count_by_step(steps, HeldOut(*part)) for part in parts])
    counted = step_counts.held_out(steps)
    assert counted.n_samples == plain.n_samples
    assert len(counted.correct) <= min(plain.n_samples, 2 * len(steps.values))
    rows = np.arange(len(front))
    by_steps, expected = (list(HeldOutCounts(front, each).of(rows)) for each in (counted, plain))
    assert by_steps == expected
    by_samples = [by_hand.counts(front, row, plain) for row in rows]
    assert [(accepted, errors) for _, accepted, errors in by_steps] == by_samples


@given(st.floats(0.5, 0.999), st.floats(0.5, 0.999))
def test_needed_answers_are_the_fewest_that_can_do(accuracy, confidence):
    n = needed_answers(accuracy, confidence)
    assert accuracy**n <= 1 - confidence < accuracy ** (n - 1)


# Without errors, 2 answers have the probability 0.5² = 0.25 of an accuracy of 0.5.
def test_a_probability_of_exactly_the_level_is_enough():
    assert needed_answers(0.5, 0.75) == 2
    samples = [0.5, 0.6], [True, True]
    point = operating_point(pareto_front(*samples), Accuracy(0.5, confidence=0.75), samples)
    assert (point.guarantee.accepted, point.guarantee.bound) == (2, 0.5)


def test_held_out_samples_are_checked():
    front = pareto_front([0.1, 0.2, 0.3], [False, True, True], cells=["a", "a", "b"])
    target = Accuracy(0.5, confidence=0.6)
    with pytest.raises(InputError, match="held_out must name one of 2 cells per sample, got None"):
        operating_point(front, target, held_out=([0.2], [True]))
    with pytest.raises(InputError, match="cells must be among those of the calibration data"):
        operating_point(front, target, held_out=([0.2], [True], ["c"]))
    with pytest.raises(InputError, match="certainty has 2, correct has 1"):
        operating_point(front, target, held_out=([0.2, 0.3], [True], ["a", "b"]))
    with pytest.raises(InputError, match=r"confidence=0.6 needs samples that had no part"):
        operating_point(front, target)


# ------------------------------------------------------------------ on new data, many times


# One threshold that all samples test (the default for few), and a path that a share learns; beside
# them the same test by hand, on the exact front of one half. With outliers, what holds as often as
# was promised is the accuracy of the samples that are sure enough and no outliers.
@pytest.mark.parametrize("outliers", [None, 0.01])
@pytest.mark.parametrize("test_size", ["auto", 0.75])
@pytest.mark.parametrize(
    ("kind", "n_samples"),
    [
        ("smooth", 1200),
        ("ties", 1200),
        ("flat", 1200),
        ("many cells", 1200),
        ("not rising", 1200),
        ("smooth", 200),
    ],
)
def test_the_promise_is_broken_no_more_often_than_it_may_be(kind, n_samples, test_size, outliers):
    everything = by_hand.population(kind)
    generator = np.random.default_rng(0)
    n_runs, level, half = 100, 0.1, n_samples // 2
    missed, covered, plainly = [], [], []
    for _ in range(n_runs):
        chosen = generator.integers(len(everything[0]), size=n_samples)
        drawn = [values[chosen] for values in everything]
        try:
            clf = by_hand.fit(drawn, test_size=test_size, outliers=outliers)
        except InputError:
            missed.append(False)
            covered.append(0.0)
        else:
            accepted = by_hand.accepted_by(clf, *everything)
            missed.append(np.mean(everything[1][accepted]) < 0.9)
            covered.append(np.mean(accepted))
            assert clf.operating_point_.guarantee.bound >= 0.9
        if kind in ("smooth", "ties"):
            front = pareto_front(*(values[:half] for values in drawn))
            held_out = [values[half:] for values in drawn]
            thresholds = by_hand.certify_plainly(front, held_out, 0.9, level)
            accepted = 0.0 if thresholds is None else everything[0] >= thresholds[everything[2]]
            plainly.append(np.mean(accepted))
    assert np.mean(missed) <= level + 3 * (level * (1 - level) / n_runs) ** 0.5
    if kind in ("smooth", "ties"):
        # One threshold cannot follow cells as unlike as these; a learned path can.
        assert np.mean(covered) > np.mean(plainly) or test_size == "auto"
        assert np.mean(covered) > (0.5 if n_samples == 1200 else 0.2)
