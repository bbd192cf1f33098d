"""Which class is most probable under the density that the data were drawn from?

Samples and posteriors come from one description of a mixture, so that they cannot disagree.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_array, check_consistent_length, check_random_state

from abstain._core.checks import as_labels, check_fraction
from abstain._core.errors import InputError, shown

Array = NDArray[np.float64]

# The noise fills the smallest box that holds this many standard deviations of each cluster.
BOX_STDS = 3.0
# Beyond this distance only the direction matters; squares of larger numbers could overflow.
FAR = 1e100


class TrueMixture(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    r"""The Bayes classifier of a Gaussian cluster per class, overlaid with uniform noise.

    All C classes are equally likely a priori. Class c has the density

    .. math::
        p(x \mid c) = (1 - \varepsilon)\, \mathcal N(x;\, \mu_c, \mathrm{diag}(\sigma_c^2))
                      + \varepsilon\, U(x),

    where U is uniform on the smallest box that holds every cluster's mean ± 3 standard deviations
    and 0 outside it. Noise is independent of the class: in the box it pulls the posteriors towards
    1/C where the density of the clusters is low, and at the faces of the box they jump.

    Its density is the true one: `fit` learns nothing, so a clone, a fold of a cross-validation and
    the original predict the same.

    Parameters
    ----------
    means : array-like of shape (n_classes, n_features)
        Mean of each class's cluster, μ.
    stds : array-like of shape (n_classes, n_features)
        Standard deviation of each cluster along each feature, σ.
    noise : float, default=0.0
        Share of the samples that is noise, ε, in [0, 1).

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes: 0, 1, … in the order of ``means``.
    n_features_in_ : int
        Number of features.

    Examples
    --------
    Between two equal clusters both classes are equally likely; near one of them, its class is.

    >>> from abstain.datasets import TrueMixture
    >>> model = TrueMixture(means=[[-1, 0], [1, 0]], stds=[[1, 1], [1, 1]])
    >>> model.predict_proba([[0, 5], [1, 0]]).round(3)
    array([[0.5  , 0.5  ],
           [0.119, 0.881]])
    """

    def __init__(self, means: ArrayLike, stds: ArrayLike, *, noise: float = 0.0) -> None:
        self.means = means
        self.stds = stds
        self.noise = noise

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def classes_(self) -> NDArray[np.int64]:
        """The classes, in the order of ``means``."""
        return np.arange(len(self._clusters().means))

    @property
    def n_features_in_(self) -> int:
        """The number of features."""
        return int(self._clusters().means.shape[1])

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Check that the data could come from this mixture, and learn nothing.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        self : TrueMixture
            As it was.

        Examples
        --------
        >>> from abstain.datasets import make_pearl_necklace
        >>> X, y, model = make_pearl_necklace(random_state=0, return_model=True)
        >>> model.fit(X[:10], y[:10]) is model
        True
        """
        samples, labels = self._check_samples(X), as_labels("y", y)
        check_consistent_length(samples, labels)
        known = self.classes_.tolist()
        for label in dict.fromkeys(labels.tolist()):
            if label not in known:
                raise InputError(f"y must hold classes of the mixture, {known}, got {shown(label)}")
        return self

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the Bayes posterior of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        posteriors : ndarray of shape (n_samples, n_classes)
            They sum to 1, however far from every cluster.

        Examples
        --------
        >>> from abstain.datasets import make_pearl_necklace
        >>> *_, model = make_pearl_necklace(random_state=0, return_model=True)
        >>> model.predict_proba([[85, 3], [90, 3]]).round(3)
        array([[0.   , 0.   , 0.999, 0.001, 0.   ],
               [0.   , 0.024, 0.   , 0.976, 0.   ]])
        """
        samples = self._check_samples(X)
        samples /= np.maximum(np.abs(samples).max(axis=1, keepdims=True) / FAR, 1.0)
        return np.asarray(softmax(self._log_densities(samples), axis=1))

    def predict(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return the class of the largest posterior: no classifier errs less.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted classes.

        Examples
        --------
        >>> from abstain.datasets import make_pearl_necklace
        >>> *_, model = make_pearl_necklace(random_state=0, return_model=True)
        >>> model.predict([[85, 3], [90, 3]])
        array([2, 3])
        """
        winners = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[winners])

    def sample(
        self, n_samples: int, *, random_state: int | np.random.RandomState | None = None
    ) -> tuple[Array, NDArray[np.int64]]:
        """Draw samples of the mixture.

        The number of samples per class is fixed; which samples are noise is drawn. With the same
        seed, a larger share of noise moves more samples and leaves the others where they are.

        Parameters
        ----------
        n_samples : int
            Number of samples; the classes share them equally, the first ones getting the rest.
        random_state : int, RandomState or None, default=None
            Seeds the draw; the same int draws the same samples.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            The samples, in random order.
        y : ndarray of shape (n_samples,)
            Their classes.

        Examples
        --------
        >>> from abstain.datasets import TrueMixture
        >>> model = TrueMixture(means=[[-1, 0], [1, 0]], stds=[[1, 1], [1, 1]], noise=0.1)
        >>> X, y = model.sample(5, random_state=0)
        >>> X.shape, sorted(y.tolist())
        ((5, 2), [0, 0, 0, 1, 1])
        """
        clusters = self._clusters()
        is_whole = isinstance(n_samples, int | np.integer) and not isinstance(n_samples, bool)
        if not is_whole or n_samples < 1:
            raise InputError(f"n_samples must be a positive integer, got {n_samples!r}")
        generator = check_generator(random_state)
        y = generator.permutation(np.arange(n_samples) % len(clusters.means))
        X = generator.normal(clusters.means[y], clusters.stds[y])
        is_noise = generator.uniform(size=(n_samples, 1)) < clusters.noise
        return np.where(is_noise, generator.uniform(*clusters.box(), size=X.shape), X), y

    def _log_densities(self, samples: Array) -> Array:
        """Return log p(x | c) up to a constant, one column per class."""
        clusters = self._clusters()
        by_class = zip(clusters.means, clusters.stds, strict=True)
        densities = np.stack([_log_normal(samples, *cluster) for cluster in by_class], axis=1)
        if clusters.noise == 0:
            return densities
        low, high = clusters.box()
        in_box = ((samples >= low) & (samples <= high)).all(axis=1, keepdims=True)
        log_noise = np.log(clusters.noise) - np.log(high - low).sum()
        log_uniform = np.where(in_box, log_noise, -np.inf)
        return np.asarray(np.logaddexp(densities + np.log1p(-clusters.noise), log_uniform))

    def _clusters(self) -> _Clusters:
        means, stds = _check_table("means", self.means), _check_table("stds", self.stds)
        if means.shape != stds.shape:
            raise InputError(
                f"means and stds must have one shape, got {means.shape} and {stds.shape}"
            )
        if not (stds > 0).all():
            raise InputError(f"stds must be positive, got {float(stds.min())}")
        return _Clusters(means, stds, check_fraction("noise", self.noise, low_open=False))

    def _check_samples(self, X: ArrayLike) -> Array:
        # Not validate_data: the names of a table's columns mean nothing to a density.
        samples = check_array(X, dtype=np.float64, copy=True, input_name="X", estimator=self)
        if samples.shape[1] != self.n_features_in_:
            raise InputError(
                f"X must have the {self.n_features_in_} features of the mixture, "
                f"got {samples.shape[1]}"
            )
        return np.asarray(samples)


