"""On a cluster of processes a model is what it is on one machine, to rounding."""

import os
import signal
import subprocess
import sys
from itertools import pairwise

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from abstain import InputError
from abstain._scale.cluster import open_cluster
from abstain._scale.computing import PersistedBlocks
from abstain.models import GLVQ, GMLVQ, GRLVQ, LGMLVQ, LMRSLVQ, MRSLVQ, RSLVQ, on_dask
from abstain.models.data import Rows
from abstain.models.on_dask import draw, merge_drawn, merge_summaries, read_block, summarise
from tests.examples import examples

MODELS = [GLVQ, GRLVQ, GMLVQ, LGMLVQ, RSLVQ, MRSLVQ, LMRSLVQ]
CHUNKS = (1, 0, 500, 37, 400, 262)
NAMES = np.array(["ash", "beech", "fir"])
pytestmark = pytest.mark.filterwarnings(
    f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning"
)


def sample(n_samples=1200, n_features=4, missing=0.0, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=n_samples)
    X = rng.normal(size=(n_samples, n_features)) + 1.5 * rng.normal(size=(3, n_features))[labels]
    X[rng.random(X.shape) < missing] = np.nan
    X[np.isnan(X).all(axis=1)] = 0
    return X, NAMES[labels], rng.integers(0, 4, size=n_samples) / 2


def as_dask(*arrays, chunks=CHUNKS):
    return [da.from_array(each, chunks=(chunks, *(-1,) * (each.ndim - 1))) for each in arrays]


def assert_alike(fitted, expected, X):
    assert fitted.n_iter_ == expected.n_iter_
    assert fitted.loss_ == pytest.approx(expected.loss_, rel=1e-9)
    assert np.array_equal(fitted.classes_, expected.classes_)
    for name in ("prototypes_", "relevances_", "sigma2_"):
        if hasattr(expected, name):
            ours, theirs = getattr(fitted, name), getattr(expected, name)
            assert isinstance(ours, np.ndarray)
            assert ours.dtype == theirs.dtype
            np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-9)
    assert np.array_equal(fitted.predict(X), expected.predict(X))


def bits(model):
    return model.prototypes_.tobytes(), model.loss_, model.n_iter_


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_all_models_end_where_they_do_on_one_machine(client, model, missing):
    X, y, weights = sample(missing=missing)
    estimator = model(1, max_iter=8, class_weight="balanced")
    fitted = model(**estimator.get_params()).fit(*as_dask(X, y, weights))
    assert_alike(fitted, estimator.fit(X, y, weights), X)


def test_until_it_converges(client):
    X, y, _ = sample()
    assert_alike(GMLVQ(1).fit(*as_dask(X, y)), GMLVQ(1).fit(X, y), X)


@pytest.mark.parametrize(
    "options",
    [
        {"n_prototypes_per_class": {"ash": 3, "fir": 2}},
        {"n_prototypes_per_class": 2, "init": "random"},
        {"init": np.repeat([[0.0], [1.0], [-1.0]], 4, axis=1)},
        {"n_components": 2, "class_weight": {"fir": 3.0}},
    ],
    ids=lambda options: "-".join(options),
)
def test_other_starts(client, options):
    X, y, weights = sample(missing=0.1)
    estimator = GMLVQ(**{"n_prototypes_per_class": 1, "max_iter": 8, "random_state": 5} | options)
    fitted = GMLVQ(**estimator.get_params()).fit(*as_dask(X, y, weights))
    assert_alike(fitted, estimator.fit(X, y, weights), X)


# Too many samples to start from all of them: other centres, of about the same cost.
def test_a_bounded_sample_to_start_from(client, monkeypatch):
    monkeypatch.setattr(on_dask, "MAX_START_SAMPLES", 60)
    X, y, _ = sample()
    estimator = GLVQ(2, random_state=0, max_iter=50)
    models = [GLVQ(**estimator.get_params()).fit(*as_dask(X, y)) for _ in range(2)]
    assert bits(models[0]) == bits(models[1])
    assert models[0].loss_ == pytest.approx(estimator.fit(X, y).loss_, rel=0.05)


