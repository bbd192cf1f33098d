"""`abstain report`: an HTML page on which the operating point of a model can be chosen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abstain import InputError
from abstain._core.files import check_can_write, check_keeps_inputs, check_regular_file
from abstain._core.text import printable
from abstain.cli import terminal
from abstain.cli.common import (
    AsJson,
    Decimal,
    Encoding,
    Missing,
    Quiet,
    Separator,
    model_errors_in_one_line,
    output_option,
    print_json,
)

if TYPE_CHECKING:
    from abstain.tables.evaluation import LabelledSamples, Outcomes


def report(
    model: Annotated[Path, typer.Argument(help="From abstain fit.")],
    table: Annotated[Path, typer.Argument(help="Rows whose class is known.")],
    out: Annotated[Path, output_option(help="The page to write.")] = Path("report.html"),
    title: Annotated[str | None, output_option(help="Its title.")] = None,
    names: Annotated[str | None, output_option(help="The column that names the rows.")] = None,
    label: Annotated[
        str | None,
        typer.Option(help="The column that names the class; that of the fit if not given."),
    ] = None,
    separator: Separator = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    missing: Missing = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write a page on which the operating point of a model can be chosen.

    One HTML file that opens from disk: a slider along the accuracy-reject curve, what
    each point does to the rows of the table, what could be guaranteed, the cells and
    the rejected rows, with their reasons and the probability that the answer would be
    right. It exports the thresholds of the chosen point, which abstain predict
    --thresholds takes.

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
        from abstain.tables.evaluation import count_outcomes

        source = open_table(table, separator, decimal, encoding, missing or [])
        clf = load(model)
        samples = labelled_samples(clf, source, names, label, begin(f"reading {table.name}"))
        write_report(
            clf,
            samples.X,
            samples.y,
            out,
            title=title or f"{table.name}, answered by {model.name}",
            sample_names=samples.names,
            watch=begin("making the page"),
        )
        outcomes = count_outcomes(clf, samples)
    if as_json:
        print_json(_as_dict(samples, outcomes, out))
    elif not quiet:
        for line in summary(samples, outcomes, out):
            typer.echo(printable(line))


def _as_dict(samples: LabelledSamples, outcomes: Outcomes, out: Path) -> dict[str, Any]:
    return {
        "n_rows": len(samples.y),
        "n_answered": outcomes.n_answered,
        "n_right": outcomes.n_right,
        "n_wrong": outcomes.n_wrong,
        "n_rejected": outcomes.n_rejected,
        "accuracy": outcomes.accuracy,
        "n_of_unknown_classes": samples.n_unknown,
        "share_known": samples.share_known,
        "out": str(out),
    }


def summary(samples: LabelledSamples, outcomes: Outcomes, out: Path) -> list[str]:
    """Return the summary of the rows of a report, line by line."""
    lines = [
        f"{terminal.counted(len(samples.y), 'row')} with a known class: "
        f"{outcomes.n_answered:,} answered, {outcomes.n_rejected:,} rejected."
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
    return [*lines, f"Open {out} in a browser."]
