"""Do labelled samples contradict what a classifier has promised?

The test of one certificate is in `targets.contradiction`. Here the answers are found that count for
each of them: of the accepted answers at the thresholds of the classifier, those of the class, the
group or the answer that the certificate is about. If the samples are in the order of time, a
`RiskMonitor` can watch them, too.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import as_labels, check_none_missing, check_same_length
from abstain._core.errors import InputError
from abstain.classifier import Decisions, RejectOptionClassifier
from abstain.monitor.risk import RiskMonitor, check_classifier, check_kind
from abstain.targets import AllOf, Guarantee
from abstain.targets.contradiction import CertificateTest, check_guarantees
from abstain.targets.outcomes import Outcomes
from abstain.targets.share_paths import Share
from abstain.targets.shares import accuracy_shares

_NO_GROUPS = "the groups of these samples are not known"
_OTHER_PROPORTIONS = "it is about other class proportions than these samples may have"
_OF_NEW_GROUPS = "it is about one sample of each group, and these may be of the same groups"
_UNKNOWN = "it is not known which answers it is about"
_CALIBRATED = "the thresholds were set or tested on these samples"


def check_certificates(
    clf: RejectOptionClassifier, X: Any, y: ArrayLike, groups: ArrayLike | None = None
) -> tuple[CertificateTest, ...]:
    """Return whether labelled samples contradict what a classifier was certified for.

    Each certificate is tested on the answers that it is about, at the thresholds of the classifier,
    by an exact one-sided binomial test: of m certificates, those with p < 0.05 / m are
    contradicted. Not tested are certificates on samples of the fit or of the calibration, and, with
    a ``class_prior``, those that depend on the class proportions.

    Parameters
    ----------
    clf : RejectOptionClassifier
        A fitted classifier; without certificates, nothing is tested.
    X : array-like of shape (n_samples, n_features)
        Samples that had no part in the fit, in any order.
    y : array-like of shape (n_samples,)
        Their classes.
    groups : array-like of shape (n_samples,), default=None
        Their groups, for certificates about groups.

    Returns
    -------
    tests : tuple of CertificateTest
        One for each certificate.

    Examples
    --------
    >>> from abstain import Accuracy, RejectOptionClassifier
    >>> from abstain.monitor import check_certificates
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_digits(return_X_y=True)
    >>> target = Accuracy(0.85, confidence=0.9)
    >>> clf = RejectOptionClassifier(GaussianNB(), target=target, random_state=0)
    >>> (test,) = check_certificates(clf.fit(X[:1200], y[:1200]), X[1200:], y[1200:])
    >>> test.verdict, test.accepted, test.errors
    ('not contradicted', 552, 79)
    """
    truth = as_labels("y", y)
    decisions = check_classifier(clf).decide(X)
    of_groups = None if groups is None else as_labels("groups", groups)
    check_same_length(X=decisions.rejected, y=truth, groups=of_groups)
    check_none_missing("y", truth)
    check_kind(truth, clf.classes_)
    return certificate_tests(clf, decisions, truth, of_groups, share_known=share_of_fit(clf, X))


def certificate_tests(
    clf: Any,
    decisions: Decisions,
    truth: NDArray[Any],
    groups: NDArray[Any] | None = None,
    groups_of: str | None = None,
    *,
    share_known: float = 0.0,
) -> tuple[CertificateTest, ...]:
    """Return the tests for decisions on samples, of which ``share_known`` were in the fit.

    ``groups_of`` names what the groups are: those of another column are not tested.
    """
    guarantees = certificates_of(clf)
    reason = _why_nothing(clf, decisions, share_known)
    if reason or not guarantees:
        return check_guarantees(guarantees, {}, {each.name: reason for each in guarantees})
    shares = _shares(clf, _outcomes(clf, decisions, truth), groups, groups_of)
    accepted = ~decisions.rejected
    counts, why_not = {}, {}
    for each in guarantees:
        share = shares.get(each.name)
        if share is None:
            why_not[each.name] = _NO_GROUPS if "in group" in each.name else _UNKNOWN
        elif clf.class_prior is not None and share.depends_on_prior:
            why_not[each.name] = _OTHER_PROPORTIONS
        elif each.counted == "groups":
            why_not[each.name] = _OF_NEW_GROUPS
        else:
            n_bad = int((accepted & share.bad).sum())
            counts[each.name] = int((accepted & share.counts).sum()), n_bad
    return check_guarantees(guarantees, counts, why_not)


def monitored_rows(
    clf: Any, decisions: Decisions, truth: NDArray[Any], share_known: float = 0.0
) -> tuple[RiskMonitor, NDArray[np.bool_]] | None:
    """Return a monitor of decisions in the order of time, and whether each answer is right.

    None if no accuracy is promised for such samples, if the classifier knows them, or if the
    certificate is about one sample of each group.
    """
    if _why_nothing(clf, decisions, share_known) or clf.class_prior is not None:
        return None
    if any(each.counted == "groups" for each in certificates_of(clf)):
        return None
    try:
        monitor = RiskMonitor.from_classifier(clf)
    except InputError:
        return None
    correct = _outcomes(clf, decisions, truth).correct[~decisions.rejected]
    return monitor.update(correct), correct


def _why_nothing(clf: Any, decisions: Decisions, share_known: float) -> str:
    """Return why samples say nothing about new ones; "" if they do."""
    if share_known:
        return f"the classifier was fitted to {share_known:.0%} of these samples"
    return _CALIBRATED if are_calibration(clf, decisions.certainty) else ""


def certificates_of(clf: Any) -> tuple[Guarantee, ...]:
    """Return all that a classifier is certified for at its thresholds."""
    point = clf.operating_point_
    return point.guarantees or (() if point.guarantee is None else (point.guarantee,))


def share_of_fit(clf: Any, X: Any) -> float:
    """Return the share of samples that the classifier was fitted to, if it knows them."""
    first = getattr(clf.estimator_, "steps", [(None, None)])[0][1]
    return float(first.share_known(X)) if hasattr(first, "known_rows_") else 0.0


def are_calibration(clf: Any, certainty: NDArray[np.float64]) -> bool:
    """Return whether samples are those that set the thresholds, tested them, or were all given."""
    tested = clf._test_calibration
    known = [each.certainty for each in (getattr(clf, "calibration_", None), tested) if each]
    ordered = np.sort(certainty)
    if any(np.array_equal(np.sort(each), ordered) for each in known):
        return True
    # Others that were given may tell outliers, or belong to the groups of those that test. Of fewer
    # samples at once, certainties may be rounded otherwise.
    every = np.concatenate(known or [certainty[:0]])
    if len(certainty) != (clf._n_given or len(every)) or not len(every):
        return False
    after = np.clip(np.searchsorted(ordered, every), 1, len(ordered) - 1)
    return bool((np.isclose(ordered[after], every) | np.isclose(ordered[after - 1], every)).all())


def _outcomes(clf: Any, decisions: Decisions, truth: NDArray[Any]) -> Outcomes:
    """Return answers and true classes by number; classes may be of any kinds."""
    known = clf.classes_.tolist()
    code = {label: number for number, label in enumerate(dict.fromkeys([*known, *truth.tolist()]))}
    classes = np.empty(len(code), dtype=object)
    classes[:] = list(code)
    return Outcomes(
        certainty=decisions.certainty,
        cells=decisions.positions,
        answers=decisions.class_indices,
        truth=np.array([code[label] for label in truth.tolist()], dtype=np.int64),
        classes=classes,
    )


def _shares(
    clf: Any, outcomes: Outcomes, groups: NDArray[Any] | None, groups_of: str | None
) -> dict[str, Share]:
    """Return the shares that a target is about by the names of their guarantees."""
    target = _with_groups(clf.target, groups, groups_of)
    if hasattr(target, "_shares"):
        return {share.name: share for share in target._shares(outcomes)}
    (share,) = accuracy_shares(outcomes, 0.5, None, None)  # of a target of the user's own
    return {share.name: share}


def _with_groups(target: Any, groups: NDArray[Any] | None, groups_of: str | None) -> Any:
    """Return a target with the groups of these samples in place of those of the fit."""
    if isinstance(target, AllOf):
        return AllOf(*(_with_groups(each, groups, groups_of) for each in target.targets))
    own = getattr(target, "groups", None)
    if own is None:
        return target
    is_other = isinstance(own, str) and groups_of is not None and own != groups_of
    return replace(target, groups=None if is_other else groups)
