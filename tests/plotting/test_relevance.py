"""The display holds the relevances of the model under the names of its features."""

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures, StandardScaler

from abstain import InputError
from abstain.models import GLVQ, GMLVQ, GRLVQ, LGMLVQ, LMRSLVQ, MRSLVQ, RSLVQ
from abstain.plotting import RelevanceDisplay

pytest.importorskip("matplotlib", reason="pip install '.[plot]' to test figures")

FEATURES = ["sepal length (cm)", "sepal width (cm)", "petal length (cm)", "petal width (cm)"]
NUMBERED = [f"feature {number}" for number in range(4)]


@pytest.fixture(scope="module")
def iris():
    data = load_iris(as_frame=True)
    return data.data, data.target_names[data.target]


def drawn_names(display):
    return [text.get_text() for text in display.ax_.get_yticklabels()]


@pytest.mark.parametrize("model", [GRLVQ, GMLVQ, MRSLVQ])
def test_bars_are_the_relevances_in_descending_order(model, iris):
    fitted = model().fit(*iris)
    display = RelevanceDisplay.from_estimator(fitted)
    assert display.relevances.tolist() == fitted.relevances_.tolist()
    assert display.relevances.sum() == pytest.approx(1)
    assert display.feature_names == FEATURES
    widths = [bar.get_width() for bar in display.bars_]
    assert widths == sorted(fitted.relevances_.tolist(), reverse=True)
    assert drawn_names(display) == [FEATURES[feature] for feature in display.order]
    # Rows count from the top.
    bottom, top = display.ax_.get_ylim()
    assert bottom > top


@pytest.mark.parametrize("model", [LGMLVQ, LMRSLVQ])
def test_several_metrics_make_a_column_each_under_the_name_of_the_class(model, iris):
    fitted = model({"setosa": 2}, random_state=0).fit(*iris)
    display = RelevanceDisplay.from_estimator(fitted)
    assert display.prototype_labels.tolist() == ["setosa", "setosa", "versicolor", "virginica"]
    assert display.relevances.sum(axis=1) == pytest.approx(np.ones(4))
    means = fitted.relevances_.mean(axis=0)
    assert display.order.tolist() == (-means).argsort().tolist()
    drawn = display.mesh_.get_array()
    assert drawn.tolist() == fitted.relevances_[:, display.order].T.tolist()
    ticks = display.ax_.get_xticklabels()
    assert [text.get_text() for text in ticks] == ["setosa", "versicolor", "virginica"]
    assert display.ax_.get_xticks().tolist() == [0.5, 2, 3]


def test_features_of_equal_weight_keep_their_order():
    display = RelevanceDisplay(relevances=[0.25] * 4, feature_names="abcd")
    assert display.order.tolist() == [0, 1, 2, 3]


# Names come from the model, from what the steps before it say, or are numbers.
@pytest.mark.parametrize(
    ("steps", "has_names", "expected"),
    [
        ([], True, FEATURES),
        ([], False, NUMBERED),
        ([StandardScaler()], True, FEATURES),
        ([StandardScaler()], False, NUMBERED),
        ([StandardScaler().set_output(transform="pandas")], True, FEATURES),
        (["passthrough", StandardScaler()], True, FEATURES),
        ([FunctionTransformer(np.asarray), StandardScaler()], True, NUMBERED),
        ([FunctionTransformer(np.log1p), StandardScaler()], True, FEATURES),
        (
            [make_column_transformer((StandardScaler(), [2, 0]), verbose_feature_names_out=False)],
            True,
            [FEATURES[2], FEATURES[0]],
        ),
        (
            [PolynomialFeatures(interaction_only=True, include_bias=False)],
            False,
            [*NUMBERED, *(f"{a} {b}" for i, a in enumerate(NUMBERED) for b in NUMBERED[i + 1 :])],
        ),
    ],
)
def test_names_come_through_a_pipeline(steps, has_names, expected, iris):
    X, y = iris
    pipeline = make_pipeline(*steps, GRLVQ(max_iter=1000))
    pipeline.fit(X if has_names else X.to_numpy(), y)
    assert RelevanceDisplay.from_estimator(pipeline).feature_names == expected


def test_the_model_is_found_inside_searches_and_frozen_estimators(iris):
    X, y = iris
    inner = make_pipeline(StandardScaler(), GRLVQ())
    search = GridSearchCV(inner, {"grlvq__beta": [1.0, 5.0]}, cv=2).fit(X, y)
    best = search.best_estimator_[-1].relevances_.tolist()
    for wrapped in (search, FrozenEstimator(search), make_pipeline(FrozenEstimator(search))):
        display = RelevanceDisplay.from_estimator(wrapped)
        assert display.relevances.tolist() == best
        assert display.feature_names == FEATURES


def test_given_names_come_first(iris):
    display = RelevanceDisplay.from_estimator(GRLVQ().fit(*iris), feature_names=list("abcd"))
    assert display.feature_names == list("abcd")


