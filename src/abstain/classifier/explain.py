"""Why is a sample answered as it is, or not at all?

A prototype model decides between the closest prototype w⁺ of the class that it answers with and the
closest one of another class, w⁻. With δ = x − w, the difference of the two distances is a sum over
the features,

    d⁻ − d⁺ = Σ_i δ⁻_i (Λ⁻δ⁻)_i − δ⁺_i (Λ⁺δ⁺)_i,

in which positive terms favour the answer, and negative ones the rival. Those
of the largest size are the features that tell the two apart.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._core.estimators import has_prototypes, names_of_features, unwrap
from abstain._core.sklearn_private import take_rows
from abstain.certainty import MEASURES
from abstain.certainty.outliers import OutlierDetector
from abstain.certainty.outputs import Outputs, as_numbers, best_other
from abstain.certainty.scores import least_margin
from abstain.classifier.cell_names import cell_names
from abstain.classifier.evaluate import Decisions, evaluate_outputs
from abstain.classifier.reasons import (
    MOST_NAMED,
    Unusual,
    ambiguous_reason,
    count_deciding,
    never_answered_reason,
    outlier_reason,
)
from abstain.classifier.sources import Sources

if TYPE_CHECKING:
    import polars

Array = NDArray[Any]
# Products of codes that are still whole numbers of 64 bits.
LARGEST_CODE = 1 << 62


class Reasons(NamedTuple):
    """For each sample, its class, the rival class, and what tells the two apart.

    ``own`` and ``rival`` are positions in ``classes``, -1 of no rival. ``features`` are positions
    in ``names``, those of the largest ``contributions`` first; both are None without prototypes.
    """

    classes: Array
    own: NDArray[np.int64]
    rival: NDArray[np.int64]
    names: Array
    features: NDArray[np.int64] | None = None
    contributions: NDArray[np.float64] | None = None

    def rivals(self) -> list[Any]:
        """Return the rival class of each sample, None where there is none."""
        classes = [*self.classes.tolist(), None]
        return [classes[code] for code in self.rival.tolist()]


class Sentences(NamedTuple):
    """A sentence for each sample, of which many are equal: its position in ``texts``."""

    texts: list[str]
    codes: NDArray[np.int64]

    def each(self) -> list[str]:
        """Return the sentence of each sample."""
        return [self.texts[code] for code in self.codes.tolist()]


class Explained(NamedTuple):
    """What lies behind decisions, and the reason for which each sample is rejected, or would be.

    All are outliers if the certainty is the distance, which is low far from all prototypes.
    ``unusual`` has those that are outliers whatever the certainty.
    """

    reasons: Reasons
    is_outlier: NDArray[np.bool_]
    unusual: dict[int, Unusual]
    sentences: Sentences


class ExplainedRejects(NamedTuple):
    """Why samples were rejected: their rows, the sentences, the rival classes, and p-values.

    ``rivals`` are positions among the classes, -1 of none. ``p_values`` are those of outliers.
    """

    rows: NDArray[np.int64]
    sentences: Sentences
    rivals: NDArray[np.int64]
    p_values: NDArray[np.float64]


def explain_decisions(
    clf: Any, outputs: Outputs, decisions: Decisions, n_features: int
) -> Explained:
    """Return what lies behind the decisions of a `RejectOptionClassifier`, at any threshold."""
    certainty = clf._rules.certainty
    reasons = find_reasons(outputs, certainty, max(n_features, MOST_NAMED))
    # Of this certainty, low values are those of outliers.
    is_outlier = decisions.outlier | (isinstance(certainty, str) and certainty == "distance")
    sources = Sources(outputs.X, getattr(clf, "feature_names_in_", None))
    unusual = find_unusual(clf._outlier_detector, outputs, decisions.outlier, sources)
    sentences = _in_words(decisions, is_outlier, unusual, reasons, sources)
    return Explained(reasons, is_outlier, unusual, sentences)


def decide_and_explain(clf: Any, X: Any) -> tuple[Decisions, ExplainedRejects]:
    """Return decisions, and why samples were rejected, from one look at the samples."""
    evaluation = clf._evaluate(X)
    decisions: Decisions = clf._decisions(evaluation)
    rows = np.flatnonzero(decisions.rejected)
    p_values = np.full(len(rows), np.nan)
    if not len(rows):
        return decisions, ExplainedRejects(rows, Sentences([], rows), rows, p_values)
    outputs = evaluation.outputs.take(rows)
    own = Decisions._make(values[rows] for values in decisions)
    explained = explain_decisions(clf, outputs, own, MOST_NAMED)
    if own.outlier.any():
        outliers = take_rows(outputs.samples, np.flatnonzero(own.outlier))
        p_values[own.outlier] = clf._outlier_detector.p_values(outliers)
    return decisions, ExplainedRejects(rows, explained.sentences, explained.reasons.rival, p_values)


def explanation_table(
    clf: Any, X: Any, n_features: int, *, at_any_threshold: bool = False
) -> polars.DataFrame:
    """Return what lies behind the decisions of a `RejectOptionClassifier`, one row per sample.

    ``at_any_threshold``, an accepted sample has the reason for which it would be rejected, and
    none is that its cell has no answers.
    """
    import polars

    outputs = Outputs(clf.estimator_, X)
    if has_prototypes(outputs.model):
        _ = outputs.distances  # the certainty is then computed from them as well
    decisions = clf._decisions(evaluate_outputs(outputs, clf._rules))
    reasons, is_outlier, unusual, said = explain_decisions(clf, outputs, decisions, n_features)
    n_samples, detector = len(is_outlier), clf._outlier_detector
    kinds: list[Any] = np.where(is_outlier, "outlier", "ambiguous").tolist()
    sentences: list[str | None] = [*said.each()]
    if not at_any_threshold:
        sentences = _at_own_thresholds(clf, decisions, sentences)
        kinds = [text and kind for kind, text in zip(kinds, sentences, strict=True)]
    features: list[Any] = [None] * n_samples
    contributions: list[Any] = [None] * n_samples
    if reasons.features is not None and reasons.contributions is not None:
        features = reasons.names[reasons.features[:, :n_features]].tolist()
        contributions = reasons.contributions[:, :n_features].tolist()
    return polars.DataFrame(
        {
            "label": reasons.classes[reasons.own].tolist(),
            "rival": reasons.rivals(),
            "rejected": decisions.rejected,
            "kind": kinds,
            "reason": sentences,
            "outlier_p_value": np.full(n_samples, np.nan)
            if detector is None
            else detector.p_values(outputs.samples),
            "unusual": [
                unusual[row].features[:n_features] if row in unusual else None
                for row in range(n_samples)
            ],
            "certainty": decisions.certainty,
            "threshold": clf.thresholds_[decisions.positions],
            "correct_proba": decisions.correct_proba,
            "cell": [clf.cells_[position] for position in decisions.positions],
            "features": features,
            "contributions": contributions,
        },
        schema_overrides={
            "kind": polars.String,
            "reason": polars.String,
            "unusual": polars.List(polars.String),
        },
        strict=False,
    )


def empty_table(classes: Array, cells: Array) -> polars.DataFrame:
    """Return the table of no samples."""
    import polars

    label, cell = (polars.Series(values.tolist()).dtype for values in (classes, cells))
    return polars.DataFrame(
        schema={
            "label": label,
            "rival": label,
            "rejected": polars.Boolean,
            "kind": polars.String,
            "reason": polars.String,
            "outlier_p_value": polars.Float64,
            "unusual": polars.List(polars.String),
            "certainty": polars.Float64,
            "threshold": polars.Float64,
            "correct_proba": polars.Float64,
            "cell": cell,
            "features": polars.List(polars.String),
            "contributions": polars.List(polars.Float64),
        }
    )


def _in_words(
    decisions: Decisions,
    is_outlier: NDArray[np.bool_],
    unusual: dict[int, Unusual],
    reasons: Reasons,
    sources: Sources,
) -> Sentences:
    """Return the reason for which each sample is rejected, or would be."""
    texts = [outlier_reason(None), *map(outlier_reason, unusual.values())]
    codes = np.zeros(len(is_outlier), dtype=np.int64)
    codes[list(unusual)] = np.arange(1, len(texts))
    # Many samples lie between the same classes, with the same features that decide.
    rows = np.flatnonzero(~is_outlier)
    named = _deciding(reasons)[rows]
    probabilities = np.where((named >= 0).any(axis=1), np.nan, decisions.correct_proba[rows])
    _, shares = np.unique(probabilities, return_inverse=True)
    first, cases = _distinct_rows(
        [reasons.own[rows], reasons.rival[rows], shares.ravel(), *named.T]
    )
    codes[rows] = len(texts) + cases
    labels, names = [*reasons.classes.tolist(), None], reasons.names.tolist()
    chosen = (reasons.own[rows], reasons.rival[rows], probabilities, named)
    for own, rival, share, features in zip(*(each[first].tolist() for each in chosen), strict=True):
        columns = sources.columns([names[feature] for feature in features if feature >= 0])
        what: dict[str, Any] = {"deciding": columns} if columns else {"correct_proba": share}
        texts.append(ambiguous_reason(labels[own], labels[rival], **what))
    return Sentences(texts, codes)


def _deciding(reasons: Reasons) -> NDArray[np.int64]:
    """Return the positions of the features that decide each sample, -1 in place of others."""
    if reasons.features is None or reasons.contributions is None:
        return np.full((len(reasons.own), 0), -1)
    named = reasons.features[:, :MOST_NAMED]
    is_deciding = np.arange(named.shape[1]) < count_deciding(reasons.contributions)[:, np.newaxis]
    return np.where(is_deciding, named, -1)


def _distinct_rows(
    columns: Sequence[NDArray[np.int64]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first of equal rows of whole numbers from -1, and which of these each row is.

    >>> first, codes = _distinct_rows([np.array([4, -1, 4]), np.array([7, 7, 7])])
    >>> first.tolist(), codes.tolist()
    ([1, 0], [1, 0, 1])
    """
    codes, size = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column in columns:
        n_values = int(column.max(initial=-1)) + 2
        if size * n_values > LARGEST_CODE:
            distinct, codes = np.unique(codes, return_inverse=True)
            size = len(distinct)
        codes, size = codes * n_values + column + 1, size * n_values
    _, first, codes = np.unique(codes, return_index=True, return_inverse=True)
    return first, codes.ravel()


