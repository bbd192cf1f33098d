"""Laws of `abstain predict`: one table or many, exported thresholds, one line for each error."""

import gzip
import json
import re

import polars as pl
import pytest

import abstain
from abstain import tables
from tests.cli.helpers import LABEL, assert_one_line, python
from tests.saving.forging import forge, object_of
from tests.tables.conftest import make_patients


def test_what_fit_prints_as_json_is_taken_as_thresholds(run, folder):
    out, exported = folder / "m.abstain", folder / "t.json"
    arguments = ["--label", LABEL, "--model", "glvq", "--out", out, "--json"]
    exported.write_text(run("fit", folder / "patients.csv", *arguments)[1])
    plain = run("predict", out, folder / "new.csv", "--json")
    assert run("predict", out, folder / "new.csv", "--thresholds", exported, "--json") == plain
    everything = {"thresholds": ["inf", "inf", "inf"]}
    exported.write_text(json.dumps(everything))
    shown = run("predict", out, folder / "new.csv", "--thresholds", exported, "--json")[1]
    assert json.loads(shown)["n_rejected"] == 50


def test_predict_without_out_writes_nothing(run, folder, model):
    before = sorted(path.name for path in folder.iterdir())
    code, shown, complaints = run("predict", model, folder / "new.csv")
    assert (code, complaints) == (0, "")
    assert "Nothing was written" in shown
    assert sorted(path.name for path in folder.iterdir()) == before


def test_quiet_prints_nothing(run, folder, model):
    out = folder / "answers.parquet"
    assert run("predict", model, folder / "new.csv", "--out", out, "-q") == (0, "", "")
    assert pl.read_parquet(out).height == 50


# A job of every night runs so, and nobody looks at what it writes.
def test_quiet_warns_on_standard_error_of_rows_unlike_those_of_the_fit(run, folder, model):
    new = pl.read_csv(folder / "new.csv")
    new.with_columns(pl.col("Alter") * 365, Organ=pl.lit("Milz")).write_csv(folder / "days.csv")
    code, shown, complaints = run("predict", model, folder / "days.csv", "-q")
    assert (code, shown) == (0, "")
    lines = complaints.splitlines()
    assert lines[0].startswith("warning: 50 of 50 rows are rejected as outliers")
    assert lines[1].startswith("warning: 100.0% of the rows are rejected, and ")
    assert sum("outside the range of the fit" in line for line in lines) == 1
    _, shown, _ = run("predict", model, folder / "days.csv", "--json")
    assert [f"warning: {each}" for each in json.loads(shown)["warnings"]] == lines
    both = ["predict", model, folder / "new.csv", folder / "days.csv", "-q"]
    assert run(*both) == (0, "", "".join(f"warning: days.csv: {line[9:]}\n" for line in lines))


def test_a_long_table_shows_its_progress(run, folder, model, monkeypatch):
    in_small_blocks = (None, None, None, (), 200, (), None)
    monkeypatch.setattr(tables.reading.open_table, "__defaults__", in_small_blocks)
    code, _, complaints = run("predict", model, folder / "new.csv", "--json")
    assert code == 0
    assert complaints.count("answering") > 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no.abstain", "new.csv"], "no.abstain does not exist; check the path"),
        (["new.csv", "new.csv"], "not a file that abstain.save has written"),
        (["model.abstain", "no.csv"], "does not exist"),
        (["model.abstain", "new.csv", "--reject-mark", "gesund"], "--reject-mark"),
        (["model.abstain", "new.csv", "--thresholds", "new.csv"], "--thresholds"),
        (["model.abstain", "new.csv", "--out", "x.ods"], "must end with"),
        (["model.abstain", "less.csv", "--out", "x.csv"], "the model needs: 'Alter';"),
    ],
)
def test_errors_of_predict_take_one_line(run, folder, model, monkeypatch, arguments, words):
    monkeypatch.chdir(folder)
    make_patients(5).drop("Alter").write_csv("less.csv")
    before = sorted(path.name for path in folder.iterdir())
    code, shown, complaints = run("predict", *arguments)
    assert (code, shown) == (2, "")
    assert complaints.startswith("error: ")
    assert complaints.count("\n") == 1
    assert words in complaints
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize("command", ["predict", "report"])
def test_a_model_that_cannot_answer_is_reported_in_one_line(command, run, folder, model):
    """Its file is sound part by part: scikit-learn finds out that parts do not fit one another."""
    forged = folder / "forged.abstain"
    forged.write_bytes(model.read_bytes())

    def mix_up(description):
        encoder = object_of(description["model"]["state"], "ColumnTransformer")["state"]
        encoder["_transformer_to_input_indices"]["dict"] = []

    forge(forged, mix_up)
    with pytest.raises(abstain.InputError, match="its transformers and columns do not belong"):
        abstain.load(forged)

    def weigh(description):
        encoder = object_of(description["model"]["state"], "ColumnTransformer")
        encoder["params"]["transformer_weights"] = {"dict": [["numbers", "heavy"]]}

    forged.write_bytes(model.read_bytes())
    forge(forged, weigh)
    out = ["--out", folder / "x.html"] if command == "report" else []
    code, shown, complaints = run(command, forged, folder / "patients.csv", *out)
    assert (code, shown, complaints.count("\n")) == (1, "", 1)
    assert "forged.abstain cannot answer these rows (" in complaints
    assert complaints.endswith("; fit and save it again\n")


