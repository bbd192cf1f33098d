"""Settings are compared run by run, and targets are counted over all runs."""

import numpy as np
import pytest

from abstain.study.curves import Curves, Setting
from abstain.study.results import (
    Change,
    TargetCounts,
    as_table,
    compare_options,
    count_targets,
)
from tests.study.records import flat_curve

SETTING = Setting("haberman", "gmlvq")
RUNS = [(0, split) for split in range(10)]


def records_of(accuracies, noise=0.0):
    """Return flat curves of each setting; noise shifts all settings of a run alike."""
    shifts = noise * np.random.default_rng(0).normal(size=len(RUNS))
    return [
        flat_curve(setting, *run, accuracy + shift)
        for setting, accuracy in accuracies.items()
        for run, shift in zip(RUNS, shifts, strict=True)
    ]


def test_every_change_is_the_difference_to_the_way_without_it():
    local, fold = SETTING._replace(cells="local"), {"source": "out of fold"}
    accuracies = {
        SETTING: 0.70,
        local: 0.71,
        local._replace(min_cell_size=10): 0.73,
        SETTING._replace(**fold): 0.76,
        local._replace(**fold): 0.80,
        local._replace(min_cell_size=10, **fold): 0.88,
        local._replace(method="pooled"): 0.75,
        local._replace(method="pooled", **fold): 0.85,
        local._replace(method="greedy"): 0.5,
        local._replace(part="training"): 0.4,
    }
    rows = {row.change: row for row in compare_options(Curves(records_of(accuracies, 0.01)))}
    expected = {
        "local, training": 0.01,
        "min_cell_size=10, training": 0.02,
        "out of fold, global": 0.06,
        "out of fold, local": 0.09,
        "local, out of fold": 0.04,
        "pooled, training": 0.05,
        "pooled, out of fold": 0.09,
        "min_cell_size=10, out of fold": 0.08,
    }
    assert {change: row.difference for change, row in rows.items()} == pytest.approx(expected)
    for row in rows.values():  # what differs between the runs is not what differs within them
        assert row.high - row.low == pytest.approx(0, abs=1e-9)
        assert (row.set, row.model, row.runs) == ("haberman", "gmlvq", len(RUNS))


# Rejecting is not compared with answering all: only where both reject as many.
def test_curves_are_compared_as_far_as_both_go():
    out_of_fold = SETTING._replace(source="out of fold")
    for last, share, expected in ((0.0, 1, None), (0.5, 1, 0.1), (0.5, 0.7, None)):
        records = []
        for number, run in enumerate(RUNS):
            end = last if number < share * len(RUNS) else 0.0
            records += [
                flat_curve(SETTING, *run, 0.7, last=end),
                flat_curve(out_of_fold, *run, 0.8, last=0.6),
            ]
        table = as_table(Change, compare_options(Curves(records)))
        (row,) = table.filter(change="out of fold, global").to_dicts()
        assert row["difference"] == (None if expected is None else pytest.approx(expected))
        assert (row["low"] is None) == (row["high"] is None) == (expected is None)
        assert row["end_before"] == pytest.approx(share * last)
        assert row["end"] == pytest.approx(0.6)


def test_what_was_not_run_is_not_compared():
    assert list(compare_options(Curves(records_of({SETTING: 0.7})))) == []
    assert as_table(Change, compare_options(Curves([]))).columns == list(Change._fields)


def target(source, split, accepted, errors, *, refused=False, name="haberman"):
    return {
        "kind": "target",
        "set": name,
        "repeat": 0,
        "split": split,
        "source": source,
        "accuracy": 0.9,
        "n": 100,
        "accepted": accepted,
        "errors": errors,
        "is_refused": refused,
    }


def test_targets_are_counted_over_the_runs_that_all_ways_have():
    records = [
        target("training", 0, 80, 20),
        target("training", 1, 20, 0),
        target("training", 2, 99, 0),  # only this setting
        target("guaranteed", 0, 50, 5),
        target("guaranteed", 1, 0, 0, refused=True),
        target("training", 0, 100, 1, name="pearl"),
    ]
    assert [tuple(row) for row in count_targets(records)] == [
        ("haberman", "training", 0.9, 2, 0, 0.5, 100, pytest.approx(0.8)),
        ("haberman", "guaranteed", 0.9, 2, 1, 0.25, 50, pytest.approx(0.9)),
        ("pearl", "training", 0.9, 1, 0, 1.0, 100, pytest.approx(0.99)),
    ]
    assert as_table(TargetCounts, count_targets(records))["reached"].to_list() == pytest.approx(
        [0.8, 0.9, 0.99]
    )


def test_where_all_are_refused_nothing_is_answered():
    records = [target("guaranteed", 0, 0, 0, refused=True)]
    table = as_table(TargetCounts, count_targets(records))
    assert table.row(0) == ("haberman", "guaranteed", 0.9, 1, 1, 0.0, 0, None)
