"""Which artificial data does the paper use, and what can replace its private medical data?

The paper: L. Fischer, B. Hammer, H. Wersing, Optimum Reject Options for Prototype-based
Classification (2015). Its two sets have two features, and a Gaussian cluster for each class.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from abstain.datasets.mixture import TrueMixture, check_generator

Samples = NDArray[np.float64]
Labels = NDArray[np.int64]
Seed = int | np.random.RandomState | None

# Sizes of the steroid-like data.
N_BENIGN, N_MALIGNANT, N_MARKERS, N_MISSING = 102, 45, 32, 56

# Chosen so that GMLVQ has an accuracy of about 0.9: the original classes overlap little.
SHIFT, DECAY, SPREAD = 1.3, 0.9, 1.5
N_FACTORS, LOADING, NOISE = 4, 0.8, 0.6


@overload
def make_gaussian_clusters(
    n_samples: int = ...,
    *,
    noise: float = ...,
    random_state: Seed = ...,
    return_model: Literal[False] = ...,
) -> tuple[Samples, Labels]: ...


@overload
def make_gaussian_clusters(
    n_samples: int = ...,
    *,
    noise: float = ...,
    random_state: Seed = ...,
    return_model: Literal[True],
) -> tuple[Samples, Labels, TrueMixture]: ...


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
    random_state : int, RandomState or None, default=None
        Seeds the draw; the same int draws the same samples.
    return_model : bool, default=False
        Whether to return the true model as well.

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
      of 0.02 it is about one point behind at 50 % rejects and two or three at 90 %, with one of 0.1
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


@overload
def make_pearl_necklace(
    n_samples: int = ..., *, random_state: Seed = ..., return_model: Literal[False] = ...
) -> tuple[Samples, Labels]: ...


@overload
def make_pearl_necklace(
    n_samples: int = ..., *, random_state: Seed = ..., return_model: Literal[True]
) -> tuple[Samples, Labels, TrueMixture]: ...


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
    random_state : int, RandomState or None, default=None
        Seeds the draw; the same int draws the same samples.
    return_model : bool, default=False
        Whether to return the true model as well.

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


def make_steroid_like(*, random_state: Seed = None) -> tuple[Samples, Labels]:
    r"""Draw synthetic data in the shape of the paper's private steroid data.

    **Synthetic: no value was measured, and no marker means anything.** Only the sizes are those of
    the original, the urinary steroid markers of patients with a tumour of the adrenal gland: 147
    samples of 32 markers, 102 benign (adenoma) and 45 malignant (carcinoma), and 56 of the 4704
    values missing. Results say nothing about patients; use it to try code for such data, and
    :func:`load_gastric` for data that were measured.

    Parameters
    ----------
    random_state : int, RandomState or None, default=None
        Seeds the draw; the same int draws the same samples.

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
    >>> X.shape, np.bincount(y), np.isnan(X).sum()
    ((147, 32), array([102,  45]), np.int64(56))
    """
    generator = check_generator(random_state)
    y = generator.permutation(np.repeat([0, 1], [N_BENIGN, N_MALIGNANT]))
    marker = np.arange(N_MARKERS)
    waves = np.cos(np.pi * np.outer(np.arange(1, N_FACTORS + 1), marker + 0.5) / N_MARKERS)
    factors = generator.normal(size=(len(y), N_FACTORS))
    X = LOADING * factors @ waves + NOISE * generator.normal(size=(len(y), N_MARKERS))
    X = X * np.where(y == 1, SPREAD, 1)[:, np.newaxis] + np.outer(y, SHIFT * DECAY**marker)
    X.flat[generator.choice(X.size, N_MISSING, replace=False)] = np.nan
    return X, y
