"""Laws of `DriftMonitor`."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta
from sklearn.datasets import load_breast_cancer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import Accuracy, DriftMonitor, InputError, RejectOptionClassifier, RejectRate
from abstain.monitor.drift import EVENTS, FROM_ABOVE, OUTLIER, upper_bound
from tests.examples import examples
from tests.reference.monitor import evidence as reference

CALIBRATION = np.random.default_rng(0).random(60)
CELLS = np.arange(60) % 3
THRESHOLDS = [0.1, 0.2, 0.3, 0.4]  # no sample of the calibration data is in the last cell
SAMPLES = st.lists(
    st.tuples(st.sampled_from([0.0, 0.15, 0.5, 0.6, 0.9, 1.0]), st.integers(0, 3)),
    min_size=1,
    max_size=8,
)


def monitor(samples=(), **options):
    made = DriftMonitor(CALIBRATION, CELLS, THRESHOLDS, **options)
    return made.update(*zip(*samples, strict=True)) if samples else made


def assert_same(one, other):
    states = [each.to_dict() for each in (one, other)]
    sums = [[event["evidence"].pop("log_sums") for event in state["events"]] for state in states]
    assert states[0] == states[1]
    for own, its in zip(*sums, strict=True):
        np.testing.assert_allclose(own, its, rtol=1e-9, atol=1e-9)


# --- the bounds ---------------------------------------------------------------------------------


@given(st.integers(1, 500), st.floats(0, 1), st.floats(1e-6, 0.5))
def test_the_bound_is_the_quantile_of_an_order_statistic(n, share, level):
    k = min(int(share * n), n - 1)
    assert upper_bound(k, n, level) == pytest.approx(beta(k + 1, n - k).isf(level), rel=1e-6)


@pytest.mark.parametrize("n_cells", [1, 2])
@pytest.mark.parametrize("digits", [1, 16])
def test_the_bounds_hold_together_as_often_as_promised_with_ties_too(digits, n_cells):
    rng = np.random.default_rng(0)
    n_draws, level, n_missed = 500, 0.2, 0
    grid = ((np.arange(10_000) + 0.5) / 10_000).round(digits)  # uniform
    for _ in range(n_draws):
        certainty = rng.random(40).round(digits)
        # A threshold that the calibration data choose.
        threshold = certainty[np.argmax(np.abs(np.sort(certainty) - certainty.mean()))]
        cells = rng.integers(n_cells, size=40)
        made = DriftMonitor(
            certainty, cells, [threshold] * n_cells, confidence=1 - level, tolerance=0.0
        )
        n_missed += any(event.occurs(grid).mean() > event.evidence.limit for event in made._events)
    assert n_missed / n_draws <= level / 2 + 3 * np.sqrt(level / 2 / n_draws)


# --- updates ------------------------------------------------------------------------------------


@examples(0.3)
@given(SAMPLES)
def test_evidence_is_half_the_mean_over_all_cells_and_half_that_of_each_cell(samples):
    of_all, of_cells = [], []
    for event in monitor()._events:
        edge, side = event.edge, -1 if event.kind in FROM_ABOVE else 1
        inside = [
            side * value < side * edge for value, cell in samples if event.cell in (cell, None)
        ]
        kept = of_all if event.cell is None else of_cells
        kept.append(reference(inside, event.evidence.limit))
    expected = (np.mean(of_all) + np.mean(of_cells)) / 2
    assert monitor(samples).evidence == pytest.approx(expected)


def test_each_cell_with_calibration_data_has_each_event():
    events = [(event.cell, event.kind) for event in monitor()._events]
    *of_cells, rejected = EVENTS
    expected = [(cell, kind) for cell in range(3) for kind in EVENTS]
    assert events == expected + [(None, kind) for kind in of_cells]
    assert rejected == "rejected"
    one_cell = DriftMonitor(CALIBRATION, None, [0.2])
    assert [(event.cell, event.kind) for event in one_cell._events] == [
        (0, kind) for kind in EVENTS
    ]
    assert one_cell.evidence == pytest.approx(1)


@given(SAMPLES)
def test_samples_one_by_one_equal_an_array(samples):
    one_by_one = monitor(confidence=0.2)
    for sample in samples:
        one_by_one.update(*([each] for each in sample))
    assert_same(one_by_one, monitor(samples, confidence=0.2))


@given(SAMPLES, SAMPLES)
def test_merged_evidence_equals_that_of_one_sequence(first, second):
    merged, whole = monitor(first).merge(monitor(second)), monitor([*first, *second])
    assert merged.evidence == pytest.approx(whole.evidence)
    assert (merged.n_samples, merged.n_unseen) == (whole.n_samples, whole.n_unseen)


def with_outliers(n_cells=2, **options):
    """Return a monitor with 5 outliers among 500 calibration samples."""
    rng = np.random.default_rng(0)
    cells, thresholds = np.arange(500) % n_cells, [0.1] * n_cells
    return DriftMonitor(
        rng.random(500), cells, thresholds, outliers=np.arange(500) < 5, tolerance=0.0, **options
    )


@pytest.mark.parametrize(("n_cells", "cell"), [(1, 0), (2, None)])
def test_outliers_are_counted_over_all_cells(n_cells, cell):
    made = with_outliers(n_cells)
    *others, event = made._events
    assert (event.cell, event.kind) == (cell, "outlier")
    assert OUTLIER not in [each.kind for each in others]
    level = 0.05 / 2 / 5 / (n_cells + 1)
    assert event.evidence.limit == pytest.approx(beta(6, 495).isf(level / 500), rel=1e-6)
    assert made.evidence == pytest.approx(1)
    counted = made.update([0.5] * 4, [0] * 4, [True, False, False, True])._events[-1]
    assert (counted.evidence.n, counted.evidence.n_events) == (4, 2)
    unknown = made.update([0.5] * 4, [0] * 4)._events[-1]
    assert (unknown.evidence.n, unknown.evidence.n_events) == (4, 2)


def test_more_outliers_raise_the_alarm_though_the_certainty_is_what_it_was():
    rng = np.random.default_rng(1)
    certainty, cells = rng.random(400), rng.integers(2, size=400)
    assert not with_outliers().update(certainty, cells, rng.random(400) < 0.01).is_alarm
    drifted = with_outliers().update(certainty, cells, rng.random(400) < 0.3)
    assert drifted.alarm_at < 80
    assert "outliers more often than in the calibration data; label" in str(drifted)


def test_the_bound_of_outliers_holds_though_the_calibration_data_choose_what_is_one():
    rng = np.random.default_rng(0)
    n_draws, level, n_missed = 500, 0.2, 0
    for _ in range(n_draws):
        unlikeness = rng.random(60)  # of new samples: uniform
        edge = np.sort(unlikeness)[-3]
        made = DriftMonitor(
            rng.random(60), outliers=unlikeness > edge, confidence=1 - level, tolerance=0.0
        )
        n_missed += 1 - edge > made._events[-1].evidence.limit
    assert n_missed / n_draws <= level / 20 + 3 * np.sqrt(level / 20 / n_draws)


def test_states_without_outliers_still_load():
    state = monitor([(0.5, 0)] * 5).to_dict() | {"version": 1}
    for event in state["events"]:
        event["evidence"].pop("log_factor")
    loaded = DriftMonitor.from_dict(state)
    assert [event.kind for event in loaded._events].count(OUTLIER) == 0
    assert loaded.update([0.5], [0], [True]).n_samples == 6


def test_samples_in_cells_without_calibration_data_count_for_all_cells_only():
    seen = monitor([(0.0, 3)] * 5)
    assert (seen.n_samples, seen.n_unseen) == (5, 5)
    assert all(event.evidence.n == (5 if event.cell is None else 0) for event in seen._events)


@pytest.mark.parametrize("shift", [0.3, -0.3])
def test_drift_in_either_direction_raises_the_alarm(shift):
    rng = np.random.default_rng(0)
    made = DriftMonitor(rng.normal(size=500)).update(rng.normal(size=500))
    assert not made.is_alarm
    made.update(rng.normal(size=3000) + 2 * shift)
    assert made.is_alarm
    assert "\n" not in str(made) + repr(made)
    assert ("lower half" in str(made) or "lowest" in str(made)) == (shift < 0)
    assert not made.reset().is_alarm
    assert "says nothing about accuracy" in str(made)


def test_drift_in_one_cell_names_this_cell():
    rng = np.random.default_rng(0)
    cells = np.arange(800) % 2
    made = DriftMonitor(rng.random(800) + cells, cells, cell_names=["a", "b"])
    assert not made.update(rng.random(800) + cells, cells).is_alarm
    made.update(np.where(cells, 0.3, 1.0) * rng.random(800) + cells, cells)
    assert made.is_alarm
    assert "in cell 'b'" in str(made)


def test_false_alarms_are_as_rare_as_promised():
    rng, level, n_lives = np.random.default_rng(0), 0.2, 100
    n_alarms = sum(
        DriftMonitor(
            *(rng.random(100), rng.integers(2, size=100)),
            outliers=rng.random(100) < 0.1,
            confidence=1 - level,
            tolerance=0.0,
        )
        .update(rng.random(500), rng.integers(2, size=500), rng.random(500) < 0.1)
        .is_alarm
        for _ in range(n_lives)
    )
    assert n_alarms / n_lives <= level + 3 * np.sqrt(level * (1 - level) / n_lives)


# --- classifiers --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def data():
    return load_breast_cancer(return_X_y=True)


def test_a_classifier_is_compared_with_its_calibration_data(data):
    X, y = data
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[:200], y[:200])
    clf = RejectOptionClassifier(FrozenEstimator(model), target=RejectRate(0.1))
    clf.fit(X[200:], y[200:])
    made = DriftMonitor.from_classifier(clf)
    assert len(made.cell_names) == len(clf.thresholds_)
    rejected = {event.cell: event.edge for event in made._events if event.kind == "rejected"}
    for cell, edge in rejected.items():
        assert edge == clf.thresholds_[cell]
    decisions = clf.decide(X)
    by_hand = DriftMonitor.from_classifier(clf).update(decisions.certainty, decisions.positions)
    assert_same(made.update_from_classifier(clf, X), by_hand)


def test_samples_that_tested_a_certificate_are_the_calibration_data(data):
    model = make_pipeline(StandardScaler(), LogisticRegression())
    target = Accuracy(0.95, confidence=0.9)
    clf = RejectOptionClassifier(model, target=target, cells="global", random_state=0).fit(*data)
    made = DriftMonitor.from_classifier(clf)
    tested = np.sort(clf._test_calibration.certainty)
    low = next(event for event in made._events if event.kind == "low")
    assert low.edge == tested[len(tested) // 4]


def test_new_samples_like_the_calibration_data_raise_no_alarm_out_of_fold(data):
    X, y = data
    model = make_pipeline(StandardScaler(), LogisticRegression())
    clf = RejectOptionClassifier(model, random_state=0).fit(X[::2], y[::2])
    assert not DriftMonitor.from_classifier(clf).update_from_classifier(clf, X[1::2]).is_alarm


# --- saving -------------------------------------------------------------------------------------


@given(SAMPLES, SAMPLES)
def test_a_state_goes_through_json_and_goes_on(before, then):
    made = monitor(before)
    loaded = DriftMonitor.from_dict(json.loads(json.dumps(made.to_dict(), allow_nan=False)))
    assert loaded.to_dict() == made.to_dict()
    columns = list(zip(*then, strict=True))
    assert_same(loaded.update(*columns), made.update(*columns))


def test_a_file_holds_the_state(tmp_path):
    made = monitor([(0.5, 1)])
    made.save(tmp_path / "drift.json")
    assert DriftMonitor.load(tmp_path / "drift.json").to_dict() == made.to_dict()


# --- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: DriftMonitor([0.1, np.nan]), "certainty must hold no missing value"),
        (lambda: DriftMonitor([0.1]), "certainty must have more values per cell"),
        (lambda: DriftMonitor([np.inf] * 99), "certainty must have more values per cell"),
        (lambda: DriftMonitor(range(9), [0, 1]), "certainty has 9, cells has 2"),
        (lambda: DriftMonitor(range(2), ["a", "b"]), "cells must be integers from 0 on, got 'a'"),
        (lambda: DriftMonitor(range(2), [0, -1]), "cells must be integers from 0 on, got -1"),
        (lambda: DriftMonitor(range(2), [0, 2], [0.5]), "cells must be below 1, got 2"),
        (lambda: DriftMonitor(range(9), tolerance=1), "tolerance must be a number in [0, 1)"),
        (lambda: DriftMonitor(range(9), confidence=2), "confidence must be a number in (0, 1)"),
        (lambda: DriftMonitor(range(9), cell_names=["a", "b"]), "cells has 1, cell_names has 2"),
        (lambda: monitor().update([0.5], [4]), "cells must be below 4, got 4 at index 0"),
        (lambda: monitor().merge(DriftMonitor(range(99))), "must have the same calibration data"),
        (lambda: DriftMonitor.from_classifier(None), "clf must be a fitted RejectOption"),
    ],
)
def test_bad_input_is_refused_in_one_line(make, words):
    with pytest.raises(InputError) as error:
        make()
    assert words in str(error.value)
    assert "\n" not in str(error.value)


EVENT = monitor().to_dict()["events"][0]


@pytest.mark.parametrize(
    "damage",
    [
        {"confidence": None},
        {"tolerance": "x"},
        {"cell_names": None},
        {"cell_names": [1, 2, 3, 4]},
        {"cell_names": []},
        {"n_samples": 0.5},
        {"n_unseen": 2},
        {"alarm_at": 2},
        {"events": []},
        {"events": {}},
        {"events": [1]},
        {"events": [EVENT | {"event": "other"}]},
        {"events": [EVENT | {"event": []}]},
        {"events": [EVENT | {"cell": 4}]},
        {"events": [EVENT | {"edge": "inf"}]},
        {"events": [EVENT | {"edge": 10**400}]},
        {"events": [EVENT | {"limit": 1.0}]},
        {"events": [EVENT | {"limit": None}]},
        {"events": [EVENT | {"evidence": {"n": 2, "n_events": 0}}]},
    ],
)
def test_a_damaged_state_is_refused_in_one_line(damage):
    state = monitor([(0.5, 1)]).to_dict()
    with pytest.raises(InputError) as error:
        DriftMonitor.from_dict(state | damage)
    assert "\n" not in str(error.value)
