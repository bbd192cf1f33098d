"""Laws of `abstain fit`: what it saves and says, tables of all kinds, one line for each error."""

import dataclasses
import json
import re

import numpy as np
import polars as pl
import pytest

import abstain
from abstain.classifier.cell_names import cell_names
from abstain.metrics import ClassReport
from abstain.tables import FitOptions, fit_table, open_table
from abstain.tables.models import MODELS
from abstain.tables.targets import target_as_dict
from abstain.tables.writing import NEW_COLUMNS
from tests.cli.helpers import LABEL, NOT_WRAPPED, assert_one_line
from tests.tables.conftest import make_patients


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
    assert max(len(line) for line in shown.splitlines() if not line.startswith(NOT_WRAPPED)) <= 80
    code, shown, complaints = run("predict", out, folder / "new.csv", "--out", answers)
    assert (code, complaints) == (0, "")
    assert "50 rows" in shown
    written, clf = pl.read_csv(answers), abstain.load(out)
    rejected = clf.reject(pl.read_csv(folder / "new.csv"))
    assert (written["answer"].to_numpy() == "rejected").tolist() == rejected.tolist()
    assert f"none: rejected {int(rejected.sum()):>3}" in shown.replace("  ", " ")


@pytest.mark.parametrize("labels", ["text", "integers"])
@pytest.mark.parametrize("name", MODELS)
def test_every_model_is_fitted_answers_and_is_reported(run, folder, name, labels):
    table, out, answers = folder / "patients.csv", folder / "model.abstain", folder / "answers.csv"
    if labels == "integers":
        codes = pl.col(LABEL).rank("dense").cast(pl.Int64)
        pl.read_csv(table).with_columns(codes).write_csv(table)
    asked = ["--label", LABEL, "--model", name, "--reject-rate", "0.2", "--cv", "2", "--out", out]
    assert run("fit", table, *asked, "--quiet") == (0, "", "")
    assert run("predict", out, table, "--out", answers, "--quiet") == (0, "", "")
    assert run("report", out, table, "--out", folder / "report.html", "--quiet") == (0, "", "")
    rows = pl.read_csv(answers, infer_schema=False)
    assert set(rows["answer"]) == {*rows[LABEL], "rejected"}
    assert (rows["answer"] == rows[LABEL]).mean() > 0.5


def test_cells_have_one_name_in_json_on_the_screen_and_in_answers(run, folder):
    out, answers = folder / "m.abstain", folder / "answers.csv"
    asked = ["fit", folder / "patients.csv", "--label", LABEL, "--model", "glvq", "--out", out]
    document, shown = json.loads(run(*asked, "--json")[1]), run(*asked)[1]
    assert document["cells"] == ["0", "1", None]  # as thresholds that come from outside name them
    assert document["cell_names"] == cell_names(abstain.load(out))
    assert all(f"\n{name} " in shown for name in document["cell_names"][:-1])
    thresholds = folder / "none.json"
    thresholds.write_text(json.dumps({"thresholds": ["inf"] * len(document["cells"])}))
    changed = ["--thresholds", thresholds, "--out", answers, "--quiet"]
    run("predict", out, folder / "new.csv", *changed)
    reasons = set(pl.read_csv(answers)["reason"].str.extract("^no row of (.*) is answered$"))
    assert reasons - {None} <= set(document["cell_names"])
    assert len(reasons) > 1


def test_shares_hold_for_the_class_proportions_of_new_rows(run, folder):
    asked = ["fit", folder / "patients.csv", "--label", LABEL, "--out", folder / "m.abstain"]
    asked += ["--model", "naive-bayes", "--class-prior", "gesund=0.9"]
    code, shown, complaints = run(*asked)
    assert (code, complaints) == (0, "")
    assert "shares are for new rows with 90.00% gesund, 10.00% krank (übel)" in shown
    assert "90.00% if the answer is always gesund" in shown
    clf = abstain.load(folder / "m.abstain")
    assert f"{clf.operating_point_.accuracy_without_rejects:.2%}" in shown
    document = json.loads(run(*asked, "--json")[1])
    assert document["class_prior"] == pytest.approx({"gesund": 0.9, "krank (übel)": 0.1})
    known, answers = clf.calibration_, document["by_class"]
    rejected = known.certainty < clf.thresholds_[clf._own_cells.positions(known.cells)]
    rejected |= known.outlier
    for row in answers:
        named = ~rejected & (known.answers == row["class"])
        right = known.truth[named] == row["class"]
        assert row["precision"] == pytest.approx(np.average(right, weights=known.weights[named]))
        assert row["precision_low"] is None
    # Thresholds with all that was printed can be set again.
    point = clf.set_thresholds(document).operating_point_
    assert point.accuracy == pytest.approx(document["accuracy"])


