"""How do this package's own models fit?

By their defaults in double precision; with few iterations in single precision, as prosemble and
prototorch compute. A fit includes the conversion, as theirs does. What a user can also set is tried
with few iterations: a stronger regularization of a metric, and a narrower bandwidth of RSLVQ.
"""

import inspect
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain import models

PACKAGES = ["abstain", "scikit-learn", "scipy", "numpy"]
MODELS = ["GLVQ", "GRLVQ", "GMLVQ", "LGMLVQ", "RSLVQ", "MRSLVQ", "LMRSLVQ"]
SETTINGS: dict[str, dict[str, Any]] = {
    "defaults": {},
    **{f"{n} iterations, single": {"max_iter": n} for n in (30, 20, 16, 12, 8, 5, 3, 2)},
    **{
        f"regularization 0.1, {n} iterations, single": {"regularization": 0.1, "max_iter": n}
        for n in (8, 5, 3)
    },
    **{f"sigma2 0.2, {n} iterations, single": {"sigma2": 0.2, "max_iter": n} for n in (20, 15, 12)},
}
COMPILED = False


class Single:
    """A model that is fitted to samples in single precision."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: NDArray[np.float64], y: NDArray[np.int64]) -> None:
        """Fit the model to samples in single precision."""
        self.model.fit(X.astype(np.float32), y)

    def predict(self, X: NDArray[np.float64]) -> Any:
        """Return the predicted classes."""
        return self.model.predict(X)


def suits(model: str, setting: str) -> bool:
    """Return whether a model has what a setting sets."""
    return SETTINGS[setting].keys() <= inspect.signature(getattr(models, model)).parameters.keys()


def make(model: str, setting: str) -> Any:
    """Return a model with one prototype per class, as the other libraries are given."""
    made = getattr(models, model)(1, random_state=0, **SETTINGS[setting])
    return Single(made) if setting.endswith("single") else made
