"""Laws of `RiskMonitor`."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import Accuracy, InputError, RejectOptionClassifier, RejectRate, RiskMonitor
from abstain.monitor.evidence import (
    EARLIER_LOG_WEIGHTS,
    NO_RESTARTS,
    add_outcomes,
    no_evidence,
)
from abstain.monitor.risk import risk_path
from tests.reference.monitor import values_without_overshoot

ANSWERS = st.lists(st.sampled_from([True, False, None]), max_size=12)


@pytest.fixture(scope="module")
def data():
    X, y = load_breast_cancer(return_X_y=True)
    return X, y


@pytest.fixture(scope="module")
def clf(data):
    model = make_pipeline(StandardScaler(), LogisticRegression())
    target = Accuracy(0.97, confidence=0.9)
    return RejectOptionClassifier(model, target=target, random_state=0).fit(*data)


def state_of(monitor):
    state = monitor.to_dict()
    evidence = state["evidence"]
    return state, [*np.ravel(evidence.pop("log_sums")), evidence.pop("log_factor")]


def assert_same(one, other):
    (state, sums), (expected, its_sums) = state_of(one), state_of(other)
    assert state == expected
    np.testing.assert_allclose(sums, its_sums, rtol=1e-9, atol=1e-9)


# --- updates ------------------------------------------------------------------------------------


@given(ANSWERS)
def test_answers_one_by_one_equal_an_array(answers):
    one_by_one = RiskMonitor(0.8, confidence=0.6)
    for answer in answers:
        one_by_one.update(answer)
    assert_same(one_by_one, RiskMonitor(0.8, confidence=0.6).update(answers))


@given(ANSWERS)
def test_evidence_is_that_of_the_answers_whose_truth_is_known(answers):
    monitor = RiskMonitor(0.75).update(answers)
    wrong = [not answer for answer in answers if answer is not None]
    assert monitor.evidence == pytest.approx([1.0, *values_without_overshoot(wrong, 0.25, 20)][-1])
    assert monitor.n_answers == len(answers)
    assert (monitor.n_labelled, monitor.n_errors) == (len(wrong), sum(wrong))


@given(ANSWERS)
def test_the_alarm_comes_with_the_first_answer_at_which_the_evidence_is_enough(answers):
    monitor = RiskMonitor(0.75, confidence=0.8).update(answers)
    known = [n for n, answer in enumerate(answers, start=1) if answer is not None]
    values = values_without_overshoot([not answers[n - 1] for n in known], 0.25, 5)
    enough = [n for n, value in zip(known, values, strict=True) if value >= 5]
    assert monitor.alarm_at == (enough[0] if enough else None)
    assert monitor.is_alarm == bool(enough)


@pytest.mark.parametrize(
    "unknown", [[True, None, False], [1.0, np.nan, 0.0], np.array([1, None, 0], dtype=object)]
)
def test_truth_that_is_not_known_is_left_out(unknown):
    monitor = RiskMonitor(0.9).update(unknown)
    assert (monitor.n_answers, monitor.n_labelled, monitor.n_errors) == (3, 2, 1)


def test_an_alarm_stays_until_reset():
    monitor = RiskMonitor(0.9).update([False] * 10 + [True] * 1000)
    assert monitor.evidence < 20
    assert monitor.is_alarm
    assert monitor.alarm_at <= 10
    assert "recalibrate" in str(monitor)
    assert not monitor.reset().is_alarm
    assert_same(monitor, RiskMonitor(0.9))


def test_both_texts_are_one_line():
    for answers in ([], [True] * 20, [False] * 20):
        monitor = RiskMonitor(0.9).update(answers)
        assert "\n" not in str(monitor) + repr(monitor)
        assert str(monitor).startswith("alarm" if monitor.is_alarm else "no alarm")


def test_evidence_does_not_overflow():
    assert RiskMonitor(0.9).update([False] * 5000).evidence > 1e300


# --- merging ------------------------------------------------------------------------------------


@pytest.mark.parametrize("confidence", [0.6, 0.999999])
@given(parts=st.lists(ANSWERS, min_size=2, max_size=4))
def test_merged_evidence_equals_that_of_one_sequence_far_from_the_alarm(confidence, parts):
    merged = RiskMonitor(0.8, confidence=confidence)
    for part in parts:
        merged.merge(RiskMonitor(0.8, confidence=confidence).update(part))
    whole = RiskMonitor(0.8, confidence=confidence)
    answers = [answer for part in parts for answer in part]
    path = risk_path(answers, whole)[1]
    whole.update(answers)
    names = ("n_answers", "n_labelled", "n_errors")
    assert [getattr(merged, name) for name in names] == [getattr(whole, name) for name in names]
    # From there on, no error leads to the alarm.
    if path.max(initial=1.0) < 0.2 / (1 - confidence):
        assert merged.evidence == pytest.approx(whole.evidence)
    elif not merged.is_alarm:
        assert merged.evidence <= whole.evidence * (1 + 1e-9)


def test_an_alarm_of_either_stays_when_merged():
    good, bad = [True] * 500, [False] * 10
    early = RiskMonitor(0.9).update(bad).merge(RiskMonitor(0.9).update(good))
    late = RiskMonitor(0.9).update(good).merge(RiskMonitor(0.9).update(bad))
    assert 1 <= early.alarm_at <= 10
    assert 501 <= late.alarm_at <= 510


def test_merging_raises_the_alarm_that_neither_could():
    one, other = (RiskMonitor(0.9).update([False, False]) for _ in range(2))
    assert not one.is_alarm
    assert one.merge(other).alarm_at == 4


def test_merging_does_not_change_the_other():
    other = RiskMonitor(0.9).update([True, False])
    before = other.to_dict()
    RiskMonitor(0.9).update([True]).merge(other)
    assert other.to_dict() == before


# --- false alarms -------------------------------------------------------------------------------


@pytest.mark.parametrize("weights", [{}, {"log_weights": NO_RESTARTS}], ids=["restarts", "none"])
def test_false_alarms_are_as_rare_as_promised(weights):
    n_lives, level = 1000, 0.2
    wrong = np.random.default_rng(0).random((n_lives, 800)) < 0.1
    start, target = no_evidence(0.1, (n_lives,)), np.log(1 / level)
    _, path = add_outcomes(start, wrong, log_target=target, **weights)
    false_alarms = (path.max(axis=1) >= target).mean()
    assert false_alarms <= level + 3 * np.sqrt(level * (1 - level) / n_lives)


# --- classifiers --------------------------------------------------------------------------------


def test_the_accuracy_is_that_of_the_certificate_or_the_target(data, clf):
    assert RiskMonitor.from_classifier(clf).accuracy == 0.97
    plain = RejectOptionClassifier(LogisticRegression(C=1e-6), target=Accuracy(0.92)).fit(*data)
    assert RiskMonitor.from_classifier(plain, confidence=0.8).accuracy == 0.92


def test_answers_of_a_classifier_are_those_that_it_does_not_reject(data, clf):
    X, y = data
    truth = np.where(np.arange(len(y)) % 3, y.astype(float), np.nan)
    monitor = RiskMonitor.from_classifier(clf).update_from_classifier(clf, X, truth)
    answered, wrong = ~clf.reject(X), clf.predict(X) != y
    known = answered & ~np.isnan(truth)
    assert monitor.n_answers == answered.sum()
    assert (monitor.n_labelled, monitor.n_errors) == (known.sum(), (wrong & known).sum())


def test_classes_of_text_may_be_missing(data):
    X, y = data
    names = np.array(["bad", "good"])[y]
    model = make_pipeline(StandardScaler(), LogisticRegression())
    clf = RejectOptionClassifier(model, target=RejectRate(0.1)).fit(X, names)
    truth = [name if row % 2 else None for row, name in enumerate(names.tolist())]
    monitor = RiskMonitor(0.9).update_from_classifier(clf, X, truth)
    assert 0 < monitor.n_labelled < monitor.n_answers < len(y)
    assert monitor.n_errors < 0.05 * monitor.n_labelled


# --- saving -------------------------------------------------------------------------------------


@given(ANSWERS, ANSWERS)
def test_a_state_goes_through_json_and_goes_on(before, then):
    monitor = RiskMonitor(0.8, confidence=0.7).update(before)
    text = json.dumps(monitor.to_dict(), allow_nan=False)
    loaded = RiskMonitor.from_dict(json.loads(text))
    assert loaded.to_dict() == monitor.to_dict()
    assert_same(loaded.update(then), monitor.update(then))


def test_a_file_holds_the_state(tmp_path):
    monitor = RiskMonitor(0.9).update([True, False, None])
    monitor.save(tmp_path / "risk.json")
    assert RiskMonitor.load(tmp_path / "risk.json").to_dict() == monitor.to_dict()
    assert [path.name for path in tmp_path.iterdir()] == ["risk.json"]


def of_version_1(monitor):
    """Return the state that the first version would have saved for the same answers."""
    state = monitor.to_dict()
    del state["evidence"]["log_factor"]
    return state | {"version": 1}


@given(ANSWERS)
def test_a_state_of_version_1_keeps_its_evidence(answers):
    monitor = RiskMonitor(0.8, confidence=0.999999).update(answers)
    loaded = RiskMonitor.from_dict(of_version_1(monitor))
    assert loaded.evidence == pytest.approx(
        np.exp(monitor._evidence.log_value(EARLIER_LOG_WEIGHTS)) if monitor.n_labelled else 1
    )
    assert RiskMonitor.from_dict(loaded.to_dict()).evidence == pytest.approx(loaded.evidence)
    # From here on, all grows as it would have grown without an earlier version.
    ratio = loaded.evidence / monitor.evidence
    both = loaded.update([True, False]).evidence / monitor.update([True, False]).evidence
    assert both == pytest.approx(ratio)


def test_a_life_that_begins_with_version_1_has_no_more_false_alarms():
    n_lives, level, seen = 300, 0.2, 100
    wrong = np.random.default_rng(1).random((n_lives, 300)) < 0.1
    target, alarms = np.log(1 / level), 0
    for life in wrong:
        state, path = add_outcomes(no_evidence(0.1), life[:seen], EARLIER_LOG_WEIGHTS)
        monitor = RiskMonitor(0.9, confidence=1 - level)
        monitor._evidence, monitor.n_answers = state, seen
        then = RiskMonitor.from_dict(of_version_1(monitor)).update(~life[seen:])
        alarms += bool((path >= target).any()) or then.is_alarm
    assert alarms / n_lives <= level + 3 * np.sqrt(level * (1 - level) / n_lives)


# --- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: RiskMonitor(1.0), "accuracy must be a number in (0, 1), got 1.0"),
        (lambda: RiskMonitor(95), "accuracy must be a number in (0, 1), got 95; 95% is 0.95"),
        (lambda: RiskMonitor(0.9, confidence=0), "confidence must be a number in (0, 1), got 0"),
        (lambda: RiskMonitor(0.9).update([0.5]), "correct must be boolean (or 0 and 1), got 0.5"),
        (lambda: RiskMonitor(0.9).update([None, 2]), "got 2 at index 1"),
        (lambda: RiskMonitor(0.9).update("yes"), "correct must be boolean"),
        (lambda: RiskMonitor(0.9).update([[True]]), "correct must be one-dimensional"),
        (
            lambda: RiskMonitor(0.9).merge(RiskMonitor(0.8)),
            "other must have accuracy=0.9, got 0.8",
        ),
        (
            lambda: RiskMonitor(0.9).merge(RiskMonitor(0.9, confidence=0.9)),
            "other must have confidence=0.95, got 0.9",
        ),
        (
            lambda: RiskMonitor.from_classifier(LogisticRegression()),
            "clf must be a fitted RejectOptionClassifier, got a LogisticRegression",
        ),
        (lambda: RiskMonitor.from_dict([]), "state must be that of a RiskMonitor, got []"),
        (lambda: RiskMonitor.from_dict({"kind": "DriftMonitor"}), "got 'DriftMonitor'"),
        (lambda: RiskMonitor.load("no such file"), "no such file does not exist"),
    ],
)
def test_bad_input_is_refused_in_one_line(make, words):
    with pytest.raises(InputError) as error:
        make()
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_a_target_without_an_accuracy_is_refused(data):
    clf = RejectOptionClassifier(LogisticRegression(C=1e-6), target=RejectRate(0.1)).fit(*data)
    with pytest.raises(InputError, match=r"must have an Accuracy as its target.*RiskMonitor"):
        RiskMonitor.from_classifier(clf)


def test_labels_of_another_kind_are_refused(data, clf):
    X, y = data
    with pytest.raises(InputError, match="y must hold labels like the classes, such as 0, got '1'"):
        RiskMonitor(0.9).update_from_classifier(clf, X[:2], ["1", "0"])
    with pytest.raises(InputError, match="same samples: X has 2, y has 3"):
        RiskMonitor(0.9).update_from_classifier(clf, X[:2], y[:3])


@pytest.mark.parametrize(
    "damage",
    [
        {"version": 0},
        {"version": 3},
        {"accuracy": None},
        {"accuracy": "0.9"},
        {"confidence": 1},
        {"n_answers": -1},
        {"n_answers": 1},
        {"n_answers": 2.0},
        {"n_answers": True},
        {"n_answers": 10**30},
        {"alarm_at": 4},
        {"alarm_at": "1"},
        {"evidence": None},
        {"evidence": {}},
        {"evidence": {"n": 2, "n_events": 3}},
        {"evidence": {"n": 2, "n_events": 1}},
        {"evidence": {"n": 2, "n_events": 1, "log_sums": "x"}},
        {"evidence": {"n": 2, "n_events": 1, "log_sums": [[0.0]]}},
        {"evidence": {"n": 2, "n_events": 1, "log_sums": [[float("nan")] * 16] * 5}},
        {"evidence": {"n": 2, "n_events": 1, "log_sums": [[0.0] * 16] * 5}},
        {"evidence": RiskMonitor(0.9).update(True).to_dict()["evidence"] | {"log_factor": None}},
    ],
)
def test_a_damaged_state_is_refused_in_one_line(damage):
    state = RiskMonitor(0.9).update([True, False, None]).to_dict()
    with pytest.raises(InputError) as error:
        RiskMonitor.from_dict(state | damage)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("content", [b"", b"{", b"[" * 100_000, b"\xff\xfe", b'{"kind": 1}'])
def test_a_file_that_is_no_state_is_refused_in_one_line(tmp_path, content):
    path = tmp_path / "risk.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"cannot load .*risk\.json: ") as error:
        RiskMonitor.load(path)
    assert "\n" not in str(error.value)