def test_a_guarantee_says_for_which_proportions_it_holds(run, folder):
    asked = ["fit", folder / "patients.csv", "--label", LABEL, "--out", folder / "m.abstain"]
    asked += ["--model", "naive-bayes", "--class-prior", "gesund=0.6"]
    asked += ["--accuracy", "0.7", "--confidence", "0.8", "--independent-rows"]
    code, shown, complaints = run(*asked)
    assert (code, complaints) == (0, "")
    n_drawn = len(abstain.load(folder / "m.abstain")._test_calibration.drawn)
    words = f"of {n_drawn} held-out rows, drawn in these proportions,"
    assert words in " ".join(shown.split())


def test_figures_beside_a_guarantee_say_of_which_rows_they_are(run, folder):
    asked = ["fit", folder / "patients.csv", "--label", LABEL, "--out", folder / "m.abstain"]
    asked += ["--accuracy", "0.8", "--confidence", "0.9", "--model", "logistic"]
    asked += ["--independent-rows"]
    _, document, _ = run(*asked, "--json")
    result = json.loads(document)
    sure, n_set = result["guarantee"], result["n_samples"]
    _, shown, _ = run(*asked)
    shown = " ".join(shown.split())
    assert f"on the {n_set} rows that set the thresholds, out of fold" in shown
    assert (
        f"of {sure['n_samples']} held-out rows, {sure['accepted']} were answered, "
        f"{sure['errors']} of them wrong" in shown
    )
    expected = result["expected"]
    assert expected["basis"] == "held out"
    assert f"{expected['accuracy']:.1%} right on new rows, 95% interval" in shown
    assert f"by {sure['n_samples']} held-out rows" in shown
    assert n_set + sure["n_samples"] == result["n_rows"]


def test_outliers_are_said_to_be_among_the_rejects(run, folder):
    asked = ["fit", folder / "patients.csv", "--label", LABEL, "--out", folder / "m.abstain"]
    asked += ["--model", "naive-bayes", "--outliers", "0.03"]
    document = json.loads(run(*asked, "--json")[1])
    n, rejected = (
        document["n_outliers"],
        [document[f"{kind}_rejects"] for kind in ("true", "false")],
    )
    assert 1 < n <= sum(rejected)
    shown = " ".join(run(*asked)[1].split())
    assert f"rejected: {rejected[0]} wrong and {rejected[1]} right, {n} of them outliers" in shown


def test_it_says_what_to_expect_on_new_rows(run, folder):
    out = folder / "m.abstain"
    asked = ["fit", folder / "patients.csv", "--label", LABEL, "--model", "naive-bayes"]
    asked += ["--accuracy", "0.9", "--out", out]
    document = json.loads(run(*asked, "--json")[1])["expected"]
    expected = abstain.load(out).expected_
    assert document == json.loads(json.dumps(dataclasses.asdict(expected)))
    assert document["basis"] == "cross-fit"
    code, shown, _ = run(*asked)
    shown = " ".join(shown.split())
    assert code == 0
    assert "right, " in shown.partition("chosen ")[2].partition(" expected ")[0]
    assert f"expected {expected.accuracy:.1%} right on new rows, 95% interval " in shown
    assert f"{expected.coverage:.1%} answered, 95% interval " in shown
    assert "each row decided by thresholds that other rows chose" in shown


def test_rows_of_the_fit_tell_nothing_of_new_ones(run, folder):
    asked = ["fit", folder / "patients.csv", "--label", LABEL, "--model", "naive-bayes"]
    asked += ["--cv", "0", "--out", folder / "m.abstain"]
    assert json.loads(run(*asked, "--json")[1])["expected"] is None
    assert "not estimated for new rows: the rows of the fit set the thresholds" in run(*asked)[1]


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


