"""`abstain predict`: answers for the rows of one or several tables."""

from pathlib import Path
from typing import Annotated, Any

import typer

from abstain import InputError
from abstain.cli.common import (
    AsJson,
    Cluster,
    Decimal,
    Encoding,
    Missing,
    Quiet,
    Separator,
    check_keeps_inputs,
    check_model_files,
    connect,
    expand_patterns,
    model_errors_in_one_line,
    output_option,
    print_json,
)

# Tables of fewer blocks take about a second: they show no progress.
_BLOCKS_TO_WATCH = 4


def predict(
    model: Annotated[Path, typer.Argument(help="From abstain fit.")],
    table: Annotated[
        list[Path], typer.Argument(help="CSV, TSV or Parquet, one row per sample; or several.")
    ],
    out: Annotated[
        Path | None,
        output_option(
            help="answers.csv, .tsv or .parquet; a folder for several tables, or with --cluster."
        ),
    ] = None,
    thresholds: Annotated[
        Path | None, typer.Option(help="JSON with thresholds to use instead of the model's.")
    ] = None,
    cluster: Cluster = None,
    reject_mark: Annotated[str, output_option(help="The mark of a rejected row.")] = "rejected",
    separator: Separator = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    missing: Missing = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Answer the rows of a table, or give the reason for a reject.

    The output has all rows and columns of the table, unchanged and in order, and
    four more columns: the answer, which is a class or the mark of a rejected row;
    the certainty; correct_proba, the estimated probability that the answer is
    right, also where it is withheld; and, for rejected rows, the reason. The table
    may be larger than memory.

    Without --out, rows are only counted.

    The answers to several tables are written to the folder --out, each to a file of
    the same name and format. If one table cannot be answered, the others still are.

    With --cluster, each table is answered by one worker. All machines must see
    the tables and the folder under the same paths.
    """
    from abstain.tables.reading import ReadAhead, TextOptions

    paths = expand_patterns(table)
    options = TextOptions(separator, decimal, encoding, tuple(missing or []))
    if cluster is not None or len(paths) > 1:
        with model_errors_in_one_line(model):
            _predict_many(
                model, paths, out, thresholds, cluster, options, reject_mark, as_json, quiet
            )
        return
    (path,) = paths
    source = options.open(path)
    if out is not None:
        check_keeps_inputs([out], paths, model, thresholds)
        from abstain.tables.writing import check_output

        check_output(out, source)
    check_model_files(model, thresholds)
    is_short = source.n_blocks < _BLOCKS_TO_WATCH
    # The table is read while the other packages are imported and the model is loaded.
    with model_errors_in_one_line(model), ReadAhead(source) as ahead:
        from abstain.cli import predict_screen, terminal
        from abstain.tables import answer_table

        with terminal.progress(f"answering {path}", quiet or is_short) as watch:
            clf = _load(model, thresholds)
            counts = answer_table(clf, ahead, out, reject_mark=reject_mark, watch=watch)
    if as_json:
        print_json(counts.as_dict(out))
    elif not quiet:
        terminal.show(predict_screen.predict_screen(counts, path, out))


def _load(model: Path, thresholds: Path | None) -> Any:
    """Load a model, with the thresholds of a file in place of its own."""
    from abstain.saving import load

    clf = load(model)
    if thresholds is None:
        return clf
    from abstain.classifier import read_thresholds

    try:
        given = read_thresholds(thresholds)
    except InputError as error:
        raise InputError(f"--thresholds: {error}") from None
    try:
        return clf.set_thresholds(given)
    except InputError as error:
        raise InputError(f"--thresholds: {thresholds}: {error}") from None


def _predict_many(
    model: Path,
    paths: list[Path],
    out: Path | None,
    thresholds: Path | None,
    cluster: str | None,
    options: Any,
    reject_mark: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """Answer several tables, here or on a cluster, and print the summary."""
    from abstain.cli import predict_screen, terminal
    from abstain.tables.batch import answer_tables, output_folder, plan_jobs

    check_model_files(model, thresholds)
    jobs = plan_jobs(paths, out, options)
    check_keeps_inputs([job.out for job in jobs if job.out], paths, model, thresholds)
    clf = _load(model, thresholds)
    is_short = sum(job.table.n_blocks for job in jobs) < _BLOCKS_TO_WATCH
    task = f"answering {terminal.counted(len(jobs), 'table')}"
    if cluster is None:
        task += " in blocks"
    with output_folder(jobs), terminal.progress(task, quiet or is_short) as watch:
        if cluster is None:
            batch = answer_tables(clf, jobs, reject_mark=reject_mark, watch=watch)
        else:
            batch = _answer_on_cluster(cluster, clf, jobs, options, reject_mark, watch)
    if as_json:
        print_json(batch.as_dict(out))
    elif not quiet:
        terminal.show(predict_screen.predict_many_screen(batch, out))


def _answer_on_cluster(
    address: str, clf: Any, jobs: Any, options: Any, reject_mark: str, watch: Any
) -> Any:
    from abstain.tables.batch import answer_on_cluster, scratch_folder

    with scratch_folder(jobs) as scratch, connect(address) as client:
        return answer_on_cluster(
            client, clf, jobs, scratch, options, reject_mark=reject_mark, watch=watch
        )
