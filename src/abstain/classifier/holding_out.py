"""Which samples test what a target certifies?

Those that neither fit the classifier nor teach its thresholds.

- *The classifier is fitted here*: a share is held out of the fit, and the answers out of fold to
  the rest teach the path of thresholds. All that is held out tests.
- *It is given, and there are few samples*: one threshold for all cells needs no teaching. Its path
  is the order of the certainties, whatever the labels, and all samples test. The thresholds are
  those of the test samples themselves; this assumes that surer answers are not wrong more often.
- *It is given, there are few samples, and outliers are rejected*: a fifth of the samples tells what
  is an outlier, and all others do as above.
- *It is given, and there are many*: a share of the samples learns thresholds of each cell, and the
  rest tests. As with every explicit share, nothing is assumed of the risk.

Which of these it is depends on the settings, the target and the number of samples, and on no label.
Of samples that belong together, whole groups are held out, and one sample of each tests: numbers of
samples are then those of groups; see `dependence`.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.utils import check_random_state, get_tags

from abstain._core.errors import InputError
from abstain.certainty.outliers import MIN_KNOWN
from abstain.classifier.dependence import Groups
from abstain.classifier.proportions import Proportions
from abstain.targets import Target
from abstain.targets.base import CertifyingTarget, certifies
from abstain.targets.outcomes import needs_outcomes

# Of samples that also fit the classifier.
HELD_OUT = 0.5
# Of samples of a classifier that is given, where they are enough for a share to learn thresholds
# of each cell: at least so many, and so many times those that must be accepted without an error.
TESTED = 0.8
ENOUGH_TO_LEARN, TIMES_NEEDED = 1500, 10
# Of samples of a classifier that is given, the share that tells outliers where all others test, if
# these are so many times those that must be accepted without an error.
TELL_OUTLIERS, TIMES_LEFT = 0.2, 2


class Split(NamedTuple):
    """Positions of the samples that fit and calibrate, and of those that test; None is all, none.

    ``is_one_threshold`` tells whether all cells share a threshold, so that all samples do both.
    ``drawn`` are positions among those that test, in the class proportions of new data. ``tested``
    tells what each of those that test stands for. ``known`` are those that tell outliers, if they
    do nothing else.
    """

    learn: NDArray[np.int64] | None
    test: NDArray[np.int64] | None
    is_one_threshold: bool = False
    drawn: NDArray[np.int64] | None = None
    tested: TestedGroups | None = None
    known: NDArray[np.int64] | None = None


class TestedGroups(NamedTuple):
    """What each sample that tests stands for: ``counted`` as in `Guarantee`.

    ``n_left_out`` are samples of the same groups that do not test. ``repeats`` tells how often each
    of distinct samples occurs.
    """

    counted: str
    n_left_out: int
    repeats: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, groups: Groups, test: NDArray[np.int64], has_prior: bool) -> Self | None:
        """Return what samples of different groups stand for; None if it is themselves alone."""
        sizes = np.bincount(groups.codes)[groups.codes[test]]
        if not groups.are_given and (sizes == 1).all():
            return None
        # In other class proportions, samples are drawn one by one.
        has_repeats = not groups.are_given and not has_prior
        return cls(groups.counted, int(sizes.sum()) - len(test), sizes if has_repeats else None)


def hold_out(
    clf: Any,
    target: Target,
    y: NDArray[Any],
    split_params: Any,
    proportions: Proportions | None = None,
    groups: Groups | None = None,
    tells_outliers: bool = True,
) -> Split:
    """Return the samples that fit and calibrate, and those that test what is certified.

    ``tells_outliers``: some samples of a classifier that is given can tell what an outlier is.
    """
    if not certifies(target):
        return Split(None, None)
    is_frozen = isinstance(clf.estimator, FrozenEstimator)
    if others := split_params.keys() - {"groups"}:
        raise InputError(
            f"{min(others)} decides how a splitter splits, but {target} holds samples out at "
            "random: calibrate a FrozenEstimator on other samples"
        )
    if get_tags(clf.estimator).input_tags.pairwise and not is_frozen:
        raise InputError(
            f"{target} holds samples out, which a matrix of kernels or distances cannot spare: "
            "calibrate a FrozenEstimator on other samples"
        )
    if not hasattr(clf.cv, "split") and np.iterable(clf.cv) and not isinstance(clf.cv, str):
        raise InputError(
            f"cv must be a number of folds or a splitter where {target} holds samples out, got a "
            f"{type(clf.cv).__name__} of folds"
        )
    n_samples = len(y) if groups is None else groups.n_groups
    share = tested_share(clf, target, n_samples)
    random_state = check_random_state(clf.random_state)
    has_prior = proportions is not None
    if share == 1:
        known, test = None, np.arange(n_samples)
        if tells_outliers:
            known, test = _known_and_tested(clf, target, n_samples)
        if groups is None:
            learn = None if known is None else test
            return Split(learn, test, is_one_threshold=True, known=known)
        known = None if known is None else groups.members(known)
        test = groups.one_of_each(test, random_state)
        tested = TestedGroups.of(groups, test, has_prior)
        return Split(test, test, is_one_threshold=True, tested=tested, known=known)
    n_test = round(share * n_samples)
    # Drawn at random, not by class: what tests must be like new data.
    order = random_state.permutation(n_samples)
    learn, test = np.sort(order[n_test:]), np.sort(order[:n_test])
    tested = None
    if groups is not None:
        learn, test = groups.members(learn), groups.one_of_each(test, random_state)
        tested = TestedGroups.of(groups, test, has_prior)
    n_classes = len(np.unique(y[learn]))
    if not len(learn) or (n_classes < 2 and not is_frozen):
        raise InputError(
            argument="test_size",
            value=share,
            requirement=f"leaves {len(learn)} samples of {n_classes} class to fit the classifier "
            f"with, of {len(y):,}",
            remedy="hold out fewer, or give more samples",
        )
    drawn = None if proportions is None else proportions.draw(y[test], random_state)
    return Split(learn, test, drawn=drawn, tested=tested)


def _known_and_tested(
    clf: Any, target: CertifyingTarget, n_samples: int
) -> tuple[NDArray[np.int64] | None, NDArray[np.int64]]:
    """Return which samples tell outliers, if some can, and which test."""
    n_known = n_telling_outliers(target, n_samples)
    if not n_known:
        return None, np.arange(n_samples)
    # Reproducible without a seed, too: any samples will do.
    random_state = check_random_state(0 if clf.random_state is None else clf.random_state)
    order = random_state.permutation(n_samples)
    return np.sort(order[:n_known]), np.sort(order[n_known:])


def n_telling_outliers(target: CertifyingTarget, n_samples: int) -> int:
    """Return how many samples tell outliers where all others test: 0 if too few would be left."""
    n_known = round(TELL_OUTLIERS * n_samples)
    is_enough = n_samples - n_known >= TIMES_LEFT * target.min_test_samples()
    return n_known if n_known >= MIN_KNOWN and is_enough else 0


def tested_share(clf: Any, target: CertifyingTarget, n_samples: int) -> float:
    """Return the share of the samples that test: ``test_size``, or what "auto" stands for."""
    share: float | str = clf.test_size
    if not isinstance(share, str):
        return share
    is_frozen = isinstance(clf.estimator, FrozenEstimator)
    has_prior = clf.class_prior is not None
    return automatic_test_size(target, n_samples, is_frozen, clf.method, clf.cells, has_prior)


def automatic_test_size(
    target: CertifyingTarget,
    n_samples: int,
    is_frozen: bool,
    method: str,
    cells: Any,
    has_prior: bool = False,
) -> float:
    """Return the share of the samples that test; 1 is all, with one threshold for all cells.

    It depends on no label: what is tested must not have chosen how.
    """
    if not is_frozen or method != "pooled":
        return HELD_OUT
    is_enough = n_samples >= max(ENOUGH_TO_LEARN, TIMES_NEEDED * target.min_test_samples())
    if needs_outcomes(target) or has_prior:
        # Its path is learned: one threshold for all would also reject what cannot be bad. With
        # weights of the classes, even the path of one threshold for all depends on labels.
        return TESTED if is_enough else HELD_OUT
    is_global = isinstance(cells, str) and cells == "global"
    return TESTED if is_enough and not is_global else 1.0
