"""`abstain fit`: a model with reject thresholds, from a table."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from abstain import InputError
from abstain._core.errors import Message, shown
from abstain._core.files import check_keeps_inputs
from abstain._core.text import first_of, printable
from abstain.cli import terminal
from abstain.cli.common import (
    AsJson,
    Decimal,
    Encoding,
    Method,
    Missing,
    Quiet,
    Separator,
    Sheet,
    column_option,
    fitting_option,
    in_options,
    print_error,
    print_json,
)
from abstain.cli.targets import (
    DEFAULT_REJECT_RATE,
    AccuracyOption,
    ClassPriorOption,
    CostOption,
    GroupByOption,
    PrecisionOption,
    RecallOption,
    RejectCostOption,
    RejectRateOption,
    chosen_prior,
    chosen_target,
    estimated_shortfall,
    target_in_words,
    target_option,
)
from abstain.cli.terminal import (
    CLASSES_TO_SHOW,
    FEW_SAMPLES,
    NOTES_TO_SHOW,
    ClassTable,
    GroupTable,
    counted,
    facts_table,
    first_lines,
    label_text,
    percent,
    plain_table,
    rounded_threshold,
)

if TYPE_CHECKING:
    from abstain.classifier import RejectOptionClassifier
    from abstain.tables.fitting import FitResult
    from abstain.targets import OperatingPoint

_FEW_VALUES = 30
# For what a guarantee holds, and what tests it.
_WHAT_TESTS = {
    "samples": ("new rows", "other row"),
    "distinct samples": ("new rows", "other distinct row"),
    "groups": ("one row of each new group", "other group"),
}
_COLUMNS_TO_SHOW = 6

# Written out, since --help does not import the registries; a test compares the names.
Cells = StrEnum("Cells", "auto global class prototype leaf")
Certainty = StrEnum(
    "Certainty",
    "auto relsim conf logit margin entropy boundary distance pairwise decision trust",
)


def _complete_model(incomplete: str) -> list[str]:
    from abstain.tables.models import MODELS

    return [name for name in MODELS if name.startswith(incomplete.lower())]


ModelOption = Annotated[
    str,
    fitting_option(
        help="glvq, grlvq, gmlvq, lgmlvq, rslvq, mrslvq, lmrslvq, logistic, svm, knn, tree, "
        "forest, boosting, naive-bayes, lda or mlp.",
        autocompletion=_complete_model,
    ),
]
ConfidenceOption = Annotated[
    float | None,
    target_option(help="Confidence that --accuracy, --recall and --precision hold on new rows."),
]
TestSizeOption = Annotated[
    float | None,
    target_option(help="Share of the rows held out for --confidence; half if not given."),
]
CellsOption = Annotated[Cells, fitting_option(help="Which rows share a threshold.")]
CertaintyOption = Annotated[Certainty, fitting_option(help="How sure the model is.")]
MethodOption = Annotated[
    Method,
    fitting_option(
        help="How thresholds are set. pooled: made for new rows; exact: the best on the "
        "rows that set them, or hull and greedy, which approximate it."
    ),
]
FoldsOption = Annotated[
    int,
    fitting_option(
        help="Number of folds: thresholds are set on rows that the model has not seen; 0: on "
        "those it is fitted to."
    ),
]
OutliersOption = Annotated[
    float,
    fitting_option(
        help="Share of rows like those of the fit that may be rejected as outliers, so that rows "
        "unlike them are; 0: none are rejected."
    ),
]
SeedOption = Annotated[int, fitting_option(min=0, help="Seed of the random numbers.")]
GroupOption = Annotated[
    str | None,
    column_option(
        help="The column that names the subject of each row, such as a patient: rows of one "
        "subject stay together, and one of each tests --confidence. It is no feature. "
        "(--group-by asks for an accuracy in each group.)",
    ),
]
IndependentRowsOption = Annotated[
    bool,
    column_option(
        "--independent-rows",
        help="Rows do not belong together, though a column seems to name subjects or rows are "
        "equal.",
    ),
]
DropOption = Annotated[
    list[str] | None, column_option(help="A column to leave out; may be repeated.")
]
KeepOption = Annotated[
    list[str] | None,
    column_option(help="A column to use though it would be left out; may be repeated."),
]
CategoricalOption = Annotated[
    list[str] | None,
    column_option(help="A column whose numbers are categories; may be repeated."),
]


def fit(
    table: Annotated[Path, typer.Argument(help="CSV, TSV, Parquet or .xlsx, one row per sample.")],
    label: Annotated[str, column_option(help="The column that names the class.")],
    out: Annotated[Path, typer.Option(help="The model, such as model.abstain.")],
    model: ModelOption = "gmlvq",
    accuracy: AccuracyOption = None,
    group_by: GroupByOption = None,
    recall: RecallOption = None,
    precision: PrecisionOption = None,
    confidence: ConfidenceOption = None,
    reject_rate: RejectRateOption = None,
    reject_cost: RejectCostOption = None,
    cost: CostOption = None,
    class_prior: ClassPriorOption = None,
    test_size: TestSizeOption = None,
    cells: CellsOption = Cells.auto,
    certainty: CertaintyOption = Certainty.auto,
    method: MethodOption = Method.pooled,
    cv: FoldsOption = 5,
    outliers: OutliersOption = 0.01,
    seed: SeedOption = 0,
    group: GroupOption = None,
    independent_rows: IndependentRowsOption = False,
    drop: DropOption = None,
    keep: KeepOption = None,
    categorical: CategoricalOption = None,
    separator: Separator = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    missing: Missing = None,
    sheet: Sheet = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Fit a model with reject thresholds to a table.

    Numbers, which may be written like $1,200 or 45%, are scaled; text with few
    values and booleans are encoded; missing values stay missing for the LVQ
    models and boosting, and become the median for others. Columns that cannot help
    on new rows, such as identifiers and dates, are left out, and the summary says
    so. All of it is saved with the model.

    Accuracy and rejects are estimated on rows that the model has not seen, by
    cross-validation. With --confidence, a part of the rows is held out, and the
    accuracy is certified on it for new rows of the same kind.

    --accuracy, --recall and --precision can be given together: all of them are
    then reached with the fewest rejects.
    """
    target = chosen_target(
        confidence,
        group_by,
        accuracy=accuracy,
        recall=recall,
        precision=precision,
        reject_rate=reject_rate,
        reject_cost=reject_cost,
        cost=cost,
    )
    if method is not Method.pooled and (recall or precision or group_by):
        raise InputError(
            f"--method must be pooled for --recall, --precision and --group-by, got {method}; "
            "drop it"
        )
    if test_size is not None and confidence is None:
        raise InputError("--test-size belongs to a confidence; give --confidence as well")
    from abstain import RejectRate
    from abstain._core.checks import check_fraction
    from abstain.saving import save
    from abstain.tables import FitOptions, fit_table, open_table
    from abstain.tables.writing import check_model_output

    if test_size is not None:
        check_fraction("test_size", test_size)
    check_keeps_inputs([out], {table: "the table"})
    check_model_output(out)
    options = FitOptions(
        label,
        model=model,
        target=target or RejectRate(DEFAULT_REJECT_RATE),
        cells=str(cells),
        certainty=str(certainty),
        method=str(method),
        class_prior=chosen_prior(class_prior),
        cv=cv,
        outliers=outliers or None,
        test_size=test_size,
        seed=seed,
        group=group,
        independent_rows=independent_rows,
        drop=drop or [],
        keep=keep or [],
        categorical=categorical or [],
    )
    with terminal.progress(f"fitting {model} to {table}", quiet, lines=False) as watch:
        source = open_table(table, separator, decimal, encoding, missing or [], sheet=sheet)
        result = fit_table(source, options, watch, (lambda note: None) if quiet else _print_note)
        save(result.clf, out)
    if as_json:
        print_json(result.as_dict(in_options))
    elif not quiet:
        terminal.show(fit_screen(result, table, out))


