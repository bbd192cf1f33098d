"""A list that comes back says how often the model was right, and nothing that it cannot say."""

import numpy as np
import polars as pl
import pytest

from abstain import InputError
from abstain.tables import (
    WorklistOptions,
    answer_table,
    expert_labels,
    merge_answers,
    new_watch,
    open_table,
    read_table,
    recalibrate_table,
    review_worklist,
    watch_audit,
    worklist_frame,
)
from abstain.tables.batch import answer_tables, plan_jobs
from abstain.tables.labels import CASE, FOR_ALL, FOR_FIT, USE, collect_labels, save_labels
from abstain.tables.reading import TextOptions
from abstain.tables.review import Share
from tests.tables.conftest import make_patients

LABEL = "Befund lang"


@pytest.fixture
def answered(tmp_path, fitted):
    """Answers to new patients, their worklist, and the true classes by row."""
    frame = make_patients(300, seed=7)
    frame.drop(LABEL).write_csv(tmp_path / "new.csv")
    options = WorklistOptions(tmp_path / "todo.csv", "Patient", audit=0.2, seed=3)
    table = open_table(tmp_path / "new.csv")
    answer_table(fitted.clf, table, tmp_path / "answers.csv", worklist=options)
    return dict(enumerate(frame[LABEL].to_list(), start=2))


def filled_in(folder, truth, share=1.0):
    """Return the list with the answers of an expert who is always right."""
    listed = pl.read_csv(folder / "todo.csv")
    known = np.random.default_rng(0).random(len(listed)) < share
    experts = [truth[row] if own else None for row, own in zip(listed["row"], known, strict=True)]
    return listed.with_columns(expert_answer=pl.Series(experts, dtype=pl.String))


def review(fitted, folder, frame):
    frame.write_csv(folder / "filled.csv")
    return review_worklist(fitted.clf, open_table(folder / "filled.csv"))


def test_it_counts_how_often_the_expert_agrees(tmp_path, fitted, answered):
    filled = filled_in(tmp_path, answered, 0.7)
    result = review(fitted, tmp_path, filled)
    done = filled.filter(pl.col("expert_answer").is_not_null())
    rejected = done.filter(pl.col("why_listed") == "rejected")
    audited = done.filter(pl.col("why_listed") == "audit")
    agreed = rejected["withheld"] == rejected["expert_answer"]
    assert (result.agreement.n_alike, result.agreement.total) == (agreed.sum(), len(rejected))
    assert 0 < agreed.sum() < len(rejected)
    right = (audited["answer"] == audited["expert_answer"]).sum()
    assert (result.audit.n_alike, result.audit.total) == (right, len(audited))
    assert sum(each.total for each in result.agreement_by_class.values()) == len(rejected)
    assert len(result.filled) == len(done) < len(filled) == len(result.rows)


# Clopper and Pearson: 1 − 0.025^(1/n) if all of n are alike.
def test_the_interval_of_a_share():
    assert Share(5, 5).interval == pytest.approx((0.025 ** (1 / 5), 1.0))
    assert Share(0, 0).interval == (0.0, 1.0)
    assert Share(0, 0).share is None


def as_saved_by(folder, frame, how):
    """Write a list as a spreadsheet may save it."""
    path = folder / f"again.{'xlsx' if how == 'xlsx' else 'csv'}"
    shuffled = frame.sample(fraction=1, shuffle=True, seed=1).select(frame.columns[::-1])
    if how == "xlsx":
        pytest.importorskip("xlsxwriter", reason="pip install '.[excel]' to test Excel")
        shuffled.write_excel(path)
        return path
    numbers = pl.col(pl.Float64).cast(pl.String).str.replace(".", ",", literal=True)
    german = shuffled.with_columns(numbers, note=pl.lit("x"))
    title = pl.col("expert_answer").str.replace("^g", "G").alias("expert_answer")
    german.with_columns(title).write_csv(path, separator=";", include_bom=True)
    return path


