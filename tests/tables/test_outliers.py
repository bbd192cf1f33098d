"""Rows unlike those of the fit are rejected, however sure the model is, and say why."""

import json

import numpy as np
import polars as pl
import pytest

from abstain import Accuracy, load, save
from abstain.report import write_report
from abstain.tables import FitOptions, answer_frame, answer_table, fit_table, open_table
from abstain.tables.unseen_values import codes_for_missing


def patients(n=700, seed=0):
    """Return patients whose risk grows with age and blood pressure; some values are missing."""
    rng = np.random.default_rng(seed)
    age, pressure = rng.normal(54, 9, n).round(), rng.normal(131, 17, n).round()
    risk = (age - 54) / 9 + (pressure - 131) / 17 + rng.normal(0, 0.7, n)
    frame = pl.DataFrame({"age": age, "pressure": pressure, "sex": rng.choice(["f", "m"], n)})
    pressure_known = pl.when(pl.Series(rng.random(n) > 0.1)).then(pl.col("pressure"))
    return frame.with_columns(pressure_known.alias("pressure"), ill=pl.Series(risk > 0).cast(str))


def fitted(tmp_path, frame, model="logistic", **options):
    frame.write_csv(tmp_path / "patients.csv")
    table = open_table(tmp_path / "patients.csv")
    return fit_table(table, FitOptions("ill", model=model, **options))


@pytest.mark.parametrize("model", ["logistic", "gmlvq", "boosting"])
def test_an_age_of_430_and_ages_in_months_are_not_answered(tmp_path, model):
    clf, new = fitted(tmp_path, patients(), model).clf, patients(385, seed=1)
    in_months = new.with_columns(pl.col("age") * 12)
    answers = answer_frame(clf, in_months)
    assert (answers["answer"] == "rejected").all()
    assert answers["correct_proba"].is_null().all()
    assert answers["reason"].str.starts_with("unlike anything seen: age ").all()
    assert answers["warning"].str.starts_with("not in the fit: age ").all()
    (row,) = answer_frame(clf, new.head(1).with_columns(age=pl.lit(430.0))).rows()
    assert row[0] == "rejected"
    assert row[5].startswith("unlike anything seen: age 430")
    assert "age 430 (" in row[6]
    # The model itself is as sure as can be.
    if model != "gmlvq":
        assert np.median(clf.predict_proba(in_months.drop("ill")).max(axis=1)) > 0.95


def test_rows_like_those_of_the_fit_are_rarely_outliers(tmp_path):
    clf, new = fitted(tmp_path, patients()).clf, patients(4000, seed=2)
    outlier = clf.decide(new).outlier
    assert outlier.mean() < 0.01 + 3 * np.sqrt(0.01 / 4000) + 3 * np.sqrt(0.01 / 700)
    answers = answer_frame(clf, new)
    reasons = answers.filter(pl.Series(outlier))["reason"]
    assert reasons.str.starts_with("unlike anything seen: ").all()


def test_every_row_with_a_value_out_of_range_has_a_warning(tmp_path):
    frame, new = patients(), patients(4000, seed=6)
    answers = answer_frame(fitted(tmp_path, frame).clf, new)
    low, high = frame["age"].min(), frame["age"].max()
    beyond = new.with_columns(answers).filter((pl.col("age") < low) | (pl.col("age") > high))
    assert beyond["warning"].str.contains(rf"age \d+ \({low:g} to {high:g}\)").all()
    assert len(beyond) > 0
    assert (answers["warning"] != "").sum() >= len(beyond)


def test_the_file_counts_outliers_and_quotes_what_it_says(tmp_path):
    clf = fitted(tmp_path, patients()).clf
    new = patients(50, seed=3).with_columns(sex=pl.lit('a;"b'), age=pl.col("age") * 12)
    new.write_csv(tmp_path / "new.csv", separator=";")
    counts = answer_table(clf, open_table(tmp_path / "new.csv"), tmp_path / "out.csv")
    assert (counts.n_outliers, counts.n_rejected) == (50, 50)
    assert json.loads(json.dumps(counts.as_dict(None)))["n_outliers"] == 50
    answers = pl.read_csv(tmp_path / "out.csv", separator=";")
    assert answers["warning"].str.contains("sex 'a;\"b' (new)", literal=True).all()
    assert answers["sex"].to_list() == new["sex"].to_list()


def test_none_are_rejected_if_none_shall_be(tmp_path):
    clf = fitted(tmp_path, patients(), outliers=None).clf
    in_months = patients(385, seed=1).with_columns(pl.col("age") * 12)
    answers = answer_frame(clf, in_months)
    assert (answers["answer"] != "rejected").all()
    assert answers["warning"].str.starts_with("not in the fit: age ").all()


def test_a_saved_model_rejects_the_same_rows(tmp_path):
    clf, new = fitted(tmp_path, patients()).clf, patients(300, seed=4)
    mixed = pl.concat([new, new.head(20).with_columns(pl.col("age") * 12)])
    save(clf, tmp_path / "m.abstain")
    loaded = load(tmp_path / "m.abstain")
    assert answer_frame(loaded, mixed).equals(answer_frame(clf, mixed))


def test_the_page_lists_outliers_and_what_is_unusual(tmp_path):
    pytest.importorskip("plotly", reason="pip install '.[report]' to test reports")
    clf = fitted(tmp_path, patients()).clf
    new = patients(100, seed=5)
    mixed = pl.concat([new, new.head(7).with_columns(pl.col("age") * 12)])
    write_report(clf, mixed.drop("ill"), mixed["ill"].to_numpy(), tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    n_outliers = int(clf.decide(mixed).outlier.sum())
    assert n_outliers >= 7
    assert f"<strong>{n_outliers}</strong> are <button" in page


@pytest.mark.parametrize("more", [{}, {"target": Accuracy(0.5, confidence=0.5)}])
def test_a_model_without_a_detector_says_so_once(tmp_path, more):
    result = fitted(tmp_path, patients(19), cv=2, **more)
    assert not result.clf.detects_outliers_
    assert sum(str(note).startswith("no outliers are detected") for note in result.notes) == 1
    for others in (
        fitted(tmp_path, patients(19), cv=2, outliers=None, **more),
        fitted(tmp_path, patients(200), cv=2, **more),
    ):
        assert not any(str(note).startswith("no outliers") for note in others.notes)


def test_codes_for_missing_values_are_pointed_out(tmp_path):
    frame = patients().with_columns(
        age=pl.when(pl.int_range(pl.len()) % 50 == 0).then(-999.0).otherwise("age")
    )
    notes = [str(note) for note in fitted(tmp_path, frame).notes]
    said = "'age' is -999 in 14 rows; if that means a missing value, give missing='-999'"
    assert said in notes


@pytest.mark.parametrize(
    ("values", "is_code"),
    [
        ([1.0, 2.0, 5.0, -999.0, -999.0], True),
        ([1.0, 2.0, 5.0, 99.0, 99.0], True),
        ([1.0, 2.0, 5.0, -999.0], True),
        ([1.0, 2.0, 5.0, 99.0], False),  # once, it may be anything
        ([1.0, 50.0, 98.0, 99.0, 99.0], False),  # as near to others as they are to each other
        ([-1.0, -1.0, 0.0, 1.0], False),
        ([0.0, 0.0, 1000.0, 1001.0], False),  # 0 is a number
        ([7.0, 7.0, 7.0], False),
    ],
)
def test_only_a_repeated_code_far_from_all_others_is_one(values, is_code):
    assert bool(codes_for_missing(pl.DataFrame({"x": values}))) == is_code
