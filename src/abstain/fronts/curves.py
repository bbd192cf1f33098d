"""How probable is it that an answer is right, given its certainty and its cell?

With z the normal score of the certainty's mid-rank among all samples and j the cell,

    P(wrong | z, j) = σ(η_j(z)),     η_j(z) = (β + u_j)ᵀ φ(z),

where φ(z) = (1, z), a straight line, or (1, z, max(z + 1, 0), max(z, 0), max(z − 1, 0)), one with
bends. β is common to all cells. The deviations u_j of a cell have a normal prior of standard
deviation τ, the *strength* of the cells: τ = 0 is one curve for all cells, τ → ∞ a separate curve
for each.

**The strength is estimated.** For each τ of a grid and each φ, the posterior mode of (β, u) comes
from Newton's method and the evidence p(data | τ, φ) from Laplace's approximation

    log p ≈ ℓ(β, u) + log prior(β, u) − ½ log |H|,

H the Hessian of the negative log posterior. The estimate is the mean of the curves, weighted by
their evidence; with few samples, all strengths have similar weights. A curve whose P(wrong) does
not fall with the certainty everywhere is replaced by its isotonic regression.

H has a block for β, one for each u_j, and nothing between two cells. With I_j the Fisher
information of cell j and λ = 1/τ², the blocks of u are D_j = I_j + λ, and what is left for β is

    S = P + Σ_j (λ − λ² D_j⁻¹),     |H| = |S| Π_j |D_j|,

P the precision of the prior of β. So the cost of a step is linear in the entries of the counts.

**Leaving one out.** One Newton step approximates the curves without one sample i, which is wrong
(y = 1) or right (y = 0):

    η without i  ≈  η − h (y − p) / (1 − h p (1 − p)),     h = φᵀ V_j φ,
    V_j = (1 − M_j) S⁻¹ (1 − M_j)ᵀ + D_j⁻¹,     M_j = D_j⁻¹ I_j,

V_j the covariance of β + u_j. Without itself, a right sample is less probably right and a wrong one
more probably right; the size of the change shows how much the curves overfit.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.fronts.bins import BinCounts

Array = NDArray[np.float64]

# Neighbouring bins are merged into groups of about equal size, to which the model is fitted. The
# table of cells by groups is limited, so there are fewer groups for many cells.
MAX_GROUPS, MIN_GROUPS, MAX_ENTRIES = 64, 32, 4096
STRENGTHS = (0.03, 0.1, 0.2, 0.4, 0.8, 1.6)
# A straight line, and one with three bends.
BENDS = ((), (-1.0, 0.0, 1.0))
# Standard deviations of the priors of β: of the level, of the slope, and of each bend. The mean of
# the level is the log odds of all samples.
LEVEL, SLOPE, BEND = 10.0, 5.0, 1.0
# Weight in the isotonic regression of certainties at which a cell has no samples, relative to the
# samples of all cells.
EMPTY_WEIGHT = 1e-6
# Leaving out the only sample of a curve must not give infinite log odds.
LEAST_PROBABILITY = 1e-12
MAX_STEPS, TOLERANCE = 40, 1e-7


@dataclass(frozen=True, eq=False)
class Curves:
    """The log odds of a wrong answer in each bin, falling with the certainty.

    ``log_odds`` has one row per cell, and a last row for cells that have not been seen.
    ``strength`` is the mean of τ, weighted by the evidence.
    """

    counts: BinCounts
    log_odds: Array
    strength: float
    mixture: _Mixture

    def log_odds_left_out(self) -> tuple[Array, Array]:
        """Return the log odds of right and of wrong samples, by curves fitted without them."""
        right, wrong = (self.log_odds[:-1] + shift for shift in self.mixture.shifts_left_out())
        return right, wrong

    def probability_wrong(self) -> Array:
        """Return P(wrong) of each seen cell (rows) in each bin (columns)."""
        return _sigmoid(self.log_odds[:-1])

    def probability_correct(
        self,
        certainty: NDArray[np.float64],
        columns: NDArray[np.int64],
        log_ratios: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return P(right | certainty, cell); column -1 is a cell that has not been seen.

        ``log_ratios``, a row per cell, are added to the log odds of a wrong answer.
        """
        log_odds = self.log_odds[columns, self.counts.bins(certainty)]
        return _sigmoid(-(log_odds + log_ratios[columns, 0]))


