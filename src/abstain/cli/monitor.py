"""`abstain monitor`: an alarm when the answers of a model are no longer as accurate as promised."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abstain import InputError
from abstain._core.files import atomic_files, check_can_write, check_keeps_inputs
from abstain._core.files import check_regular_file as check_input
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
    column_option,
    in_options,
    model_errors_in_one_line,
    output_option,
    print_error,
    print_json,
)
from abstain.cli.next_commands import recalibrate_command

if TYPE_CHECKING:
    from abstain.tables.recalibrating import RowsToCertify
    from abstain.tables.watch_state import Watch
    from abstain.tables.watching import WatchedRows

_PICTURES = (".png", ".svg", ".pdf")
# Of the command line, if there is an alarm.
ALARM = 1


def monitor(
    model: Annotated[Path, typer.Argument(help="From abstain fit.")],
    table: Annotated[
        Path, typer.Argument(help="Answers in the order of time, with the true class if known.")
    ],
    state: Annotated[
        Path | None,
        typer.Option(help="JSON that keeps what was seen before, for a daily run with new rows."),
    ] = None,
    out: Annotated[
        Path | None, output_option(help="A picture of the evidence: .png, .svg or .pdf.")
    ] = None,
    answer: Annotated[
        str | None,
        column_option(
            help="The column of the answers; answer, as abstain predict writes it, if not given. "
            "Without such a column, the model answers."
        ),
    ] = None,
    label: LabelOption = None,
    reject_mark: Annotated[
        str, column_option(help="The answer of a rejected row, as in abstain predict.")
    ] = "rejected",
    accuracy: Annotated[
        float | None,
        typer.Option(help="The least accuracy of the answers; what the model promises if none."),
    ] = None,
    confidence: Annotated[
        float, typer.Option(help="One minus the highest probability of a false alarm.")
    ] = 0.95,
    separator: Separator = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    missing: Missing = None,
    sheet: Sheet = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Raise an alarm when answers are no longer as accurate as the model has promised.

    The table has the answers, such as that of abstain predict, and a column with
    the true class where it has become known: a random share of the rows is enough.
    Without answers, but with the columns that the model needs, the model answers.

    The exit code is 1 if there is an alarm, 0 if there is none and 2 if something
    is wrong. While the promise holds, an alarm is ever raised with a probability
    of at most 1 - confidence. An alarm stays until the watch starts again, with
    another model or another state.

    Where the table has the columns that the model needs, a hint says whether its
    certainty and its rejects still are what they were. It changes no exit code.
    """
    from abstain._core.checks import check_fraction

    check_fraction("confidence", confidence)
    if accuracy is not None:
        check_fraction("accuracy", accuracy)
    inputs = {table: "the table", model: "the model"}
    check_input(model)
    check_keeps_inputs([path for path in (state, out) if path is not None], inputs)
    if out is not None and out.suffix.lower() not in _PICTURES:
        raise InputError(f"cannot write {out}: it will be a picture; give it a name with .png")
    for path in (state, out):
        if path is not None:
            check_can_write(path)
    with model_errors_in_one_line(model, code=2), terminal.stages(quiet) as begin:
        begin(f"loading {model.name}")
        from abstain.saving import load
        from abstain.tables import open_table
        from abstain.tables.recalibrating import rows_to_certify
        from abstain.tables.watch_state import load_watch, new_watch, save_watch
        from abstain.tables.watching import watch_table

        source = open_table(table, separator, decimal, encoding, missing or [], sheet=sheet)
        clf = load(model)
        watch = new_watch(clf, accuracy, confidence)
        if state is not None and state.exists():
            watch = load_watch(state, watch)
        history = watch.history
        rows = watch_table(
            clf,
            watch,
            source,
            answer=answer,
            label=label,
            reject_mark=reject_mark,
            progress=begin(f"reading {table.name}"),
        )
        if out is not None:
            _draw(out, rows, history, watch.risk)
        if state is not None:
            save_watch(watch, state)
    form = {"separator": separator, "decimal": decimal, "encoding": encoding, "missing": missing}
    form["sheet"] = sheet
    enough = rows_to_certify(clf, rows.n_answered, rows.n_rows)
    # Answers alone set no thresholds, and few rows certify none.
    is_able = rows.has_features and (enough is None or rows.n_labelled >= enough.likely)
    remedy = recalibrate_command(model, table if is_able else None, {"label": label, **form})
    if as_json:
        print_json(_as_dict(watch, rows, remedy, enough, state, out))
    else:
        _print(watch, rows, remedy, enough, quiet)
    if watch.risk.is_alarm:
        raise typer.Exit(ALARM)


