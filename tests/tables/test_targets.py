"""Laws of targets for tables: classes as the table spells them, groups by column, cost tables."""

import json

import numpy as np
import polars as pl
import pytest

from abstain import Accuracy, AllOf, ExpectedCost, InputError, Precision, Recall, RejectRate
from abstain.metrics import class_report, group_report
from abstain.tables import FitOptions, fit_table, open_table
from abstain.tables.evaluation import (
    class_alarms,
    constant_alarm,
    cost_of_calibration,
    is_calibration_rejected,
)
from abstain.tables.groups import NO_GROUP, compare_fitted_groups
from abstain.tables.targets import group_columns, read_costs, with_classes
from abstain.tables.writing import group_rows
from tests.tables.conftest import make_patients

LABEL, ILL, WELL = "Befund lang", "krank (übel)", "gesund"
COSTS = {(ILL, WELL): 9.0, (WELL, ILL): 1.0}


def with_sites(n=240, sizes=(0.5, 0.5), seed=0):
    sites = np.random.default_rng(seed).choice(["nord", "süd"], n, p=sizes)
    return make_patients(n, seed).with_columns(Ort=pl.Series(sites))


def fitted(tmp_path, frame, target, **options):
    frame.write_csv(tmp_path / "t.csv")
    options = {"model": "naive-bayes"} | options
    return fit_table(open_table(tmp_path / "t.csv"), FitOptions(LABEL, target=target, **options))


# --- classes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", [1, 1.0, "1", "1.0", np.int64(1)])
def test_a_number_names_a_class_however_it_is_written(label):
    assert with_classes(Recall(label, 0.9), ["0", "1"], "y") == Recall("1", 0.9)
    costs = with_classes(ExpectedCost({(label, 0): 5, (0, label): 1}, 0.5), ["0", "1"], "y").costs
    assert costs == {("1", "0"): 5, ("0", "1"): 1}


def test_every_error_needs_a_cost():
    message = (
        "costs must have a number for every error, got none for true class 'b' answered by 'a'"
    )
    with pytest.raises(InputError, match=message):
        with_classes(ExpectedCost({("a", "b"): 1, ("b", "b"): 0}, 0.5), ["a", "b"], "y")


def test_a_class_cannot_have_two_costs_by_two_spellings():
    with pytest.raises(InputError, match="costs must name each pair of classes once"):
        with_classes(ExpectedCost({(1, 0): 5, ("1.0", 0): 6}, 0.5), ["0", "1"], "y")


def test_targets_without_classes_stay_as_they_are():
    for target in (RejectRate(0.1), Accuracy(0.9), ExpectedCost([[0, 1], [5, 0]], reject=0.5)):
        assert with_classes(target, ["a", "b"], "y") == target


@pytest.mark.parametrize(
    "target",
    [
        Recall("il", 0.9),
        Precision("il", 0.9),
        AllOf(Accuracy(0.5), Recall("il", 0.9)),
        ExpectedCost({(ILL, "il"): 1, ("il", ILL): 1}, reject=0.5),
        ExpectedCost(COSTS, reject={"il": 1}),
    ],
)
def test_an_unknown_class_is_refused_before_the_fit(tmp_path, target, monkeypatch):
    monkeypatch.setattr("abstain.RejectOptionClassifier.fit", None)
    message = rf"names class 'il', which label column '{LABEL}' does not have; its classes are"
    with pytest.raises(InputError, match=message):
        fitted(tmp_path, make_patients(), target)