@pytest.mark.parametrize("how", ["xlsx", "german"])
def test_a_list_that_a_spreadsheet_has_saved_says_the_same(tmp_path, fitted, answered, how):
    filled = filled_in(tmp_path, answered, 0.8)
    expected = review(fitted, tmp_path, filled)
    again = review_worklist(fitted.clf, open_table(as_saved_by(tmp_path, filled, how)))
    assert again.rows.drop("line").equals(expected.rows.drop("line"))
    assert again.sample.tolist() == expected.sample.tolist()
    assert again.as_dict() == expected.as_dict()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"expert_answer": "gesundd"},
            r"got 'gesundd' in row 2; did you mean 'gesund'\?",
        ),
        ({"row": 1}, "'row' of .* must be the number of a row of the table, .* got '1' in row 2"),
        ({"row": None}, "got nothing in row 2"),
        ({"row": 7}, "lists row 7 twice, in its rows 2 and 3; keep one"),
        ({"why_listed": "maybe"}, "must be rejected or audit, got 'maybe' in row 2"),
        ({"weight": 0}, "must be the weight that was listed, 1 or more, got '0' in row 2"),
        ({"withheld": "krank"}, "'withheld' of .* must name classes .* mean 'krank "),
    ],
)
def test_what_does_not_belong_is_refused_with_its_row(tmp_path, fitted, answered, change, words):
    changed = filled_in(tmp_path, answered).with_columns(
        pl.lit(value).cast(pl.String).alias(name) for name, value in change.items()
    )
    with pytest.raises(InputError, match=words):
        review(fitted, tmp_path, changed)


def test_other_tables_are_no_worklists(tmp_path, fitted, answered):
    with pytest.raises(InputError, match=r"has no column 'why_listed': it is no worklist"):
        review_worklist(fitted.clf, open_table(tmp_path / "answers.csv"))


@pytest.mark.parametrize("suffix", ["csv", "parquet", "xlsx"])
def test_answers_are_merged(tmp_path, fitted, answered, suffix):
    result = review(fitted, tmp_path, filled_in(tmp_path, answered, 0.7))
    answers, out = open_table(tmp_path / "answers.csv", block_size=2000), tmp_path / f"m.{suffix}"
    counts = merge_answers(result, answers, out)
    read = {"csv": pl.read_csv, "parquet": pl.read_parquet, "xlsx": pl.read_excel}[suffix]
    before, merged = pl.read_csv(tmp_path / "answers.csv"), read(out)
    assert merged.columns == [*before.columns, "final_answer", "answered_by"]
    by_expert = dict(result.filled.select("row", "expert").rows())
    for at, (answer, final, by) in enumerate(
        merged.select("answer", "final_answer", "answered_by").rows(), start=2
    ):
        if at in by_expert:
            assert (final, by) == (by_expert[at], "expert")
        elif answer == "rejected":
            assert (final or "", by or "") == ("", "")
        else:
            assert (final, by) == (answer, "model")
    assert counts["expert"] == len(by_expert)
    assert sum(counts.values()) == len(before)
    assert counts["nobody"] > 0


def test_answers_of_another_run_are_refused(tmp_path, fitted, answered):
    result = review(fitted, tmp_path, filled_in(tmp_path, answered))
    answers = pl.read_csv(tmp_path / "answers.csv")
    answers[::-1].write_csv(tmp_path / "other.csv")
    answers[::-1].drop("Patient").write_csv(tmp_path / "nameless.csv")
    answers.head(20).write_csv(tmp_path / "short.csv")
    for name, words in [
        (
            "other",
            r"row \d+ of .*filled\.csv is not row \d+ of .*other\.csv: 'Patient' differs",
        ),
        ("nameless", r"row \d+ of .*filled\.csv is not row \d+ of .*: the answers differ; give"),
        ("short", r"is of a row that .*short.csv does not have: it ends with row 21; give the"),
        ("new", "has no column 'answer': it holds no answers of abstain predict"),
    ]:
        with pytest.raises(InputError, match=words):
            merge_answers(result, open_table(tmp_path / f"{name}.csv"), tmp_path / "merged.csv")
        assert not (tmp_path / "merged.csv").exists()