class _Clusters(NamedTuple):
    """The checked parameters of the mixture."""

    means: Array
    stds: Array
    noise: float

    def box(self) -> tuple[Array, Array]:
        """Return the lowest and the highest corner of the noise."""
        reach = BOX_STDS * self.stds
        return (self.means - reach).min(axis=0), (self.means + reach).max(axis=0)


def _log_normal(samples: Array, mean: Array, std: Array) -> Array:
    """Return the log density of a Gaussian with independent features."""
    squares = (((samples - mean) / std) ** 2).sum(axis=1)
    return np.asarray(-squares / 2 - np.log(std).sum() - len(mean) * np.log(2 * np.pi) / 2)


def _check_table(name: str, values: Any) -> Array:
    try:
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        table = np.empty(0)
    if table.ndim != 2 or table.size == 0 or not np.isfinite(table).all():
        raise InputError(
            f"{name} must be finite numbers, one row for each class and one column for each "
            f"feature, got {shown(values)}"
        )
    return table


def check_generator(random_state: Any) -> np.random.RandomState:
    """Return the random generator of a seed."""
    try:
        generator: np.random.RandomState = check_random_state(random_state)
    except ValueError:
        raise InputError(
            "random_state must be an int from 0 to 4294967295, a numpy RandomState or None, "
            f"got {random_state!r}"
        ) from None
    return generator
