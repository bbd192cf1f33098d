"""Laws of the evidence of one sequence of outcomes."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstain.monitor.evidence import (
    LOG_WEIGHTS,
    NO_RESTARTS,
    add_outcomes,
    concatenate,
    no_evidence,
)
from tests.examples import examples
from tests.reference.monitor import evidence as reference
from tests.reference.monitor import values_without_overshoot

LIMITS = st.floats(0.001, 0.9)
EVENTS = st.lists(st.booleans(), max_size=12)


def after(events, limit):
    return add_outcomes(no_evidence(limit), np.array(events, bool))


@examples(0.3)
@given(EVENTS, LIMITS)
def test_evidence_is_the_mean_of_all_bets(events, limit):
    state, path = after(events, limit)
    expected = [reference(events[: i + 1], limit) for i in range(len(events))]
    np.testing.assert_allclose(np.exp(path), expected, rtol=1e-9)
    np.testing.assert_allclose(np.exp(state.log_value()), reference(events, limit), rtol=1e-9)
    without = np.exp(state.log_value(NO_RESTARTS))
    np.testing.assert_allclose(without, reference(events, limit, False), rtol=1e-9)


@pytest.mark.parametrize("weights", [LOG_WEIGHTS, NO_RESTARTS], ids=["restarts", "none"])
@pytest.mark.parametrize("limit", [0.01, 0.1, 0.5])
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_expected_evidence_is_at_most_1_if_events_are_as_probable_as_promised(
    weights, limit, share
):
    p = share * limit
    sequences = np.array(list(product([False, True], repeat=8)))
    probability = np.where(sequences, p, 1 - p).prod(axis=1)
    _, path = add_outcomes(no_evidence(limit, (len(sequences),)), sequences, weights)
    expected = probability @ np.exp(path)
    assert (expected <= 1 + 1e-12).all()
    if share == 1.0:
        np.testing.assert_allclose(expected, 1)


@examples(0.3)
@given(EVENTS, LIMITS, st.floats(1.1, 10))
def test_bets_are_no_larger_than_needed_to_reach_the_target(events, limit, target):
    state, path = add_outcomes(
        no_evidence(limit), np.array(events, bool), log_target=np.log(target)
    )
    expected = values_without_overshoot(events, limit, target)
    np.testing.assert_allclose(np.exp(path), expected, rtol=1e-6)
    if events:
        np.testing.assert_allclose(np.exp(state.log_value()), expected[-1], rtol=1e-6)


@pytest.mark.parametrize("target", [1.5, 4.0, 20.0])
@pytest.mark.parametrize("limit", [0.1, 0.5])
def test_the_target_is_reached_sooner_and_no_more_often_than_promised(limit, target):
    sequences = np.array(list(product([False, True], repeat=10)))
    probability = np.where(sequences, limit, 1 - limit).prod(axis=1)
    usual = add_outcomes(no_evidence(limit, (len(sequences),)), sequences)[1]
    start, log_target = no_evidence(limit, (len(sequences),)), np.log(target)
    path = add_outcomes(start, sequences, log_target=log_target)[1]
    assert (path >= usual - 1e-12).all()
    reached = path >= log_target
    first = np.where(reached.any(axis=1), reached.argmax(axis=1), -1)
    # What is staked on sequences that reach it, counted as the target, never exceeds the capital.
    final = np.where(first >= 0, target, np.exp(path[:, -1]))
    assert probability @ final <= 1 + 1e-9
    assert probability @ (first >= 0) <= 1 / target


@given(EVENTS, EVENTS, LIMITS)
def test_concatenation_equals_one_sequence(first, second, limit):
    joined = concatenate(after(first, limit)[0], after(second, limit)[0])
    whole = after([*first, *second], limit)[0]
    assert (joined.n, joined.n_events) == (whole.n, whole.n_events)
    np.testing.assert_allclose(joined.log_sums, whole.log_sums, rtol=1e-9, atol=1e-9)


@given(st.integers(0, 2**32), LIMITS)
def test_outcomes_one_by_one_equal_all_at_once(seed, limit):
    # More than one block.
    events = np.random.default_rng(seed).random(1500) < limit
    whole, path = after(events, limit)
    state = no_evidence(limit)
    cuts = np.sort(np.random.default_rng(seed).integers(0, 1500, 5))
    parts = []
    for part in np.split(events, cuts):
        state, steps = add_outcomes(state, part)
        parts.append(steps)
    np.testing.assert_allclose(np.concatenate(parts), path, atol=1e-6)
    np.testing.assert_allclose(state.log_sums, whole.log_sums, rtol=1e-9, atol=1e-6)


def test_sequences_side_by_side_equal_each_alone():
    events = np.random.default_rng(0).random((4, 300)) < 0.2
    _, paths = add_outcomes(no_evidence(0.1, (4,)), events)
    for row, path in zip(events, paths, strict=True):
        np.testing.assert_allclose(after(row, 0.1)[1], path, atol=1e-9)


def test_a_long_good_past_does_not_hide_a_bad_present():
    good = np.random.default_rng(0).random(10_000) < 0.05
    bad = np.random.default_rng(1).random(200) < 0.4
    state, _ = after(good, 0.1)
    state, path = add_outcomes(state, bad)
    assert path.max() > np.log(20)
    assert state.log_value(NO_RESTARTS) < -50
