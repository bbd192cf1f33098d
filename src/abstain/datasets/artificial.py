"""What were the paper's two artificial data sets?

The paper: L. Fischer, B. Hammer, H. Wersing, Optimum Reject Options for Prototype-based
Classification (2015). Both sets have two features, and a Gaussian cluster for each class.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from abstain.datasets.mixture import TrueMixture

__all__ = ["make_gaussian_clusters", "make_pearl_necklace"]

Samples = NDArray[np.float64]
Labels = NDArray[np.int64]
Seed = int | np.random.RandomState | None


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
        What is drawn; the same int draws the same samples.
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
    What the paper leaves open is settled here as follows.

    - x and y are read as the axes, as they are for its pearl necklace, and not as the two
      clusters. With clusters of mean (-4, 4.5) and (4, 0.5) RSLVQ and GMLVQ would stay four points
      of accuracy behind the Bayes classifier, which in the paper they match.
    - Noise is points of their own, uniform on the smallest box that holds both means ± 3 standard
      deviations, [-19.6, 25.8] × [-5.8, 11.5]. Their class is a fair coin's: the noise lies over
      both clusters alike.
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
        What is drawn; the same int draws the same samples.
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
