"""Which features separate the classes, also those that a single fit does without?

A fitted metric needs only one of two features that say the same. So its relevances show what was
used, not what could have been. Iterated relevance matrix analysis (IRMA) finds the rest: fit a
matrix model, project the directions that it found out of the data, and repeat until nothing is left
that predicts the classes.

**An iteration.** The rows of Q are an orthonormal basis of what is left of the feature space, at
first the span of the samples. A model is fitted to the coordinates Qx; v_1, …, v_k are the leading
eigenvectors of its Λ with eigenvalues λ_1 ≥ … ≥ λ_k, as vectors of features. The relevances of the
iteration are those of the directions that it takes away,

    r_j = Σ_i λ_i v_ij² / Σ_i λ_i,

which sum to 1; in the first iteration they are not ``relevances_`` of the model, which spreads some
weight over all other directions. The next iteration goes on in the complement of v_1, …, v_k
in Q, so that all directions are orthogonal. GMLVQ depends on distances alone, and so not on which
basis is chosen.

**When to stop.** Each fold of a cross-validation goes through the same iterations on its own
training samples, and predicts the others from what *it* has left: directions that were chosen with
the labels of a sample would tell something about them. Let a be the accuracy of these answers, and

    c = Σ_class P(true class) P(answer)

that of the same answers if they were independent of the classes: *chance*. It is the share of the
largest class if that is always the answer. With

    ψ = 1{right} − P(true class = answer) − P(answer = true class) + c,

whose mean over the samples is a − c, independence is tested by z = Σψ / √(2Σψ²), one-sided and by
the normal distribution; ψ is first summed over each group of samples that belong together. The 2 is
for folds that are fitted to each other's samples: if the answer to a sample depends on the class of
another, that to the other depends on the class of the one, alike. Where ψ is a sum over such pairs,
this doubles its variance; for nearest means it is 1 + 2/π times as large. The analysis stops at the
first iteration whose p-value is above ``alpha``, and this iteration does not count. As the tests are
made in a fixed order, the probability to count an iteration in which noise alone was left is at most
about ``alpha``, without a correction for their number.

**In total.** Iteration t counts by its skill κ_t = (a_t − c_t) / (1 − c_t), Cohen's kappa:

    Λ = Σ_t κ_t Σ_i λ_ti v_ti v_tiᵀ / Σ_i λ_ti  /  Σ_t κ_t,

with trace 1. The diagonal holds the cumulative relevances. Where many iterations are above chance,
they approach 1/n_features for each feature: all directions together are the whole space. The first
rows, of the iterations that are about as accurate as the first, then say more.

The idea is that of S. Lövdal and M. Biehl, *Iterated relevance matrix analysis (IRMA) for the
identification of class-discriminative subspaces*, Neurocomputing 577 (2024), and S. Lövdal, E. L. van
den Brandhof, M. Biehl, *Iterated relevance matrix analysis for improved classification and
robustness in prototype-based learning schemes*, Neurocomputing 670 (2026). The number of directions
per iteration, the test and the weights κ_t are choices of this package.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm
from sklearn.base import clone
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.utils import check_array, check_random_state
from sklearn.utils.parallel import Parallel, delayed

from abstain._core.checks import check_fraction, check_positive_integer
from abstain._core.documentation import documented
from abstain._core.errors import InputError
from abstain._core.estimators import names_of_features
from abstain._core.sklearn_private import take_rows
from abstain.models.relevances.refitting import (
    MATRIX_MODELS,
    PARAMETERS,
    checked_labels,
    group_numbers,
    parts_of,
    seed,
)
from abstain.models.relevances.stability import mean_relevance_matrix

Array = NDArray[Any]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class IteratedRelevances:
    """Directions that separate the classes, found one iteration after the other.

    Parameters
    ----------
    directions : ndarray of shape (n_directions, n_features)
        Orthonormal, in the order in which they were projected out; those of the iterations whose
        accuracy is above chance.
    eigenvalues : ndarray of shape (n_directions,)
        Their eigenvalues in Λ of their iteration.
    iterations : ndarray of shape (n_directions,)
        The iteration of each direction, from 0 on.
    accuracies, chances, p_values : ndarray of shape (n_tested,)
        Of each iteration: accuracy on samples that it was not fitted to, that of the same answers
        if they were independent of the classes, and the p-value of independence. If the last is
        above ``alpha``, its iteration has no directions.
    feature_names : list of str
        Names of the features.
    alpha : float
        Level of the test.

    Examples
    --------
    >>> import numpy as np
    >>> from abstain.models.relevances import IteratedRelevances
    >>> found = IteratedRelevances(
    ...     np.eye(3)[:2], np.ones(2), np.array([0, 1]),
    ...     np.array([0.9, 0.7, 0.5]), np.full(3, 0.5), np.array([0.0, 0.01, 0.4]),
    ...     ["a", "b", "c"], 0.05,
    ... )
    >>> found.n_iterations, found.reached_chance, found.cumulative_relevances.round(2).tolist()
    (2, True, [[1.0, 0.0, 0.0], [0.67, 0.33, 0.0]])
    """

    directions: Floats
    eigenvalues: Floats
    iterations: Ints
    accuracies: Floats
    chances: Floats
    p_values: Floats
    feature_names: list[str]
    alpha: float

    @property
    def n_iterations(self) -> int:
        """Number of iterations whose accuracy is above chance."""
        return int((self.p_values <= self.alpha).sum())

    @property
    def reached_chance(self) -> bool:
        """Whether what was left at the end did not predict the classes; else the limit was met."""
        return bool(self.p_values[-1] > self.alpha)

    @property
    def skills(self) -> Floats:
        """Cohen's kappa of each iteration above chance: 0 at chance, 1 if all answers are right."""
        skills = (self.accuracies - self.chances) / (1 - self.chances)
        return np.asarray(skills[: self.n_iterations])

    @property
    def relevances(self) -> Floats:
        """Relevances of each iteration above chance, of shape (n_iterations, n_features)."""
        shares = np.zeros((self.n_iterations, len(self.directions)))
        shares[self.iterations, np.arange(len(self.directions))] = self.eigenvalues
        shares /= shares.sum(axis=1, keepdims=True)
        return np.asarray(shares @ self.directions**2)

    @property
    def cumulative_relevances(self) -> Floats:
        """Relevances in each iteration and those before it together, of the same shape."""
        skills = self.skills[:, np.newaxis]
        return np.asarray((skills * self.relevances).cumsum(axis=0) / skills.cumsum(axis=0))

    def matrix(self, n_iterations: int | None = None) -> Floats:
        """Return Λ of several iterations together; its diagonal are the cumulative relevances.

        Parameters
        ----------
        n_iterations : int, default=None
            Number of iterations, from the first on; None takes all.

        Returns
        -------
        matrix : ndarray of shape (n_features, n_features)
            Λ with trace 1; 0 if no iteration is above chance.

        Examples
        --------
        >>> import numpy as np
        >>> from abstain.models.relevances import IteratedRelevances
        >>> found = IteratedRelevances(
        ...     np.eye(2), np.ones(2), np.array([0, 1]),
        ...     np.array([0.9, 0.7]), np.full(2, 0.5), np.zeros(2), ["a", "b"], 0.05,
        ... )
        >>> found.matrix().round(2).tolist(), found.matrix(1).tolist()
        ([[0.67, 0.0], [0.0, 0.33]], [[1.0, 0.0], [0.0, 0.0]])
        """
        if n_iterations is not None:
            check_positive_integer("n_iterations", n_iterations)
        skills = self.skills[:n_iterations]
        some = self.iterations < len(skills)
        directions, sizes, iterations = (
            each[some] for each in (self.directions, self.eigenvalues, self.iterations)
        )
        totals = np.bincount(iterations, sizes)
        weights = (skills / skills.sum() / totals)[iterations] * sizes
        return np.asarray(directions.T * weights @ directions)