def _print_note(note: Message) -> None:
    print_error(f"note: {in_options(note)}")


# --- what is printed ----------------------------------------------------------------------------


def fit_screen(result: FitResult, table: Path, out: Path) -> RenderableType:
    """Return the summary of a fit."""
    from abstain.tables.writing import class_rows

    clf = result.clf
    shortfall = estimated_shortfall(clf.front_, clf.operating_point_, clf.target)
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
            f"Next: abstain predict {printable(out)} new.csv --out answers.csv",
            "dim",
            no_wrap=True,
            overflow="ignore",
        ),
    )


def _facts(result: FitResult) -> Table:
    clf, point = result.clf, result.clf.operating_point_
    largest, share_largest = max(result.class_shares.items(), key=lambda share: share[1])
    these = "these " if _is_certified(point) else ""
    n_numeric, n_categorical = len(result.features.numeric), len(result.features.categorical)
    facts = {
        "model": Text(f"{result.model.name}: {result.model.title}"),
        "target": Text(target_in_words(clf.target, clf.front_)),
        "accuracy": Text.assemble(
            percent(point.accuracy_without_rejects),
            " → ",
            (percent(point.accuracy), "bold green"),
            f" {_measured_on(result)}",
        ),
        "baseline": Text(f"{percent(share_largest)} if the answer is always {printable(largest)}"),
        "answered": Text.assemble(
            (percent(point.coverage), "bold"),
            f" of {these}{counted(point.n_samples, 'row')}; rejected: "
            f"{point.true_rejects:,} wrong and {point.false_rejects:,} right"
            + (f", {counted(result.n_outliers, 'outlier')}" if result.n_outliers else ""),
        ),
        "groups": None
        if result.group is None
        else Text(
            f"{counted(result.n_groups, 'subject')} in column {shown(result.group)}, each of them "
            "in one fold"
        ),
        "cost": _cost(result),
        "proportions": _proportions(result),
        "guarantee": _guarantee(clf),
        "columns": Text(
            f"{n_numeric + n_categorical:,}: {n_numeric:,} numeric, {n_categorical:,} categorical"
        ),
    }
    return facts_table({name: fact for name, fact in facts.items() if fact is not None})


