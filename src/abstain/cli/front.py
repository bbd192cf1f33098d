"""`abstain front`: reject thresholds for a file of scores."""

from pathlib import Path
from typing import Annotated, Any

import typer

from abstain import __version__
from abstain.cli.common import (
    AccuracyOption,
    AsJson,
    Cluster,
    Encoding,
    Method,
    Quiet,
    RejectCostOption,
    RejectRateOption,
    Separator,
    chosen_target,
    column_option,
    connect,
    expand_patterns,
    output_option,
    print_json,
)


def front(
    scores: Annotated[
        list[Path],
        typer.Argument(
            help="CSV, TSV or Parquet, one row per sample; several files are one table."
        ),
    ],
    certainty: Annotated[str, column_option(help="How sure the answer was; higher is surer.")],
    correct: Annotated[
        str | None, column_option(help="Was the answer right: true/false or 1/0.")
    ] = None,
    y_true: Annotated[str | None, column_option(help="Instead of --correct: the class …")] = None,
    y_pred: Annotated[str | None, column_option(help="… and the predicted class.")] = None,
    cell: Annotated[str | None, column_option(help="The cell; each has its own threshold.")] = None,
    accuracy: AccuracyOption = None,
    reject_rate: RejectRateOption = None,
    reject_cost: RejectCostOption = None,
    method: Annotated[
        Method,
        typer.Option(
            help="pooled: made for new samples; exact: the best on these samples, or hull and "
            "greedy, which approximate it."
        ),
    ] = Method.pooled,
    cluster: Cluster = None,
    separator: Separator = None,
    encoding: Encoding = None,
    out: Annotated[Path | None, output_option(help="front.csv, .tsv or .parquet.")] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Find reject thresholds for a file of scores.

    A sample is rejected if its certainty is below the threshold of its cell.
    The target chooses one row of a front.

    The pooled front is made for new samples. It estimates how probable it is
    that an answer is right, given its certainty and its cell; a row rejects all
    answers below one limit on that probability, so that later rows raise every
    threshold or leave it. The exact front holds, for every number of errors
    caught, the fewest right answers that are lost with them: no thresholds are
    better on these samples, but they also fit the noise in them.

    --out front.csv holds all rows: true rejects (errors caught), false rejects
    (right answers lost), reject rate, coverage, accuracy, expected_accuracy (by
    the estimated probabilities; pooled only), gap (at most how many of the false
    rejects could be avoided on these samples) and is_pareto (no other row is better
    in both counts). front.thresholds.csv and front.json beside it hold the thresholds
    of the chosen row and, if pooled, the estimated probability at each. In JSON, a
    threshold that rejects none of a cell is the string "-inf", one that rejects
    all of it (but samples of certainty inf) "inf".

    With --cluster, each file is read whole by one worker and stays with it, in
    memory or on its disk; names of cells and counts leave it and, for exact, hull
    and greedy fronts, the errors, for pooled ones about one certainty in fifty. All
    machines must see the files under the same paths. The result is the same.

    All counts are of these samples; hold some out to see what the thresholds
    do on others.
    """
    target, value = chosen_target(accuracy, reject_rate, reject_cost)
    from abstain import pareto_front
    from abstain.cli import front_screen, terminal
    from abstain.tables.reading import TextOptions
    from abstain.tables.score_fronts import choice_as_json, choose, output_files, write_choice
    from abstain.tables.scores import ScoreColumns, read_scores

    columns = ScoreColumns(certainty, correct, y_true, y_pred, cell)
    options = TextOptions(separator, encoding=encoding)
    paths = expand_patterns(scores)
    files = output_files(out, *paths) if out else None
    with terminal.stages(quiet) as begin:
        if cluster is not None:
            choice = _choose_on_cluster(
                cluster, paths, columns, options, method, (target, value), begin
            )
        else:
            name = paths[0].name if len(paths) == 1 else f"{len(paths):,} files"
            watch = begin(f"reading {name}")
            samples = read_scores(paths, columns, options, watch)
            begin(f"computing the {method} front of {len(samples.certainty):,} samples")
            rows = pareto_front(samples.certainty, samples.correct, samples.cells, method=method)
            begin("choosing the thresholds")
            choice = choose(samples, rows, target, value)
        if files:
            begin(f"writing {files[0].name}")
            write_choice(choice, files, __version__)
    if as_json:
        print_json(choice_as_json(choice, __version__))
    elif not quiet:
        by_default = accuracy is reject_rate is reject_cost is None
        terminal.show(front_screen.front_screen(choice, paths, files, by_default=by_default))


def _choose_on_cluster(
    address: str,
    paths: list[Path],
    columns: Any,
    options: Any,
    method: str,
    target: tuple[str, float],
    begin: Any,
) -> Any:
    """Read score files on a cluster, and choose a row of their front."""
    from abstain import pareto_front
    from abstain._core.files import check_regular_file
    from abstain.cli.terminal import counted
    from abstain.tables.score_fronts import choose_on_cluster, read_on_cluster

    for path in paths:
        check_regular_file(path)
    begin(f"asking the cluster {address}")
    with connect(address) as client:
        watch = begin(f"reading {counted(len(paths), 'file')}")
        scores = read_on_cluster(client, paths, columns, options, watch)
        begin(f"computing the {method} front of {int(scores.certainty.shape[0]):,} samples")
        rows = pareto_front(scores.certainty, scores.correct, scores.cells, method=method)
        begin("choosing the thresholds")
        return choose_on_cluster(scores, rows, *target)
