"""Which samples belong together, and how do they stay on one side of every split?

Samples of one subject are alike, and equal samples may be copies. Such samples form a *group*: the
one that the caller names or, if something is certified, that of equal samples. A group stays in one
fold and on one side of every split.

**What tests.** Whole groups are held out at random, by neither class nor answer, and of each of
them one sample is drawn before anything is asked about it. If groups are independent of each other
and alike, these samples are independent draws of one sample, taken at random, of a new group. So
the exact binomial test holds for them, and what is certified is about such samples.

Equal samples need both counts (see `targets.guarantee`): one of each, and all. Where groups are
given, these alone say what belongs together.
"""

from __future__ import annotations  # signatures then show the names of types

import inspect
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, check_cv

from abstain._core.checks import as_labels, check_none_missing
from abstain._core.errors import Argument, InputError, Message, shown
from abstain._core.sklearn_private import BaseSearchCV
from abstain.classifier.hidden_groups import size_of_hidden_groups
from abstain.classifier.repeats import equal_samples, near_duplicates
from abstain.targets import Target
from abstain.targets.base import certifies

Array = NDArray[Any]
Ints = NDArray[np.int64]
Folds = list[tuple[Array, Array]]

DEFAULT_FOLDS = 5


class Groups(NamedTuple):
    """The group of each sample, as numbers in the order of their first samples.

    ``counted`` names what they are: "groups" that were given, or "distinct samples".
    """

    codes: Ints
    counted: str

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.codes.max()) + 1

    @property
    def are_given(self) -> bool:
        """Whether the caller named them."""
        return self.counted == "groups"

    def members(self, groups: Ints) -> Ints:
        """Return the positions of all samples of some groups."""
        return np.flatnonzero(np.isin(self.codes, groups))

    def one_of_each(self, groups: Ints, random_state: Any) -> Ints:
        """Return the position of one sample of each of some groups, drawn at random; ascending."""
        rows = random_state.permutation(self.members(groups))
        _, first = np.unique(self.codes[rows], return_index=True)
        return np.sort(rows[first])

    def take(self, rows: Ints) -> Groups:
        """Return the groups of some samples."""
        return Groups(_numbered(self.codes[rows]), self.counted)


