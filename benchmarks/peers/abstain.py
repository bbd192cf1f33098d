"""How do this package's own models fit?

By its defaults in double precision; with few iterations in single precision, as prosemble and
prototorch compute. A fit includes the conversion, as theirs does.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain import models

PACKAGES = ["abstain", "scikit-learn", "scipy", "numpy"]
MODELS = ["GLVQ", "GRLVQ", "GMLVQ", "LGMLVQ", "RSLVQ", "MRSLVQ", "LMRSLVQ"]
SETTINGS: dict[str, dict[str, Any]] = {
    "defaults": {},
    **{f"{n} iterations, single": {"max_iter": n} for n in (40, 30, 20, 12, 8, 5, 3)},
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


def make(model: str, setting: str) -> Any:
    made = getattr(models, model)(random_state=0, **SETTINGS[setting])
    return Single(made) if setting.endswith("single") else made