def _is_certified(point: OperatingPoint) -> bool:
    return bool(point.guarantee or point.guarantees)


def _measured_on(result: FitResult) -> str:
    """Return on which rows the accuracy was measured."""
    clf, point = result.clf, result.clf.operating_point_
    where = "on the rows it was fitted to" if clf.cv == "training" else "out of fold"
    if _is_certified(point):
        where += f", on {counted(point.n_samples, 'row')} that set the thresholds"
    n_answered = point.n_samples - point.true_rejects - point.false_rejects
    if n_answered < FEW_SAMPLES:
        where += f", of only {counted(n_answered, 'answer')}"
    return where


def _cost(result: FitResult) -> Text | None:
    from abstain.tables.evaluation import cost_of_calibration

    cost = cost_of_calibration(result.clf)
    if cost is None:
        return None
    return Text.assemble(
        f"{cost.all_answered:.4g} → ",
        (f"{cost.with_rejects:.4g}", "bold green"),
        f" per row; {cost.constant:.4g} if the answer is always {printable(cost.constant_answer)}",
    )


def _guarantee(clf: RejectOptionClassifier) -> Text | None:
    """Return what is certified for all rows; for classes and groups, see `_guarantees`."""
    guarantee = clf.operating_point_.guarantee
    if guarantee is None or clf.operating_point_.guarantees:
        return None
    drawn = "" if clf.class_prior is None else " and drawn in these proportions"
    if guarantee.counted == "groups":
        drawn = f", one row of each{drawn}"
    outlier = None if clf._test_calibration is None else clf._test_calibration.outlier
    if outlier is not None:
        drawn += f", without {counted(int(outlier.sum()), 'outlier')}"
    new, others = _WHAT_TESTS[guarantee.counted]
    return Text.assemble(
        (f"at least {guarantee.accuracy:g} on {new}", "bold green"),
        f", with confidence {guarantee.confidence:g}:\n"
        f"of {counted(guarantee.n_samples, others)}, held out{drawn}, {guarantee.accepted:,} "
        f"were answered, {guarantee.errors:,} of them wrong:\n"
        f"accuracy {percent(1 - guarantee.errors / guarantee.accepted)}",
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
