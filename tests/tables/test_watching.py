"""Laws of watches: a table of answers counts as the model does, a day after the other as all."""

import json
from copy import copy

import numpy as np
import polars as pl
import pytest

from abstain import Accuracy, DriftMonitor, InputError, RejectRate, RiskMonitor, load, save
from abstain.tables import FitOptions, answer_table, fit_table, open_table
from abstain.tables.watch_state import load_watch, new_watch, save_watch
from abstain.tables.watching import watch_table
from tests.tables.drifting import LABEL, make_month


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("watched")
    make_month(800, 0.0, 0).write_csv(folder / "fit.csv")
    options = FitOptions(LABEL, model="logistic", target=Accuracy(0.97, confidence=0.9))
    clf = fit_table(open_table(folder / "fit.csv"), options).clf
    save(clf, folder / "m.abstain")
    return load(folder / "m.abstain")


@pytest.fixture
def table(tmp_path):
    def write(frame, name="t.csv"):
        path = tmp_path / name
        frame.write_parquet(path) if name.endswith("parquet") else frame.write_csv(path)
        return open_table(path)

    return write


@pytest.fixture
def answers(model, tmp_path):
    """Return rows with their answers, as `answer_table` writes them."""

    def answer(frame, name="answers.csv"):
        frame.write_csv(tmp_path / "rows.csv")
        answer_table(model, open_table(tmp_path / "rows.csv"), tmp_path / name)
        is_text = name.endswith("csv")
        return pl.read_csv(tmp_path / name) if is_text else pl.read_parquet(tmp_path / name)

    return answer


def slow(model, frame):
    """Return the monitors, fed row by row."""
    risk, drift = RiskMonitor.from_classifier(model), DriftMonitor.from_classifier(model)
    X, truth = frame.drop(LABEL), frame[LABEL].to_list()
    for answer, rejected, each in zip(model.predict(X), model.reject(X), truth, strict=True):
        if not rejected:
            risk.update([None if each is None else bool(answer == each)])
    return risk, drift.update_from_classifier(model, X)


@pytest.mark.parametrize("shift", [0.0, 0.8, 2.0])
@pytest.mark.parametrize("audited", [1.0, 0.2])
@pytest.mark.parametrize("kind", ["rows.csv", "answers.csv", "answers.parquet", "alone.csv"])
def test_answers_of_a_table_count_as_those_of_the_model(
    model, table, answers, kind, audited, shift
):
    frame = make_month(300, shift, 5)
    is_known = pl.Series(np.random.default_rng(0).random(300) < audited)
    frame = frame.with_columns(pl.when(is_known).then(LABEL).alias(LABEL))
    risk, drift = slow(model, frame)
    given = frame if kind == "rows.csv" else answers(frame, kind)
    if kind == "alone.csv":
        given = given.select(LABEL, "answer")
    watch = new_watch(model)
    rows = watch_table(model, watch, table(given))
    assert watch.risk.n_answers == risk.n_answers == rows.n_answered == len(given) - rows.n_rejected
    assert watch.risk.n_labelled == risk.n_labelled == rows.n_labelled
    assert watch.risk.n_errors == risk.n_errors == rows.n_errors
    assert watch.risk.alarm_at == risk.alarm_at
    assert watch.risk.evidence == pytest.approx(risk.evidence)
    if kind == "alone.csv":
        assert watch.drift.n_samples == 0
    else:
        assert watch.drift.evidence == pytest.approx(drift.evidence)
        assert watch.drift.alarm_at == drift.alarm_at
    assert rows.n_different == 0
    assert rows.notes == []


def test_days_add_up_to_all_rows(model, table, tmp_path):
    frame, state = make_month(600, 1.2, 6), tmp_path / "state.json"
    whole = new_watch(model)
    watch_table(model, whole, table(frame))
    for day in range(6):
        watch = new_watch(model) if day == 0 else load_watch(state, new_watch(model))
        watch_table(model, watch, table(frame[100 * day : 100 * (day + 1)], f"{day}.csv"))
        save_watch(watch, state)
    assert watch.risk.evidence == pytest.approx(whole.risk.evidence)
    assert watch.risk.alarm_at == whole.risk.alarm_at
    assert watch.drift.alarm_at == whole.drift.alarm_at
    assert watch.drift.evidence == pytest.approx(whole.drift.evidence)
    assert len(watch.tables) == 6
    assert len(watch.history) == 7  # with the alarm
    ends = [answers for answers, _ in watch.history]
    assert ends == sorted(ends)
    assert whole.risk.alarm_at in ends


