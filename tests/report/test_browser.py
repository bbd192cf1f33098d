"""What a person sees and does, in a real browser."""

import csv
import json
import subprocess
import sys
from copy import copy
from io import StringIO

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from abstain import (
    GLVQ,
    LGMLVQ,
    Accuracy,
    AllOf,
    ExpectedCost,
    Recall,
    RejectOptionClassifier,
    RejectRate,
    RiskMonitor,
    pareto_front,
    read_thresholds,
)
from abstain import operating_point as choose
from abstain.metrics import class_report, group_report
from abstain.report.content import find_content
from abstain.saving import save
from abstain.tables import FitOptions, fit_table, labelled_samples, open_table
from tests.report.browsing import WHY_NOT, contrast, downloaded, luminance
from tests.report.problems import (
    HOSTILE_CLASSES,
    HOSTILE_FEATURES,
    IMAGE,
    at_row,
    confusion,
    fitted_gmlvq,
    noisy,
)
from tests.tables.conftest import make_patients

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT)),
]


def without_outliers(clf, samples):
    """The share of samples that are answered where no threshold rejects any."""
    return np.mean(~clf.decide(samples[0]).outlier)


def some_places(content, size=5):
    return np.unique(np.linspace(0, len(content["rows"]["row"]) - 1, size).astype(int)).tolist()


# --- the slider ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gmlvq", "exact", "stripes"])
def test_every_number_is_the_library_s(name, opened, samples, request):
    clf = request.getfixturevalue(name)
    X, y = samples
    content = find_content(clf, X, y, None, None)
    wrong, certainty = clf.estimator_.predict(X) != y, clf.certainties(X)
    method = "pooled" if clf.front_.is_nested else "exact"
    known, outlier = clf.calibration_, clf.decide(X).outlier
    inlier = ~known.outlier
    assert not inlier.all()
    shared = pareto_front(known.certainty[inlier], known.correct[inlier], method=method)
    page = opened(clf, samples)
    for place in some_places(content):
        page.move_to(place)
        there = at_row(clf, content["rows"]["row"][place])
        point, rejected = there.operating_point_, there.reject(X)
        accepted, errors = np.count_nonzero(~rejected), np.count_nonzero(wrong & ~rejected)
        accuracy = (accepted - errors) / accepted if accepted else np.nan
        assert page.value("#right-share") == pytest.approx(accuracy, abs=0, nan_ok=True)
        assert page.value("#answered-share") == accepted / len(y)
        assert page.value("#wrong") == errors
        # local and global, on the samples given and on the calibration data
        lines = page.values("#numbers")
        n_wrong = np.count_nonzero(wrong)
        assert lines[0][1:] == _line(len(y), n_wrong, accepted, errors)
        # Outliers are rejected whatever the threshold.
        row = content["rows"]["row"][place]
        budget = choose(shared, RejectRate(float(clf.front_.reject_rates[row])))
        answered = (certainty >= budget.thresholds[0]) & ~outlier
        assert lines[1][1:] == _line(
            len(y), n_wrong, np.count_nonzero(answered), np.count_nonzero(answered & wrong)
        )
        assert lines[2][1:] == _line_of(point)
        n_accepted = budget.n_samples - budget.true_rejects - budget.false_rejects
        n_known_wrong = np.count_nonzero(~known.correct)
        assert lines[3][1:] == _line(
            len(known.correct), n_known_wrong, n_accepted, budget.errors_left
        )
        assert page.value("#one-threshold") == budget.thresholds[0]
        # confusion matrix, thresholds and cells
        matrix = np.array(page.values("#confusion"))
        assert np.array_equal(matrix, confusion(there, X, y, clf.classes_.tolist()))
        report = class_report(y, clf.estimator_.predict(X), rejected)
        expected = [
            *(report.recall, report.precision, report.answered / report.samples),
            *(report.answered, report.right, report.wrong, report.rejected),
            *(report.recall_rejects_missed, report.recall_with_rejects),
        ]
        by_class = np.array(page.values("#by-class"))
        assert by_class == pytest.approx(np.transpose(expected), abs=1e-9, nan_ok=True)
        shown = np.array(page.values("#cells"))
        assert np.array_equal(shown[:, 0], there.thresholds_[: len(shown)])
        position = clf.apply(X)
        for cell, (_, n_rejected, _, left) in enumerate(shown.tolist()):
            assert n_rejected == np.count_nonzero(rejected & (position == cell))
            assert left == np.count_nonzero(wrong & ~rejected & (position == cell))
        assert page.text("#rejected-found").startswith(f"{np.count_nonzero(rejected):,} rejected")


