"""Every number in a report is what the library says of that row."""

import json
import re

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from abstain import (
    LGMLVQ,
    Accuracy,
    ExpectedCost,
    Recall,
    RejectCost,
    RejectOptionClassifier,
    RejectRate,
    RiskMonitor,
    operating_point,
    pareto_front,
)
from abstain.report import render_report, write_report
from abstain.report.content import choose_rows, find_content
from abstain.report.plane import choose_drawn
from abstain.report.promises import HIGHEST, MAX_POINTS, find_promises
from abstain.report.samples import Samples, choose_explained
from abstain.tables.reasons import cell_names
from tests.fronts.strategies import synthetic
from tests.report.problems import (
    HOSTILE_CLASSES,
    at_row,
    confusion,
    fitted_gmlvq,
    fitted_stripes,
    noisy,
)

CLASSIFIERS = {
    "gmlvq": lambda: fitted_gmlvq(),
    "gmlvq, certified": lambda: fitted_gmlvq(target=Accuracy(0.7, confidence=0.9), random_state=3),
    "lgmlvq, out of fold": lambda: _fit(LGMLVQ(random_state=0), cv=3),
    "50 cells": fitted_stripes,
    "global": lambda: _fit(GaussianNB(), cells="global"),
    "exact": lambda: fitted_gmlvq(method="exact"),
    "exact, small cells": lambda: _fit(GaussianNB(), method="exact", min_cell_size=130),
    "hull": lambda: _fit(GaussianNB(), method="hull"),
    "greedy": lambda: _fit(GaussianNB(), method="greedy"),
    "leaves": lambda: _fit(DecisionTreeClassifier(max_depth=3, random_state=0)),
    "forest": lambda: _fit(RandomForestClassifier(20, random_state=0), cv=3),
    "svm": lambda: _fit(SVC()),
    "ridge": lambda: _fit(RidgeClassifier()),
}


def _fit(estimator, **settings):
    clf = RejectOptionClassifier(make_pipeline(StandardScaler(), estimator), **settings)
    return clf.fit(*noisy(400))


@pytest.fixture(params=CLASSIFIERS, scope="module")
def clf(request):
    return CLASSIFIERS[request.param]()


@pytest.fixture(scope="module")
def samples():
    return noisy(300, seed=1)


def places(content, size=9):
    return np.unique(np.linspace(0, len(content["rows"]["row"]) - 1, size).astype(int)).tolist()


def as_floats(values):
    return np.array([float(value) for value in values])


def test_thresholds_and_counts_are_those_of_the_row(clf, samples):
    X, y = samples
    content = find_content(clf, X, y, None, None)
    rows, wrong = content["rows"], clf.estimator_.predict(X) != y
    for place in places(content):
        there = at_row(clf, rows["row"][place])
        point, rejected = there.operating_point_, there.reject(X)
        assert np.array_equal(as_floats(rows["thresholds"][place]), there.thresholds_)
        by_cell = np.bincount(clf.apply(X)[rejected], minlength=len(there.thresholds_))
        assert rows["rejected"][place] == by_cell.tolist()
        assert rows["on_samples"]["accepted"][place] == np.count_nonzero(~rejected)
        assert rows["on_samples"]["errors"][place] == np.count_nonzero(wrong & ~rejected)
        n_rejected = point.true_rejects + point.false_rejects
        assert rows["on_calibration"]["accepted"][place] == point.n_samples - n_rejected
        assert rows["on_calibration"]["errors"][place] == point.errors_left


# Of the exact front, the most accurate one; of nested rows, the highest one.
def test_the_global_threshold_is_the_one_for_the_same_rejects(clf, samples):
    X, y = samples
    content = find_content(clf, X, y, None, None)
    rows, shared = content["rows"], content["rows"]["one_for_all"]
    method = "pooled" if clf.front_.is_nested else "exact"
    known = clf.calibration_
    inlier = ~known.outlier
    front = pareto_front(known.certainty[inlier], known.correct[inlier], method=method)
    wrong, certainty = clf.estimator_.predict(X) != y, clf.certainties(X)
    outlier = clf.decide(X).outlier
    assert shared["is_of_calibration"]
    for place in places(content):
        rate = clf.front_.reject_rates[rows["row"][place]]
        point = operating_point(front, RejectRate(float(rate)))
        (threshold,) = point.thresholds.tolist()
        assert float(shared["threshold"][place]) == threshold
        assert shared["on_calibration"]["errors"][place] == point.errors_left
        answered = (certainty >= threshold) & ~outlier
        assert shared["on_samples"]["accepted"][place] == np.count_nonzero(answered)
        assert shared["on_samples"]["errors"][place] == np.count_nonzero(answered & wrong)


