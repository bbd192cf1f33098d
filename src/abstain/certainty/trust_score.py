"""Do the training samples near a sample agree with the classifier?

The trust score (Jiang, Kim, Guan and Gupta, 2018) compares the distance d⁺ to the training samples
of the predicted class with the distance d⁻ to those of the closest other class. Here it has the
form of RelSim,

    (d⁻ − d⁺) / (d⁻ + d⁺),

which grows with their ratio d⁻/d⁺. Each class is represented by a few centres of k-means, so that a
sample is compared with some tens of points instead of all training samples. The centres leave out
outliers, as the original does by a density.
"""

from __future__ import annotations  # signatures then show the names of types

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted, column_or_1d

from abstain._core.checks import check_positive_integer, check_same_length
from abstain._core.errors import InputError
from abstain._core.estimators import pass_through, unwrap
from abstain._core.sklearn_private import take_rows
from abstain.certainty.outputs import as_outputs

Array = NDArray[Any]
# Samples of a class used to find its centres: more take longer and change them little.
MAX_SAMPLES = 10_000


class TrustScore(BaseEstimator):  # type: ignore[misc]
    """Certainty of any classifier's answer, from the training samples near a sample.

    It uses only the predictions of the classifier, so it works for classifiers without posteriors
    or scores, and finds wrong answers of which a classifier is sure. ``certainty="trust"`` of a
    :class:`RejectOptionClassifier` is a trust score with default parameters, fitted to the samples
    that the classifier is fitted to.

    Parameters
    ----------
    n_prototypes_per_class : int, default=10
        Number of centres of k-means that represent a class.
    standardize : bool, default=True
        Whether features are divided by their standard deviation, so that their units do not matter.
    random_state : int, RandomState instance or None, default=0
        Seeds k-means.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    prototypes_ : ndarray of shape (n_prototypes, n_features)
        The centres, divided by ``scale_``.
    prototype_labels_ : ndarray of shape (n_prototypes,)
        Their classes.
    scale_ : ndarray of shape (n_features,)
        What features are divided by.
    sees_transformed_ : bool
        Whether distances are measured after the transformers of the classifier.

    Examples
    --------
    >>> from abstain import TrustScore
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"]
    >>> model = GaussianNB().fit(X, y)
    >>> TrustScore().fit(X, y)(model, [[0.0], [2.0]]).round(2).tolist()
    [1.0, 0.6]
    """

    classes_: Array
    prototypes_: Array
    prototype_labels_: Array
    scale_: Array
    sees_transformed_: bool

    def __init__(
        self, n_prototypes_per_class: int = 10, *, standardize: bool = True, random_state: Any = 0
    ) -> None:
        self.n_prototypes_per_class = n_prototypes_per_class
        self.standardize = standardize
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, estimator: Any = None) -> Self:
        """Find the centres of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples that the classifier was fitted to. NaN is a missing value.
        y : array-like of shape (n_samples,)
            Their classes.
        estimator : estimator, default=None
            The fitted classifier. If it is a pipeline, distances are measured in the features of
            its last step. None measures them in the features of X.

        Returns
        -------
        self : object
            Fitted.

        Examples
        --------
        >>> from abstain import TrustScore
        >>> X, y = [[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"]
        >>> TrustScore(1, standardize=False).fit(X, y).prototypes_.tolist()
        [[0.5], [4.5]]
        """
        check_positive_integer("n_prototypes_per_class", self.n_prototypes_per_class)
        self.sees_transformed_ = estimator is not None
        samples = _numbers(X if estimator is None else pass_through(unwrap(estimator)[0], X))
        labels = column_or_1d(y)
        check_same_length(X=range(samples.shape[0]), y=labels)
        self.classes_ = np.unique(labels)
        if len(self.classes_) < 2:
            raise InputError(f"y must hold at least two classes, got {self.classes_.tolist()}")
        self.scale_ = _spread(samples) if self.standardize else np.ones(samples.shape[1])
        state = check_random_state(self.random_state).get_state()
        # Each class draws the same numbers: the order of the classes makes no difference.
        centres = [
            self._centres(take_rows(samples, np.flatnonzero(labels == label)), state)
            for label in self.classes_
        ]
        self.prototypes_ = np.concatenate(centres)
        self.prototype_labels_ = np.repeat(self.classes_, [len(each) for each in centres])
        return self

    def __call__(self, estimator: Any, X: Any) -> NDArray[np.float64]:
        """Return (d⁻ − d⁺)/(d⁻ + d⁺) for the answers of a fitted classifier.

        Parameters
        ----------
        estimator : estimator
            A fitted classifier of the same classes.
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        certainty : ndarray of shape (n_samples,)
            In [-1, 1], negative where another class than the predicted one is closer.
        """
        check_is_fitted(self, "prototypes_")
        outputs = as_outputs(estimator, X)
        distances = self._distances(outputs.seen if self.sees_transformed_ else outputs.X)
        closest = np.stack(
            [distances[:, self.prototype_labels_ == label].min(axis=1) for label in self.classes_],
            axis=1,
        )
        is_own = self.classes_ == outputs.labels[:, np.newaxis]
        own = np.where(is_own, closest, np.inf).min(axis=1)
        other = np.where(is_own, np.inf, closest).min(axis=1)
        trust = np.zeros(len(own))
        total = own + other
        # A class without samples is infinitely far.
        trust[np.isinf(own)] = -1.0
        np.divide(other - own, total, out=trust, where=(total > 0) & np.isfinite(total))
        return trust

    def _centres(self, samples: Any, state: Any) -> Array:
        from sklearn.cluster import KMeans

        random_state = np.random.RandomState()
        random_state.set_state(state)
        n_samples = samples.shape[0]
        if n_samples > MAX_SAMPLES:
            chosen = np.sort(random_state.permutation(n_samples)[:MAX_SAMPLES])
            samples = take_rows(samples, chosen)
        samples = _filled(_divided(samples, self.scale_))
        n_centres = min(self.n_prototypes_per_class, _n_distinct(samples))
        kmeans = KMeans(n_centres, n_init=1, random_state=random_state)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct samples will do
            kmeans.fit(samples)
        return np.asarray(kmeans.cluster_centers_, dtype=np.float64)

    def _distances(self, samples: Any) -> NDArray[np.float64]:
        from sklearn.metrics.pairwise import euclidean_distances, nan_euclidean_distances

        samples = _numbers(samples)
        n_features = len(self.scale_)
        if samples.shape[1] != n_features:
            where = "behind the transformers" if self.sees_transformed_ else "in X"
            raise InputError(
                f"the trust score was fitted to {n_features} features, got {samples.shape[1]} "
                f"{where}; fit it with or without estimator as it is used"
            )
        scaled = _divided(samples, self.scale_)
        has_gaps = not hasattr(scaled, "tocsr") and np.isnan(scaled).any()
        measure = nan_euclidean_distances if has_gaps else euclidean_distances
        return np.asarray(measure(scaled, self.prototypes_, squared=True))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