# 5% of the cost: the batches of blocks are other batches than those of all samples.
@pytest.mark.parametrize("model", [GLVQ, GMLVQ, MRSLVQ], ids=lambda model: model.__name__)
def test_adam_reaches_about_the_same_cost(client, model):
    X, y, weights = sample(8000, missing=0.05)
    estimator = model(1, solver="adam", max_iter=15, random_state=0)
    chunks = (3000, 1000, 0, 2500, 1500)
    fitted = model(**estimator.get_params()).fit(*as_dask(X, y, weights, chunks=chunks))
    on_one = estimator.fit(X, y, weights)
    assert fitted.loss_ == pytest.approx(on_one.loss_, rel=0.05)
    assert np.mean(fitted.predict(X) == on_one.predict(X)) > 0.97


# Sums are added in the order of the blocks, on any worker.
@pytest.mark.parametrize("solver", ["lbfgs", "adam"])
def test_threads_give_the_same_bits_as_processes(client, solver):
    data = as_dask(*sample(missing=0.1))
    options = {"n_prototypes_per_class": 1, "solver": solver, "max_iter": 5, "random_state": 0}
    fitted = GMLVQ(**options).fit(*data)
    with dask.config.set(scheduler="threads"):
        again = GMLVQ(**options).fit(*data)
    assert bits(fitted) == bits(again)


def test_more_blocks_than_segments(client, monkeypatch):
    monkeypatch.setattr(on_dask, "SEGMENTS", 3)
    X, y, _ = sample()
    fitted = GLVQ(1, max_iter=5).fit(*as_dask(X, y, chunks=100))
    assert_alike(fitted, GLVQ(1, max_iter=5).fit(X, y), X)


def test_frames_keep_their_names(client):
    X, y, _ = sample()
    frame = pd.DataFrame(X, columns=["height", "width", "depth", "age"])
    partitions = dd.from_pandas(frame.assign(tree=y), npartitions=4)
    fitted = GRLVQ(1, max_iter=5).fit(partitions[list(frame.columns)], partitions["tree"])
    expected = GRLVQ(1, max_iter=5).fit(frame, y)
    assert fitted.feature_names_in_.tolist() == expected.feature_names_in_.tolist()
    assert fitted.n_features_in_ == 4
    assert_alike(fitted, expected, frame)


def test_lengths_that_nobody_knows_and_columns_in_chunks(client):
    X, y, _ = sample()
    there, labels = as_dask(X, y)
    chosen = there[:, 0] > 0
    fitted = GLVQ(1, max_iter=5).fit(there.rechunk({1: 3})[chosen], labels[chosen])
    own = X[:, 0] > 0
    assert_alike(fitted, GLVQ(1, max_iter=5).fit(X[own], y[own]), X)


def test_float32_stays_float32(client):
    X, y, _ = sample()
    fitted = GMLVQ(1, max_iter=3).fit(*as_dask(X.astype(np.float32), y))
    expected = GMLVQ(1, max_iter=3).fit(X.astype(np.float32), y)
    assert fitted.prototypes_.dtype == np.float32
    np.testing.assert_allclose(fitted.prototypes_, expected.prototypes_, rtol=1e-3, atol=1e-4)


def test_an_interrupted_fit_is_resumed(client, monkeypatch, capsys):
    data = as_dask(*sample()[:2])
    whole = RSLVQ(1, max_iter=12, tol=0, verbose=4).fit(*data)
    printed = capsys.readouterr().out
    assert [line.split(",")[0] for line in printed.splitlines()] == [
        f"RSLVQ: iteration {number}" for number in (4, 8, 12)
    ]
    stopped, evaluate, calls = RSLVQ(1, warm_start=True), PersistedBlocks.sum, []

    def interrupt(*arguments):
        calls.append(1)
        if len(calls) == 7:
            raise KeyboardInterrupt
        return evaluate(*arguments)

    monkeypatch.setattr(PersistedBlocks, "sum", interrupt)
    with pytest.raises(KeyboardInterrupt):
        stopped.fit(*data)
    assert 0 < stopped.n_iter_ < 7
    so_far = stopped.loss_
    assert stopped.set_params(max_iter=12).fit(*data).loss_ < so_far
    assert stopped.loss_ == pytest.approx(whole.loss_, rel=0.05)


# --- chunks and their merging -------------------------------------------------------------------


