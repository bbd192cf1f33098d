"""What `abstain fit` prints: accuracy, rejects, guarantee, thresholds, and what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from abstain._core.errors import shown
from abstain._core.text import printable
from abstain.cli.common import in_options
from abstain.cli.terminal import (
    CLASSES_TO_SHOW,
    FEW_SAMPLES,
    NOTES_TO_SHOW,
    counted,
    estimated_shortfall,
    facts_table,
    label,
    percent,
    plain_table,
    rounded_threshold,
    target_in_words,
)
from abstain.targets import Accuracy

if TYPE_CHECKING:
    from abstain.tables.fitting import FitResult

# The name in score files of a target, and the attribute that holds its value.
_TARGETS = {
    "Accuracy": ("accuracy", "accuracy"),
    "RejectRate": ("reject_rate", "rate"),
    "RejectCost": ("reject_cost", "cost"),
}
_FEW_VALUES = 30
_COLUMNS_TO_SHOW = 6


def fit_screen(result: FitResult, table: Path, out: Path) -> RenderableType:
    """Return the summary of a fit."""
    return Group(
        Text.assemble(
            (printable(table.name), "bold"),
            f"\n{counted(result.n_rows, 'row')} of {counted(len(result.class_counts), 'class')}"
            f" in column {shown(result.label)}",
        ),
        Text(),
        _facts(result),
        Text(),
        _thresholds(result),
        *_unused_rejects(result),
        *_shortfall(result),
        *_number_formats(result),
        *_left_out(result),
        *_notes(result.notes),
        Text(),
        Text(f"Written: {printable(out)}"),
        Text(f"Next: abstain predict {printable(out)} new.csv --out answers.csv", "dim"),
    )


def _facts(result: FitResult) -> Table:
    clf, point = result.clf, result.clf.operating_point_
    name, value = _TARGETS[type(clf.target).__name__]
    where = "on the rows it was fitted to" if clf.cv == "training" else "out of fold"
    largest, n_largest = max(result.class_counts.items(), key=lambda count: count[1])
    guarantee = point.guarantee
    if guarantee is not None:
        where += f", on {counted(point.n_samples, 'row')} that set the thresholds"
    n_answered = round(point.coverage * point.n_samples)
    if n_answered < FEW_SAMPLES:
        where += f", of only {counted(n_answered, 'answer')}"
    facts = {
        "model": Text(f"{result.model.name}: {result.model.title}"),
        "target": Text(target_in_words(name, getattr(clf.target, value), clf.front_)),
        "accuracy": Text.assemble(
            percent(1 - point.n_errors / point.n_samples),
            " → ",
            (percent(point.accuracy), "bold green"),
            f" {where}",
        ),
        "baseline": Text(
            f"{percent(n_largest / result.n_rows)} if the answer is always {printable(largest)}"
        ),
        "answered": Text.assemble(
            (percent(point.coverage), "bold"),
            f" of {'these ' if guarantee else ''}{counted(point.n_samples, 'row')}; rejected: "
            f"{point.true_rejects:,} wrong and {point.false_rejects:,} right",
        ),
    }
    if guarantee is not None:
        facts["guarantee"] = Text.assemble(
            (f"at least {guarantee.accuracy:g} on new rows", "bold green"),
            f", with confidence {guarantee.confidence:g}:\n"
            f"of {counted(guarantee.n_samples, 'other row')}, held out, {guarantee.accepted:,} "
            f"were answered, {guarantee.errors:,} of them wrong:\n"
            f"accuracy {percent(1 - guarantee.errors / guarantee.accepted)}",
        )
    n_numeric, n_categorical = len(result.features.numeric), len(result.features.categorical)
    facts["columns"] = Text(
        f"{n_numeric + n_categorical:,}: {n_numeric:,} numeric, {n_categorical:,} categorical"
    )
    return facts_table(facts)


def _thresholds(result: FitResult) -> Table:
    from abstain.tables.reasons import cell_names

    clf, names = result.clf, cell_names(result.clf)
    certainty = clf.calibration_.certainty
    positions = clf._own_cells.positions(clf.calibration_.cells)
    table = plain_table("cell", ["threshold", "rows", "rejected"])
    for position, (name, threshold) in enumerate(zip(names, clf.thresholds_.tolist(), strict=True)):
        own = positions == position
        if not own.any() and position == len(names) - 1:
            continue  # no cells share a threshold
        if table.row_count == CLASSES_TO_SHOW:
            table.add_row(Text(f"… and {len(names) - position:,} more", "dim"))
            break
        table.add_row(
            label(name),
            Text(rounded_threshold(threshold), "bold"),
            f"{int(own.sum()):,}",
            f"{int((certainty[own] < threshold).sum()):,}",
        )
    return table


def _unused_rejects(result: FitResult) -> list[Text]:
    """Return why far less is rejected than the target allows, and the next useful reject rate."""
    clf, point = result.clf, result.clf.operating_point_
    rate = getattr(clf.target, "rate", 0.0)
    if not point.errors_left or point.reject_rate >= rate / 2:
        return []
    n_values = len(np.unique(clf.calibration_.certainty))
    message = "Fewer rows are rejected than the target allows"
    if n_values <= _FEW_VALUES:
        message += f": certainty takes only {counted(n_values, 'value')}"
    rates, accuracies = clf.front_.reject_rates, clf.front_.accuracies
    useful = rates[(rates > rate) & (accuracies > point.accuracy)]  # NaN where none is answered
    if len(useful):
        message += f"; the next useful reject rate is {np.ceil(1000 * useful.min()) / 1000:g}"
    else:
        message += "; more rejects would not raise the accuracy"
    return [Text(), Text(message, "yellow")]


def _shortfall(result: FitResult) -> list[Text]:
    clf, point = result.clf, result.clf.operating_point_
    if not isinstance(clf.target, Accuracy) or point.guarantee is not None:
        return []
    warnings = estimated_shortfall(clf.front_, point, clf.target.accuracy)
    return [Text(warning, "yellow") for warning in warnings]


def _number_formats(result: FitResult) -> list[Text]:
    """Return how numbers were read that are written with more than digits."""
    lines = []
    for name, notation in list(result.features.written.items())[:_COLUMNS_TO_SHOW]:
        number = notation.numbers(pl.Series([notation.example])).item()
        lines.append(f"{name}: numbers written like {notation.example}, taken as {number:.15g}")
    if len(result.features.written) > _COLUMNS_TO_SHOW:
        more = len(result.features.written) - _COLUMNS_TO_SHOW
        lines.append(f"… and {counted(more, 'more such column')}; --json names all")
    return [Text(), *(Text(printable(line)) for line in lines)] if lines else []


def _left_out(result: FitResult) -> list[Text]:
    """Return which rows and columns were not used, and why."""
    lines = []
    if result.n_unlabelled:
        lines.append(f"{counted(result.n_unlabelled, 'row')} without a label left out")
    if result.n_empty:
        lines.append(f"{counted(result.n_empty, 'row')} with nothing but a label left out")
    left_out = list(result.features.left_out.items())
    for name, why in left_out[:_COLUMNS_TO_SHOW]:
        because = f", {why}" if why == "as asked" else f": it {in_options(why)}"
        lines.append(f"column {shown(name)} left out{because}")
    if len(left_out) > _COLUMNS_TO_SHOW:
        more = counted(len(left_out) - _COLUMNS_TO_SHOW, "more column")
        lines.append(f"… and {more}; --json names all")
    return [Text(), *(Text(printable(line), "yellow") for line in lines)] if lines else []


def _notes(notes: Sequence[str]) -> list[Text]:
    shown_notes = map(in_options, notes[:NOTES_TO_SHOW])
    lines = [Text(printable(f"Note: {note}"), "yellow") for note in shown_notes]
    n_hidden = len(notes) - len(lines)
    return lines + [Text(f"… and {n_hidden:,} more; --json has all", "dim")] * (n_hidden > 0)
