"""Edge cases and refused input of `pareto_front`."""

import pickle

import numpy as np
import pytest

from abstain import InputError, pareto_front
from abstain.fronts import METHODS, exact
from abstain.fronts.dynamic_program import DynamicProgram
from abstain.fronts.pareto import FROM_STAIRCASES
from abstain.fronts.staircases import build_staircases
from tests.fronts.strategies import synthetic

inf = float("inf")

every_method = pytest.mark.parametrize("method", sorted(METHODS))
# A pooled front goes on to reject everything: tests/laws/test_pooled.py.
every_staircase_method = pytest.mark.parametrize("method", sorted(FROM_STAIRCASES))


def rows(front):
    return list(zip(front.true_rejects.tolist(), front.false_rejects.tolist(), strict=True))


@every_staircase_method
def test_all_correct_rejects_nothing(method):
    front = pareto_front([0.1, 0.2, 0.3], [True] * 3, [1, 1, 2], method=method)
    assert rows(front) == [(0, 0)]
    assert front.thresholds.tolist() == [[-inf, -inf]]
    assert front.accuracies.tolist() == [1.0]


@every_method
def test_all_wrong_can_be_rejected_for_nothing(method):
    front = pareto_front([0.1, 0.2, 0.3], [False] * 3, [1, 1, 2], method=method)
    assert rows(front)[-1] == (3, 0)
    assert front.thresholds_at(-1).tolist() == [inf, inf]
    # Nothing is left to be accurate on.
    assert front.coverages[-1] == 0.0
    assert np.isnan(front.accuracies[-1])


@every_staircase_method
@pytest.mark.parametrize("correct", [True, False])
def test_one_sample(method, correct):
    front = pareto_front([0.5], [correct], method=method)
    assert rows(front) == ([(0, 0)] if correct else [(0, 0), (1, 0)])


# A sample of certainty +inf is below no threshold; one of -inf is below every other certainty.
@every_staircase_method
def test_infinite_certainties(method):
    certainty = [-inf, -inf, 0.0, inf, inf]
    correct = [False, True, True, False, True]
    front = pareto_front(certainty, correct, method=method)
    assert rows(front) == [(0, 0), (1, 1)]
    assert front.thresholds.tolist() == [[-inf], [0.0]]
    assert front.n_errors == 2


# Three tied errors and a tied correct sample: all of them or none.
@every_staircase_method
def test_ties_are_rejected_together(method):
    certainty = [0.2, 0.2, 0.2, 0.2, 0.7]
    front = pareto_front(certainty, [False, False, True, False, True], method=method)
    assert rows(front) == [(0, 0), (3, 1)]
    assert front.thresholds_at(1).tolist() == [0.7]


def test_a_global_cell_is_one_column_labelled_zero():
    front = pareto_front([0.1, 0.2], [False, True])
    assert front.cells.tolist() == [0]
    assert front.n_cells == 1


@pytest.mark.parametrize(
    "labels",
    [
        [7, -3, 7],
        [0, 10**18, 10**18],
        np.array([2**64 - 1, 0, 5], dtype=np.uint64),
        np.array([-128, 127, 0], dtype=np.int8),
        np.array([-(2**63), 2**63 - 1, 0]),
        [3.0, 1.0, 3.0],
        ["b", "a", "b"],
        [True, False, True],
        np.array(["leaf 2", "leaf 1", "leaf 2"], dtype=object),
        [2.0**70, -(2.0**70), 0.0],
        [2**70, 2**71, 2**70],
    ],
)
def test_cells_may_be_any_labels_and_columns_remember_them(labels):
    certainty, correct = np.array([0.3, 0.2, 0.1]), [True, True, False]
    front = pareto_front(certainty, correct, labels)
    assert front.cells.tolist() == sorted(set(np.asarray(labels).tolist()))
    column = front.cells.tolist().index(np.asarray(labels).tolist()[2])
    assert front.thresholds_at(1)[column] > 0.1