@pytest.mark.parametrize(
    "target",
    [
        Recall(ILL, 0.9),
        Precision(ILL, 0.9),
        AllOf(Accuracy(0.85), Recall(WELL, 0.9)),
        AllOf(Recall(ILL, 0.8, confidence=0.8), Precision(WELL, 0.7, confidence=0.8)),
        ExpectedCost(COSTS, reject=0.5),
    ],
)
def test_the_report_and_the_document_say_what_the_classifier_does(tmp_path, target):
    result = fitted(tmp_path, make_patients(600), target)
    clf, report = result.clf, result.class_report
    document = json.loads(json.dumps(result.as_dict(), allow_nan=False))
    assert clf.target == target
    assert [row["class"] for row in document["by_class"]] == report.classes.tolist()
    point = clf.operating_point_
    assert report.answered.sum() == round(point.coverage * point.n_samples)
    assert report.wrong.sum() == point.errors_left
    assert report.rejected.sum() == is_calibration_rejected(clf).sum()
    assert len(document["guarantees"]) == len(point.guarantees)
    assert list(document["target"]) == [type(target).__name__]
    for each in getattr(target, "targets", [target]):
        if isinstance(each, Recall | Precision):
            name = type(each).__name__.lower()
            share = getattr(report, name)[report.classes.tolist().index(each.label)]
            assert share >= getattr(each, name) - 0.1 * (each.confidence is not None)


def test_costs_per_row_are_those_of_the_decisions(tmp_path):
    result = fitted(tmp_path, make_patients(), ExpectedCost(COSTS, reject=0.5))
    calibration, rejected = result.clf.calibration_, is_calibration_rejected(result.clf)
    cost = cost_of_calibration(result.clf)
    answered = [
        COSTS.get(pair, 0) for pair in zip(calibration.truth, calibration.answers, strict=True)
    ]
    assert cost.all_answered == pytest.approx(np.mean(answered))
    assert cost.with_rejects == pytest.approx(np.where(rejected, 0.5, answered).mean())
    assert cost.with_rejects <= cost.all_answered
    n_ill, n_well = ((calibration.truth == label).sum() for label in (ILL, WELL))
    assert cost.constant == pytest.approx(min(9 * n_ill, n_well) / len(rejected))
    assert result.as_dict()["cost_per_row"] == cost.with_rejects
    assert cost_of_calibration(fitted(tmp_path, make_patients(), RejectRate(0.1)).clf) is None


# An answer may be wrong more often and cost less.
def test_costs_are_not_compared_with_the_largest_class(tmp_path):
    frame = make_patients().filter((pl.col(LABEL) == WELL) | (pl.int_range(pl.len()) % 4 == 0))
    target = ExpectedCost({(ILL, WELL): 1000, (WELL, ILL): 1}, reject=5)
    result = fitted(tmp_path, frame, target)
    point = result.clf.operating_point_
    assert 1 - point.n_errors / point.n_samples < max(result.class_counts.values()) / result.n_rows
    assert not [note for note in result.notes if "always answering" in note]
    assert not [alarm for alarm in result.alarms if "no better" in alarm]


# --- alarms ---------------------------------------------------------------------------------------


def test_a_class_that_is_never_answered_rightly_is_an_alarm():
    y_true, y_pred = ["a", "a", "b", "b", "c", "a"], ["a", "a", "a", "c", "c", "a"]
    report = class_report(y_true, y_pred, [False, False, False, False, True, False])
    assert class_alarms(report) == [
        "class 'b' is never answered rightly: 2 rows, 2 answered, all wrong",
        "class 'c' is never answered rightly: 1 row, all rejected",
    ]
    assert class_alarms(class_report([1, 2], [1, 2], [False, False])) == []


@pytest.mark.parametrize(
    ("y_true", "y_pred", "is_alarm"),
    [
        ([0, 0, 0, 1], [0, 0, 0, 0], True),
        ([0, 0, 0, 1], [0, 0, 1, 1], True),
        ([0, 0, 0, 1], [0, 0, 0, 1], False),
        ([0, 0, 0], [0, 0, 0], True),
    ],
)
def test_answers_that_are_no_better_than_the_largest_class_are_an_alarm(y_true, y_pred, is_alarm):
    report = class_report([*y_true, 1, 1], [*y_pred, 0, 0], [False] * len(y_true) + [True] * 2)
    assert len(constant_alarm(report)) == is_alarm
    assert all("always naming 0: " in alarm for alarm in constant_alarm(report))


def test_without_answers_there_is_nothing_to_compare():
    assert constant_alarm(class_report([0, 1], [0, 0], [True, True])) == []


