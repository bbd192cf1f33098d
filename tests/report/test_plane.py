"""Samples are drawn so that few far away squeeze no others, and classes have names."""

from copy import copy

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB

from abstain import GMLVQ, RejectOptionClassifier, RejectRate
from abstain.report.content import find_content
from tests.report.browsing import WHY_NOT
from tests.report.problems import noisy
from tests.report.test_class_tables import letters

in_a_browser = [
    pytest.mark.browser,
    pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT)),
]
NAMES = ["age", "height", "weight", "pulse"]


def scatter(clf, X, y, names=NAMES):
    return find_content(clf, X, y, names, None)["scatter"]


def with_one_far_away(n_samples=300):
    X, y = noisy(n_samples, seed=1)
    X[7] = 1e4
    return X, y


@pytest.fixture(scope="module", params=["gmlvq", "forest", "one feature"])
def clf(request):
    X, y = noisy(400)
    if request.param == "one feature":
        return RejectOptionClassifier(GaussianNB()).fit(X[:, :1], y)
    model = GMLVQ(random_state=0)
    if request.param == "forest":
        model = RandomForestClassifier(20, random_state=0)
    return RejectOptionClassifier(model, cv=3).fit(X, y)


def test_a_sample_far_away_does_not_squeeze_the_others(clf):
    X, y = noisy(300, seed=1)
    far, _ = with_one_far_away()
    n_features = clf.estimator_.n_features_in_
    before, after = (scatter(clf, each[:, :n_features], y, None) for each in (X, far))
    width, with_far = (np.diff(each["ranges"], axis=1).ravel() for each in (before, after))
    assert np.all(with_far < 1.5 * width)
    assert after["n_beyond"] > 0
    beyond = np.abs([after["x"], after["y"]]).max(axis=0)
    assert beyond.argmax() == 7


# Of too many samples, outliers are drawn more often than others.
def test_outliers_squeeze_no_others_however_many_are_drawn():
    X, y = noisy(4000, seed=1)
    far = X.copy()
    far[::100] = 1e3 * np.sign(far[::100])
    for model in (GMLVQ(random_state=0), RandomForestClassifier(20, random_state=0)):
        clf = RejectOptionClassifier(model, cv=3).fit(*noisy(400))
        before, after = (scatter(clf, each, y) for each in (X, far))
        width, with_far = (np.diff(each["ranges"], axis=1).ravel() for each in (before, after))
        assert after["n_beyond"] >= 40
        assert np.all(with_far < 1.5 * width)


def test_without_samples_far_away_all_are_inside():
    X, y = noisy(300, seed=1)
    clf = RejectOptionClassifier(GaussianNB()).fit(np.clip(X, -1, 1), y)
    made = scatter(clf, np.clip(X, -1, 1)[:, :4], y)
    assert made["n_beyond"] == 0
    for values, (low, high) in zip((made["x"], made["y"]), made["ranges"], strict=True):
        assert (low, high) == pytest.approx((min(values), max(values)), abs=1e-5)


def test_prototypes_are_always_inside():
    X, y = noisy(400)
    clf = RejectOptionClassifier(GMLVQ(n_prototypes_per_class=2, random_state=0)).fit(X, y)
    made = scatter(clf, X[:5], y[:5])
    low, high = np.transpose(made["ranges"])
    assert np.all((made["prototypes"] >= low - 1e-5) & (made["prototypes"] <= high + 1e-5))


# The feature that a sample is moved along is the one that is named.
def test_axes_are_named_by_the_features_that_make_them():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4)) * [0.01, 0.01, 0.01, 5]
    X[:, 1] += 0.02 * rng.normal(size=400)
    y = (X[:, 3] > 0).astype(int)
    made = scatter(RejectOptionClassifier(GMLVQ(random_state=0)).fit(X, y), X, y)
    assert made["axes"][0].startswith(("pulse + …: ", "−pulse + …: "))
    X[:, 0] = X[:, 3] + 0.1 * rng.normal(size=400)
    forest = RandomForestClassifier(10, random_state=0)
    made = scatter(RejectOptionClassifier(forest, cv=3).fit(X, y), X, y)
    axis, share = made["axes"][0].split(": ")
    assert set(axis.split(" + ")[:2]) == {"age", "pulse"}
    assert share.startswith("principal component 1 (")


def test_classes_have_names_in_the_middle_of_their_samples():
    X, y = noisy(400)
    clf = RejectOptionClassifier(GaussianNB()).fit(X, y)
    made = scatter(clf, X, y)
    positions = np.column_stack([made["x"], made["y"]])
    assert [label for *_, label in made["centres"]] == [0, 1, 2]
    for x, height, label in made["centres"]:
        own = positions[y == clf.classes_[label]]
        assert [x, height] == pytest.approx(np.median(own, axis=0), abs=1e-5)