# The integer types of codes change at powers of 2.
@every_staircase_method
@pytest.mark.parametrize("n_cells", [127, 128, 129, 256, 257])
def test_each_of_some_hundred_cells_has_its_own_threshold(method, n_cells):
    cells = np.tile(np.arange(n_cells), 2)
    certainty = np.concatenate([np.arange(n_cells), np.arange(n_cells) + 0.5])
    front = pareto_front(certainty, np.repeat([False, True], n_cells), cells, method=method)
    assert rows(front)[-1] == (n_cells, 0)
    assert front.thresholds_at(-1).tolist() == (np.arange(n_cells) + 0.5).tolist()


def test_many_sparse_cells_are_distinguished():
    cells = np.arange(70_000) * 1_000_003
    front = pareto_front(np.arange(70_000.0), np.arange(70_000) % 1000 > 0, cells, method="hull")
    assert front.n_cells == 70_000
    assert rows(front)[-1] == (70, 0)


def test_one_row_does_not_build_the_matrix(monkeypatch):
    front = pareto_front(*synthetic(3000, 5))
    solved_rows = []
    chosen_steps = DynamicProgram.chosen_steps

    def spy(program, rows, sizes):
        solved_rows.extend(rows)
        return chosen_steps(program, rows, sizes)

    monkeypatch.setattr(DynamicProgram, "chosen_steps", spy)
    front.thresholds_at(len(front) // 2)
    assert solved_rows == [front.true_rejects[len(front) // 2]]
    assert "thresholds" not in vars(front)
    assert np.array_equal(front.thresholds[-1], front.thresholds_at(-1))


# Booleans, integers, floats and objects are accepted.
@pytest.mark.parametrize(
    "correct", [[True, False], [1, 0], [1.0, 0.0], np.array([np.True_, np.int8(0)], dtype=object)]
)
def test_correct_is_boolean_like(correct):
    assert rows(pareto_front([0.2, 0.1], correct)) == [(0, 0), (1, 0)]


@every_method
def test_fronts_survive_pickling(method):
    front = pareto_front(*synthetic(500, 3), method=method)
    copy = pickle.loads(pickle.dumps(front))
    assert rows(copy) == rows(front)
    assert np.array_equal(copy.thresholds, front.thresholds)


def test_rates_are_shares_of_the_samples():
    front = pareto_front([0.1, 0.2, 0.3, 0.4], [False, True, False, True])
    assert front.reject_rates.tolist() == [0.0, 0.25, 0.75]
    assert front.coverages.tolist() == [1.0, 0.75, 0.25]
    assert front.accuracies.tolist() == [2 / 4, 2 / 3, 1 / 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.1, np.nan], [1, 0]), "certainty must hold no missing value, got nan at index 1"),
        (([], []), "certainty must hold at least one sample, got 0"),
        (([[0.1], [0.2]], [1, 0]), r"certainty must be one-dimensional, got shape \(2, 1\)"),
        ((0.5, [1]), "certainty must be a list or an array, got a float"),
        (((c for c in [0.5]), [1]), "certainty must be a list or an array, got a generator"),
        (([0.1 + 0j], [1]), "certainty must be numbers, got .*0.1"),
        ((["0.1", "0.2"], [1, 0]), "certainty must be numbers, got '0.1'"),
        (([0.1, [0.2]], [1, 0]), "certainty must be one-dimensional, got nested lists"),
        ((["sure", "no"], [1, 0]), "certainty must be numbers, got 'sure'"),
        (([0.1, None], [1, 0]), "certainty must hold no missing value, got nan at index 1"),
        ((np.ma.array([0.1, 0.2], mask=[0, 1]), [1, 0]), "certainty must hold no missing value"),
        (([0.1, 0.2, 0.3], [1, 0]), "certainty has 3, correct has 2"),
        (([0.1, 0.2], [1, 2]), "correct must be boolean .or 0 and 1., got 2 at index 1"),
        (([0.1, 0.2], [1.0, np.nan]), "correct must be boolean .or 0 and 1., got nan at index 1"),
        (([0.1, 0.2], ["yes", "no"]), "correct must be boolean .or 0 and 1., got 'yes' at index 0"),
        (([0.1, 0.2], [True, None]), "correct must be boolean .or 0 and 1., got None at index 1"),
        (([0.1, 0.2], [1, 0], [1]), "certainty has 2, cells has 1"),
        (([0.1, 0.2], [1, 0], [1, 1.5]), "cells must be integers or labels, got 1.5 at index 1"),
        (([0.1, 0.2], [1, 0], [1, np.nan]), "cells must hold no missing value, got nan at index 1"),
        (([0.1, 0.2], [1, 0], [1, np.inf]), "cells must be integers or labels, got inf at index 1"),
        (
            ([0.1, 0.2], [1, 0], ["a", None]),
            "cells must hold no missing value, got None at index 1",
        ),
        (([0.1, 0.2], [1, 0], np.array([2**70, 1.5])), "cells must be integers or labels, got 1.5"),
        (([0.1, 0.2], [1, 0], [2**70, "a"]), "cells must be labels of one kind"),
        (([0.1, 0.2], [1, 0], [1, "a"]), "cells must be labels of one kind"),
        (([0.1, 0.2], [1, 0], ["a", np.nan]), "cells must hold no missing value, got nan"),
        (([0.1, 0.2], [1, 0], ["a", 1.5]), "cells must be integers or labels, got 1.5 at index 1"),
        (([10**400, 1], [1, 0]), "certainty must be numbers, got 1000"),
        (
            ([0.1, 0.2], [1, 0], np.array(["2026-01-01", "NaT"], dtype="datetime64[D]")),
            r"cells must be integers or labels, got values of type datetime64\[D\]",
        ),
    ],
)
def test_bad_input_is_refused_with_one_line_that_names_it(arguments, message):
    with pytest.raises(InputError, match=message) as caught:
        pareto_front(*arguments)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("cells", "value"), [([1, 1.5], 1.5), (["a", None], None), ([1, "a"], ...)]
)
def test_an_error_about_cells_has_the_argument_the_value_and_the_requirement(cells, value):
    with pytest.raises(InputError) as caught:
        pareto_front([0.1, 0.2], [True, False], cells)
    assert (caught.value.argument, caught.value.value) == ("cells", value)
    assert caught.value.requirement.startswith("must ")