# --- groups ---------------------------------------------------------------------------------------


def test_groups_are_a_column_that_is_no_feature(tmp_path):
    target = Accuracy(0.8, groups="Ort")
    result = fitted(tmp_path, with_sites(), target)
    assert "Ort" not in result.features.numeric + result.features.categorical
    assert result.clf.target == target  # the name of the column, not a label per row
    rows, rejected = result.clf.calibration_.rows, is_calibration_rejected(result.clf)
    sites = with_sites()["Ort"].to_numpy()[rows]
    for site in np.unique(sites):
        assert result.clf.calibration_.correct[(sites == site) & ~rejected].mean() >= 0.8
    assert result.clf.reject(make_patients(20)).shape == (20,)  # new rows need no group
    kept = fitted(tmp_path, with_sites(), target, keep=["Ort"])
    assert "Ort" in kept.features.categorical


def test_each_group_is_certified(tmp_path):
    target = AllOf(Accuracy(0.5, confidence=0.8, groups="Ort"), Recall(WELL, 0.5, confidence=0.8))
    result = fitted(tmp_path, with_sites(600), target)
    names = [each["name"] for each in result.as_dict()["guarantees"]]
    groups = [f"the accuracy in group '{site}'" for site in ("nord", "süd")]
    assert names == [*groups, f"the recall of '{WELL}'"]
    assert group_columns(target) == ["Ort"]


@pytest.mark.parametrize(
    ("target", "alone"),
    [
        (Accuracy(0.9, groups="Ort"), Accuracy(0.9)),
        (Accuracy(0.6, confidence=0.8, groups="Ort"), Accuracy(0.6, confidence=0.8)),
        (
            AllOf(Accuracy(0.85, groups="Ort"), Recall(WELL, 0.8)),
            AllOf(Accuracy(0.85), Recall(WELL, 0.8)),
        ),
    ],
)
def test_groups_are_compared_with_the_same_target_without_them(tmp_path, target, alone):
    result = fitted(tmp_path, with_sites(600), target)
    comparison = result.group_comparisons["Ort"]
    clf, is_certified = result.clf, bool(result.clf.operating_point_.guarantees)
    assert comparison.counted_on == ("held-out rows" if is_certified else "calibration rows")
    known = clf._test_calibration if is_certified else clf.calibration_
    sites = with_sites(600)["Ort"].to_numpy()[known.rows]
    other = fitted(tmp_path, with_sites(600).drop("Ort"), alone).clf
    positions = clf._own_cells.positions(known.cells)
    kinds = {"decided": clf.thresholds_, "without": other.thresholds_}
    for name, thresholds in kinds.items():
        rejected = known.certainty < thresholds[positions]
        if known.outlier is not None:
            rejected |= known.outlier
        report = getattr(comparison, name)
        expected = group_report(
            *(known.truth, known.answers, rejected, sites), confidence=comparison.confidence
        )
        assert report.groups.tolist() == ["nord", "süd"]
        for mine, others in zip(report[1:], expected[1:], strict=True):
            assert np.array_equal(mine, others, equal_nan=True)
    bounds = [each.bound for each in clf.operating_point_.guarantees]
    assert comparison.decided.accuracy_bound[: len(bounds)] == pytest.approx(bounds)
    document = json.loads(json.dumps(result.as_dict(), allow_nan=False))
    assert document["by_group_counted_on"] == comparison.counted_on
    assert document["by_class_counted_on"] == "calibration rows"
    for place, row in enumerate(document["by_group"]["Ort"]):
        assert row["answered"] == comparison.decided.answered[place]
        assert row["accuracy_bound"] == comparison.decided.accuracy_bound[place]
        assert row["without_groups"]["right"] == comparison.without.right[place]


def test_without_a_condition_on_groups_nothing_is_compared(tmp_path):
    result = fitted(tmp_path, make_patients(), Accuracy(0.8))
    assert result.group_comparisons == {}
    document = result.as_dict()
    assert (document["by_group"], document["by_group_counted_on"]) == ({}, None)
    labels = np.arange(240) % 2
    comparison = compare_fitted_groups(result.clf, labels)
    assert comparison.without is None
    assert comparison.n_rows == 240
    assert {row["without_groups"] for row in group_rows(comparison)} == {None}


