"""Laws of the pooled front: nested rows, the limits of its strength, and its probabilities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstain import RejectRate, pareto_front
from abstain.fronts import bins, curves
from abstain.fronts.bins import count_in_bins
from abstain.fronts.pooled import _row_ends, pooled_front
from tests.examples import MANY, examples, many_examples
from tests.fronts.strategies import half_tied, synthetic
from tests.reference.fronts import rejected_counts
from tests.reference.pooled import probability_correct


def pooled(data, strength=None):
    return pooled_front(count_in_bins(*data), strength)


# A row that rejects more lowers no threshold, not even that of cells never seen.
@many_examples
@given(half_tied(max_size=40))
def test_rows_are_nested(data):
    front = pooled(data)
    assert (front.thresholds[1:] >= front.thresholds[:-1]).all()
    shared = front.shared_thresholds(np.arange(len(front)))
    assert (shared[1:] >= shared[:-1]).all()


@many_examples
@given(half_tied(max_size=40))
def test_the_last_row_rejects_everything_that_can_be(data):
    front = pooled(data)
    rejected = front.true_rejects[-1] + front.false_rejects[-1]
    assert rejected == np.count_nonzero(data.certainty < np.inf)
    assert (front.thresholds_at(-1) == np.inf).all() == (rejected > 0)


@many_examples
@given(half_tied(max_size=40))
def test_the_steps_of_the_cells_add_up_to_their_row(data):
    front = pooled(data)
    steps = front.backtrace.steps_at(np.arange(len(front)))
    assert (front.staircases.true_rejects[steps].sum(axis=1) == front.true_rejects).all()
    assert (front.staircases.false_rejects[steps].sum(axis=1) == front.false_rejects).all()


# One cell: whatever the probabilities are, they rise, so that rows follow the certainty.
@many_examples
@given(half_tied(max_size=40))
def test_one_cell_is_the_order_of_the_certainties(data):
    front = pooled((data.certainty, data.correct, None))
    finite = data.certainty[data.certainty < np.inf]
    rejects = [0, *np.cumsum(np.unique(finite, return_counts=True)[1])]
    assert (front.true_rejects + front.false_rejects).tolist() == rejects


@many_examples
@given(half_tied(max_size=40))
def test_strength_zero_is_one_threshold_for_all(data):
    front, single = pooled(data, 0.0), pooled((data.certainty, data.correct, None))
    assert front.true_rejects.tolist() == single.true_rejects.tolist()
    assert (front.thresholds == single.thresholds).all()
    assert (front.shared_thresholds(np.arange(len(front))) == single.thresholds[:, 0]).all()


# Infinite strength: a cell learns nothing from others, so it does not matter where these err. (Of
# the two sets of basis functions, all samples say which fits better.)
@many_examples
@given(half_tied(max_size=40), st.randoms(use_true_random=False), st.sampled_from(curves.BENDS))
def test_infinite_strength_is_a_curve_of_its_own_for_each_cell(data, random, bends):
    others = np.flatnonzero(data.cells != data.cells[0])
    changed = data.correct.copy()
    changed[others] = random.sample(changed[others].tolist(), len(others))
    own = np.searchsorted(np.unique(data.cells), data.cells[0])
    fits = []
    for correct in (data.correct, changed):
        counts = count_in_bins(data.certainty, correct, data.cells)
        size, basis = (
            counts.wrong + counts.right,
            curves._basis(np.arange(len(counts.edges)) / 10, bends),
        )
        ones = np.ones(len(counts.cells), dtype=np.int64)
        ((_, fit),) = curves._fit_all(counts.wrong * 1.0, size * 1.0, ones, basis, (np.inf,))
        fits.append(fit.deviations[own])
    assert np.allclose(*fits, atol=1e-3)


# Between the two: the larger the strength, the further the curves are from the common one.
def test_strength_grows_from_one_curve_to_one_for_each_cell():
    data = synthetic(3000, 6)
    spreads = []
    for strength in (0.0, 0.1, 0.5, 2.0):
        log_odds = pooled(data, strength).curves.log_odds
        spreads.append(np.abs(log_odds[:-1] - log_odds[-1]).mean())
    assert spreads[0] == 0
    assert (np.diff(spreads) > 0).all()


@many_examples
@given(half_tied(max_size=40))
def test_the_probability_rises_with_the_certainty_in_every_cell(data):
    front = pooled(data)
    certainty = np.sort(data.certainty)
    for column in range(-1, front.n_cells):
        probability = front.probability_correct(certainty, np.full(len(certainty), column))
        assert (np.diff(probability) >= 0).all()
        assert ((probability > 0) & (probability < 1)).all()


# A row accepts what is at least as probable as anything that it rejects.
@many_examples
@given(half_tied(max_size=40))
def test_what_a_row_accepts_is_more_probable_than_what_it_rejects(data):
    front = pooled(data)
    columns = np.searchsorted(front.cells, data.cells)
    probability = front.probability_correct(data.certainty, columns)
    is_finite = data.certainty < np.inf
    for thresholds in front.thresholds:
        rejected = data.certainty < thresholds[columns]
        kept = ~rejected & is_finite
        if rejected.any() and kept.any():
            assert probability[rejected].max() <= probability[kept].min() + 1e-6


# The whole model, maximised and integrated by general tools, sample by sample.
@pytest.mark.parametrize("seed", range(3))
def test_probabilities_are_those_of_the_model_by_hand(seed):
    data = synthetic(40, 2, decimals=1 if seed else None, seed=seed)
    front = pooled(data)
    probability = front.probability_correct(data.certainty, data.cells)
    expected = probability_correct(*(part.tolist() for part in data))
    assert np.abs(probability - expected).max() < 2e-3


@many_examples
@given(half_tied(max_size=40))
def test_expected_accuracies_are_mean_probabilities(data):
    front = pooled(data)
    columns = np.searchsorted(front.cells, data.cells)
    probability = front.probability_correct(data.certainty, columns)
    for thresholds, expected in zip(front.thresholds, front.expected_accuracies, strict=True):
        accepted = data.certainty >= thresholds[columns]
        if accepted.any():
            assert expected == pytest.approx(probability[accepted].mean(), abs=1e-9)
        else:
            assert np.isnan(expected)


# One threshold for all is judged by the same probabilities, so that the two can be compared.
@many_examples
@given(half_tied(max_size=40))
def test_one_threshold_is_the_front_without_cells_by_the_probabilities_of_the_cells(data):
    front, alone = pooled(data), pareto_front(data.certainty, data.correct, method="pooled")
    assert alone.one_threshold is alone
    one_threshold = front.one_threshold
    assert np.array_equal(one_threshold.thresholds, alone.thresholds)
    assert np.array_equal(
        one_threshold.leave_one_out_accuracies, alone.leave_one_out_accuracies, True
    )
    probability = front.probability_correct(
        data.certainty, np.searchsorted(front.cells, data.cells)
    )
    for (threshold,), expected in zip(
        one_threshold.thresholds, one_threshold.expected_accuracies, strict=True
    ):
        accepted = data.certainty >= threshold
        if accepted.any():
            assert expected == pytest.approx(probability[accepted].mean(), abs=1e-9)


# Without itself a right sample seems less probably right, and a wrong one more so. An example has
# four fronts.
@examples(max(1, MANY / 4))
@given(half_tied(max_size=40))
def test_leaving_one_out_never_raises_an_accuracy(data):
    for strength in (None, 0.0, 0.4, np.inf):
        front = pooled(data, strength)
        accepts = np.isfinite(front.leave_one_out_accuracies)
        assert (front.leave_one_out_accuracies <= front.accuracies + 1e-12)[accepts].all()
        right, wrong = front.curves.log_odds_left_out()
        assert (right >= front.curves.log_odds[:-1] - 1e-9).all()
        assert (wrong <= front.curves.log_odds[:-1] + 1e-9).all()


# One Newton step is close to fitting again without the sample.
@pytest.mark.parametrize("strength", [0.0, 0.4, np.inf])
def test_leaving_one_out_is_a_fit_without_the_sample(strength):
    data = synthetic(300, 3, decimals=1)
    counts = count_in_bins(*data)
    size = (counts.wrong + counts.right).astype(float)
    knots = np.linspace(-2, 2, size.shape[1])
    ones, basis = np.ones(3, dtype=np.int64), curves._basis(knots, ())
    ((problem, fit),) = curves._fit_all(counts.wrong * 1.0, size, ones, basis, (strength,))
    log_odds = (fit.beta + fit.deviations) @ basis.T
    mixture = curves._Mixture([problem], [fit], np.ones(1), knots, knots, np.arange(3))
    shifts = mixture.shifts_left_out()
    for wrong, of_kind, shift in zip((0.0, 1.0), (counts.right, counts.wrong), shifts, strict=True):
        approximate = log_odds + shift
        for cell, knot in np.argwhere(of_kind > 0)[::7].tolist():
            rest, rest_size = counts.wrong.astype(float), size.copy()
            rest[cell, knot] -= wrong
            rest_size[cell, knot] -= 1
            again = curves._Problem(rest, rest_size, ones, basis, problem.level, strength)
            without = again.solve(fit.beta, fit.deviations)
            expected = (without.beta + without.deviations[cell]) @ basis[knot]
            change = abs(expected - log_odds[cell, knot])
            assert approximate[cell, knot] == pytest.approx(expected, abs=0.1 * change + 1e-6)


# Far from the maximum, whole Newton steps would overshoot it.
@pytest.mark.parametrize("strength", [0.0, 0.4])
@pytest.mark.parametrize("start", [-8.0, 8.0])
def test_the_fit_does_not_depend_on_its_start(strength, start):
    counts = count_in_bins(*synthetic(300, 3, decimals=1))
    size = (counts.wrong + counts.right).astype(float)
    basis = curves._basis(np.linspace(-2, 2, size.shape[1]), ())
    ones, nothing = np.ones(3, dtype=np.int64), np.zeros((3, 2))
    problem = curves._Problem(counts.wrong * 1.0, size, ones, basis, np.zeros(2), strength)
    fit = problem.solve(np.zeros(2), nothing)
    far = problem.solve(np.full(2, start), nothing + start)
    assert np.allclose(far.deviations + far.beta, fit.deviations + fit.beta, atol=1e-3)
    assert far.evidence == pytest.approx(fit.evidence, abs=1e-3)


# A group begins where the share of samples before a bin reaches the next multiple of 1/groups.
@pytest.mark.parametrize(("n_cells", "n_groups"), [(1, 64), (100, 40), (1000, 32)])
def test_groups_of_bins_have_about_equally_many_samples(n_cells, n_groups):
    total = np.random.default_rng(0).integers(1, 50, 500)
    groups = [
        sum(total[:index].tolist()) * n_groups // sum(total.tolist()) for index in range(len(total))
    ]
    starts = [0, *(index for index in range(1, 500) if groups[index] > groups[index - 1])]
    assert curves._group_starts(total, n_cells).tolist() == starts
    assert curves._group_starts(total[:n_groups], n_cells).tolist() == list(range(n_groups))


# Regions that differ: a sure cell is rejected later than an unsure one, and the reverse with the
# same certainties; a cell never seen lies between.
def test_cells_that_err_more_are_rejected_first():
    rng = np.random.default_rng(0)
    certainty, cells = rng.random(4000), np.repeat(["good", "bad"], 2000)
    correct = rng.random(4000) < np.where(cells == "good", 0.98, 0.7)
    front = pareto_front(certainty, correct, cells, method="pooled")
    bad, good = (front.probability_correct([0.5], np.array([column]))[0] for column in (0, 1))
    unseen = front.probability_correct([0.5], np.array([-1]))[0]
    assert bad == pytest.approx(0.7, abs=0.04)
    assert good == pytest.approx(0.98, abs=0.02)
    assert bad < unseen < good


# Where cells do not differ, the strength says so.
def test_the_strength_is_learned():
    rng = np.random.default_rng(0)
    certainty, cells = rng.random(5000), rng.integers(10, size=5000)
    alike = rng.random(5000) < 0.7 + 0.3 * certainty
    differ = rng.random(5000) < np.where(cells < 5, 0.99, 0.6 + 0.3 * certainty)
    strengths = [
        pareto_front(certainty, correct, cells, method="pooled").curves.strength
        for correct in (alike, differ)
    ]
    assert strengths[0] < 0.1 < 1 < strengths[1]


# With more distinct certainties than bins, rows are coarser, and their counts still exact; the gap
# still bounds what the exact front saves.
def test_merged_bins_and_rows_keep_their_word(monkeypatch):
    data = synthetic(3000, 5)
    monkeypatch.setattr(bins, "MAX_BINS", 40)
    monkeypatch.setattr("abstain.fronts.pooled.MAX_ROWS", 50)
    front = pooled(data)
    assert 30 < len(front) <= 51
    cells = front.cells.tolist()
    for row in range(len(front)):
        realised = rejected_counts(*data, cells, front.thresholds_at(row))
        assert realised == (front.true_rejects[row], front.false_rejects[row])
    exact = pareto_front(*data)
    fewest = exact.false_rejects[np.searchsorted(exact.true_rejects, front.true_rejects)]
    assert (front.gap >= front.false_rejects - fewest).all()


def test_merged_rows_reject_about_equally_many_samples_more(monkeypatch):
    monkeypatch.setattr("abstain.fronts.pooled.MAX_ROWS", 50)
    ends = _row_ends(np.arange(100, 0, -1), np.ones(100, dtype=np.int64))
    assert ends.tolist() == list(range(1, 100, 2))


# Estimates from merged bins are close to estimates from single samples.
def test_merging_bins_changes_probabilities_little(monkeypatch):
    data = synthetic(3000, 5)
    columns = data.cells
    fine = pooled(data).probability_correct(data.certainty, columns)
    monkeypatch.setattr(bins, "MAX_BINS", 100)
    coarse = pooled(data).probability_correct(data.certainty, columns)
    assert np.abs(fine - coarse).mean() < 0.01


# Neither the order of many samples nor a strictly increasing map of their certainties changes a
# decision; quantiles are exact, though a sketch of few values finds them.
def test_shuffling_many_samples_changes_nothing(monkeypatch):
    data = synthetic(3000, 5)
    monkeypatch.setattr(bins, "MAX_RANKS", 700)
    front = pooled(data)
    assert front.n_samples == 3000
    assert front.true_rejects[-1] == np.count_nonzero(~data.correct)
    assert not front.curves.counts.is_lossless
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(3000)
        again = pooled([part[order] for part in data])
        assert (again.thresholds == front.thresholds).all()
        assert again.true_rejects.tolist() == front.true_rejects.tolist()
    mapped = pooled((2 * data.certainty, data.correct, data.cells))
    assert (mapped.thresholds == 2 * front.thresholds).all()
    for row in range(0, len(front), 37):
        realised = rejected_counts(*data, front.cells.tolist(), front.thresholds_at(row))
        assert realised == (front.true_rejects[row], front.false_rejects[row])


# Neither periods in the data nor small shares are in the way of what is requested.
def test_periodic_data_and_small_shares_are_rejected_as_asked():
    rng = np.random.default_rng(0)
    certainty = rng.random(200_000)
    certainty[::4] = 0.9 + certainty[::4] / 10
    correct = rng.random(200_000) < certainty
    front = pareto_front(certainty, correct, method="pooled")
    for rate in (0.0005, 0.001, 0.01, 0.1, 0.5, 0.999):
        reached = front.reject_rates[RejectRate(rate).choose(front)]
        assert 0.45 * rate < reached <= rate
        assert 1 - reached < 2.2 * (1 - rate)
