"""For which class proportions do thresholds hold, and how often do new data have each sample?

New data have the share π_k of class k, and the calibration data the share s_k, as in a case-control
study. Within a class, new samples are like those of the calibration data. So a calibration sample
of class k stands for

    w_k = π_k / s_k

new samples, and weighted counts estimate what is seen in new data.

**Drawing.** Weighted counts are not binomial, so no certificate follows from them. But samples can
be drawn from those held out as new data would bring them: first the numbers of the classes,
M ~ Multinomial(n, π), then M_k samples of each class without replacement. Given the classes of the
held-out samples, those of class k are independent samples of class k. So the n that are drawn
are independent samples of new data, and the exact binomial test holds for them; the numbers n and M
depend on the classes alone, never on answers.

If class k has fewer than M_k samples, those that are lacking are counted as accepted and wrong.
Compared with samples that were there, this adds an error, or an accepted sample and an error, and

    P(Bin(N + 1, q) ≤ E + 1) ≥ P(Bin(N, q) ≤ E),     P(Bin(N, q) ≤ E + 1) ≥ P(Bin(N, q) ≤ E),

so that a test passes less often, not more often. To lose little by it, n is the largest number for
which a class runs out with probability at most `RUNS_OUT`.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.errors import Argument, InputError, Message, shown
from abstain._core.sklearn_private import check_sample_weight
from abstain.fronts.weights import DIVISORS

# Of a sum of shares that somebody has rounded.
TOLERANCE = 1e-6
# The probability that a class has fewer samples than are to be drawn from it.
RUNS_OUT = 0.001
# Relative error of class weights that are rounded to multiples of a unit, for method="exact".
ROUNDED = 0.01


class Proportions(NamedTuple):
    """The share of each class in new data, and the weight of a calibration sample of it."""

    classes: NDArray[Any]
    shares: NDArray[np.float64]
    weights: NDArray[np.float64]

    def weights_of(self, labels: NDArray[Any]) -> NDArray[np.float64]:
        """Return the weight of a sample of each of these classes."""
        return np.asarray(self.weights[np.searchsorted(self.classes, labels)])

    def calibrated(
        self, y: NDArray[Any], weights: NDArray[np.float64] | None, method: str
    ) -> Proportions:
        """Return these proportions with the class weights of calibration samples."""
        own = class_shares(self.classes, y, weights)
        # A class without samples keeps the posteriors that the classifier gives it.
        ratios = np.divide(self.shares, own, out=np.ones_like(own), where=own > 0)
        is_seen = (own > 0) & (ratios > 0)
        if np.allclose(ratios[is_seen], 1, rtol=0, atol=1e-9):
            return self._replace(weights=np.ones_like(own))
        return self._replace(weights=_rounded(ratios) if method == "exact" else ratios)

    def draw(self, y: NDArray[Any], random_state: Any) -> NDArray[np.int64]:
        """Return positions of samples drawn in these proportions; -1 is one that is lacking."""
        codes = np.searchsorted(self.classes, y)
        sizes = np.bincount(codes, minlength=len(self.classes))
        wanted = random_state.multinomial(largest_draw(sizes, self.shares), self.shares)
        drawn = np.full(int(wanted.sum()), -1)
        start = 0
        for code, n in enumerate(wanted.tolist()):
            members = random_state.permutation(np.flatnonzero(codes == code))[:n]
            drawn[start : start + len(members)] = members
            start += n
        return np.sort(drawn)


def new_proportions(
    class_prior: Any, classes: NDArray[Any], y: NDArray[Any], weights: NDArray[np.float64] | None
) -> Proportions | None:
    """Return the class proportions of new data; None if they are those of the samples.

    Classes that are not named share the rest in the proportions that they have in the samples.
    """
    if class_prior is None:
        return None
    classes = np.unique(np.concatenate([classes, np.unique(y)]))
    shares = class_shares(classes, y, weights)
    is_named = np.zeros(len(classes), dtype=bool)
    new = shares.copy()
    for label, share in class_prior.items():
        code = _code_of(label, classes.tolist())
        if not shares[code]:
            raise InputError(
                argument="class_prior",
                value=label,
                requirement="must name classes of which there are calibration samples",
                got=f"{shown(label)}, of which there are none",
                remedy="add some, or leave the class out",
            )
        is_named[code], new[code] = True, float(share)
    left_out = classes[~is_named & (shares > 0)].tolist()
    rest, total = shares[~is_named].sum(), new[is_named].sum()
    if left_out:
        if total >= 1:
            raise InputError(
                argument="class_prior",
                requirement="must leave something for classes that it does not name",
                got=f"a sum of {total:g}, and nothing for {shown(left_out[0])}",
                remedy="name all classes, or lower the shares",
            )
        new[~is_named] *= (1 - total) / rest
    elif abs(total - 1) > TOLERANCE:
        raise InputError(
            argument="class_prior",
            requirement="must sum to 1 if it names all classes",
            got=f"{total:g}",
            remedy="leave one class out, which then gets the rest",
        )
    return Proportions(classes, new / new.sum(), np.ones(len(classes)))


def _code_of(label: Any, classes: list[Any]) -> int:
    for code, known in enumerate(classes):
        if known == label and isinstance(known, bool) == isinstance(label, bool | np.bool_):
            return code
    raise InputError(
        argument="class_prior",
        value=label,
        requirement=f"must name classes, of {shown(classes)}",
    )


def class_shares(
    classes: NDArray[Any], y: NDArray[Any], weights: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Return the share of each class in some samples, by their weights."""
    sizes = np.bincount(np.searchsorted(classes, y), weights, minlength=len(classes))
    return np.asarray(sizes / sizes.sum())


