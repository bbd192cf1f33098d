"""How does sklearn-lvq fit?

It goes through up to 2500 iterations, three times over where a metric is learned; so it is also
tried with few.
"""

from typing import Any

import sklearn_lvq

PACKAGES = ["sklearn-lvq", "scikit-learn", "scipy", "numpy"]
MODELS = {
    "GLVQ": sklearn_lvq.GlvqModel,
    "GRLVQ": sklearn_lvq.GrlvqModel,
    "GMLVQ": sklearn_lvq.GmlvqModel,
    "LGMLVQ": sklearn_lvq.LgmlvqModel,
    "RSLVQ": sklearn_lvq.RslvqModel,
}
SETTINGS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "100 iterations": {"max_iter": 100},
    "20 iterations": {"max_iter": 20},
}
COMPILED = False


def make(model: str, setting: str) -> Any:
    return MODELS[model](random_state=0, **SETTINGS[setting])