@documented(PARAMETERS)
def iterated_relevances(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    n_directions: int | None = None,
    max_iterations: int = 20,
    alpha: float = 0.05,
    cv: int = 5,
    groups: ArrayLike | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> IteratedRelevances:
    """Fit a matrix model, project its directions out of the samples, and repeat to chance level.

    So a feature is found although a correlated one hides it. A feature without any relevance in
    the end did not help to predict the classes linearly, given the samples.

    Parameters
    ----------
    estimator : estimator
        A GMLVQ, LGMLVQ, MRSLVQ or LMRSLVQ, or a ``Pipeline`` that ends in one, fitted or not; its
        parameters are used, never its fit. Give the whole pipeline: directions are projected out
        of what its transformers return, which must have no missing value.
    n_directions : int, default=None
        Number of directions that each iteration projects out, the leading eigenvectors of Λ (with
        local metrics, of their mean); None takes one less than there are classes.
    max_iterations : int, default=20
        Number of iterations at most.
    alpha : float, default=0.05
        Stop at the first iteration whose accuracy does not exceed chance at this level, by a
        one-sided test of whether answers and classes are independent.
    cv : int, default=5
        Number of folds; each goes through the same iterations to measure the accuracy. Folds are
        stratified, and of groups, whole groups are in one fold.

    Returns
    -------
    found : IteratedRelevances
        Directions, accuracies and relevances of each iteration, and cumulative relevances.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from abstain import GMLVQ
    >>> from abstain.models.relevances import iterated_relevances
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = make_pipeline(StandardScaler(), GMLVQ())
    >>> found = iterated_relevances(model, X, y, random_state=0)
    >>> found.n_iterations, found.accuracies.round(2).tolist(), found.chances.round(2).tolist()
    """
    for name, value in (("max_iterations", max_iterations), ("n_directions", n_directions or 1)):
        check_positive_integer(name, value)
    check_fraction("alpha", alpha)
    before, model = parts_of(estimator, MATRIX_MODELS, needs_matrix=True)
    classes, codes = checked_labels(X, y)
    numbers = group_numbers(groups, len(codes))
    random = check_random_state(random_state)
    before, model = seed(before, random), seed(model, random)
    k = min(n_directions or len(classes) - 1, model.n_components or np.inf)
    folds = _folds(cv, codes, numbers, groups is not None, random)
    # The last part is fitted to all samples and predicts none: its directions are the result.
    splits = [*folds, (np.arange(len(codes)), None)]
    parallel = Parallel(n_jobs=n_jobs, verbose=max(0, verbose - 1))
    prepared = parallel(
        delayed(_prepare)(before, X, classes[codes], train, test) for train, test in splits
    )
    parts, names = [part for part, _ in prepared], prepared[-1][1]
    tested: list[Test] = []
    found: list[Step] = []
    answers = np.empty_like(codes)
    while len(found) < max_iterations and min(len(part.basis) for part in parts):
        steps = parallel(delayed(_iterate)(model, part, k) for part in parts)
        for (_, test), step in zip(folds, steps[:-1], strict=True):
            answers[test] = np.searchsorted(classes, step.answers)
        tested.append(independence_test(codes, answers, numbers))
        if verbose:
            print(f"iteration {len(found)}: {tested[-1]}")
        if tested[-1].p_value > alpha:
            break
        found.append(steps[-1])
        parts = [step.left for step in steps]
    return IteratedRelevances(
        np.concatenate([np.empty((0, len(names))), *(step.directions for step in found)]),
        np.concatenate([np.empty(0), *(step.eigenvalues for step in found)]),
        np.repeat(np.arange(len(found)), [len(step.directions) for step in found]),
        *np.array(tested).T,
        feature_names=names,
        alpha=alpha,
    )


class Test(NamedTuple):
    """Accuracy of answers, what it would be by chance, and the p-value of independence."""

    accuracy: float
    chance: float
    p_value: float

    def __str__(self) -> str:
        return f"accuracy {self.accuracy:.3f}, chance {self.chance:.3f}, p {self.p_value:.2g}"


def independence_test(y: Ints, answers: Ints, groups: Ints) -> Test:
    """Test whether answers are independent of the classes; samples of one group may depend."""
    n_classes = int(max(y.max(), answers.max())) + 1
    classes, answered = (np.bincount(each, minlength=n_classes) / len(y) for each in (y, answers))
    accuracy, chance = float((y == answers).mean()), float(classes @ answered)
    psi = (y == answers) - classes[answers] - answered[y] + chance
    sums = np.bincount(groups, psi)
    size = float(np.sqrt(2 * (sums**2).sum()))
    # Without any variation, as of one answer to all, there is no evidence.
    p_value = float(norm.sf(sums.sum() / size)) if size > 1e-9 else 1.0
    return Test(accuracy, chance, p_value)


def _folds(
    cv: int, codes: Ints, numbers: Ints, has_groups: bool, random: RandomState
) -> list[tuple[Ints, Ints]]:
    smallest = int(min(np.bincount(codes).min(), numbers.max() + 1))
    if isinstance(cv, bool) or not isinstance(cv, int | np.integer) or not 2 <= cv <= smallest:
        raise InputError(
            argument="cv",
            value=cv,
            requirement=f"must be an integer from 2 to {smallest}, the number of samples of the "
            "smallest class, or that of groups",
        )
    splitter = StratifiedGroupKFold if has_groups else StratifiedKFold
    folds = splitter(cv, shuffle=True, random_state=random)
    return list(folds.split(codes, codes, numbers if has_groups else None))


# --- one part of the samples ----------------------------------------------------------------------


class Part(NamedTuple):
    """What is left of the samples that a model is fitted to, and of those that it predicts."""

    X: Floats
    y: Array
    X_test: Floats | None
    basis: Floats  # orthonormal rows; X are coordinates along them


class Step(NamedTuple):
    """What one iteration finds, answers and leaves."""

    directions: Floats
    eigenvalues: Floats
    answers: Array | None
    left: Part


def _prepare(
    before: Any, X: Any, y: Array, train: Ints, test: Ints | None
) -> tuple[Part, list[str]]:
    """Return transformed samples, as coordinates in their span, and the names of the features."""
    fitted = clone(before).fit(take_rows(X, train), y[train])
    samples = _transformed(fitted, take_rows(X, train))
    basis = _span(samples)
    to_predict = None if test is None else _transformed(fitted, take_rows(X, test)) @ basis.T
    names = list(map(str, names_of_features([fitted], None)))
    return Part(samples @ basis.T, y[train], to_predict, basis), names


def _transformed(before: Any, X: Any) -> Floats:
    values = check_array(before.transform(X), dtype=np.float64, ensure_all_finite="allow-nan")
    if np.isnan(values).any():
        raise InputError(
            argument="X",
            requirement="must have no missing value where it reaches the model",
            got="NaN",
            remedy="put an imputer in front of the model: NaN has no projection",
        )
    return np.asarray(values)


def _span(samples: Floats) -> Floats:
    """Return a basis of the span of the samples around their mean: the features, if it is all."""
    moved = samples - samples.mean(axis=0)
    _, sizes, axes = np.linalg.svd(moved, full_matrices=False)
    rounding = sizes.max() * max(moved.shape) * np.finfo(np.float64).eps
    rank = int((sizes > rounding).sum())
    if not rank:
        raise InputError(
            argument="X", requirement="must vary among the samples of each fold", got="equal rows"
        )
    return np.eye(samples.shape[1]) if rank == samples.shape[1] else np.asarray(axes[:rank])


def _iterate(model: Any, part: Part, k: int) -> Step:
    """Fit the model, and project its leading directions out."""
    fitted = clone(model).set_params(**_fitting(model, part.basis)).fit(part.X, part.y)
    answers = None if part.X_test is None else fitted.predict(part.X_test)
    eigenvalues, vectors = np.linalg.eigh(mean_relevance_matrix(fitted))
    leading, others = vectors[:, ::-1][:, :k].T, vectors[:, ::-1][:, k:].T
    to_predict = None if part.X_test is None else part.X_test @ others.T
    left = Part(part.X @ others.T, part.y, to_predict, others @ part.basis)
    return Step(_signed(leading @ part.basis), eigenvalues[::-1][:k], answers, left)


def _fitting(model: Any, basis: Floats) -> dict[str, Any]:
    """Return the parameters that depend on the space of the samples."""
    rank, init = model.n_components, model.init
    return {
        "n_components": None if rank is None else min(rank, len(basis)),
        "init": init if isinstance(init, str) else np.asarray(init) @ basis.T,
    }


def _signed(directions: Floats) -> Floats:
    """Return directions whose largest entry is positive."""
    largest = np.abs(directions).argmax(axis=1)
    signs = np.sign(directions[np.arange(len(directions)), largest])
    return np.asarray(directions * signs[:, np.newaxis])
