"""`abstain recalibrate`: new thresholds for a model, from recent rows whose class is known."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from abstain import InputError
from abstain._core.errors import shown
from abstain._core.files import check_keeps_inputs, check_regular_file
from abstain._core.text import printable
from abstain.cli import terminal
from abstain.cli.common import (
    AsJson,
    Decimal,
    Encoding,
    LabelOption,
    Missing,
    Quiet,
    Separator,
    Sheet,
    in_options,
    model_errors_in_one_line,
    print_json,
    quote_for_shell,
)
from abstain.cli.fit import ConfidenceOption, TestSizeOption
from abstain.cli.fit_screen import expected_text
from abstain.cli.targets import (
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
    target_in_words,
)
from abstain.cli.terminal import (
    CLASSES_TO_SHOW,
    NOTES_TO_SHOW,
    WIDE,
    counted,
    facts_table,
    first_lines,
    label_text,
    percent,
    plain_table,
    rounded_threshold,
    title_of,
)

if TYPE_CHECKING:
    from abstain.tables.recalibrating import CellThreshold, Recalibration, Thresholds

_WHEN = ("before", "after")


def recalibrate(
    model: Annotated[Path, typer.Argument(help="From abstain fit.")],
    table: Annotated[
        list[Path],
        typer.Argument(help="Recent rows whose class is known, in one table or in several."),
    ],
    out: Annotated[Path, typer.Option(help="The new model, such as recalibrated.abstain.")],
    label: LabelOption = None,
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
    on_fit_rows: Annotated[
        bool,
        typer.Option(
            "--on-fit-rows",
            help="Use the rows though the model was fitted to some of them; it is surer of these.",
        ),
    ] = False,
    separator: Separator = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    missing: Missing = None,
    sheet: Sheet = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Set the thresholds of a model again on recent rows, without fitting it again.

    The target stays that of the model unless the options name another one. A
    certificate is tested on these rows. Rows without a class are left out. If the
    target cannot be met, nothing is written.

    Use rows that the model was not fitted to, and that are like those to come: the
    latest ones whose class has become known. A table with rows of the fit is
    refused. The rows of several tables are taken together.
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
    prior = chosen_prior(class_prior)
    from abstain._core.checks import check_fraction
    from abstain.tables.writing import check_model_output

    if test_size is not None:
        check_fraction("test_size", test_size)
    check_regular_file(model)
    check_keeps_inputs([out], dict.fromkeys(table, "the table") | {model: "the model"})
    check_model_output(out)
    with model_errors_in_one_line(model), terminal.stages(quiet) as begin:
        begin(f"loading {model.name}")
        from abstain.saving import load, save
        from abstain.tables.reading import TextOptions
        from abstain.tables.recalibrating import recalibrate_table
        from abstain.targets.base import certifies

        form = TextOptions(separator, decimal, encoding, tuple(missing or []), sheet)
        sources = form.open_all(table)
        clf = load(model)
        if test_size is not None and not certifies(target or clf._target()):
            raise InputError("--test-size belongs to a confidence; give --confidence as well")
        watch = begin(f"setting thresholds on {title_of(table)}")
        result = recalibrate_table(
            clf,
            sources,
            target,
            class_prior=prior,
            test_size=test_size,
            label=label,
            on_fit_rows=on_fit_rows,
            watch=watch,
        )
        save(result.clf, out)
    if as_json:
        print_json({**result.as_dict(in_options), "out": str(out)})
    elif not quiet:
        terminal.show(recalibrate_screen(result, table, out))


# --- what is printed ----------------------------------------------------------------------------


def recalibrate_screen(
    result: Recalibration, table: Path | list[Path], out: Path
) -> RenderableType:
    """Return the summary of new thresholds, beside the old ones."""
    notes = [f"Note: {in_options(note)}" for note in result.notes]
    if result.n_left_out:
        rows = counted(result.n_left_out, "row")
        notes.append(f"{rows} left out: without a class, or with nothing but a class")
    if result.n_for_fit:
        rows = counted(result.n_for_fit, "row")
        notes.append(f"{rows} left out: rejected rows that may be fitted to, and set no thresholds")
    return Group(
        Text.assemble(
            (title_of(table), "bold"),
            f"\n{counted(result.n_rows, 'row')} with a known class in column "
            f"{printable(shown(result.label))}",
        ),
        Text(),
        _facts(result),
        Text(),
        _ThresholdTable(result.before.cells, result.after.cells),
        *(Text(printable(line), "yellow") for line in first_lines(notes, NOTES_TO_SHOW, "note")),
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


def _facts(result: Recalibration) -> Table:
    before, after = result.before.outcomes, result.after.outcomes
    return facts_table(
        {
            "target": Text(printable(target_in_words(result.clf.target, result.clf.front_))),
            "accuracy": Text.assemble(
                f"{_accuracy(before.accuracy)} → ",
                (_accuracy(after.accuracy), "bold green"),
                " of the answers to these rows, which set the thresholds",
            ),
            "answered": Text.assemble(
                f"{percent(before.n_answered / result.n_rows)} → ",
                (percent(after.n_answered / result.n_rows), "bold"),
                f" of these rows; wrong answers: {before.n_wrong:,} → {after.n_wrong:,}",
            ),
            "expected": expected_text(result.clf),
            "guarantee": Text.assemble(
                f"{_certified(result.before)} →\n", (_certified(result.after), "bold green")
            )
            if result.before.guarantees or result.after.guarantees
            else Text("nothing is certified"),
        }
    )


def _accuracy(share: float | None) -> str:
    return percent(float("nan") if share is None else share)


def _certified(thresholds: Thresholds) -> str:
    """Return what is certified, and by which rows."""
    lines = [
        f"{printable(each.name.removeprefix('the '))} at least {each.accuracy:g} with confidence "
        f"{each.confidence:g} ({each.what_was_tested.replace('samples', 'rows')})"
        for each in thresholds.guarantees
    ]
    return "\n".join(first_lines(lines, CLASSES_TO_SHOW, "certificate")) or "nothing certified"


@dataclass(frozen=True, eq=False)
class _ThresholdTable:
    """The threshold and the rejects of each cell, before and after; a narrow screen has no rejects.

    Cells need not be the same: one threshold for all may follow one per class.
    """

    before: list[CellThreshold]
    after: list[CellThreshold]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the table."""
        what = ["threshold", "rejected"][: 2 if options.max_width >= WIDE else 1]
        table = plain_table("cell", [f"{when}\n{each}" for when in _WHEN for each in what])
        both = [{each.name: each for each in some} for some in (self.before, self.after)]
        names = dict.fromkeys(each.name for each in [*self.before, *self.after] if each.n_rows)
        for name in [*names][:CLASSES_TO_SHOW]:
            cells = [cell for some in both for cell in _cells(some.get(name))[: len(what)]]
            table.add_row(label_text(name), *cells)
        yield table
        n_hidden = len(names) - CLASSES_TO_SHOW
        if n_hidden > 0:
            yield Text(f"… and {n_hidden:,} more; --json has all", "dim")


def _cells(own: CellThreshold | None) -> tuple[str, str]:
    if own is None:
        return "–", "–"
    return rounded_threshold(own.threshold), f"{own.n_rejected:,} of {own.n_rows:,}"