def test_only_the_most_relevant_are_shown_and_the_rest_is_reported():
    relevances = np.arange(1, 31) / np.arange(1, 31).sum()
    display = RelevanceDisplay(relevances=relevances, feature_names=range(30)).plot()
    assert len(display.bars_) == 20
    hidden = relevances[:10].sum()
    assert display.ax_.get_xlabel().endswith(
        f"10 more features are not shown: together {100 * hidden:.1f}%"
    )
    one_less = display.plot(top=29)
    assert "1 more feature is not shown" in one_less.ax_.get_xlabel()
    height = one_less.figure_.get_figheight()
    every = display.plot(top=None)
    assert len(every.bars_) == 30
    assert every.ax_.get_xlabel() == "relevance"
    assert every.figure_.get_figheight() > height > 4.8


def test_a_figure_of_the_user_keeps_its_size():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(6, 4))
    display = RelevanceDisplay(relevances=np.full(40, 1 / 40), feature_names=range(40))
    assert display.plot(ax=ax, top=None, color="black").figure_ is figure
    assert figure.get_size_inches().tolist() == [6, 4]
    assert display.bars_[0].get_facecolor() == (0, 0, 0, 1)


def test_the_line_stands_where_all_would_weigh_alike():
    display = RelevanceDisplay(relevances=[0.7, 0.2, 0.1, 0.0], feature_names="abcd").plot(top=2)
    assert display.ax_.lines[0].get_xdata() == [0.25, 0.25]


def test_long_names_are_shortened_in_the_figure_alone():
    names = [f"expression of a gene with a very long name, number {n}" for n in range(3)]
    display = RelevanceDisplay(relevances=[0.5, 0.3, 0.2], feature_names=names).plot()
    assert display.feature_names == names
    assert all(len(name) < 40 for name in drawn_names(display))
    assert len(set(drawn_names(display))) == 3


# Nothing is written over anything else, at a size that fits a page.
@pytest.mark.parametrize("n_prototypes", [None, 2, 6, 9])
def test_texts_do_not_overlap(n_prototypes):
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
    names = [f"measurement of the property {number}" for number in range(30)]
    relevances = np.random.default_rng(0).dirichlet(np.ones(30), n_prototypes)
    labels = None if n_prototypes is None else np.array(["ill", "well"])[[0, *[1] * 8]]
    display = RelevanceDisplay(
        relevances=relevances,
        feature_names=names,
        prototype_labels=None if labels is None else labels[:n_prototypes],
    )
    display.plot(ax=ax)
    figure.canvas.draw()
    ticks = [tick for tick in ax.xaxis.get_major_ticks() if tick.get_loc() <= ax.get_xlim()[1]]
    texts = [*ax.get_yticklabels(), *(tick.label1 for tick in ticks), *ax.texts, ax.xaxis.label]
    boxes = [text.get_window_extent() for text in texts]
    for index, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[index + 1 :])
        assert figure.bbox.x0 - 1 <= box.x0 < box.x1 <= figure.bbox.x1 + 1


@pytest.mark.parametrize("model", [GLVQ, RSLVQ, LogisticRegression])
def test_a_model_without_relevances_is_refused(model, iris):
    X, y = iris
    fitted = make_pipeline(StandardScaler(), model()).fit(X, y)
    with pytest.raises(InputError) as caught:
        RelevanceDisplay.from_estimator(fitted)
    assert str(caught.value) == (
        f"estimator must be a model that weighs features, got a {model.__name__}; use GRLVQ, "
        "GMLVQ, LGMLVQ, MRSLVQ or LMRSLVQ"
    )


def test_a_model_that_is_not_fitted_is_refused():
    for estimator in (GMLVQ(), make_pipeline(GMLVQ()), GridSearchCV(GMLVQ(), {})):
        with pytest.raises(NotFittedError):
            RelevanceDisplay.from_estimator(estimator)


@pytest.mark.parametrize("top", [0, -1, 2.5, True, "all"])
def test_an_impossible_number_of_features_is_refused(top):
    display = RelevanceDisplay(relevances=[1.0], feature_names=["a"])
    with pytest.raises(InputError, match="top must be a positive integer, or None to show all"):
        display.plot(top=top)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"relevances": [0.5, 0.5], "feature_names": ["a"]},
            "feature_names must name each of the 2 features, got 1 names",
        ),
        (
            {"relevances": [[[1.0]]], "feature_names": ["a"]},
            r"relevances must be one row, or one for each prototype, got shape \(1, 1, 1\)",
        ),
        (
            {"relevances": [[1.0], [1.0]], "feature_names": ["a"], "prototype_labels": [0]},
            r"prototype_labels must have shape \(2,\), one for each row of relevances, got \(1,\)",
        ),
    ],
)
def test_arrays_that_do_not_fit_are_refused(arguments, message):
    with pytest.raises(InputError, match=f"^{message}$"):
        RelevanceDisplay(**arguments)


def test_the_arrays_need_no_matplotlib_and_the_figure_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    display = RelevanceDisplay(relevances=[0.4, 0.6], feature_names=pd.Index(["a", "b"]))
    assert display.order.tolist() == [1, 0]
    with pytest.raises(ImportError, match=r"pip install '.\[plot\]'"):
        display.plot()