CLASSES = ("gesund", "krank (übel)")


@pytest.mark.parametrize(
    ("options", "target"),
    [
        (["--recall", "gesund=0.9"], abstain.Recall("gesund", 0.9)),
        (["--precision", "gesund=0.9"], abstain.Precision("gesund", 0.9)),
        (
            ["--accuracy", "0.8", "--recall", "gesund=0.9", "--precision", "gesund=0.85"],
            abstain.AllOf(
                abstain.Accuracy(0.8),
                abstain.Recall("gesund", 0.9),
                abstain.Precision("gesund", 0.85),
            ),
        ),
        (
            [
                *("--cost", "krank (übel):gesund=9", "--cost", "gesund:krank (übel)=2"),
                *("--reject-cost", "1.5"),
            ],
            abstain.ExpectedCost({CLASSES[::-1]: 9.0, CLASSES: 2.0}, reject=1.5),
        ),
        (["--accuracy", "0.8", "--group-by", "Organ"], abstain.Accuracy(0.8, groups="Organ")),
    ],
)
def test_targets_about_classes_and_groups(run, folder, options, target):
    out = folder / "m.abstain"
    asked = ["fit", folder / "patients.csv", "--label", LABEL, "--model", "naive-bayes"]
    asked += ["--out", out, *options]
    code, shown, complaints = run(*asked, "--json")
    assert (code, complaints) == (0, "")
    document = json.loads(shown)
    options = FitOptions(LABEL, model="naive-bayes", target=target)
    result = fit_table(open_table(folder / "patients.csv"), options)
    assert document["target"] == json.loads(json.dumps(target_as_dict(target)))
    assert document["thresholds"] == [
        value if np.isfinite(value) else str(value) for value in result.clf.thresholds_.tolist()
    ]
    assert [row["class"] for row in document["by_class"]] == list(CLASSES)
    code, shown, complaints = run(*asked)
    assert (code, complaints) == (0, "")
    assert max(len(line) for line in shown.splitlines() if not line.startswith(NOT_WRAPPED)) <= 80
    clf, answers = abstain.load(out), folder / "answers.csv"
    assert clf.target == target
    assert run("predict", out, folder / "new.csv", "--out", answers, "--quiet") == (0, "", "")
    new = pl.read_csv(folder / "new.csv")
    expected = np.where(clf.reject(new), "rejected", clf.predict(new))
    assert pl.read_csv(answers)["answer"].to_list() == expected.tolist()


def test_a_cost_table_equals_its_pairs(run, folder):
    (folder / "costs.csv").write_text(",gesund,krank (übel)\ngesund,,2\nkrank (übel),9,\n")
    asked = ["fit", folder / "patients.csv", "--label", LABEL, "--model", "naive-bayes"]
    asked += ["--out", folder / "m.abstain", "--reject-cost", "1.5", "--json"]
    pairs = ["--cost", "krank (übel):gesund=9", "--cost", "gesund:krank (übel)=2"]
    table, named = (
        json.loads(run(*asked, *costs)[1]) for costs in (["--cost", folder / "costs.csv"], pairs)
    )
    for document in (table, named):
        document["target"]["ExpectedCost"]["costs"].sort(key=str)
    assert table == named


def test_what_is_certified_for_groups_and_classes_is_shown(run, folder):
    table = folder / "t.csv"
    make_patients(600).write_csv(table)
    asked = ["fit", table, "--label", LABEL, "--model", "naive-bayes"]
    asked += ["--out", folder / "m.abstain", "--accuracy", "0.6", "--group-by", "Organ"]
    asked += ["--confidence", "0.9"]
    document = json.loads(run(*asked, "--json")[1])
    _, shown, _ = run(*asked)
    assert len(document["guarantees"]) == 2
    assert "Certified for new rows with confidence 0.9, all together" in shown
    for sure in document["guarantees"]:
        right = 100 * (1 - sure["errors"] / sure["accepted"])
        counts = rf"0.6 +{sure['n_samples']} +{sure['accepted']} +{sure['errors']} +{right:.2f}%"
        assert re.search(re.escape(sure["name"].removeprefix("the ")) + " +" + counts, shown)
    assert f"on the {document['n_samples']} rows that set the thresholds" in shown


