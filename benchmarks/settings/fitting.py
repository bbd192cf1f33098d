"""How does one fit in one setting go?"""

import time
import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from abstain import models
from abstain.metrics import aurc_score
from abstain.models import rslvq
from settings.samples import Fold
from settings.tried import BEFORE, FACTORS, FIT, Setting, key, part


class Outcome(NamedTuple):
    """How one fit went; its time is a multiple of that with the defaults before the study."""

    accuracy: float
    time: float
    n_iter: int
    warned: bool


def make(model: str, setting: Setting) -> Any:
    """Return a model, not yet fitted; the bandwidth is no parameter of it but of the module."""
    rslvq.BANDWIDTH = setting.get("bandwidth", BEFORE["bandwidth"])
    parameters = {name: value for name, value in setting.items() if name != "bandwidth"}
    return getattr(models, model)(1, **parameters, random_state=0)


def fit(model: str, setting: Setting, fold: Fold) -> Outcome:
    """Fit a model in one setting and test it; the time is in seconds yet."""
    estimator = make(model, setting)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.process_time()
        estimator.fit(fold.train, fold.train_labels)
        seconds = time.process_time() - start
    warned = any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
    accuracy = estimator.score(fold.test, fold.test_labels)
    return Outcome(accuracy, seconds, int(estimator.n_iter_), warned)


def area_under_risk(model: str, setting: Setting, fold: Fold) -> float:
    """Return how well certainty sorts right from wrong: error over all reject rates, averaged.

    The certainty is the posterior, or the relative similarity of models that have none.
    """
    estimator = make(model, setting)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        estimator.fit(fold.train, fold.train_labels)
    if hasattr(estimator, "predict_proba"):
        certainty = estimator.predict_proba(fold.test).max(axis=1)
    else:
        own, other = np.sort(estimator.distances(fold.test), axis=1)[:, :2].T
        certainty = (other - own) / (other + own)
    return float(aurc_score(fold.test_labels, estimator.predict(fold.test), certainty))


def fit_missing(
    model: str, settings: list[Setting], known: dict[str, Outcome], fold: Fold
) -> dict[str, Outcome]:
    """Return the outcomes of all settings, fitting those that are not known.

    Settings that differ in iterations that a fit did not need have the same outcome.
    """
    outcomes = dict(known)
    before = fit(model, {**part(BEFORE, FACTORS[model]), **part(BEFORE, FIT)}, fold)
    ended: dict[str, Outcome] = {}
    for setting in sorted(settings, key=lambda setting: int(setting["max_iter"])):
        name, path = key(setting), key({**setting, "max_iter": None})
        if name not in outcomes and path in ended:
            outcomes[name] = ended[path]
        elif name not in outcomes:
            outcome = fit(model, setting, fold)
            outcomes[name] = outcome._replace(time=outcome.time / before.time)
        if not outcomes[name].warned or outcomes[name].n_iter < setting["max_iter"]:
            ended[path] = outcomes[name]
    return outcomes
