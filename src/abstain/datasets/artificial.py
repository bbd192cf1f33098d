"""Which artificial data does the paper use, and what can replace its private medical data?

The paper: L. Fischer, B. Hammer, H. Wersing, Optimum Reject Options for Prototype-based
Classification (2015). Its two sets have two features, and a Gaussian cluster for each class.
Samples and posteriors come from one description of a mixture, so that they cannot disagree.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_array, check_consistent_length, check_random_state

from abstain._core.checks import as_labels, check_fraction, check_positive_integer
from abstain._core.documentation import documented
from abstain._core.errors import InputError, shown

Samples = NDArray[np.float64]
Labels = NDArray[np.int64]
Seed = int | np.random.RandomState | None

# Sizes of the steroid-like data.
N_BENIGN, N_MALIGNANT, N_MARKERS, N_MISSING = 102, 45, 32, 56
# Chosen so that GMLVQ has an accuracy of about 0.9: the original classes overlap little.
SHIFT, DECAY, SPREAD = 1.3, 0.9, 1.5
N_FACTORS, LOADING, NOISE = 4, 0.8, 0.6
# The noise fills the smallest box that holds this many standard deviations of each cluster.
BOX_STDS = 3.0
# Beyond this distance only the direction matters; squares of larger numbers could overflow.
FAR = 1e100

PARAMETERS = """
X : array-like of shape (n_samples, n_features)
    Samples.
y : array-like of shape (n_samples,)
    Their classes.
random_state : int, RandomState or None
    Seeds the draw; the same int draws the same samples.
return_model : bool
    Whether to return the true model as well.
