"""Both solvers lower the same cost, can be watched, stopped and resumed."""

import builtins
import warnings

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from abstain import InputError, models
from abstain.models import GLVQ, GMLVQ, RSLVQ

ALL = [getattr(models, name) for name in models.__all__]
every_model = pytest.mark.parametrize("model", ALL)
solvers = pytest.mark.parametrize("solver", ["lbfgs", "adam"])


@pytest.fixture(scope="module")
def data():
    return make_classification(
        3000, 8, n_informative=6, n_classes=3, n_clusters_per_class=1, class_sep=1.5, random_state=0
    )


@pytest.fixture(autouse=True)
def _accept_too_few_iterations():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


@every_model
def test_adam_comes_close_to_the_cost_of_lbfgs(model, data):
    X, y = data
    costs = [
        model(1, solver=solver, random_state=0, max_iter=500).fit(X, y).loss_
        for solver in ("lbfgs", "adam")
    ]
    assert costs[1] == pytest.approx(costs[0], rel=0.02)


@every_model
def test_adam_is_the_same_under_the_same_seed_and_keeps_the_precision(model, data):
    X, y = data
    X = X.copy()
    X[np.random.default_rng(0).random(X.shape) < 0.05] = np.nan
    first, second = (
        model(1, solver="adam", random_state=0, max_iter=3).fit(X, y).prototypes_ for _ in range(2)
    )
    assert first.dtype == np.float64
    assert np.array_equal(first, second)


def test_adam_respects_weights(data):
    X, y = data
    weights = np.where(y == 0, 50.0, 1.0)
    plain = GLVQ(1, solver="adam", random_state=0).fit(X, y)
    weighted = GLVQ(1, solver="adam", random_state=0).fit(X, y, sample_weight=weights)
    assert (weighted.predict(X) == 0).mean() > (plain.predict(X) == 0).mean()


def test_adam_tells_when_it_has_not_converged(data):
    with pytest.warns(ConvergenceWarning, match="after max_iter=1 iterations; raise max_iter"):
        GMLVQ(1, solver="adam", max_iter=1, random_state=0).fit(*data)


@every_model
@solvers
def test_a_warm_start_goes_on(model, solver, data):
    warm = model(1, solver=solver, warm_start=True, max_iter=4, random_state=0)
    costs = [warm.fit(*data).loss_ for _ in range(4)]
    if solver == "lbfgs":
        assert costs[0] > costs[1] > costs[-1]
    else:  # a step of Adam may lead up
        assert len(set(costs)) == 4
        assert costs[-1] < 1.005 * costs[0]
        # Four passes four times lead on average where sixteen passes do, not where four do.
        whole = model(1, solver=solver, max_iter=16, random_state=0).fit(*data)
        assert abs(costs[-1] - whole.loss_) < max(abs(costs[0] - whole.loss_), 0.02 * costs[0])
    cold = model(1, solver=solver, max_iter=4, random_state=0).fit(*data)
    assert cold.loss_ == costs[0]


def test_a_warm_start_at_the_minimum_stays(data):
    model = GMLVQ(1, warm_start=True).fit(*data)
    cost, n_iter = model.loss_, model.n_iter_
    model.fit(*data)
    assert model.loss_ <= cost + 1e-9
    assert model.n_iter_ < n_iter / 3


def test_a_warm_start_keeps_estimated_bandwidths(data):
    model = RSLVQ(1, warm_start=True).fit(*data)
    before = model.sigma2_
    assert np.array_equal(model.fit(*data).sigma2_, before)
    assert np.array_equal(model.set_params(sigma2=2.0).fit(*data).sigma2_, [2.0] * 3)


def test_a_warm_start_with_other_data_is_refused(data):
    X, y = data
    model = GLVQ(1, warm_start=True).fit(X, y)
    with pytest.raises(InputError, match=r"warm_start .* got 3 prototypes of 7 features"):
        model.fit(X[:, :7], y)
    with pytest.raises(InputError, match=r"warm_start .* got 2 prototypes of 8 features"):
        model.fit(X[y < 2], y[y < 2])


@pytest.mark.parametrize("model", [GLVQ, GMLVQ])
@solvers
def test_the_cost_is_shown_every_so_many_iterations(model, solver, data, capsys):
    fitted = model(1, solver=solver, max_iter=12, tol=0.0, verbose=5, random_state=0).fit(*data)
    lines = capsys.readouterr().out.splitlines()
    assert fitted.n_iter_ == 12
    assert [line.split(", ")[0] for line in lines] == [
        f"{model.__name__}: iteration 5",
        f"{model.__name__}: iteration 10",
    ]


def interrupt_at(iteration, monkeypatch):
    def show(line):
        if f"iteration {iteration}," in line:
            raise KeyboardInterrupt

    monkeypatch.setattr(builtins, "print", show)


@pytest.mark.parametrize("model", [GMLVQ, RSLVQ])
@pytest.mark.parametrize("iteration", [3, 15])
@solvers
def test_an_interrupted_fit_can_be_resumed(model, solver, iteration, data, monkeypatch):
    estimator = model(1, solver=solver, warm_start=True, verbose=1, tol=0.0, random_state=0)
    with monkeypatch.context() as patch:
        interrupt_at(iteration, patch)
        with pytest.raises(KeyboardInterrupt):
            estimator.fit(*data)
    assert estimator.n_iter_ == iteration
    reached = estimator.loss_
    assert estimator.score(*data) > 0.5
    assert estimator.set_params(verbose=0, max_iter=20).fit(*data).loss_ < reached


def test_an_interrupted_fit_without_warm_start_is_no_fit(data, monkeypatch):
    estimator = GMLVQ(1, verbose=1)
    interrupt_at(3, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        estimator.fit(*data)
    with pytest.raises(NotFittedError):
        estimator.predict(data[0])
