"""The page is one file, and what cannot be meant is refused."""

import base64
import gzip
import html
import json
import re
import sys
from copy import copy
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import abstain
from abstain import GMLVQ, Accuracy, InputError, RejectOptionClassifier
from abstain.report import page, render_report, write_report
from tests.report.problems import HOSTILE_CLASSES, HOSTILE_FEATURES, IMAGE, fitted_gmlvq, noisy

X, Y = load_iris(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def clf():
    return RejectOptionClassifier(GMLVQ()).fit(X, Y)


def content_of(text):
    packed = re.search('<script type="text/plain" id="content">([^<]*)</script>', text)[1]
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def test_the_file_is_the_page(clf, tmp_path):
    write_report(clf, X, Y, tmp_path / "report.html", title="Iris")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert text == render_report(clf, X, Y, title="Iris")
    assert "<title>Iris</title>" in text
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_the_foot_says_where_a_report_comes_from(clf, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    files = {"model_file": "models/<b>.abstain", "data_file": "tables/iris & co.csv"}
    text = render_report(clf, X[:30], Y[:30], **files)
    assert text == render_report(clf, X[:30], Y[:30], **files)  # byte for byte, at any time
    foot = " ".join(html.unescape(text[text.index("<footer>") : text.index("</footer>")]).split())
    for said in [
        "<dt>Written</dt><dd>1970-01-02</dd>",
        "<dt>Model</dt><dd>GMLVQ with a reject option, <b>.abstain</dd>",
        "<dd>150 samples; thresholds set on 150 samples</dd>",
        "<dt>Report</dt><dd>30 samples, iris & co.csv</dd>",
        f"abstain {abstain.__version__}, scikit-learn {sklearn.__version__}, numpy",
    ]:
        assert said in foot
    assert "models/" not in text
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert f"<dd>{datetime.now(UTC).date().isoformat()}</dd>" in render_report(clf, X, Y)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "today")
    with pytest.raises(InputError, match="SOURCE_DATE_EPOCH must be a number of seconds"):
        render_report(clf, X, Y)


def test_the_parts_of_the_page_are_reported_one_by_one(clf):
    steps = []
    render_report(clf, X, Y, watch=lambda done, total: steps.append((done, total)))
    assert steps == [(done, 5) for done in range(6)]


def test_the_page_loads_nothing(clf):
    text = render_report(clf, X, Y)
    assert "://" not in text
    assert not re.search(r"<(link|img|iframe|script[^>]* src)", text)


def test_names_cannot_become_markup():
    clf = fitted_gmlvq(HOSTILE_CLASSES)
    samples, labels = noisy(100, HOSTILE_CLASSES, seed=1)
    names = [f"{IMAGE} {number}" for number in range(100)]
    text = render_report(
        clf, samples, labels, title=IMAGE, feature_names=HOSTILE_FEATURES, sample_names=names
    )
    assert "<img" not in text
    assert text.count("<script") == text.count("</script>") == 3
    content = content_of(text)
    assert content["classes"] == sorted(HOSTILE_CLASSES)
    assert content["features"] == HOSTILE_FEATURES
    assert content["details"]["name"] == names


def test_names_of_features_and_samples_come_from_a_frame(clf):
    frame = X.set_index(pd.Index([f"flower {number}" for number in range(150)]))
    content = content_of(render_report(clf, frame, Y))
    assert content["features"] == X.columns.tolist()
    assert content["details"]["name"][3] == "flower 3"
    assert content_of(render_report(clf, X, Y))["details"]["name"] is None


def test_pipelines_searches_and_frozen_classifiers():
    inside = RejectOptionClassifier(GMLVQ())
    outer = make_pipeline(StandardScaler(), inside).fit(X, Y)
    content = content_of(render_report(outer, X, Y))
    assert content["samples"]["n"] == 150
    frozen = FrozenEstimator(GaussianNB().fit(X[::2], Y[::2]))
    frozen = RejectOptionClassifier(frozen).fit(X, Y)
    assert content_of(render_report(frozen, X, Y))["relevances"] is None


def test_classes_that_only_the_samples_have_count_as_wrong(clf):
    strange = np.where(Y == 2, 7, Y)
    content = content_of(render_report(clf, X, strange))
    assert content["classes"] == ["0", "1", "2", "7"]
    assert content["samples"]["errors"] == np.count_nonzero(clf.predict(X) != strange)


def test_missing_values_are_drawn_too():
    gaps = X.to_numpy().copy()
    gaps[::7, 1] = np.nan
    clf = RejectOptionClassifier(GMLVQ()).fit(gaps, Y)
    assert len(content_of(render_report(clf, gaps, Y))["scatter"]["x"]) == 150


def test_one_feature_is_drawn_against_the_certainty():
    one = X[["petal width (cm)"]]
    clf = RejectOptionClassifier(GaussianNB()).fit(one, Y)
    scatter = content_of(render_report(clf, one, Y))["scatter"]
    assert scatter["axes"] == ["petal width (cm)", "certainty"]
    assert scatter["y"] == pytest.approx(clf.certainties(one), abs=1e-6)
    two = X.iloc[:, :2]
    clf = RejectOptionClassifier(GaussianNB()).fit(two, Y)
    assert content_of(render_report(clf, two, Y))["scatter"]["axes"] == two.columns.tolist()


def test_text_is_encoded_before_it_is_drawn():
    shifted = (Y + (np.arange(150) % 10 == 0)) % 3
    words = pd.DataFrame({"colour": np.array(["red", "green", "blue"])[shifted]})
    clf = RejectOptionClassifier(
        make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    ).fit(words, Y)
    assert len(content_of(render_report(clf, words, Y))["scatter"]["x"]) == 150


class ByColour(ClassifierMixin, BaseEstimator):
    """Knows no numbers."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.array(["wine" if colour == "red" else "sea" for (colour,) in X])


def test_samples_that_are_no_numbers_are_not_drawn():
    colours = [["red"], ["red"], ["blue"]] * 10
    labels = ["wine", "sea", "sea"] * 10
    clf = RejectOptionClassifier(
        ByColour(), certainty=lambda estimator, X: [colour == "blue" for (colour,) in X]
    ).fit(colours, labels)
    text = render_report(clf, colours, labels)
    assert content_of(text)["scatter"] is None
    assert 'id="view"' not in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y": Y[:5]}, "each of the 150 samples of X, got 5 labels; give one label per sample"),
        ({"X": X[:0], "y": Y[:0]}, "X must hold at least one sample, got 0"),
        ({"y": ["a"] * 150}, r"y must hold classes of the classifier \(\[0, 1, 2\]\), got none"),
        ({"feature_names": ["a"]}, "feature_names must name each of the 4 features .* got 1"),
        ({"sample_names": ["a"]}, "sample_names must name each of the 150 samples, got 1 names"),
        ({"clf": GaussianNB().fit(X, Y)}, "clf must have a reject option, got a GaussianNB"),
    ],
)
def test_what_cannot_be_meant_is_refused(clf, arguments, message):
    with pytest.raises(InputError, match=message):
        render_report(**({"clf": clf, "X": X, "y": Y} | arguments))


def test_a_classifier_that_is_not_fitted():
    with pytest.raises(NotFittedError):
        render_report(RejectOptionClassifier(GMLVQ()), X, Y)


def test_where_it_cannot_be_written_nothing_is_computed(clf, tmp_path):
    with pytest.raises(InputError, match="there is no folder"):
        write_report(clf, X, Y[:3], tmp_path / "missing" / "report.html")


@pytest.mark.parametrize("package", ["jinja2", "plotly.offline"])
def test_packages_that_are_missing_are_named(clf, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    page._compressed_plotly.cache_clear()
    name = package.split(".")[0]
    with pytest.raises(InputError, match=rf"need {name}, .* pip install '\.\[report\]'"):
        render_report(clf, X, Y)


def test_the_classifier_stays_where_it_is(clf):
    before = copy(vars(clf))
    render_report(clf, X, Y)
    assert vars(clf) == before


def test_a_certificate_over_groups_says_so():
    X, y = load_iris(return_X_y=True)
    clf = RejectOptionClassifier(
        GaussianNB(), target=Accuracy(0.6, confidence=0.7), random_state=0
    ).fit(X, y, groups=np.arange(150) // 2)
    text = " ".join(render_report(clf, X, y).split())
    sure = clf.operating_point_.guarantee
    assert f"of {sure.n_samples} held-out groups, {sure.accepted} were answered" in text
    assert "this holds for one sample, drawn at random, of a new group. </p>" in text
    with pytest.warns(UserWarning, match="2 targets have been tested"):
        clf.retarget(Accuracy(0.7, confidence=0.7))
    text = " ".join(render_report(clf, X, y).split())
    assert "2 targets were tested on them: all certificates hold together with confidence" in text
