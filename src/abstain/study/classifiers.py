"""Which classifiers does the study run, and with which reject options?"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass
from typing import Any

from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from abstain import models
from abstain.study.libsvm import TunedLibSVC
from abstain.study.problems import Problem, Sample

__all__ = ["CLASSIFIERS", "Classifier", "make_estimator"]


@dataclass(frozen=True)
class Classifier:
    """A classifier, its certainty and the cells of its local thresholds.

    ``cells`` is None where there is only one threshold, as for the rules that the paper compares
    with. ``takes_gaps`` tells whether NaN is a missing value to it.
    """

    name: str
    title: str
    certainty: str
    cells: str | None = None
    takes_gaps: bool = False
    is_extra: bool = False


CLASSIFIERS = {
    classifier.name: classifier
    for classifier in [
        Classifier("rslvq", "RSLVQ", "conf", "prototype", takes_gaps=True),
        Classifier("gmlvq", "GMLVQ", "relsim", "prototype", takes_gaps=True),
        Classifier("lgmlvq", "LGMLVQ", "relsim", "prototype", takes_gaps=True),
        Classifier("svm", "SVM", "conf"),
        Classifier("bayes", "Bayes", "conf"),
        Classifier("mrslvq", "MRSLVQ", "conf", "prototype", takes_gaps=True, is_extra=True),
        Classifier(
            "glvq-5",
            "GLVQ, 5 prototypes a class",
            "relsim",
            "prototype",
            takes_gaps=True,
            is_extra=True,
        ),
        Classifier("forest", "random forest", "conf", "class", is_extra=True),
        Classifier(
            "boosting", "gradient boosting", "conf", "class", takes_gaps=True, is_extra=True
        ),
    ]
}


def make_estimator(classifier: Classifier, problem: Problem, sample: Sample, seed: int) -> Any:
    """Return the classifier behind the steps of the problem, not fitted yet."""
    if classifier.name == "bayes":
        return FrozenEstimator(sample.true_model)
    steps: list[tuple[str, Any]] = []
    if not classifier.takes_gaps:
        steps.append(("impute", SimpleImputer()))
    if problem.n_components is not None:
        pca = PCA(problem.n_components, svd_solver="randomized", iterated_power=4, random_state=0)
        steps.append(("reduce", pca))
    if problem.is_scaled:
        steps.append(("scale", StandardScaler()))
    return Pipeline([*steps, ("classify", _final(classifier.name, seed))])


def _final(name: str, seed: int) -> Any:
    if name == "svm":
        return TunedLibSVC(seed=seed)
    if name == "forest":
        return RandomForestClassifier(random_state=seed)
    if name == "boosting":
        return HistGradientBoostingClassifier(max_iter=30, max_bins=63, random_state=seed)
    if name == "glvq-5":
        return models.GLVQ(n_prototypes_per_class=5, random_state=seed)
    model = {
        "rslvq": models.RSLVQ,
        "gmlvq": models.GMLVQ,
        "lgmlvq": models.LGMLVQ,
        "mrslvq": models.MRSLVQ,
    }[name]
    return model(random_state=seed)