class _Fit(NamedTuple):
    beta: Array
    deviations: Array
    evidence: float


@dataclass(frozen=True, eq=False)
class _Mixture:
    """The fits whose weighted mean is the curves; ``cell_of`` maps cells to distinct counts."""

    problems: list[_Problem]
    fits: list[_Fit]
    weights: Array
    scores: Array
    knots: Array
    cell_of: NDArray[np.int64]

    def shifts_left_out(self) -> tuple[Array, Array]:
        """Return by how much the log odds of right and of wrong samples change without them."""
        with_all, right, wrong = np.zeros((3, len(self.fits[0].deviations), len(self.knots)))
        for weight, problem, fit in zip(self.weights, self.problems, self.fits, strict=True):
            log_odds = (fit.beta + fit.deviations) @ problem.basis.T
            p, variance = _sigmoid(log_odds), problem.variance(fit)
            has_samples = problem.size > 0
            step = np.where(has_samples, variance, 0) / (1 - has_samples * variance * p * (1 - p))
            with_all += weight * p
            right += weight * _sigmoid(log_odds + step * p)
            wrong += weight * _sigmoid(log_odds - step * (1 - p))
        with_all, right, wrong = np.clip(
            [with_all, right, wrong], LEAST_PROBABILITY, 1 - LEAST_PROBABILITY
        )
        shifts = (_log_odds(p) - _log_odds(with_all) for p in (right, wrong))
        of_right, of_wrong = (_interpolated(self.scores, self.knots, shift) for shift in shifts)
        return of_right[self.cell_of], of_wrong[self.cell_of]


def fit_curves(counts: BinCounts, strength: float | None = None) -> Curves:
    """Estimate the curves of all cells; a strength in [0, inf] fixes τ."""
    total = (counts.wrong + counts.right).sum(axis=0)
    scores = _normal_scores(total)
    starts = _group_starts(total, len(counts.cells))
    knots = _normal_scores(np.add.reduceat(total, starts))
    wrong = np.add.reduceat(counts.wrong, starts, axis=1)
    size = wrong + np.add.reduceat(counts.right, starts, axis=1)
    # Cells with equal counts are fitted once, in an order by counts: neither the names of cells nor
    # rounding makes a difference.
    first, cell_of = _distinct_rows(np.hstack([wrong, size]))
    copies = np.bincount(cell_of)
    wrong, size = wrong[first].astype(np.float64), size[first].astype(np.float64)

    strengths = STRENGTHS if strength is None else (strength,)
    problems, fits = [], []
    for basis in map(partial(_basis, knots), BENDS):
        for problem, fit in _fit_all(wrong, size, copies, basis, strengths):
            problems.append(problem)
            fits.append(fit)
    evidence = np.array([fit.evidence for fit in fits])
    weights = np.exp(evidence - evidence.max())
    weights /= weights.sum()
    probability = np.zeros((len(first) + 1, len(knots)))
    for weight, problem, fit in zip(weights, problems, fits, strict=True):
        coefficients = np.vstack([fit.beta + fit.deviations, fit.beta])
        probability += weight * _sigmoid(coefficients @ problem.basis.T)
    whole = copies @ size
    # With strength 0, the one curve of all cells must get the same correction in each.
    own = np.zeros_like(size) if strength == 0 else size
    _make_decreasing(probability, np.vstack([own + EMPTY_WEIGHT * whole, whole]))
    rows = np.append(cell_of, len(first))
    return Curves(
        counts,
        _interpolated(scores, knots, _log_odds(probability))[rows],
        float(weights @ np.array(len(BENDS) * strengths)),
        _Mixture(problems, fits, weights, scores, knots, cell_of),
    )