def test_probabilities_are_the_librarys(clf, samples):
    X, y = samples
    content = find_content(clf, X, y, None, None)
    probability = clf.predict_correct_proba(X)
    assert content["details"]["place"] == list(range(len(y)))
    # An outlier has none: null in the page, and NaN in the library.
    said = content["details"]["correct_proba"]
    assert [value is None for value in said] == clf.decide(X).outlier.tolist()
    shown = np.array([np.nan if value is None else value for value in said])
    assert shown == pytest.approx(probability, abs=1e-6, nan_ok=True)
    assert (content["rows"]["least_proba"] is None) == (clf.method != "pooled")


# What a point answers is at least as probable as what the page says; what it rejects is less so.
def test_a_point_of_a_nested_front_is_a_limit_on_the_probability(samples):
    clf = fitted_gmlvq()
    content = find_content(clf, *samples, None, None)
    least = content["rows"]["least_proba"]
    assert least.pop() is None  # which answers nothing
    assert least == sorted(least)
    probability = clf.predict_correct_proba(samples[0])
    outlier = clf.decide(samples[0]).outlier
    assert 0 < outlier.sum() < 10
    for place in places(content)[:-1]:
        rejected = at_row(clf, content["rows"]["row"][place]).reject(samples[0])
        assert rejected[outlier].all()
        rejected_for_doubt = probability[rejected & ~outlier]
        assert rejected_for_doubt.max(initial=0) <= least[place] + 1e-6
        assert probability[~rejected].min() >= least[place] - 1e-6


