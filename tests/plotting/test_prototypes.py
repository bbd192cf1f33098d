"""The figure is the model: exactly with two features, on the plane that it shows with more."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import InputError, models
from abstain.models import GLVQ, GMLVQ, GRLVQ, LGMLVQ, MRSLVQ, RSLVQ
from abstain.plotting import PrototypeDisplay

pytest.importorskip("matplotlib", reason="pip install '.[plot]' to test figures")

ALL = [getattr(models, name) for name in models.__all__]
every_model = pytest.mark.parametrize("model", ALL)
with_metric = [model for model in ALL if hasattr(model, "transform")]


@pytest.fixture(scope="module")
def iris():
    data = load_iris(as_frame=True)
    return data.data, data.target_names[data.target]


@pytest.fixture(scope="module")
def cancer():
    data = load_breast_cancer()
    return StandardScaler().fit_transform(data.data), data.target_names[data.target]


def shown(model, X, y=None, **options):
    return PrototypeDisplay.from_estimator(model, X, y, **{"grid_resolution": 40, **options})


def grid_points(display):
    return np.stack(np.meshgrid(*display.grid), axis=-1).reshape(-1, 2)


def like(X, rows):
    """Return rows under the names of the columns of X, if it has any."""
    return type(X)(rows, columns=X.columns) if hasattr(X, "columns") else rows


def squared_distances(display):
    return ((display.samples[:, np.newaxis] - display.prototypes) ** 2).sum(axis=-1)


@every_model
@pytest.mark.parametrize("n_prototypes", [1, 3])
def test_with_two_features_the_regions_are_the_predictions(model, n_prototypes, iris):
    X, y = iris[0].to_numpy()[:, :2], iris[1]
    fitted = model(n_prototypes, random_state=0, max_iter=1000).fit(X, y)
    display = shown(fitted, X, y)
    answers = fitted.predict(grid_points(display)).reshape(40, 40)
    assert (display.regions == answers).all()
    assert display.samples.tolist() == X.tolist()
    assert display.prototypes.tolist() == fitted.prototypes_.tolist()
    assert display.predictions.tolist() == fitted.predict(X).tolist()
    assert display.agreement == 1
    assert display.axis_names == ("feature 0", "feature 1")
    assert "regions hold" not in display.ax_.get_xlabel()


@pytest.mark.parametrize("model", with_metric)
def test_the_plane_of_directions_is_that_of_transform(model, iris):
    X, y = iris
    fitted = model().fit(X, y)
    display = shown(fitted, X, y, axes="directions")
    assert display.samples == pytest.approx(fitted.transform(X)[:, :2], abs=1e-12)
    share = 100 * fitted.eigenvalues_.reshape(-1, 4)[:, 0].mean()
    first, _ = display.axis_names
    if fitted.relevances_.ndim == 1:
        assert first.startswith("direction 1")
        assert first.endswith(f"({share:.0f}% of Λ)")
    else:
        assert first.endswith("of the mean Λ)")


# A figure in which the model decides otherwise than it does would mislead.
@pytest.mark.parametrize("model", with_metric)
def test_the_default_plane_shows_how_the_model_decides(model, iris):
    X, y = iris
    fitted = model().fit(X, y)
    default, by_directions, by_prototypes = (
        shown(fitted, X, y, axes=axes) for axes in (None, "directions", "prototypes")
    )
    assert default.agreement >= max(by_directions.agreement, by_prototypes.agreement) - 0.05
    if by_directions.agreement >= by_prototypes.agreement - 0.05:
        assert default.axis_names == by_directions.axis_names


def test_directions_that_are_features_have_their_names(iris):
    fitted = GRLVQ().fit(*iris)
    first, second = (-fitted.relevances_).argsort()[:2]
    display = shown(fitted, *iris)
    assert iris[0].columns[first] in display.axis_names[0]
    assert iris[0].columns[second] in display.axis_names[1]


# With two directions nothing lies across the plane: distances in the figure are the model's, and
# what holds on the plane holds everywhere.
@pytest.mark.parametrize("model", [GMLVQ, MRSLVQ])
def test_a_metric_of_rank_two_is_shown_whole(model, iris):
    X, y = iris
    fitted = model(2, n_components=2, random_state=0, max_iter=1000).fit(X, y)
    display = shown(fitted, X, y)
    assert squared_distances(display) == pytest.approx(fitted.distances(X), abs=1e-9)
    assert display.agreement == 1
    # A prototype lies in the region of its class.
    at_prototypes = shown(fitted, like(X, fitted.prototypes_), fitted.prototype_labels_)
    assert at_prototypes.agreement == 1
    assert at_prototypes.samples == pytest.approx(display.prototypes, abs=1e-9)


# Up to three prototypes lie in a plane, and what lies across it is as far from one as from another.
@pytest.mark.parametrize("model", [GLVQ, GRLVQ, GMLVQ, RSLVQ, MRSLVQ])
@pytest.mark.parametrize("data", ["iris", "cancer"])
def test_the_plane_of_three_prototypes_shows_all_decisions(model, data, request):
    X, y = request.getfixturevalue(data)
    fitted = model(1, max_iter=1000).fit(X, y)
    display = shown(fitted, X, y, axes="prototypes")
    assert display.agreement == 1
    within, truly = squared_distances(display), fitted.distances(X)
    across = truly - within
    assert across.min() >= -1e-9 * truly.max()
    assert np.ptp(across, axis=1) == pytest.approx(0, abs=1e-9 * truly.max())
    # A prototype lies in the region of its class.
    at_prototypes = shown(fitted, like(X, fitted.prototypes_), axes="prototypes")
    assert at_prototypes.predictions.tolist() == fitted.prototype_labels_.tolist()
    assert at_prototypes.agreement == 1


# The answer at a position of the plane is that of the model at a point of feature space which is
# drawn there and lies level with the mean of the prototypes.
@every_model
@pytest.mark.parametrize("axes", ["directions", "prototypes", (1, 3), ("x1", "x3")])
def test_regions_are_answers_on_the_plane_through_the_mean(model, axes, iris):
    X, y = iris[0].to_numpy(), iris[1]
    fitted = model(2, random_state=0, max_iter=1000).fit(X, y)
    if axes == "directions" and not hasattr(fitted, "transform"):
        axes = None  # which is then "prototypes"
    names = ["x0", "x1", "x2", "x3"]
    display = shown(fitted, X, y, axes=axes, feature_names=names, grid_resolution=15)
    project, lift, centre = reference_plane(fitted, X, axes)
    assert project @ lift == pytest.approx(np.eye(2), abs=1e-9)
    assert display.samples == pytest.approx(X @ project.T, abs=1e-9)
    points = centre + (grid_points(display) - project @ centre) @ lift.T
    assert (display.regions.ravel() == fitted.predict(points)).mean() > 0.995  # rounding at borders


def reference_plane(fitted, X, axes):
    omega = fitted._projection() if hasattr(fitted, "transform") else np.eye(X.shape[1])
    centre = fitted.prototypes_.mean(axis=0)
    if axes == "prototypes" or (axes is None and not hasattr(fitted, "transform")):
        z = (fitted.prototypes_ - centre) @ omega.T
        directions = np.linalg.eigh(z.T @ z)[1][:, :-3:-1].T
        largest = np.abs(directions).argmax(axis=1)
        directions *= np.sign(directions[[0, 1], largest])[:, np.newaxis]
        return directions @ omega, np.linalg.pinv(omega) @ directions.T, centre
    rows = omega[:2] if axes == "directions" else np.eye(4)[[1, 3]]
    return rows, np.linalg.pinv(rows), centre


# A metric of one direction sees nothing of the second: borders stand upright.
@pytest.mark.parametrize("axes", ["directions", "prototypes"])
def test_a_single_direction_is_completed_by_the_spread_of_the_samples(axes, cancer):
    X, y = cancer
    fitted = GMLVQ(n_components=1, random_state=0).fit(X, y)
    display = shown(fitted, X, y, axes=axes)
    assert display.samples[:, :1] == pytest.approx(fitted.transform(X), abs=1e-9)
    assert (display.regions == display.regions[0]).all()
    assert display.agreement == 1
    assert display.axis_names[1] == "remaining direction of widest spread (0% of Λ)"
    unit = fitted.omega_[0] / np.linalg.norm(fitted.omega_)
    rest = (X - X.mean(axis=0)) @ (np.eye(30) - np.outer(unit, unit))
    largest = np.linalg.svd(rest, compute_uv=False)[0] ** 2 / len(X)
    assert display.samples[:, 1].var() == pytest.approx(largest, rel=1e-3)


def test_two_prototypes_are_completed_by_the_spread_of_the_samples(cancer):
    X, y = cancer
    display = shown(GLVQ(1).fit(X, y), X, y)
    assert display.axis_names == (
        "prototypes, axis 1 (100% of their spread)",
        "remaining direction of widest spread",
    )
    assert np.ptp(display.prototypes[:, 1]) == pytest.approx(0, abs=1e-9)


# Nearly collinear features have heavy directions along which no sample lies.
@pytest.mark.parametrize("n_prototypes", [1, 2])
def test_samples_are_not_drawn_on_a_line_if_the_metric_sees_them_spread(n_prototypes, cancer):
    X, y = cancer
    fitted = GMLVQ(n_prototypes, random_state=0).fit(X, y)
    thin = shown(fitted, X, y, axes="directions")
    assert thin.samples[:, 1].std() < 0.05 * thin.samples[:, 0].std()
    display = shown(fitted, X, y)
    assert display.samples[:, 0] == pytest.approx(thin.samples[:, 0], abs=1e-9)
    assert display.axis_names == (thin.axis_names[0], "remaining direction of widest spread")
    assert display.agreement > 0.99
    # Given the first axis, the second tells as much more of what the metric sees as any could.
    first, *others = (fitted.transform(X) - fitted.transform(X).mean(axis=0)).T
    left = [other - first * (first @ other) / (first @ first) for other in others]
    largest = np.linalg.svd(np.transpose(left), compute_uv=False)[0] ** 2
    second = display.samples[:, 1] - display.samples[:, 1].mean()
    rest = second - first * (first @ second) / (first @ first)
    assert rest @ rest == pytest.approx(largest, rel=1e-3)
    assert abs(np.corrcoef(*display.samples.T)[0, 1]) < 0.5
    # Distances in the figure are those of the model, but for what lies across.
    assert (squared_distances(display) <= fitted.distances(X) + 1e-9).all()


def test_samples_on_a_line_still_span_a_plane():
    X = np.outer(np.arange(6.0), [1, 2, 3])
    display = shown(GLVQ().fit(X, [0, 0, 0, 1, 1, 1]), X)
    assert np.isfinite(display.samples).all()
    assert np.ptp(display.samples[:, 1]) == pytest.approx(0, abs=1e-9)
    assert display.agreement == 1


@every_model
def test_missing_values_are_those_of_the_closest_prototype(model, iris):
    X, y = iris[0].to_numpy(copy=True), iris[1]
    X[np.random.default_rng(0).random(X.shape) < 0.15] = np.nan
    X[:, 0] = iris[0].to_numpy()[:, 0]  # no row is all missing
    fitted = model(max_iter=1000).fit(X, y)
    filled = np.where(np.isnan(X), fitted.prototypes_[fitted.apply(X)], X)
    display, expected = shown(fitted, X, y), shown(fitted, filled, y)
    assert display.samples == pytest.approx(expected.samples)
    assert display.predictions.tolist() == fitted.predict(X).tolist()


# Samples are given as the estimator takes them; frames bring names and raise no warning.
def test_the_model_is_found_through_pipelines_searches_and_frozen_estimators(iris):
    X, y = iris
    bare = GMLVQ().fit(StandardScaler().fit_transform(X), y)
    expected = shown(bare, StandardScaler().fit_transform(X), y)
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), GMLVQ())
    search = GridSearchCV(pipeline, {"gmlvq__beta": [5.0]}, cv=2).fit(X, y)
    for estimator in (pipeline.fit(X, y), search, FrozenEstimator(search)):
        display = shown(estimator, X, y)
        assert display.samples == pytest.approx(expected.samples)
        assert (display.regions == expected.regions).all()
        assert hasattr(search.best_estimator_[-1], "feature_names_in_")


def test_features_of_a_frame_are_chosen_by_name(iris):
    X, y = iris
    pair = ("petal width (cm)", "sepal length (cm)")
    display = shown(GMLVQ().fit(X, y), X, y, axes=pair)
    assert display.samples.tolist() == X[list(pair)].to_numpy().tolist()
    assert display.axis_names == pair
    assert display.agreement < 1
    assert f"regions hold for {100 * display.agreement:.1f}%" in display.ax_.get_xlabel()


def legend(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_the_legend_names_classes_and_counts_mistakes(iris):
    X, y = iris
    fitted = LGMLVQ().fit(X, y)
    n_wrong = int((fitted.predict(X) != y).sum())
    names = ["setosa", "versicolor", "virginica", "prototype"]
    assert legend(shown(fitted, X, y)) == [*names, f"wrong: {n_wrong} of 150"]
    assert legend(shown(fitted, X)) == names


def test_prototypes_samples_and_regions_of_a_class_have_one_colour(iris):
    X, y = iris
    display = shown(GMLVQ().fit(X, y), X, y)
    colours = display.prototypes_.get_facecolors()[:, :3]
    regions = display.mesh_.get_cmap()(np.arange(3) / 2)[:, :3]
    assert 1 - regions == pytest.approx(0.22 * (1 - colours), abs=1e-6)
    assert len({tuple(colour) for colour in colours}) == 3


def test_many_samples_are_thinned_and_the_figure_says_so():
    rng = np.random.default_rng(0)
    y = np.arange(6000) % 2
    X = rng.normal(size=(6000, 2)) + 3 * y[:, np.newaxis]
    display = shown(GLVQ().fit(X, y), X, y)
    assert len(display.samples) == 6000
    dots = drawn_dots(display)
    assert len(dots) == 5000
    assert "5000 of 6000 samples are drawn" in display.ax_.get_xlabel()
    assert drawn_dots(display.plot()) == dots


def drawn_dots(display):
    parts = [part.get_offsets() for part in display.ax_.collections if part.get_zorder() == 2]
    return np.concatenate(parts).tolist()


def test_more_classes_than_colours_of_the_palette():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 12
    X = rng.normal(scale=0.1, size=(120, 2)) + np.stack([y % 4, y // 4], axis=1)
    display = shown(GLVQ().fit(X, y), X, y)
    assert len({tuple(colour) for colour in display.prototypes_.get_facecolors()}) == 10
    assert set(np.unique(display.regions)) == set(range(12))


# In grey, what has the same shape must differ in lightness.
@pytest.mark.parametrize("n_classes", [3, 14, 32])
def test_classes_differ_without_colour(n_classes):
    y = np.arange(6 * n_classes) % n_classes
    X = np.random.default_rng(0).normal(scale=0.1, size=(len(y), 2))
    X += np.stack([y % 6, y // 6], axis=1)
    display = shown(GLVQ().fit(X, y), X, y)
    handles = display.ax_.get_legend().legend_handles[:n_classes]
    seen = []
    for handle in handles:
        (path,) = handle.get_paths()
        grey = float(handle.get_facecolor()[0, :3] @ [0.3, 0.59, 0.11])
        seen.append((path.vertices.round(6).tobytes(), grey))
    for number, (shape, grey) in enumerate(seen):
        others = [other for path, other in seen[:number] if path == shape]
        assert all(abs(grey - other) > 0.2 for other in others)
    # Each dot has the shape that the legend tells of its class, in whatever order they are drawn.
    right, *_ = [part for part in display.ax_.collections if part.get_zorder() == 2]
    shapes = [path.vertices.round(6).tobytes() for path in right.get_paths()]
    where = {tuple(position): label for position, label in zip(X.tolist(), y.tolist(), strict=True)}
    for position, shape in zip(right.get_offsets().tolist(), shapes, strict=True):
        assert shape == seen[where[tuple(position)]][0]


def test_single_precision_and_options_of_scatter(iris):
    X, y = iris[0].to_numpy(np.float32), iris[1]
    display = shown(GMLVQ().fit(X, y), X, y, s=3)
    assert display.agreement > 0.9


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (
            LogisticRegression(),
            {},
            "estimator must be a model with prototypes, got a LogisticRegression; use one of "
            "abstain.models",
        ),
        (
            GLVQ(),
            {"axes": "directions"},
            "axes must be 'prototypes' or two features for a GLVQ, which learns no directions, got "
            "'directions'",
        ),
        *(
            (
                GLVQ(),
                {"axes": axes},
                "axes must be 'directions', 'prototypes' or two of the 4 features by name or "
                f"number, got {axes!r}",
            )
            for axes in ["petals", (0, 4), (1, 1), (0, 1, 2), ("a", "b"), 3]
        ),
        (GLVQ(), {"grid_resolution": 1}, "grid_resolution must be at least 2, got 1"),
        (GLVQ(), {"grid_resolution": 2.5}, "grid_resolution must be an integer, got 2.5"),
        (
            GLVQ(),
            {"feature_names": ["a"]},
            "feature_names must name each of the 4 features, got 1 names",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(model, options, message, iris):
    X, y = iris[0].to_numpy(), iris[1]
    with pytest.raises(InputError) as caught:
        shown(make_pipeline(StandardScaler(), model).fit(X, y), X, y, **options)
    assert str(caught.value) == message


def test_one_feature_spans_no_plane(iris):
    X, y = iris[0].to_numpy()[:, :1], iris[1]
    with pytest.raises(InputError, match=r"^X must have at least two features .*, got 1$"):
        shown(GLVQ().fit(X, y), X, y)


def test_labels_that_do_not_fit_are_refused(iris):
    X, y = iris
    fitted = GLVQ().fit(X, y)
    with pytest.raises(InputError, match="X has 150, y has 149"):
        shown(fitted, X, y[1:])
    with pytest.raises(InputError, match=r"^y must hold classes that .* got 'rosa'"):
        shown(fitted, X, np.where(y == "setosa", "rosa", y))