def test_a_class_that_is_never_answered_rightly_is_shown(run, tmp_path, rng):
    values = rng.normal(size=(400, 2))
    kinds = np.array(["often"] * 350 + ["rare"] * 40 + ["[red]"] * 10)
    values[:350] += 2
    pl.DataFrame(values, schema=["a", "b"]).with_columns(kind=kinds).write_csv(tmp_path / "t.csv")
    asked = ["fit", tmp_path / "t.csv", "--label", "kind", "--model", "logistic"]
    asked += ["--out", tmp_path / "m.abstain"]
    document = json.loads(run(*asked, "--json")[1])
    _, shown, _ = run(*asked)
    (alarm,) = document["alarms"]
    assert f"Warning: {alarm}" in " ".join(shown.split())
    assert alarm.startswith("class '[red]' is never answered rightly: 10 rows")
    for row in document["by_class"]:
        assert list(row) == ["class", *ClassReport._fields[1:]]
        counts = (row[name] for name in ("answered", "right", "wrong", "rejected"))
        assert re.search(re.escape(row["class"]) + "".join(f" +{n}" for n in counts), shown)


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
        (["--label", LABEL, "--recall", "gesund=0.9", "--reject-rate", "0.1"], "only one target"),
        (["--label", LABEL, "--recall", "gesund"], "--recall must be CLASS=SHARE"),
        (["--label", LABEL, "--recall", "gesund=90"], "90% is 0.9"),
        (
            ["--label", LABEL, "--precision", "wohl=0.9"],
            f"--precision names class 'wohl', which label column '{LABEL}' does not have; its "
            "classes are 'gesund', 'krank (übel)'",
        ),
        (["--label", LABEL, "--recall", "wohl=0.9"], "--recall names class 'wohl'"),
        (
            ["--label", LABEL, "--cost", "wohl:gesund=1", "--reject-cost", "1"],
            "--cost names class 'wohl'",
        ),
        (
            ["--label", LABEL, "--cost", "gesund:krank (übel)=-1", "--reject-cost", "1"],
            "--cost must be a finite number from 0 on, got 'gesund:krank (übel)=-1'; give what",
        ),
        (["--label", LABEL, "--class-prior", "gesund"], "--class-prior must be CLASS=SHARE"),
        (["--label", LABEL, "--class-prior", "gesund=2"], "--class-prior must be a number in (0"),
        (
            ["--label", LABEL, "--class-prior", "wohl=0.9"],
            "--class-prior names class 'wohl', which",
        ),
        (["--label", LABEL, "--reject-cost", "2"], "nothing would be rejected; lower it, or"),
        (
            ["--label", LABEL, "--recall", "gesund=0.9", "--method", "exact"],
            "--method must be pooled for --recall, --precision and --group-by, got exact; drop it",
        ),
        (["--label", LABEL, "--cost", "gesund=1", "--reject-cost", "1"], "--cost must be TRUE:"),
        (["--label", LABEL, "--cost", "a:b=1"], "give --reject-cost as well"),
        (["--label", LABEL, "--cost", "a:b=1", "--reject-cost", "-1"], "--reject-cost must be a"),
        (["--label", LABEL, "--cost", "no.csv", "--reject-cost", "1"], "no.csv does not exist"),
        (
            ["--label", LABEL, "--cost", "gesund:krank (übel)=1", "--reject-cost", "1"],
            "--cost must have a number for every error, got none for true class 'krank (übel)' "
            "answered by 'gesund'; add it",
        ),
        (["--label", LABEL, "--group-by", "Organ"], "give --accuracy as well"),
        (["--label", LABEL, "--accuracy", "0.8", "--group-by", "Ort"], "--group-by Ort is not a"),
        (["--label", LABEL, "--accuracy", "0.8", "--group-by", "Patient"], "--group-by must have"),
        (
            ["--label", LABEL, "--accuracy", "0.999", "--confidence", "0.999"],
            "samples that test it",
        ),
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


