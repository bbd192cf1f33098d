"""Which classifiers does the study compare, with which certainties and cells, on which data sets?

The SVM is LIBSVM itself, whose posteriors come from Platt's sigmoid (two classes) or the pairwise
coupling of Wu, Lin and Weng (more), fitted to the decision values of a cross-validation inside
LIBSVM.
"""

from __future__ import annotations  # signatures then show the names of types

import ctypes
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted, validate_data

from abstain import datasets, models
from abstain._core.errors import Argument, InputError
from abstain.datasets.real import data_folder

Array = NDArray[Any]
Kind = Literal["artificial", "benchmark", "medical"]

# Values tried in a cross-validation of the training part; γ in units of scikit-learn's "scale".
COSTS = (1.0, 10.0, 1e2, 1e3, 1e4, 1e5)
WIDTHS = (0.1, 1.0, 10.0)
N_TUNING_FOLDS = 3
# LIBSVM draws from the random generator of the C library, which all threads share.
_LIBSVM_LOCK = threading.Lock()


# --- data sets ------------------------------------------------------------------------------------


class Data(NamedTuple):
    """Samples, their classes and, for artificial ones, the model that they were drawn from."""

    X: Array
    y: Array
    true_model: Any = None


@dataclass(frozen=True)
class Problem:
    """A data set as the study uses it.

    ``draw`` returns the data of one repeat, given a seed: new samples for artificial data, the same
    ones for all others. ``is_scaled`` features are z-scored, after a reduction to ``n_components``
    principal components if that is given; both are fitted to the training part of every split.
    ``accuracy`` is the target of the guarantees: more than GMLVQ reaches without rejects, and
    within reach of the samples. A variant is the data of another problem, prepared differently.
    Where GMLVQ separates the training part (``is_separable``), thresholds set on it reject nothing,
    and the claims of the paper are checked with thresholds set out of fold.
    """

    name: str
    title: str
    kind: Kind
    draw: Callable[[int], Data]
    accuracy: float
    is_scaled: bool = True
    n_components: int | None = None
    is_variant: bool = False
    is_separable: bool = False


def _draws(make: Callable[..., Any], **options: Any) -> Callable[[int], Data]:
    return lambda seed: Data(*make(random_state=seed, **options))


def _loads(
    name: str, transform: Callable[[Array], Array] = lambda samples: samples
) -> Callable[[int], Data]:
    return lambda seed: _load(name, data_folder(), transform)


# A worker reads a file once for all its tasks.
@lru_cache
def _load(name: str, folder: Path, transform: Callable[[Array], Array]) -> Data:
    samples, labels = getattr(datasets, f"load_{name}")(return_X_y=True, data_home=folder)
    return Data(transform(np.asarray(samples, dtype=float)), np.asarray(labels))


def _rotate_to_span(images: Array) -> Array:
    """Return images in coordinates of the space that they span.

    There are fewer images than pixels. With Xᵀ = QR, the rows of Rᵀ are those of X = RᵀQᵀ after a
    rotation, which changes neither distances nor principal components.
    """
    upper: Array = np.asarray(np.linalg.qr(images.T, mode="r"))
    return upper.T


gaussian = _draws(datasets.make_gaussian_clusters, return_model=True)
pearl = _draws(datasets.make_pearl_necklace, return_model=True)
steroid = _draws(datasets.make_steroid_like)
spectra = _loads("tecator")
curvature = _loads("tecator", partial(np.diff, n=2, axis=1))
images = _loads("coil20", _rotate_to_span)
log_markers = _loads("gastric", np.log10)

PROBLEMS = {
    problem.name: problem
    for problem in [
        Problem("gaussian", "Gaussian clusters", "artificial", gaussian, 0.85, is_scaled=False),
        Problem("pearl", "Pearl necklace", "artificial", pearl, 0.97, is_scaled=False),
        Problem("segment", "Image segmentation", "benchmark", _loads("segment"), 0.97),
        Problem("tecator", "Tecator", "benchmark", spectra, 0.92),
        Problem("tecator-raw", "Tecator, raw", "benchmark", spectra, 0.92, False, is_variant=True),
        Problem(
            "tecator-curvature",
            "Tecator, second differences",
            "benchmark",
            curvature,
            0.95,
            is_variant=True,
        ),
        Problem("haberman", "Haberman", "benchmark", _loads("haberman"), 0.78),
        Problem("coil20", "Coil", "benchmark", images, 0.98, n_components=30, is_separable=True),
        Problem("steroid", "Steroids (synthetic)", "medical", steroid, 0.93, is_separable=True),
        Problem("wisconsin", "Wisconsin", "medical", _loads("wisconsin"), 0.98),
        Problem("cleveland", "Cleveland", "medical", _loads("cleveland"), 0.87),
        Problem("gastric", "Gastric cancer", "medical", log_markers, 0.75, is_separable=True),
    ]
}


# --- classifiers ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Classifier:
    """A classifier, its certainty and the cells of its local thresholds.

    ``cells`` is None for the classifiers that the paper compares with: they have one threshold.
    Classifiers that are not in the paper are ``is_extra``.
    """

    name: str
    title: str
    certainty: str
    cells: str | None = None
    handles_missing: bool = False
    is_extra: bool = False


def _lvq(name: str, title: str, certainty: str, *, is_extra: bool = False) -> Classifier:
    return Classifier(name, title, certainty, "prototype", True, is_extra)


