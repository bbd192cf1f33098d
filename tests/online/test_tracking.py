"""Thresholds that follow a stream: those of all samples where nothing is forgotten."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abstain import Accuracy, InputError, RejectCost, RejectRate, pareto_front
from abstain.online.tracking import ThresholdTracker
from tests.online.test_histograms import SAMPLES, arrays

TARGETS = (RejectRate(0.3), RejectCost(0.3), Accuracy(0.8))


def labelled(block):
    certainty, cells, correct = arrays(block)
    return certainty, cells, np.array([each is not False for each in correct])


def feed(tracker, certainty, cells, correct, rejected=True):
    tracker.see(certainty, cells.tolist())
    tracker.learn(certainty, cells.tolist(), correct, np.full(len(cells), rejected))


def stream(rng, n, level):
    """One cell; an answer of certainty r is right with probability σ(4 r − level)."""
    certainty = rng.random(n)
    return certainty, np.zeros(n, int), rng.random(n) < 1 / (1 + np.exp(level - 4 * certainty))


def follow(tracker, certainty, cells, correct, size=100):
    rejected = np.empty(len(cells), np.bool_)
    for start in range(0, len(cells), size):
        block = slice(start, start + size)
        names = cells[block].tolist()
        rejected[block] = tracker.rejects(certainty[block], tracker.positions(names))
        tracker.see(certainty[block], names, rejected[block])
        tracker.learn(certainty[block], names, correct[block], rejected[block])
    return rejected


@pytest.mark.parametrize("method", ["pooled", "exact"])
@given(st.lists(SAMPLES, min_size=1, max_size=4), st.sampled_from(TARGETS))
@settings(max_examples=25, deadline=None)
def test_without_forgetting_the_thresholds_are_those_of_all_samples(method, blocks, target):
    tracker = ThresholdTracker(target, method, np.inf, detects_drift=False)
    parts = [labelled(block) for block in blocks]
    for part in parts:
        feed(tracker, *part)
    tracker.set_thresholds(refit=True)
    certainty, cells, correct = map(np.concatenate, zip(*parts, strict=True))
    front = pareto_front(certainty, correct, cells, method=method)
    try:
        row = target.choose(front)
    except InputError:
        assert (tracker.thresholds == np.inf).all()
        return
    rejected = tracker.rejects(certainty, tracker.positions(cells.tolist()))
    # Cells with equal samples can be exchanged in an exact front.
    assert (rejected & ~correct).sum() == front.true_rejects[row]
    assert (rejected & correct).sum() == front.false_rejects[row]
    if method == "pooled":
        own = tracker.thresholds_of(tracker.positions(front.cells.tolist()))
        assert own.tolist() == front.thresholds_at(row).tolist()
        assert tracker.thresholds[-1] == front.shared_thresholds(np.array([row]))[0]


@given(SAMPLES, st.randoms())
@settings(max_examples=25, deadline=None)
def test_late_labels_count_the_same_in_any_order(block, random):
    certainty, cells, correct = labelled(block)
    at_once = ThresholdTracker(RejectRate(0.3), "pooled", np.inf)
    feed(at_once, certainty, cells, correct)
    at_once.set_thresholds(refit=True)
    late = ThresholdTracker(RejectRate(0.3), "pooled", np.inf)
    late.see(certainty, cells.tolist())
    order = list(range(len(cells)))
    random.shuffle(order)
    for row in order:
        own = slice(row, row + 1)
        late.learn(certainty[own], cells[own].tolist(), correct[own], np.ones(1, np.bool_))
    late.set_thresholds(refit=True)
    assert late.cells == at_once.cells
    assert late.thresholds.tolist() == at_once.thresholds.tolist()


@given(st.lists(SAMPLES, min_size=2, max_size=4))
@settings(max_examples=25, deadline=None)
def test_workers_that_are_merged_know_what_one_would(blocks):
    parts = [labelled(block) for block in blocks]
    one, other, whole = (ThresholdTracker(RejectCost(0.3), "pooled", np.inf) for _ in range(3))
    for part in parts[:1]:
        feed(one, *part)
    for part in parts[1:]:
        feed(other, *part)
    for part in parts:
        feed(whole, *part)
    one.merge(other)
    whole.set_thresholds(refit=True)
    assert one.cells == whole.cells
    assert one.thresholds.tolist() == whole.thresholds.tolist()


def test_an_accuracy_is_kept_through_drift():
    rng = np.random.default_rng(0)
    parts = [stream(rng, 5000, level) for level in (1.0, 1.8, 0.0, 1.5)]
    certainty, cells, correct = map(np.concatenate, zip(*parts, strict=True))
    tracker = ThresholdTracker(Accuracy(0.85), "pooled", 1000.0)
    rejected = follow(tracker, certainty, cells, correct)
    static = ThresholdTracker(Accuracy(0.85), "pooled", np.inf)
    feed(static, *(each[:2000] for each in (certainty, cells, correct)))
    fixed = static.rejects(certainty, static.positions(cells.tolist()))

    def distance(rejects):
        windows = [slice(start, start + 1000) for start in range(2000, 20_000, 1000)]
        return np.mean([abs(correct[w][~rejects[w]].mean() - 0.85) for w in windows])

    assert distance(rejected) < 0.5 * distance(fixed)
    assert tracker.n_drifts > 0


def test_a_reject_rate_is_kept_when_certainties_move():
    rng = np.random.default_rng(0)
    certainty = np.concatenate([rng.normal(level, 1, 4000) for level in (0, 3, -2)])
    correct = rng.random(12_000) < 0.8
    tracker = ThresholdTracker(RejectRate(0.2), "pooled", 1000.0)
    rejected = follow(tracker, certainty, np.zeros(12_000, int), correct)
    for start in (3000, 7000, 11_000):
        assert rejected[start : start + 1000].mean() == pytest.approx(0.2, abs=0.05)


def test_nothing_drifts_in_a_stationary_stream():
    tracker = ThresholdTracker(Accuracy(0.85), "pooled", 1000.0)
    follow(tracker, *stream(np.random.default_rng(0), 20_000, 1.0))
    assert tracker.n_drifts == 0


def test_everything_is_rejected_before_the_first_label_and_while_a_target_is_out_of_reach():
    tracker = ThresholdTracker(Accuracy(0.9), "pooled", 100.0)
    certainty, cells = np.array([0.1, 0.9]), np.array([0, 1])
    assert tracker.rejects(certainty, tracker.positions([0, 1])).all()
    tracker.see(certainty, [0, 1])
    tracker.set_thresholds()
    assert tracker.rejects(certainty, tracker.positions([0, 1])).all()
    feed(tracker, certainty, cells, np.array([False, False]))
    assert tracker.rejects(certainty, tracker.positions([0, 1])).all()


def test_new_cells_have_the_last_threshold_until_they_are_known():
    rng = np.random.default_rng(0)
    tracker = ThresholdTracker(RejectRate(0.2), "pooled", 1000.0)
    follow(tracker, *stream(rng, 500, 1.0))
    new = tracker.positions(["other"])
    assert tracker.thresholds_of(new).tolist() == [tracker.thresholds[-1]]
    certainty, _, correct = stream(rng, 500, 1.0)
    follow(tracker, certainty, np.full(500, 7), correct)
    assert tracker.cells == [0, 7]
    assert len(tracker.thresholds) == 3


def test_cells_that_are_forgotten_are_dropped():
    rng = np.random.default_rng(0)
    tracker = ThresholdTracker(RejectRate(0.2), "pooled", 50.0)
    for cell in range(30):
        certainty, _, correct = stream(rng, 200, 1.0)
        follow(tracker, certainty, np.full(200, cell), correct)
    assert len(tracker.cells) < 6
    assert len(tracker.histograms.seen) == len(tracker.cells)