@pytest.mark.parametrize("method", ["best", ["exact"], None])
def test_an_unknown_method_is_refused(method):
    with pytest.raises(InputError, match=r"method must be one of .*'exact'.* got"):
        pareto_front([0.1], [True], method=method)


@pytest.mark.parametrize("row", [2, -3, 1.5, "a"])
def test_a_row_out_of_range_is_refused(row):
    with pytest.raises(InputError, match=rf"row must be an integer in \[-2, 1\], got {row!r}"):
        pareto_front([0.1, 0.2], [False, True]).thresholds_at(row)


def errors_rise_with_certainty(size):
    """Return samples for which pruning removes no step."""
    rng = np.random.default_rng(0)
    certainty = rng.random(size)
    return certainty, rng.random(size) > certainty**2, rng.integers(0, 4, size)


@pytest.mark.parametrize("data", [synthetic(20_000, 4), errors_rise_with_certainty(3_000)])
def test_a_slow_exact_front_warns_how_much_worse_the_hull_would_be(monkeypatch, data):
    hull, front = (pareto_front(*data, method=method) for method in ("hull", "exact"))
    monkeypatch.setattr(exact, "MANY_SUMS", 1_000)
    message = rf"for these {front.n_errors:,} errors in 4 cells; method='hull' takes seconds, and "
    with pytest.warns(
        UserWarning, match=rf"{message}rejects at most {hull.gap.max():,} "
    ) as caught:
        slow = pareto_front(*data)
    assert [each.filename for each in caught] == [__file__]
    assert rows(slow) == rows(front)
    at = np.searchsorted(front.true_rejects, hull.true_rejects)
    assert (hull.false_rejects - front.false_rejects[at]).max() <= hull.gap.max()


# The work that is left is estimated after each block of rows.
def test_an_exact_front_within_the_limit_does_not_warn(monkeypatch):
    data = synthetic(20_000, 4)
    staircases = build_staircases(*data)
    unpruned = DynamicProgram.from_steps(
        staircases.true_rejects, staircases.false_rejects, staircases.starts
    )
    monkeypatch.setattr(exact, "MANY_SUMS", unpruned.n_sums(0, staircases.n_errors))
    assert len(pareto_front(*data)) == staircases.n_errors + 1
