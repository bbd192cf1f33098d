"""The number of prototypes that is found suits the data, and costs no law of the models."""

import warnings

import dask.array as da
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from abstain import InputError, load, models, save
from abstain.models import GLVQ, GMLVQ, GRLVQ, LGMLVQ, RSLVQ, insertion
from abstain.models.costs import labelled_blocks
from abstain.models.insertion import (
    Methods,
    Model,
    Stage,
    cluster_means,
    earn_something,
    find_cells,
    weighted_errors,
)
from tests.examples import examples
from tests.reference.models import distance, glvq_loss, weighted_error

ALL = [getattr(models, name) for name in models.__all__]
every_model = pytest.mark.parametrize("model", ALL)


def crossed(n_samples=400, seed=0):
    """Two classes of two clusters each, on the corners of a square: none has a centre."""
    rng = np.random.default_rng(seed)
    corners = rng.integers(2, size=(n_samples, 2))
    X = 4 * corners + rng.normal(size=(n_samples, 2))
    return X, np.array(["equal", "unequal"])[corners[:, 0] ^ corners[:, 1]]


def uneven(n_samples=400, seed=0):
    """Two classes of two clusters each, where rounding tips no balance."""
    rng = np.random.default_rng(seed)
    cluster = rng.choice(4, size=n_samples, p=[0.4, 0.3, 0.2, 0.1])
    X = np.array([[0, 0], [5, 6], [6, 0], [0, 4]])[cluster] + rng.normal(size=(n_samples, 2))
    return X, np.array(["equal", "unequal"])[cluster // 2]


def ordered(model):
    return model.prototypes_[np.lexsort((model.prototypes_[:, 0], model.prototype_labels_))]


def normal(n_samples=600, seed=0):
    """Three classes of one cluster each."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % 3
    return rng.normal(size=(n_samples, 2)) + 2 * np.eye(3, 2)[y], y


@every_model
def test_classes_of_several_clusters_get_several_prototypes(model):
    X, y = crossed()
    fitted = model("auto", random_state=0).fit(X, y)
    assert fitted.score(X, y) > 0.94
    assert fitted.prototype_labels_.tolist() == sorted(fitted.prototype_labels_)
    assert GLVQ(1).fit(X, y).score(X, y) < 0.8


@pytest.mark.parametrize("model", [GLVQ, GMLVQ, LGMLVQ])
def test_classes_of_one_cluster_mostly_keep_one_prototype(model):
    counts = [len(model("auto", random_state=0).fit(*normal(seed=s)).prototypes_) for s in range(5)]
    assert np.median(counts) == 3


# A few samples per class leave no room for more than one prototype each: nothing is looked for.
@every_model
def test_few_samples_get_the_ordinary_fit(model):
    X, y = load_iris(return_X_y=True)
    auto, one = (model(number, random_state=0).fit(X, y) for number in ("auto", 1))
    assert np.array_equal(auto.prototypes_, one.prototypes_)


@given(
    n_samples=st.integers(60, 400),
    shares=st.lists(st.integers(1, 20), min_size=2, max_size=4),
    seed=st.integers(0, 9),
)
@examples(0.2)
def test_there_are_never_more_prototypes_than_the_cap(n_samples, shares, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, 2)).round(1)
    chances = np.array(shares) / sum(shares)
    y = np.append(
        np.arange(len(shares)), rng.choice(len(shares), n_samples - len(shares), p=chances)
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "no training sample is predicted as")
        fitted = GLVQ("auto", random_state=seed).fit(X, y)
    assert len(fitted.prototypes_) <= max(len(shares), insertion.SHARE * n_samples)
    assert set(fitted.prototype_labels_) == set(range(len(shares)))


@pytest.mark.parametrize("model", [GLVQ, GMLVQ, LGMLVQ, RSLVQ])
@pytest.mark.parametrize("seed", [3, None])
def test_the_same_seed_gives_the_same_model_and_so_does_none(model, seed):
    first, second = (model("auto", random_state=seed).fit(*crossed()) for _ in range(2))
    assert np.array_equal(first.prototypes_, second.prototypes_)


# Equal rows are never split between the samples that are fitted to and those that are left out.
@pytest.mark.parametrize("model", [GLVQ, GRLVQ, GMLVQ, RSLVQ])
def test_a_weight_is_a_repeated_row_and_no_order_matters(model):
    X, y = uneven()
    weights = np.arange(len(y)) % 3 + 1
    weighted = model("auto", random_state=0).fit(X, y, sample_weight=weights)
    rows = np.random.default_rng(0).permutation(np.repeat(np.arange(len(y)), weights))
    repeated = model("auto", random_state=0).fit(X[rows], y[rows])
    assert len(weighted.prototypes_) > 2
    assert ordered(repeated) == pytest.approx(ordered(weighted), abs=0.02)


def test_the_names_of_the_classes_do_not_matter():
    X, y = uneven()
    names = np.where(y == "equal", "z", "a")
    plain, renamed = (GMLVQ("auto", random_state=0).fit(X, each) for each in (y, names))
    turned = np.roll(ordered(renamed), np.count_nonzero(renamed.prototype_labels_ == "z"), axis=0)
    assert len(plain.prototypes_) > 2
    assert turned == pytest.approx(ordered(plain), abs=0.02)


@pytest.mark.parametrize("model", [GLVQ, GMLVQ, LGMLVQ, RSLVQ])
def test_missing_values_are_left_out_of_cells_too(model):
    X, y = crossed(800)
    X = np.column_stack([X, X])  # each value is there twice
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    X[np.isnan(X).all(axis=1)] = 0
    assert model("auto", random_state=0).fit(X, y).score(X, y) > 0.85


@pytest.mark.parametrize("beta", [None, 40.0])
def test_any_transfer_function_will_do(beta):
    X, y = crossed()
    assert GLVQ("auto", beta=beta, random_state=0).fit(X, y).score(X, y) > 0.9


def test_float32_stays_float32():
    X, y = crossed()
    assert GMLVQ("auto", random_state=0).fit(X.astype(np.float32), y).prototypes_.dtype == "float32"


@pytest.mark.parametrize("model", [GMLVQ, LGMLVQ, RSLVQ])
def test_a_warm_start_keeps_the_prototypes_that_were_found(model):
    X, y = crossed()
    fitted = model("auto", warm_start=True, random_state=0).fit(X, y)
    before, labels = fitted.loss_, fitted.prototype_labels_
    fitted.fit(X, y)
    assert np.array_equal(fitted.prototype_labels_, labels)
    assert fitted.loss_ <= before + 1e-6
    with pytest.raises(InputError, match="warm_start must continue with the same prototypes"):
        fitted.fit(X, np.where(y == "equal", "other", y))


@pytest.mark.parametrize("model", [GLVQ, GMLVQ])
def test_an_array_of_prototypes_leaves_one_per_class(model):
    X, y = crossed()
    init = [[0.0, 0.0], [4.0, 0.0]]
    auto, one = (model(number, init=init).fit(X, y) for number in ("auto", 1))
    assert np.array_equal(auto.prototypes_, one.prototypes_)
    with pytest.raises(InputError, match=r"init must be .* of shape \(2, 2\)"):
        model("auto", init=[*init, [4.0, 4.0]]).fit(X, y)


def test_an_array_of_bandwidths_leaves_one_prototype_per_class():
    assert len(RSLVQ("auto", sigma2=[1.0, 1.0], random_state=0).fit(*crossed()).prototypes_) == 2
    with pytest.raises(InputError, match="one for each of the 2 prototypes"):
        RSLVQ("auto", sigma2=[1.0, 1.0, 1.0]).fit(*crossed())
    with pytest.raises(InputError, match="sigma2 must be positive"):
        RSLVQ("auto", sigma2=[[1.0], [1.0, 1.0]]).fit(*crossed())


@pytest.mark.parametrize(
    "parameters",
    [{"init": "random"}, {"solver": "adam"}, {"sigma2": "local"}],
)
def test_it_starts_as_told_and_ends_in_the_ordinary_fit(parameters):
    X, y = crossed()
    assert RSLVQ("auto", **parameters, random_state=0).fit(X, y).score(X, y) > 0.9


def test_it_tells_what_it_does(capsys):
    X, y = crossed()
    fitted = GLVQ("auto", verbose=1000, random_state=0).fit(X, y)
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first.startswith("GLVQ: 2 prototypes, certainty-weighted error 0.")
    n_prototypes = len(fitted.prototypes_)
    assert last == f"GLVQ: starts with {n_prototypes} prototypes, {n_prototypes // 2} per class"
    GLVQ("auto", random_state=0).fit(X, y)
    assert not capsys.readouterr().out


@pytest.mark.parametrize("most", [20_000, 100])
def test_dask_arrays_grow_on_the_same_samples_or_on_some_of_them(most, monkeypatch):
    monkeypatch.setattr(insertion, "MOST_SAMPLES", most)
    monkeypatch.setattr(insertion, "LEAST_OF_CLASS", 60)
    X, y = uneven()
    blocks = da.from_array(X, chunks=(150, 2)), da.from_array(y, chunks=150)
    fitted, expected = GLVQ("auto", random_state=0), GLVQ("auto", random_state=0).fit(X, y)
    fitted.fit(*blocks)
    if most > len(y):
        assert ordered(fitted) == pytest.approx(ordered(expected), abs=0.02)
    assert len(fitted.prototypes_) <= 0.02 * min(len(y), max(most, 120))


def test_a_model_that_was_grown_is_saved_and_loaded(tmp_path):
    X, y = crossed()
    fitted = LGMLVQ("auto", random_state=0).fit(X, y)
    save(fitted, tmp_path / "model.abstain")
    loaded = load(tmp_path / "model.abstain")
    assert loaded.n_prototypes_per_class == "auto"
    assert np.array_equal(loaded.predict(X), fitted.predict(X))


# By the formulas, sample by sample: what would be lost without each prototype?
def test_what_a_prototype_earns_is_the_doubt_that_would_rise_without_it():
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(40, 2)), rng.uniform(0.5, 2, 40)
    labels, classes = rng.integers(2, size=40), np.array([0, 0, 0, 1, 1])
    prototypes = rng.normal(size=(5, 2))
    model = GLVQ(beta=3.0)
    blocks = labelled_blocks(X, labels, weights, insertion.UNSCALED)
    problem = _Problem(blocks, model._distance())
    cells = find_cells(
        problem,
        Model(classes, [prototypes], model._loss(problem)),
        Methods(None, model._doubts, print),
    )

    def total(chosen):
        return sum(
            weight
            * glvq_loss(
                [distance(x, w, np.eye(2)) for w in prototypes[chosen]], classes[chosen], y, 3
            )
            for x, y, weight in zip(X, labels, weights, strict=True)
        )

    everything = np.arange(5)
    expected = [total(np.delete(everything, j)) - total(everything) for j in everything]
    assert cells.earned == pytest.approx(np.array(expected))
    assert cells.doubt.sum() == pytest.approx(total(everything))


class _Problem:
    def __init__(self, blocks, distance):
        self.blocks, self.distance = blocks, distance


@pytest.mark.parametrize("seed", range(10))
def test_a_cell_of_two_clusters_is_split_between_them(seed):
    rng = np.random.default_rng(seed)
    is_second = np.arange(60) < 20
    X, weights = rng.normal(size=(60, 3)), rng.uniform(0.5, 2, 60)
    X[:, 0] += 1e3 * is_second
    means = cluster_means(X, X, weights, seed)
    expected = [np.average(X[own], axis=0, weights=weights[own]) for own in (~is_second, is_second)]
    assert means[means[:, 0].argsort()] == pytest.approx(np.array(expected))


def test_samples_that_are_alike_are_one_cluster():
    assert not cluster_means(np.zeros((12, 2)), np.zeros((12, 2)), np.ones(12), 0).any()


def test_growth_ends_where_no_errors_are_left(capsys):
    X, y = normal()
    GLVQ("auto", verbose=1000, random_state=0).fit(X + 50 * np.eye(3, 2)[y], y)
    tried, _ = capsys.readouterr().out.splitlines()
    assert tried == "GLVQ: 3 prototypes, certainty-weighted error 0.0000"


def test_of_each_class_at_most_one_prototype_is_dropped_and_never_the_last():
    classes, earned = np.array([0, 0, 0, 1, 2, 2]), np.array([0.0, -1.0, 2.0, -5.0, 0.1, 0.2])
    assert earn_something(classes, earned).tolist() == [True, False, True, True, True, True]


@given(st.data())
@examples(0.5)
def test_the_weighted_error_is_the_error_rate_and_the_share_of_less_certain_samples(data):
    doubts = (
        np.array(data.draw(st.lists(st.integers(0, 40), min_size=1, max_size=40, unique=True))) / 40
    )
    weights = np.array(data.draw(st.lists(st.integers(1, 4), min_size=40, max_size=40)), float)
    weights = weights[: len(doubts)]
    certainties = np.abs(doubts - 0.5) + np.arange(len(doubts)) * 1e-9
    errors = weighted_errors(np.where(doubts > 0.5, 0.5 + certainties, 0.5 - certainties), weights)
    assert errors == pytest.approx(weighted_error(certainties, doubts > 0.5, weights))


def test_a_stage_is_worse_if_its_error_is_a_standard_error_higher():
    weights, none = np.ones(100), np.zeros(100)
    mixed, many = none.copy(), none.copy()
    mixed[:5], mixed[5:9], many[:10] = 1, -1, 1
    assert not Stage(2, mixed, weights).is_worse_than(Stage(4, none, weights))
    assert Stage(2, many, weights).is_worse_than(Stage(4, none, weights))
    assert not Stage(2, none, weights).is_worse_than(Stage(4, many, weights))


def test_a_class_that_is_never_predicted_is_told_with_what_to_do():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(1000) < 20, "rare", "common")
    X = rng.normal(size=(1000, 3)) + 0.3 * (y == "rare")[:, np.newaxis]
    message = "no training sample is predicted as 'rare'; set class_weight=\"balanced\""
    with pytest.warns(UserWarning, match=message):
        GLVQ().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        GLVQ(class_weight="balanced").fit(X, y)
    with pytest.warns(UserWarning, match="the features may not tell it from other classes"):
        GLVQ(class_weight="balanced").fit(np.ones_like(X), y)
