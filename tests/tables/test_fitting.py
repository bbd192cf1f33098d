"""A table and options become a classifier that knows its columns, or an error of one line."""

import re
import warnings

import numpy as np
import polars as pl
import pytest
from sklearn.tree import DecisionTreeClassifier

import abstain
from abstain import Accuracy, InputError, RejectOptionClassifier, RejectRate
from abstain.tables import (
    FitOptions,
    answer_frame,
    answer_table,
    fit_table,
    labelled_samples,
    open_table,
)
from abstain.tables.columns import columns_of_model
from abstain.tables.features import Features
from abstain.tables.models import MODELS, find_model, make_pipeline
from abstain.tables.reasons import cell_names

LABEL = "Befund lang"


@pytest.fixture
def table(tmp_path, patients):
    def call(frame=patients, name="t.csv", **options):
        path = tmp_path / name
        if name.endswith("parquet"):
            frame.write_parquet(path)
        else:
            frame.write_csv(path, **options)
        return open_table(path)

    return call


@pytest.mark.parametrize("name", sorted(MODELS))
def test_every_learner_fits_saves_and_answers(tmp_path, table, patients, name):
    fitted = fit_table(table(), FitOptions(LABEL, model=name, target=RejectRate(0.2), cv=3))
    assert fitted.features.numeric == ["Größe", "Alter"]
    assert fitted.features.categorical == ["Organ"]
    assert "different values" in fitted.features.left_out["Patient"]
    assert fitted.class_counts == dict(sorted(patients[LABEL].value_counts().rows()))
    abstain.save(fitted.clf, tmp_path / "m.abstain")
    loaded = abstain.load(tmp_path / "m.abstain")
    assert columns_of_model(loaded).label == LABEL
    assert columns_of_model(loaded).needed == ["Größe", "Alter", "Organ"]
    assert answer_frame(loaded, patients).equals(answer_frame(fitted.clf, patients))
    assert fitted.clf.operating_point_.accuracy > 0.6


def test_missing_numbers_are_kept_or_imputed():
    for name, learner in MODELS.items():
        steps = make_pipeline(learner, Features(["a"], []))
        has_imputer = "SimpleImputer" in repr(steps)
        assert has_imputer == (not learner.keeps_missing)
        assert learner.keeps_missing == ("lvq" in name or name == "boosting")


def test_every_form_of_a_table_gives_the_same_model(table, patients):
    options = FitOptions(LABEL, model="glvq")
    german = patients.with_columns(
        pl.col("Größe").cast(pl.String).str.replace(".", ",", literal=True)
    )
    tables = [
        table(),
        table(name="t.parquet"),
        table(german, name="german.csv", separator=";"),
        table(patients.with_columns(pl.all().cast(pl.String)), name="text.parquet"),
    ]
    thresholds = [fit_table(each, options).clf.thresholds_ for each in tables]
    for other in thresholds[1:]:
        np.testing.assert_array_equal(other, thresholds[0])


def test_the_seed_decides(table):
    options = FitOptions(LABEL, model="forest", target=Accuracy(0.7, confidence=0.8), seed=3)
    first, again = (fit_table(table(), options).clf for _ in range(2))
    np.testing.assert_array_equal(first.thresholds_, again.thresholds_)


def test_rows_without_a_label_or_anything_else_are_left_out_and_counted(table, patients):
    frame = patients.select("Größe", LABEL).head(100)
    odd = pl.DataFrame({"Größe": [1.0, 2.0, None], LABEL: [None, "?", "gesund"]})
    missing = int(frame["Größe"].is_null().sum())
    fitted = fit_table(table(pl.concat([frame, odd])), FitOptions(LABEL, model="glvq"))
    assert (fitted.n_unlabelled, fitted.n_empty) == (2, missing + 1)
    assert fitted.n_rows == 100 - missing


def test_a_guarantee_is_the_librarys_own(table):
    fitted = fit_table(
        table(), FitOptions(LABEL, "logistic", Accuracy(0.7, confidence=0.9), cells="global")
    )
    assert fitted.clf.operating_point_.guarantee.bound >= 0.7
    assert cell_names(fitted.clf) == ["all rows", "all rows"]


def test_cells_have_names(fitted, table):
    names = cell_names(fitted.clf)
    assert names == ["class gesund", "class krank (übel)", "unseen cells"]
    by_leaf = fit_table(table(), FitOptions(LABEL, "tree")).clf
    assert all(name.startswith("leaf ") for name in cell_names(by_leaf)[:-1])
    by_class = fit_table(table(), FitOptions(LABEL, "naive-bayes")).clf
    assert cell_names(by_class) == names