def test_broken_thresholds_are_reported_with_their_file(run, folder, model):
    file = folder / "t.json"
    for text in ('{"thresholds": [1,', "[1]", '{"thresholds": ["x"]}', '{"thresholds": [1]}', ""):
        file.write_text(text)
        code, shown, complaints = run("predict", model, folder / "new.csv", "--thresholds", file)
        assert (code, shown) == (2, "")
        assert complaints.startswith(f"error: --thresholds: {file}")
        assert re.search(r"got .*; (export|take)", complaints)
        assert complaints.count("\n") == 1


def test_columns_in_another_unit_are_noticed(run, folder, model):
    new = pl.read_csv(folder / "new.csv")
    new.with_columns(pl.col("Alter") * 365, Organ=pl.lit("Milz")).write_csv(folder / "days.csv")
    _, shown, _ = run("predict", model, folder / "days.csv")
    days = new["Alter"].drop_nulls()[0] * 365
    organ = "in 50 rows column 'Organ' holds a category that the model has not seen, such as 'Milz'"
    age = f"in 50 rows column 'Alter' holds a number outside the range of the fit, such as {days:g}"
    for note in (organ, age):
        assert f"Note: {note}" in " ".join(shown.split())
    _, shown, _ = run("predict", model, folder / "days.csv", "--json")
    assert json.loads(shown)["unseen_values"] == {"Alter": 50, "Organ": 50}
    assert json.loads(shown)["examples"] == {"Alter": days, "Organ": "Milz"}
    _, shown, _ = run("predict", model, folder / "days.csv", folder / "new.csv")
    assert f"Note: days.csv: {organ}" in " ".join(shown.split())
    _, shown, _ = run("predict", model, folder / "new.csv")
    assert "Note" not in shown


def test_answers_to_many_tables_have_their_names(run, folder, model):
    for number in range(12):
        make_patients(20 + number, seed=number).write_csv(folder / f"t{number:02}.csv")
    zipped = gzip.compress((folder / "t00.csv").read_bytes())
    (folder / "z.csv.gz").write_bytes(zipped)
    out = folder / "new" / "answers"
    code, shown, _ = run("predict", model, folder / "t*.csv", folder / "z.csv.gz", "--out", out)
    assert code == 0
    assert sorted(path.name for path in out.iterdir()) == [
        *(f"t{number:02}.csv" for number in range(12)),
        "z.csv",
    ]
    assert (out / "z.csv").read_bytes() == (out / "t00.csv").read_bytes()
    assert "13 files, t00.csv to z.csv.gz" in shown
    assert "… and 3 more; --json names all" in shown
    twice = ["predict", model, folder / "z.csv.gz", out / "z.csv", "--out", folder / "o"]
    code, _, complaints = run(*twice)
    assert code == 2
    assert "would both be" in complaints


def test_a_table_that_lacks_a_column_fails_alone(run, folder, model):
    for name in ("lacking", "wanting"):
        pl.read_csv(folder / "more.csv").drop("Alter").write_csv(folder / f"{name}.csv")
    lacking, wanting, new = (folder / f"{name}.csv" for name in ("lacking", "wanting", "new"))
    result = run("predict", model, lacking, new, "--out", folder / "out")
    said = "1 of 2 tables could not be answered; the other is answered, in "
    assert_one_line(result, said, "lacking.csv lacks columns that the model needs: 'Alter'")
    assert [path.name for path in (folder / "out").iterdir()] == ["new.csv"]
    result = run("predict", model, lacking, wanting, "--out", folder / "none")
    assert_one_line(result, "2 of 2 tables could not be answered: ")
    assert not (folder / "none").exists()


def test_many_tables_without_out_are_only_counted(run, folder, model):
    before = sorted(path.name for path in folder.iterdir())
    tables = [folder / "new.csv", folder / "patients.csv"]
    code, shown, complaints = run("predict", model, *tables)
    assert (code, complaints) == (0, "")
    assert "290 rows" in shown
    assert "Nothing was written" in shown
    assert run("predict", model, *tables, "--quiet") == (0, "", "")
    assert sorted(path.name for path in folder.iterdir()) == before


def test_one_table_is_answered_without_what_other_tasks_need(folder, model):
    command = ["predict", str(model), str(folder / "new.csv"), "-q"]
    code = (
        "import sys; from abstain import cli; sys.argv = ['abstain', *sys.argv[1:]]\n"
        "try: cli.main()\n"
        "except SystemExit: print({'dask', 'distributed', 'matplotlib', 'plotly', 'jinja2',"
        " *(f'abstain.{name}' for name in ('_scale.cluster', 'datasets', 'monitor', 'plotting',"
        " 'report', 'study', 'tables.batch', 'tables.features', 'tables.fitting',"
        " 'tables.review', 'tables.watching'))} & set(sys.modules))"
    )
    assert python("-c", code, *command) == (0, "set()\n", "")
