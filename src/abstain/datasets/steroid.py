"""What could stand in for the paper's medical data, which are private?"""

from __future__ import annotations  # signatures then show the names of types

import numpy as np

from abstain.datasets.artificial import Labels, Samples, Seed
from abstain.datasets.mixture import check_generator

__all__ = ["make_steroid_like"]

N_BENIGN, N_MALIGNANT, N_MARKERS, N_MISSING = 102, 45, 32, 56

# Chosen by the accuracy of GMLVQ, about 0.9: the original classes overlap little.
SHIFT, DECAY, SPREAD = 1.3, 0.9, 1.5
N_FACTORS, LOADING, NOISE = 4, 0.8, 0.6


def make_steroid_like(*, random_state: Seed = None) -> tuple[Samples, Labels]:
    r"""Draw synthetic data in the shape of the paper's private steroid data.

    **Synthetic: no value was ever measured, and no marker means anything.** Only these are those
    of the original, the urinary steroid markers of patients with a tumour of the adrenal gland: 147
    samples of 32 markers, 102 benign (adenoma) and 45 malignant (carcinoma), and 56 of the 4704
    values missing. What is found here says nothing about patients; use it to try code for such
    data, and :func:`load_gastric` for data that were measured.

    Parameters
    ----------
    random_state : int, RandomState or None, default=None
        What is drawn; the same int draws the same samples.

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
    tumours differ more among each other, plus :math:`1.3 \cdot 0.9^j`: the first markers tell
    much, the last nothing. Values are missing at random, whatever they and the classes are.

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