def _numbered(labels: Array) -> Ints:
    """Return labels as numbers from 0 on, in the order in which they first occur."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[codes.ravel()]


def given_groups(groups: Any, n_samples: int) -> Groups | None:
    """Return the groups that the caller names; None if there are none."""
    if groups is None:
        return None
    labels = as_labels("groups", groups)
    if len(labels) != n_samples:
        raise InputError(
            argument="groups",
            requirement=f"must have one label for each of {n_samples:,} samples",
            got=f"{len(labels):,}",
        )
    remedy = "give such samples a group of their own, or leave them out"
    check_none_missing("groups", labels, "must name a group for each sample", remedy)
    try:
        return Groups(_numbered(labels), "groups")
    except TypeError:  # labels of types that cannot be compared
        return Groups(_numbered(np.array(list(map(repr, labels.tolist())))), "groups")


def groups_to_split(
    clf: Any, target: Target, X: Any, y: Array, groups: Groups | None
) -> Groups | None:
    """Return the groups that stay together: those given, or equal samples if these are to test.

    Without equal samples there are none, so that nothing is drawn for them.
    """
    if groups is not None:
        if clf.independent_rows:
            raise InputError(
                argument="independent_rows",
                value=True,
                requirement=Message(
                    "must be False with ",
                    Argument("groups", of="fit"),
                    ", whose samples are dependent",
                ),
            )
        return groups
    if not certifies(target) or clf.independent_rows:
        return None
    codes = equal_samples(X, y)
    return None if codes is None else Groups(_numbered(codes), "distinct samples")


# --- folds ----------------------------------------------------------------------------------------


def split_folds(
    cv: Any, X: Any, y: Array, split_params: dict[str, Any], groups: Groups | None = None
) -> Folds:
    """Return training and test samples of each fold; no group is in both."""
    if cv is None:
        cv = DEFAULT_FOLDS
    if isinstance(cv, int | np.integer):
        return _folds_of_groups(int(cv), X, y, groups)
    if hasattr(cv, "split_together"):  # one of this package
        return list(cv.split_together(X, y, groups))
    if groups is not None and groups.are_given and _takes_groups(cv):
        split_params = {**split_params, "groups": groups.codes}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        folds = list(check_cv(cv, y, classifier=True).split(X, y, **split_params))
    if groups is not None and groups.are_given:
        _check_groups_kept(cv, folds, groups)
    return folds


def _folds_of_groups(n_splits: int, X: Any, y: Array, groups: Groups | None) -> Folds:
    """Return stratified folds, as many as there are groups and samples of a class for them."""
    # No class needs to be in every fold, but scikit-learn wants one that is.
    n_splits = min(n_splits, int(np.unique(y, return_counts=True)[1].max()))
    has_groups = groups is not None and groups.n_groups < len(y)
    if groups is None or not has_groups:
        return _stratified(StratifiedKFold(max(2, n_splits)), X, y)
    if not groups.are_given:  # equal samples are of one class
        _, first = np.unique(groups.codes, return_index=True)
        n_splits = min(n_splits, int(np.unique(y[first], return_counts=True)[1].max()))
        folds = _stratified(StratifiedKFold(max(2, n_splits)), first, y[first])
        return [(groups.members(train), groups.members(test)) for train, test in folds]
    n_splits = min(n_splits, groups.n_groups)
    folds = []
    if n_splits >= 2:
        folds = _stratified(StratifiedGroupKFold(n_splits), X, y, groups.codes)
    folds = [(train, test) for train, test in folds if len(test)]
    if not folds or min(len(np.unique(y[train])) for train, _ in folds) < 2:
        raise InputError(
            Argument("groups", of="fit"),
            " must leave samples of two classes to fit each classifier with, got "
            f"{groups.n_groups} group(s) for {len(np.unique(y))} classes; give more groups",
        )
    return folds


def _stratified(splitter: Any, X: Any, y: Array, groups: Ints | None = None) -> Folds:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        return list(splitter.split(X, y, groups))


def _takes_groups(cv: Any) -> bool:
    """Return whether a splitter can keep groups together."""
    if hasattr(cv, "get_metadata_routing"):  # one of scikit-learn
        return cv.get_metadata_routing().split.requests.get("groups") is True
    split = getattr(cv, "split", None)
    return split is not None and "groups" in inspect.signature(split).parameters


def _check_groups_kept(cv: Any, folds: Folds, groups: Groups) -> None:
    rows = np.arange(len(groups.codes))
    for train, test in folds:
        # A fold of the user's own may be a mask.
        is_split = np.isin(groups.codes[rows[test]], groups.codes[rows[train]])
        if is_split.any():
            raise InputError(
                argument="cv",
                value=cv,
                requirement="must keep each group in one fold",
                got=f"{shown(cv)}, which splits some",
                remedy="give a number of folds, or a splitter such as GroupKFold",
            )


def params_with_groups(estimator: Any, params: dict[str, Any], groups: Groups) -> dict[str, Any]:
    """Return the parameters of a search's fit, with groups if its own splitter keeps them."""
    cv = estimator.cv if isinstance(estimator, BaseSearchCV) else None
    is_routed = get_config()["enable_metadata_routing"]  # then the search asks for them, or not
    takes = not is_routed and hasattr(cv, "split") and _takes_groups(cv)
    return {**params, "groups": groups.codes} if takes else params


def dependence_warnings(
    clf: Any, target: Target, X: Any, y: Array, groups: Any
) -> Iterator[Message]:
    """Yield a warning if samples seem to belong together where something is certified."""
    if groups is not None or clf.independent_rows or not certifies(target):
        return
    sign = ""
    if share := near_duplicates(X):
        sign = f"at least {share:.0%} of the samples have a near-duplicate, which is not by chance"
    elif size := size_of_hidden_groups(X, y):
        sign = f"samples seem to come in groups of about {size}, close to each other and of a class"
    if sign:
        yield Message(
            f"{sign}: if several samples are of one subject, name it by ",
            *(Argument("groups", of="fit"), ", for a certificate takes samples for independent"),
        )