def _rounded(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights that are multiples of the smallest one, divided by a small number."""
    least = float(weights[weights > 0].min())
    for divisor in DIVISORS:
        rounded = np.rint(weights / least * divisor) * (least / divisor)
        if (np.abs(rounded - weights) <= ROUNDED * weights).all():
            break
    return np.asarray(rounded)


def largest_draw(sizes: NDArray[np.int64], shares: NDArray[np.float64]) -> int:
    """Return how many samples can be drawn in these proportions from classes of these sizes."""
    from scipy.special import bdtrc

    def runs_out(n: int) -> bool:
        # A class with at least n samples does not run out; the bound adds up over the others.
        short = sizes < n
        return bool(bdtrc(sizes[short], n, shares[short]).sum() > RUNS_OUT)

    low, high = 0, int(sizes.sum())
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (low, middle - 1) if runs_out(middle) else (middle, high)
    return low


# --- parameters ---------------------------------------------------------------------------------


def check_class_prior(class_prior: Any) -> None:
    """Refuse what are no shares by class."""
    if class_prior is None:
        return
    if not isinstance(class_prior, Mapping) or not class_prior:
        raise InputError(
            argument="class_prior",
            value=class_prior,
            requirement="must be a dict of shares in (0, 1) by class, such as {'ill': 0.02}",
        )
    for label, share in class_prior.items():
        is_number = isinstance(share, int | float | np.integer | np.floating)
        if not is_number or isinstance(share, bool) or not 0 < share < 1:
            remedy = "leave a class out to give it its part of the rest"
            if is_number and 1 < share <= 100:
                remedy = f"{share:g}% is {share / 100:g}"
            raise InputError(
                argument="class_prior",
                value=share,
                requirement="must be a number in (0, 1) for every class",
                got=f"{shown(share)} for {shown(label)}",
                remedy=remedy,
            )


def threshold_weights(
    clf: Any, sample_weight: ArrayLike | None, y: NDArray[Any]
) -> NDArray[np.float64] | None:
    """Return what each sample counts in the thresholds, if that was asked for; None is 1 each."""
    if not clf.weight_thresholds or sample_weight is None:
        return None
    weights = check_sample_weight(sample_weight, y, dtype=float, ensure_non_negative=True)
    if not weights.any():
        raise InputError("sample_weight must weigh some sample, got only zeros")
    return np.asarray(weights)


def refused_weights(target: Any) -> InputError:
    """Return the error about weights of single samples where a target certifies something."""
    return InputError(
        argument="weight_thresholds",
        value=True,
        requirement=Message(
            "must be False for ",
            Argument("target", target),
            ", for an exact test needs samples that are drawn like new ones, and weights do not "
            "say how",
        ),
        remedy=Message("drop the confidence, or describe new data by ", Argument("class_prior")),
    )