def test_the_blocks_of_a_table_add_up(model, table):
    frame = make_month(600, 1.2, 6)
    whole, parts = new_watch(model), new_watch(model)
    rows = watch_table(model, whole, table(frame))
    path = table(frame).path
    blocks = watch_table(model, parts, open_table(path, block_size=2000))
    assert parts.risk.alarm_at == whole.risk.alarm_at
    assert parts.drift.alarm_at == whole.drift.alarm_at
    assert (blocks.n_rows, blocks.n_errors) == (rows.n_rows, rows.n_errors)


def test_rows_are_counted_once(model, table):
    watch, rows = new_watch(model), table(make_month(50, 0.0, 1))
    watch_table(model, watch, rows)
    with pytest.raises(InputError, match=r"has already counted the rows of .*; give new rows only"):
        watch_table(model, watch, rows)
    watch_table(model, watch, table(make_month(50, 0.0, 2)))
    assert watch.risk.n_answers <= 100


def test_a_day_without_rows_is_no_error(model, table):
    watch, nothing = new_watch(model), table(make_month(1, 0.0, 1).head(0))
    for _ in range(2):
        rows = watch_table(model, watch, nothing)
        assert (rows.n_rows, watch.risk.n_answers, watch.history) == (0, 0, [])


def test_a_column_of_answers_is_found_or_named(model, table, answers):
    frame = make_month(60, 0.0, 3)
    answered = answers(frame)
    twice = answers(answered.with_columns(answer=pl.lit("nonsense")))
    watch = new_watch(model)
    assert watch_table(model, watch, table(twice)).answer == "abstain_answer"
    named = answered.rename({"answer": "said"})
    rows = watch_table(model, new_watch(model), table(named), answer="said")
    assert (rows.answer, rows.n_answered) == ("said", watch.risk.n_answers)
    assert watch_table(model, new_watch(model), table(named)).answer is None


def test_empty_answers_and_marks_are_rejects(model, table, answers):
    frame = answers(make_month(60, 0.0, 3)).select(LABEL, "answer")
    mark = frame.with_columns(pl.col("answer").replace("rejected", "-1"))
    blank = frame.with_columns(pl.col("answer").replace("rejected", None))
    seen = {
        watch_table(model, new_watch(model), table(frame)).n_rejected,
        watch_table(model, new_watch(model), table(mark), reject_mark="-1").n_rejected,
        watch_table(model, new_watch(model), table(blank)).n_rejected,
    }
    assert len(seen) == 1
    assert seen != {0}


def test_answers_of_another_model_are_pointed_out(model, table, answers):
    frame = answers(make_month(60, 0.0, 3))
    swapped = frame.with_columns(pl.col("answer").replace({"ill": "'=well", "'=well": "ill"}))
    rows = watch_table(model, new_watch(model), table(swapped))
    (note,) = rows.notes
    assert f"the model answers {rows.n_different} of {rows.n_compared} rows otherwise" in note
    assert rows.n_different == rows.n_compared > 40


def test_rows_of_the_fit_and_rows_without_truth_are_pointed_out(model, table):
    fitted = watch_table(model, new_watch(model), table(make_month(800, 0.0, 0)))
    assert "the model was fitted to 50% of these rows" in fitted.notes[0]
    blind = make_month(60, 0.0, 3).with_columns(pl.lit(None, pl.String).alias(LABEL))
    assert (
        "no answer has a true class" in watch_table(model, new_watch(model), table(blind)).notes[0]
    )


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        (lambda frame: frame.drop(LABEL), {}, r"label='finding' is not a column"),
        (lambda frame: frame, {"answer": "no"}, r"answer='no' is not a column"),
        (lambda frame: frame.drop("age"), {}, r"lacks columns that the model needs: 'age'"),
        (lambda frame: frame.select(LABEL), {}, r"has no column 'answer', and lacks the columns"),
        (
            lambda frame: frame.with_columns(answer=pl.lit("sick")),
            {},
            r"must hold classes of the model \('=well', 'ill'\) or the mark 'rejected', got 'sick'",
        ),
        (
            lambda frame: frame.with_columns(age=pl.lit("old")),
            {},
            r"column 'age' must hold numbers, got 'old' in row 2",
        ),
    ],
)
def test_a_table_that_cannot_be_watched_is_refused(model, table, change, options, words):
    watch = new_watch(model)
    with pytest.raises(InputError, match=words):
        watch_table(model, watch, table(change(make_month(40, 0.0, 3))), **options)
    assert watch.risk.n_answers == 0
    assert watch.tables == []


