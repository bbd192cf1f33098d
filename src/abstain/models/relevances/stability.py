"""How much do the relevances of a model depend on the samples that it was fitted to?

The model is fitted again to many resamples: random halves of the samples or bootstrap samples, with
the classes in proportion. Its relevances, and the entries of Λ = ΩᵀΩ, then vary.

**What an interval is.** It holds the middle 90% of what the fits to the resamples found: a
percentile interval of resamples. It is no confidence interval, for there is no true relevance to
contain: a relevance belongs to a fitted metric. To first order, the spread is that over new data
sets of the same size. With an estimate's variance σ²/n, halves drawn without replacement have the
variance (1 − ½) σ²/(n/2) = σ²/n around it, and bootstrap samples have σ²/n too.

**Correlated features** share a relevance, and each fit may share it otherwise. Then each of them
has a wide interval, and may be first in few of the fits, though one of them is always needed. The
fits are kept in ``relevances``: the sum over such features is often stable.

Halves come in pairs that complete each other, as in the stability selection of R. Shah and
R. Samworth, *Variable selection with error control: another look at stability selection*, Journal
of the Royal Statistical Society B 75 (2013).
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from abstain._core.checks import check_fraction, check_positive_integer
from abstain._core.documentation import documented
from abstain._core.errors import InputError
from abstain._core.estimators import names_of_features, unwrap
from abstain._core.sklearn_private import take_rows
from abstain.models.relevances.refitting import (
    MATRIX_MODELS,
    PARAMETERS,
    checked_labels,
    group_numbers,
    parts_of,
    seed,
)

Array = NDArray[Any]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

RESAMPLING = ("half", "bootstrap")
# Digits to which relevances are compared: those of two copies of a feature differ by rounding.
DIGITS = 9


@dataclass(frozen=True, eq=False)
class RelevanceStability:
    """Relevances of a model that was fitted to each of many resamples.

    Parameters
    ----------
    relevances : ndarray of shape (n_resamples, n_features)
        Relevances of each fit, which sum to 1; their mean over the prototypes, if each prototype
        has its own metric.
    matrices : ndarray of shape (n_resamples, n_features, n_features) or None
        Λ of each fit with trace 1, or the mean over its prototypes.
    feature_names : list of str
        Names of the features.
    resampling : {"half", "bootstrap"}
        What a resample is.

    Examples
    --------
    >>> import numpy as np
    >>> from abstain.models.relevances import RelevanceStability
    >>> fits = np.array([[0.5, 0.3, 0.2], [0.7, 0.1, 0.2]])
    >>> stability = RelevanceStability(fits, None, ["a", "b", "c"], "half")
    >>> stability.mean.round(2).tolist(), stability.ranks.tolist()
    ([0.6, 0.2, 0.2], [[1, 2, 3], [1, 3, 2]])
    """

    relevances: Floats
    matrices: Floats | None
    feature_names: list[str]
    resampling: str

    @property
    def mean(self) -> Floats:
        """Mean relevance of each feature over the resamples."""
        return np.asarray(self.relevances.mean(axis=0))

    @property
    def ranks(self) -> Ints:
        """Rank of each feature in each fit, 1 for the most relevant; equal ones share the best."""
        rounded = self.relevances.round(DIGITS)
        return np.asarray(rankdata(-rounded, method="min", axis=1).astype(np.int64))

    def interval(self, level: float = 0.9) -> Floats:
        """Return the interval with the middle share of each feature's relevances.

        Parameters
        ----------
        level : float, default=0.9
            Share of the resamples; those below and above are equally many.

        Returns
        -------
        interval : ndarray of shape (2, n_features)
            Lower and upper ends.

        Examples
        --------
        >>> import numpy as np
        >>> from abstain.models.relevances import RelevanceStability
        >>> fits = np.array([[0.5, 0.5], [0.6, 0.4], [0.7, 0.3]])
        >>> RelevanceStability(fits, None, ["a", "b"], "half").interval(0.5).round(2).tolist()
        [[0.55, 0.35], [0.65, 0.45]]
        """
        return _percentiles(self.relevances, level)

    def selection_frequency(self, top: int) -> Floats:
        """Return in which share of the resamples each feature is one of the most relevant.

        Parameters
        ----------
        top : int
            Number of features that count as the most relevant ones.

        Returns
        -------
        frequency : ndarray of shape (n_features,)
            Share of the resamples; the sum is ``top``, or more where features are equal.

        Examples
        --------
        >>> import numpy as np
        >>> from abstain.models.relevances import RelevanceStability
        >>> fits = np.array([[0.5, 0.3, 0.2], [0.7, 0.1, 0.2]])
        >>> stability = RelevanceStability(fits, None, ["a", "b", "c"], "half")
        >>> stability.selection_frequency(2).tolist()
        [1.0, 0.5, 0.5]
        """
        check_positive_integer("top", top)
        return np.asarray((self.ranks <= top).mean(axis=0))

    def matrix_interval(self, level: float = 0.9) -> Floats:
        """Return the interval with the middle share of each entry of Λ.

        An entry off the diagonal whose interval contains 0 has no stable sign: whether the model
        weighs the sum or the difference of the two features depends on the samples.

        Parameters
        ----------
        level : float, default=0.9
            Share of the resamples; those below and above are equally many.

        Returns
        -------
        interval : ndarray of shape (2, n_features, n_features)
            Lower and upper ends.

        Examples
        --------
        >>> import numpy as np
        >>> from abstain.models.relevances import RelevanceStability
        >>> fits = np.array([[[0.5, -0.2], [-0.2, 0.5]], [[0.5, 0.3], [0.3, 0.5]]])
        >>> stability = RelevanceStability(np.full((2, 2), 0.5), fits, ["a", "b"], "half")
        >>> stability.matrix_interval(1.0)[:, 0, 1].tolist()
        [-0.2, 0.3]
        """
        if self.matrices is None:
            raise InputError("the matrices were not kept; use relevance_stability(matrices=True)")
        return _percentiles(self.matrices, level)


@documented(PARAMETERS)
def relevance_stability(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    n_resamples: int = 100,
    resampling: str = "half",
    matrices: bool = True,
    groups: ArrayLike | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> RelevanceStability:
    """Fit a model to resamples, and return the relevances of each fit.

    An interval of them tells how far a relevance depends on the samples. It is no confidence
    interval for a true relevance: there is none. Correlated features share a relevance, and wide
    intervals of several of them do not mean that none of them is needed; `iterated_relevances`
    finds features that others hide.

    Parameters
    ----------
    n_resamples : int, default=100
        Number of fits.
    resampling : {"half", "bootstrap"}, default="half"
        Fit to random halves of the samples, or to as many samples drawn with replacement; either
        way with the classes in proportion. Of groups, whole groups are drawn, each counted as one
        of its most frequent class.
    matrices : bool, default=True
        Whether to keep Λ of each fit, n_resamples × n_features² numbers.

    Returns
    -------
    stability : RelevanceStability
        Relevances and matrices of all fits, with their means, intervals and ranks.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from abstain import GMLVQ
    >>> from abstain.models.relevances import relevance_stability
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = make_pipeline(StandardScaler(), GMLVQ(n_prototypes_per_class=1))
    >>> stability = relevance_stability(model, X, y, n_resamples=20, random_state=0)
    >>> low, high = stability.interval(0.9)
    >>> for name, *ends in zip(stability.feature_names, low, high):
    ...     print(f"{name:<18}", *(f"{end:.0%}" for end in ends))
    sepal length (cm)  4% 8%
    sepal width (cm)   2% 7%
    petal length (cm)  18% 79%
    petal width (cm)   12% 70%
    """
    check_positive_integer("n_resamples", n_resamples)
    if resampling not in RESAMPLING:
        raise InputError(
            argument="resampling", value=resampling, requirement=f"must be one of {RESAMPLING}"
        )
    before, model = parts_of(estimator, f"GRLVQ, {MATRIX_MODELS}", needs_matrix=False)
    classes, codes = checked_labels(X, y)
    numbers = group_numbers(groups, len(codes))
    generator = check_random_state(random_state)
    pipeline = make_pipeline(before, model)
    tasks = [
        delayed(_fit)(seed(clone(pipeline), generator), X, classes[codes], rows, matrices)
        for rows in _resamples(codes, classes, numbers, n_resamples, resampling, generator)
    ]
    fits = Parallel(n_jobs=n_jobs, verbose=verbose)(tasks)
    names, relevances, kept = zip(*fits, strict=True)
    if any(each != names[0] for each in names):
        raise InputError(
            argument="estimator",
            requirement="must give its model the same features in each fit",
            got="a pipeline that selects some",
            remedy="select them before",
        )
    stacked = np.stack(kept) if matrices else None
    return RelevanceStability(np.stack(relevances), stacked, names[0], resampling)


def _fit(
    pipeline: Any, X: Any, y: Array, rows: Ints, matrices: bool
) -> tuple[list[str], Floats, Floats | None]:
    """Return the names of the features, their relevances and Λ, fitted to some of the samples."""
    steps, model = unwrap(pipeline.fit(take_rows(X, rows), y[rows]))
    relevances = np.atleast_2d(model.relevances_).mean(axis=0).astype(np.float64)
    matrix = mean_relevance_matrix(model) if matrices else None
    return list(map(str, names_of_features(steps, model))), relevances, matrix


def mean_relevance_matrix(model: Any) -> Floats:
    """Return Λ = ΩᵀΩ of a fitted model with trace 1; of several metrics, the mean."""
    roots = model.metric_roots().astype(np.float64)
    matrices = roots.swapaxes(1, 2) @ roots
    traces = np.trace(matrices, axis1=1, axis2=2)
    return np.asarray((matrices / traces[:, np.newaxis, np.newaxis]).mean(axis=0))


def _percentiles(values: Floats, level: float) -> Floats:
    check_fraction("level", level, high_open=False)
    return np.asarray(np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=0))


# --- resamples ------------------------------------------------------------------------------------


def _resamples(
    codes: Ints,
    classes: Array,
    groups: Ints,
    n_resamples: int,
    resampling: str,
    random: RandomState,
) -> list[Ints]:
    """Return the rows of each resample, ascending."""
    counts = np.zeros((groups.max() + 1, len(classes)), dtype=np.int64)
    np.add.at(counts, (groups, codes), 1)
    strata = [np.flatnonzero(counts.argmax(axis=1) == code) for code in range(len(classes))]
    rows_of = np.split(np.argsort(groups, kind="stable"), np.cumsum(np.bincount(groups))[:-1])
    draw = _halves if resampling == "half" else _bootstrap_samples
    resamples: list[Ints] = []
    while len(resamples) < n_resamples:
        for drawn in draw(strata, random):
            rows = np.sort(np.concatenate([rows_of[group] for group in drawn] or [drawn]))
            _check_classes_present(codes[rows], classes, strata)
            resamples.append(rows)
    return resamples[:n_resamples]


def _halves(strata: list[Ints], random: RandomState) -> tuple[Ints, Ints]:
    """Return two halves of the groups of each stratum; of an odd one, either gets one more."""
    halves: tuple[list[Ints], list[Ints]] = ([], [])
    for stratum in strata:
        shuffled = random.permutation(stratum)
        cut = (len(stratum) + random.randint(2)) // 2
        halves[0].append(shuffled[:cut])
        halves[1].append(shuffled[cut:])
    return np.concatenate(halves[0]), np.concatenate(halves[1])


def _bootstrap_samples(strata: list[Ints], random: RandomState) -> tuple[Ints]:
    """Return as many groups of each stratum as it has, drawn with replacement."""
    drawn = [random.choice(stratum, len(stratum)) for stratum in strata if len(stratum)]
    return (np.concatenate(drawn),)


def _check_classes_present(codes: Ints, classes: Array, strata: list[Ints]) -> None:
    missing = np.setdiff1d(np.arange(len(classes)), codes)
    if len(missing):
        name, size = classes.tolist()[missing[0]], len(strata[missing[0]])
        raise InputError(
            f"each resample must hold samples of each class, got none of class {name!r} in one "
            f"of them; the class is the most frequent one of {size} sample(s) or group(s): use "
            'resampling="bootstrap", or leave the class out'
        )
