"""The contours are the certainties at the points of the plane that is shown."""

import numpy as np
import polars
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier, HistGradientBoostingClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from abstain import GLVQ, GMLVQ, LGMLVQ, RSLVQ, InputError, RejectOptionClassifier
from abstain.certainty import measure_certainty
from abstain.plotting import CertaintyContourDisplay, PrototypeDisplay

pytest.importorskip("matplotlib", reason="pip install '.[plot]' to test figures")


@pytest.fixture(scope="module")
def iris():
    data = load_iris(as_frame=True)
    return data.data, data.target_names[data.target]


@pytest.fixture(scope="module")
def two(iris):
    return iris[0].to_numpy()[:, 2:], iris[1]


def shown(estimator, X, y=None, **options):
    return CertaintyContourDisplay.from_estimator(
        estimator, X, y, **{"grid_resolution": 25, **options}
    )


def grid_points(display):
    return np.stack(np.meshgrid(*display.grid), axis=-1).reshape(-1, 2)


@pytest.mark.parametrize(
    ("estimator", "certainty", "name"),
    [
        (GLVQ(), "relsim", "relative similarity (RelSim)"),
        (GLVQ(), "boundary", "distance to the class border"),
        (GLVQ(), "distance", "minus the distance to the closest prototype"),
        (RSLVQ(), "conf", "posterior of the answer (Conf)"),
        (GaussianNB(), "margin", "margin of posteriors"),
        (SVC(), "pairwise", "smallest pairwise margin"),
        (LinearSVC(), "decision", "margin of the decision function"),
        (GaussianNB(), lambda model, X: -X[:, 0], "certainty"),
        (CalibratedClassifierCV(GLVQ(), ensemble=False), "conf", "posterior of the answer (Conf)"),
        # It has an estimator_, which is not fitted.
        (BaggingClassifier(GaussianNB(), 3), "conf", "posterior of the answer (Conf)"),
    ],
)
def test_with_two_features_the_grid_holds_the_certainty(two, estimator, certainty, name):
    X, y = two
    fitted = estimator.fit(X, y)
    display = shown(fitted, X, y, certainty=certainty)
    expected = measure_certainty(fitted, grid_points(display), certainty).reshape(25, 25)
    assert display.certainty.tolist() == expected.tolist()
    assert display.certainty_name == name
    assert display.samples.tolist() == X.tolist()
    assert display.deviation == 0
    assert display.axis_names == ("feature 0", "feature 1")


def test_the_certainty_is_that_of_the_reject_option(two):
    X, y = two
    clf = RejectOptionClassifier(RSLVQ(), certainty="relsim").fit(X, y)
    display = shown(clf, X, y)
    assert display.certainty.ravel().tolist() == clf.certainties(grid_points(display)).tolist()
    assert display.prototypes.tolist() == clf.estimator_.prototypes_.tolist()
    assert shown(clf, X, y, certainty="conf").certainty_name == "posterior of the answer (Conf)"


# The plane is that of PrototypeDisplay, behind the same transformers.
@pytest.mark.parametrize("axes", [None, "prototypes", (1, 3)])
def test_the_plane_is_that_of_the_prototypes(iris, axes):
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), GMLVQ())
    search = GridSearchCV(pipeline, {"gmlvq__beta": [5.0]}, cv=2).fit(*iris)
    expected = PrototypeDisplay.from_estimator(search, *iris, axes=axes, grid_resolution=25)
    display = shown(search, *iris, axes=axes)
    assert display.samples.tolist() == expected.samples.tolist()
    assert display.prototypes.tolist() == expected.prototypes.tolist()
    assert display.axis_names == expected.axis_names
    assert display.certainty.shape == (25, 25)
    assert display.deviation > 0
    assert f"differs by {display.deviation:.2g} (median)" in display.ax_.get_xlabel()


# In a plane that holds the samples, the certainty where one is drawn is its own.
def test_a_metric_of_rank_two_is_shown_whole(iris):
    fitted = GMLVQ(n_components=2, random_state=0).fit(*iris)
    display = shown(fitted, *iris, grid_resolution=200)
    assert display.deviation == 0
    columns, rows = display.grid
    at = [
        np.abs(axis[:, None] - part).argmin(axis=0)
        for axis, part in zip(
            (rows, columns), (display.samples[:, 1], display.samples[:, 0]), strict=True
        )
    ]
    near = display.certainty[tuple(at)]
    assert np.corrcoef(near, measure_certainty(fitted, iris[0], "relsim"))[0, 1] > 0.97


