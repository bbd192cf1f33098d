"""What is the mean curve of repeated runs, and where do enough of them have a value?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import as_vector, check_fraction, check_same_length
from abstain._core.errors import InputError, shown
from abstain.metrics._samples import check_shares

# A grid point and a reject rate closer than this are the same number up to rounding:
# np.linspace(0, 1, 11)[3] is not 3 / 10.
_SAME_RATE = 1e-12


class AveragedCurve(NamedTuple):
    """The mean curve of repeated runs, as `average_curves` returns it.

    Parameters
    ----------
    grid : ndarray of shape (n_points,)
        The reject rates.
    mean : ndarray of shape (n_points,)
        Mean over the runs that have a value there; NaN where too few of them have one.
    std : ndarray of shape (n_points,)
        Standard deviation over the same runs (divided by their number); NaN where the mean is.
    share : ndarray of shape (n_points,)
        Share of the runs that have a value there.

    Examples
    --------
    >>> from abstain.metrics import average_curves
    >>> average_curves([([0.5, 1.0], [0.0, 0.5])], grid=[0.1])._fields
    ('grid', 'mean', 'std', 'share')
    """

    grid: NDArray[np.float64]
    mean: NDArray[np.float64]
    std: NDArray[np.float64]
    share: NDArray[np.float64]


def average_curves(
    curves: Iterable[Sequence[ArrayLike]], grid: ArrayLike, min_share: float = 0.8
) -> AveragedCurve:
    """Average the reject curves of repeated runs at the given reject rates.

    A run has a value at a grid point within its own range of reject rates: the straight line
    between its two neighbouring points there. It is extended neither beyond its ends nor across a
    point whose value is NaN. Where fewer than ``min_share`` of the runs have a value, the mean is
    NaN: it would be a mean of other runs than elsewhere.

    Parameters
    ----------
    curves : sequence of (values, reject_rates, ...)
        One tuple per run, as the curve functions return it; what follows the first two arrays is
        ignored. The reject rates lie in [0, 1] and ascend strictly.
    grid : array-like of shape (n_points,)
        The reject rates at which to average, in [0, 1].
    min_share : float, default=0.8
        The share of the runs, in (0, 1], that must have a value. The default is the rule of [1]_:
        80 of 100 runs.

    Returns
    -------
    AveragedCurve
        Named tuple of the arrays ``grid``, ``mean``, ``std`` and ``share``.

    References
    ----------
    .. [1] L. Fischer, B. Hammer, H. Wersing: Optimum reject options for prototype-based
       classification. arXiv:1503.06549 (2015).

    Examples
    --------
    The second run ends at a reject rate of 0.5, the first at 0.8.

    >>> from abstain.metrics import average_curves
    >>> runs = [([0.8, 1.0], [0.0, 0.8]), ([0.6, 0.8], [0.0, 0.5])]
    >>> averaged = average_curves(runs, grid=[0.0, 0.4, 0.8])
    >>> averaged.mean.round(3).tolist()
    [0.7, 0.83, nan]
    >>> averaged.std.round(3).tolist()
    [0.1, 0.07, nan]
    >>> averaged.share.tolist()
    [1.0, 1.0, 0.5]
    """
    min_share = check_fraction("min_share", min_share, high_open=False)
    grid = check_shares("grid", grid)
    runs = [values_at(grid, *_check_curve(k, curve)) for k, curve in enumerate(curves)]
    if not runs:
        raise InputError("curves must hold at least one run, got 0")
    values = np.stack(runs)

    known = ~np.isnan(values)
    counts = np.count_nonzero(known, axis=0)
    # Compare quotients: 80 / 100 is exactly the float 0.8, while 0.8 times a number of runs may be
    # just above a whole number.
    share = counts / len(values)
    enough = share >= min_share
    mean = _divide(np.sum(values, axis=0, where=known), counts, where=enough)
    variance = _divide(np.sum((values - mean) ** 2, axis=0, where=known), counts, where=enough)
    return AveragedCurve(grid=grid, mean=mean, std=np.sqrt(variance), share=share)


def values_at(
    grid: NDArray[np.float64], values: NDArray[np.float64], reject_rates: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Interpolate one run at the grid points; NaN where it has no value."""
    next_row = np.searchsorted(reject_rates, grid - _SAME_RATE)
    nearby = reject_rates[np.minimum(next_row, len(reject_rates) - 1)]
    points = np.where(np.abs(nearby - grid) <= _SAME_RATE, nearby, grid)
    return np.interp(points, reject_rates, values, left=np.nan, right=np.nan)


def _divide(
    sums: NDArray[np.float64], counts: NDArray[Any], where: NDArray[np.bool_]
) -> NDArray[np.float64]:
    quotients = np.full(len(sums), np.nan)
    np.divide(sums, counts, out=quotients, where=where)
    return quotients


def _check_curve(
    position: int, curve: Sequence[ArrayLike]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    name = f"curves[{position}]"
    if not hasattr(curve, "__len__") or len(curve) < 2:
        raise InputError(f"{name} must be (values, reject_rates, ...), got {shown(curve)}")
    values = _check_values(f"values of {name}", curve[0])
    reject_rates = check_shares(f"reject_rates of {name}", curve[1])
    check_same_length(**{f"values of {name}": values, f"reject_rates of {name}": reject_rates})
    steps = np.diff(reject_rates)
    if (steps <= 0).any():
        where = int(np.argmax(steps <= 0))
        first, second = reject_rates[where : where + 2].tolist()
        raise InputError(
            f"reject_rates of {name} must ascend strictly, "
            f"got {first} before {second} at index {where}"
        )
    return values, reject_rates


def _check_values(name: str, values: ArrayLike) -> NDArray[np.float64]:
    array = as_vector(name, values)
    try:
        numbers = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be numbers or NaN ({error})") from None
    if np.isinf(numbers).any():
        where = int(np.isinf(numbers).argmax())
        raise InputError(f"{name} must be finite or NaN, got {numbers[where]} at index {where}")
    return numbers