@examples(0.5)
@given(st.lists(st.integers(0, 60), max_size=5), st.integers(0, 5))
def test_summaries_of_chunks_make_that_of_all(cuts, seed):
    X, y, weights = sample(60, missing=0.2, seed=seed)
    bounds = [0, *sorted(cuts), 60]
    parts = [
        summarise(4, X[start:stop], y[start:stop], weights[start:stop])
        for start, stop in pairwise(bounds)
    ]
    merged, whole = merge_summaries(parts), summarise(4, X, y, weights)
    assert merged.labels.tolist() == whole.labels.tolist()
    assert merged.sizes.tolist() == whole.sizes.tolist()
    for name in ("weights", "sums", "present", "has_value"):
        np.testing.assert_allclose(getattr(merged, name), getattr(whole, name), rtol=1e-12)
    np.testing.assert_array_equal(merged.ranges, whole.ranges)
    assert sum(merged.block_sizes) == sum(whole.block_sizes) == np.count_nonzero(weights)


# The same rows whichever way chunks are merged, as many as asked for, and each of its class.
@examples(0.3)
@given(st.integers(1, 40), st.integers(1, 4))
def test_drawing_from_chunks_is_drawing_from_all(limit, first):
    X, y, _ = sample(100)
    limits = {0: limit, 2: 5}
    parts = [
        draw(limits, 7, read_block(NAMES, np.ones(3), X.dtype, X[rows], y[rows]), number)
        for number, rows in enumerate(np.array_split(np.arange(100), 5))
    ]
    at_once = merge_drawn(limits, parts)
    by_two = merge_drawn(
        limits, [merge_drawn(limits, parts[:first]), merge_drawn(limits, parts[first:])]
    )
    for ours, theirs in zip(at_once.rows, by_two.rows, strict=True):
        assert np.array_equal(ours, theirs)
    rows = Rows(*at_once.rows)
    sizes = np.bincount(np.searchsorted(NAMES, y))
    assert np.bincount(rows.labels, minlength=3).tolist() == [min(limit, sizes[0]), 0, 5]
    known = {(*values, name) for values, name in zip(X.tolist(), y.tolist(), strict=True)}
    assert {
        (*values, NAMES[label].item())
        for values, label in zip(rows.samples.tolist(), rows.labels.tolist(), strict=True)
    } <= known


# --- what goes wrong ----------------------------------------------------------------------------


def spoil(position, value, which=0):
    def change(*arrays):
        arrays[which][position] = value
        return arrays

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (spoil((905, 1), np.inf), r"Input X contains infinity .* \(in block 9\)"),
        (spoil(905, np.nan), r"got only NaN in row 5; drop it \(in block 9\)"),
        (spoil((slice(None), 2), np.nan), "got only NaN in column 2; drop it$"),
        (spoil(310, None, 1), r"y must hold no missing label, got None at index 10; .*block 3\)"),
        (spoil(7, -1.0, 2), r"not negative, got -1.0 at index 7 \(in block 0\)"),
        (spoil(7, np.nan, 2), r"sample_weight must hold no missing value.* \(in block 0\)"),
        (spoil(slice(None), "fir", 1), "y must hold at least two classes, got one class: fir"),
    ],
)
def test_a_bad_value_names_its_block(client, change, said):
    X, y, weights = sample()
    data = as_dask(*change(X, y.astype(object), weights), chunks=100)
    with pytest.raises(InputError, match=said) as caught:
        GLVQ(1, max_iter=2).fit(*data)
    assert "\n" not in str(caught.value)


def later_by_number(labels, block_info=None):
    is_late = block_info[0]["chunk-location"][0] > 4
    return np.searchsorted(NAMES, labels) if is_late else labels