"""


@documented(PARAMETERS)
def make_gaussian_clusters(
    n_samples: int = 1000,
    *,
    noise: float = 0.02,
    random_state: Seed = None,
    return_model: bool = False,
) -> tuple[Any, ...]:
    """Draw two overlapping Gaussian clusters, overlaid with uniform noise.

    The paper's *Gaussian Clusters*, with μx = (-4, 4.5), μy = (4, 0.5), σx = (5.2, 7.1) and
    σy = (2.5, 2.1):

    ===== =========== ====================
    class mean        standard deviations
    ===== =========== ====================
    0     (-4, 4)     (5.2, 2.5)
    1     (4.5, 0.5)  (7.1, 2.1)
    ===== =========== ====================

    Parameters
    ----------
    n_samples : int, default=1000
        Number of samples, noise included; an odd number gives class 0 one more than class 1.
    noise : float, default=0.02
        Share of the samples that is noise, in [0, 1).

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        The samples, in random order.
    y : ndarray of shape (n_samples,)
        Their classes, 0 and 1.
    model : TrueMixture
        The classifier with the Bayes posteriors, noise included. Only if ``return_model``.

    Notes
    -----
    What the paper leaves open is decided here as follows.

    - x and y are read as the axes, as they are for its pearl necklace, and not as the two
      clusters. With clusters of mean (-4, 4.5) and (4, 0.5) RSLVQ and GMLVQ would stay four points
      of accuracy behind the Bayes classifier, which in the paper they match.
    - Noise is points of their own, uniform on the smallest box that holds both means ± 3 standard
      deviations, [-19.6, 25.8] × [-5.8, 11.5]. Both classes are equally likely there.
    - Their share is small. The paper finds RSLVQ close to Bayes at every reject rate; with a share
      of 0.02 it is about one point behind at 50% rejects and two or three at 90%, with one of 0.1
      three and eleven.
    - The classes are equally frequent, and there are 1000 samples.

    Examples
    --------
    >>> import numpy as np
    >>> from abstain.datasets import make_gaussian_clusters
    >>> X, y, model = make_gaussian_clusters(random_state=0, return_model=True)
    >>> X.shape, np.bincount(y)
    ((1000, 2), array([500, 500]))
    >>> model.score(X, y)
    0.855
    """
    model = TrueMixture(means=[[-4.0, 4.0], [4.5, 0.5]], stds=[[5.2, 2.5], [7.1, 2.1]], noise=noise)
    sample = model.sample(n_samples, random_state=random_state)
    return (*sample, model) if return_model else sample


@documented(PARAMETERS)
def make_pearl_necklace(
    n_samples: int = 1000,
    *,
    random_state: Seed = None,
    return_model: bool = False,
) -> tuple[Any, ...]:
    """Draw five round Gaussian clusters in a row, of very different widths.

    The paper's *Pearl Necklace*, with μx = (2, 44, 85, 100, 136), μy = 3 throughout and
    σx = σy = (1, 20, 0.5, 7, 11). No certainty with one scale for the whole plane suits all five,
    so thresholds per cell gain much here.

    ===== ========= ====================
    class mean      standard deviations
    ===== ========= ====================
    0     (2, 3)    (1, 1)
    1     (44, 3)   (20, 20)
    2     (85, 3)   (0.5, 0.5)
    3     (100, 3)  (7, 7)
    4     (136, 3)  (11, 11)
    ===== ========= ====================

    Parameters
    ----------
    n_samples : int, default=1000
        Number of samples; if five does not divide it, the first classes get one more each.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        The samples, in random order.
    y : ndarray of shape (n_samples,)
        Their classes, 0 to 4.
    model : TrueMixture
        The classifier with the Bayes posteriors. Only if ``return_model``.

    Notes
    -----
    The paper says neither how many samples there are nor how frequent each class is: here 1000,
    and equally frequent. It mentions noise for its Gaussian clusters only; there is none here.

    Examples
    --------
    >>> from abstain.datasets import make_pearl_necklace
    >>> X, y, model = make_pearl_necklace(random_state=0, return_model=True)
    >>> X.shape, model.classes_
    ((1000, 2), array([0, 1, 2, 3, 4]))
    >>> model.score(X, y)
    0.986
    """
    x_means, widths = [2, 44, 85, 100, 136], [1, 20, 0.5, 7, 11]
    model = TrueMixture(means=[[x, 3] for x in x_means], stds=[[width] * 2 for width in widths])
    sample = model.sample(n_samples, random_state=random_state)
    return (*sample, model) if return_model else sample


@documented(PARAMETERS)
def make_steroid_like(*, random_state: Seed = None) -> tuple[Samples, Labels]:
    r"""Draw synthetic data in the shape of the paper's private steroid data.

    **Synthetic: no value was measured, and no marker means anything.** Only the sizes are those of
    the original, the urinary steroid markers of patients with a tumour of the adrenal gland: 147
    samples of 32 markers, 102 benign (adenoma) and 45 malignant (carcinoma), and 56 of the 4704
    values missing. Results say nothing about patients; use it to try code for such data, and
    :func:`load_gastric` for data that were measured.

    Returns
    -------
    X : ndarray of shape (147, 32)
        The samples, in random order and on the scale of logarithms; exactly 56 values are NaN.
    y : ndarray of shape (147,)
        Their classes: 102 are 0, benign, and 45 are 1, malignant.

    Notes
    -----
    Markers of one metabolism vary together. Of marker j = 0, …, 31 a benign sample has

    .. math::
        x_j = 0.8 \sum_{k=1}^{4} z_k \cos\left(\frac{\pi k (j + 1/2)}{32}\right) + 0.6\, e_j

    with independent standard normal z and e. A malignant one has 1.5 times that, since such
    tumours differ more among each other, plus :math:`1.3 \cdot 0.9^j`: the first markers are
    informative, the last are not. Values are missing completely at random.

    Examples
    --------
    >>> import numpy as np
    >>> from abstain.datasets import make_steroid_like
    >>> X, y = make_steroid_like(random_state=0)
    >>> X.shape, np.bincount(y), int(np.isnan(X).sum())
    ((147, 32), array([102,  45]), 56)
    """
    generator = _check_generator(random_state)
    y = generator.permutation(np.repeat([0, 1], [N_BENIGN, N_MALIGNANT]))
    marker = np.arange(N_MARKERS)
    waves = np.cos(np.pi * np.outer(np.arange(1, N_FACTORS + 1), marker + 0.5) / N_MARKERS)
    factors = generator.normal(size=(len(y), N_FACTORS))
    X = LOADING * factors @ waves + NOISE * generator.normal(size=(len(y), N_MARKERS))
    X = X * np.where(y == 1, SPREAD, 1)[:, np.newaxis] + np.outer(y, SHIFT * DECAY**marker)
    X.flat[generator.choice(X.size, N_MISSING, replace=False)] = np.nan
    return X, y


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
    def classes_(self) -> Labels:
        """The classes, in the order of ``means``."""
        return np.arange(len(self._clusters().means))

    @property
    def n_features_in_(self) -> int:
        """The number of features."""
        return int(self._clusters().means.shape[1])

    @documented(PARAMETERS)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Check that the data could come from this mixture, and learn nothing.

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

    @documented(PARAMETERS)
    def predict_proba(self, X: ArrayLike) -> Samples:
        """Return the Bayes posterior of each class.

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

    @documented(PARAMETERS)
    def predict(self, X: ArrayLike) -> Labels:
        """Return the class of the largest posterior: no classifier errs less.

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

    @documented(PARAMETERS)
    def sample(self, n_samples: int, *, random_state: Seed = None) -> tuple[Samples, Labels]:
        """Draw samples of the mixture.

        The number of samples per class is fixed; which samples are noise is drawn. With the same
        seed, a larger share of noise moves more samples and leaves the others where they are.

        Parameters
        ----------
        n_samples : int
            Number of samples; the classes share them equally, the first ones getting the rest.

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
        check_positive_integer("n_samples", n_samples)
        generator = _check_generator(random_state)
        y = generator.permutation(np.arange(n_samples) % len(clusters.means))
        X = generator.normal(clusters.means[y], clusters.stds[y])
        is_noise = generator.uniform(size=(n_samples, 1)) < clusters.noise
        return np.where(is_noise, generator.uniform(*clusters.box(), size=X.shape), X), y

    def _log_densities(self, samples: Samples) -> Samples:
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

    def _check_samples(self, X: ArrayLike) -> Samples:
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

    means: Samples
    stds: Samples
    noise: float

    def box(self) -> tuple[Samples, Samples]:
        """Return the lowest and the highest corner of the noise."""
        reach = BOX_STDS * self.stds
        return (self.means - reach).min(axis=0), (self.means + reach).max(axis=0)


def _log_normal(samples: Samples, mean: Samples, std: Samples) -> Samples:
    """Return the log density of a Gaussian with independent features."""
    squares = (((samples - mean) / std) ** 2).sum(axis=1)
    return np.asarray(-squares / 2 - np.log(std).sum() - len(mean) * np.log(2 * np.pi) / 2)


def _check_table(name: str, values: Any) -> Samples:
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


def _check_generator(random_state: Any) -> np.random.RandomState:
    """Return the random generator of a seed."""
    try:
        generator: np.random.RandomState = check_random_state(random_state)
    except ValueError:
        raise InputError(
            "random_state must be an int from 0 to 4294967295, a numpy RandomState or None, "
            f"got {random_state!r}"
        ) from None
    return generator
