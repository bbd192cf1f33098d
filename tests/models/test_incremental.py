"""Models learn from streams: laws of partial_fit."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler

import abstain
from abstain import InputError, models
from abstain.models import GLVQ, GMLVQ, LGMLVQ, RSLVQ
from abstain.models.incremental import BATCH
from abstain.models.stream_review import WINDOW

ALL = [getattr(models, name) for name in models.__all__]
every_model = pytest.mark.parametrize("model", ALL)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    names = np.array(["setosa", "versicolor", "virginica"])
    return StandardScaler().fit_transform(X)[order], names[y[order]]


def clusters(n_samples, seed=0, n_features=3):
    """Return samples of three classes, each of two clusters."""
    random = np.random.default_rng(seed)
    labels, cluster = random.integers(3, size=n_samples), random.integers(2, size=n_samples)
    centres = np.random.default_rng(1).normal(size=(3, 2, n_features)) * 3
    return centres[labels, cluster] + random.normal(size=(n_samples, n_features)), labels


def learn(model, X, y, rows, **kwargs):
    for start in range(0, len(y), rows):
        model.partial_fit(X[start : start + rows], y[start : start + rows], **kwargs)
    return model


def fitted_attributes(model):
    state = {name: value for name, value in vars(model).items() if name.endswith("_")}
    return state | {f"stream {name}": value for name, value in model._stream.state().items()}


def assert_same(one, other):
    first, second = fitted_attributes(one), fitted_attributes(other)
    assert first.keys() == second.keys()
    for name, value in first.items():
        if isinstance(value, list):
            assert all(map(np.array_equal, value, second[name])), name
        else:
            is_float = np.asarray(value).dtype.kind == "f"
            assert np.array_equal(value, second[name], equal_nan=is_float), name


@every_model
@pytest.mark.parametrize("n_prototypes", ["auto", 2])
def test_how_a_stream_is_cut_changes_no_bit(model, n_prototypes, iris):
    X, y = (np.concatenate([part] * 5) for part in iris)
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.05, np.nan, X)
    X[np.isnan(X).all(axis=1)] = 0
    whole = model(n_prototypes).partial_fit(X, y)
    for rows in (1, 7, 100):
        assert_same(learn(model(n_prototypes), X, y, rows), whole)


@every_model
@pytest.mark.parametrize("resumed", ["saved", "pickled"])
def test_a_resumed_stream_changes_no_bit(model, resumed, iris, tmp_path):
    X, y = (np.concatenate([part] * 3) for part in iris)
    first = model("auto").partial_fit(X[:203], y[:203])
    if resumed == "saved":
        abstain.save(first, tmp_path / "model.abstain")
        again = abstain.load(tmp_path / "model.abstain")
    else:
        again = pickle.loads(pickle.dumps(first))
    assert_same(again, first)
    assert_same(again.partial_fit(X[203:], y[203:]), first.partial_fit(X[203:], y[203:]))


@pytest.mark.parametrize("model", [GLVQ, LGMLVQ, RSLVQ])
def test_names_of_classes_change_no_prototype(model, iris):
    X, y = iris
    renamed = {"setosa": 7, "versicolor": 3, "virginica": 5}
    one = model("auto").partial_fit(X, y)
    other = model("auto").partial_fit(X, [renamed[name] for name in y])
    for name, code in renamed.items():
        own, same = one.prototype_labels_ == name, other.prototype_labels_ == code
        assert other.prototypes_[same] == pytest.approx(one.prototypes_[own], abs=1e-3)


@every_model
def test_several_passes_approach_a_fit(model, iris):
    X, y = iris
    streamed, fitted = model(1), model(1).fit(X, y)
    for _ in range(10):
        streamed.partial_fit(X, y)
    assert streamed.score(X, y) >= fitted.score(X, y) - 0.03
    assert (streamed.predict(X) == fitted.predict(X)).mean() > 0.95


@every_model
def test_a_fit_is_continued(model, iris):
    X, y = iris
    fitted = model(2, random_state=0).fit(X, y)
    before, predicted = fitted.prototypes_.copy(), fitted.predict(X)
    fitted.partial_fit(X[: BATCH - 1], y[: BATCH - 1])
    assert np.array_equal(fitted.prototypes_, before)
    fitted.partial_fit(X, y)
    assert 0 < np.abs(fitted.prototypes_ - before).max() < 1
    assert (fitted.predict(X) == predicted).mean() > 0.93
    # A new fit forgets the stream.
    again = fitted.fit(X, y)
    assert np.array_equal(again.prototypes_, before)
    assert not hasattr(again, "_stream")


@every_model
def test_a_new_class_is_answered_after_it_was_met(model, iris):
    X, y = iris
    is_known = y != "versicolor"
    streamed = model("auto").partial_fit(X[is_known][:60], y[is_known][:60])
    assert streamed.classes_.tolist() == ["setosa", "virginica"]
    new = X[~is_known]
    streamed.partial_fit(new[:1], ["versicolor"])
    assert streamed.predict(new[:1]).tolist() == ["versicolor"]
    assert streamed.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    learn(streamed, X, y, 10)
    assert streamed.score(X, y) > 0.9


@every_model
def test_announced_classes_are_known_before_they_are_met(model, iris):
    X, y = iris
    is_met = y != "versicolor"
    names = np.unique(y)
    streamed = model("auto").partial_fit(X[is_met][:1], y[is_met][:1], classes=names)
    assert streamed.classes_.tolist() == names.tolist()
    assert set(streamed.predict(X)) == {y[is_met][0]}
    assert streamed.decision_function(X).shape == (len(X), 3)
    streamed.partial_fit(X[is_met], y[is_met])
    scores = streamed.decision_function(X)
    assert np.array_equal(names[scores.argmax(axis=1)], streamed.predict(X))
    if hasattr(streamed, "predict_proba"):
        posteriors = streamed.predict_proba(X)
        assert posteriors.sum(axis=1) == pytest.approx(1)
        assert (posteriors[:, 1] == 0).all()
    assert "versicolor" in learn(streamed, X, y, 50).predict(X)


@every_model
def test_classes_that_swap_are_learned_again(model):
    X, y = clusters(2 * WINDOW)
    new_X, new_y = clusters(2 * WINDOW, seed=2)
    swapped = (new_y + 1) % 3
    streamed = learn(model("auto"), X, y, 64)
    before = streamed.score(new_X, new_y)
    assert streamed.score(new_X, swapped) < 0.3
    learn(streamed, new_X, swapped, 64)
    test_X, test_y = clusters(500, seed=3)
    assert streamed.score(test_X, (test_y + 1) % 3) > before - 0.1


@pytest.mark.parametrize("model", [GLVQ, LGMLVQ, RSLVQ])
def test_prototypes_and_state_are_bounded_whatever_comes(model):
    random = np.random.default_rng(0)
    streamed, sizes, numbers = model("auto", max_prototypes=4), [], set()
    for seed in range(40):
        X, y = clusters(100, seed)
        if seed % 4 == 0:
            X, y = X * random.exponential(), random.permutation(y)
        streamed.partial_fit(X, y)
        numbers.add(len(streamed.prototypes_))
        sizes.append(len(pickle.dumps(streamed)))
    assert numbers == {3, 4}
    assert max(sizes) < min(sizes) * 1.1
    # One per class, where these are more.
    streamed.partial_fit(random.normal(size=(30, 3)), np.arange(30))
    assert len(streamed.prototypes_) == 30


@pytest.mark.parametrize(("n_prototypes", "expected"), [(3, [3, 3, 3]), ({1: 2}, [1, 2, 1])])
def test_numbers_of_prototypes_are_those_asked_for(n_prototypes, expected):
    X, y = clusters(600)
    streamed = learn(GMLVQ(n_prototypes), X, y, 50)
    assert np.bincount(streamed.prototype_labels_).tolist() == expected


def test_prototypes_are_inserted_where_the_stream_errs():
    X, y = clusters(3 * WINDOW)
    test_X, test_y = clusters(1000, seed=2)
    one, grown = (learn(GLVQ(n), X, y, 100) for n in (1, "auto"))
    assert 3 < len(grown.prototypes_) < 20
    assert grown.score(test_X, test_y) > one.score(test_X, test_y) + 0.05


@every_model
def test_any_first_samples_will_do(model):
    streamed = model("auto").partial_fit([[1.0, np.nan]], ["b"])
    assert streamed.predict([[9.0, 9.0]]).tolist() == ["b"]
    # One class for long, the same sample again and again, a constant feature, then another class.
    for _ in range(3):
        streamed.partial_fit(np.ones((40, 2)), ["b"] * 40)
    streamed.partial_fit([[5.0, 1.0]] * 40, ["a"] * 40)
    assert streamed.predict([[5.0, 1.0], [1.0, 1.0]]).tolist() == ["a", "b"]
    assert np.isfinite(streamed.prototypes_).all()


@every_model
def test_float32_stays_float32(model, iris):
    X, y = iris
    streamed = model("auto").partial_fit(X.astype(np.float32), y).partial_fit(X, y)
    assert streamed.prototypes_.dtype == streamed.decision_function(X).dtype == np.float32


@pytest.mark.parametrize("model", [GLVQ, RSLVQ])
@pytest.mark.parametrize(("scale", "shift"), [(1e8, 0.0), (1e-8, 0.0), (1.0, 1e6)])
def test_units_and_origin_do_not_matter(model, scale, shift, iris):
    X, y = (np.concatenate([part] * 4) for part in iris)
    plain = model("auto").partial_fit(X, y)
    other = model("auto").partial_fit(X * scale + shift, y)
    same = other.predict(X * scale + shift) == plain.predict(X)
    assert same.mean() > 0.98


@pytest.mark.parametrize("model", [GMLVQ, RSLVQ])
@pytest.mark.parametrize("value", [1e5, 1e30, 1e100])
def test_a_few_samples_far_away_spoil_nothing(model, value, iris):
    X, y = (np.concatenate([part] * 4) for part in iris)
    streamed = model("auto").partial_fit(X, y)
    for far in (value, -value):
        streamed.partial_fit(np.full((1, 4), far), y[:1])
        assert np.isfinite(streamed.prototypes_).all()
    assert learn(streamed, X, y, 100).score(X, y) > 0.9


def test_one_feature_that_varies_among_many_is_learned():
    random = np.random.default_rng(0)
    X, y = np.zeros((200, 12_000)), np.arange(200) % 2
    X[:, 7] = 9 * y + random.normal(size=200)
    assert GLVQ(1).partial_fit(X, y).score(X, y) > 0.95


def test_samples_of_weight_0_change_nothing(iris):
    X, y = iris
    weights = np.arange(len(y)) % 3
    weighted = GMLVQ().partial_fit(X, y, sample_weight=weights)
    kept = weights > 0
    assert_same(weighted, GMLVQ().partial_fit(X[kept], y[kept], sample_weight=weights[kept]))


def test_heavy_classes_are_predicted_more_often():
    random = np.random.default_rng(0)
    y = random.integers(2, size=2000)
    X = y[:, np.newaxis] + random.normal(size=(2000, 2))
    plain, weighted = (
        learn(RSLVQ(1, class_weight=weight), X, y, 100).predict(X).mean()
        for weight in (None, {1: 5.0})
    )
    assert weighted > plain + 0.05


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"X": [[1.0, 2.0, 3.0]], "y": ["setosa"]}, "3 features"),
        ({"X": [[1.0, 2.0, 3.0, np.inf]], "y": ["setosa"]}, "infinity"),
        ({"X": [[np.nan] * 4], "y": ["setosa"]}, "some value in each row"),
        ({"X": [[1.0] * 4], "y": [None]}, "missing label"),
        ({"X": [[1.0] * 4], "y": [3]}, "labels like those of the stream"),
        ({"X": [[1.0] * 4], "y": ["setosa"], "classes": [1, 2]}, "classes must hold labels like"),
        ({"X": [[1.0] * 4], "y": ["setosa"], "sample_weight": [-1.0]}, "[Nn]egative"),
    ],
)
def test_bad_input_is_refused_and_changes_nothing(arguments, says, iris):
    streamed = GLVQ().partial_fit(*iris)
    before = pickle.dumps(streamed)
    with pytest.raises(ValueError, match=says):
        streamed.partial_fit(**arguments)
    assert pickle.dumps(streamed) == before


def test_dask_collections_are_refused(iris):
    array = pytest.importorskip("dask.array")
    X, y = iris
    with pytest.raises(InputError, match="X must be in memory for partial_fit"):
        GLVQ().partial_fit(array.from_array(X), y)


def test_prototypes_are_given_to_fit_only(iris):
    X, y = iris
    model = GLVQ(1, init=X[:3])
    with pytest.raises(InputError, match="must be one of"):
        model.partial_fit(X, y)
    assert model.fit(X, y).partial_fit(X, y).score(X, y) > 0.9


def test_max_prototypes_is_a_positive_integer(iris):
    with pytest.raises(InputError, match="max_prototypes must be a positive integer"):
        GLVQ(max_prototypes=0).partial_fit(*iris)
