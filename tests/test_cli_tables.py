"""Laws of `abstain fit` and `abstain predict`: one line for each error, nothing half done."""

import gzip
import io
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from rich.console import Console
from typer.testing import CliRunner

import abstain
from abstain import _screens as screens
from abstain import cli, tables
from tests.saving.forging import forge, object_of
from tests.tables.conftest import make_patients

LABEL = "Befund lang"


@pytest.fixture
def run(capsys, monkeypatch):
    """Run the command in this process: its exit code, standard output and standard error."""
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["abstain", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        return caught.value.code or 0, *capsys.readouterr()

    return call


@pytest.fixture
def folder(tmp_path):
    make_patients().write_csv(tmp_path / "patients.csv")
    make_patients(50, seed=1).write_csv(tmp_path / "new.csv")
    return tmp_path


@pytest.fixture
def model(run, folder):
    out = folder / "model.abstain"
    assert run("fit", folder / "patients.csv", "--label", LABEL, "--out", out, "-q") == (0, "", "")
    return out


def test_from_a_table_to_answers(run, folder):
    out, answers = folder / "model.abstain", folder / "answers.csv"
    options = ["--model", "logistic", "--accuracy", "0.8", "--confidence", "0.9"]
    options += ["--cells", "global", "--seed", "1"]
    code, shown, complaints = run(
        "fit", folder / "patients.csv", "--label", LABEL, *options, "--out", out
    )
    assert (code, complaints) == (0, "")
    assert "at least 0.8 on new rows" in shown
    assert "240 rows of 2 classes" in shown
    assert "column 'Patient' left out" in shown
    assert max(map(len, shown.splitlines())) <= 80
    code, shown, complaints = run("predict", out, folder / "new.csv", "--out", answers)
    assert (code, complaints) == (0, "")
    assert "50 rows" in shown
    found, clf = pl.read_csv(answers), abstain.load(out)
    rejected = clf.reject(pl.read_csv(folder / "new.csv"))
    assert (found["answer"].to_numpy() == "rejected").tolist() == rejected.tolist()
    assert f"none: rejected {int(rejected.sum()):>3}" in shown.replace("  ", " ")


@pytest.mark.parametrize("labels", ["text", "integers"])
@pytest.mark.parametrize("name", tables.LEARNERS)
def test_every_model_is_fitted_answers_and_is_reported(run, folder, name, labels):
    table, out, answers = folder / "patients.csv", folder / "model.abstain", folder / "answers.csv"
    if labels == "integers":
        codes = pl.col(LABEL).rank("dense").cast(pl.Int64)
        pl.read_csv(table).with_columns(codes).write_csv(table)
    asked = ["--label", LABEL, "--model", name, "--reject-rate", "0.2", "--cv", "2", "--out", out]
    assert run("fit", table, *asked, "--quiet") == (0, "", "")
    assert run("predict", out, table, "--out", answers, "--quiet") == (0, "", "")
    assert run("report", out, table, "--out", folder / "report.html", "--quiet") == (0, "", "")
    found = pl.read_csv(answers, infer_schema=False)
    assert set(found["answer"]) == {*found[LABEL], "rejected"}
    assert (found["answer"] == found[LABEL]).mean() > 0.5


def test_figures_beside_a_guarantee_say_of_which_rows_they_are(run, folder):
    asked = ["fit", folder / "patients.csv", "--label", LABEL, "--out", folder / "m.abstain"]
    asked += ["--accuracy", "0.8", "--confidence", "0.9", "--model", "logistic"]
    _, document, _ = run(*asked, "--json")
    found = json.loads(document)
    sure, n_set = found["guarantee"], found["n_samples"]
    _, shown, _ = run(*asked)
    shown = " ".join(shown.split())
    assert f"out of fold, on {n_set} rows that set the thresholds" in shown
    assert f"of these {n_set} rows" in shown
    right = 100 * (1 - sure["errors"] / sure["accepted"])
    assert (
        f"of {sure['n_samples']} other rows, held out, {sure['accepted']} were answered, "
        f"{sure['errors']} of them wrong: accuracy {right:.2f}%" in shown
    )
    assert n_set + sure["n_samples"] == found["n_rows"]


@pytest.mark.parametrize(
    ("options", "target"),
    [
        ([], abstain.RejectRate(0.1)),
        (["--reject-rate", "0.3"], abstain.RejectRate(0.3)),
        (["--accuracy", "0.9"], abstain.Accuracy(0.9)),
        (["--reject-cost", "0.2"], abstain.RejectCost(0.2)),
    ],
)
def test_targets(run, folder, options, target):
    out = folder / "m.abstain"
    arguments = ["--label", LABEL, "--model", "naive-bayes", *options, "--out", out, "--json"]
    code, shown, complaints = run("fit", folder / "patients.csv", *arguments)
    assert (code, complaints) == (0, "")
    clf, document = abstain.load(out), json.loads(shown)
    assert clf.target == target
    assert document["thresholds"] == [
        value if np.isfinite(value) else str(value) for value in clf.thresholds_.tolist()
    ]
    assert document["accuracy"] == clf.operating_point_.accuracy
    assert document["left_out"].keys() == {"Patient"}
    assert document["n_rows"] == 240


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


def test_a_long_table_shows_its_progress(run, folder, model, monkeypatch):
    monkeypatch.setattr("abstain.tables.reading.BLOCK", 200)
    monkeypatch.setattr(tables.reading.open_table, "__defaults__", (None, None, None, (), 200))
    code, _, complaints = run("predict", model, folder / "new.csv", "--json")
    assert code == 0
    assert complaints.count("answering") > 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--label", "befund"], "--label"),
        (["--label", "Patient"], "identifier"),
        (["--label", LABEL, "--model", "x"], "--model"),
        (["--label", LABEL, "--cells", "x"], "--cells"),
        (["--label", LABEL, "--accuracy", "99"], "--accuracy"),
        (["--label", LABEL, "--confidence", "0.9"], "give --accuracy"),
        (["--label", LABEL, "--accuracy", "0.9", "--test-size", "0.5"], "give --confidence"),
        (["--label", LABEL, "--accuracy", "0.9", "--confidence", "2"], "--confidence"),
        (
            ["--label", LABEL, "--accuracy", "0.9", "--confidence", "0.9", "--test-size", "2"],
            "--test-size",
        ),
        (["--label", LABEL, "--accuracy", "0.9", "--reject-rate", "0.1"], "only one target"),
        (["--label", LABEL, "--accuracy", "0.999", "--confidence", "0.999"], "rows that test it"),
        (["--label", LABEL, "--separator", "x"], "--separator"),
        ([], "--label"),
    ],
)
def test_errors_of_fit_take_one_line(run, folder, arguments, words):
    out = folder / "m.abstain"
    code, shown, complaints = run("fit", folder / "patients.csv", *arguments, "--out", out)
    assert (code, shown) == (2, "")
    assert complaints.startswith("error: ")
    assert complaints.count("\n") == 1
    assert words in complaints
    assert not out.exists()