def test_rows_without_a_group_are_a_group(tmp_path):
    frame = with_sites(600).with_columns(
        pl.when(pl.int_range(pl.len()) % 5 == 0).then(None).otherwise("Ort").alias("Ort")
    )
    result = fitted(tmp_path, frame, Accuracy(0.6, confidence=0.8, groups="Ort"))
    assert f"the accuracy in group '{NO_GROUP}'" in [
        each.name for each in result.clf.operating_point_.guarantees
    ]


@pytest.mark.parametrize(
    ("n_without", "confidence", "fault"),
    [(3, None, "got 3 in group 'missing'"), (30, 0.9, "in group 'missing' of 0.8 with")],
)
def test_what_to_do_about_rows_without_a_group(tmp_path, n_without, confidence, fault):
    frame = with_sites(600).with_columns(
        pl.when(pl.int_range(pl.len()) < n_without).then(None).otherwise("Ort").alias("Ort")
    )
    remedy = "the rows without a value in column 'Ort': fill in the column for these rows, or leave"
    with pytest.raises(InputError, match=f"{fault}.*{remedy} these rows out$"):
        fitted(tmp_path, frame, Accuracy(0.8, confidence=confidence, groups="Ort"))


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("Orte", "groups='Orte' is not a column of"),
        (LABEL, f"column '{LABEL}' is both label and groups"),
        ("Patient", "groups must have at least 10 samples each, got 1 in group"),
    ],
)
def test_unusable_groups_are_refused(tmp_path, column, message):
    with pytest.raises(InputError, match=message):
        fitted(tmp_path, with_sites(), Accuracy(0.8, groups=column))


# --- cost tables ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "true,a,b\na,0,1.5\nb,50,0\n",
        ",b,a\na,1.5,\nb,0,50\n",
        "true;a;b\nb;50;0\na;0;1,5\n",
        "true\ta\tb\na\t\t1.5\nb\t50\t\n",
    ],
)
def test_a_cost_table_names_true_classes_in_rows_and_answers_in_columns(tmp_path, text):
    path = tmp_path / "costs.csv"
    path.write_text(text)
    costs = ExpectedCost(read_costs(path), reject=1).table(np.array(["a", "b"])).costs
    assert costs.tolist() == [[0, 1.5], [50, 0]]


def test_classes_of_a_cost_table_may_be_numbers(tmp_path):
    pl.DataFrame({"true": [0, 1], "0": [0.0, 5.0], "1": [1.0, 0.0]}).write_parquet(
        tmp_path / "c.parquet"
    )
    (tmp_path / "c.csv").write_text(",0,1\n0,0,1\n1,5,0\n")
    costs = {("0", "0"): 0, ("1", "0"): 5, ("0", "1"): 1, ("1", "1"): 0}
    assert read_costs(tmp_path / "c.parquet") == read_costs(tmp_path / "c.csv") == costs


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("true,a\na,0\nb,5\n", "got a row but no column for 'b'"),
        ("true,a,b\na,0,5\n", "got a column but no row for 'b'"),
        ("true,a,b\na,0,1\nb,,0\n", "got nothing for class 'b' answered by 'a'; write what"),
        ("true,a,b\na,0,1\nb,lots,0\n", "got 'lots' for class 'b' answered by 'a'"),
        ("true,a,b\na,0,1\na,1,0\n", "must name each true class once .*, got 'a' twice"),
        ("true,a,b\na,0,1\n,1,0\n", "got a blank"),
        ("true,a,b\na,0,1\nb,-3,0\n", "from 0 on, got -3 for class 'b' answered by 'a'; write"),
    ],
)
def test_an_incomplete_cost_table_is_refused(tmp_path, text, message):
    (tmp_path / "costs.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        read_costs(tmp_path / "costs.csv")