def test_rare_cells_are_named(table):
    kinds = [*"ab" * 30, *"cdefg" * 5]
    frame = pl.DataFrame({"x": [float(ord(kind)) for kind in kinds], "kind": kinds})
    spread = frame.with_columns(y=pl.int_range(pl.len()) % 7)
    for model in ("naive-bayes", "glvq"):
        clf = fit_table(table(spread), FitOptions("kind", model, method="exact")).clf
        *own, rare = cell_names(clf)
        assert own == ["class a", "class b"]
        assert rare == "rare cells (class c, class d, class e and 2 more)"
    rng = np.random.default_rng(0)
    leaves = DecisionTreeClassifier(min_samples_leaf=3, random_state=0)
    tree = RejectOptionClassifier(leaves, method="exact")
    *own, rare = cell_names(tree.fit(rng.normal(size=(200, 2)), rng.integers(0, 2, 200)))
    assert re.fullmatch(r"rare cells \(leaf \d+(, leaf \d+)*( and \d+ more)?\)", rare)
    assert not set(re.findall(r"leaf \d+", rare)) & set(own)


def test_another_separator_than_that_of_the_table(table):
    path = table(pl.DataFrame({"a": [0.5, 1.5] * 20, "kind": ["x", "y"] * 20})).path
    clf = fit_table(open_table(path), FitOptions("kind", "glvq")).clf
    wrong = open_table(path, separator="tab")
    hint = r"; separator=',' fits .*\.csv better than tab"
    with pytest.raises(InputError, match="label='kind' is not a column.*" + hint):
        fit_table(wrong, FitOptions("kind"))
    with pytest.raises(InputError, match="label='kind' is not a column.*" + hint):
        labelled_samples(clf, wrong)
    with pytest.raises(InputError, match="lacks columns.*" + hint):
        answer_table(clf, wrong, None)
    with pytest.raises(InputError, match=r"label='sort' is not a column .*, 'kind'$"):
        fit_table(open_table(path), FitOptions("sort"))
    path.write_text("a kind\n1 x\n2 y\n")
    with pytest.raises(
        InputError, match="'a kind'; the first line must name the columns, with , ;"
    ):
        fit_table(open_table(path), FitOptions("kind"))


