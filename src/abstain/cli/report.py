"""`abstain report`: an HTML page on which the operating point of a model can be chosen."""

from pathlib import Path
from typing import Annotated

import typer

from abstain import InputError, __version__
from abstain._core.text import printable
from abstain.cli.common import (
    AsJson,
    Decimal,
    Encoding,
    Missing,
    Quiet,
    Separator,
    check_keeps_inputs,
    check_model_files,
    model_errors_in_one_line,
    output_option,
    print_json,
)


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
    from abstain._core.files import check_can_write
    from abstain.cli import terminal

    check_model_files(model)
    check_keeps_inputs([out], [table], model)
    if out.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"cannot write {out}: it will be a page; give it a name with .html")
    check_can_write(out)
    with model_errors_in_one_line(model), terminal.stages(quiet) as begin:
        begin(f"loading {model.name}")
        from abstain.report import write_report
        from abstain.saving import load
        from abstain.tables import (
            judge,
            labelled_samples,
            open_table,
            reported_as_json,
            reported_in_words,
        )

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
        judged = judge(clf, samples)
    if as_json:
        print_json(reported_as_json(samples, judged, out, __version__))
    elif not quiet:
        for line in reported_in_words(samples, judged, out).split("\n"):
            typer.echo(printable(line))
