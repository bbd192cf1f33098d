"""A table that streams through a classifier comes out as it went in, with eight columns more."""

import codecs
import csv
import io
import math
import re
from copy import copy, deepcopy
from datetime import timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from sklearn.base import clone

import abstain
from abstain import InputError
from abstain.saving import load, save
from abstain.tables import (
    FitOptions,
    answer_frame,
    answer_table,
    fit_table,
    labelled_samples,
    open_table,
)
from abstain.tables.answer_warnings import answer_warnings
from abstain.tables.answering import AnswerCounts
from abstain.tables.batch import answer_tables, plan_jobs
from abstain.tables.reading import TextOptions
from abstain.tables.writing import check_output
from tests.examples import examples
from tests.tables.conftest import make_patients

NEW = ["row", "answer", "withheld", "certainty", "threshold", "correct_proba", "reason", "warning"]


def answer(clf, path, out, block_size=1 << 20, **options):
    table = open_table(path, block_size=block_size)
    return answer_table(clf, table, out, **options)


def check_same(answers, expected, thresholds):
    """Blocks of other sizes may round another way: a certainty on the threshold can flip."""
    for name in ("certainty", "correct_proba"):
        np.testing.assert_allclose(answers[name].to_numpy(), expected[name].to_numpy(), rtol=2e-5)
    certainty = expected["certainty"].to_numpy()
    is_close = np.abs(certainty[:, np.newaxis] - thresholds).min(axis=1) < 1e-9
    sure = pl.Series(~is_close)
    assert answers.filter(sure)["answer"].equals(expected.filter(sure)["answer"])