def _at_own_thresholds(
    clf: Any, decisions: Decisions, sentences: list[str | None]
) -> list[str | None]:
    """Return the sentences of rejected samples, of which some are in a cell without answers."""
    thresholds, names = clf.thresholds_[decisions.positions], None
    own = [
        sentence if rejected else None
        for sentence, rejected in zip(sentences, decisions.rejected.tolist(), strict=True)
    ]
    for row in np.flatnonzero((thresholds == np.inf) & ~decisions.outlier).tolist():
        names = cell_names(clf) if names is None else names
        own[row] = never_answered_reason(names[decisions.positions[row]])
    return own


def find_unusual(
    detector: OutlierDetector | None,
    outputs: Outputs,
    is_outlier: NDArray[np.bool_],
    sources: Sources,
) -> dict[int, Unusual]:
    """Return the features that make samples outliers, by the rows of these."""
    unusual: dict[int, Unusual] = {}
    rows = np.flatnonzero(is_outlier)
    if detector is None or not len(rows):
        return unusual
    names = outputs.feature_names if detector.columns is None else detector.columns
    samples = take_rows(outputs.samples, rows)
    largest = detector.known.excess(detector._numbers(samples)).max(axis=1)
    some = detector.unusual_features(samples)
    for row, is_outside, own in zip(rows.tolist(), (largest > 1).tolist(), some, strict=True):
        features = [str(names[feature]) for feature in own.tolist()]
        values = {column: sources.value(column, row) for column in sources.columns(features)}
        unusual[row] = Unusual(features, values, is_outside)
    return unusual


