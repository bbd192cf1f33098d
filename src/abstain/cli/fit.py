"""`abstain fit`: a model with reject thresholds, from a table."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from abstain import InputError
from abstain._core.errors import Message
from abstain._core.files import check_keeps_inputs
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
from abstain.cli.fit_screen import fit_screen
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
    target_option,
)

if TYPE_CHECKING:
    pass


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
        "forest, boosting, naive-bayes, lda or mlp. LVQ models find how many prototypes they need.",
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
    table: Annotated[
        list[Path],
        typer.Argument(help="CSV, TSV, Parquet or .xlsx, one row per sample; or several."),
    ],
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

    Several tables are fitted together, by the columns that all of them have.
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
    from abstain.tables import FitOptions, fit_table
    from abstain.tables.reading import TextOptions
    from abstain.tables.writing import check_model_output

    if test_size is not None:
        check_fraction("test_size", test_size)
    check_keeps_inputs([out], dict.fromkeys(table, "the table"))
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
    form = TextOptions(separator, decimal, encoding, tuple(missing or []), sheet)
    task = f"fitting {model} to {terminal.title_of(table)}"
    with terminal.progress(task, quiet, lines=False) as watch:
        sources = form.open_all(table)
        result = fit_table(sources, options, watch, (lambda note: None) if quiet else _print_note)
        save(result.clf, out)
    if as_json:
        print_json(result.as_dict(in_options))
    elif not quiet:
        terminal.show(fit_screen(result, table, out))


def _print_note(note: Message) -> None:
    print_error(f"note: {in_options(note)}")