def test_of_many_cells_the_others_are_counted(run, folder):
    rng = np.random.default_rng(0)
    kinds = np.arange(600) % 12
    columns = {
        name: 3 * trace(kinds) + rng.normal(size=600)
        for name, trace in {"a": np.cos, "b": np.sin}.items()
    }
    pl.DataFrame(columns | {"kind": [f"k{kind}" for kind in kinds]}).write_csv(folder / "t.csv")
    asked = ["--label", "kind", "--out", folder / "m.abstain", "--model", "naive-bayes"]
    shown = run("fit", folder / "t.csv", *asked)[1]
    assert shown.count("… and 4 more") == 3  # cells, and both tables of classes


def test_a_group_of_three_rows_is_refused(run, folder):
    organs = pl.Series("Organ", ["Milz"] * 3 + ["Leber"] * 237)
    make_patients().with_columns(organs).write_csv(folder / "few.csv")
    asked = ["fit", folder / "few.csv", "--label", LABEL, "--out", folder / "m.abstain"]
    assert_one_line(
        run(*asked, "--accuracy", 0.8, "--group-by", "Organ"),
        "--group-by must have at least 10 samples each, got 3 in group 'Milz'; merge it with",
    )


# It is no error: the model answers everything.
def test_a_reject_that_costs_more_than_every_error_is_noted(run, folder):
    asked = ["fit", folder / "patients.csv", "--label", LABEL, "--out", folder / "m.abstain"]
    asked += ["--model", "naive-bayes", "--reject-cost", "30"]
    asked += ["--cost", "gesund:krank (übel)=1", "--cost", "krank (übel):gesund=20"]
    code, shown, complaints = run(*asked)
    assert (code, complaints) == (0, "")
    note = "Note: --reject-cost 30.0 costs at least as much as every answer, so nothing is rejected"
    assert note in " ".join(shown.split())
    assert "a reject costs 30 " in " ".join(shown.split())


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
    words = r"\w=|Pipeline|FrozenEstimator|set cv|test_size|retarget"
    assert not re.search(words, complaints)
    assert options[0] in complaints or options[2] in complaints


def test_an_accuracy_that_an_error_names_is_certified(run, folder):
    asked = ["fit", folder / "patients.csv", "--label", LABEL, "--out", folder / "m.abstain"]
    asked += ["--confidence", "0.9", "--json"]
    _, _, complaints = run(*asked, "--accuracy", "0.95")
    named = re.search(r"they certify (0\.\d+) at most", complaints)[1]
    code, shown, _ = run(*asked, "--accuracy", named)
    assert (code, json.loads(shown)["guarantee"]["accuracy"]) == (0, float(named))


@pytest.mark.parametrize("model", MODELS)
def test_a_fit_that_may_take_long_says_so_before(run, folder, monkeypatch, model):
    out = folder / "m.abstain"
    asked = ["fit", folder / "patients.csv", "--label", LABEL, "--model", model, "--out", out]

    def stop(*_, **__):
        raise abstain.InputError("enough")

    monkeypatch.setattr(abstain.RejectOptionClassifier, "fit", stop)
    monkeypatch.setattr("abstain.tables.fitting._MANY_ROWS", 239)
    *notes, last = run(*asked, "--json")[2].splitlines()
    assert last == "error: enough"
    assert len(notes) == (model in ("svm", "knn"))
    for note in notes:
        assert note.startswith(f"note: --model {model} may take long")
        named = re.findall(r"[\w-]+", note.partition(";")[2].replace("are faster", ""))
        assert all(name in MODELS for name in named if name != "and")
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
def test_errors_of_a_model_take_one_line(run, tmp_path, rows_a_class, options, words):
    table, out = tmp_path / "small.csv", tmp_path / "m.abstain"
    rows = [f"{i},{i * i},x\n{i + 3},{50 - i},y" for i in range(1, rows_a_class + 1)]
    table.write_text("\n".join(["a,b,c", *rows]))
    code, shown, complaints = run("fit", table, "--label", "c", *options, "--out", out)
    assert (code, shown, complaints.count("\n")) == (2, "", 1)
    assert words in complaints
    assert complaints.endswith("; add rows, or use another --model\n")
    assert not out.exists()