def _draw(out: Path, rows: WatchedRows, history: list[tuple[int, float]], risk: Any) -> None:
    """Draw the evidence after each earlier table, and after each answer of this one."""
    import numpy as np

    from abstain._core.errors import import_optional

    figures = import_optional("matplotlib.figure", "pictures need", "'.[plot]'")
    from abstain.plotting import RiskMonitorDisplay

    answers, evidence = rows.path
    past = np.array(history, dtype=np.float64).reshape(-1, 2)
    figure = figures.Figure(figsize=(7.0, 4.2), layout="constrained")
    RiskMonitorDisplay(
        answers=np.concatenate([past[:, 0].astype(np.int64), answers]),
        evidence=np.concatenate([past[:, 1], evidence]),
        accuracy=risk.accuracy,
        alarm=1 / (1 - risk.confidence),
    ).plot(ax=figure.subplots())
    with atomic_files(out) as (draft,):
        figure.savefig(draft, dpi=160)


def _as_dict(
    watch: Watch,
    rows: WatchedRows,
    remedy: str,
    enough: RowsToCertify | None,
    state: Path | None,
    out: Path | None,
) -> dict[str, Any]:
    risk, drift = watch.risk, watch.drift
    return {
        "alarm": risk.is_alarm,
        "alarm_at": risk.alarm_at,
        "message": _message(watch),
        "accuracy": risk.accuracy,
        "confidence": risk.confidence,
        "evidence": risk.evidence,
        "alarm_evidence": round(1 / (1 - risk.confidence), 9),
        "n_answers": risk.n_answers,
        "n_labelled": risk.n_labelled,
        "n_errors": risk.n_errors,
        "rows": {
            "answered_by": "the model" if rows.answer is None else f"column {rows.answer}",
            "n_rows": rows.n_rows,
            "n_rejected": rows.n_rejected,
            "n_answered": rows.n_answered,
            "n_labelled": rows.n_labelled,
            "n_errors": rows.n_errors,
        },
        "drift": None
        if drift is None or not drift.n_samples
        else {
            "hint": drift.is_alarm,
            "hint_at": drift.alarm_at,
            "message": str(drift),
            "evidence": drift.evidence,
            "hint_evidence": round(2 / (1 - drift.confidence), 9),
            "n_samples": drift.n_samples,
        },
        "recalibrate": remedy if risk.is_alarm else None,
        "rows_to_certify": None if enough is None else enough._asdict(),
        "notes": rows.notes,
        "state": None if state is None else str(state),
        "out": None if out is None else str(out),
    }


# --- what is printed ----------------------------------------------------------------------------


def _message(watch: Watch) -> str:
    from abstain.monitor.risk import risk_in_words

    return risk_in_words(watch.risk)


def _what_to_do(enough: RowsToCertify | None) -> str:
    """Return which rows set the thresholds again, and what else there is to do."""
    rows, less = "Give the latest rows whose class is known", "a lower --accuracy"
    if enough is not None:
        rows += (
            f": about {enough.likely:,} certify accuracy {enough.accuracy:g} with confidence "
            f"{enough.confidence:g} again, if the new thresholds answer as large a share and "
            f"{50 * (1 - enough.accuracy):.3g}% of the answers are wrong; fewer than "
            f"{enough.least:,} cannot"
        )
        less += f" with --confidence {enough.confidence:g}"
    return f"{rows}. Else ask for {less}, or fit the model again on recent rows."


def _print(
    watch: Watch, rows: WatchedRows, remedy: str, enough: RowsToCertify | None, quiet: bool
) -> None:
    """Print what is known of the promise, and a hint; if quiet, what is wrong, as an error."""
    lines = [_message(watch)]
    if watch.risk.is_alarm:
        lines = [f"{lines[0]}; set the thresholds again: {remedy}", _what_to_do(enough)]
    hints = []
    if watch.drift is not None and watch.drift.is_alarm:
        hints = [f"hint: {watch.drift}"]
    if quiet:  # as in a job of every night, which somebody hears of if something is wrong
        for line in lines * watch.risk.is_alarm + hints:
            print_error(line)
        return
    for line in lines + hints:
        typer.echo(printable(line))
    for note in rows.notes:
        print_error(f"note: {in_options(note)}")
