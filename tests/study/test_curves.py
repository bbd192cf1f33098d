"""A run has an accuracy at the reject rates within its own curve, and a mean needs enough runs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstain.study.curves import GRID, Curves
from tests.study.records import SOME_SETTING, curve, fit, flat_curve


@st.composite
def run_records(draw):
    n = draw(st.integers(1, 30))
    # The first row rejects nothing.
    accepted = [n, *draw(st.lists(st.integers(0, n), max_size=8))]
    errors = [draw(st.integers(0, count)) for count in accepted]
    return curve(SOME_SETTING, 0, 0, accepted, errors, n)


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
    values = Curves([record]).values(SOME_SETTING, rates)
    assert list(values) == [(0, 0)]
    expected = [slow_value(record, rate) for rate in rates]
    assert values[0, 0] == pytest.approx(expected, nan_ok=True)


@given(run_records())
def test_without_rejects_the_value_is_the_plain_accuracy(record):
    everything = [
        1 - errors / record["n"]
        for accepted, errors in zip(record["accepted"], record["errors"], strict=True)
        if accepted == record["n"]
    ]
    value = Curves([record]).values(SOME_SETTING, np.zeros(1))[0, 0]
    assert value == pytest.approx(np.mean(everything))


@pytest.mark.parametrize(("n_long", "is_enough"), [(79, False), (80, True)])
def test_a_mean_is_of_eighty_in_a_hundred_runs_at_least(n_long, is_enough):
    records = [
        flat_curve(SOME_SETTING, run // 10, run % 10, 0.9, last=0.9 if run < n_long else 0.3)
        for run in range(100)
    ]
    averaged = Curves(records).averaged(SOME_SETTING)
    assert np.array_equal(averaged.grid, GRID)
    assert averaged.mean[GRID <= 0.3] == pytest.approx(0.9)
    assert np.isnan(averaged.mean[GRID > 0.3]).all() == (not is_enough)


def test_settings_are_kept_apart():
    settings = [
        SOME_SETTING,
        SOME_SETTING._replace(cells="local"),
        SOME_SETTING._replace(source="out of fold"),
        SOME_SETTING._replace(method="greedy"),
        SOME_SETTING._replace(min_cell_size=10),
        SOME_SETTING._replace(part="training"),
        SOME_SETTING._replace(model="svm"),
        SOME_SETTING._replace(set="segment"),
    ]
    accuracies = np.linspace(0.5, 0.9, len(settings))
    records = [
        flat_curve(setting, repeat, split, accuracy)
        for repeat in range(2)
        for split in range(3)
        for setting, accuracy in zip(settings, accuracies, strict=True)
    ]
    curves = Curves([fit("haberman", "gmlvq", 0, 0, 2), *records])
    assert curves.settings == settings
    for setting, accuracy in zip(settings, accuracies, strict=True):
        assert curves.runs(setting) == [
            (repeat, split) for repeat in range(2) for split in range(3)
        ]
        assert curves.averaged(setting).mean == pytest.approx(accuracy)
        assert curves.has(setting, SOME_SETTING)
    assert not curves.has(SOME_SETTING, SOME_SETTING._replace(model="bayes"))