def test_errors_of_a_model_are_reported(run, folder, monkeypatch):
    from sklearn.linear_model import LogisticRegression

    def refuse(*_):
        raise ValueError("not today,\nnor tomorrow.")

    monkeypatch.setattr(LogisticRegression, "fit", refuse)
    options = ["--label", LABEL, "--model", "logistic", "--out", folder / "m.abstain"]
    code, _, complaints = run("fit", folder / "patients.csv", *options)
    message = "--model logistic cannot be fitted to these 240 rows: not today,; add rows"
    assert (code, message in complaints, complaints.count("\n")) == (2, True, 1)


@pytest.mark.parametrize("name", ["model.pkl", "model.skops", "model.csv", "m.HTML", "m.json"])
def test_a_model_is_not_named_like_something_else(run, folder, name):
    out = folder / name
    code, shown, complaints = run("fit", folder / "patients.csv", "--label", LABEL, "--out", out)
    assert (code, shown, out.exists()) == (2, "", False)
    assert complaints == (
        f"error: cannot write {out}: a model is no {out.suffix.lower()} file; "
        f"name it {out.with_suffix('.abstain')}\n"
    )


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
    assert answers.columns[-8:] == [*NEW_COLUMNS]
    reasons = answers["reason"].drop_nulls()
    is_outlier = reasons.str.starts_with("unlike anything seen: ")
    assert is_outlier.sum() < 0.02 * len(answers)
    reasons = reasons.filter(~is_outlier)
    assert len(reasons)
    assert reasons.str.contains(r"^between .* and .*: .* decides?$").all()
    # Numbers are written as in the table.
    for name in ("certainty", "threshold", "correct_proba"):
        assert not answers[name].str.contains(".", literal=True).any()


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
    assert len(shown.splitlines()) < 40  # no line per column


@pytest.mark.parametrize(("outliers", "rate"), [("0", "0.01"), ("0.01", "0.03")])
def test_a_budget_that_is_not_used_is_reported_with_one_that_is(outliers, rate, run, folder):
    asked = ["fit", folder / "patients.csv", "--label", LABEL, "--out", folder / "m.abstain"]
    asked += ["--model", "knn", "--cells", "global", "--outliers", outliers]
    shown = " ".join(run(*asked, "--reject-rate", rate)[1].split())
    message = r"than the target allows: certainty takes only \d values; "
    named = re.search(message + r"the next useful reject rate is (0\.\d+)", shown)[1]
    nothing, something = (
        json.loads(run(*asked, "--reject-rate", each, "--json")[1]) for each in (rate, named)
    )
    known = abstain.load(folder / "m.abstain").calibration_
    n_outliers = 0 if known.outlier is None else known.outlier.sum()
    assert nothing["reject_rate"] == pytest.approx(n_outliers / len(known.correct))
    assert float(rate) < something["reject_rate"] <= float(named)
    assert something["accuracy"] > nothing["accuracy"]
    assert "Fewer rows" not in run(*asked, "--reject-rate", named)[1]


def test_one_more_column_is_one_column(run, tmp_path):
    frame = make_patients().with_columns(pl.lit("x").alias(f"same {i}") for i in range(6))
    frame.write_csv(tmp_path / "t.csv")
    _, shown, _ = run("fit", tmp_path / "t.csv", "--label", LABEL, "--out", tmp_path / "m.abstain")
    assert "… and 1 more column; --json names all" in shown


# --- rows that belong together --------------------------------------------------------------------


@pytest.fixture
def visits(folder):
    """Write twenty rows of each of 60 patients, who differ more than their own rows do."""
    generator = np.random.default_rng(0)
    ill = generator.integers(0, 2, 60)
    patient = np.repeat(np.arange(60), 20)
    center = 1.5 * generator.normal(size=(60, 4)) + np.outer(ill, [1, 0, 0, 0])
    X = center[patient] + 0.3 * generator.normal(size=(1200, 4))
    frame = pl.DataFrame(X, schema=list("abcd")).with_columns(
        patient=pl.Series([f"P{number:03}" for number in patient]),
        ill=pl.Series(np.where(ill[patient] == 1, "yes", "no")),
    )
    frame[generator.permutation(1200).tolist()].write_csv(folder / "visits.csv")
    asked = ["fit", folder / "visits.csv", "--label", "ill", "--out", folder / "m.abstain"]
    return [*asked, "--outliers", "0"]  # outliers are not among the rows that are counted