@given(block_size=st.integers(40, 5000), n=st.integers(1, 120), seed=st.integers(0, 5))
@examples(0.25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_blocks_of_any_size_give_what_memory_gives(tmp_path_factory, fitted, block_size, n, seed):
    folder = tmp_path_factory.mktemp("stream")
    frame = make_patients(n, seed)
    frame.write_csv(folder / "new.csv")
    answered = answer(fitted.clf, folder / "new.csv", folder / "out.csv", block_size)
    answers = pl.read_csv(folder / "out.csv")
    assert answers.select(frame.columns).equals(pl.read_csv(folder / "new.csv"))
    assert answers["row"].to_list() == [*range(2, n + 2)]  # the header is row 1
    check_same(answers, answer_frame(fitted.clf, frame), fitted.clf.thresholds_)
    assert answered.n_rows == n
    assert answered.n_rejected + sum(answered.class_counts.values()) == n


def test_records_stay_as_they_were_byte_by_byte(tmp_path, fitted):
    text = (
        "Patient;Größe;Alter;Organ;bemerkt\n"
        '007;1,50;40;Leber;"a;b"\n'
        '"x ""y""";-0,2;33;"Niere, links";"two\nlines"\n'
        "z;NA;50;nie gesehen;\n"
    )
    (tmp_path / "new.csv").write_bytes(text.encode("cp1252"))
    answer(fitted.clf, tmp_path / "new.csv", tmp_path / "out.csv", block_size=64)
    # In another encoding than the table's, spreadsheets need the mark to read umlauts.
    assert (tmp_path / "out.csv").read_bytes().startswith(codecs.BOM_UTF8)
    written = (tmp_path / "out.csv").read_text("utf-8-sig")
    rows = list(csv.reader(io.StringIO(written), delimiter=";"))
    assert rows[0] == ["Patient", "Größe", "Alter", "Organ", "bemerkt", *NEW]
    assert [row[:5] for row in rows[1:]] == list(csv.reader(io.StringIO(text), delimiter=";"))[1:]
    assert '007;1,50;40;Leber;"a;b";' in written
    for row in rows[1:]:
        for number in filter(None, row[8:11]):  # an outlier has no probability
            float(number.replace(",", "."))
            assert "." not in number


def test_the_byte_order_mark_stays(tmp_path, fitted, patients):
    patients.write_csv(tmp_path / "new.csv", include_bom=True)
    answer(fitted.clf, tmp_path / "new.csv", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes().startswith(b"\xef\xbb\xbfPatient,")


@pytest.mark.parametrize("source", ["csv", "tsv", "parquet"])
@pytest.mark.parametrize("target", ["csv", "tsv", "parquet"])
def test_every_format_to_every_other(tmp_path, fitted, patients, source, target):
    path, out = tmp_path / f"new.{source}", tmp_path / f"out.{target}"
    if source == "parquet":
        patients.write_parquet(path)
    else:
        patients.write_csv(path, separator={"csv": ",", "tsv": "\t"}[source])
    answer(fitted.clf, path, out, block_size=1000)
    answers = (
        pl.read_parquet(out)
        if target == "parquet"
        else pl.read_csv(out, separator={"csv": ",", "tsv": "\t"}[target])
    )
    assert answers.columns == [*patients.columns, *NEW]
    assert answers["row"].equals(pl.int_range(2, len(patients) + 2, eager=True).alias("row"))
    same = answers.select(pl.col(name).cast(kind) for name, kind in patients.schema.items())
    assert same.equals(patients)
    check_same(answers, answer_frame(fitted.clf, patients), fitted.clf.thresholds_)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


# What a person reads stands in the sentence, what an analyst computes with in columns of its own.
def test_a_rejected_row_has_the_withheld_answer_its_rival_and_the_threshold(fitted, patients):
    ages = pl.Series([430, *patients["Alter"][1:]])
    patients = patients.with_columns(ages.alias("Alter"))
    answers = answer_frame(fitted.clf, patients)
    decided, explained = fitted.clf.decide(patients), fitted.clf.explain(patients)
    assert answers["reason"].to_list() == explained["reason"].fill_null("").to_list()
    for at, row in enumerate(answers.iter_rows(named=True)):
        label, rival = fitted.clf.classes_[decided.class_indices[at]], explained["rival"][at]
        assert math.isclose(row["certainty"], decided.certainty[at])
        assert row["threshold"] == fitted.clf.thresholds_[decided.positions[at]]
        if not decided.rejected[at]:
            assert (row["answer"], row["withheld"], row["reason"]) == (label, "", "")
            continue
        assert (row["answer"], row["withheld"]) == ("rejected", label)
        if decided.outlier[at]:
            assert row["correct_proba"] is None
            assert row["reason"].startswith("unlike anything seen: ")
        else:
            assert math.isclose(row["correct_proba"], decided.correct_proba[at])
            classes = re.escape(f"between {label} and {rival}: ")
            assert re.fullmatch(rf"{classes}.* decides?", row["reason"])
    assert decided.outlier.any()
    assert (decided.rejected & ~decided.outlier).any()
    assert not decided.rejected.all()


# Whatever was rejected, in whichever cell, is less probable than every answer that was given.
def test_every_row_has_the_probability_that_its_answer_is_right(tmp_path, fitted, patients):
    patients.write_parquet(tmp_path / "new.parquet")
    answer(fitted.clf, tmp_path / "new.parquet", tmp_path / "out.parquet", block_size=1000)
    answers = pl.read_parquet(tmp_path / "out.parquet")
    probability = answers["correct_proba"].to_numpy()
    expected = fitted.clf.predict_correct_proba(patients)
    assert np.array_equal(probability, expected, equal_nan=True)
    is_rejected = (answers["answer"] == "rejected").to_numpy()
    assert 0 < np.nanmax(probability[is_rejected]) <= probability[~is_rejected].min() < 1


def test_an_empty_row_has_no_probability(fitted, patients):
    empty = patients.with_columns(
        pl.lit(None, kind).alias(n) for n, kind in patients.schema.items()
    )
    answers = answer_frame(fitted.clf, pl.concat([patients[:2], empty[:1]]))
    assert answers["correct_proba"].is_null().to_list() == [False, False, True]
    assert answers["certainty"].is_null().to_list() == [False, False, True]


# The front of a loaded classifier is made when it is first asked for, and by one thread.
def test_a_loaded_classifier_tells_the_same_probabilities(tmp_path, fitted, patients):
    for method in ("pooled", "exact"):
        clf = clone(fitted.clf).set_params(method=method)
        clf.fit(patients.drop("Befund lang"), patients["Befund lang"].to_numpy())
        save(clf, tmp_path / "m.abstain")
        loaded = load(tmp_path / "m.abstain")
        answers = answer_frame(loaded, patients)["correct_proba"].to_numpy()
        assert np.array_equal(answers, clf.predict_correct_proba(patients), equal_nan=True)


def test_names_that_need_quotes(tmp_path, patients):
    names = {"gesund": 'gut, "sehr"', "krank (übel)": "übel; schlimm"}
    frame = patients.with_columns(pl.col("Befund lang").replace_strict(names))
    frame.write_csv(tmp_path / "t.csv")
    options = FitOptions("Befund lang", model="glvq", target=abstain.RejectRate(0.3))
    clf = fit_table(open_table(tmp_path / "t.csv"), options).clf
    answer(clf, tmp_path / "t.csv", tmp_path / "out.csv", reject_mark='weiß, "nicht"')
    answers = pl.read_csv(tmp_path / "out.csv")
    assert set(answers["answer"]) == {*names.values(), 'weiß, "nicht"'}
    assert answers["reason"].drop_nulls().str.starts_with("between ").any()


# A spreadsheet computes what begins like a formula; a number with a sign stays one.
@pytest.mark.parametrize(
    ("names", "written"),
    [
        (["=1+1", "-cmd|x!A1"], ["'=1+1", "'-cmd|x!A1"]),
        (["@SUM(A1;B1)", "+1+1"], ["'@SUM(A1;B1)", "'+1+1"]),
        (["+1", "-1"], ["+1", "-1"]),
        (["+", "--"], ["+", "--"]),
    ],
)
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_answers_are_no_formulas(tmp_path, names, written, suffix):
    y = [names[0], names[0], names[1], names[1]] * 10
    known = pl.DataFrame({"x": [0.0, 1.0, 4.0, 5.0] * 10, "y": y})
    clf = abstain.RejectOptionClassifier(abstain.GLVQ(), cv=2, target=abstain.RejectRate(0.0))
    clf.fit(known.select("x"), known["y"])
    known.write_csv(tmp_path / "new.csv")
    answered = answer(clf, tmp_path / "new.csv", tmp_path / f"out{suffix}")
    assert sorted(answered.class_counts) == sorted(names)
    if suffix == ".parquet":
        answers, written = pl.read_parquet(tmp_path / "out.parquet"), names
    else:
        separator = "\t" if suffix == ".tsv" else ","
        path = tmp_path / f"out{suffix}"
        answers = pl.read_csv(path, separator=separator, infer_schema=False)
    assert set(answers["answer"]) == set(written)
    assert answers["y"].to_list() == known["y"].to_list()  # columns of the table stay as they were


def test_columns_of_the_same_name_stay(tmp_path, fitted, patients):
    frame = patients.with_columns(pl.lit("mine").alias("answer"))
    frame.write_csv(tmp_path / "new.csv")
    answered = answer(fitted.clf, tmp_path / "new.csv", tmp_path / "out.csv")
    assert answered.columns == ["row", "abstain_answer", *NEW[2:]]
    answers = pl.read_csv(tmp_path / "out.csv")
    assert set(answers["answer"]) == {"mine"}
    assert "abstain_answer" in answers.columns


def test_empty_rows_are_rejected(tmp_path):
    frame = pl.DataFrame({"a": [0.0, 1.0, 4.0, 5.0] * 10, "b": [1.0, 2.0] * 20})
    labels = ["x", "x", "y", "y"] * 10
    clf = abstain.RejectOptionClassifier(abstain.GLVQ(), cv=2).fit(frame, labels)
    path = tmp_path / "new.csv"
    path.write_text("id,a,b\n1,0.5,1\n2,,NA\n3,NaN,\n4,,2\n")
    answered = answer(clf, path, tmp_path / "out.csv")
    assert (answered.n_rows, answered.n_empty) == (4, 2)
    answers = pl.read_csv(tmp_path / "out.csv")
    assert answers["reason"][1] == "all columns that the model needs are empty"
    assert answers["certainty"].is_null().to_list() == [False, True, True, False]
    assert answers["answer"].to_list()[1:3] == ["rejected", "rejected"]


@pytest.mark.parametrize("empty", ["1;;;", "1;NA;?;n/a"])
def test_rows_without_categories_are_rejected(tmp_path, fitted, empty):
    (tmp_path / "new.csv").write_text(f"id;Größe;Alter;Organ\n{empty}\n2;;;Leber\n", "utf-8")
    answered = answer(fitted.clf, tmp_path / "new.csv", tmp_path / "out.csv")
    assert (answered.n_rows, answered.n_empty) == (2, 1)
    answers = pl.read_csv(tmp_path / "out.csv", separator=";")
    assert answers["answer"][0] == "rejected"
    assert answers["reason"][0] == "all columns that the model needs are empty"


def test_a_threshold_that_rejects_all_is_reported_as_such(tmp_path, fitted, patients):
    clf = deepcopy(fitted.clf)
    clf.set_thresholds([np.inf] * len(clf.thresholds_))
    answers = answer_frame(clf, patients)
    reasons = set(answers.filter(~pl.Series(clf.decide(patients).outlier))["reason"].to_list())
    assert reasons == {
        "no row of class gesund is answered",
        "no row of class krank (übel) is answered",
    }


@pytest.mark.parametrize(
    "values",
    [[timedelta(1)], [[1, 2]], [{"a": 1}], [b"x"]],
    ids=["duration", "list", "struct", "bytes"],
)
def test_values_that_text_cannot_hold(tmp_path, fitted, patients, values):
    odd = patients.with_columns(pl.Series("odd", values * len(patients)))
    odd.write_parquet(tmp_path / "new.parquet")
    table = open_table(tmp_path / "new.parquet")
    with pytest.raises(InputError, match=r"column .odd. holds values of type .*with \.parquet"):
        check_output(tmp_path / "out.csv", table)
    answer(fitted.clf, tmp_path / "new.parquet", tmp_path / "out.parquet")
    assert pl.read_parquet(tmp_path / "out.parquet")["odd"].to_list() == odd["odd"].to_list()


def test_a_column_that_begins_empty_holds_numbers_later(tmp_path, fitted):
    lines = ["Größe;Alter;Organ", *[";40;Leber"] * 40_000, "1,5;40;Leber"]
    (tmp_path / "new.csv").write_text("\n".join(lines), encoding="utf-8")
    answer(fitted.clf, tmp_path / "new.csv", tmp_path / "out.parquet")
    assert pl.read_parquet(tmp_path / "out.parquet")["Größe"].drop_nulls().to_list() == [1.5]


@pytest.mark.parametrize("block_size", [50, 1 << 20])
@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["1.5,40,Leber", "2.5,alt,Leber"], "'Alter'.*'alt' in row 7 of .*missing="),
        (["1.5,40,Leber", "2.5,40"], "2 fields in row 7"),
        (["1.5,inf,Leber"], "inf in row 6"),
    ],
)
def test_bad_rows_are_named_and_leave_no_file(tmp_path, fitted, block_size, lines, words):
    start = ["Größe,Alter,Organ", *["0.5,30,Leber"] * 4]
    (tmp_path / "new.csv").write_text("\n".join(start + lines), encoding="utf-8")
    (tmp_path / "out.csv").write_text("old")
    with pytest.raises(InputError, match=words):
        answer(fitted.clf, tmp_path / "new.csv", tmp_path / "out.csv", block_size)
    assert (tmp_path / "out.csv").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2