@pytest.mark.parametrize("model", tables.LEARNERS)
def test_a_fit_that_may_take_long_says_so_before(run, folder, monkeypatch, model):
    out = folder / "m.abstain"
    asked = ["fit", folder / "patients.csv", "--label", LABEL, "--model", model, "--out", out]

    def stop(*_):
        raise abstain.InputError("enough")

    monkeypatch.setattr(abstain.RejectOptionClassifier, "fit", stop)
    monkeypatch.setattr("abstain.tables.fitting._MANY_ROWS", 239)
    *notes, last = run(*asked, "--json")[2].splitlines()
    assert last == "error: enough"
    assert len(notes) == (model in ("svm", "knn"))
    for note in notes:
        assert note.startswith(f"note: --model {model} may take long")
        named = re.findall(r"[\w-]+", note.partition(";")[2].replace("are faster", ""))
        assert all(name in tables.LEARNERS for name in named if name != "and")
    assert run(*asked, "--quiet")[2] == "error: enough\n"
    monkeypatch.setattr("abstain.tables.fitting._MANY_ROWS", 240)
    assert run(*asked)[2] == "error: enough\n"


# Which tables are too small for a model, or unfit for it, only the model knows.
@pytest.mark.parametrize(
    ("rows_a_class", "options", "words"),
    [
        (2, ["--model", "lda", "--cv", "2"], "--model lda cannot be fitted to these 4 rows: The"),
        (4, ["--model", "knn", "--cv", "2"], "8 rows: Expected n_neighbors <= n_samples_fit"),
    ],
)
def test_what_a_model_says_of_a_table_takes_one_line(run, tmp_path, rows_a_class, options, words):
    table, out = tmp_path / "small.csv", tmp_path / "m.abstain"
    rows = [f"{i},{i * i},x\n{i + 3},{50 - i},y" for i in range(1, rows_a_class + 1)]
    table.write_text("\n".join(["a,b,c", *rows]))
    code, shown, complaints = run("fit", table, "--label", "c", *options, "--out", out)
    assert (code, shown, complaints.count("\n")) == (2, "", 1)
    assert words in complaints
    assert complaints.endswith("; add rows, or take another --model\n")
    assert not out.exists()


