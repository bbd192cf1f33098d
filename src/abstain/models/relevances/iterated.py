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
this doubles its variance; for nearest means it is about 1 + 2/π times as large. The analysis stops
at the first iteration whose p-value is above ``alpha``, and this iteration does not count. As the
tests are made in a fixed order, the probability to count an iteration in which noise alone was left
is at most about ``alpha``, without a correction for their number.

**In total.** Iteration t counts by its skill κ_t = (a_t − c_t) / (1 − c_t), Cohen's kappa:

    Λ = Σ_t κ_t Σ_i λ_ti v_ti v_tiᵀ / Σ_i λ_ti  /  Σ_t κ_t,

with trace 1. The diagonal holds the cumulative relevances.

**What late iterations mean.** A direction is estimated, so it leaves a part of what it should have
taken away, mixed with features that tell nothing by themselves. An iteration that is far less
accurate than the first may consist of such remains. And where many iterations are above chance,
cumulative relevances approach 1/n_features: all directions together are the whole space. Features
that can replace each other are those of the iterations that are about as accurate as the first.

The idea is that of S. Lövdal and M. Biehl, *Iterated relevance matrix analysis (IRMA) for the
identification of class-discriminative subspaces*, Neurocomputing 577 (2024), and S. Lövdal, E. L.
van den Brandhof, M. Biehl, *Iterated relevance matrix analysis for improved classification and
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
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from abstain._core.checks import check_fraction, check_positive_integer
from abstain._core.documentation import documented
from abstain._core.errors import InputError
from abstain.models.relevances.projecting import Step, iterate, prepare
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

    So a feature is found although a correlated one hides it. Look first at the iterations that are
    about as accurate as the first: later ones partly consist of what earlier directions, which are
    estimated, have left.

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

    Notes
    -----
    Each fold goes through the iterations on its own training samples. Chance is the accuracy that
    the answers would have if they were independent of the classes, Σ P(class) P(answer); that of
    one answer to all is the share of its class. Independence is tested by the excess of the
    accuracy over chance, divided by √2 times its standard error: the folds are fitted to each
    other's samples, which at most doubles the variance. Groups count as one sample each. As the
    tests are made in a fixed order, the probability to count an iteration in which noise alone was
    left is at most about ``alpha``.

    The relevances of an iteration are those of the directions v_i that it projects out, with
    eigenvalues λ_i of Λ: r_j = Σ_i λ_i v_ij² / Σ_i λ_i. Cumulative relevances weigh iterations by
    Cohen's kappa, (accuracy − chance) / (1 − chance).

    The idea is that of Lövdal and Biehl (IRMA, Neurocomputing 577, 2024) and of Lövdal, van den
    Brandhof and Biehl (Neurocomputing 670, 2026); the test and the weights are of this package.

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
    >>> found.accuracies[:2].round(1).tolist(), found.chances[:2].round(1).tolist()
    ([1.0, 0.8], [0.3, 0.3])
    """
    check_positive_integer("max_iterations", max_iterations)
    if n_directions is not None:
        check_positive_integer("n_directions", n_directions)
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
        delayed(prepare)(before, X, classes[codes], train, test) for train, test in splits
    )
    parts, names = [part for part, _ in prepared], prepared[-1][1]
    tested: list[Test] = []
    found: list[Step] = []
    answers = np.empty_like(codes)
    while len(found) < max_iterations and min(len(part.basis) for part in parts):
        steps = parallel(delayed(iterate)(model, part, k) for part in parts)
        for (_, test), step in zip(folds, steps[:-1], strict=True):
            answers[test] = np.searchsorted(classes, step.answers)
        tested.append(independence_test(codes, answers, numbers))
        if verbose:
            print(f"iteration {len(found)}: {tested[-1]}")
        if tested[-1].p_value > alpha:
            break
        found.append(steps[-1])
        parts = [step.left for step in steps]
    accuracies, chances, p_values = np.array(tested).T
    return IteratedRelevances(
        np.concatenate([np.empty((0, len(names))), *(step.directions for step in found)]),
        np.concatenate([np.empty(0), *(step.eigenvalues for step in found)]),
        np.repeat(np.arange(len(found)), [len(step.directions) for step in found]),
        accuracies,
        chances,
        p_values,
        names,
        alpha,
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
