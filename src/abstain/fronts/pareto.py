"""Which thresholds give the best trade-off between true and false rejects?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable

from numpy.typing import ArrayLike

from abstain._core.errors import InputError
from abstain._scale.blocks import is_dask
from abstain.fronts.bins import count_in_bins, count_in_bins_on_dask, count_weights_in_bins
from abstain.fronts.chunked import build_staircases_on_dask
from abstain.fronts.exact import exact_front
from abstain.fronts.front import ParetoFront
from abstain.fronts.greedy import greedy_front
from abstain.fronts.hull import hull_front
from abstain.fronts.pooled import pooled_front
from abstain.fronts.staircases import (
    Staircases,
    build_staircases,
    build_weighted_staircases,
)
from abstain.fronts.weights import check_exact, weighted_samples

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
    weights: ArrayLike | None = None,
) -> ParetoFront:
    """Find the fewest false rejects for every number of true rejects.

    With one threshold θ per cell, a sample of certainty r in cell j is rejected iff r < θ_j.
    Rejecting a wrong sample is a *true reject*, rejecting a correct one a *false reject*. For
    every number m of true rejects that some choice of thresholds attains, the exact front holds

        D(m) = min { false rejects of θ : θ has exactly m true rejects },

    together with thresholds that realise it. That is optimal on these samples. On new samples,
    "pooled" is better: it rejects the most probably wrong answers first, with probabilities for
    which cells with few samples borrow from the others. The arrays are matched by position.

    Dask arrays with the same chunks give the same front without being collected: what leaves a
    block grows with its errors. They are computed twice; persist them first if computing them
    takes long and there is enough memory.

    Parameters
    ----------
    certainty : array-like of shape (n_samples,)
        How certain the classifier was of each sample; higher is more certain. ±inf is allowed,
        NaN is not. A sample of certainty +inf is below no threshold and never rejected.
    correct : array-like of bool of shape (n_samples,)
        Whether the classifier was right.
    cells : array-like of shape (n_samples,), default=None
        The cell of each sample: integers or labels. None is one global cell. A cell without
        samples is not a column of the front.
    method : {"exact", "greedy", "hull", "pooled"}, default="exact"
        "exact" is the true optimum: its time grows near-linearly with the errors on usual data
        and with their square at worst. "hull" is always near-linear, exact at its breakpoints,
        and bounds its loss elsewhere by ``gap``. If "exact" takes long, it warns and says how
        much "hull" would lose on these samples at most. "greedy" is the approximation of Fischer,
        Hammer and Wersing, for comparison. "pooled" is for new data: its rows are nested, from
        rejecting nothing to rejecting everything, and it also estimates the probability that an
        answer is right (:class:`PooledFront`).
    weights : array-like of shape (n_samples,), default=None
        What each sample counts, such as the cost of an error or of a right answer that is
        lost; None is 1 each. All counts of the front are then sums of weights, in multiples of
        its ``unit``, and samples of weight 0 are left out. Whole weights give the exact front of
        samples that are repeated so many times; "exact" needs multiples of a unit, and wrong
        samples of at most 10 million units in all. "pooled" fits its curves without weights, and
        multiplies the odds of a cell by the ratio of the mean weights of its wrong and its right
        samples.

    Returns
    -------
    front : ParetoFront
        One row for each number of true rejects, in ascending order, beginning with the row that
        rejects nothing; for "pooled", one row for each limit on the probability of being right.

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
        raise InputError(argument="method", value=method, requirement=f"must be one of {known}")
    on_dask = is_dask(certainty, correct, cells, weights)
    if weights is not None:
        if on_dask:
            raise InputError(
                argument="weights",
                requirement="must be None for Dask arrays",
                got="an array",
                remedy="compute the arrays first",
            )
        samples = weighted_samples(certainty, correct, cells, weights)
        if method == "pooled":
            return pooled_front(count_weights_in_bins(samples))
        if method == "exact":
            check_exact(samples)
        return FROM_STAIRCASES[method](build_weighted_staircases(samples))
    if method == "pooled":
        count = count_in_bins_on_dask if on_dask else count_in_bins
        return pooled_front(count(certainty, correct, cells))
    build = build_staircases_on_dask if on_dask else build_staircases
    return FROM_STAIRCASES[method](build(certainty, correct, cells))