@pytest.mark.parametrize("frame", ["pandas", "polars"])
def test_features_of_a_frame_are_chosen_by_name(iris, frame):
    X, y = iris
    if frame == "polars":
        X = polars.DataFrame(X.to_dict("list"))
    fitted = GaussianNB().fit(X, y)
    pair = ("petal width (cm)", "sepal length (cm)")
    display = shown(fitted, X, y, axes=pair)
    assert display.axis_names == pair
    points = np.tile(iris[0].to_numpy().mean(axis=0), (625, 1))
    points[:, [3, 0]] = grid_points(display)
    expected = measure_certainty(GaussianNB().fit(iris[0].to_numpy(), y), points)
    assert display.certainty.ravel() == pytest.approx(expected)
    assert display.prototypes_ is None


# A function of the caller's sees samples as they enter the pipeline.
def test_a_function_is_asked_about_samples_as_they_come(iris):
    X, y = iris[0].to_numpy(), iris[1]
    pipeline = make_pipeline(StandardScaler(), GMLVQ()).fit(X, y)
    display = shown(pipeline, X, y, certainty=lambda model, X: X[:, 2], axes=(2, 3))
    assert display.certainty.tolist() == np.tile(display.grid[0], (25, 1)).tolist()
    assert display.samples.tolist() == X[:, 2:].tolist()


def test_missing_values_are_drawn_at_the_mean(two):
    X, y = two[0].copy(), two[1]
    X[::5, 1] = np.nan
    display = shown(HistGradientBoostingClassifier(max_iter=5).fit(X, y), X, y)
    assert display.samples[::5, 1] == pytest.approx(np.nanmean(X[:, 1]))


def test_samples_of_a_class_have_a_colour_and_a_marker(two):
    display = shown(LGMLVQ().fit(*two), *two)
    dots = [part for part in display.ax_.collections if part.get_zorder() == 2]
    assert len(dots) == 3
    assert len({str(part.get_facecolors()[0]) for part in dots}) == 3
    assert len({str(part.get_paths()[0].vertices) for part in dots}) == 3
    entries = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert entries == ["setosa", "versicolor", "virginica", "prototype"]
    assert display.ax_.get_legend() is not None


def test_the_least_sure_is_darkest_in_grey_too(two):
    display = shown(GLVQ().fit(*two), *two)
    cmap = display.contours_.get_cmap()
    lightness = np.dot(cmap(np.linspace(0, 1, 20))[:, :3], [0.3, 0.59, 0.11])
    assert (np.diff(lightness) >= 0).all()


def test_one_certainty_everywhere_can_be_drawn(two):
    constant = shown(GLVQ().fit(*two), *two, certainty=lambda model, X: np.ones(len(X)))
    assert (constant.certainty == 1).all()
    endless = shown(
        GLVQ().fit(*two), *two, certainty=lambda model, X: np.where(X[:, 0] > 3, np.inf, X[:, 1])
    )
    assert np.isinf(endless.certainty).any()
    with pytest.raises(InputError, match=r"^certainty must be finite somewhere"):
        shown(GLVQ().fit(*two), *two, certainty=lambda model, X: np.full(len(X), np.inf))


def test_labels_are_optional_and_a_display_can_be_drawn_again(two):
    display = shown(GaussianNB().fit(*two), two[0])
    assert display.ax_.get_legend() is None
    again = display.plot(levels=[0.4, 0.6, 0.8, 1.0], colorbar=False, scatter_kwargs={"s": 3})
    assert again.contours_.levels.tolist() == [0.4, 0.6, 0.8, 1.0]


def test_what_spans_no_plane_is_refused(iris):
    X, y = iris[0].to_numpy(), iris[1]
    fitted = GaussianNB().fit(X, y)
    for axes in (None, "directions"):
        with pytest.raises(InputError, match=r"^axes must be two of the 4 features .* got "):
            shown(fitted, X, y, axes=axes)
    with pytest.raises(InputError, match=r"^X must have at least two features"):
        shown(GaussianNB().fit(X[:, :1], y), X[:, :1], y)
    with pytest.raises(InputError, match=r"^feature_names must name each of the 4 features, got 1"):
        shown(fitted, X, y, axes=(0, 1), feature_names=["x"])
    with pytest.raises(InputError, match=r"^certainty must be one of"):
        shown(fitted, X, y, axes=(0, 1), certainty="sure")
    with pytest.raises(InputError, match=r"^grid_resolution must be at least 2, got 1$"):
        shown(fitted, X, y, axes=(0, 1), grid_resolution=1)
    with pytest.raises(InputError, match=r"^y must hold classes that .* got 'rosa'"):
        shown(fitted, X, np.where(y == "setosa", "rosa", y), axes=(0, 1))