def test_many_classes_are_lines_along_the_probability_of_being_right():
    clf = RejectOptionClassifier(GaussianNB(), target=RejectRate(0.2)).fit(*letters(2000, 1))
    X, y = letters(300, 2)
    X[3] = 1e3
    made = scatter(clf, X, y, None)
    assert made["by_class"]
    assert made["axes"] == ["estimated probability that the answer is right", "true class"]
    truth = np.array([clf.classes_.tolist().index(label) for label in y])
    assert np.round(made["y"]).astype(int).tolist() == truth.tolist()
    probability, outlier = clf.predict_correct_proba(X), clf.decide(X).outlier
    assert outlier[3]
    along = np.array([float(value) for value in made["x"]])
    assert along[~outlier] == pytest.approx(probability[~outlier], abs=1e-5)
    assert np.isneginf(along[outlier]).all()
    assert made["n_beyond"] >= outlier.sum()


class TestInABrowser:
    pytestmark = in_a_browser

    def test_what_lies_beyond_the_axes_is_an_arrow_at_their_edge(self, opened, gmlvq):
        page = opened(gmlvq, with_one_far_away())
        made = scatter(gmlvq, *with_one_far_away())
        symbols = page.run(
            "return document.getElementById('view').data.flatMap(({ marker }) => marker.symbol)"
        )
        arrows = [symbol for symbol in symbols if symbol.startswith("arrow")]
        assert len(arrows) == made["n_beyond"] > 0
        assert page.text("#beyond").startswith(str(made["n_beyond"]))
        low, high = np.transpose(made["ranges"])
        drawn = page.run(
            "return document.getElementById('view').data.slice(0, 4)"
            ".flatMap(({ x, y }) => x.map((each, at) => [each, y[at]]))"
        )
        assert np.all((np.array(drawn) >= low - 1e-9) & (np.array(drawn) <= high + 1e-9))

    def test_classes_without_prototypes_have_their_names(self, opened, samples):
        page = opened(RejectOptionClassifier(GaussianNB()).fit(*noisy(400)), samples)
        assert page.texts("#view .textpoint") == ["a", "b", "c"]

    def test_many_classes_have_a_line_each(self, opened):
        clf = RejectOptionClassifier(GaussianNB(), target=RejectRate(0.2)).fit(*letters(2000, 1))
        page = opened(clf, letters(300, 2), width=390)
        assert page.texts("#view .ytick text") == [chr(ord("A") + at) for at in range(26)]
        assert page.run("return document.documentElement.scrollWidth") <= 390

    def test_a_click_on_a_sample_opens_its_row(self, opened, gmlvq, samples):
        clf = copy(gmlvq).retarget(RejectRate(0.3))
        page = opened(clf, samples)
        sample = int(np.flatnonzero(clf.reject(samples[0]))[4])
        page.run(
            "document.getElementById('view').emit('plotly_click', {points: [{customdata: "
            "arguments[0]}]})",
            sample,
        )
        page.wait("document.querySelector('#rejected-table .values')")
        assert page.run("return document.activeElement.id") == f"sample-{sample}"

    def test_samples_in_the_plane_are_marked_by_shape(self, opened, gmlvq, samples):
        X, y = samples
        clf = copy(gmlvq).retarget(RejectRate(0.2))
        page = opened(clf, samples)
        traces = page.run(
            """
            return document.getElementById("view").data.filter(({ x }) => x[0] !== null).map(
                trace => [trace.name, String(trace.marker.symbol), trace.x.length])"""
        )
        rejected, wrong = clf.reject(X), clf.estimator_.predict(X) != y
        sizes = {name: size for name, _, size in traces}
        assert sizes == {
            "answered, right": np.count_nonzero(~rejected & ~wrong),
            "rejected, right": np.count_nonzero(rejected & ~wrong),
            "rejected, wrong": np.count_nonzero(rejected & wrong),
            "answered, wrong": np.count_nonzero(~rejected & wrong),
            "prototype": 6,
        }
        assert len({symbol for _, symbol, _ in traces}) == 5

    def test_the_legend_shows_the_symbol_of_each_outcome(self, opened, gmlvq):
        X, y = with_one_far_away()
        X[:20] = X[7]  # the first samples are arrows at the edge
        page = opened(copy(gmlvq).retarget(RejectRate(0.2)), (X, y))
        drawn = """
            return [...document.querySelectorAll("#view .legend .traces")].map((each) => [
                each.querySelector(".legendtext").textContent,
                each.querySelector(".legendsymbols path.scatterpts").getAttribute("d")])"""
        shapes = dict(page.run(drawn))
        assert list(shapes) == [
            *("answered, right", "rejected, right", "rejected, wrong", "answered, wrong"),
            "prototype",
        ]
        assert len(set(shapes.values())) == 5
        page.move_to(0)
        assert dict(page.run(drawn)) == shapes