CLASSIFIERS = {
    classifier.name: classifier
    for classifier in [
        _lvq("rslvq", "RSLVQ", "conf"),
        _lvq("gmlvq", "GMLVQ", "relsim"),
        _lvq("lgmlvq", "LGMLVQ", "relsim"),
        Classifier("svm", "SVM", "conf"),
        Classifier("bayes", "Bayes", "conf"),
        _lvq("mrslvq", "MRSLVQ", "conf", is_extra=True),
        _lvq("glvq-5", "GLVQ, 5 prototypes per class", "relsim", is_extra=True),
        Classifier("forest", "random forest", "conf", "class", is_extra=True),
        Classifier("boosting", "gradient boosting", "conf", "class", True, is_extra=True),
    ]
}


def make_estimator(classifier: Classifier, problem: Problem, data: Data, seed: int) -> Any:
    """Return the unfitted classifier behind the preprocessing of the problem."""
    if classifier.name == "bayes":
        return FrozenEstimator(data.true_model)
    steps: list[tuple[str, Any]] = []
    if not classifier.handles_missing:
        steps.append(("impute", SimpleImputer()))
    if problem.n_components is not None:
        pca = PCA(problem.n_components, svd_solver="randomized", iterated_power=4, random_state=0)
        steps.append(("reduce", pca))
    if problem.is_scaled:
        steps.append(("scale", StandardScaler()))
    return Pipeline([*steps, ("classify", _final_step(classifier.name, seed))])


def _final_step(name: str, seed: int) -> Any:
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
    return model(n_prototypes_per_class=1, random_state=seed)  # as in the paper


# --- LIBSVM ---------------------------------------------------------------------------------------


class LibSVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """LIBSVM with the kernel exp(−γ |x − x'|²); ``seed`` shuffles before the posteriors are fit."""

    def __init__(self, C: float = 1.0, gamma: float = 1.0, seed: int = 0) -> None:
        self.C = C
        self.gamma = gamma
        self.seed = seed

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the SVM and its posteriors."""
        svm = import_libsvm()
        samples, targets = validate_data(self, X, y, dtype=np.float64)
        self.classes_, codes = np.unique(targets, return_inverse=True)
        options = f"-s 0 -t 2 -c {self.C!r} -g {self.gamma!r} -b 1 -q"
        c_library = ctypes.CDLL(None) if os.name == "posix" else ctypes.CDLL("ucrtbase")
        with _LIBSVM_LOCK:
            c_library.srand(ctypes.c_uint(self.seed))
            self._model = svm.svm_train(codes.astype(float), samples, options)
        self._order = np.argsort(self._model.get_labels())
        self._last_prediction: tuple[bytes, NDArray[np.float64]] | None = None
        self.n_support_vectors_ = int(self._model.get_nr_sv())
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the posterior of each class."""
        check_is_fitted(self, "_model")
        samples = validate_data(self, X, dtype=np.float64, reset=False)
        # Callers ask for the classes and the posteriors of the same samples: compute them once.
        content = samples.tobytes()
        if self._last_prediction is None or self._last_prediction[0] != content:
            _, _, posteriors = import_libsvm().svm_predict([], samples, self._model, "-b 1 -q")
            self._last_prediction = content, np.array(posteriors)[:, self._order]
        return self._last_prediction[1].copy()

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of the largest posterior, as LIBSVM does when it estimates them."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


class TunedLibSVC(LibSVC):
    """LIBSVM with C and γ chosen by a cross-validation of the training samples."""

    def fit(self, X: Any, y: Any) -> Self:
        """Choose C and γ, then fit."""
        samples, targets = validate_data(self, X, y, dtype=np.float64)
        self.C, self.gamma = _tune(samples, targets, self.seed)
        return super().fit(samples, targets)


def _tune(samples: NDArray[np.float64], targets: Any, seed: int) -> tuple[float, float]:
    """Return the C and the γ that classify most samples out of fold.

    For each γ, C grows tenfold while the accuracy improves; γ grows while it does not get worse.
    Where classes overlap, an SVM of a large C takes long and is no better.
    """
    scale = float(1 / (samples.shape[1] * samples.var()))
    squares = euclidean_distances(samples, squared=True)
    splitter = StratifiedKFold(N_TUNING_FOLDS, shuffle=True, random_state=seed)
    folds = [
        (squares[np.ix_(train, train)], targets[train], squares[np.ix_(test, train)], targets[test])
        for train, test in splitter.split(samples, targets)
    ]
    best = (0.0, COSTS[0], WIDTHS[0] * scale)
    for gamma in (width * scale for width in WIDTHS):
        best_of_gamma = _best_cost(folds, gamma)
        if best_of_gamma[0] < best[0]:
            break
        best = max(best, best_of_gamma, key=lambda choice: choice[0])
        if best[0] == 1:
            break
    return best[1:]


def _best_cost(folds: list[Any], gamma: float) -> tuple[float, float, float]:
    """Return the best accuracy out of fold for a γ, and the C and the γ that reach it."""
    # Computed once for all costs, instead of pair by pair in each SVM.
    kernels = [(np.exp(-gamma * train), y, np.exp(-gamma * test), z) for train, y, test, z in folds]
    best = (0.0, COSTS[0], gamma)
    for cost in COSTS:
        accuracies = [_accuracy(cost, *kernel) for kernel in kernels]
        if np.mean(accuracies) <= best[0]:
            break
        best = (float(np.mean(accuracies)), cost, gamma)
        if best[0] == 1:
            break
    return best


def _accuracy(
    cost: float, kernel: Array, targets: Array, test: Array, test_targets: Array
) -> float:
    predictions = SVC(C=cost, kernel="precomputed").fit(kernel, targets).predict(test)
    return float(np.mean(predictions == test_targets))


def import_libsvm() -> Any:
    """Return LIBSVM's module, or say how to install it."""
    try:
        from libsvm import svmutil
    except ImportError:
        raise InputError(
            "the model svm needs LIBSVM, which is not installed: pip install '.[study]', or "
            "leave svm out of ",
            Argument("models"),
        ) from None
    return svmutil