def test_whatever_a_model_says_is_told(run, folder, monkeypatch):
    from sklearn.linear_model import LogisticRegression

    def refuse(*_):
        raise ValueError("not today,\nnor tomorrow.")

    monkeypatch.setattr(LogisticRegression, "fit", refuse)
    options = ["--label", LABEL, "--model", "logistic", "--out", folder / "m.abstain"]
    code, _, complaints = run("fit", folder / "patients.csv", *options)
    told = "--model logistic cannot be fitted to these 240 rows: not today,; add rows"
    assert (code, told in complaints, complaints.count("\n")) == (2, True, 1)


@pytest.mark.parametrize("name", ["model.pkl", "model.skops", "model.csv", "m.HTML", "m.json"])
def test_a_model_is_not_named_like_something_else(run, folder, name):
    out = folder / name
    code, shown, complaints = run("fit", folder / "patients.csv", "--label", LABEL, "--out", out)
    assert (code, shown, out.exists()) == (2, "", False)
    assert complaints == (
        f"error: cannot write {out}: a model is no {out.suffix.lower()} file; "
        f"name it {out.with_suffix('.abstain')}\n"
    )


@pytest.mark.parametrize("command", ["predict", "report"])
def test_a_model_that_cannot_answer_is_told_in_one_line(command, run, folder, model):
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


def test_broken_thresholds_are_told_with_their_file(run, folder, model):
    file = folder / "t.json"
    for text in ('{"thresholds": [1,', "[1]", '{"thresholds": ["x"]}', '{"thresholds": [1]}', ""):
        file.write_text(text)
        code, shown, complaints = run("predict", model, folder / "new.csv", "--thresholds", file)
        assert (code, shown) == (2, "")
        assert complaints.startswith(f"error: --thresholds: {file}")
        assert re.search(r"got .*; (export|take)", complaints)
        assert complaints.count("\n") == 1


def test_a_model_does_not_replace_its_table(run, folder):
    path = folder / "patients.csv"
    code, _, complaints = run("fit", path, "--label", LABEL, "--out", path)
    assert code == 2
    assert "it is the table itself" in complaints
    assert pl.read_csv(path).height == 240


@pytest.mark.parametrize("how", ["name", "link", "hard link"])
@pytest.mark.parametrize(
    ("command", "replaced", "words"),
    [
        ("fit new.csv --label x --out OUT", "new.csv", "the table"),
        ("predict model.txt new.csv --out OUT", "model.txt", "the model"),
        ("predict model.txt new.csv --out OUT", "new.csv", "the table"),
        ("predict model.txt new.csv --thresholds t.txt --out OUT", "t.txt", "the thresholds file"),
        ("report model.txt new.csv --out OUT", "model.txt", "the model"),
        ("report model.txt new.csv --out OUT", "new.csv", "the table"),
        ("front new.csv --certainty a --correct b --out OUT", "new.csv", "the score file"),
    ],
)
def test_an_output_never_replaces_an_input(run, inputs, how, command, replaced, words):
    out = inputs / (replaced if how == "name" else "out.csv")
    if how != "name":
        (out.symlink_to if how == "link" else out.hardlink_to)(inputs / replaced)
    assert_refused_to_replace(run, inputs, command.replace("OUT", str(out)), out, words)


@pytest.mark.parametrize("others", ["more.csv", "--cluster local"])
@pytest.mark.parametrize(
    ("replaced", "words"), [("model.txt", "the model"), ("new.csv", "the table")]
)
def test_an_output_in_a_folder_never_replaces_an_input(run, inputs, others, replaced, words):
    (inputs / "out").mkdir()
    (inputs / "out" / "new.csv").symlink_to(inputs / replaced)
    command = f"predict model.txt new.csv {others} --out out"
    assert_refused_to_replace(run, inputs, command, "out/new.csv", words)


