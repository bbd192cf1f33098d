"""Which shares of answers shall be good: of a class, of several at once, in every group?

`share_paths` says what a share is and which thresholds reach it, `share_certificates` which are
certified.
"""

from __future__ import annotations  # signatures then show the names of types

from abc import abstractmethod
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain._core.checks import as_labels, check_fraction, check_none_missing, list_columns
from abstain._core.errors import InputError
from abstain.targets.guarantee import needed_answers
from abstain.targets.outcomes import Choice, Outcomes, OutcomeTarget
from abstain.targets.share_certificates import solve_shares
from abstain.targets.share_paths import Share, n_rejected

# Samples of a group: an accuracy of fewer says nothing.
LEAST_GROUP = 10


class ShareTarget(OutcomeTarget):
    """A target that is a list of shares."""

    @abstractmethod
    def _shares(self, outcomes: Outcomes) -> list[Share]:
        """Return which answers are good and bad."""

    def _solve(self, learn: Outcomes, method: str, test: Outcomes | None = None) -> Choice:
        """Return thresholds with the fewest rejects that reach all levels."""
        self._check()
        return solve_shares(self, learn, method, test)


@dataclass
class Recall(ShareTarget):
    """Answer rightly a given share of the answered samples of a class, with the fewest rejects.

    The recall of the positive class is the *sensitivity*, that of the negative class the
    *specificity*. A rejected sample goes to a person and is not missed, so it does not count; the
    class report has both readings.

    Parameters
    ----------
    label : object
        The class.
    recall : float
        The least share of the answered samples of this class that are answered by it, in (0, 1).
    confidence : float, default=None
        How probable it shall be that the recall holds on new data, in (0, 1); see `Accuracy`.

    Examples
    --------
    >>> from abstain import Recall, RejectOptionClassifier
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = RejectOptionClassifier(GaussianNB(), target=Recall(0, 0.98)).fit(X, y)
    >>> answered, malignant = ~clf.reject(X), y == 0
    >>> bool((clf.predict(X) == 0)[answered & malignant].mean() >= 0.98)
    True
    """

    label: Any
    recall: float
    confidence: float | None = None

    def _check(self) -> None:
        _check_level("recall", self.recall, self.confidence)

    def min_test_samples(self) -> int:
        """Return the fewest samples of the class that can certify the recall.

        Returns
        -------
        n_samples : int
            Number of samples; 0 if nothing is certified.

        Examples
        --------
        >>> from abstain import Recall
        >>> Recall("ill", 0.98, confidence=0.95).min_test_samples()
        149
        """
        return 0 if self.confidence is None else needed_answers(self.recall, self.confidence)

    def _shares(self, outcomes: Outcomes) -> list[Share]:
        """Return which answers are good and bad."""
        code = outcomes.code_of("label", self.label)
        is_true, names_it = outcomes.truth == code, outcomes.answers == code
        return [
            Share(
                name=f"the recall of {self.label!r}",
                counted=f"samples of class {self.label!r}",
                good=is_true & names_it,
                bad=is_true & ~names_it,
                may_be_bad=~names_it,
                level=float(self.recall),
                confidence=self.confidence,
                depends_on_prior=False,
            )
        ]