def test_the_cases_of_several_tables_go_to_their_own(tmp_path, fitted):
    truth = {}
    for name in ("a", "b"):
        frame = make_patients(100, seed=ord(name))
        frame.drop(LABEL).write_csv(tmp_path / f"{name}.csv")
        truth[f"{name}.csv"] = dict(enumerate(frame[LABEL].to_list(), start=2))
    jobs = plan_jobs([tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path / "out", TextOptions())
    (tmp_path / "out").mkdir()
    options = WorklistOptions(tmp_path / "todo.csv", audit=0.3, seed=0)
    answer_tables(fitted.clf, jobs, reject_mark="rejected", worklist=options)
    listed = pl.read_csv(options.out)
    experts = [truth[table][row] for table, row in listed.select("table", "row").rows()]
    result = review(fitted, tmp_path, listed.with_columns(expert_answer=pl.Series(experts)))
    for name in ("a.csv", "b.csv"):
        counts = merge_answers(result, open_table(tmp_path / "out" / name), tmp_path / "m.csv")
        assert counts["expert"] == (listed["table"] == name).sum()
        assert counts["nobody"] == 0
    (tmp_path / "out" / "a.csv").rename(tmp_path / "out" / "c.csv")
    with pytest.raises(InputError, match=r"lists no row of c\.csv; .*its tables are"):
        merge_answers(result, open_table(tmp_path / "out" / "c.csv"), tmp_path / "m.csv")


# --- what the answers of the expert are good for --------------------------------------------------


# A rejected row is in the sample with the probability with which an answered one is audited.
def test_the_random_sample_has_the_same_share_of_both_kinds(tmp_path, fitted):
    frame = make_patients(4000, seed=5)
    listed = worklist_frame(fitted.clf, frame, audit=0.25, seed=1)
    result = review(fitted, tmp_path, listed)
    is_rejected = (result.rows["why_listed"] == "rejected").to_numpy()
    n_rejected = is_rejected.sum()
    taken = (result.sample & is_rejected).sum()
    assert abs(taken - 0.25 * n_rejected) < 5 * np.sqrt(0.25 * 0.75 * n_rejected)
    assert result.sample[~is_rejected].all()
    # It does not depend on what the expert says.
    answers = listed.with_columns(expert_answer=pl.lit("gesund"))
    assert review(fitted, tmp_path, answers).sample.tolist() == result.sample.tolist()


def test_all_labels_are_kept_and_thresholds_are_set_on_the_random_sample_alone(
    tmp_path, fitted, answered
):
    result = review(fitted, tmp_path, filled_in(tmp_path, answered))
    labels = expert_labels(fitted.clf, result)
    assert labels.columns == ["Größe", "Alter", "Organ", LABEL, CASE, USE]
    assert labels[LABEL].to_list() == [answered[row] for row in result.rows["row"]]
    assert (labels[USE] == FOR_ALL).to_list() == result.sample.tolist()
    save_labels(labels, tmp_path / "labelled.csv")
    new = recalibrate_table(fitted.clf, open_table(tmp_path / "labelled.csv"))
    n_free = int(result.sample.sum())
    assert (new.n_rows, new.n_for_fit) == (n_free, len(labels) - n_free)
    alone = labels.filter(result.sample).drop(CASE, USE)
    save_labels(alone, tmp_path / "alone.csv")
    same = recalibrate_table(fitted.clf, open_table(tmp_path / "alone.csv"))
    assert new.clf.thresholds_.tolist() == same.clf.thresholds_.tolist()


# Cases that an expert leaves out tend to be hard.
def test_labels_of_a_sample_with_gaps_or_without_audit_are_for_a_fit_only(
    tmp_path, fitted, answered
):
    whole = filled_in(tmp_path, answered)
    for some in (
        filled_in(tmp_path, answered, 0.9),
        whole.filter(pl.col("why_listed") == "rejected"),
    ):
        labels = expert_labels(fitted.clf, review(fitted, tmp_path, some))
        assert len(labels) == some["expert_answer"].drop_nulls().len()
        assert set(labels[USE]) == {FOR_FIT}
    save_labels(labels, tmp_path / "labelled.csv")
    with pytest.raises(InputError, match=r"all rows say 'fit only' in column"):
        recalibrate_table(fitted.clf, open_table(tmp_path / "labelled.csv"))
    with pytest.raises(InputError, match="has no expert_answer yet"):
        expert_labels(fitted.clf, review(fitted, tmp_path, filled_in(tmp_path, answered, 0)))


def test_labels_of_several_lists_are_collected_each_case_once(tmp_path, fitted, answered):
    path = tmp_path / "labelled.csv"

    def collect(frame, how=None):
        frame.write_csv(tmp_path / "filled.csv")
        source = tmp_path / "filled.csv" if how is None else as_saved_by(tmp_path, frame, how)
        labels = expert_labels(fitted.clf, review_worklist(fitted.clf, open_table(source)))
        rows = collect_labels(fitted.clf, labels, path)
        save_labels(rows, path)
        return rows

    part, whole = (filled_in(tmp_path, answered, share) for share in (0.5, 1))
    assert set(collect(part)[USE]) == {FOR_FIT}
    first = collect(whole)
    assert len(first) == len(whole)
    for how in ("german", "xlsx"):  # the same cases, in another spelling
        assert collect(whole, how).sort(CASE).equals(first.sort(CASE))
    later = worklist_frame(fitted.clf, make_patients(300, seed=8), audit=0.2, seed=1)
    both = collect(later.with_columns(expert_answer=pl.lit("gesund")))
    assert len(both) == len(whole) + len(later)
    read = read_table(open_table(path))
    assert read.columns == both.columns
    assert [column.null_count() for column in read] == [column.null_count() for column in both]
    pl.DataFrame({"Größe": [1.0], "other": [2]}).write_csv(path)
    with pytest.raises(InputError, match="holds other labels than those of this model: column "):
        collect(whole)


def test_a_monitor_counts_audited_cases_alone_and_only_once(tmp_path, fitted, answered):
    filled = filled_in(tmp_path, answered)
    result, watch = review(fitted, tmp_path, filled), new_watch(fitted.clf, accuracy=0.8)
    rows = watch_audit(fitted.clf, watch, result)
    assert (rows.n_answered, rows.n_rejected) == (result.audit.total, 0)
    assert watch.risk.n_labelled == result.audit.total
    assert watch.risk.n_errors == result.audit.total - result.audit.n_alike > 0
    assert watch.drift is None or not watch.drift.n_samples  # audited rows are no sample of all
    with pytest.raises(InputError, match=r"has already counted the rows of .*filled\.csv"):
        watch_audit(fitted.clf, watch, result)
    hard = pl.when(pl.col("why_listed") == "audit").then(None).otherwise("expert_answer")
    first = pl.int_range(pl.len()) < 20
    some = filled.with_columns(expert_answer=pl.when(first).then(hard).otherwise("expert_answer"))
    with pytest.raises(InputError, match=r"audited cases .* no expert_answer: .*fill in all"):
        watch_audit(fitted.clf, new_watch(fitted.clf, 0.8), review(fitted, tmp_path, some))
    none = filled.filter(pl.col("why_listed") == "rejected")
    with pytest.raises(InputError, match="has no audited cases, and a monitor takes no others"):
        watch_audit(fitted.clf, new_watch(fitted.clf, 0.8), review(fitted, tmp_path, none))