def test_the_confusion_matrix_can_be_counted_from_the_pairs(clf, samples):
    X, y = samples
    content = find_content(clf, X, y, None, None)
    size = len(content["classes"])
    ends = np.cumsum(content["cells"]["sizes"])
    for place in places(content, 4):
        counts = np.zeros((size, size + 1), dtype=int)
        for end, cell_size, rejected in zip(
            ends, content["cells"]["sizes"], content["rows"]["rejected"][place], strict=True
        ):
            members = content["pairs"][end - cell_size : end]
            for rank, pair in enumerate(members):
                counts[pair // size, size if rank < rejected else pair % size] += 1
        there = at_row(clf, content["rows"]["row"][place])
        assert np.array_equal(counts, confusion(there, X, y, clf.classes_.tolist()))


def test_cells_are_counted(clf, samples):
    X, y = samples
    cells = find_content(clf, X, y, None, None)["cells"]
    position, wrong = clf.apply(X), clf.estimator_.predict(X) != y
    for cell, name in enumerate(clf.cells_.tolist()):
        assert cells["labels"][cell] == (None if name is None else str(name))
        assert cells["sizes"][cell] == np.count_nonzero(position == cell)
        assert cells["errors"][cell] == np.count_nonzero(wrong[position == cell])
    names = [name.replace("all rows", "all samples") for name in cell_names(clf)]
    assert cells["names"] == names  # those of the command line
    assert sum(cells["calibrated"]) == clf.front_.n_samples
    content = find_content(clf, X, y, None, None)
    known = clf.calibration_
    assert content["calibration"]["n"] == clf.operating_point_.n_samples == len(known.correct)
    assert content["calibration"]["errors"] == np.count_nonzero(~known.correct)
    assert content["samples"]["outliers"] == clf.decide(X).outlier.sum()
    assert cells["several"] == (clf.front_.n_cells > 1)
    hidden = np.array(cells["sizes"])[~np.array(cells["is_shown"])]
    assert not hidden.any()


@pytest.mark.parametrize("confidence", [0.8, 0.9, 0.95, 0.99])
def test_bounds_are_those_of_clopper_and_pearson(clf, samples, confidence):
    rows = find_content(clf, *samples, None, None)["rows"]
    on = rows["on_samples"]
    for place in places({"rows": rows}, 5):
        accepted, errors = on["accepted"][place], on["errors"][place]
        if accepted:
            test = binomtest(accepted - errors, accepted, alternative="greater")
            expected = test.proportion_ci(confidence, method="exact").low
            assert rows["bounds"][str(confidence)][place] == pytest.approx(expected, abs=1e-9)


def test_rejected_samples_are_explained_as_the_classifier_does(clf, samples):
    X, y = samples
    content = find_content(clf, X, y, None, None)
    known, rows = content["details"], content["rows"]
    assert known["place"] == list(range(len(y)))
    for place in places(content, 3):
        there = at_row(clf, rows["row"][place])
        limits = as_floats(rows["thresholds"][place])
        table = there.explain(X)
        certainty = as_floats(known["certainty"])
        outlier = np.array(known["outlier"], dtype=bool)
        assert np.array_equal(outlier, there.decide(X).outlier)
        rejected = (certainty < limits[known["cell"]]) | outlier
        assert np.array_equal(rejected, table["rejected"].to_numpy())
        for index in np.flatnonzero(rejected).tolist():
            explained = table.row(index, named=True)
            assert ["ambiguous", "outlier"][known["outlier"][index]] == explained["kind"]
            if outlier[index]:
                assert known["unusual"][index] == explained["unusual"]
                continue
            rival = None if known["rival"][index] < 0 else clf.classes_[known["rival"][index]]
            assert rival == explained["rival"]
            assert clf.classes_[known["answer"][index]] == explained["label"]
            if known["features"]:
                names = [content["features"][feature] for feature in known["features"][index]]
                assert names == explained["features"]
                assert known["shares"][index] == pytest.approx(explained["contributions"], abs=1e-4)


def test_the_content_is_strict_json(clf, samples):
    content = find_content(clf, *samples, None, None)
    assert json.loads(json.dumps(content, allow_nan=False)) == content


@pytest.mark.parametrize(
    "target", [RejectRate(0.0), RejectRate(0.13), RejectRate(1.0), Accuracy(0.95), RejectCost(0.3)]
)
@pytest.mark.parametrize("seed", range(4))
def test_every_target_chooses_a_row_that_is_shown(target, seed):
    front = pareto_front(*synthetic(400, 5, decimals=1 if seed % 2 else None, seed=seed))
    begin = operating_point(front, RejectRate(0))
    shown = choose_rows(front, begin)
    rejects = front.true_rejects + front.false_rejects
    assert rejects[operating_point(front, target).row] in rejects[shown.rows]
    chosen = operating_point(front, target)
    (same,) = shown.rows[rejects[shown.rows] == rejects[chosen.row]]
    assert front.true_rejects[same] == front.true_rejects[chosen.row]
    assert np.all(np.diff(rejects[shown.rows]) > 0)
    assert np.all(np.diff(front.true_rejects[shown.rows]) > 0)


def test_a_large_front_is_thinned_and_keeps_the_row_that_the_classifier_runs_at():
    front = pareto_front(*synthetic(40_000, 20), method="hull")
    point = operating_point(front, RejectRate(0.123))
    everything = choose_rows(front, point, max_rows=10**9)
    shown = choose_rows(front, point, max_rows=200)
    rejects = front.true_rejects + front.false_rejects
    assert len(everything.rows) == everything.n_useful == shown.n_useful > 1000
    assert 150 < len(shown.rows) <= 201
    assert set(shown.rows) <= set(everything.rows)
    assert shown.rows[shown.start] == point.row
    assert shown.rows[0] == everything.rows[0]
    assert shown.rows[-1] == everything.rows[-1]
    # No place is farther from the next than the even steps, but for gaps of the front itself.
    gaps, steps = np.diff(rejects[everything.rows]), rejects.max() / 99
    assert np.diff(rejects[shown.rows]).max() <= steps + gaps.max()


def given(clf):
    values = np.full(len(clf.thresholds_), np.quantile(clf.calibration_.certainty, 0.2))
    return clf.set_thresholds(values)


COSTS = [[0, 1, 3], [1, 0, 1], [7, 1, 0]]


@pytest.mark.parametrize(
    "change",
    [
        given,
        lambda clf: clf.retarget(Recall("b", 0.9)),
        lambda clf: clf.retarget(ExpectedCost(COSTS, 0.2, answers="predicted")),
        lambda clf: clf.retarget(Accuracy(0.8, groups=np.arange(400) % 2)),
    ],
)
def test_thresholds_of_no_row_are_a_point_of_their_own_where_the_slider_starts(samples, change):
    clf = change(fitted_gmlvq())
    assert clf.operating_point_.row is None
    rows = find_content(clf, *samples, None, None)["rows"]
    start, point = rows["start"], clf.operating_point_
    assert rows["row"][start] is None
    assert rows["row"].count(None) == 1
    own = [float(value) for value in rows["thresholds"][start]]
    assert own == clf.thresholds_.tolist()
    rejected = clf.reject(samples[0])
    assert rows["on_samples"]["accepted"][start] == (~rejected).sum()
    assert (
        rows["on_samples"]["errors"][start]
        == ((clf.predict(samples[0]) != samples[1]) & ~rejected).sum()
    )
    accepted = rows["on_calibration"]["accepted"]
    assert point.n_samples - accepted[start] == point.true_rejects + point.false_rejects
    assert accepted == sorted(accepted, reverse=True)
    lists = [rows["least_proba"], rows["rejected"], rows["one_for_all"]["threshold"], accepted]
    assert {len(each) for each in lists} == {len(rows["row"])}


def test_without_calibration_data_the_global_threshold_is_that_of_the_samples(samples):
    clf = fitted_gmlvq()
    del clf.calibration_
    content = find_content(clf, *samples, None, None)
    assert not content["rows"]["one_for_all"]["is_of_calibration"]
    assert content["cells"]["calibrated"] is None
    assert content["rows"]["one_for_all"]["on_calibration"]["accepted"][0] == len(samples[1])


def test_samples_that_set_the_thresholds_are_known_again():
    clf = fitted_gmlvq(cv="training")
    assert find_content(clf, *noisy(400), None, None)["is_calibration"]
    assert not find_content(clf, *noisy(400, seed=1), None, None)["is_calibration"]


def _many(n_samples):
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 2, (2, n_samples))
    outlier = rng.random(n_samples) < 0.02
    certainty, position = rng.random(n_samples), rng.integers(0, 4, n_samples)
    rejected = outlier | (certainty < 0.3)
    return Samples(certainty, position, *classes, outlier, rejected, ["a", "b"])


