"""Which thresholds trade right answers lost for wrong answers caught in the best way?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable

from numpy.typing import ArrayLike

from abstain._core.checks import InputError
from abstain._scale.blocks import is_dask
from abstain.fronts.bins import count_in_bins
from abstain.fronts.exact import exact_front
from abstain.fronts.front import ParetoFront
from abstain.fronts.greedy import greedy_front
from abstain.fronts.hull import hull_front
from abstain.fronts.on_dask import build_staircases_on_dask, count_in_bins_on_dask
from abstain.fronts.pooled import pooled_front
from abstain.fronts.staircases import Staircases, build_staircases

__all__ = ["FROM_STAIRCASES", "METHODS", "pareto_front"]

FROM_STAIRCASES: dict[str, Callable[[Staircases], ParetoFront]] = {
    "exact": exact_front,
    "greedy": greedy_front,
    "hull": hull_front,
}
METHODS = (*FROM_STAIRCASES, "pooled")


def pareto_front(
    certainty: ArrayLike,
    correct: ArrayLike,
    cells: ArrayLike | None = None,
    *,
    method: str = "exact",
) -> ParetoFront:
    """Find the fewest false rejects for every number of true rejects.

    With one threshold θ per cell, a sample of certainty r in cell j is rejected iff r < θ_j.
    Rejecting a wrong sample is a *true reject*, rejecting a correct one a *false reject*. For
    every number m of true rejects that some choice of thresholds attains, the exact front holds

        D(m) = min { false rejects of θ : θ has exactly m true rejects },

    together with thresholds that realise it. That is best on these samples. On new ones,
    "pooled" does better: it rejects first what is most probably wrong, by probabilities that
    cells with few samples borrow from the others. The arrays are matched by position.

    Dask arrays that are chunked alike give the same front, and are not collected for it: what
    leaves a block grows with the errors in it. They are asked for twice; persist them before, if
    to make them takes long and there is memory for it.

    Parameters
    ----------
    certainty : array-like of shape (n_samples,)
        How sure the classifier was of each sample, higher is surer. ±inf is allowed, NaN is not.
        A certainty of +inf is below no threshold, so that such a sample is never rejected.
    correct : array-like of bool of shape (n_samples,)
        Whether the classifier was right.
    cells : array-like of shape (n_samples,), default=None
        The region that each sample fell in: integers or labels. None is one global cell. A region
        without any sample is no column of the front.
    method : {"exact", "greedy", "hull", "pooled"}, default="exact"
        "exact" is the true optimum: time grows with the errors, near-linearly on usual data and
        with their square at worst. "hull" is near-linear always, exact at its breakpoints, and
        bounds by ``gap`` what it misses elsewhere. Where "exact" turns out to take long, it warns,
        and says what "hull" would miss on these samples at most. "greedy" is the approximation of
        Fischer, Hammer and Wersing, for comparison. "pooled" is made for new data: its rows are
        nested, from rejecting nothing to rejecting everything, and it also estimates the
        probability that an answer is right (:class:`PooledFront`).

    Returns
    -------
    front : ParetoFront
        One row for each number of true rejects, ascending, the row that rejects nothing first;
        of "pooled", a row for each limit on the probability of being right.

    References
    ----------
    L. Fischer, B. Hammer, H. Wersing. *Optimum Reject Options for Prototype-based Classification*,
    2015.

    Examples
    --------
    >>> from abstain import pareto_front
    >>> certainty = [0.9, 0.8, 0.3, 0.6, 0.5, 0.2]
    >>> correct = [True, True, False, True, False, True]
    >>> front = pareto_front(certainty, correct, cells=[1, 1, 1, 2, 2, 2])
    >>> for row in range(len(front)):
    ...     print(front.true_rejects[row], front.false_rejects[row], front.thresholds_at(row))
    0 0 [-inf -inf]
    1 0 [ 0.8 -inf]
    2 1 [0.8 0.6]
    """
    if not isinstance(method, str) or method not in METHODS:
        known = ", ".join(repr(name) for name in METHODS)
        raise InputError(f"method must be one of {known}, got {method!r}")
    on_dask = is_dask(certainty, correct, cells)
    if method == "pooled":
        count = count_in_bins_on_dask if on_dask else count_in_bins
        return pooled_front(count(certainty, correct, cells))
    build = build_staircases_on_dask if on_dask else build_staircases
    return FROM_STAIRCASES[method](build(certainty, correct, cells))