def test_limits_of_shares_are_exact(opened, gmlvq, samples):
    page = opened(gmlvq, samples)
    for whole in (1, 2, 7, 100, 5000, 200_000):
        for part in {0, 1, whole // 50, whole // 2, whole - 1, whole}:
            interval = binomtest(part, whole).proportion_ci(0.95, method="exact")
            actual = page.run("return limits(arguments[0], arguments[1])", part, whole)
            assert actual == pytest.approx([interval.low, interval.high], abs=1e-9)


def test_classes_that_are_never_answered_rightly_are_named(opened, gmlvq, samples):
    X, y = samples
    page = opened(gmlvq, samples)
    assert not page.element("#class-alarms").is_displayed()
    without = opened(gmlvq, (X, np.where(y == "a", "b", y)))
    assert "Never answered" not in without.text("#class-alarms")  # no sample is of class a
    never = opened(gmlvq, (X, np.where((y == "a") & (gmlvq.predict(X) == "a"), "d", y)))
    assert "Never answered rightly: a, d." in never.text("#class-alarms")
    always = opened(gmlvq, (X, np.full(len(y), "b")))
    assert "no better than always naming b" in always.text("#class-alarms")


def test_certificates_of_classes_and_groups_are_shown(opened, samples):
    target = AllOf(Accuracy(0.5, confidence=0.8), Recall("a", 0.5, confidence=0.8))
    clf = fitted_gmlvq(target=target, random_state=0)
    page = opened(clf, samples)
    lines = [" ".join(line.split()) for line in page.texts("#guarantees li")]
    for line, sure in zip(lines, clf.operating_point_.guarantees, strict=True):
        assert line.startswith(f"T{sure.name[1:]}: at least 50%:")
        assert f"{sure.accepted} were answered, {sure.errors} of them wrong" in line
        assert "Not contradicted by these" in line
    assert page.texts("#guarantees s") == []
    assert page.run("return document.querySelector('#contradicted')") is None
    assert "with confidence 80% for all together" in " ".join(page.text("main").split())


def test_long_names_of_classes_take_several_lines(opened, samples):
    X, y = noisy(400)
    names = {label: f"{'a lesion of the upper junction, ' * 4}grade {label}" for label in "abc"}
    rename = np.vectorize(names.get)
    clf = RejectOptionClassifier(GaussianNB()).fit(X, rename(y))
    page = opened(clf, (samples[0], rename(samples[1])))
    assert page.element("#by-class tbody th").size["width"] < 320
    assert page.texts("#by-class tbody th") == list(names.values())


@pytest.mark.parametrize("is_compared", [True, False])
def test_what_groups_get_is_the_library_s(opened, samples, is_compared):
    X, y = samples
    sites = np.where(np.arange(400) % 3 == 0, "<b>south</b>", "north")
    target = Accuracy(0.8, groups=sites) if is_compared else Accuracy(0.8)
    clf = fitted_gmlvq(target=target)
    groups = pl.Series("site & co", sites[: len(y)])
    page = opened(clf, samples, groups=groups)
    expected = []
    for each in [clf, copy(clf).retarget(Accuracy(0.8))][: 1 + is_compared]:
        report = group_report(y, clf.estimator_.predict(X), each.reject(X), groups)
        expected += [report.answered, report.right, report.wrong]
        expected += [report.accuracy, report.accuracy_bound]
    expected = np.transpose([report.samples, *expected])
    page.move_to(0)  # the table does not depend on the slider
    assert np.array(page.values("#by-group")) == pytest.approx(expected)
    assert page.texts("#by-group tbody th") == ["<b>south</b>", "north"]
    assert "of site & co, at the classifier’s own thresholds" in page.text("#by-group caption")
    assert ("without it" in page.text("#by-group thead")) == is_compared


# The answers of least cost are not those that the model predicts.
def test_answers_are_those_of_the_classifier(opened, samples):
    X = samples[0]
    costs = 1 - np.eye(3)
    costs[:, 1] *= 20
    clf = RejectOptionClassifier(GaussianNB(), target=ExpectedCost(costs, reject=0.5))
    clf.fit(*noisy(400))
    assert (clf.predict(X) != clf.estimator_.predict(X)).any()
    page = opened(clf, samples)
    page.move_to(0)
    page_matrix = np.array(page.values("#confusion"))
    decisions = clf.decide(X)
    answers = clf.classes_[decisions.class_indices[~decisions.outlier]]
    assert page_matrix[:, :-1].sum(axis=0).tolist() == [
        np.count_nonzero(answers == label) for label in clf.classes_
    ]
    assert page_matrix[:, -1].sum() == np.count_nonzero(decisions.outlier)


def _line(n_samples, n_errors, accepted, errors):
    rejected, caught = n_samples - accepted, n_errors - errors
    return [accepted, accepted - errors, errors, rejected, caught, rejected - caught]


def _line_of(point):
    accepted = point.n_samples - point.true_rejects - point.false_rejects
    return _line(point.n_samples, point.n_errors, accepted, point.errors_left)


def test_the_slider_begins_where_the_classifier_runs(opened, gmlvq, samples):
    clf = copy(gmlvq).retarget(RejectRate(0.2))
    page = opened(clf, samples)
    begin = page.value("#right-share"), page.value("#answered-share")
    assert begin[1] == np.mean(~clf.reject(samples[0]))
    page.move_to(0)
    assert page.value("#answered-share") == without_outliers(gmlvq, samples) < 1
    page.click("#reset")
    assert (page.value("#right-share"), page.value("#answered-share")) == begin


def test_the_confidence_moves_the_bound(opened, gmlvq, samples):
    content = find_content(gmlvq, *samples, None, None)
    page = opened(gmlvq, samples)
    start = content["rows"]["start"]
    for level in ("0.8", "0.99", "0.95"):
        script = (
            "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change'))"
        )
        page.run(script, page.element("#confidence"), level)
        assert page.value("#sentence") == content["rows"]["bounds"][level][start]
        assert f"{float(level):.0%}" in page.text("#sentence")
    assert "voids the bound" in page.text("main")
    assert "nothing is certified" in page.text("main")


def test_a_certificate_is_shown(opened, samples):
    clf = fitted_gmlvq(target=Accuracy(0.7, confidence=0.9), random_state=3)
    text = " ".join(opened(clf, samples).text("main").split())
    held = clf.operating_point_.guarantee
    assert "certified on held-out samples, with confidence 90%" in text
    assert f"The accuracy: at least 70%: of {held.n_samples} held-out samples" in text


def test_a_contradicted_certificate_is_struck_out(opened, samples):
    X, y = samples
    clf = fitted_gmlvq(target=Accuracy(0.7, confidence=0.9), random_state=3)
    wrong = np.where(np.arange(len(y)) % 2, clf.predict(X), "b")
    page = opened(clf, (X, wrong))
    (test,) = find_content(clf, X, wrong, None, None)["certificates"]
    assert test["verdict"] == "contradicted"
    (struck,) = page.texts("#guarantees s")
    assert struck.startswith("The accuracy: at least 70%:")
    counts = f"of {test['accepted']} answers that count, {test['errors']} are wrong"
    assert counts in " ".join(page.text("#guarantees").split())
    assert "abstain recalibrate" in page.text("#contradicted")


def test_the_evidence_is_drawn_up_to_the_alarm(opened, samples):
    X, y = samples
    clf = fitted_gmlvq(target=Accuracy(0.7, confidence=0.9), random_state=3)
    for truth, is_alarm in ((y, False), (np.full(len(y), "b"), True)):
        page = opened(clf, (X, truth))
        monitor = RiskMonitor.from_classifier(clf).update_from_classifier(clf, X, truth)
        assert monitor.is_alarm == is_alarm
        said = " ".join(page.text("#monitor-line").split())
        assert said.lower() == f"{monitor}.".lower()
        shown = page.run("return document.querySelector('#monitor').data.map(each => each.x)")
        limit, line, reached = shown
        assert limit == [0, monitor.n_answers]
        assert (line[0], line[-1]) == (0, monitor.n_answers)
        assert reached == [monitor.alarm_at] * is_alarm


def test_without_a_promise_there_is_no_monitor(opened, gmlvq, samples):
    page = opened(gmlvq, samples)
    assert page.run("return document.querySelector('#monitor')") is None
    assert "nothing is certified" in page.text("main")


def test_a_click_on_the_curve_chooses_its_point(opened, gmlvq, samples):
    from selenium.webdriver import ActionChains

    content = find_content(gmlvq, *samples, None, None)
    page = opened(gmlvq, samples)
    page.move_to(0)
    place = len(content["rows"]["row"]) // 2
    page.run("document.getElementById('curve').scrollIntoView({block: 'center'})")
    points = page.run(
        """
        const plot = document.getElementById("curve");
        const { xaxis, yaxis } = plot._fullLayout;
        const box = plot.getBoundingClientRect();
        return plot.data.filter(trace => trace.customdata).map(({ x, y, customdata }) => (
            x.map((each, at) => [
                customdata[at],
                box.left + xaxis._offset + xaxis.d2p(each),
                box.top + yaxis._offset + yaxis.d2p(y[at]),
            ])
        ))"""
    )
    on_curve = next(point for point in points[0] if point[0] == place)
    where = np.array(on_curve[1:]).astype(int)
    actions = ActionChains(page.driver, duration=50)
    actions.w3c_actions.pointer_action.move_to_location(*where.tolist())
    actions.click().perform()
    page.wait("slider.place !== 0")
    # A point of a curve that is closest to where the pointer is, on a grid of pixels.
    chosen = page.run("return slider.place")
    drawn = np.array([point for trace in points for point in trace if None not in point])
    distances = np.linalg.norm(drawn[:, 1:] - where, axis=1)
    assert distances[drawn[:, 0] == chosen].min() <= distances.min() + 1
    rows = content["rows"]["on_samples"]
    assert page.value("#wrong") == rows["errors"][chosen]


CURVE = """
    return document.getElementById("curve").data.map(
        ({ name, mode, x, y, marker }) => ({ name, mode, x, y, symbol: marker.symbol }))"""
RANGE = "return document.getElementById('curve').layout.yaxis.range"


# On new samples, a place of the exact front further on may reject fewer of them.
def test_no_curve_doubles_back_and_each_has_all_places(opened, exact):
    samples = noisy(80, seed=1)
    content = find_content(exact, *samples, None, None)
    accepted = np.array(content["rows"]["on_samples"]["accepted"])
    assert (np.diff(accepted) > 0).any()
    page = opened(exact, samples)
    *curves, _ = page.run(
        "return document.getElementById('curve').data.map(({ x, y, customdata }) => "
        "({ x, y, places: customdata }))"
    )
    for curve in curves:
        assert (np.diff(curve["x"]) >= 0).all()
        assert sorted(curve["places"]) == list(range(len(accepted)))
    rates = (1 - accepted / len(samples[1]))[curves[0]["places"]]
    assert curves[0]["x"] == pytest.approx(rates)


def mislabelled(n_samples, seed):
    """Draw two classes far apart, with a few wrong labels among the surest samples too."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_samples)
    X = rng.normal(size=(n_samples, 3)) + np.outer(4 * y, [1, 0, 0])
    return X, np.where(rng.random(n_samples) < 0.01, 1 - y, y)


# Accuracies of few answers would flatten the curve; they are left out, with a note.
def test_points_outside_the_figure_are_named_and_can_be_reached(opened):
    clf = RejectOptionClassifier(GaussianNB()).fit(*mislabelled(3000, seed=4))
    X, y = mislabelled(3000, seed=5)
    surest = clf.certainties(X).argsort()[-6:]
    y[surest] = 1 - clf.estimator_.predict(X[surest])
    content = find_content(clf, X, y, None, None)
    page = opened(clf, (X, y))
    answers = np.array(content["rows"]["on_samples"]["accepted"])
    bounds = np.array(content["rows"]["bounds"]["0.95"])
    low, high = page.run(RANGE)
    outside = (bounds < low) | (bounds > high)
    assert outside.any()
    assert (answers[outside] < 0.05 * len(y)).all()
    lowest = min(min(value for value in line["y"] if value is not None) for line in page.run(CURVE))
    assert lowest < low
    assert f"down to {100 * lowest:.2f}%" in page.text("#cut")
    # The numbers are exact; in the figure, a point outside is drawn at the edge.
    last = np.flatnonzero(answers)[-1]
    accuracies = 1 - np.array(content["rows"]["on_samples"]["errors"]) / np.maximum(answers, 1)
    assert accuracies[last] < low < accuracies[0] < high
    for place in (0, last):
        page.move_to(place)
        assert page.value("#right-share") == pytest.approx(accuracies[place], abs=1e-12)
        wanted = float(np.clip(accuracies[place], low, high))
        page.wait(
            f"Math.abs(document.getElementById('curve').data.at(-1).y[0] - {wanted!r}) < 1e-9"
        )
        chosen = page.run(CURVE)[-1]
        assert (chosen["symbol"] == "circle") == (low <= accuracies[place] <= high)
    page.click("#whole")
    assert page.run(RANGE)[0] <= lowest
    assert "shows all" in page.text("#cut")
    page.click("#whole")
    assert page.run(RANGE) == [low, high]


def test_nothing_is_left_out_of_a_figure_that_has_room(opened, gmlvq):
    page = opened(gmlvq, noisy(12, seed=1))  # few answers everywhere
    assert not page.element("#cut").is_displayed()


# --- what is taken away --------------------------------------------------------------------------


def test_thresholds_made_for_a_class_are_exported_at_the_start(opened, gmlvq, samples, folder):
    clf = copy(gmlvq).retarget(Recall("b", 0.9))
    page = opened(clf, samples)
    page.click("#export")
    (folder / "given.json").write_text(downloaded(folder, "thresholds.json"))
    back = copy(gmlvq).set_thresholds(read_thresholds(folder / "given.json"))
    assert np.array_equal(back.thresholds_, clf.thresholds_)


@pytest.mark.parametrize("where", ["first", "middle", "last"])
def test_exported_thresholds_come_back(where, opened, gmlvq, samples, folder):
    content = find_content(gmlvq, *samples, None, None)
    last = len(content["rows"]["row"]) - 1
    place = {"first": 0, "middle": last // 2, "last": last}[where]
    page = opened(gmlvq, samples)
    page.move_to(place)
    page.click("#export")
    text = downloaded(folder, "thresholds.json")
    there = at_row(gmlvq, content["rows"]["row"][place])
    (folder / "given.json").write_text(text)
    back = copy(gmlvq).set_thresholds(read_thresholds(folder / "given.json"))
    assert np.array_equal(back.thresholds_, there.thresholds_)
    assert back.operating_point_.row == there.operating_point_.row
    document = json.loads(text)
    assert document["reject_rate"] == there.operating_point_.reject_rate
    accuracy = there.operating_point_.accuracy
    assert document["accuracy"] == (None if np.isnan(accuracy) else accuracy)


# --- from a table --------------------------------------------------------------------------------


@pytest.fixture
def fitted_table(tmp_path):
    make_patients().write_csv(tmp_path / "patients.csv")
    make_patients(80, seed=1).write_csv(tmp_path / "new.csv")
    result = fit_table(open_table(tmp_path / "patients.csv"), FitOptions("Befund lang", cv=3))
    save(result.clf, tmp_path / "model.abstain")
    return result.clf


# What the page exports is what the command line takes: then so many rows are answered.
def test_predict_takes_what_the_page_exports(opened, fitted_table, folder, tmp_path):
    table = open_table(tmp_path / "new.csv")
    X, y, *_ = labelled_samples(fitted_table, table)
    page = opened(fitted_table, (X, y))
    page.move_to(len(find_content(fitted_table, X, y, None, None)["rows"]["row"]) // 2)
    page.click("#export")
    (tmp_path / "thresholds.json").write_text(downloaded(folder, "thresholds.json"))
    n_answered = round(page.value("#answered-share") * len(y))
    command = [sys.executable, "-m", "abstain", "predict", tmp_path / "model.abstain"]
    command += [tmp_path / "new.csv", "--thresholds", tmp_path / "thresholds.json", "--json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    answered = json.loads(done.stdout)
    assert answered["n_rows"] - answered["n_rejected"] == n_answered


def test_known_rows_support_no_bound(opened, fitted_table, tmp_path):
    known = labelled_samples(fitted_table, open_table(tmp_path / "patients.csv"))
    page = opened(fitted_table, (known.X, known.y))
    assert page.text("#known").startswith("All of these samples are among those that the model")
    assert np.isnan(page.value("#sentence"))
    assert page.text("#sentence") == (
        "The model was fitted to some of these samples: they support no statement on its accuracy."
    )
    assert "lower bound" not in " ".join(page.texts("#curve .legendtext"))
    new = labelled_samples(fitted_table, open_table(tmp_path / "new.csv"))
    page = opened(fitted_table, (new.X, new.y))
    assert page.texts("#known") == []
    assert 0 < page.value("#sentence") < 1
    assert "lower bound" in " ".join(page.texts("#curve .legendtext"))


# --- for everybody -------------------------------------------------------------------------------


def test_everything_can_be_done_with_the_keyboard(opened, gmlvq, samples):
    from selenium.webdriver import ActionChains, Keys

    def press(*keys):
        for key in keys:
            ActionChains(page.driver).send_keys(key).perform()

    def focused():
        return page.run("return document.activeElement.id || document.activeElement.textContent")

    content = find_content(gmlvq, *samples, None, None)
    rows, last = content["rows"], len(content["rows"]["row"]) - 1
    page = opened(gmlvq, samples)
    for _ in range(9):
        press(Keys.TAB)
        if focused() == "slider":
            break
    assert focused() == "slider"
    place = rows["start"]
    for key, step in [(Keys.ARROW_RIGHT, 1), (Keys.ARROW_RIGHT, 1), (Keys.ARROW_LEFT, -1)]:
        press(key)
        place += step
        assert page.value("#wrong") == rows["on_samples"]["errors"][place]
    press(Keys.HOME)
    assert page.value("#answered-share") == without_outliers(gmlvq, samples)
    press(Keys.END)
    assert page.value("#wrong") == rows["on_samples"]["errors"][last]
    assert "wrong" in page.run("return document.activeElement.ariaValueText")
    seen = []
    for _ in range(140):
        press(Keys.TAB)
        seen.append(focused())
        if seen[-1] == "export":
            break
        if seen[-1] == "sample" and seen[-2] == "rejected-csv":
            press(Keys.ENTER)
    assert {"confidence", "rejected-search", "rejected-csv", "rejected-next", "export"} <= set(seen)
    order = page.texts("#rejected-table tbody td:nth-child(1)")
    assert [int(name) for name in order] == sorted(map(int, order))
    outline = page.run("return getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_names_stay_text(opened, folder):
    clf = fitted_gmlvq(HOSTILE_CLASSES, cv=3)
    samples = noisy(200, HOSTILE_CLASSES, seed=1)
    names = [f"{IMAGE} {number}" for number in range(200)]
    page = opened(
        clf.retarget(RejectRate(0.3)),
        samples,
        title=IMAGE,
        feature_names=HOSTILE_FEATURES,
        sample_names=names,
    )
    for place in (3, 0, 5):
        page.move_to(place)
    page.click("#reset")
    page.element("#rejected-search").send_keys("<script>")
    assert page.run("return window.harmed") is None
    elsewhere = "img, main a:not([href^='#sample-']), main script"
    assert page.run("return document.querySelectorAll(arguments[0]).length", elsewhere) == 0
    assert page.text("h1") == page.driver.title == IMAGE
    assert page.texts("#confusion tbody th") == clf.classes_.tolist()
    assert page.texts("#rejected-table tbody td:nth-child(1)")[0] in names
    assert any(IMAGE in text for text in page.texts("#rejected-table tbody td:last-child"))
    ticks = page.texts("#relevances .ytick text")
    short = [f if len(f) <= 36 else f"{f[:18]}…{f[-17:]}" for f in HOSTILE_FEATURES]
    assert sorted(ticks) == sorted(short)
    page.click("#rejected-csv")
    saved = downloaded(folder, "rejected.csv")
    lines = list(csv.DictReader(StringIO(saved, newline="")))
    assert {line["true class"] for line in lines} <= set(HOSTILE_CLASSES)


@pytest.mark.parametrize("name", ["gmlvq", "stripes"])
def test_a_phone_shows_it_without_scrolling_sideways(name, opened, samples, request):
    page = opened(request.getfixturevalue(name), samples, width=390)
    assert page.run("return document.documentElement.scrollWidth") <= 390
    sizes = page.run(
        """
        return [...document.querySelectorAll(
            "button:not([data-term]), select, #rejected-search, #slider")]
            .filter(each => each.offsetParent)
            .map(each => [each.id, each.getBoundingClientRect().height])"""
    )
    assert [each for each in sizes if each[1] < 38] == []
    # What sticks to the top leaves most of the screen to what it changes.
    height = page.run("return document.querySelector('.bar').getBoundingClientRect().height")
    assert height < 844 / 3


# Who works off rejected cases on a phone reads these two first.
@pytest.mark.parametrize("kind", ["rejected", "wrong"])
def test_answer_and_reason_are_in_sight_on_a_phone(kind, opened, gmlvq, samples):
    page = opened(gmlvq, samples, width=390)
    heads = page.texts(f"#{kind}-table thead th")
    assert heads[1:3] == ["withheld answer" if kind == "rejected" else "answer", "reason"]
    right = page.run(
        """
        const table = document.getElementById(`${arguments[0]}-table`);
        return table.tHead.rows[0].cells[2].getBoundingClientRect().right""",
        kind,
    )
    assert right <= 390


# A plane whose axes have long names is drawn whole, too.
@pytest.mark.parametrize("axis", ["x", "y"])
def test_titles_of_axes_have_room_on_a_phone(axis, opened):
    X, y = noisy(300)
    clf = RejectOptionClassifier(GLVQ(random_state=0)).fit(X[y != "c"], y[y != "c"])
    page = opened(clf, (X[y != "c"], y[y != "c"]), width=390)
    inside = page.run(
        """
        const plot = document.getElementById("view");
        const outer = plot.getBoundingClientRect();
        const title = plot.querySelector(`.g-${arguments[0]}title text`);
        const { left, right, top, bottom } = title.getBoundingClientRect();
        return [left - outer.left, outer.right - right, top - outer.top, outer.bottom - bottom]""",
        axis,
    )
    assert min(inside) > -0.5  # of a pixel


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_dark(scheme, opened, gmlvq, samples):
    page = opened(gmlvq, samples, scheme=scheme)
    texts = page.run(
        """
        const below = (each) => {
            for (let at = each; at; at = at.parentElement) {
                const colour = getComputedStyle(at).backgroundColor;
                if (colour !== "rgba(0, 0, 0, 0)") return colour;
            }
        };
        const hasText = each => [...each.childNodes].some(n => n.nodeType === 3 && n.data.trim());
        return [...document.querySelectorAll("header *, main *")]
            .filter(each => each.offsetParent && hasText(each) && !each.disabled)
            .map(each => [each.textContent, getComputedStyle(each).color, below(each)]);"""
    )
    assert len(texts) > 100
    for text, colour, behind in texts:
        assert contrast(colour, behind) >= 4.5, text
    paper = page.run("return getComputedStyle(document.body).backgroundColor")
    assert (luminance(paper) < 0.1) == (scheme == "dark")


def test_figures_follow_the_colour_scheme(opened, gmlvq, samples):
    page = opened(gmlvq, samples)
    ink = "document.getElementById('curve')._fullLayout.font.color"
    before = page.run(f"return {ink}")
    features = [{"name": "prefers-color-scheme", "value": "dark"}]
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    page.wait(f"{ink} !== '{before}'")


# --- other classifiers ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "clf",
    [
        RejectOptionClassifier(LGMLVQ(random_state=0), cv=3),
        RejectOptionClassifier(GaussianNB(), cells="global"),
        RejectOptionClassifier(DecisionTreeClassifier(max_depth=4, random_state=0)),
    ],
    ids=["metrics of prototypes", "one threshold", "leaves"],
)
def test_other_classifiers(clf, opened, samples):
    page = opened(clf.fit(*noisy(400)), samples)
    for place in (2, 0):
        page.move_to(place)
    assert page.value("#answered-share") == without_outliers(clf, samples)
    is_global = clf.cells == "global"
    assert len(page.values("#numbers")) == (2 if is_global else 4)


def by_heart(X, y, **settings):
    tree = DecisionTreeClassifier(random_state=0)
    with pytest.warns(UserWarning, match="finds no error"):
        return RejectOptionClassifier(tree, cv="training", **settings).fit(X, y)


def test_samples_with_errors_that_the_calibration_had_not_are_reported(opened, samples):
    X, y = noisy(60)
    clf = by_heart(X, y, method="exact")
    page = opened(clf, samples)
    n_errors = np.count_nonzero(clf.estimator_.predict(samples[0]) != samples[1])
    assert f"{n_errors} are answered wrongly" in page.text("#one-point")


def test_a_classifier_without_errors_has_one_place(opened):
    X, y = noisy(60)
    clf = by_heart(X, y, method="exact")
    page = opened(clf, (X, y))
    assert page.value("#right-share") == 1
    assert not page.element("#forth").is_enabled()
    assert "is answered wrongly, so there is no error to reject" in page.text("#one-point")
    # The point and the bound beneath it are drawn, and seen: a line of one point would not be.
    drawn = page.run(CURVE)
    assert [trace["mode"] for trace in drawn] == ["markers"] * len(drawn)
    assert [trace["y"] for trace in drawn] == [[1], [page.value("#sentence")], [1]]
    assert "calibration samples" not in page.text("header")
    assert "these are the samples that its thresholds were set on" in " ".join(
        page.text("header").split()
    )
