"""Why is a sample answered as it is, or not at all?

A prototype model decides between the closest prototype w⁺ of the class that it answers with and the
closest one of another class, w⁻. With δ = x − w, the difference of the two distances is a sum over
the features,

    d⁻ − d⁺ = Σ_i δ⁻_i (Λ⁻δ⁻)_i − δ⁺_i (Λ⁺δ⁺)_i,

in which positive terms favour the answer, and negative ones the rival. Those
of the largest size are the features that tell the two apart.
"""

from __future__ import annotations  # signatures then show the names of types

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
    deciding_features,
    never_answered_reason,
    outlier_reason,
)
from abstain.classifier.sources import Sources

if TYPE_CHECKING:
    import polars

Array = NDArray[Any]


class Reasons(NamedTuple):
    """For each sample, its label, its rival class, and what tells the two apart."""

    label: list[Any]
    rival: list[Any]
    features: list[list[str] | None]
    contributions: list[list[float] | None]


class Explained(NamedTuple):
    """What lies behind decisions, and the reason for which each sample is rejected, or would be.

    All are outliers if the certainty is the distance, which is low far from all prototypes.
    """

    decisions: Decisions
    reasons: Reasons
    is_outlier: NDArray[np.bool_]
    p_values: NDArray[np.float64]
    unusual: list[Unusual | None]
    sentences: list[str | None]


def explain_samples(clf: Any, X: Any, n_features: int) -> Explained:
    """Return what lies behind the decisions of a `RejectOptionClassifier`, at any threshold."""
    outputs = Outputs(clf.estimator_, X)
    if has_prototypes(outputs.model):
        _ = outputs.distances  # the certainty is then computed from them as well
    decisions = clf._decisions(evaluate_outputs(outputs, clf._rules))
    certainty = clf._rules.certainty
    reasons = find_reasons(outputs, certainty, max(n_features, MOST_NAMED))
    # Of this certainty, low values are those of outliers.
    is_outlier = decisions.outlier | (isinstance(certainty, str) and certainty == "distance")
    sources = Sources(X, getattr(clf, "feature_names_in_", None))
    p_values, unusual = find_unusual(clf._outlier_detector, outputs, decisions.outlier, sources)
    sentences = _in_words(decisions, is_outlier, unusual, reasons, sources)
    return Explained(decisions, reasons, is_outlier, p_values, unusual, sentences)


def explanation_table(
    clf: Any, X: Any, n_features: int, *, at_any_threshold: bool = False
) -> polars.DataFrame:
    """Return what lies behind the decisions of a `RejectOptionClassifier`, one row per sample.

    ``at_any_threshold``, an accepted sample has the reason for which it would be rejected, and
    none is that its cell has no answers.
    """
    import polars

    explained = explain_samples(clf, X, n_features)
    decisions, reasons, is_outlier, p_values, unusual, sentences = explained
    kinds: list[Any] = np.where(is_outlier, "outlier", "ambiguous").tolist()
    if not at_any_threshold:
        sentences = _at_own_thresholds(clf, decisions, sentences)
        kinds = [text and kind for kind, text in zip(kinds, sentences, strict=True)]
    return polars.DataFrame(
        {
            "label": reasons.label,
            "rival": reasons.rival,
            "rejected": decisions.rejected,
            "kind": kinds,
            "reason": sentences,
            "outlier_p_value": p_values,
            "unusual": [each and each.features[:n_features] for each in unusual],
            "certainty": decisions.certainty,
            "threshold": clf.thresholds_[decisions.positions],
            "correct_proba": decisions.correct_proba,
            "cell": [clf.cells_[position] for position in decisions.positions],
            "features": [each and each[:n_features] for each in reasons.features],
            "contributions": [each and each[:n_features] for each in reasons.contributions],
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
    unusual: list[Unusual | None],
    reasons: Reasons,
    sources: Sources,
) -> list[str | None]:
    """Return the reason for which each sample is rejected, or would be."""
    sentences: list[str | None] = []
    # Many samples lie between the same classes, with the same features that decide.
    said: dict[Any, str] = {}
    outliers, probabilities = is_outlier.tolist(), decisions.correct_proba.tolist()
    for row, (label, rival, features, shares) in enumerate(zip(*reasons, strict=True)):
        if outliers[row]:
            sentences.append(outlier_reason(unusual[row]))
            continue
        deciding = deciding_features(features or [], shares or [])
        case = (label, rival, *deciding) if deciding else (label, rival, probabilities[row])
        if case not in said:
            columns = sources.columns(deciding)
            said[case] = ambiguous_reason(label, rival, probabilities[row], columns)
        sentences.append(said[case])
    return sentences


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
) -> tuple[NDArray[np.float64], list[Unusual | None]]:
    """Return the p-value of each sample, and the features that make it an outlier."""
    unusual: list[Unusual | None] = [None] * len(is_outlier)
    if detector is None:
        return np.full(len(unusual), np.nan), unusual
    rows = np.flatnonzero(is_outlier)
    if len(rows):
        names = outputs.feature_names if detector.columns is None else detector.columns
        samples = take_rows(outputs.samples, rows)
        excess = detector.known.excess(detector._numbers(samples))
        some = detector.unusual_features(samples)
        for row, own_excess, own in zip(rows.tolist(), excess, some, strict=True):
            features = [str(names[feature]) for feature in own.tolist()]
            columns = sources.columns(features)
            values = {column: sources.value(column, row) for column in columns}
            unusual[row] = Unusual(features, values, is_outside=bool(own_excess[own[0]] > 1))
    return detector.p_values(outputs.samples), unusual


