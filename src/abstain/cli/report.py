"""`abstain report`: an HTML page on which the operating point of a model can be chosen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from abstain import InputError
from abstain._core.errors import shown
from abstain._core.files import check_can_write, check_keeps_inputs, check_regular_file
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
    model_errors_in_one_line,
    output_option,
    print_json,
)
from abstain.cli.next_commands import recalibrate_command

if TYPE_CHECKING:
    from abstain.monitor import CertificateTest, RiskMonitor
    from abstain.tables.evaluation import LabelledSamples, Outcomes, Results

# Smaller ones are not told apart.
_LEAST_P = 1e-99


def report(
    model: Annotated[Path, typer.Argument(help="From abstain fit.")],
    table: Annotated[Path, typer.Argument(help="Rows whose class is known.")],
    out: Annotated[Path, output_option(help="The page to write.")] = Path("report.html"),
    title: Annotated[str | None, output_option(help="Its title.")] = None,
    names: Annotated[str | None, output_option(help="The column that names the rows.")] = None,
    label: LabelOption = None,
    group_by: Annotated[
        str | None,
        typer.Option(help="The column that names groups; that of the fit if not given."),
    ] = None,
    separator: Separator = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    missing: Missing = None,
    sheet: Sheet = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write a page on which the operating point of a model can be chosen.

    One HTML file that opens from disk: a slider along the accuracy-reject curve, what
    each point does to the rows of the table, what could be guaranteed, the cells and
    the rejected rows, with their reasons and the probability that the answer would be
    right. If a column names groups, it shows what each of them gets, with and without
    the condition of the fit on groups. It exports the thresholds of the chosen point,
    which abstain predict --thresholds takes.

    Use rows that the model was not fitted to: on those it was, it does better than on
    new ones.
    """
    check_regular_file(model)
    check_keeps_inputs([out], {table: "the table", model: "the model"})
    if out.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"cannot write {out}: it will be a page; give it a name with .html")
    check_can_write(out)
    with model_errors_in_one_line(model), terminal.stages(quiet) as begin:
        begin(f"loading {model.name}")
        from abstain.report import write_report
        from abstain.saving import load
        from abstain.tables import labelled_samples, open_table
        from abstain.tables.evaluation import evaluate_samples
        from abstain.tables.recalibrating import rows_to_certify
        from abstain.tables.targets import group_columns

        source = open_table(table, separator, decimal, encoding, missing or [], sheet=sheet)
        clf = load(model)
        of_fit = group_columns(clf.target)
        if group_by is None:
            group_by = next((name for name in of_fit if name in source.names), None)
        watch = begin(f"reading {table.name}")
        samples = labelled_samples(clf, source, names, label, watch, groups=group_by)
        write_report(
            clf,
            samples.X,
            samples.y,
            out,
            title=title or f"{table.name}, answered by {model.name}",
            sample_names=None if names is None else samples.names,
            sample_rows=samples.rows,
            model_file=model,
            data_file=table,
            groups=_named(group_by, samples.groups),
            watch=begin("making the page"),
        )
        results = evaluate_samples(clf, samples, group_by)
    if as_json:
        print_json(_as_dict(samples, results, group_by, out))
    elif not quiet:
        missing_groups = [] if group_by else of_fit
        *lines, last = summary(
            *(samples, results.outcomes, out, results.alarms, missing_groups),
            n_outliers=results.n_outliers,
        )
        for line in lines:
            typer.echo(printable(line))
        form: dict[str, Any] = {"separator": separator, "decimal": decimal, "encoding": encoding}
        form |= {"missing": missing, "sheet": sheet}
        # Few rows certify nothing.
        counts = results.outcomes
        enough = rows_to_certify(clf, counts.n_answered, len(samples.y))
        is_able = enough is None or len(samples.y) >= enough.likely
        remedy = recalibrate_command(model, table if is_able else None, {"label": label, **form})
        for text in promises(results, remedy):
            terminal.show(text, is_wrapped=False)
        typer.echo(printable(last))


def _named(column: str | None, groups: Any) -> Any:
    import polars as pl

    return None if groups is None else pl.Series(column, groups)


