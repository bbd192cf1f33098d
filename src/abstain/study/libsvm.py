"""How does LIBSVM itself estimate the posteriors of a support vector machine?

Of two classes by Platt's sigmoid, of several by the pairwise coupling of Wu, Lin and Weng. Both are
fitted to decision values of a cross-validation inside LIBSVM.
"""

from __future__ import annotations  # signatures then show the names of types

import ctypes
import os
import threading
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from abstain._core.checks import InputError

__all__ = ["LibSVC", "TunedLibSVC", "check_installed"]

# Tried in a cross-validation inside the training part; γ in units of scikit-learn's "scale".
COSTS = (1.0, 10.0, 1e2, 1e3, 1e4, 1e5)
WIDTHS = (0.1, 1.0, 10.0)
N_FOLDS = 3
_ONE_AT_A_TIME = threading.Lock()


class LibSVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A support vector machine with a Gaussian kernel, by LIBSVM.

    Parameters
    ----------
    C : float, default=1.0
        Cost of a violation.
    gamma : float, default=1.0
        exp(−γ |x − x'|²) is the kernel.
    seed : int, default=0
        Decides how LIBSVM shuffles the samples before it fits the posteriors.
    """

    def __init__(self, C: float = 1.0, gamma: float = 1.0, seed: int = 0) -> None:
        self.C = C
        self.gamma = gamma
        self.seed = seed

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the machine and its posteriors."""
        svm = _libsvm()
        samples, targets = validate_data(self, X, y, dtype=np.float64)
        self.classes_, codes = np.unique(targets, return_inverse=True)
        options = f"-s 0 -t 2 -c {self.C!r} -g {self.gamma!r} -b 1 -q"
        with _ONE_AT_A_TIME:  # all threads of a process draw from one generator
            _seed(self.seed)
            self._model = svm.svm_train(codes.astype(float), samples, options)
        self._order = np.argsort(self._model.get_labels())
        self._answered: tuple[bytes, NDArray[np.float64]] | None = None
        self.n_support_vectors_ = int(self._model.get_nr_sv())
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the posterior of each class."""
        check_is_fitted(self, "_model")
        samples = validate_data(self, X, dtype=np.float64, reset=False)
        # Whoever asks for classes asks for posteriors as well: one answer serves both.
        asked = samples.tobytes()
        if self._answered is None or self._answered[0] != asked:
            _, _, posteriors = _libsvm().svm_predict([], samples, self._model, "-b 1 -q")
            self._answered = asked, np.array(posteriors)[:, self._order]
        return self._answered[1].copy()

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of the largest posterior, as LIBSVM does when it estimates them."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


class TunedLibSVC(LibSVC):
    """The same, with C and γ chosen by a cross-validation of the training samples."""

    def fit(self, X: Any, y: Any) -> Self:
        """Choose C and γ, then fit."""
        samples, targets = validate_data(self, X, y, dtype=np.float64)
        self.C, self.gamma = _tuned(samples, targets, self.seed)
        return super().fit(samples, targets)


def _tuned(samples: NDArray[np.float64], targets: Any, seed: int) -> tuple[float, float]:
    """Return the C and the γ that classify most samples out of fold.

    For each γ, C grows tenfold as long as that pays, and so does γ as long as it does no harm:
    where classes overlap, a machine of a large C takes long and is no better.
    """
    from sklearn.metrics.pairwise import euclidean_distances
    from sklearn.model_selection import StratifiedKFold

    scale = float(1 / (samples.shape[1] * samples.var()))
    squares = euclidean_distances(samples, squared=True)
    folds = list(StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed).split(samples, targets))
    best = (0.0, COSTS[0], WIDTHS[0] * scale)
    for gamma in (width * scale for width in WIDTHS):
        # Once for all costs, instead of pair by pair in each machine.
        kernel = np.exp(-gamma * squares)
        parts = [
            (
                kernel[np.ix_(train, train)],
                targets[train],
                kernel[np.ix_(test, train)],
                targets[test],
            )
            for train, test in folds
        ]
        found = (0.0, COSTS[0], gamma)
        for cost in COSTS:
            right = _share_of_right_answers(parts, cost)
            if right <= found[0]:
                break
            found = (right, cost, gamma)
        if found[0] < best[0]:
            break
        best = max(best, found, key=lambda choice: choice[0])
    return best[1:]


def _share_of_right_answers(parts: list[Any], cost: float) -> float:
    """Return the share over folds, each with its kernel to fit, and its kernel to answer."""
    from sklearn.svm import SVC

    shares = []
    for own, labels, other, expected in parts:
        machine = SVC(C=cost, kernel="precomputed").fit(own, labels)
        shares.append(np.mean(machine.predict(other) == expected))
    return float(np.mean(shares))


def check_installed() -> None:
    """Refuse to begin without LIBSVM."""
    _libsvm()


def _seed(seed: int) -> None:
    """Set the generator of the C library, which LIBSVM draws from."""
    library = ctypes.CDLL(None) if os.name == "posix" else ctypes.CDLL("ucrtbase")
    library.srand(ctypes.c_uint(seed))


def _libsvm() -> Any:
    try:
        from libsvm import svmutil
    except ImportError:
        raise InputError(
            "the model svm needs LIBSVM, which is not installed: pip install 'abstain[study]', or "
            "leave svm out with --models"
        ) from None
    return svmutil
