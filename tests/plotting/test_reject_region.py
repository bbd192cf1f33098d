"""What is hatched is what the classifier rejects, cell by cell."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from abstain import GLVQ, GMLVQ, RSLVQ, InputError, RejectCost, RejectOptionClassifier, RejectRate
from abstain.plotting import RejectRegionDisplay

pytest.importorskip("matplotlib", reason="pip install '.[plot]' to test figures")


@pytest.fixture(scope="module")
def iris():
    data = load_iris(as_frame=True)
    return data.data, data.target_names[data.target]


@pytest.fixture(scope="module")
def sepals(iris):
    return iris[0].to_numpy()[:, :2], iris[1]


def shown(estimator, X, y=None, **options):
    return RejectRegionDisplay.from_estimator(estimator, X, y, **{"grid_resolution": 40, **options})


def grid_points(display):
    return np.stack(np.meshgrid(*display.grid), axis=-1).reshape(-1, 2)


def texts(display):
    return sorted(text.get_text() for text in display.ax_.texts)


@pytest.mark.parametrize(
    ("estimator", "options"),
    [
        (GLVQ(), {}),
        (GMLVQ(2, random_state=0), {}),
        (RSLVQ(), {"certainty": "distance"}),
        (GaussianNB(), {}),
        (GaussianNB(), {"cells": "global"}),
        (SVC(), {"cells": KMeans(4, random_state=0, n_init=1)}),
        (DecisionTreeClassifier(max_depth=3, random_state=0), {}),
        (LogisticRegression(), {"cells": lambda model, X: X[:, 0] > 6}),
    ],
)
def test_with_two_features_the_region_is_what_reject_says(sepals, estimator, options):
    X, y = sepals
    clf = RejectOptionClassifier(estimator, target=RejectRate(0.4), min_cell_size=5, **options)
    display = shown(clf.fit(X, y), X, y)
    points = grid_points(display)
    assert (display.rejected.ravel() == clf.reject(points)).all()
    assert (display.cells.ravel() == clf.apply(points)).all()
    assert (display.predictions.ravel() == clf.predict(points)).all()
    assert display.rejected_samples.tolist() == clf.reject(X).tolist()
    assert display.samples.tolist() == X.tolist()
    assert display.agreement == 1
    assert display.rejected.any()
    assert display.rejected_.hatches == ["////"]


# The plane of a model behind transformers is drawn there, wherever the reject option stands.
@pytest.mark.parametrize("is_outside", [True, False])
def test_behind_transformers_the_region_is_what_reject_says(sepals, is_outside):
    X, y = sepals
    scaler, options = StandardScaler(), {"target": RejectRate(0.2)}
    if is_outside:
        fitted = RejectOptionClassifier(make_pipeline(scaler, GLVQ()), **options).fit(X, y)
    else:
        fitted = make_pipeline(scaler, RejectOptionClassifier(GLVQ(), **options)).fit(X, y)
    display = shown(fitted, X, y)
    scaled = StandardScaler().fit(X)
    points = scaled.inverse_transform(grid_points(display))
    clf = fitted if is_outside else fitted[-1]
    asked = points if is_outside else grid_points(display)
    assert (display.rejected.ravel() == clf.reject(asked)).mean() > 0.999  # rounding
    assert display.samples == pytest.approx(scaled.transform(X))


# Clusters are those of samples as they enter the pipeline.
def test_clusters_are_drawn_where_they_were_made(sepals):
    X, y = sepals
    cells = KMeans(3, random_state=0, n_init=1)
    clf = RejectOptionClassifier(make_pipeline(StandardScaler(), GLVQ()), cells=cells).fit(X, y)
    display = shown(clf, X, y)
    assert (display.rejected.ravel() == clf.reject(grid_points(display))).all()
    assert display.samples.tolist() == X.tolist()
    assert display.prototypes is None


def test_with_more_features_the_plane_is_that_of_the_model(iris):
    X, y = iris
    clf = RejectOptionClassifier(GMLVQ(n_components=2, random_state=0), target=RejectRate(0.2))
    display = shown(clf.fit(X, y), X, y)
    assert display.agreement == 1
    assert display.samples == pytest.approx(clf.estimator_.transform(X))
    assert "regions hold" not in display.ax_.get_xlabel()


# Off the plane, the classifier may decide differently. The figure says for which share of the
# samples its regions hold, and a warning says so if that is a minority.
def test_regions_say_for_which_share_of_the_samples_they_hold(iris):
    X, y = iris
    model, target = GMLVQ(n_components=2, random_state=0), RejectRate(0.2)
    clf = RejectOptionClassifier(model, target=target, outliers=None).fit(X, y)
    with pytest.warns(UserWarning, match=r"^the regions hold for 1\d\.\d% of the samples only: "):
        few = shown(clf, X, y, axes=("sepal length (cm)", "sepal width (cm)"))
    assert f"regions hold for {few.agreement:.1%} of the samples only" in few.ax_.get_xlabel()
    # Each sample is looked up where it is drawn.
    off = np.tile(clf.estimator_.prototypes_.mean(axis=0), (len(X), 1))
    off[:, :2] = X.iloc[:, :2]
    off = X.set_axis(range(150)).mul(0).add(off)
    same = clf.reject(off) == clf.reject(X)
    same &= clf.estimator_.predict(off) == clf.estimator_.predict(X)
    assert few.agreement == same.mean()
    most = shown(clf, X, y, axes=("petal length (cm)", "petal width (cm)"))
    assert 0.5 < most.agreement < 1
    assert f"regions hold for {100 * most.agreement:.1f}%" in most.ax_.get_xlabel()


def test_a_search_over_reject_options_can_be_drawn(sepals):
    X, y = sepals
    clf = RejectOptionClassifier(GaussianNB())
    search = GridSearchCV(clf, {"target": [RejectRate(0.2)]}, cv=2).fit(X, y)
    display = shown(search, X, y)
    assert (display.rejected.ravel() == search.best_estimator_.reject(grid_points(display))).all()


def test_each_cell_bears_its_threshold(sepals):
    X, y = sepals
    clf = RejectOptionClassifier(GLVQ(), target=RejectRate(0.2)).fit(X, y)
    display = shown(clf, X, y)
    expected = [
        f"{name}\n" + (f"rejected below {limit:.3g}" if np.isfinite(limit) else "none rejected")
        for name, limit in zip(["setosa", "versicolor", "virginica"], clf.thresholds_, strict=False)
    ]
    assert texts(display) == sorted(expected)
    # Each in its own cell.
    columns, rows = display.grid
    for text in display.ax_.texts:
        column, row = text.get_position()
        at = np.abs(rows - row).argmin(), np.abs(columns - column).argmin()
        assert text.get_text().startswith(display.cell_names[display.cells[at]])
    assert texts(display.plot(label_cells=False)) == ["setosa", "versicolor", "virginica"]


# A narrow cell has a short label, one that is too narrow has none, and each part of a cell has one.
def test_labels_are_made_to_fit():
    columns = np.arange(100)
    cells = np.tile(np.digitize(columns, [15, 17, 45, 70]), (100, 1))
    cells[:, 70:] = 0
    display = RejectRegionDisplay(
        grid=(columns, columns),
        predictions=np.zeros((100, 100), int),
        certainty=np.ones((100, 100)),
        cells=cells,
        thresholds=[0.25, np.inf, -np.inf, 0.5],
        cell_names=["a", "b", "c", "d"],
        classes=[0, 1],
        axis_names=("x", "y"),
        prototypes=[[29, 50]],
        prototype_labels=[1],
    ).plot()
    by_label = {text.get_text(): text for text in display.ax_.texts}
    assert sorted(by_label) == [
        "a\n< 0.25",
        "a\nrejected below 0.25",
        "c\nnone rejected",
        "d\nrejected below 0.5",
    ]
    _, row = by_label["c\nnone rejected"].get_position()
    assert abs(row - 50) > 5  # off the star


@pytest.mark.parametrize(
    ("estimator", "cells", "name"),
    [
        (GaussianNB(), "global", "all samples"),
        (GaussianNB(), "class", "setosa"),
        (DecisionTreeClassifier(max_depth=1), "leaf", "leaf 1"),
        (GLVQ(2, random_state=0), "prototype", "setosa (0)"),
        (GaussianNB(), lambda model, X: X[:, 0] > 6, "cell False"),
    ],
)
def test_cells_are_called_what_they_are(sepals, estimator, cells, name):
    clf = RejectOptionClassifier(estimator, cells=cells).fit(*sepals)
    names = shown(clf, *sepals).cell_names
    assert names[0] == name
    assert names[-1] == "other cells"


def test_all_and_nothing_can_be_rejected():
    X = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]] * 10)
    y = np.arange(40) // 2 % 2
    clf = RejectOptionClassifier(GaussianNB(), target=RejectCost(0.01), cells="global").fit(X, y)
    everything = shown(clf, X, y)
    assert everything.rejected.all()
    assert texts(everything) == ["all samples\nall rejected"]
    nothing = shown(clf.retarget(RejectCost(0.99)), X, y)
    assert not nothing.rejected.any()
    assert nothing.rejected_ is None
    assert texts(nothing) == ["all samples\nnone rejected"]


def test_rejected_samples_are_hollow_and_counted(sepals):
    X, y = sepals
    clf = RejectOptionClassifier(GLVQ(), target=RejectRate(0.2)).fit(X, y)
    display = shown(clf, X, y)
    dots = [part for part in display.ax_.collections if part.get_zorder() == 2]
    n_hollow = sum((part.get_facecolors()[:, :3] == 1).all(axis=1).sum() for part in dots)
    assert n_hollow == clf.reject(X).sum() > 0
    entries = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert entries[:5] == ["setosa", "versicolor", "virginica", "prototype", "rejected"]
    assert entries[5] == f"rejected samples:\n{n_hollow} of 150"


def test_of_many_cells_no_threshold_is_written():
    rng = np.random.default_rng(0)
    X, y = rng.random((600, 2)), rng.integers(0, 2, 600)
    clf = RejectOptionClassifier(GLVQ(12, random_state=0, max_iter=5000), min_cell_size=1)
    display = shown(clf.fit(X, y), X, y)
    assert len(np.unique(display.cells)) > 16
    assert set(texts(display)) <= {"0", "1"}  # of prototypes


def test_what_has_no_reject_option_is_refused(sepals):
    with pytest.raises(InputError, match=r"^estimator must be a fitted RejectOption.*GaussianNB"):
        shown(GaussianNB().fit(*sepals), *sepals)


def test_names_must_be_as_many_as_thresholds():
    with pytest.raises(InputError, match=r"^cell_names must name each of the 1 thresholds, got 2"):
        RejectRegionDisplay(
            grid=([0, 1], [0, 1]),
            predictions=[[0, 0], [0, 0]],
            certainty=[[1, 1], [1, 1]],
            cells=[[0, 0], [0, 0]],
            thresholds=[0.5],
            cell_names=["a", "b"],
            classes=[0, 1],
            axis_names=("x", "y"),
        )
