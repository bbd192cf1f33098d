"""Laws of the fronts, on many small random data sets, half of them with ties."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from abstain import pareto_front
from abstain.fronts import METHODS
from tests.examples import MANY, examples, many_examples
from tests.fronts.strategies import Calibration, half_tied, synthetic
from tests.reference.fronts import (
    exhaustive_front,
    paper_dynamic_program,
    paper_greedy,
    rejected_counts,
    true_rejects_by_budget,
)

methods = st.sampled_from(sorted(METHODS))


def table(front):
    """Return the false rejects of each number of true rejects; of a path, the most of them."""
    return dict(zip(front.true_rejects.tolist(), front.false_rejects.tolist(), strict=True))


def best_by_budget(front, n):
    """Return the most true rejects with at most n false ones."""
    return front.true_rejects[front.false_rejects <= n].max()


# The exact front is the optimum that exhaustive search finds, for exactly those numbers of true
# rejects that some thresholds have.
@examples(2 * MANY)
@given(half_tied())
def test_exact_equals_exhaustive_search(data):
    assert table(pareto_front(*data)) == exhaustive_front(*map(np.ndarray.tolist, data))


# The pruned search is put to work by more errors than exhaustive search can handle: the unpruned
# convolution, written as a loop over all steps, is the oracle. With no cells joined, or small ones.
@pytest.mark.parametrize("large", [1, 256])
@pytest.mark.parametrize("decimals", [None, 3, 2])
@pytest.mark.parametrize("n_cells", [1, 2, 3, 10, 40])
@pytest.mark.parametrize("n_samples", [300, 5000])
def test_exact_equals_the_unpruned_convolution(n_samples, n_cells, decimals, large, monkeypatch):
    monkeypatch.setattr("abstain.fronts.joining.LARGE", large)
    front = pareto_front(*synthetic(n_samples, n_cells, decimals=decimals))
    assert table(front) == unpruned_convolution(front.staircases)


def unpruned_convolution(staircases):
    never = staircases.n_samples + 1
    fewest = np.zeros(1, dtype=int)
    for start, stop in zip(staircases.starts[:-1], staircases.starts[1:], strict=True):
        true_rejects = staircases.true_rejects[start:stop]
        grown = np.full(len(fewest) + true_rejects[-1], never)
        for true, false in zip(true_rejects, staircases.false_rejects[start:stop], strict=True):
            part = grown[true : true + len(fewest)]
            np.minimum(part, fewest + false, out=part)
        fewest = np.where(grown > staircases.n_samples, never, grown)
    return {m: int(false) for m, false in enumerate(fewest) if false < never}


# On small data, the budget of pruning is soon spent. Without one, all rows are found by pruning
# and certificates alone.
@many_examples
@given(half_tied(max_size=60, max_cells=8))
def test_pruning_alone_is_exact(data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("abstain.fronts.exact.Budget.spend", lambda *_: True)
        patch.setattr("abstain.fronts.joining.LARGE", 1)
        front = pareto_front(*data)
    assert table(front) == unpruned_convolution(front.staircases)


# Concave staircases are what the envelope prunes worst: the first error of a cell costs nearly
# everything, the others nothing more.
@pytest.mark.parametrize("spend", [True, False])
def test_exact_on_data_that_defies_pruning(spend, monkeypatch):
    monkeypatch.setattr("abstain.fronts.joining.LARGE", 1)
    monkeypatch.setattr("abstain.fronts.exact.Budget.spend", lambda *_: spend)
    certainty = np.concatenate([np.arange(60.0), 60 + np.arange(25.0)] * 3)
    correct = np.concatenate([np.ones(60, bool), np.zeros(25, bool)] * 3)
    front = pareto_front(certainty, correct, np.repeat([0, 1, 2], 85))
    assert table(front) == unpruned_convolution(front.staircases)
    assert table(front)[26] == 120


@many_examples
@given(half_tied(), methods)
def test_thresholds_of_each_row_realise_its_counts(data, method):
    front = pareto_front(*data, method=method)
    for row in range(len(front)):
        realised = rejected_counts(*data, front.cells.tolist(), front.thresholds_at(row))
        assert realised == (front.true_rejects[row], front.false_rejects[row])


@many_examples
@given(half_tied(max_size=40), methods)
def test_the_matrix_of_thresholds_realises_every_row(data, method):
    front = pareto_front(*data, method=method)
    assert front.thresholds.shape == (len(front), front.n_cells)
    for row, thresholds in enumerate(front.thresholds):
        realised = rejected_counts(*data, front.cells.tolist(), thresholds)
        assert realised == (front.true_rejects[row], front.false_rejects[row])


@pytest.mark.parametrize("method", sorted(METHODS))
def test_thresholds_realise_the_counts_of_a_large_front(method):
    data = synthetic(5000, 12, decimals=4)
    front = pareto_front(*data, method=method)
    rejected = data.certainty < front.thresholds[:, data.cells]
    assert (rejected & ~data.correct).sum(axis=1).tolist() == front.true_rejects.tolist()
    assert (rejected & data.correct).sum(axis=1).tolist() == front.false_rejects.tolist()


# A threshold is a certainty of its own cell, or it rejects none (-inf) or all (+inf). The cells of
# a pooled front share what they know, and then also the certainties.
@many_examples
@given(half_tied(), methods)
def test_thresholds_are_certainties_of_their_cell(data, method):
    front = pareto_front(*data, method=method)
    for column, cell in enumerate(front.cells):
        known = data.certainty if method == "pooled" else data.certainty[data.cells == cell]
        assert set(front.thresholds[:, column]) <= {-np.inf, np.inf, *known}


@many_examples
@given(half_tied(max_size=40), st.sampled_from(["greedy", "hull", "pooled"]))
def test_exact_is_never_worse_at_any_number_of_false_rejects(data, method):
    exact, other = pareto_front(*data), pareto_front(*data, method=method)
    for n in other.false_rejects:
        assert best_by_budget(exact, n) >= best_by_budget(other, n)


@many_examples
@given(half_tied(max_size=40))
def test_local_thresholds_are_never_worse_than_a_global_one(data):
    local, single = pareto_front(*data), pareto_front(data.certainty, data.correct)
    for n in single.false_rejects:
        assert best_by_budget(local, n) >= best_by_budget(single, n)


@many_examples
@given(half_tied(max_size=60), methods)
def test_gap_never_understates_what_the_exact_front_saves(data, method):
    exact = table(pareto_front(*data))
    front = pareto_front(*data, method=method)
    saved = front.false_rejects - [exact[true] for true in front.true_rejects.tolist()]
    assert (front.gap >= saved).all()
    assert (saved >= 0).all()


@pytest.mark.parametrize("decimals", [None, 2])
def test_hull_is_exact_at_its_breakpoints(decimals):
    data = synthetic(5000, 8, decimals=decimals)
    hull, exact = pareto_front(*data, method="hull"), table(pareto_front(*data))
    at_zero_gap = hull.gap == 0
    assert [exact[m] for m in hull.true_rejects[at_zero_gap]] == hull.false_rejects[
        at_zero_gap
    ].tolist()
    breakpoints = hull.backtrace.envelope.true_rejects
    assert set(breakpoints) <= set(hull.true_rejects[at_zero_gap])
    assert len(breakpoints) > 20


@many_examples
@given(half_tied(max_size=40), methods, st.randoms(use_true_random=False))
def test_shuffling_rows_changes_nothing(data, method, random):
    order = list(range(len(data.cells)))
    random.shuffle(order)
    front, shuffled = (
        pareto_front(*columns, method=method)
        for columns in (data, [column[order] for column in data])
    )
    assert table(front) == table(shuffled)
    assert np.array_equal(front.thresholds, shuffled.thresholds)


# Names of cells are names: only the order of the columns follows them.
@many_examples
@given(half_tied(max_size=40), methods, st.permutations(range(4)))
def test_relabelling_cells_changes_no_counts(data, method, names):
    renamed = data._replace(cells=np.array([f"cell {names[cell]}" for cell in data.cells]))
    assert table(pareto_front(*data, method=method)) == table(pareto_front(*renamed, method=method))


@many_examples
@given(half_tied(max_size=40), methods)
def test_a_strictly_increasing_map_of_certainties_changes_no_counts(data, method):
    # The ranks are such a map, and lose no distinction to rounding. What is infinite stays so: a
    # certainty of +inf is below no threshold.
    ranks = np.unique(data.certainty, return_inverse=True)[1]
    certainty = np.where(np.isinf(data.certainty), data.certainty, ranks**3 - 7)
    mapped = pareto_front(certainty, data.correct, data.cells, method=method)
    assert table(pareto_front(*data, method=method)) == table(mapped)


@many_examples
@given(half_tied(max_size=40), methods)
def test_the_first_row_rejects_nothing_and_rows_ascend(data, method):
    front = pareto_front(*data, method=method)
    assert (front.true_rejects[0], front.false_rejects[0]) == (0, 0)
    assert (front.thresholds_at(0) == -np.inf).all()
    # A pooled front also has rows that catch no more errors, but reject more.
    rejects = front.true_rejects + front.false_rejects * front.is_nested
    assert (np.diff(front.true_rejects) >= 0).all()
    assert (np.diff(rejects) > 0).all()


# A row is on the paper's front iff no other row dominates it.
@many_examples
@given(half_tied(max_size=40), methods)
def test_is_pareto_marks_the_rows_that_no_other_dominates(data, method):
    front = pareto_front(*data, method=method)
    rows = list(zip(front.true_rejects.tolist(), front.false_rejects.tolist(), strict=True))
    for (true, false), is_pareto in zip(rows, front.is_pareto, strict=True):
        dominated = any(t >= true and f <= false and (t, f) != (true, false) for t, f in rows)
        assert is_pareto == (not dominated)


# Both cells gain two for two false rejects; from three on, the first has nothing more to gain.
TIED_UNTIL_ONE_ENDS = Calibration(
    np.array([0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7.0]),
    np.array([1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0], dtype=bool),
    np.repeat([0, 1], [4, 8]),
)


# The fast greedy search jumps from one change of gains to the next; the transcription spends one
# false reject after the other.
@many_examples
@given(half_tied(max_size=40))
@example(TIED_UNTIL_ONE_ENDS)
def test_greedy_equals_the_mended_algorithm_2(data):
    front = pareto_front(*data, method="greedy")
    # Ties go to the first cell in an order by content.
    budgets = [
        true_rejects_by_budget(
            data.certainty[data.cells == cell].tolist(), data.correct[data.cells == cell].tolist()
        )
        for cell in front.cells[np.argsort(front.staircases.content_rank, kind="stable")]
    ]
    path = paper_greedy(budgets)
    assert front.true_rejects.tolist() == sorted({0, *(caught for _, caught in path)})
    for n, caught in path:
        assert table(front)[caught] <= n


# Without ties, threshold i of a cell has exactly i false rejects, as Algorithm 1 assumes. What it
# says can be had for exactly n false rejects is what the exact front has for at most n.
@many_examples
@given(half_tied(max_size=24))
def test_exact_agrees_with_algorithm_1_where_counts_are_attainable(data):
    certainty = np.unique(data.certainty, return_index=True)[1]
    data = [column[certainty] for column in data]
    budgets = [
        true_rejects_by_budget(data[0][data[2] == cell].tolist(), data[1][data[2] == cell].tolist())
        for cell in np.unique(data[2])
    ]
    front = pareto_front(*data)
    most = -np.inf
    for n, caught in enumerate(paper_dynamic_program(budgets)):
        most = max(most, caught)
        assert best_by_budget(front, n) == most