@pytest.mark.parametrize(
    ("change", "options", "said"),
    [
        (lambda X, y, w: (X, y.compute(), w), {}, "y must be a Dask collection chunked like"),
        (lambda X, y, w: (X, y, w.compute()), {}, "sample_weight must be a Dask collection"),
        (lambda X, y, w: (X, y.rechunk(70), w), {}, r"y must be chunked like X, got \d+ blocks"),
        (lambda X, y, w: (X, None, w), {}, "y must hold the class of each sample, got None"),
        (lambda X, y, w: (X[:, 0], y, w), {}, "X must be two-dimensional, got 1 dimension"),
        (lambda X, y, w: (X[:0], y[:0], w[:0]), {}, "X must hold at least one sample, got 0"),
        (lambda X, y, w: (X, X[:, 0], w), {}, r"Unknown label type: continuous.* \(in block \d+\)"),
        (lambda X, y, w: (X, y, w * (y != "fir")), {}, "must leave each class some weight"),
        (
            lambda X, y, w: (X, y.map_blocks(later_by_number, dtype=object), w),
            {},
            "y must hold labels of one kind",
        ),
        (lambda *data: data, {"class_weight": {"oak": 2}}, "class_weight must name classes of y"),
        (lambda *data: data, {"n_components": 9}, "n_components must be at most the 4 features"),
        (lambda *data: data, {"n_prototypes_per_class": 9**4}, "n_prototypes_per_class must be"),
    ],
)
def test_what_cannot_be_fitted(change, options, said):
    data = change(*as_dask(*sample(), chunks=100))
    with (
        dask.config.set(scheduler="threads"),
        pytest.raises(InputError, match=said) as caught,
    ):
        GMLVQ(max_iter=2, **options).fit(*data)
    assert "\n" not in str(caught.value)


def test_trees_of_a_forest(client, covtype, read_in_blocks, tmp_path):
    X, y = covtype
    chunked = read_in_blocks(X, tmp_path, 50_000), da.from_array(y, chunks=50_000)
    fitted = GMLVQ(1, max_iter=2).fit(*chunked)
    expected = GMLVQ(1, max_iter=2).fit(X, y)
    assert len(X) == 581_012
    assert fitted.n_iter_ == expected.n_iter_ == 2
    assert fitted.loss_ == pytest.approx(expected.loss_, rel=1e-12)
    np.testing.assert_allclose(fitted.prototypes_, expected.prototypes_, rtol=1e-9)
    ours, theirs = (model.omega_.T @ model.omega_ for model in (fitted, expected))
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


def test_dask_is_imported_only_where_it_is_used():
    code = (
        "import sys, abstain; abstain.models.GLVQ(1).fit([[0.0], [1.0]], [0, 1]); "
        "print('dask' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "False"


# --- a worker dies ------------------------------------------------------------------------------


def kill_one(client):
    victim = next(iter(client.run(os.getpid).values()))
    os.kill(victim, signal.SIGKILL)


@pytest.mark.parametrize(
    ("solver", "place", "name", "turn"),
    [("lbfgs", PersistedBlocks, "sum", 5), ("adam", on_dask.DaskBatches, "run_epoch", 2)],
)
def test_a_killed_worker_changes_nothing(client, monkeypatch, solver, place, name, turn):
    data = as_dask(*sample(4000), chunks=500)
    options = {"n_prototypes_per_class": 1, "solver": solver, "max_iter": 7, "random_state": 0}
    expected = GMLVQ(**options).fit(*data)
    before, calls = getattr(place, name), []

    def after_a_death(*arguments):
        calls.append(1)
        if len(calls) == turn:
            kill_one(client)
        return before(*arguments)

    monkeypatch.setattr(place, name, after_a_death)
    with_a_death = GMLVQ(**options).fit(*data)
    assert len(calls) > turn
    assert bits(with_a_death) == bits(expected)


# Nobody is left for a moment: what was to be done on the one that died is done on its successor.
@pytest.mark.cluster
@pytest.mark.parametrize("solver", ["lbfgs", "adam"])
def test_the_only_worker_may_die(solver, monkeypatch):
    data = as_dask(*sample(4000), chunks=500)
    options = {"n_prototypes_per_class": 1, "solver": solver, "max_iter": 4, "random_state": 0}
    total, calls = PersistedBlocks.sum, []
    with open_cluster("local", n_workers=1) as client:
        expected = GMLVQ(**options).fit(*data)

        def kill_before(*arguments):
            calls.append(1)
            if len(calls) == 2:
                kill_one(client)
            return total(*arguments)

        monkeypatch.setattr(PersistedBlocks, "sum", kill_before)
        with_a_death = GMLVQ(**options).fit(*data)
    assert len(calls) > 2
    assert bits(with_a_death) == bits(expected)