@pytest.fixture
def impatient():
    """Fail instead of waiting for ever."""

    def fail(*_):
        raise TimeoutError("a pipe was waited for")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("pipe", "is a pipe; write its content to a file, and name that"),
        ("loop", "cannot be read: Too many levels of symbolic links; check the path"),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        "fit x.csv --label x --out m.abstain",
        "predict x.csv new.csv",
        "predict model.txt x.csv",
        "predict model.txt x.csv more.csv",
        "predict model.txt new.csv --thresholds x.csv",
        "report x.csv new.csv",
        "report model.txt x.csv",
        "front x.csv --certainty a --correct b",
        "front x.csv more.csv --certainty a --correct b",
        "front x.csv --certainty a --correct b --cluster local",
    ],
)
def test_what_is_no_regular_file_is_not_waited_for(run, inputs, impatient, command, kind, said):
    if kind == "pipe":
        os.mkfifo("x.csv")
    else:
        Path("x.csv").symlink_to("x.csv")
    code, shown, complaints = run(*command.split())
    assert (code, shown) == (2, "")
    assert complaints.startswith("error: ")
    assert complaints.endswith(f"x.csv {said}\n")
    assert complaints.count("\n") == 1


@pytest.mark.parametrize("command", ["predict model.txt {}", "predict model.txt new.csv --out {}"])
def test_a_name_that_is_too_long_is_named(run, inputs, command):
    name = "n" * 300 + ".csv"
    code, _, complaints = run(*command.format(name).split())
    assert code == 2
    assert name in complaints
    assert "File name too long; " in complaints


@pytest.fixture
def inputs(folder, monkeypatch):
    monkeypatch.chdir(folder)
    for name in ("model.txt", "t.txt"):
        (folder / name).write_text("kept")
    shutil.copy("new.csv", "more.csv")
    return folder


def assert_refused_to_replace(run, folder, command, out, words):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    code, shown, complaints = run(*command.split())
    assert (code, shown) == (2, "")
    assert complaints.startswith(f"error: cannot write {out}: it is {words} ")
    assert complaints.endswith("; choose another name\n")
    assert complaints.count("\n") == 1
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no.abstain", "new.csv"], "no.abstain does not exist; check the path"),
        (["new.csv", "new.csv"], "not a file that abstain.save has written"),
        (["model.abstain", "no.csv"], "does not exist"),
        (["model.abstain", "new.csv", "--reject-mark", "gesund"], "--reject-mark"),
        (["model.abstain", "new.csv", "--thresholds", "new.csv"], "--thresholds"),
        (["model.abstain", "new.csv", "--out", "x.xlsx"], "must end with"),
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


# --- tables that were not made for it -----------------------------------------------------------


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_a_german_table(run, folder):
    german = make_patients().with_columns(
        pl.col("Größe").cast(pl.String).str.replace(".", ",", literal=True)
    )
    path = folder / "german.csv"
    path.write_bytes(german.write_csv(separator=";").encode("cp1252"))
    arguments = ["--label", LABEL, "--out", folder / "m.abstain", "--json"]
    document = json.loads(run("fit", path, *arguments)[1])
    assert document["numeric"] == ["Größe", "Alter"]
    assert document["classes"].keys() == {"gesund", "krank (übel)"}
    code, *_ = run("predict", folder / "m.abstain", path, "--out", folder / "a.csv")
    assert code == 0
    answers = pl.read_csv(folder / "a.csv", separator=";", infer_schema=False)
    assert answers.columns[-4:] == ["answer", "certainty", "correct_proba", "reason"]
    # Numbers are written as in the table, in sentences too.
    reasons = answers["reason"].drop_nulls()
    assert len(reasons)
    for name in ("certainty", "correct_proba"):
        assert not answers[name].str.contains(".", literal=True).any()
    assert reasons.str.contains(r"^certainty \d,\d+ is (just )?below the threshold \d,\d+ of").all()


def test_a_third_missing(run, folder, rng):
    values = rng.normal(size=(300, 6))
    y = np.where(np.nan_to_num(values[:, 0]) > 0, "yes", "no")
    values[rng.random(values.shape) < 0.3] = np.nan
    frame = pl.DataFrame(values, schema=list("abcdef")).fill_nan(None).with_columns(y=y)
    frame.write_csv(folder / "gaps.csv", null_value="NA")
    for name in ("gmlvq", "boosting", "svm"):
        code, _, complaints = run(
            "fit",
            folder / "gaps.csv",
            "--label",
            "y",
            "--model",
            name,
            "--out",
            folder / "m.abstain",
        )
        assert (code, complaints) == (0, "")


