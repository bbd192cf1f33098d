"""How do this package's own models fit?"""

from typing import Any

from abstain import models

PACKAGES = ["abstain", "scikit-learn", "scipy", "numpy"]
MODELS = ["GLVQ", "GRLVQ", "GMLVQ", "LGMLVQ", "RSLVQ", "MRSLVQ", "LMRSLVQ"]
SETTINGS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "tol 1e-4": {"tol": 1e-4},
    "tol 1e-3": {"tol": 1e-3},
    "20 iterations": {"max_iter": 20},
    "6 iterations": {"max_iter": 6},
}
COMPILED = False


def make(model: str, setting: str) -> Any:
    return getattr(models, model)(random_state=0, **SETTINGS[setting])