@dataclass
class Precision(ShareTarget):
    """Let a given share of the answers that name a class be right, with the fewest rejects.

    The precision of the positive class is the positive predictive value (PPV), that of the
    negative class the negative one (NPV).

    Parameters
    ----------
    label : object
        The class.
    precision : float
        The least share of right answers among those that name the class, in (0, 1).
    confidence : float, default=None
        How probable it shall be that the precision holds on new data, in (0, 1); see `Accuracy`.

    Examples
    --------
    >>> from abstain import Precision, RejectOptionClassifier
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = RejectOptionClassifier(GaussianNB(), target=Precision(0, 0.9)).fit(X, y)
    >>> answered = ~clf.reject(X) & (clf.predict(X) == 0)
    >>> bool((y == 0)[answered].mean() >= 0.9)
    True
    """

    label: Any
    precision: float
    confidence: float | None = None

    def _check(self) -> None:
        _check_level("precision", self.precision, self.confidence)

    def min_test_samples(self) -> int:
        """Return the fewest answers that can certify the precision.

        Returns
        -------
        n_samples : int
            Number of answers that name the class; 0 if nothing is certified.

        Examples
        --------
        >>> from abstain import Precision
        >>> Precision("ill", 0.9, confidence=0.95).min_test_samples()
        29
        """
        return 0 if self.confidence is None else needed_answers(self.precision, self.confidence)

    def _shares(self, outcomes: Outcomes) -> list[Share]:
        """Return which answers are good and bad."""
        code = outcomes.code_of("label", self.label)
        names_it, is_right = outcomes.answers == code, outcomes.correct
        return [
            Share(
                name=f"the precision of {self.label!r}",
                counted=f"answers {self.label!r}",
                good=names_it & is_right,
                bad=names_it & ~is_right,
                may_be_bad=names_it,
                level=float(self.precision),
                confidence=self.confidence,
            )
        ]


def accuracy_shares(
    outcomes: Outcomes, level: float, confidence: float | None, groups: NDArray[Any] | None
) -> list[Share]:
    """Return the accuracy of all answers, or of those in each group of the samples given to fit."""
    is_right, every = outcomes.correct, np.ones(len(outcomes), dtype=bool)
    if groups is not None:
        known = np.unique(groups).tolist()
        groups = groups if outcomes.rows is None else groups[outcomes.rows]
    if groups is None:
        return [Share("the accuracy", "answers", is_right, ~is_right, every, level, confidence)]
    return [
        Share(
            name=f"the accuracy in group {label!r}",
            counted=f"samples of group {label!r}",
            good=is_right & (groups == label),
            bad=~is_right & (groups == label),
            may_be_bad=every,
            level=level,
            confidence=confidence,
        )
        for label in known
    ]


def _check_level(name: str, level: float, confidence: float | None) -> None:
    if confidence is not None:
        check_fraction("confidence", confidence)
    if level == 1:
        raise InputError(
            argument=name,
            value=level,
            requirement="must be below 1",
            remedy="no number of samples shows that there are no errors at all",
        )
    check_fraction(name, level)


