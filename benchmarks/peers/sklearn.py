"""How do the common classifiers of scikit-learn fit?"""

from functools import partial
from typing import Any

from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.svm import SVC

PACKAGES = ["scikit-learn", "scipy", "numpy"]
MODELS = {
    "NearestCentroid": NearestCentroid,
    "LogisticRegression": partial(LogisticRegression, max_iter=1000),
    "KNeighborsClassifier": KNeighborsClassifier,
    "SVC": SVC,
}
SETTINGS: dict[str, dict[str, Any]] = {"defaults": {}}
COMPILED = False


def make(model: str, setting: str) -> Any:
    return MODELS[model](**SETTINGS[setting])