def test_tables_of_another_kind(tmp_path, fitted, patients):
    patients.drop("Alter", "Organ").write_csv(tmp_path / "new.csv")
    with pytest.raises(InputError, match="lacks columns that the model needs: 'Alter', 'Organ'; "):
        answer(fitted.clf, tmp_path / "new.csv", tmp_path / "out.csv")
    said = "^frame lacks columns that the model needs: 'Alter', 'Organ'; add them, empty where "
    with pytest.raises(InputError, match=said):
        answer_frame(fitted.clf, patients.drop("Alter", "Organ"))
    with pytest.raises(InputError, match=r"'Alter'; .* \(did you mean 'ALTER'\? its col"):
        answer_frame(fitted.clf, patients.select("Größe", "Organ", ALTER="Alter"))
    patients.clear().write_csv(tmp_path / "new.csv")
    with pytest.raises(InputError, match="no rows"):
        answer(fitted.clf, tmp_path / "new.csv", tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("mark", ["gesund", " "])
def test_marks_that_would_mislead(fitted, patients, mark):
    with pytest.raises(InputError, match="reject_mark="):
        answer_frame(fitted.clf, patients, reject_mark=mark)


def test_outputs_that_cannot_be(tmp_path, patients):
    patients.write_csv(tmp_path / "new.csv")
    table = open_table(tmp_path / "new.csv")
    for name, words in [
        ("out.ods", "must end with"),
        ("no/out.csv", "no folder"),
        (".", "folder"),
    ]:
        with pytest.raises(InputError, match=words):
            check_output(tmp_path / name, table)


# --- thresholds ---------------------------------------------------------------------------------


def test_thresholds_take_the_place_of_the_models(fitted, patients):
    n_thresholds = len(fitted.clf.thresholds_)
    none, everything, same = (
        copy(fitted.clf).set_thresholds(thresholds)
        for thresholds in (["-inf"] * n_thresholds, ["inf"] * n_thresholds, fitted.clf.thresholds_)
    )
    outlier = fitted.clf.decide(patients).outlier
    assert np.array_equal(none.reject(patients), outlier)
    assert everything.reject(patients).all()
    reasons = answer_frame(none, patients)["reason"]
    assert reasons.str.starts_with("unlike anything seen: ").to_list() == outlier.tolist()
    assert (reasons == "").to_list() == (~outlier).tolist()
    assert answer_frame(same, patients).equals(answer_frame(fitted.clf, patients))


# --- kinds of columns ---------------------------------------------------------------------------


def fit_text(tmp_path, lines, **options):
    (tmp_path / "train.csv").write_text("\n".join(lines))
    table = open_table(tmp_path / "train.csv", missing=options.pop("missing", []))
    return fit_table(table, FitOptions("y", model="glvq", **options)).clf


def test_names_that_look_like_numbers_stay_names(tmp_path):
    lines = ["zip,x,y", *["007,1.5,a", "7,2.5,b", "7.0,2.0,b", "007,1.0,a"] * 10]
    clf = fit_text(tmp_path, lines, categorical=["zip"])
    kinds = clf.estimator_.named_steps["encoding"].named_transformers_["kinds"]
    assert kinds.categories_[0].tolist() == ["007", "7", "7.0"]
    answer(clf, tmp_path / "train.csv", tmp_path / "out.csv")
    answers = pl.read_csv(tmp_path / "out.csv", infer_schema=False)
    assert answers["zip"].to_list() == [line.split(",")[0] for line in lines[1:]]
    frame = pl.read_csv(tmp_path / "train.csv", schema_overrides={"zip": pl.String})
    check_same(
        answers.with_columns(pl.col("certainty", "correct_proba").cast(pl.Float64)),
        answer_frame(clf, frame),
        clf.thresholds_,
    )


def test_codes_that_begin_with_0_are_known_again(tmp_path):
    clf = fit_text(tmp_path, ["zip,y", *["01067,a", "04109,b"] * 20])
    assert not answer(clf, tmp_path / "train.csv", tmp_path / "out.csv").unseen_values


def test_a_number_that_means_missing_does_so_for_new_rows(tmp_path):
    lines = ["x,z,y", *["1.5,1,a", "-9,2,b", "2.5,-9,b", "1.0,3,a"] * 10]
    clf = fit_text(tmp_path, lines, missing=["-9"])
    message = answer_frame(clf, pl.DataFrame({"x": [-9.0, None, 1.0], "z": [1, 1, -9]}))
    assert message["certainty"][0] == message["certainty"][1]
    (tmp_path / "new.csv").write_text("x,z\n-9,1\n,1\n-9,-9\n")
    answered = answer(clf, tmp_path / "new.csv", tmp_path / "out.csv")
    answers = pl.read_csv(tmp_path / "out.csv")
    assert answers["certainty"][0] == answers["certainty"][1]
    assert answered.n_empty == 1


def test_truth_values_mean_the_same_in_every_format(tmp_path):
    lines = ["old,x,y", *["True,1.5,a", "False,2.5,b", "False,2.0,b", "True,1.0,a"] * 10]
    clf = fit_text(tmp_path, lines)
    frame = pl.read_csv(tmp_path / "train.csv")
    text = frame.with_columns(pl.col("old").cast(pl.String).str.to_uppercase())
    typed = frame.with_columns(pl.col("old").cast(pl.String) == "true")
    assert answer_frame(clf, text).equals(answer_frame(clf, typed))
    kinds = clf.estimator_.named_steps["encoding"].named_transformers_["kinds"]
    assert kinds.categories_[0].tolist() == ["false", "true"]


# The model knows what means missing, also in a table with decimal commas.
def test_text_that_means_missing_does_so_whatever_the_decimal_mark(tmp_path):
    lines = [f"{n % 2},{n % 9};{'ab'[n % 2]}" for n in range(20)] + ["none;a", "none;b"]
    text = "\n".join(["size;kind", *lines])
    (tmp_path / "t.csv").write_text(text)
    options = FitOptions("kind", "naive-bayes")
    clf = fit_table(open_table(tmp_path / "t.csv", missing=["none"]), options).clf
    table = open_table(tmp_path / "t.csv")
    assert answer_table(clf, table, None).n_empty == 2
    assert len(labelled_samples(clf, table).y) == 20


def test_an_error_about_one_of_several_tables_keeps_its_parts(tmp_path, fitted, patients):
    for name in ("a.csv", "b.csv"):
        patients.head(5).with_columns(Alter=pl.lit("alt")).write_csv(tmp_path / name)
    jobs = plan_jobs([tmp_path / "a.csv", tmp_path / "b.csv"], None, TextOptions())
    with pytest.raises(InputError, match=r"^2 of 2 tables could not be answered: ") as caught:
        answer_tables(fitted.clf, jobs, reject_mark="rejected")
    assert caught.value.value == "alt"
    assert caught.value.requirement == "must hold numbers"
    assert "missing=['alt']" in caught.value.remedy


@pytest.mark.parametrize("n_rows", [1, 20, 300, 100_000])
def test_no_more_than_usual_is_no_warning_and_all_rows_are_one_unless_they_are_few(n_rows, fitted):
    model = fitted.clf
    rate = model.operating_point_.reject_rate
    usual = AnswerCounts(n_rows, int(rate * n_rows), 0, {}, [], n_outliers=n_rows // 100)
    assert answer_warnings(model, usual) == []
    seen = {"unseen_values": {"Alter": n_rows}, "examples": {"Alter": 1e9}}
    odd = AnswerCounts(n_rows, n_rows, 0, {}, [], n_outliers=n_rows, **seen)
    assert len(answer_warnings(model, odd)) == (0 if n_rows == 1 else 3)