class AllOf(ShareTarget):
    """Reach several targets at once, with few rejects.

    Thresholds are tried along paths that weigh the targets differently; of those that reach all
    targets, the ones with the fewest rejects are taken.

    Parameters
    ----------
    *given : Accuracy, Recall or Precision
        What is to be reached; with ``confidence``, all of them hold together with the least
        confidence among them. Those without one are reached on the calibration data.
    targets : tuple, default=()
        The same, for scikit-learn, which clones by names of parameters.

    Examples
    --------
    >>> from abstain import Accuracy, AllOf, Recall, RejectOptionClassifier
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> target = AllOf(Accuracy(0.96), Recall(0, 0.97))
    >>> clf = RejectOptionClassifier(GaussianNB(), target=target).fit(X, y)
    >>> clf.operating_point_.accuracy >= 0.96
    True
    """

    def __init__(self, *given: Any, targets: Any = ()) -> None:
        self.targets = given or targets

    def __repr__(self) -> str:
        return f"AllOf({', '.join(map(repr, self.targets))})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AllOf) and tuple(self.targets) == tuple(other.targets)

    __hash__ = None  # type: ignore[assignment]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            Not used.

        Returns
        -------
        params : dict
            The targets.

        Examples
        --------
        >>> from abstain import Accuracy, AllOf
        >>> AllOf(Accuracy(0.9)).get_params()["targets"][0].accuracy
        0.9
        """
        return {"targets": self.targets}

    def _check(self) -> None:
        if not self.targets:
            raise InputError(
                "AllOf needs at least one target, got none; add one, such as Accuracy(0.9)"
            )
        for target in self.targets:
            if not hasattr(target, "_shares"):
                raise InputError(
                    argument="targets",
                    value=target,
                    requirement="must be Accuracy, Recall or Precision",
                )
            target.check()

    def _choose(self, front: Any) -> int:
        if len(self.targets) == 1:
            return int(self.targets[0].choose(front))
        return super()._choose(front)

    def min_test_samples(self) -> int:
        """Return the fewest samples that can certify all targets.

        Returns
        -------
        n_samples : int
            Number of samples; 0 if nothing is certified.

        Examples
        --------
        >>> from abstain import Accuracy, AllOf
        >>> AllOf(Accuracy(0.9, confidence=0.95), Accuracy(0.8)).min_test_samples()
        29
        """
        return max(int(target.min_test_samples()) for target in self.targets)

    def _shares(self, outcomes: Outcomes) -> list[Share]:
        """Return which answers are good and bad."""
        return [
            share._replace(part=part)
            for part, target in enumerate(self.targets)
            for share in target._shares(outcomes)
        ]

    def _solve(self, learn: Outcomes, method: str, test: Outcomes | None = None) -> Choice:
        """Return thresholds with the fewest rejects that reach all levels."""
        self._check()
        targets = tuple(self.targets)
        if len(targets) > 1 and test is not None:
            return super()._solve(learn, method, test)
        # Another part never lessens the rejects: those of all choices of fewer parts are known.
        rejects: dict[tuple[int, ...], int] = {}
        for size in range(1, len(targets) + 1):
            for parts in combinations(range(len(targets)), size):
                if size == 1:
                    choice: Choice = targets[parts[0]]._solve(learn, method, test)
                else:
                    least = max(rejects[fewer] for fewer in combinations(parts, size - 1))
                    some = AllOf(*(targets[part] for part in parts))
                    choice = solve_shares(some, learn, method, least=least)
                if len(targets) > 1:
                    rejects[parts] = n_rejected(choice, learn)
        return choice


# --- groups -------------------------------------------------------------------------------------


def with_group_labels(target: Any, X: Any, n_samples: int) -> Any:
    """Return a target whose groups are labels, one for each sample given to fit."""
    if isinstance(target, AllOf):
        return AllOf(*(with_group_labels(each, X, n_samples) for each in target.targets))
    if getattr(target, "groups", None) is None:
        return target
    labels = _group_labels(target.groups, X)
    if len(labels) != n_samples:
        raise InputError(
            argument="groups",
            requirement=f"must have one label for each of {n_samples:,} samples",
            got=f"{len(labels):,}",
        )
    names, sizes = np.unique(labels, return_counts=True)
    if sizes.min() < LEAST_GROUP:
        name = names[sizes.argmin()]
        raise InputError(
            argument="groups",
            requirement=f"must have at least {LEAST_GROUP} samples each",
            got=f"{sizes.min()} in group {name.item() if hasattr(name, 'item') else name!r}",
            remedy="merge it with another group",
        )
    return replace(target, groups=labels)


def _group_labels(groups: Any, X: Any) -> NDArray[Any]:
    if not callable(groups) and not isinstance(groups, str):
        return _without_missing(groups)
    if X is None:
        raise InputError(
            argument="groups",
            value=groups,
            requirement="must be labels of the samples given to fit, which are not kept",
            remedy="fit with this target, or pass an array",
        )
    if callable(groups):
        return _without_missing(groups(X))
    columns = list(getattr(X, "columns", ()))
    if groups not in columns:
        where = list_columns(groups, list(map(str, columns))) if columns else "X has no names"
        raise InputError(
            argument="groups",
            value=groups,
            requirement="must name a column of X, or be an array or a function of X",
            remedy=where,
        )
    return _without_missing(np.asarray(X[groups]))


def _without_missing(groups: Any) -> NDArray[Any]:
    labels = as_labels("groups", groups)
    remedy = "give such samples a group of their own, or leave them out"
    check_none_missing("groups", labels, "must name a group for each sample", remedy)
    return labels
