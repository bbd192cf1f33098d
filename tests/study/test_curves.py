"""A run has an accuracy at the reject rates within its own curve, and a mean needs enough runs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstain.study.curves import GRID, Curves
from tests.study.records import SOME_WAY, curve, fit, flat_curve


@st.composite
def run_records(draw):
    n = draw(st.integers(1, 30))
    # The first row rejects nothing.
    accepted = [n, *draw(st.lists(st.integers(0, n), max_size=8))]
    errors = [draw(st.integers(0, count)) for count in accepted]
    return curve(SOME_WAY, 0, 0, accepted, errors, n)


def slow_value(record, rate):
    """Average the rows of each reject rate, then draw straight lines between them."""
    points = {}
    for accepted, errors in zip(record["accepted"], record["errors"], strict=True):
        if accepted:
            points.setdefault(1 - accepted / record["n"], []).append(1 - errors / accepted)
    rates = sorted(points)
    if rate > rates[-1] + 1e-12:
        return np.nan
    return np.interp(rate, rates, [np.mean(points[at]) for at in rates])


@given(run_records(), st.lists(st.integers(0, 100), min_size=1))
def test_values_are_those_of_straight_lines_between_the_rows(record, percents):
    rates = np.array(percents) / 100
    found = Curves([record]).values(SOME_WAY, rates)
    assert list(found) == [(0, 0)]
    expected = [slow_value(record, rate) for rate in rates]
    assert found[0, 0] == pytest.approx(expected, nan_ok=True)


@given(run_records())
def test_without_rejects_the_value_is_the_plain_accuracy(record):
    everything = [
        1 - errors / record["n"]
        for accepted, errors in zip(record["accepted"], record["errors"], strict=True)
        if accepted == record["n"]
    ]
    value = Curves([record]).values(SOME_WAY, np.zeros(1))[0, 0]
    assert value == pytest.approx(np.mean(everything))


@pytest.mark.parametrize(("n_long", "is_enough"), [(79, False), (80, True)])
def test_a_mean_is_of_eighty_in_a_hundred_runs_at_least(n_long, is_enough):
    records = [
        flat_curve(SOME_WAY, run // 10, run % 10, 0.9, last=0.9 if run < n_long else 0.3)
        for run in range(100)
    ]
    found = Curves(records).averaged(SOME_WAY)
    assert np.array_equal(found.grid, GRID)
    assert found.mean[GRID <= 0.3] == pytest.approx(0.9)
    assert np.isnan(found.mean[GRID > 0.3]).all() == (not is_enough)


def test_ways_are_kept_apart():
    ways = [
        SOME_WAY,
        SOME_WAY._replace(cells="local"),
        SOME_WAY._replace(source="out of fold"),
        SOME_WAY._replace(method="greedy"),
        SOME_WAY._replace(min_cell_size=10),
        SOME_WAY._replace(part="training"),
        SOME_WAY._replace(model="svm"),
        SOME_WAY._replace(set="segment"),
    ]
    accuracies = np.linspace(0.5, 0.9, len(ways))
    records = [
        flat_curve(way, repeat, split, accuracy)
        for repeat in range(2)
        for split in range(3)
        for way, accuracy in zip(ways, accuracies, strict=True)
    ]
    curves = Curves([fit("haberman", "gmlvq", 0, 0, 2), *records])
    assert curves.ways == ways
    for way, accuracy in zip(ways, accuracies, strict=True):
        assert curves.runs(way) == [(repeat, split) for repeat in range(2) for split in range(3)]
        assert curves.averaged(way).mean == pytest.approx(accuracy)
        assert curves.has(way, SOME_WAY)
    assert not curves.has(SOME_WAY, SOME_WAY._replace(model="bayes"))
