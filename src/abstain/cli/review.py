"""`abstain review`: the answers of a person on a worklist, and what they say about the model's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from abstain import InputError
from abstain._core.files import (
    check_can_write,
    check_keeps_inputs,
    check_regular_file,
)
from abstain._core.text import printable
from abstain.cli import terminal
from abstain.cli.common import (
    AsJson,
    Decimal,
    Encoding,
    Missing,
    Quiet,
    Separator,
    Sheet,
    model_errors_in_one_line,
    output_option,
    print_json,
)
from abstain.cli.monitor import ALARM
from abstain.cli.review_labels import (
    ExpertLabels,
    gather_labels,
    offers,
    offers_with_labels,
    sheet_of_fit,
    write_labels,
)
from abstain.cli.terminal import (
    CLASSES_TO_SHOW,
    counted,
    facts_table,
    label_text,
    percent,
    plain_table,
)

if TYPE_CHECKING:
    from abstain.tables.review import Review, Share
    from abstain.tables.watch_state import Watch

# By the option or the argument that names them.
Files = dict[str, Path | None]
_BY = {"model": "the model", "expert": "the expert", "nobody": "nobody"}


def review(
    model: Annotated[Path, typer.Argument(help="From abstain fit.")],
    worklist: Annotated[
        Path, typer.Argument(help="From abstain predict --worklist, with expert_answer filled in.")
    ],
    answers: Annotated[
        Path | None, typer.Option(help="The answers that were written with the worklist.")
    ] = None,
    out: Annotated[
        Path | None,
        output_option(help="The answers with those of the expert: .csv, .tsv, .xlsx or .parquet."),
    ] = None,
    labelled: Annotated[
        Path | None,
        output_option(help="All labels of the expert, .csv; those of earlier lists stay in it."),
    ] = None,
    fitted_to: Annotated[
        Path | None,
        typer.Option(help="The table of the fit, for the command of a new fit with all labels."),
    ] = None,
    monitor: Annotated[
        Path | None, typer.Option(help="The state of abstain monitor, for the audited cases.")
    ] = None,
    accuracy: Annotated[
        float | None, typer.Option(help="Of the monitor, as in abstain monitor.")
    ] = None,
    confidence: Annotated[
        float, typer.Option(help="Of the monitor, as in abstain monitor.")
    ] = 0.95,
    separator: Separator = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    missing: Missing = None,
    sheet: Sheet = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Take back a worklist that an expert has filled in, in part or as a whole.

    It says how often the expert agrees with the answers that were withheld and,
    on audited cases, with those that were given. The list may have been sorted or
    saved by a spreadsheet; columns may have been added.

    With --answers and --out, the answers of the expert are merged into those of
    the model: final_answer, and who has given it, answered_by.

    With --monitor, the audited cases are added to the state of abstain monitor:
    they are a random sample of the answers. Rejected cases are not. If there is an
    alarm, the exit code is 1.

    With --labelled, the rows with the classes of the expert are added to a table,
    so that it collects those of many lists. All may be used in a new fit. New
    thresholds need rows like those to come: a random sample of the table, which is
    the audited cases and the same share of the rejected ones, as a column says.
    """
    outs = [path for path in (out, labelled, monitor) if path is not None]
    inputs = {model: "the model", worklist: "the worklist"}
    if answers is not None:
        inputs[answers] = "the answers"
        check_regular_file(answers)
    if (answers is None) != (out is None):
        raise InputError("--answers and --out belong together; give both")
    if labelled is not None and labelled.suffix.lower() != ".csv":
        raise InputError(f"cannot write {labelled}: its name must end with .csv")
    if fitted_to is not None:
        inputs[fitted_to] = "the table of the fit"
        if labelled is None:
            raise InputError("--fitted-to is for a new fit with labels; give --labelled as well")
    check_regular_file(model)
    check_keeps_inputs(outs, inputs)
    for path in outs:
        check_can_write(path)
    with model_errors_in_one_line(model, code=2), terminal.stages(quiet) as begin:
        begin(f"loading {model.name}")
        from abstain.saving import load
        from abstain.tables import merge_answers, open_table, review_worklist, save_watch

        source = open_table(worklist, separator, decimal, encoding, missing or [], sheet=sheet)
        clf = load(model)
        begin(f"reading {worklist.name}")
        result = review_worklist(clf, source)
        # Whatever cannot be used is refused before anything is written.
        labels = None
        if labelled is not None:
            labels = gather_labels(clf, result, labelled)
            if fitted_to is not None:
                sheet_of_fit(fitted_to, labels.label)
        watch = None
        if monitor is not None:
            watch = _watch(clf, result, monitor, accuracy, confidence)
        merged = None
        if answers is not None and out is not None:
            begin(f"merging {answers.name}")
            merged = merge_answers(result, open_table(answers), out)
        if labels is not None:
            write_labels(labels)
            begin("trying new thresholds")
            next_lines = offers_with_labels(clf, model, result, labels, fitted_to)
        else:
            form = {"separator": separator, "decimal": decimal, "encoding": encoding}
            next_lines = offers(model, result, form | {"missing": missing, "sheet": sheet})
        if watch is not None and monitor is not None:
            save_watch(watch, monitor)
    files: Files = {"worklist": worklist, "answers": answers, "out": out, "labelled": labelled}
    files["monitor"] = monitor
    if as_json:
        document = result.as_dict() | {name: path and str(path) for name, path in files.items()}
        document |= {"answered_by": merged, "watch": watch and _watch_as_dict(watch)}
        document["labels"] = labels and {"total": len(labels.rows), "for_thresholds": labels.n_free}
        print_json(document)
    elif not quiet:
        terminal.show(review_screen(result, watch))
        # A command that is wrapped cannot be copied.
        lines = [*_written(files, merged, labels), *next_lines]
        terminal.show(Group(*lines), is_wrapped=False)
    if watch is not None and watch.risk.is_alarm:
        raise typer.Exit(ALARM)