def _as_dict(
    samples: LabelledSamples, results: Results, group_by: str | None, out: Path
) -> dict[str, Any]:
    from abstain.tables.writing import class_rows, group_rows

    outcomes, by_group, monitor = results.outcomes, results.by_group, results.monitor
    return {
        "n_rows": len(samples.y),
        "n_answered": outcomes.n_answered,
        "n_right": outcomes.n_right,
        "n_wrong": outcomes.n_wrong,
        "n_rejected": outcomes.n_rejected,
        "accuracy": outcomes.accuracy,
        "n_outliers": results.n_outliers,
        "n_of_unknown_classes": samples.n_unknown,
        "share_known": samples.share_known,
        "by_class": class_rows(results.by_class),
        "by_class_counted_on": "rows of the table",
        "by_group": {} if by_group is None else {group_by: group_rows(by_group)},
        "by_group_counted_on": None if by_group is None else by_group.counted_on,
        "by_group_confidence": None if by_group is None else by_group.confidence,
        "alarms": results.alarms,
        "certificates": [test.as_dict() for test in results.certificates],
        "monitor": None if monitor is None else _monitor_as_dict(monitor),
        "out": str(out),
    }


def _monitor_as_dict(monitor: RiskMonitor) -> dict[str, Any]:
    return {
        "accuracy": monitor.accuracy,
        "confidence": monitor.confidence,
        "n_answers": monitor.n_answers,
        "n_errors": monitor.n_errors,
        "evidence": monitor.evidence,
        "alarm": monitor.is_alarm,
        "alarm_at": monitor.alarm_at,
        "message": str(monitor),
    }


def summary(
    samples: LabelledSamples,
    outcomes: Outcomes,
    out: Path,
    alarms: Sequence[str] = (),
    missing_groups: Sequence[str] = (),
    n_outliers: int = 0,
) -> list[str]:
    """Return the summary of the rows of a report, line by line."""
    as_outliers = f", {n_outliers:,} of them as outliers, unlike the fit" if n_outliers else ""
    lines = [
        f"{terminal.counted(len(samples.y), 'row')} with a known class: "
        f"{outcomes.n_answered:,} answered, {outcomes.n_rejected:,} rejected{as_outliers}."
    ]
    if outcomes.accuracy is not None:
        lines.append(
            f"Of the answers {outcomes.n_right:,} {'is' if outcomes.n_right == 1 else 'are'} right "
            f"and {outcomes.n_wrong:,} wrong: accuracy {terminal.percent(outcomes.accuracy)}."
        )
    if samples.n_unknown:
        are = "is of a class" if samples.n_unknown == 1 else "are of classes"
        lines.append(
            f"{samples.n_unknown:,} of the rows {are} that the model does not know: any answer "
            "to such a row is wrong."
        )
    if samples.share_known:
        share = f"{samples.share_known:.0%}"
        lines.append(f"The model was fitted to {share} of these rows: on others it will do worse.")
    warnings = [f"Warning: {alarm}" for alarm in alarms]
    lines += terminal.first_lines(warnings, terminal.NOTES_TO_SHOW, "warning")
    lines += [
        f"The table has no column {shown(name)}, which names the groups of the fit: the page has "
        "no groups; --group-by names another column."
        for name in missing_groups
    ]
    return [*lines, f"Open {out} in a browser."]


def promises(results: Results, remedy: str) -> list[Text]:
    """Return what the rows say about each certificate, and the remedy if one is contradicted."""
    from abstain.monitor.risk import risk_in_words

    n_rows = results.outcomes.n_answered + results.outcomes.n_rejected
    first = results.certificates[: terminal.CLASSES_TO_SHOW]
    texts = [_certificate(test, n_rows) for test in first]
    n_hidden = len(results.certificates) - len(texts)
    if n_hidden > 0:
        texts.append(Text(f"… and {n_hidden:,} more certificates; --json has all", "dim"))
    if results.monitor is not None and results.monitor.is_alarm:
        in_order = f"If the rows are in the order of time: {risk_in_words(results.monitor)}."
        texts.append(Text(printable(in_order), "yellow"))
    if any(test.is_contradicted for test in results.certificates):
        texts.append(Text(f"Set the thresholds again on recent rows: {remedy}", "yellow"))
    return texts


def _certificate(test: CertificateTest, n_rows: int) -> Text:
    sure = test.guarantee
    name = printable(f"{sure.name} is at least {sure.accuracy:g}, confidence {sure.confidence:g}")
    if test.p_value is None:
        return Text(f"Certified: {name}. Not tested: {printable(test.why_not)}.")
    are = "is" if test.errors == 1 else "are"
    p = f"p = {test.p_value:.2g}" if test.p_value > _LEAST_P else f"p < {_LEAST_P:g}"
    counts = f"of {test.accepted:,} answers that count, {test.errors:,} {are} wrong ({p})"
    rows = terminal.counted(n_rows, "row")
    if not test.is_contradicted:
        return Text(f"Certified: {name}. Not contradicted by these {rows}: {counts}.")
    return Text.assemble(
        ("Contradicted", "bold red"),
        f" by these {rows}: ",
        (name, "strike"),
        f"; {counts}.",
    )