def test_a_title_above_the_header_is_reported(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("Production report March 2024,,,\n,,,\na,b,c,kind\n" + "1,2,3,x\n" * 20)
    with pytest.raises(
        InputError, match=r"label='kind' is not a column.*; the first line must name the col"
    ):
        fit_table(open_table(path), FitOptions("kind"))


def test_classes_that_are_spelled_alike_are_noted(table):
    kinds = ["ill", "Ill ", " I l l", "well"] * 10
    frame = pl.DataFrame({"x": [float(len(kind)) for kind in kinds], "kind": kinds})
    noted = fit_table(table(frame), FitOptions("kind", "naive-bayes")).notes[0]
    assert noted.startswith("classes differ only in capitals or blanks: 'I l l', 'Ill', 'ill'; ")


@pytest.mark.parametrize(("every", "n_notes"), [(30, 0), (15, 1)])
def test_frequent_labels_that_are_taken_as_missing_are_noted(table, patients, every, n_notes):
    is_lost = pl.int_range(pl.len()) % every == 0
    frame = patients.with_columns(pl.when(is_lost).then(pl.lit("-")).otherwise(LABEL).alias(LABEL))
    fitted = fit_table(table(frame), FitOptions(LABEL, "naive-bayes"))
    assert fitted.n_unlabelled == 240 / every
    lost = [note for note in fitted.notes if "'-' is taken as missing" in note]
    assert len(lost) == n_notes


# The label itself, other names for it, and numbers: none is known where the class is asked for.
@pytest.mark.parametrize(
    ("names", "is_noted"),
    [
        ({"gesund": "gesund", "krank (übel)": "krank (übel)"}, True),
        ({"gesund": "g", "krank (übel)": "k"}, True),
        ({"gesund": 7, "krank (übel)": 3}, True),
        ({"gesund": "g", "krank (übel)": None}, False),
    ],
)
def test_columns_that_tell_the_class_are_noted(table, patients, names, is_noted):
    said = [names[label] for label in patients[LABEL]]
    frame = patients.with_columns(pl.Series("it's", said))
    fitted = fit_table(table(frame), FitOptions(LABEL, "naive-bayes", keep=["it's"], cv=2))
    message = 'column "it\'s" tells the class in every row; if it is not known before the answer, '
    assert (message + """leave it out: drop=["it's"]""" in fitted.notes) == is_noted
    assert "it's" in [*fitted.features.numeric, *fitted.features.categorical]


def test_a_model_that_is_right_less_often_than_the_largest_class_is_noted(table, patients):
    rng = np.random.default_rng(1)
    noise = patients.with_columns(pl.Series("noise", rng.normal(size=len(patients))))
    drop = ["Größe", "Alter", "Organ"]
    fitted = fit_table(table(noise), FitOptions(LABEL, "tree", drop=drop))
    (note,) = [note for note in fitted.notes if note.startswith("the model is right in")]
    assert "always answering 'gesund' is right in" in note
    good = fit_table(table(), FitOptions(LABEL, "logistic"))
    assert not any(note.startswith("the model is right in") for note in good.notes)


def test_notes_are_lines(table):
    apart = pl.DataFrame({"a": [0.0, 1.0, 8.0, 9.0] * 10, "kind": ["x", "x", "y", "y"] * 10})
    (note,) = fit_table(table(apart), FitOptions("kind", "naive-bayes", cv=0)).notes
    assert note.startswith(
        "cv='training' finds no error to learn thresholds from; set cv to a number"
    )
    assert "\n" not in note


# --- what the report needs ----------------------------------------------------------------------


def test_deprecations_are_no_notes(table, monkeypatch):
    fit = DecisionTreeClassifier.fit

    def warning_fit(*args, **options):
        warnings.warn("the tree is shallow", UserWarning, stacklevel=2)
        warnings.warn("an option is deprecated", DeprecationWarning, stacklevel=2)
        return fit(*args, **options)

    monkeypatch.setattr(DecisionTreeClassifier, "fit", warning_fit)
    notes = fit_table(table(), FitOptions(LABEL, model="tree", target=RejectRate(0.2))).notes
    assert "the tree is shallow" in notes
    assert not any("deprecated" in note for note in notes)


def test_a_labelled_table_for_a_saved_model(fitted, table, patients):
    odd = patients.head(1).with_columns(pl.lit(None).alias(LABEL))
    german = pl.concat([patients, odd.cast(patients.schema)]).with_columns(
        pl.col("Größe").cast(pl.String).str.replace(".", ",", literal=True)
    )
    samples = labelled_samples(fitted.clf, table(german, separator=";"))
    X, y = samples.X, samples.y
    assert (samples.share_known, samples.n_unknown, samples.n_left_out) == (1.0, 0, 1)
    assert X.columns == ["Größe", "Alter", "Organ"]
    assert y.tolist() == patients[LABEL].to_list()
    assert samples.names == [f"row {row}" for row in range(2, len(patients) + 2)]
    np.testing.assert_array_equal(X["Größe"].to_numpy(), patients["Größe"].to_numpy())
    assert 0 < fitted.clf.score(X, y) <= 1


# Which classes there are is known: what would be no label to fit to is one to compare with.
@pytest.mark.parametrize("rows", [[0], [0, 1, 2], list(range(50))])
def test_a_few_labelled_rows_will_do(table, rows):
    rng = np.random.default_rng(0)
    many = pl.DataFrame({"a": rng.normal(size=600), "class": np.arange(600) % 30})
    clf = fit_table(table(many), FitOptions("class", model="glvq", cv=2)).clf
    samples = labelled_samples(clf, table(many[rows], "some.csv"))
    assert samples.y.tolist() == [str(row % 30) for row in rows]
    assert samples.share_known == 1.0
    others = many[rows].with_columns(pl.col("a") + 0.1)
    assert labelled_samples(clf, table(others, "others.csv")).share_known == 0.0


def test_a_model_made_in_python_needs_the_label(table):
    X = pl.DataFrame({"a": [0.0, 1.0, 4.0, 5.0] * 5})
    clf = abstain.RejectOptionClassifier(abstain.GLVQ(), cv=2).fit(X, [0, 0, 1, 1] * 5)
    rows = X.with_columns(kind=pl.Series([0, 0, 1, 1] * 5))
    with pytest.raises(InputError, match="give label"):
        labelled_samples(clf, table(rows))
    samples = labelled_samples(clf, table(rows), label="kind")
    assert samples.y.tolist() == [0, 0, 1, 1] * 5
    strange = rows.with_columns(kind=pl.Series([0, 0, 1, 7] * 5))
    with pytest.raises(InputError, match="got '7'; leave such rows out"):
        labelled_samples(clf, table(strange), label="kind")


# A label that is missing makes floats of all others, in the hands of some.
@pytest.mark.parametrize("spelled", [["0.0", "1.0", ""], ["0", "1.00", "NA"], ["00", "1e0", "7"]])
def test_labels_that_are_equal_as_numbers_are_one_class(table, spelled):
    frame = pl.DataFrame({"a": [0.0, 1.0, 4.0, 5.0] * 5, "kind": [0, 0, 1, 1] * 5})
    clf = fit_table(table(frame), FitOptions("kind", "naive-bayes")).clf
    other = pl.DataFrame({"a": [0.0, 4.0, 5.0], "kind": spelled})
    samples = labelled_samples(clf, table(other, "other.csv"))
    assert samples.y[:2].tolist() == ["0", "1"]
    assert samples.n_unknown == (spelled[2] == "7")


def test_classes_that_are_equal_as_numbers_stay_apart(table):
    kinds = ["1", "1", "1.0", "1.0"] * 5
    clf = fit_table(
        table(pl.DataFrame({"a": [0.0, 1.0, 4.0, 5.0] * 5, "kind": kinds})),
        FitOptions("kind", "naive-bayes"),
    ).clf
    other = pl.DataFrame({"a": [0.0, 4.0, 5.0], "kind": ["1", "1.0", "1.00"]})
    assert labelled_samples(clf, table(other, "o.csv")).y.tolist() == ["1", "1.0", "1.00"]


def test_watch_is_called_for_every_fit(table):
    seen = []
    fit_table(table(), FitOptions(LABEL, cv=3), lambda *done: seen.append(done))
    assert seen == [(done, 4) for done in range(5)]


@pytest.mark.parametrize("option", ["drop", "keep", "categorical"])
def test_the_label_is_no_feature(table, option):
    with pytest.raises(InputError, match=f"both label and in {option}"):
        fit_table(table(), FitOptions(LABEL, **{option: [LABEL]}))


def test_a_labelled_table_of_another_kind(fitted, table, patients):
    with pytest.raises(InputError, match="label='Befund lang' is not a column"):
        labelled_samples(fitted.clf, table(patients.drop(LABEL)))
    other = patients.with_columns(pl.col(LABEL).str.replace_all(".*", "x"), pl.lit("y").alias("z"))
    other = other.with_columns(
        pl.when(pl.col("Alter") > 40).then("z").otherwise(LABEL).alias(LABEL)
    )
    with pytest.raises(InputError, match=r"must name classes of the model .*, got 'y', 'x'; "):
        labelled_samples(fitted.clf, table(other))
    text = patients.with_columns(pl.col("Alter").cast(pl.String).str.replace("^2.", "jung"))
    with pytest.raises(InputError, match="'Alter' must hold numbers, got 'jung'"):
        labelled_samples(fitted.clf, table(text))


# --- what cannot be fitted ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (FitOptions("Befund"), "label='Befund' is not a column.*'Befund lang'"),
        (FitOptions("Patient"), "identifier"),
        (FitOptions("Alter"), "different numbers"),
        (FitOptions(LABEL, model="gmvlq"), "did you mean 'gmlvq'"),
        (FitOptions(LABEL, model="x"), "must be one of glvq"),
        (FitOptions(LABEL, drop=["x"]), "drop='x' is not a column"),
        (FitOptions(LABEL, drop=["Alter"], keep=["Alter"]), "both drop and keep"),
        (FitOptions(LABEL, drop=["Alter", "Größe", "Organ"]), "no column is left"),
        (FitOptions(LABEL, cv=1), "cv must be at least 2 folds"),
        (FitOptions(LABEL, cv=150), "at least 150 rows.*cv=150"),
        (FitOptions(LABEL, "naive-bayes", cells="prototype"), "cells='prototype' needs"),
        (FitOptions(LABEL, target=Accuracy(0.999, confidence=0.99)), "samples that test it"),
    ],
)
def test_what_cannot_be_fitted(table, options, words):
    with pytest.raises(InputError, match=words) as caught:
        fit_table(table(), options)
    assert "\n" not in str(caught.value)


def test_small_classes_are_named(table, patients):
    rare = patients.head(3).with_columns(pl.lit("selten").alias(LABEL))
    with pytest.raises(InputError, match=r"at least 5 rows, got 'selten' \(3\).*cv=5"):
        fit_table(table(pl.concat([patients, rare])), FitOptions(LABEL))


def test_models_without_columns():
    X, y = np.arange(20.0).reshape(-1, 1), ["a", "b"] * 10
    with pytest.raises(InputError, match="without names of columns"):
        columns_of_model(abstain.RejectOptionClassifier(abstain.GLVQ(), cv=2).fit(X, y))
    with pytest.raises(InputError, match="with a reject option, got a GLVQ"):
        columns_of_model(abstain.GLVQ().fit(X, y))


def test_learners_are_found_in_any_case():
    assert find_model(" Naive_Bayes ").name == "naive-bayes"


def test_columns_may_be_called_anything(table, patients):
    odd = patients.rename({LABEL: "count", "Größe": "a$^b", "Alter": "label", "Organ": "<b>"})
    fitted = fit_table(table(odd), FitOptions("count", model="glvq"))
    assert fitted.features.numeric == ["a$^b", "label"]
    assert answer_frame(fitted.clf, odd).height == odd.height