def test_two_hundred_columns(run, folder, rng):
    values = rng.normal(size=(150, 200))
    y = (values[:, :5].sum(axis=1) > 0).astype(int)
    frame = pl.DataFrame(values, schema=[f"gene {i}" for i in range(200)]).with_columns(y=y)
    frame.write_csv(folder / "wide.csv")
    code, shown, _ = run("fit", folder / "wide.csv", "--label", "y", "--out", folder / "m.abstain")
    assert code == 0
    assert "200: 200 numeric" in shown
    assert len(shown.splitlines()) < 24


# --- screens ------------------------------------------------------------------------------------


def render(screen, width=80, terminal=False):
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=terminal,
        color_system="standard" if terminal else None,
        markup=False,
        emoji=False,
        highlight=False,
    )
    console.print(screen)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [10, 40, 80, 200])
def test_screens_fit_and_labels_stay_text(tmp_path, width):
    frame = make_patients().with_columns(
        pl.col(LABEL).replace_strict({"gesund": "[red]", "krank (übel)": "\x1b[31m" + 90 * "x"})
    )
    frame.write_parquet(tmp_path / "t.parquet")
    table = tables.open_table(tmp_path / "t.parquet")
    fitted = tables.fit_table(table, tables.Wishes(LABEL, model="glvq"))
    shown = render(screens.fit_screen(fitted, tmp_path / "t.parquet", tmp_path / "m"), width)
    assert "\x1b" not in shown
    assert width < 40 or "[red]" in shown
    with tables.ReadAhead(table) as ahead:
        answered = tables.answer_table(fitted.clf, ahead, None)
    shown = render(screens.predict_screen(answered, tmp_path / "t.parquet", None), width)
    assert "\x1b" not in shown
    assert width < 40 or "[red]" in shown


def test_many_classes_fit_one_screen():
    counts = {f"class {i}": i for i in range(50)}
    answered = tables.Answered(1225 + 5, 5, 2, counts, ["answer", "certainty", "reason"])
    shown = render(screens.predict_screen(answered, Path("new.csv"), Path("a.csv")))
    assert len(shown.splitlines()) < 24
    assert "42 more" in shown
    assert "2 rows rejected because all needed columns are empty" in shown


def test_colour_is_for_terminals(fitted_screen):
    assert "\x1b[" in render(fitted_screen, terminal=True)
    assert "\x1b[" not in render(fitted_screen)


@pytest.fixture
def fitted_screen():
    answered = tables.Answered(3, 1, 0, {"a": 2}, ["answer", "certainty", "reason"])
    return screens.predict_screen(answered, Path("t.csv"), None)


def test_a_budget_that_is_not_used_is_told_with_one_that_is(run, folder):
    asked = ["fit", folder / "patients.csv", "--label", LABEL, "--out", folder / "m.abstain"]
    asked += ["--model", "knn", "--cells", "global"]
    shown = " ".join(run(*asked, "--reject-rate", "0.01")[1].split())
    told = r"Fewer are rejected than may be: certainty takes only \d values; the next reject rate "
    named = re.search(told + r"of use is (0\.\d+)", shown)[1]
    nothing, something = (
        json.loads(run(*asked, "--reject-rate", rate, "--json")[1]) for rate in ("0.01", named)
    )
    assert nothing["reject_rate"] == 0
    assert 0.01 < something["reject_rate"] <= float(named)
    assert something["accuracy"] > nothing["accuracy"]
    assert "Fewer are" not in run(*asked, "--reject-rate", named)[1]


# --- completion ---------------------------------------------------------------------------------


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_can_be_had(shell, monkeypatch):
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    found = CliRunner().invoke(cli.app, ["--show-completion", shell], prog_name="abstain")
    assert found.exit_code == 0
    assert "_ABSTAIN_COMPLETE" in found.output


def test_models_are_completed(monkeypatch):
    environment = {
        "_ABSTAIN_COMPLETE": "complete_bash",
        "COMP_WORDS": "abstain fit t.csv --model lo",
        "COMP_CWORD": "4",
    }
    found = CliRunner().invoke(cli.app, [], prog_name="abstain", env=environment)
    assert found.output.split() == ["logistic"]


# --- report -------------------------------------------------------------------------------------


