"""`abstain review`: the answers of a person on a worklist, and what they say about the model's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from abstain import InputError
from abstain._core.files import (
    atomic_files,
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
    quote_for_shell,
    recalibrate_command,
)
from abstain.cli.monitor import ALARM
from abstain.cli.terminal import (
    CLASSES_TO_SHOW,
    counted,
    facts_table,
    label_text,
    percent,
    plain_table,
)

if TYPE_CHECKING:
    import polars as pl

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
        output_option(help="A random sample of the table with its classes, .csv, to learn from."),
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

    With --labelled, a random sample of the table is written with its classes: the
    audited cases and the same share of the rejected ones. New thresholds can be
    set on them; on rejected rows alone they would be wrong.
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
    check_regular_file(model)
    check_keeps_inputs(outs, inputs)
    for path in outs:
        check_can_write(path)
    with model_errors_in_one_line(model, code=2), terminal.stages(quiet) as begin:
        begin(f"loading {model.name}")
        from abstain.saving import load
        from abstain.tables import open_table
        from abstain.tables.review import (
            labelled_sample,
            merge_answers,
            review_worklist,
            write_labelled,
        )
        from abstain.tables.watch_state import save_watch

        source = open_table(worklist, separator, decimal, encoding, missing or [], sheet=sheet)
        clf = load(model)
        begin(f"reading {worklist.name}")
        result = review_worklist(clf, source)
        # Whatever cannot be used is refused before anything is written.
        sample = None if labelled is None else labelled_sample(clf, result)
        watch = None
        if monitor is not None:
            watch = _watch(clf, result, monitor, accuracy, confidence)
        merged = None
        if answers is not None and out is not None:
            begin(f"merging {answers.name}")
            merged = merge_answers(result, open_table(answers), out)
        if sample is not None and labelled is not None:
            with atomic_files(labelled) as (draft,):
                write_labelled(sample, source, draft)
        if watch is not None and monitor is not None:
            save_watch(watch, monitor)
    files: Files = {"worklist": worklist, "answers": answers, "out": out, "labelled": labelled}
    files["monitor"] = monitor
    if as_json:
        document = result.as_dict() | {name: path and str(path) for name, path in files.items()}
        document |= {"answered_by": merged, "watch": watch and _watch_as_dict(watch)}
        print_json(document)
    elif not quiet:
        terminal.show(review_screen(result, watch))
        # A command that is wrapped cannot be copied.
        terminal.show(files_and_commands(model, result, files, merged, sample), is_wrapped=False)
    if watch is not None and watch.risk.is_alarm:
        raise typer.Exit(ALARM)


def _watch(
    clf: Any, result: Review, state: Path, accuracy: float | None, confidence: float
) -> Watch:
    """Return the watch of a state file, or a new one, with the audited cases added."""
    from abstain.tables.review import watch_audit
    from abstain.tables.watch_state import load_watch, new_watch

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


def files_and_commands(
    model: Path,
    result: Review,
    files: Files,
    merged: dict[str, int] | None,
    sample: pl.DataFrame | None,
) -> RenderableType:
    """Return what was written, and what can be done next."""
    lines = []
    if merged is not None and files["out"] is not None:
        by = ", ".join(f"{count:,} by {_BY[name]}" for name, count in merged.items() if count)
        lines.append(f"Written: {printable(files['out'])}, answered {by}")
    if sample is not None and files["labelled"] is not None:
        size = f"{counted(len(sample), 'row')} that are a random sample of the table"
        lines.append(f"Written: {printable(files['labelled'])}, {size}")
    return Group(*map(Text, lines), *_offers(model, result, sample, files))


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


def _offers(model: Path, result: Review, sample: pl.DataFrame | None, files: Files) -> list[Text]:
    """Return what can be done next, as commands that can be copied, or why nothing can."""
    n_sample = counted(int(result.sample.sum()), "row")
    if sample is not None and files["labelled"] is not None:
        label = sample.columns[-1]
        out = model.with_name(f"{model.stem}-refitted{model.suffix}")
        refit = f"abstain fit all.csv --label {quote_for_shell(label)} --out {quote_for_shell(out)}"
        lines = [
            f"Next: {recalibrate_command(model, files['labelled'], {'label': label})}",
            f"or, with these rows and those of the fit in one table: {refit}",
        ]
    elif not result.n_audited:
        lines = [
            "Rejected rows alone set no thresholds: they are unlike the rest. List answered ones",
            "too: abstain predict … --worklist worklist.csv --audit 0.05",
        ]
    elif result.n_sample_open:
        n_open = counted(result.n_sample_open, "more case")
        lines = [f"New thresholds need an answer to {n_open}, of {n_sample} chosen at random."]
    else:
        paths = " ".join(quote_for_shell(path, None) for path in (model, files["worklist"]))
        lines = [
            f"Next: abstain review {paths} --labelled labelled.csv",
            f"writes {n_sample}, a random sample of the table, to set the thresholds again.",
        ]
    return [Text(line, "dim") for line in lines]