def _distinct_rows(contents: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first index of each distinct row, sorted by content, and which one each row is."""
    rows = contents.view(np.dtype((np.void, contents.itemsize * contents.shape[1]))).ravel()
    _, first, which = np.unique(rows, return_index=True, return_inverse=True)
    return first, which.ravel()


def _normal_scores(total: NDArray[np.int64]) -> Array:
    """Return Φ⁻¹ of the mid-rank of each bin."""
    from scipy.special import ndtri

    return np.asarray(ndtri((np.cumsum(total) - total / 2) / total.sum()))


def _group_starts(total: NDArray[np.int64], n_cells: int) -> NDArray[np.int64]:
    """Return the first bin of each group; groups have about equally many samples."""
    n_groups = min(MAX_GROUPS, max(MIN_GROUPS, MAX_ENTRIES // n_cells))
    if len(total) <= n_groups:
        return np.arange(len(total))
    group = (np.cumsum(total) - total) * n_groups // total.sum()
    return np.flatnonzero(np.diff(group, prepend=-1))


def _basis(z: Array, bends: tuple[float, ...]) -> Array:
    return np.column_stack([np.ones_like(z), z, *(np.maximum(z - bend, 0) for bend in bends)])


def _fit_all(
    wrong: Array,
    size: Array,
    copies: NDArray[np.int64],
    basis: Array,
    strengths: tuple[float, ...],
) -> Iterator[tuple[_Problem, _Fit]]:
    """Yield the problem of each strength and its fit, each starting from the previous fit."""
    n_cells, n_functions = len(wrong), basis.shape[1]
    errors, n = float(copies @ wrong.sum(axis=1)), float(copies @ size.sum(axis=1))
    level = np.zeros(n_functions)
    level[0] = np.log((errors + 0.5) / (n - errors + 0.5))
    beta, deviations = level, np.zeros((n_cells, n_functions))
    for tau in strengths:
        problem = _Problem(wrong, size, copies, basis, level, tau)
        fit = problem.solve(beta, deviations)
        beta, deviations = fit.beta, fit.deviations
        yield problem, fit


class _Problem:
    """The log posterior of β and u for one strength, and its maximum."""

    def __init__(
        self,
        wrong: Array,
        size: Array,
        copies: NDArray[np.int64],
        basis: Array,
        level: Array,
        tau: float,
    ) -> None:
        self.wrong, self.size, self.copies = wrong, size, copies.astype(np.float64)
        self.basis, self.level = basis, level
        self.n_functions = basis.shape[1]
        self.products = (basis[:, :, np.newaxis] * basis[:, np.newaxis]).reshape(len(basis), -1)
        deviations = [LEVEL, SLOPE] + [BEND] * (self.n_functions - 2)
        self.beta_precision = np.array(deviations) ** -2.0
        self.has_common = np.isfinite(tau)
        self.has_own = tau > 0
        # With τ → ∞, the curve of each cell has the prior of β.
        own = tau**-2.0 if self.has_own and self.has_common else 0.0
        self.own_precision = (
            np.full(self.n_functions, own) if self.has_common else self.beta_precision
        )
        self.common_prior, self.own_prior = (
            np.diag(self.beta_precision),
            np.diag(self.own_precision),
        )

    def value(self, beta: Array, deviations: Array) -> tuple[float, Array]:
        """Return the log posterior, and the probabilities of being wrong."""
        log_odds = (beta + deviations) @ self.basis.T
        small = np.exp(-np.abs(log_odds))
        total = 1 + small
        likelihood = self.wrong * log_odds
        likelihood -= self.size * (np.log(total) + np.maximum(log_odds, 0))
        likelihood = likelihood.sum(axis=1)
        value = self.copies @ likelihood - 0.5 * self.beta_precision @ (beta - self.level) ** 2
        value -= 0.5 * self.copies @ (deviations**2 @ self.own_precision)
        return float(value), np.where(log_odds > 0, 1, small) / total

    def solve(self, beta: Array, deviations: Array) -> _Fit:
        """Return the maximum, by Newton's method with step halving."""
        deviations = deviations if self.has_own else np.zeros_like(deviations)
        value, p = self.value(beta, deviations)
        for _ in range(MAX_STEPS):
            step, own_step, curvature = self._step(beta, deviations, p)
            length = 1.0
            while True:
                trial = beta + length * step, deviations + length * own_step
                trial_value, p = self.value(*trial)
                if trial_value >= value - 1e-9 or length < 1e-6:
                    break
                length /= 2
            (beta, deviations), gain, value = trial, trial_value - value, trial_value
            if gain < TOLERANCE:
                break
        evidence = value + 0.5 * np.log(self.beta_precision).sum()
        evidence -= 0.5 * self._log_determinant(*curvature)
        if self.has_own:
            evidence += 0.5 * self.copies.sum() * np.log(self.own_precision).sum()
        return _Fit(beta, deviations, float(evidence))

    def _step(
        self, beta: Array, deviations: Array, p: Array
    ) -> tuple[Array, Array, tuple[Array | None, Array | None]]:
        """Return the steps of β and u, and the blocks S and D of H."""
        q = self.n_functions
        slopes = (self.wrong - self.size * p) @ self.basis
        information = ((self.size * p * (1 - p)) @ self.products).reshape(-1, q, q)
        common_slope = self.copies @ slopes - self.beta_precision * (beta - self.level)
        common = self.common_prior + self._over_cells(information)
        if not self.has_own:
            step = np.asarray(np.linalg.solve(common, common_slope), dtype=np.float64)
            return step, np.zeros_like(deviations), (common, None)
        own = information + self.own_prior
        own_slopes = slopes - self.own_precision * deviations
        inverse = np.linalg.inv(own)
        if not self.has_common:
            own_steps = np.einsum("jqs,js->jq", inverse, own_slopes)
            return np.zeros_like(beta), own_steps, (None, own)
        through = information @ inverse
        common -= self._over_cells(through @ information)
        step = np.linalg.solve(
            common, common_slope - self.copies @ np.einsum("jqs,js->jq", through, own_slopes)
        )
        own_steps = np.einsum("jqs,js->jq", inverse, own_slopes - information @ step)
        return step, own_steps, (common, own)

    def _over_cells(self, matrices: Array) -> Array:
        """Return the sum of a matrix per distinct cell, over all cells."""
        q = self.n_functions
        return np.asarray((self.copies[np.newaxis] @ matrices.reshape(-1, q * q)).reshape(q, q))

    def variance(self, fit: _Fit) -> Array:
        """Return the variance of the log odds of each cell (rows) at each knot (columns)."""
        _, p = self.value(fit.beta, fit.deviations)
        _, _, (common, own) = self._step(fit.beta, fit.deviations, p)
        shape = len(self.wrong), self.n_functions, self.n_functions
        covariance, rest = np.zeros(shape), np.broadcast_to(np.eye(self.n_functions), shape)
        if own is not None:
            covariance += np.linalg.inv(own)
            rest = covariance * self.own_precision  # 1 − M = D⁻¹ λ
        if common is not None:
            covariance += rest @ np.linalg.inv(common) @ np.swapaxes(rest, 1, 2)
        return np.asarray(np.einsum("gq,jqs,gs->jg", self.basis, covariance, self.basis))

    def _log_determinant(self, common: Array | None, own: Array | None) -> float:
        """Return log |H| from its blocks."""
        of_common = 0.0 if common is None else float(np.linalg.slogdet(common)[1])
        of_own = 0.0 if own is None else float(self.copies @ np.linalg.slogdet(own)[1])
        return of_common + of_own


def _make_decreasing(probability: Array, weights: Array) -> None:
    """Replace each curve (row) that increases somewhere by its antitonic regression, in place.

    That keeps its mean over the samples of the cell.
    """
    from scipy.optimize import isotonic_regression

    for row in np.flatnonzero((np.diff(probability, axis=1) > 0).any(axis=1)):
        fitted = isotonic_regression(probability[row], weights=weights[row], increasing=False)
        probability[row] = fitted.x


def _interpolated(scores: Array, knots: Array, values: Array) -> Array:
    """Return curves at the scores of all bins, given their values at the knots."""
    if len(knots) == 1:
        return np.repeat(values, len(scores), axis=1)
    left = np.clip(np.searchsorted(knots, scores, side="right") - 1, 0, len(knots) - 2)
    share = np.clip((scores - knots[left]) / (knots[left + 1] - knots[left]), 0, 1)
    return np.asarray(values[:, left] * (1 - share) + values[:, left + 1] * share)


def _log_odds(probability: Array) -> Array:
    return np.asarray(np.log(probability) - np.log1p(-probability))


def _sigmoid(values: Array) -> Array:
    from scipy.special import expit

    return np.asarray(expit(values))