def test_a_report_is_written_of_the_rows_whose_class_is_known(run, folder, model):
    pytest.importorskip("plotly", reason="pip install 'abstain[report]' to test reports")
    frame = pl.read_csv(folder / "new.csv")
    blank = pl.Series([None, None, *frame[LABEL][2:]], dtype=pl.String)
    frame.with_columns(blank.alias(LABEL)).write_csv(folder / "some.csv")
    out = folder / "report.html"
    code, shown, complaints = run(
        "report", model, folder / "some.csv", "--out", out, "--title", "Some <rows>"
    )
    assert (code, complaints) == (0, "")
    assert shown.startswith("48 rows with a known class: ")
    assert shown.endswith(f"\nOpen {out} in a browser.\n")
    page = out.read_text(encoding="utf-8")
    assert "Some &lt;rows&gt;" in page
    assert run("report", model, folder / "some.csv", "--out", out, "-q") == (0, "", "")


def test_a_report_of_known_rows_says_so(run, folder, model):
    pytest.importorskip("plotly", reason="pip install 'abstain[report]' to test reports")
    out = folder / "report.html"
    code, shown, _ = run("report", model, folder / "patients.csv", "--out", out)
    assert code == 0
    assert "The model was fitted to 100% of these rows: on others it will do worse." in shown
    page = out.read_text(encoding="utf-8")
    assert 'id="known"><strong>All of these samples are among those' in page
    code, shown, _ = run("report", model, folder / "new.csv", "--out", out, "--json")
    found = json.loads(shown)
    assert (found["n_of_unknown_classes"], found["share_known"]) == (0, 0.0)
    assert (found["abstain"], found["out"]) == (abstain.__version__, str(out))
    assert 'id="known"' not in out.read_text(encoding="utf-8")


def test_classes_that_the_model_does_not_know_are_counted(run, folder, model):
    pytest.importorskip("plotly", reason="pip install 'abstain[report]' to test reports")
    frame = pl.read_csv(folder / "new.csv")
    odd = pl.Series(LABEL, ["unbekannt"] * 3 + frame[LABEL].to_list()[3:])
    frame.with_columns(odd).write_csv(folder / "odd.csv")
    out = folder / "report.html"
    _, shown, _ = run("report", model, folder / "odd.csv", "--out", out)
    assert "3 of the rows are of classes that the model does not know: any answer" in shown


def test_a_report_counts_as_predict_does(run, folder, model):
    pytest.importorskip("plotly", reason="pip install 'abstain[report]' to test reports")
    answers = folder / "answers.csv"
    run("predict", model, folder / "new.csv", "--out", answers)
    rows = pl.read_csv(answers).select("answer", LABEL)
    n_rejected = rows.filter(pl.col("answer") == "rejected").height
    n_right = rows.filter(pl.col("answer") == pl.col(LABEL)).height
    n_answered, n_wrong = 50 - n_rejected, 50 - n_rejected - n_right
    asked = ["report", model, folder / "new.csv", "--out", folder / "report.html"]
    found = json.loads(run(*asked, "--json")[1])
    expected = {"n_rows": 50, "n_answered": n_answered, "n_right": n_right, "n_wrong": n_wrong}
    expected |= {"n_rejected": n_rejected, "accuracy": n_right / n_answered}
    assert {name: found[name] for name in expected} == expected
    shown = run(*asked)[1]
    assert f": {n_answered} answered, {n_rejected} rejected.\n" in shown
    assert f"Of the answers {n_right} are right and {n_wrong} wrong: accuracy " in shown


def test_words_agree_with_one():
    samples = tables.LabelledSamples(None, ["a"], [], 0.0, 1)
    told = tables.reported_in_words(samples, tables.Judged(0, 0, 1), Path("r.html"))
    assert told == (
        "1 row with a known class: 0 answered, 1 rejected.\n1 of the rows is of a class that the "
        "model does not know: any answer to such a row is wrong.\nOpen r.html in a browser."
    )
    samples = tables.LabelledSamples(None, ["a"] * 20_001, [], 0.0, 0)
    told = tables.reported_in_words(samples, tables.Judged(20_000, 1, 0), Path("r.html"))
    assert "accuracy 99.99%" in told  # and not 100%


def test_one_more_column_is_one_column(run, tmp_path):
    frame = make_patients().with_columns(pl.lit("x").alias(f"same {i}") for i in range(6))
    frame.write_csv(tmp_path / "t.csv")
    _, shown, _ = run("fit", tmp_path / "t.csv", "--label", LABEL, "--out", tmp_path / "m.abstain")
    assert "… and 1 more column; --json names all" in shown


