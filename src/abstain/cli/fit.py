"""`abstain fit`: a model with reject thresholds, from a table."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from abstain import InputError
from abstain._core.errors import Message
from abstain.cli.common import (
    AccuracyOption,
    AsJson,
    Decimal,
    Encoding,
    Method,
    Missing,
    Quiet,
    RejectCostOption,
    RejectRateOption,
    Separator,
    check_keeps_inputs,
    chosen_target,
    column_option,
    fitting_option,
    in_options,
    print_error,
    print_json,
    target_option,
)

# Written out, since --help does not import the registries; a test compares the names.
Cells = StrEnum("Cells", "auto global class prototype leaf")
Certainty = StrEnum(
    "Certainty",
    "auto relsim conf logit margin entropy boundary distance pairwise decision trust",
)


def _complete_model(incomplete: str) -> list[str]:
    from abstain.tables.models import MODELS

    return [name for name in MODELS if name.startswith(incomplete.lower())]


def fit(
    table: Annotated[Path, typer.Argument(help="CSV, TSV or Parquet, one row per sample.")],
    label: Annotated[str, column_option(help="The column that names the class.")],
    out: Annotated[Path, typer.Option(help="The model, such as model.abstain.")],
    model: Annotated[
        str,
        fitting_option(
            help="glvq, grlvq, gmlvq, lgmlvq, rslvq, mrslvq, lmrslvq, logistic, svm, knn, tree, "
            "forest, boosting, naive-bayes, lda or mlp.",
            autocompletion=_complete_model,
        ),
    ] = "gmlvq",
    accuracy: AccuracyOption = None,
    confidence: Annotated[
        float | None, target_option(help="Confidence that --accuracy holds on new rows.")
    ] = None,
    reject_rate: RejectRateOption = None,
    reject_cost: RejectCostOption = None,
    test_size: Annotated[
        float | None,
        target_option(help="Share of the rows held out to certify --accuracy; half if not given."),
    ] = None,
    cells: Annotated[Cells, fitting_option(help="Which rows share a threshold.")] = Cells.auto,
    certainty: Annotated[Certainty, fitting_option(help="How sure the model is.")] = Certainty.auto,
    method: Annotated[
        Method,
        fitting_option(
            help="How thresholds are set. pooled: made for new rows; exact: the best on the "
            "rows that set them, or hull and greedy, which approximate it."
        ),
    ] = Method.pooled,
    cv: Annotated[
        int,
        fitting_option(
            help="Number of folds: thresholds are set on rows that the model has not seen; 0: on "
            "those it is fitted to."
        ),
    ] = 5,
    seed: Annotated[int, fitting_option(min=0, help="Seed of the random numbers.")] = 0,
    drop: Annotated[
        list[str] | None, column_option(help="A column to leave out; may be repeated.")
    ] = None,
    keep: Annotated[
        list[str] | None,
        column_option(help="A column to use though it would be left out; may be repeated."),
    ] = None,
    categorical: Annotated[
        list[str] | None,
        column_option(help="A column whose numbers are categories; may be repeated."),
    ] = None,
    separator: Separator = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    missing: Missing = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Fit a model with reject thresholds to a table.

    Numbers, which may be written like $1,200 or 45 %, are scaled; text with few
    values and booleans are encoded; missing values stay missing for the LVQ
    models and boosting, and become the median for others. Columns that cannot help
    on new rows, such as identifiers and dates, are left out, and the summary says
    so. All of it is saved with the model.

    Accuracy and rejects are estimated on rows that the model has not seen, by
    cross-validation. With --confidence, a part of the rows is held out, and the
    accuracy is certified on it for new rows of the same kind.
    """
    target = _target(accuracy, confidence, reject_rate, reject_cost)
    from abstain._core.checks import check_fraction
    from abstain.cli import fit_screen, terminal
    from abstain.saving import save
    from abstain.tables import FitOptions, fit_table, open_table
    from abstain.tables.writing import check_model_output

    if test_size is not None:
        if confidence is None:
            raise InputError("--test-size belongs to a confidence; give --confidence as well")
        check_fraction("test_size", test_size)
    check_keeps_inputs([out], [table])
    check_model_output(out)
    options = FitOptions(
        label,
        model=model,
        target=target,
        cells=str(cells),
        certainty=str(certainty),
        method=str(method),
        cv=cv,
        test_size=test_size,
        seed=seed,
        drop=drop or [],
        keep=keep or [],
        categorical=categorical or [],
    )
    with terminal.progress(f"fitting {model} to {table}", quiet, lines=False) as watch:
        source = open_table(table, separator, decimal, encoding, missing or [])
        result = fit_table(source, options, watch, (lambda note: None) if quiet else _print_note)
        save(result.clf, out)
    if as_json:
        print_json(result.as_dict(in_options))
    elif not quiet:
        terminal.show(fit_screen.fit_screen(result, table, out))


def _print_note(note: Message) -> None:
    print_error(f"note: {in_options(note)}")


def _target(
    accuracy: float | None,
    confidence: float | None,
    reject_rate: float | None,
    reject_cost: float | None,
) -> Any:
    """Return the target given, checked before the table is read."""
    from abstain import Accuracy
    from abstain.tables.score_fronts import TARGETS

    name, value = chosen_target(accuracy, reject_rate, reject_cost)
    if confidence is None:
        return TARGETS[name](value)
    if name != "accuracy":
        raise InputError("--confidence belongs to an accuracy; give --accuracy as well")
    target = Accuracy(value, confidence=confidence)
    target.check()
    return target
