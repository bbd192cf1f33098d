"""Several tables are fitted as the one that has all their rows."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from abstain import Accuracy, InputError, RejectRate
from abstain.tables import FitOptions, fit_table, labelled_samples, open_table
from abstain.tables.joining import join_tables
from abstain.tables.labels import CASE, FOR_ALL, FOR_FIT, USE
from tests.tables.conftest import make_patients

LABEL = "Befund lang"
OPTIONS = FitOptions(LABEL, model="glvq", target=RejectRate(0.2))


def german(frame):
    """Return the bytes of a table with semicolons and decimal commas."""
    text = pl.col(pl.Float64).cast(pl.String).str.replace(".", ",", literal=True)
    return frame.with_columns(text).write_csv(separator=";").encode()


def written(folder, name, frame, how):
    path = folder / f"{name}.{'parquet' if how == 'parquet' else 'csv'}"
    if how == "parquet":
        frame.write_parquet(path)
    else:
        path.write_bytes(german(frame) if how == "german" else frame.write_csv().encode())
    return open_table(path)


@pytest.mark.parametrize("first", ["csv", "german", "parquet"])
@pytest.mark.parametrize("second", ["csv", "german", "parquet"])
def test_it_does_not_matter_how_rows_are_divided_and_written(tmp_path, first, second):
    frame = make_patients()
    others = frame[150:].select(frame.columns[::-1])  # in another order
    parts = [written(tmp_path, "a", frame[:150], first), written(tmp_path, "b", others, second)]
    whole = fit_table(written(tmp_path, "whole", frame, "csv"), OPTIONS)
    joined = fit_table(parts, OPTIONS)
    assert joined.n_rows == whole.n_rows == 240
    assert (joined.features.numeric, joined.features.categorical) == (
        (whole.features.numeric, whole.features.categorical)
    )
    assert joined.clf.thresholds_.tolist() == whole.clf.thresholds_.tolist()


def test_codes_stay_what_they_are(tmp_path):
    (tmp_path / "a.csv").write_text("code,cost\n007,$1\n010,$2\n")
    (tmp_path / "b.csv").write_text("cost,code\n$3,011\n")
    _, frame, _, left_out, _ = join_tables([open_table(tmp_path / f"{name}.csv") for name in "ab"])
    assert frame["code"].to_list() == ["007", "010", "011"]
    assert frame["cost"].to_list() == ["$1", "$2", "$3"]
    assert left_out == {}


def test_columns_that_a_table_lacks_are_left_out_and_named(tmp_path):
    frame = make_patients()
    tables = [
        written(tmp_path, "a", frame.with_columns(more=pl.int_range(240) % 7), "csv"),
        written(tmp_path, "b", frame.drop("Patient").with_columns(less=pl.lit("x")), "csv"),
    ]
    result = fit_table(tables, OPTIONS)
    assert result.features.left_out == {
        "Patient": "is not in b.csv",
        "more": "is not in b.csv",
        "less": "is not in a.csv",
    }
    unlabelled = written(tmp_path, "c", frame.drop(LABEL), "csv")
    with pytest.raises(InputError, match=r"label='Befund lang' is not a column of .*c\.csv"):
        fit_table([tables[0], unlabelled], OPTIONS)


# Rows that were rejected are harder than others, and would make a certificate about other rows.
@pytest.mark.parametrize("is_first", [False, True])
@pytest.mark.parametrize("confidence", [None, 0.9])
def test_rows_that_are_labelled_for_a_fit_certify_nothing(tmp_path, confidence, is_first):
    frame = make_patients(600)
    use = pl.Series(USE, [FOR_FIT, FOR_ALL] * 150)
    labelled = frame[300:].with_columns(use, pl.Series(CASE, [f"row {n}" for n in range(300)]))
    tables = [written(tmp_path, "a", frame[:300], "csv"), written(tmp_path, "b", labelled, "csv")]
    options = FitOptions(LABEL, model="glvq", target=Accuracy(0.7, confidence=confidence))
    result = fit_table(tables[::-1] if is_first else tables, options)
    assert result.n_rows == (600 if confidence is None else 450)
    notes = [note for note in result.notes if "for a fit only" in note]
    assert len(notes) == 1
    assert notes[0].startswith("150 ")
    assert {CASE, USE}.isdisjoint(result.features.left_out | dict.fromkeys(result.features.numeric))
    assert {CASE, USE}.isdisjoint(result.features.categorical)


# Harder rows would raise the thresholds, and the model would reject more of new rows than it needs.
def test_rows_that_are_labelled_for_a_fit_teach_the_model_and_set_no_thresholds(tmp_path):
    frame = make_patients(600)
    use = pl.Series(USE, [FOR_ALL] * 300 + [FOR_FIT] * 300)
    mislabelled = frame[LABEL].shuffle(0).gather(range(300, 600))
    hard = frame.with_columns(use, pl.Series(LABEL, [*frame[LABEL][:300], *mislabelled]))
    table = written(tmp_path, "hard", hard, "csv")
    result = fit_table(table, OPTIONS)
    known = result.clf.calibration_
    assert sorted(known.rows) == [*range(300)]
    assert result.clf.operating_point_.n_samples == 300 < result.n_rows == 600
    assert result.clf.operating_point_.reject_rate == pytest.approx(0.2, abs=0.01)
    assert result.clf.expected_.n_samples == 300
    assert result.class_shares == pytest.approx(
        dict(frame[:300][LABEL].value_counts(normalize=True).rows())
    )
    # Such rows are in all fits but those of their own fold.
    alone = fit_table(written(tmp_path, "alone", frame[:300], "csv"), OPTIONS)
    assert not np.array_equal(alone.clf.calibration_.certainty, known.certainty)
    # Without others, and without folds, they set the thresholds, and a note says so.
    only = written(tmp_path, "only", hard[300:], "csv")
    for tables, options in ((only, OPTIONS), (table, replace(OPTIONS, cv=0))):
        result = fit_table(tables, options)
        assert result.clf.operating_point_.n_samples == result.n_rows
        assert any("new rows may do better" in note for note in result.notes)


def test_rows_that_are_labelled_for_a_fit_tell_no_class_shares(tmp_path):
    use = pl.Series(USE, [FOR_ALL, FOR_FIT] * 150)
    table = written(tmp_path, "some", make_patients(300).with_columns(use), "csv")
    result = fit_table(table, replace(OPTIONS, class_prior={"gesund": 0.9}))
    assert result.n_rows == 150
    assert any(note.startswith("150 rows left out") for note in result.notes)


def test_samples_of_several_tables_are_named_by_row_and_file(tmp_path):
    frame = make_patients()
    parts = [written(tmp_path, "a", frame[:3], "csv"), written(tmp_path, "b", frame[3:5], "german")]
    clf = fit_table(written(tmp_path, "whole", frame, "csv"), OPTIONS).clf
    joined = labelled_samples(clf, parts)
    assert joined.names == [
        *(f"row {row} of a.csv" for row in (2, 3, 4)),
        *("row 2 of b.csv", "row 3 of b.csv"),
    ]
    assert joined.rows.tolist() == [2, 3, 4, 2, 3]
    whole = labelled_samples(clf, written(tmp_path, "some", frame[:5], "csv"))
    assert (joined.X.rows(), joined.y.tolist()) == (whole.X.rows(), whole.y.tolist())
