"""Laws of new thresholds from a table: they are those of `recalibrate`; the old model stays."""

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression

from abstain import (
    Accuracy,
    AllOf,
    ExpectedCost,
    InputError,
    Recall,
    RejectOptionClassifier,
    RejectRate,
    load,
    save,
)
from abstain.tables import FitOptions, fit_table, labelled_samples, open_table
from abstain.tables.recalibrating import recalibrate_table, rows_to_certify
from tests.tables.drifting import LABEL, make_month


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("recalibrated")


@pytest.fixture(scope="module")
def model(folder):
    make_month(800, 0.0, 0).write_csv(folder / "fit.csv")
    options = FitOptions(LABEL, model="logistic", target=Accuracy(0.95, confidence=0.9))
    return fit_table(open_table(folder / "fit.csv"), options).clf


@pytest.fixture
def table(tmp_path):
    def write(frame):
        frame.write_csv(tmp_path / "t.csv")
        return open_table(tmp_path / "t.csv")

    return write


@pytest.mark.parametrize(
    "target",
    [
        None,
        RejectRate(0.2),
        Accuracy(0.9, confidence=0.8),
        AllOf(Accuracy(0.9, confidence=0.8), Recall("ill", 0.7, confidence=0.8)),
    ],
    ids=str,
)
def test_thresholds_are_those_of_recalibrate(model, table, tmp_path, target):
    recent = table(make_month(400, 0.5, 1))
    before = model.thresholds_.copy()
    result = recalibrate_table(model, recent, target)
    samples = labelled_samples(model, recent)
    save(model, tmp_path / "m.abstain")
    same = load(tmp_path / "m.abstain")
    same.target = same.target if target is None else target
    same.recalibrate(samples.X, samples.y)
    np.testing.assert_array_equal(result.clf.thresholds_, same.thresholds_)
    np.testing.assert_array_equal(model.thresholds_, before)
    assert model.target == Accuracy(0.95, confidence=0.9)
    assert result.clf.target == same.target
    rejected = same.reject(samples.X)
    right = (same.predict(samples.X) == samples.y) & ~rejected
    after = result.after.outcomes
    assert (after.n_rejected, after.n_right) == (rejected.sum(), right.sum())
    assert result.before.outcomes.n_rejected == model.reject(samples.X).sum()
    for some in (result.before, result.after):
        assert sum(cell.n_rows for cell in some.cells) == 400
        assert sum(cell.n_rejected for cell in some.cells) == some.outcomes.n_rejected


def test_a_new_model_can_be_saved_and_answers_alike(model, table, tmp_path):
    result = recalibrate_table(model, table(make_month(400, 0.5, 1)))
    save(result.clf, tmp_path / "new.abstain")
    loaded, X = load(tmp_path / "new.abstain"), make_month(200, 0.5, 2).drop(LABEL)
    np.testing.assert_array_equal(loaded.reject(X), result.clf.reject(X))
    assert loaded.operating_point_.guarantee == result.clf.operating_point_.guarantee
    again = recalibrate_table(loaded, table(make_month(400, 1.0, 3)))
    assert not np.array_equal(again.clf.thresholds_, loaded.thresholds_)


def test_a_target_that_cannot_be_met_says_what_can(model, table):
    with pytest.raises(InputError, match=r"accuracy=0.95 with confidence=0.9 cannot be certified"):
        recalibrate_table(model, table(make_month(120, 2.0, 1)))
    assert model.operating_point_.guarantee.accuracy == 0.95


def test_rows_without_a_class_are_left_out_and_unknown_classes_are_errors(model, table):
    frame = make_month(400, 0.5, 1)
    odd = [None] * 10 + ["other"] * 5 + frame[LABEL].to_list()[15:]
    result = recalibrate_table(
        model, table(frame.with_columns(pl.Series(LABEL, odd))), RejectRate(0.1)
    )
    assert (result.n_rows, result.n_left_out, result.n_unknown) == (390, 10, 5)
    assert "5 rows are of a class that the model does not know" in result.notes[0]
    counts = result.before.outcomes
    assert counts.n_answered + counts.n_rejected == 390