def find_reasons(outputs: Outputs, certainty: Any, n_features: int) -> Reasons:
    """Return what lies behind the answers of a fitted classifier, and behind their certainty."""
    classes, codes, model = outputs.classes, outputs.codes, outputs.model
    if not has_prototypes(model):
        return Reasons(classes, codes, _runners_up(outputs, certainty), np.array([], dtype=object))
    distances, owners = outputs.distances, np.searchsorted(classes, model.prototype_labels_)
    is_own = owners == codes[:, np.newaxis]
    winner = np.where(is_own, distances, np.inf).argmin(axis=1)
    rival = np.where(is_own, np.inf, distances).argmin(axis=1)
    samples = as_numbers(outputs.seen)
    terms = _terms(model, samples, rival) - _terms(model, samples, winner)
    terms /= np.maximum(np.abs(terms).sum(axis=1, keepdims=True), np.finfo(float).tiny)
    names = np.asarray(names_of_features(*unwrap(outputs.estimator)), dtype=object)
    order = np.argsort(-np.abs(terms), axis=1, kind="stable")[:, :n_features]
    contributions = np.take_along_axis(terms, order, axis=1)
    return Reasons(classes, codes, owners[rival], names, order, contributions)


def _terms(model: Any, samples: Array, chosen: NDArray[np.int64]) -> Array:
    """Return δ_i (Λδ)_i of each feature, δ from the chosen prototype; 0 for missing values."""
    away = np.nan_to_num(samples - model.prototypes_[chosen])
    roots = model.metric_roots()
    if len(roots) > 1:
        projected = np.einsum("nkm,nm->nk", roots[chosen], away)
        return np.asarray(away * np.einsum("nkm,nk->nm", roots[chosen], projected))
    return np.asarray(away * ((away @ roots[0].T) @ roots[0]))


def _runners_up(outputs: Outputs, certainty: Any) -> NDArray[np.int64]:
    """Return the best class other than the answer, if the classifier has scores of the classes.

    Where the certainty is a margin between pairs of classes, it is the class of that pair; -1 is
    none.
    """
    classes, codes, estimator = outputs.classes, outputs.codes, outputs.estimator
    if len(classes) == 2:
        return 1 - codes
    if isinstance(certainty, str) and certainty == "pairwise":
        return np.searchsorted(classes, least_margin(outputs)[1])
    # What the certainty was computed from is there already.
    known = vars(outputs)
    for name in ("posteriors", "log_posteriors", "scores", "votes"):
        if name in known and np.ndim(known[name]) == 2 and known[name].shape[1] == len(classes):
            scores = known[name]
            break
    else:
        if hasattr(estimator, "predict_proba"):
            scores = outputs.posteriors
        elif MEASURES["decision"].serves(estimator):
            scores = outputs.scores
        else:
            return np.full(len(codes), -1)
    return best_other(scores, codes)[1]
