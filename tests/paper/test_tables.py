"""The worked example of the paper: Table 1 as data, Table 2 as what greedy makes of it."""

import numpy as np
import pytest

from abstain import pareto_front
from tests.reference.fronts import paper_dynamic_program, paper_greedy

# Table 1: true rejects of the three Voronoi cells by their number of false rejects.
TABLE_1 = [[3, 4, 6, 9], [2, 3, 6], [1, 2, 10, 20]]


def samples(table):
    """Return samples that have these staircases: errors, then a correct sample, errors, …"""
    certainty, correct, cells = [], [], []
    for cell, true_rejects in enumerate(table, start=1):
        steps = np.diff(true_rejects, prepend=0)
        column = [ok for errors in steps for ok in [*[False] * errors, True]][:-1]
        certainty += np.linspace(0.1, 0.9, len(column)).tolist()
        correct += column
        cells += [cell] * len(column)
    return certainty, correct, cells


@pytest.fixture
def table_1():
    return samples(TABLE_1)


def most_true_rejects(front, n):
    return front.true_rejects[front.false_rejects <= n].max()


def test_exact_finds_the_optimum_of_table_1(table_1):
    front = pareto_front(*table_1)
    optimum = [most_true_rejects(front, n) for n in range(9)]
    assert optimum == [6, 7, 15, 25, 26, 29, 31, 32, 35]
    assert optimum == paper_dynamic_program(TABLE_1)


def test_greedy_gives_table_2(table_1):
    front = pareto_front(*table_1, method="greedy")
    rows = list(zip(front.false_rejects.tolist(), front.true_rejects.tolist(), strict=True))
    table_2 = [(0, 6), (2, 15), (3, 25), (5, 29), (6, 30), (7, 32), (8, 35)]
    assert rows == [(0, 0), *table_2]
    assert table_2 == paper_greedy(TABLE_1)


# Table 2 also says how the false rejects are split over the cells.
def test_greedy_splits_the_false_rejects_as_table_2_does(table_1):
    certainty, correct, cells = map(np.array, table_1)
    front = pareto_front(*table_1, method="greedy")
    rejected = certainty < front.thresholds[1:, cells - 1]
    split = [(rejected & correct)[:, cells == cell].sum(axis=1).tolist() for cell in (1, 2, 3)]
    assert split == [[0, 0, 0, 0, 1, 2, 3], [0, 0, 0, 2, 2, 2, 2], [0, 2, 3, 3, 3, 3, 3]]


# The inputs on which the printed Algorithm 2 claims too much, misses much, or never ends. Where the
# notes write (0, 1, 1) or (0, 5, 5), samples that reject nothing more are left out: a mended search
# has no use for them.
@pytest.mark.parametrize(
    ("table", "path"),
    [
        ([[0, 0, 2], [0, 1]], [(0, 0), (1, 1), (2, 2), (3, 3)]),
        ([[0, 1], [0, 1]], [(0, 0), (1, 1), (2, 2)]),
        ([[0, 5], [0, 5]], [(0, 0), (1, 5), (2, 10)]),
    ],
)
def test_greedy_ends_where_the_printed_algorithm_fails(table, path):
    assert paper_greedy(table) == path
    front = pareto_front(*samples(table), method="greedy")
    assert list(zip(front.false_rejects, front.true_rejects, strict=True)) == path