def _watch(
    clf: Any, result: Review, state: Path, accuracy: float | None, confidence: float
) -> Watch:
    """Return the watch of a state file, or a new one, with the audited cases added."""
    from abstain.tables import load_watch, new_watch, watch_audit

    watch = new_watch(clf, accuracy, confidence)
    if state.exists():
        watch = load_watch(state, watch)
    watch_audit(clf, watch, result)
    return watch


def _watch_as_dict(watch: Watch) -> dict[str, Any]:
    from abstain.monitor.risk import risk_in_words

    risk = watch.risk
    return {
        "alarm": risk.is_alarm,
        "message": risk_in_words(risk),
        "evidence": risk.evidence,
        "n_labelled": risk.n_labelled,
        "n_errors": risk.n_errors,
    }


# --- what is printed ----------------------------------------------------------------------------


def review_screen(result: Review, watch: Watch | None) -> RenderableType:
    """Return what the expert has answered, and what that says about the model."""
    n_filled, n_listed = len(result.filled), len(result.rows)
    parts: list[RenderableType] = [
        Text.assemble(
            (printable(result.path.name), "bold"),
            f"\n{counted(n_listed, 'case')} listed, ",
            (f"{n_filled:,} answered by the expert", "bold green"),
        ),
        Text(),
        facts_table(_facts(result, watch)),
    ]
    if result.agreement.total:
        parts += [Text(), _by_class(result)]
    return Group(*parts, Text())


def _written(
    files: Files, merged: dict[str, int] | None, labels: ExpertLabels | None
) -> list[Text]:
    """Return what was written."""
    lines = []
    if merged is not None and files["out"] is not None:
        by = ", ".join(f"{count:,} by {_BY[name]}" for name, count in merged.items() if count)
        lines.append(f"Written: {printable(files['out'])}, answered {by}")
    if labels is not None:
        size = (
            f"{counted(len(labels.rows), 'row')} with the class of an expert, {labels.n_new:,} new"
        )
        lines.append(f"Written: {printable(labels.path)}, {size}")
    return [Text(line) for line in lines]


def _facts(result: Review, watch: Watch | None) -> dict[str, Text]:
    facts = {
        "rejected": _agreement(result.agreement, "withheld answers are those of the expert"),
        "audited": _agreement(result.audit, "answers are those of the expert"),
    }
    if not result.n_audited:
        facts["audited"] = Text("none, so that nothing is known of the answers that were given")
    if watch is not None:
        from abstain.monitor.risk import risk_in_words

        style = "bold red" if watch.risk.is_alarm else ""
        facts["monitor"] = Text(printable(risk_in_words(watch.risk)), style)
    return facts


def _agreement(share: Share, what: str) -> Text:
    if share.share is None:
        return Text("none with an answer of the expert", "dim")
    return Text.assemble(
        f"{share.n_alike:,} of {share.total:,} {what}: ",
        (percent(share.share), "bold"),
        f" (95% CI {_limits(share)})",
    )


def _limits(share: Share) -> str:
    low, high = share.interval
    return f"{100 * low:.1f}–{100 * high:.1f}%"


def _by_class(result: Review) -> RenderableType:
    table = plain_table("withheld answer", ["cases", "right", "share", "95% CI"])
    by_class = result.agreement_by_class
    for name, share in [*by_class.items()][:CLASSES_TO_SHOW]:
        row = (f"{share.total:,}", f"{share.n_alike:,}", percent(share.share or 0.0))
        table.add_row(label_text(name), *row, _limits(share))
    n_hidden = len(by_class) - CLASSES_TO_SHOW
    if n_hidden > 0:
        table.add_row(Text(f"… and {n_hidden:,} more; --json has all", "dim"))
    return table