# Outliers first: no threshold answers them.
def test_of_too_many_samples_wrong_answers_and_the_least_certain_of_each_cell_are_explained():
    samples = _many(1000)
    wrong = np.flatnonzero(samples.wrong & ~samples.rejected)
    assert len(wrong) > 250
    everything = choose_explained(samples, 2 * len(wrong))
    assert np.isin(wrong, everything).all()
    explained = choose_explained(samples, 200)
    assert len(explained) == 200
    first = wrong[np.argsort(-samples.certainty[wrong])][:100]
    assert np.isin(first, explained).all()
    least = ~np.isin(np.arange(1000), first)
    for cell in range(4):
        members = np.flatnonzero((samples.position == cell) & least)
        inside = np.isin(members, explained)
        order = np.where(samples.outlier, -1.0, samples.certainty)[members]
        assert order[inside].max() < order[~inside].min()
        assert inside[samples.outlier[members]].all()
        assert inside.mean() == pytest.approx(0.11, abs=0.03)


def test_of_too_many_samples_some_of_each_outcome_are_drawn():
    samples = _many(1000)
    outcomes = [
        samples.outlier,
        *(
            ~samples.outlier & (samples.rejected == rejected) & (samples.wrong == wrong)
            for rejected in (False, True)
            for wrong in (False, True)
        ),
    ]
    dots = choose_drawn(samples, 120)
    assert len(np.unique(dots)) == 120
    drawn = [np.count_nonzero(outcome[dots]) for outcome in outcomes]
    assert drawn[0] == min(outcomes[0].sum(), 24)  # fewer outliers than room for them
    assert max(drawn[1:]) - min(drawn[1:]) <= 1
    few = samples._replace(answer=samples.truth.copy(), rejected=samples.outlier)
    few.answer[:3] = 1 - few.truth[:3]
    assert np.count_nonzero(few.wrong[choose_drawn(few, 100)]) == 3
    assert choose_drawn(samples, 1000).tolist() == list(range(1000))