@pytest.mark.parametrize("arguments", [["--nope"], ["predict"], ["nope"], ["fit", "--nope"]])
def test_wrong_use_takes_one_line(run, arguments):
    code, shown, complaints = run(*arguments)
    assert (code, shown) == (2, "")
    assert complaints.startswith("error: ")
    assert complaints.count("\n") == 1
    assert complaints.rstrip().endswith("--help")


# What the library says of its arguments, the command line says of its options.
@pytest.mark.parametrize(
    "options",
    [
        ["--accuracy", "0.999", "--confidence", "0.99"],
        ["--accuracy", "0.99", "--confidence", "0.95", "--test-size", "0.9", "--model", "tree"],
        ["--accuracy", "0.9", "--confidence", "0.9", "--model", "tree"],
        ["--accuracy", "0.9", "--confidence", "0.9", "--cells", "global", "--model", "tree"],
        ["--cells", "leaf"],
        ["--model", "knn", "--certainty", "relsim"],
    ],
)
def test_errors_speak_of_options(run, folder, options):
    out = folder / "m.abstain"
    code, _, complaints = run(
        "fit", folder / "patients.csv", "--label", LABEL, *options, "--out", out
    )
    assert code == 2
    words = r"\w=|Pipeline|FrozenEstimator|set cv|test_size|sample|accepted|classifier"
    assert not re.search(words, complaints)
    assert options[0] in complaints or options[2] in complaints


def test_an_accuracy_that_an_error_names_is_certified(run, folder):
    asked = ["fit", folder / "patients.csv", "--label", LABEL, "--out", folder / "m.abstain"]
    asked += ["--confidence", "0.9", "--json"]
    _, _, complaints = run(*asked, "--accuracy", "0.95")
    named = re.search(r"they certify (0\.\d+) at most", complaints)[1]
    code, shown, _ = run(*asked, "--accuracy", named)
    assert (code, json.loads(shown)["guarantee"]["accuracy"]) == (0, float(named))


def test_what_cannot_be_printed_is_told_and_costs_a_one(folder, model):
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full: run the tests on Linux")
    command = [sys.executable, "-m", "abstain", "predict", model, folder / "new.csv", "--json"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("error: cannot print the result: No space left on device")
    assert done.stderr.count("\n") == 1


def test_a_disk_that_is_full_leaves_no_answers(folder, model):
    resource = pytest.importorskip("resource", reason="only Unix limits the size of files")
    many = pl.concat([make_patients(50, seed=1)] * 40)
    many.write_csv(folder / "many.csv")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

    out = folder / "answers.csv"
    command = [sys.executable, "-m", "abstain", "predict", model, folder / "many.csv", "--out", out]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: cannot write {out}: ")
    assert done.stderr.count("\n") == 1
    assert not list(folder.glob("*answers*"))


def test_rows_are_called_by_a_column_or_by_their_place(model, folder):
    clf = abstain.load(model)
    table = tables.open_table(folder / "new.csv")
    frame = pl.read_csv(folder / "new.csv", infer_schema=False)
    named = tables.labelled_samples(clf, table, "Patient")
    assert named.names == frame["Patient"].to_list()
    assert tables.labelled_samples(clf, table).names == [f"row {row}" for row in range(1, 51)]
    assert named.y.tolist() == frame[LABEL].to_list()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no.abstain", "new.csv"], "no.abstain does not exist; check the path"),
        (["model.abstain", "no.csv"], "does not exist"),
        (["model.abstain", "less.csv"], f"no column {LABEL!r}"),
        (["model.abstain", "new.csv", "--names", "Name"], "--names: there is no column 'Name'"),
        (["model.abstain", "new.csv", "--out", "no/report.html"], "there is no folder"),
        (["model.abstain", "new.csv", "--out", "new.txt"], "give it a name with .html"),
        (["model.html", "new.csv", "--out", "model.html"], "it is the model itself"),
    ],
)
def test_errors_of_report_take_one_line(run, folder, model, monkeypatch, arguments, words):
    monkeypatch.chdir(folder)
    make_patients(5).drop(LABEL).write_csv("less.csv")
    shutil.copy(model, "model.html")
    before = sorted(path.name for path in folder.iterdir())
    code, shown, complaints = run("report", *arguments)
    assert (code, shown) == (2, "")
    assert complaints.startswith("error: ")
    assert complaints.count("\n") == 1
    assert words in complaints
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize("command", ["fit", "predict", "report", "front", "study", "demo"])
def test_every_command_can_be_quiet_and_speak_json(command):
    told = CliRunner().invoke(cli.app, [command, "--help"], env={"COLUMNS": "200"}).output
    assert "--quiet" in told
    assert "--json" in told