def _numbers(samples: Any) -> Any:
    return check_array(
        samples, accept_sparse="csr", dtype=np.float64, ensure_all_finite="allow-nan"
    )


def _spread(samples: Any) -> Array:
    """Return the standard deviation of each feature; 1 for a constant one."""
    if hasattr(samples, "tocsr"):
        from sklearn.utils.sparsefuncs import mean_variance_axis

        spread = np.sqrt(mean_variance_axis(samples.tocsr(), axis=0)[1])
    else:
        spread = np.sqrt(np.nan_to_num(np.nanvar(samples, axis=0)))
    return np.where(spread > 0, spread, 1.0)


def _divided(samples: Any, scale: Array) -> Any:
    return samples.multiply(1 / scale).tocsr() if hasattr(samples, "tocsr") else samples / scale


def _filled(samples: Any) -> Any:
    """Return samples with missing values replaced by the mean of the class, for k-means."""
    if hasattr(samples, "tocsr") or not np.isnan(samples).any():
        return samples
    present = ~np.isnan(samples)
    means = np.where(present, samples, 0).sum(axis=0) / np.maximum(present.sum(axis=0), 1)
    return np.where(present, samples, means)


def _n_distinct(samples: Any) -> int:
    if hasattr(samples, "tocsr"):
        return int(samples.shape[0])
    return len(np.unique(samples, axis=0))
