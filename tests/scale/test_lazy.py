"""Of Dask arrays and frames, models give lazy Dask arrays of what they give of each block."""

import subprocess
import sys

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.base import tokenize
from sklearn import config_context
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError

from abstain import GLVQ, GMLVQ, LGMLVQ, RSLVQ, InputError

METHODS = ("distances", "apply", "predict", "decision_function", "predict_proba", "transform")
CHUNKS = (0, 50, 1, 98, 0, 1)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def by_hand(method, X, chunks):
    """Ask about one block after the other on one machine, those without samples left out."""
    blocks = np.split(X, np.cumsum(chunks)[:-1])
    return np.concatenate([method(block) for block in blocks if len(block)])


def test_fits_with_equal_parameters_have_different_tokens(iris):
    X, y = iris
    model, same, other = GLVQ(1).fit(X, y), GLVQ(1).fit(X, y), GLVQ(1).fit(2 * X, y)
    assert tokenize(model) == tokenize(same)
    assert tokenize(model.predict) != tokenize(other.predict)
    assert tokenize(GLVQ(1)) != tokenize(GLVQ(1, beta=1.0)) != tokenize(RSLVQ(1))


@pytest.mark.parametrize(
    ("kind", "dtype"), [(GLVQ, np.float64), (GMLVQ, np.float32), (LGMLVQ, float), (RSLVQ, float)]
)
def test_blocks_give_what_they_give_alone(client, iris, kind, dtype):
    X, y = iris[0].astype(dtype), np.array(["one", "two", "three"])[iris[1]]
    model = kind(max_iter=20, tol=1e-2).fit(X, y)
    lazy = da.from_array(X, chunks=(CHUNKS, (3, 1)))  # columns may be cut too
    methods = {name: getattr(model, name) for name in METHODS if hasattr(model, name)}
    answers = {name: method(lazy) for name, method in methods.items()}
    for name, values in dask.compute(answers)[0].items():
        result, whole = answers[name], methods[name](X)
        assert isinstance(result, da.Array)
        assert result.chunks[0] == CHUNKS, name
        assert (result.shape, result.dtype) == (whole.shape, whole.dtype), name
        assert values.dtype == whole.dtype
        assert np.array_equal(values, by_hand(methods[name], X, CHUNKS)), name


def test_two_classes_have_one_score(client):
    X, y = load_breast_cancer(return_X_y=True)
    model = GLVQ(1, max_iter=10, tol=1e-2).fit(X, y)
    scores = model.decision_function(da.from_array(X, chunks=(200, -1)))
    assert scores.shape == (len(X),)
    assert np.allclose(scores.compute(), model.decision_function(X), rtol=1e-9)


def test_frames_keep_the_names_of_features_and_unknown_rows(client, iris):
    frame = pd.DataFrame(iris[0], columns=["a", "b", "c", "d"])
    model = GMLVQ(1, max_iter=20, tol=1e-2).fit(frame, iris[1])
    lazy = dd.from_pandas(frame, npartitions=4)
    distances = model.distances(lazy)
    assert np.isnan(distances.shape[0])
    assert distances.shape[1] == 3
    assert np.allclose(distances.compute(), model.distances(frame), rtol=1e-12)
    with pytest.raises(InputError, match=r"feature names .* \(in block [0-3]\)") as caught:
        model.predict(lazy.rename(columns={"a": "z"})).compute()
    assert "\n" not in str(caught.value)


def test_nothing_is_computed_before_it_is_asked_for(client, iris):
    model = GLVQ(1, max_iter=10, tol=1e-2).fit(*iris)

    def refuse(block):
        raise RuntimeError("computed")

    lazy = da.from_array(iris[0], chunks=(50, -1)).map_blocks(
        refuse, dtype=float, meta=np.empty((0, 0))
    )
    predicted = model.predict(lazy)
    with pytest.raises(RuntimeError, match="computed"):
        predicted.compute()


def test_the_model_is_one_node_of_the_graph(iris):
    model = GLVQ(1, max_iter=10, tol=1e-2).fit(*iris)
    predicted = model.predict(da.from_array(iris[0], chunks=(10, -1)))
    needs = predicted.dask.get_all_dependencies()
    (node,) = [key for key in needs if str(key).startswith("identity")]
    assert sum(node in needed for needed in needs.values()) == 15


def test_a_later_fit_does_not_change_answers_to_come(iris):
    X, y = iris
    model = GLVQ(1, max_iter=10, tol=1e-2).fit(X, y)
    before = model.predict(X)
    predicted = model.predict(da.from_array(X, chunks=(50, -1)))
    model.fit(X, 2 - y)
    with dask.config.set(scheduler="synchronous"):
        assert np.array_equal(predicted.compute(), before)


def test_a_bad_value_names_its_block(client, iris):
    X = iris[0].copy()
    X[133] = np.nan
    model = GLVQ(1, max_iter=10, tol=1e-2).fit(*iris)
    with pytest.raises(InputError) as caught:
        model.distances(da.from_array(X, chunks=(10, -1))).compute()
    assert str(caught.value) == (
        "X must hold some value in each row, got only NaN in row 3; drop it (in block 13)"
    )


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda X: X[:, :3], "X must have the 4 features of the fit, got 3"),
        (lambda X: X[:, 0], "X must be a Dask array or frame with samples in rows, got dask.array"),
        (lambda X: X.to_delayed()[0, 0], "X must be a Dask array or frame with samples in rows"),
    ],
)
def test_what_holds_no_samples_is_refused_at_once(iris, wrong, said):
    model = GLVQ(1, max_iter=10, tol=1e-2).fit(*iris)
    with pytest.raises(InputError, match=said) as caught:
        model.predict(wrong(da.from_array(iris[0], chunks=(50, -1))))
    assert "\n" not in str(caught.value)


def test_frames_are_not_made_of_what_is_lazy(iris):
    model = GMLVQ(1, max_iter=10, tol=1e-2).fit(*iris).set_output(transform="pandas")
    lazy = da.from_array(iris[0], chunks=(50, -1))
    with pytest.raises(InputError, match=r"call set_output\(transform='default'\)"):
        model.transform(lazy)
    assert isinstance(model.set_output(transform="default").transform(lazy), da.Array)
    with config_context(transform_output="pandas"), pytest.raises(InputError, match="set_output"):
        GMLVQ(1, max_iter=10, tol=1e-2).fit(*iris).transform(lazy)


def test_a_model_must_be_fitted(iris):
    with pytest.raises(NotFittedError):
        GLVQ(1).predict(da.from_array(iris[0], chunks=(50, -1)))


def test_arrays_of_one_machine_import_no_dask():
    code = (
        "import sys; from abstain import GLVQ, RejectOptionClassifier as R\n"
        "X, y = [[0.0], [1.0], [4.0], [5.0], [2.9]], [0, 0, 1, 1, 0]\n"
        "clf = R(GLVQ(1), min_cell_size=1).fit(X, y); clf.predict(X); clf.reject(X)\n"
        "print('dask' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "False"