# Sixty patients with twenty rows each certified 0.95, and new patients got 58.5 %.
def test_a_certificate_on_rows_of_the_same_patients_is_refused(run, visits):
    asked = [*visits, "--model", "knn", "--confidence", "0.9", "--accuracy"]
    seems = "column 'patient' seems to name subjects of several rows each (60 in 1,200 rows)"
    remedy = "give --group patient to test one row of each, or --independent-rows if"
    assert_one_line(run(*asked, "0.95"), seems, remedy)
    assert_one_line(run(*asked, "0.95", "--drop", "patient"), seems, remedy)
    took = "takes at least 45 groups that test it, none of them wrong, got 30"
    assert_one_line(run(*asked, "0.95", "--group", "patient"), took)
    code, shown, _ = run(*asked, "0.95", "--independent-rows")
    assert code == 0
    assert "at least 0.95 on new rows" in shown


def test_a_certificate_over_groups_counts_one_row_of_each(run, folder, visits):
    asked = [*visits, "--model", "knn", "--accuracy", "0.3", "--confidence", "0.6"]
    code, shown, complaints = run(*asked, "--group", "patient")
    assert (code, complaints) == (0, "")
    assert "at least 0.3 on one row of each new group, with confidence 0.6" in shown
    assert "of 30 held-out groups, one row of each," in " ".join(shown.split())
    assert "60 subjects in column 'patient', each of them in one fold" in " ".join(shown.split())
    document = json.loads(run(*asked, "--group", "patient", "--json")[1])
    assert document["guarantee"]["counted"] == "groups"
    assert document["guarantee"]["n_left_out"] == 600 - 30
    assert (document["group"], document["n_groups"]) == ("patient", 60)
    assert "patient" not in document["numeric"] + document["categorical"]
    assert abstain.load(folder / "m.abstain").operating_point_.guarantee.n_samples == 30


def test_out_of_fold_a_group_is_in_one_fold(run, visits):
    asked = [*visits, "--model", "knn", "--reject-rate", "0.1", "--json"]
    document = json.loads(run(*asked)[1])
    (note,) = [note for note in document["notes"] if "seems to name subjects" in note]
    assert note.endswith("give --group patient to keep the rows of each in one fold")
    kept = json.loads(run(*asked, "--group", "patient")[1])
    assert not [note for note in kept["notes"] if "seems to name" in note]
    assert kept["accuracy"] < 0.85 < 0.95 < document["accuracy"]


def test_groups_that_cannot_be_are_refused_in_one_line(run, folder, visits):
    assert_one_line(run(*visits, "--group", "subject"), "--group subject is not a column")
    for option, column in (("--drop", "a"), ("--keep", "a"), ("--categorical", "a")):
        said = f"column '{column}' is in both --group and {option}"
        assert_one_line(run(*visits, "--group", column, option, column), said)
    assert_one_line(run(*visits, "--group", "ill"), "in both --group and --label")
    asked = [*visits, "--group", "patient", "--independent-rows"]
    assert_one_line(run(*asked), "--group patient says that rows belong together, and")
    frame = pl.read_csv(folder / "visits.csv")
    unnamed = pl.when(pl.int_range(1200) == 4).then(None).otherwise(pl.col("patient"))
    frame.with_columns(patient=unnamed).write_csv(folder / "visits.csv")
    said = "column 'patient' must name a group in each row for --group, got nothing in 1 of"
    assert_one_line(run(*visits, "--group", "patient"), said, "row 6; fill it in, or")


def test_equal_rows_are_counted_once_and_a_note_says_so(run, folder, visits):
    frame = pl.read_csv(folder / "visits.csv").drop("patient")
    pl.concat([frame, frame]).write_csv(folder / "visits.csv")
    asked = [*visits, "--model", "knn", "--accuracy", "0.9", "--confidence", "0.9", "--json"]
    document = json.loads(run(*asked)[1])
    guarantee = document["guarantee"]
    assert (guarantee["counted"], guarantee["n_samples"]) == ("distinct samples", 600)
    assert guarantee["n_left_out"] == 600
    assert any("held-out rows that are equal to others: 600;" in note for note in document["notes"])
    every = json.loads(run(*asked, "--independent-rows")[1])
    assert (every["guarantee"]["counted"], every["guarantee"]["n_samples"]) == ("samples", 1200)
