"""How does sklvq fit?

Its default solver, steepest descent one sample at a time, is far slower than the three tried here.
"""

from typing import Any

import sklvq

PACKAGES = ["sklvq", "scikit-learn", "scipy", "numpy"]
MODELS = ["GLVQ", "GMLVQ", "LGMLVQ"]
SETTINGS: dict[str, dict[str, Any]] = {
    "L-BFGS, identity": {"solver_type": "lbfgs", "activation_type": "identity"},
    "L-BFGS, sigmoid": {"solver_type": "lbfgs", "activation_type": "sigmoid"},
    "waypoint descent, 50 runs": {
        "solver_type": "waypoint-gradient-descent",
        "solver_params": {"max_runs": 50},
        "activation_type": "identity",
    },
}
COMPILED = False


def make(model: str, setting: str) -> Any:
    return getattr(sklvq, model)(random_state=0, **SETTINGS[setting])