@pytest.mark.parametrize("width", [60, 80, 100])
@pytest.mark.parametrize("command", ["front", "fit", "predict", "report", "demo", "study"])
def test_help_breaks_lines_where_the_terminal_does(command, width):
    told = CliRunner().invoke(cli.app, [command, "--help"], env={"COLUMNS": str(width)}).output
    prose = told[told.index("\n", told.index("Usage")) : told.index("╭")]
    lines = [line.strip() for line in prose.splitlines()]
    for line, after in itertools.pairwise(lines):
        # One more word would not have had room, beside a blank at each end; some versions of typer
        # set no blank line between paragraphs.
        ends = not (line and after) or line.endswith(".")
        assert ends or len(f"{line} {after.split()[0]}") > width - 2


def test_the_demo_for_scripts(run, tmp_path):
    code, shown, complaints = run("demo", "--out", tmp_path / "demo", "--json")
    assert (code, complaints) == (0, "")
    found = json.loads(shown)
    assert found["tumours"]["asked"] == 0.95
    assert found["necklace"]["per_prototype"]["accuracy"] > found["necklace"]["accuracy"]
    assert all(Path(file).exists() for file in found["files"])
    assert run("demo", "--out", tmp_path / "again", "--quiet") == (0, "", "")


def test_columns_in_another_unit_are_noticed(run, folder, model):
    new = pl.read_csv(folder / "new.csv")
    new.with_columns(pl.col("Alter") * 365, Organ=pl.lit("Milz")).write_csv(folder / "days.csv")
    _, shown, _ = run("predict", model, folder / "days.csv")
    days = new["Alter"].drop_nulls()[0] * 365
    organ = "in 50 rows column 'Organ' holds a kind that the model has not seen, such as 'Milz'"
    age = f"in 50 rows column 'Alter' holds a number beyond all of the fit, such as {days:g}"
    for note in (organ, age):
        assert f"Note: {note}" in " ".join(shown.split())
    _, shown, _ = run("predict", model, folder / "days.csv", "--json")
    assert json.loads(shown)["strangers"] == {"Alter": 50, "Organ": 50}
    assert json.loads(shown)["examples"] == {"Alter": days, "Organ": "Milz"}
    _, shown, _ = run("predict", model, folder / "days.csv", folder / "new.csv")
    assert f"Note: {organ}" in " ".join(shown.split())
    _, shown, _ = run("predict", model, folder / "new.csv")
    assert "Note" not in shown


def test_of_many_columns_with_news_some_are_named():
    counts, values = {f"c{i}": 9 for i in range(7)}, {f"c{i}": "\x1b[31m" for i in range(7)}
    answered = tables.Answered(9, 0, 0, {"a": 9}, ["answer", "reason"], counts, values)
    told = render(screens.predict_screen(answered, Path("t.csv"), None))
    assert told.count("Note: ") == 5
    assert "… and 2 more such columns; --json names all" in told
    assert "\x1b" not in told


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


def test_many_tables_without_out_are_only_counted(run, folder, model):
    before = sorted(path.name for path in folder.iterdir())
    tables = [folder / "new.csv", folder / "patients.csv"]
    code, shown, complaints = run("predict", model, *tables)
    assert (code, complaints) == (0, "")
    assert "290 rows" in shown
    assert "Nothing was written" in shown
    assert run("predict", model, *tables, "--quiet") == (0, "", "")
    assert sorted(path.name for path in folder.iterdir()) == before


def test_one_table_is_answered_without_what_many_need(folder, model):
    command = ["predict", str(model), str(folder / "new.csv"), "-q"]
    code = (
        "import sys; from abstain import cli; sys.argv = ['abstain', *sys.argv[1:]]\n"
        "try: cli.main()\n"
        "except SystemExit: print({'dask', 'distributed', 'abstain._paths', 'abstain._interrupts',"
        " 'abstain.tables.several'} & set(sys.modules))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code, *command], capture_output=True, text=True, check=True
    )
    assert found.stdout == "set()\n"