def find_reasons(outputs: Outputs, certainty: Any, n_features: int) -> Reasons:
    """Return what lies behind the answers of a fitted classifier, and behind their certainty."""
    labels, model = outputs.labels, outputs.model
    if not has_prototypes(model):
        none: list[Any] = [None] * len(labels)
        return Reasons(labels.tolist(), _runners_up(outputs, certainty), none, list(none))
    distances = outputs.distances
    is_own = model.prototype_labels_ == labels[:, np.newaxis]
    winner = np.where(is_own, distances, np.inf).argmin(axis=1)
    rival = np.where(is_own, np.inf, distances).argmin(axis=1)
    samples = as_numbers(outputs.seen)
    terms = _terms(model, samples, rival) - _terms(model, samples, winner)
    terms /= np.maximum(np.abs(terms).sum(axis=1, keepdims=True), np.finfo(float).tiny)
    names = np.asarray(names_of_features(*unwrap(outputs.estimator)))
    order = np.argsort(-np.abs(terms), axis=1, kind="stable")[:, :n_features]
    return Reasons(
        labels.tolist(),
        model.prototype_labels_[rival].tolist(),
        names[order].tolist(),
        np.take_along_axis(terms, order, axis=1).tolist(),
    )


def _terms(model: Any, samples: Array, chosen: NDArray[np.int64]) -> Array:
    """Return δ_i (Λδ)_i of each feature, δ from the chosen prototype; 0 for missing values."""
    away = np.nan_to_num(samples - model.prototypes_[chosen])
    roots = model.metric_roots()
    if len(roots) > 1:
        projected = np.einsum("nkm,nm->nk", roots[chosen], away)
        return np.asarray(away * np.einsum("nkm,nk->nm", roots[chosen], projected))
    return np.asarray(away * ((away @ roots[0].T) @ roots[0]))


def _runners_up(outputs: Outputs, certainty: Any) -> list[Any]:
    """Return the best class other than the answer, if the classifier has scores of the classes.

    Where the certainty is a margin between pairs of classes, it is the class of that pair.
    """
    classes, estimator = outputs.classes, outputs.estimator
    if len(classes) == 2:
        first, second = classes.tolist()
        return [second if label == first else first for label in outputs.labels.tolist()]
    if isinstance(certainty, str) and certainty == "pairwise":
        return list(least_margin(outputs)[1].tolist())
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
            return [None] * len(outputs.labels)
    return list(classes[best_other(scores, outputs.codes)[1]].tolist())
