"""What does `abstain fit` say of a fitted model?

Every share names the rows that it is of: those that chose the thresholds, on which it is too high,
new rows, or the held-out rows that certify it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from abstain._core.errors import shown
from abstain._core.text import first_of, printable
from abstain.cli.common import in_options, quote_for_shell
from abstain.cli.targets import estimated_shortfall, target_in_words
from abstain.cli.terminal import (
    CLASSES_TO_SHOW,
    FEW_SAMPLES,
    NOTES_TO_SHOW,
    ClassTable,
    GroupTable,
    counted,
    facts_table,
    first_lines,
    interval,
    label_text,
    percent,
    plain_table,
    rounded_threshold,
    title_of,
)

if TYPE_CHECKING:
    from abstain.classifier import RejectOptionClassifier
    from abstain.tables.fitting import FitResult

_FEW_VALUES = 30
# For what a guarantee holds, and what tests it.
_WHAT_TESTS = {
    "samples": ("new rows", "held-out row"),
    "distinct samples": ("new rows", "distinct held-out row"),
    "groups": ("one row of each new group", "held-out group"),
}
_COLUMNS_TO_SHOW = 6


def fit_screen(result: FitResult, table: Path | list[Path], out: Path) -> RenderableType:
    """Return the summary of a fit to a table, or to several."""
    from abstain.tables.writing import class_rows

    clf = result.clf
    shortfall = estimated_shortfall(clf.front_, clf.operating_point_, clf.target)
    return Group(
        Text.assemble(
            (title_of(table), "bold"),
            f"\n{counted(result.n_rows, 'row')} of {counted(len(result.class_counts), 'class')}"
            f" in column {shown(result.label)}",
        ),
        Text(),
        _facts(result),
        Text(),
        _thresholds(result),
        Text(),
        ClassTable(
            class_rows(result.class_report),
            counted(clf.operating_point_.n_samples, "calibration row"),
        ),
        *(Text(printable(line), "red") for line in _alarms(result)),
        *_groups(result),
        *_guarantees(result),
        *_unused_rejects(result),
        *(Text(warning, "yellow") for warning in shortfall),
        *_number_formats(result),
        *_left_out(result),
        *_notes(result.notes),
        Text(),
        # A command that is wrapped cannot be copied.
        Text(f"Written: {printable(out)}", no_wrap=True, overflow="ignore"),
        Text(
            f"Next: abstain predict {quote_for_shell(out, None)} new.csv --out answers.csv",
            "dim",
            no_wrap=True,
            overflow="ignore",
        ),
    )


def _facts(result: FitResult) -> Table:
    clf = result.clf
    n_numeric, n_categorical = len(result.features.numeric), len(result.features.categorical)
    facts = {
        "model": Text(f"{result.model.name}: {result.model.title}"),
        "target": Text(target_in_words(clf.target, clf.front_)),
        "chosen": _chosen(result),
        "expected": expected_text(clf),
        "certified": _certified(clf),
        "baseline": _baseline(result),
        "groups": None
        if result.group is None
        else Text(
            f"{counted(result.n_groups, 'subject')} in column {shown(result.group)}, each of them "
            "in one fold"
        ),
        "cost": _cost(result),
        "proportions": _proportions(result),
        "columns": Text(
            f"{n_numeric + n_categorical:,}: {n_numeric:,} numeric, {n_categorical:,} categorical"
        ),
    }
    return facts_table({name: fact for name, fact in facts.items() if fact is not None})


def _chosen(result: FitResult) -> Text:
    """Return what the thresholds do to the rows that set them, on which they were chosen."""
    clf, point = result.clf, result.clf.operating_point_
    rows = counted(point.n_samples, "row")
    which = f"{rows} that set the thresholds, out of fold"
    if clf.cv == "training":
        which = f"{rows} of the fit, which set the thresholds"
    n_answered = point.n_samples - point.true_rejects - point.false_rejects
    right = "no answer" if not n_answered else f"{percent(point.accuracy)} right"
    of_few = f", of only {counted(n_answered, 'answer')}" if n_answered < FEW_SAMPLES else ""
    return Text(
        f"{right}{of_few}, {percent(point.coverage)} answered,\n"
        f"on the {which};\n"
        f"rejected: {point.true_rejects:,} wrong and {point.false_rejects:,} right"
        + _outliers_among_them(result.n_outliers)
    )


def _outliers_among_them(n_outliers: int) -> str:
    if not n_outliers:
        return ""
    return f", {n_outliers:,} of them {'an outlier' if n_outliers == 1 else 'outliers'}"


def expected_text(clf: RejectOptionClassifier) -> Text:
    """Return what is expected on new rows, and how that is known."""
    expected = clf.expected_
    if expected is None:
        is_on_training = clf.cv == "training"
        why = "the rows of the fit set the thresholds" if is_on_training else "too few rows tell"
        return Text(f"not estimated for new rows: {why}")
    how, tested = f"by {counted(expected.n_samples, 'held-out row')}", clf._tested_groups
    if tested is not None and tested.counted == "groups":
        how += ", one of each group"
    elif tested is not None and tested.repeats is not None:
        how += ", equal ones as often as they occur"
    if expected.basis == "cross-fit":
        how = "each row decided by thresholds that other rows chose"
    return Text.assemble(
        (f"{expected.accuracy:.1%} right on new rows", "bold green"),
        f", 95% interval {interval(*expected.accuracy_interval)};\n",
        (f"{expected.coverage:.1%} answered", "bold"),
        f", 95% interval {interval(*expected.coverage_interval)};\n",
        (how, "dim"),
    )


def _baseline(result: FitResult) -> Text:
    """Return the accuracies without rejects: of the model, and of always the same answer."""
    largest, share = max(result.class_shares.items(), key=lambda share: share[1])
    right = result.clf.operating_point_.accuracy_without_rejects
    return Text(
        f"{percent(right)} right if all rows are answered,\n"
        f"{percent(share)} if the answer is always {printable(largest)}"
    )


def _cost(result: FitResult) -> Text | None:
    from abstain.tables.evaluation import cost_of_calibration

    cost = cost_of_calibration(result.clf)
    if cost is None:
        return None
    return Text.assemble(
        f"{cost.all_answered:.4g} → ",
        (f"{cost.with_rejects:.4g}", "bold green"),
        " per row, on the same rows;\n"
        f"{cost.constant:.4g} if the answer is always {printable(cost.constant_answer)}",
    )


def _certified(clf: RejectOptionClassifier) -> Text | None:
    """Return what is certified for all rows; for classes and groups, see `_guarantees`."""
    guarantee = clf.operating_point_.guarantee
    if guarantee is None or clf.operating_point_.guarantees:
        return None
    drawn = guarantee.left_out_as_equal
    if guarantee.counted == "groups":
        drawn = ", one row of each"
    if clf.class_prior is not None:
        drawn += ", drawn in these proportions"
    outlier = None if clf._test_calibration is None else clf._test_calibration.outlier
    if outlier is not None:
        drawn += f", without {counted(int(outlier.sum()), 'outlier')}"
    new, tested = _WHAT_TESTS[guarantee.counted]
    return Text.assemble(
        (f"at least {guarantee.accuracy:g} on {new}", "bold green"),
        f", with confidence {guarantee.confidence:g}:\n"
        f"of {counted(guarantee.n_samples, tested)}{drawn}, {guarantee.accepted:,} "
        f"were answered, {guarantee.errors:,} of them wrong",
    )


def _proportions(result: FitResult) -> Text | None:
    """Return for which class proportions shares hold; counts are of the rows of the table."""
    if result.clf.class_prior is None:
        return None
    parts = [
        f"{percent(share)} {printable(name)}"
        for name, share in sorted(result.class_shares.items(), key=lambda each: -each[1])
    ]
    return Text(f"shares are for new rows with {first_of(parts, _COLUMNS_TO_SHOW)}")


def _thresholds(result: FitResult) -> Table:
    from abstain.classifier.cell_names import cell_names

    clf, names = result.clf, cell_names(result.clf)
    certainty = clf.calibration_.certainty
    positions = clf._own_cells.positions(clf.calibration_.cells)
    table = plain_table("cell", ["threshold", "rows", "rejected"])
    thresholds = clf.thresholds_.tolist()
    if not (positions == len(names) - 1).any():  # no cells share a threshold
        names, thresholds = names[:-1], thresholds[:-1]
    for position, (name, threshold) in enumerate(zip(names, thresholds, strict=True)):
        if table.row_count == CLASSES_TO_SHOW:
            table.add_row(Text(f"… and {len(names) - position:,} more", "dim"))
            break
        own = positions == position
        table.add_row(
            label_text(name),
            Text(rounded_threshold(threshold), "bold"),
            f"{int(own.sum()):,}",
            f"{int((certainty[own] < threshold).sum()):,}",
        )
    return table


def _alarms(result: FitResult) -> list[str]:
    lines = [f"Warning: {alarm}" for alarm in result.alarms]
    return first_lines(lines, NOTES_TO_SHOW, "warning")


def _groups(result: FitResult) -> list[RenderableType]:
    """Return what each group gets with the condition of the target and without, on which rows."""
    from abstain.tables.writing import group_rows

    shown_tables: list[RenderableType] = []
    for column, comparison in result.group_comparisons.items():
        where = f"Groups of {shown(column)} on {comparison.n_rows:,} {comparison.counted_on}"
        both = "" if comparison.without is None else ", with and without --group-by"
        bound = f"bound: lower limit of the accuracy, confidence {comparison.confidence:g}"
        if comparison.counted_on.startswith("calibration rows"):
            bound += "; too high for new rows, since these set the thresholds"
        shown_tables += [
            *(Text(), Text(printable(f"{where}{both}:"))),
            GroupTable(group_rows(comparison), bound),
        ]
    return shown_tables


def _guarantees(result: FitResult) -> list[RenderableType]:
    """Return what is certified for classes and groups, and by which rows."""
    guarantees = result.clf.operating_point_.guarantees
    if not guarantees:
        return []
    confidence = min(each.confidence for each in guarantees)
    together = ", all together" if len(guarantees) > 1 else ""
    table = plain_table("certified", ["at least", "held out", "answered", "wrong", "right"])
    for each in guarantees:
        table.add_row(
            label_text(each.name.removeprefix("the ")),
            Text(f"{each.accuracy:g}", "bold green"),
            *(f"{count:,}" for count in (each.n_samples, each.accepted, each.errors)),
            percent(1 - each.errors / each.accepted),
        )
    new = _WHAT_TESTS[guarantees[0].counted][0]
    sentence = f"Certified for {new} with confidence {confidence:g}{together}, on held-out rows:"
    return [Text(), Text(sentence), table]


def _unused_rejects(result: FitResult) -> list[Text]:
    """Return why far less is rejected than the target allows, and the next useful reject rate."""
    import numpy as np

    clf, point = result.clf, result.clf.operating_point_
    rate = getattr(clf.target, "rate", 0.0)
    if not point.errors_left or point.reject_rate >= rate / 2:
        return []
    n_values = len(np.unique(clf.calibration_.certainty))
    message = "Fewer rows are rejected than the target allows"
    if n_values <= _FEW_VALUES:
        message += f": certainty takes only {counted(n_values, 'value')}"
    # Rates of the front are among rows that are no outliers.
    share = result.n_outliers / point.n_samples
    rates, accuracies = share + (1 - share) * clf.front_.reject_rates, clf.front_.accuracies
    useful = rates[(rates > rate) & (accuracies > point.accuracy)]  # NaN where none is answered
    if len(useful):
        message += f"; the next useful reject rate is {np.ceil(1000 * useful.min()) / 1000:g}"
    else:
        message += "; more rejects would not raise the accuracy"
    return [Text(), Text(message, "yellow")]


def _number_formats(result: FitResult) -> list[Text]:
    """Return how numbers were read that are written with more than digits."""
    import polars as pl

    lines = []
    for name, notation in result.features.written.items():
        number = notation.numbers(pl.Series([notation.example])).item()
        lines.append(f"{name}: numbers written like {notation.example}, taken as {number:.15g}")
    lines = first_lines(lines, _COLUMNS_TO_SHOW, "such column")
    return [Text(), *(Text(printable(line)) for line in lines)] if lines else []


def _left_out(result: FitResult) -> list[Text]:
    """Return which rows and columns were not used, and why."""
    lines = []
    if result.n_unlabelled:
        lines.append(f"{counted(result.n_unlabelled, 'row')} without a label left out")
    if result.n_empty:
        lines.append(f"{counted(result.n_empty, 'row')} with nothing but a label left out")
    columns = [
        f"column {shown(name)} left out"
        + (f", {why}" if why == "as asked" else f": it {in_options(why)}")
        for name, why in result.features.left_out.items()
    ]
    lines += first_lines(columns, _COLUMNS_TO_SHOW, "column")
    return [Text(), *(Text(printable(line), "yellow") for line in lines)] if lines else []


def _notes(notes: Sequence[str]) -> list[Text]:
    shown_notes = map(in_options, notes[:NOTES_TO_SHOW])
    lines = [Text(printable(f"Note: {note}"), "yellow") for note in shown_notes]
    n_hidden = len(notes) - len(lines)
    return lines + [Text(f"… and {n_hidden:,} more; --json has all", "dim")] * (n_hidden > 0)
