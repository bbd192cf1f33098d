"""How does prosemble fit?

Every new model compiles its training anew. The fit that counts is a second one of the same model
on samples of the same shape, which runs what the first has compiled.
"""

from typing import Any

from prosemble import models

PACKAGES = ["prosemble", "jax", "jaxlib", "optax", "numpy"]
MODELS = ["GLVQ", "GRLVQ", "GMLVQ", "LGMLVQ", "RSLVQ"]
SETTINGS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "class means": {"prototypes_initializer": "class_mean"},
    "class means, rate 0.05": {"prototypes_initializer": "class_mean", "lr": 0.05},
    "class means, rate 0.05, 30 iterations": {
        "prototypes_initializer": "class_mean",
        "lr": 0.05,
        "max_iter": 30,
    },
}
COMPILED = True


def make(model: str, setting: str) -> Any:
    return getattr(models, model)(random_seed=0, **SETTINGS[setting])