def test_a_model_without_a_promise_needs_an_accuracy(model):
    other = copy(model).retarget(RejectRate(0.1))
    with pytest.raises(InputError, match=r"promises no accuracy to watch; give accuracy=0.95"):
        new_watch(other)
    assert new_watch(other, 0.9).risk.accuracy == 0.9


def test_a_state_belongs_to_a_model_and_a_promise(model, tmp_path):
    state = tmp_path / "state.json"
    save_watch(new_watch(model), state)
    assert load_watch(state, new_watch(model)).risk.n_answers == 0
    other = copy(model).retarget(RejectRate(0.3))
    for new, words in (
        (new_watch(other, 0.97), "is of another model, or of other thresholds; name another file"),
        (new_watch(model, 0.9), "watches with accuracy 0.97, not 0.9; give accuracy=0.97, or"),
        (
            new_watch(model, confidence=0.9),
            "watches with confidence 0.95, not 0.9; give confidence=0.95, or",
        ),
    ):
        with pytest.raises(InputError) as caught:
            load_watch(state, new)
        assert words in str(caught.value)
        assert str(caught.value).startswith("state='")


def damaged(state):
    yield "", "it is no JSON"
    yield "[1", "it is no JSON"
    yield "[]", "it is no state of a watch"
    yield "{}", "it is no state of a watch"
    yield json.dumps(state | {"kind": "RiskMonitor"}), "it is no state of a watch"
    yield json.dumps(state | {"version": 9}), "it must be of version 1, got 9"
    for name in ("model", "tables", "history"):
        yield json.dumps(state | {name: 3}), "it is damaged"
        yield json.dumps(state | {name: [[1]]}), "it is damaged"
    for point in ([1, "x"], [10**400, 1.0], [1, 10**400], [1.5, 1.0], [-1, 1.0], [1]):
        yield json.dumps(state | {"history": [point]}), "it is damaged"
    yield json.dumps(state | {"history": [[1, float("nan")]]}), "it is damaged"
    yield json.dumps(state | {"risk": None}), "must be that of a RiskMonitor"
    yield json.dumps(state | {"drift": state["risk"]}), "must be that of a DriftMonitor"
    risk = state["risk"] | {"n_answers": -1}
    yield json.dumps(state | {"risk": risk}), "must be a count"


def test_a_damaged_state_is_refused_in_one_line(model, table, tmp_path):
    state, watch = tmp_path / "state.json", new_watch(model)
    watch_table(model, watch, table(make_month(50, 0.0, 1)))
    save_watch(watch, state)
    for text, words in damaged(json.loads(state.read_text())):
        state.write_text(text)
        with pytest.raises(InputError) as caught:
            load_watch(state, new_watch(model))
        assert words in str(caught.value), text[:60]
        assert "move it away to start a new watch" in str(caught.value)
        assert "\n" not in str(caught.value)


def test_the_past_of_a_state_is_bounded(model, table, monkeypatch):
    monkeypatch.setattr("abstain.tables.watching._MOST_POINTS", 4)
    monkeypatch.setattr("abstain.tables.watching._MOST_TABLES", 3)
    watch = new_watch(model)
    for seed in range(6):
        watch_table(model, watch, table(make_month(10, 0.0, seed), f"{seed}.csv"))
    assert (len(watch.history), len(watch.tables)) == (4, 3)
    assert watch.history[-1] == (watch.risk.n_answers, watch.risk.evidence)