def test_rows_of_the_fit_are_refused_unless_asked_for(model, table):
    rows = make_month(800, 0.0, 0)
    with pytest.raises(InputError, match=r"fitted to 50% of the rows of .*; give rows that came"):
        recalibrate_table(model, table(rows))
    result = recalibrate_table(model, table(rows), on_fit_rows=True)
    assert result.share_known == 0.5
    assert "the model was fitted to 50% of these rows" in result.notes[0]
    assert "a certificate on them does not hold for new ones" in result.notes[0]
    other = recalibrate_table(model, table(rows), RejectRate(0.1), on_fit_rows=True)
    assert "certificate" not in other.notes[0]


def test_groups_are_those_of_a_column(table, folder):
    def with_sites(frame, seed):
        sites = np.random.default_rng(seed).choice(["north", "south"], len(frame))
        return frame.with_columns(pl.Series("site", sites))

    target = Accuracy(0.8, confidence=0.8, groups="site")
    with_sites(make_month(800, 0.0, 0), 0).write_csv(folder / "grouped.csv")
    options = FitOptions(LABEL, model="logistic", target=target)
    clf = fit_table(open_table(folder / "grouped.csv"), options).clf
    recent = with_sites(make_month(400, 0.3, 1), 1)
    result = recalibrate_table(clf, table(recent))
    assert result.clf.target == target
    assert [each.name for each in result.after.guarantees] == [
        "the accuracy in group 'north'",
        "the accuracy in group 'south'",
    ]
    with pytest.raises(InputError, match="groups='site' is not a column"):
        recalibrate_table(clf, table(recent.drop("site")))


def test_new_proportions_are_kept(model, table):
    recent = table(make_month(600, 0.0, 4))
    target = Recall("ill", 0.8, confidence=0.8)
    result = recalibrate_table(model, recent, target, class_prior={"ill": 0.1})
    assert result.clf.class_prior == {"ill": 0.1}
    assert result.clf._proportions.shares.tolist() == pytest.approx([0.9, 0.1])
    assert model.class_prior is None


def test_classes_of_numbers_are_named_as_in_the_table(table, folder):
    numbered = {"ill": 1, "=well": 0}

    def as_numbers(frame):
        return frame.with_columns(pl.col(LABEL).replace_strict(numbered, return_dtype=pl.Int64))

    frame = as_numbers(make_month(600, 0.0, 0))
    X, y = frame.drop(LABEL), frame[LABEL].to_numpy()
    clf = RejectOptionClassifier(LogisticRegression(), target=RejectRate(0.1)).fit(X, y)
    recent = table(as_numbers(make_month(400, 0.5, 1)))
    result = recalibrate_table(clf, recent, Recall("1", 0.6), class_prior={"1": 0.2}, label=LABEL)
    assert result.clf.target == Recall(1, 0.6)
    assert result.clf.class_prior == {1: 0.2}
    costs = {("1", "0"): 5, ("0", "1"): 1}
    result = recalibrate_table(clf, recent, ExpectedCost(costs, reject=0.5), label=LABEL)
    assert result.clf.target.costs == {(1, 0): 5, (0, 1): 1}


def test_where_no_row_is_answered_rows_to_certify_follow_from_those_that_set_thresholds(model):
    point = model.operating_point_
    usual = rows_to_certify(model, point.n_samples, round(point.n_samples / point.coverage))
    assert rows_to_certify(model, 0, 100).likely == pytest.approx(usual.likely, rel=0.02)
    with_half = rows_to_certify(model, 50, 100)
    assert with_half.likely == pytest.approx(2 * rows_to_certify(model, 100, 100).likely, abs=1)