@pytest.mark.parametrize("method", ["pooled", "exact", "hull"])
def test_numbers_on_calibration_follow_the_class_proportions(method, samples):
    clf = _fit(GaussianNB(), method=method, class_prior={"a": 0.8})
    content = find_content(clf, *samples, None, None)
    assert content["proportions"] == pytest.approx(
        dict(zip("abc", clf._proportions.shares, strict=True))
    )
    total = content["calibration"]["n"]
    assert total == pytest.approx(400, rel=0.01 if method == "exact" else 1e-6)
    rows = content["rows"]
    for place in range(0, len(rows["row"]), 40):
        point = at_row(clf, rows["row"][place]).operating_point_
        accepted, errors = (rows["on_calibration"][name][place] for name in ("accepted", "errors"))
        assert accepted == pytest.approx(total * point.coverage, abs=1e-3)
        assert errors == pytest.approx(np.nan_to_num(1 - point.accuracy) * accepted, abs=1e-3)
    # Thresholds that are of no row begin at the last row that rejects no more.
    clf.set_thresholds(clf.thresholds_ - 1e-9)
    begin = choose_rows(clf.front_, clf.operating_point_)
    counts = clf.operating_point_.weighted
    rejects = (clf.front_.true_rejects + clf.front_.false_rejects)[begin.rows[begin.start]]
    most = counts.true_rejects + counts.false_rejects
    assert rejects * clf.front_.unit == pytest.approx(most, abs=5)


def test_classes_of_the_proportions_are_text(tmp_path):
    clf = fitted_gmlvq(classes=HOSTILE_CLASSES, class_prior={HOSTILE_CLASSES[0]: 0.5})
    write_report(clf, *noisy(100, HOSTILE_CLASSES), tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "The thresholds were set for data with other class proportions" in page
    assert f"50% {HOSTILE_CLASSES[0]}" not in page


def test_the_evidence_of_many_samples_is_thinned_and_keeps_the_alarm():
    clf = fitted_gmlvq(target=Accuracy(0.7, confidence=0.9), random_state=3)
    X, y = noisy(4000, seed=1)
    y[2000:] = "b"
    shown = find_promises(clf, X, y, 0.0)["monitor"]
    monitor = RiskMonitor.from_classifier(clf).update_from_classifier(clf, X, y)
    assert shown["alarm_at"] == monitor.alarm_at in shown["answers"]
    assert len(shown["answers"]) == len(shown["evidence"]) <= MAX_POINTS + 2
    assert (shown["answers"][0], shown["answers"][-1]) == (0, monitor.n_answers)
    assert shown["answers"] == sorted(shown["answers"])
    at_alarm = shown["evidence"][shown["answers"].index(monitor.alarm_at)]
    assert shown["evidence"][0] == 1 < shown["alarm"] <= at_alarm
    assert max(shown["evidence"]) == HIGHEST * shown["alarm"]
    assert shown["message"] == str(monitor)
    assert shown["is_certified"]


# What is asked for is not promised.
def test_a_page_without_a_certificate_promises_nothing():
    clf = fitted_gmlvq(target=Accuracy(0.8))
    X, y = noisy(300, seed=1)
    assert not find_promises(clf, X, y, 0.0)["monitor"]["is_certified"]
    text = " ".join(render_report(clf, X, y).split())
    assert "nothing is promised for new samples" in text
    assert "An accuracy of 80% was asked for when the thresholds were set; it is not cert" in text
    page = text[text.index("<main") : text.index('id="glossary"')]
    assert re.sub('id="promise"', "", page).count("promise") == 1


def test_samples_of_the_fit_and_of_the_calibration_promise_nothing():
    clf = fitted_gmlvq(target=Accuracy(0.7, confidence=0.9), random_state=3)
    X, y = noisy(400, seed=1)
    known = find_promises(clf, X, y, share_known=0.3)
    assert known["monitor"] is None
    (test,) = known["certificates"]
    assert test["verdict"] == "not tested"
    assert test["why_not"] == "the classifier was fitted to 30% of these samples"
    clf.recalibrate(X, y)
    again = find_promises(clf, X, y, share_known=0.0)
    assert again["monitor"] is None
    assert "set or tested on these samples" in again["certificates"][0]["why_not"]
