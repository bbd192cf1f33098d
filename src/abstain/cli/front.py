"""`abstain front`: reject thresholds for a file of scores."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from abstain import __version__
from abstain._core.files import check_regular_file, expand_patterns
from abstain._core.text import printable
from abstain.cli import terminal
from abstain.cli.common import (
    AsJson,
    Cluster,
    Decimal,
    Encoding,
    Method,
    Quiet,
    Separator,
    Sheet,
    column_option,
    connect,
    output_option,
    print_json,
)
from abstain.cli.targets import (
    DEFAULT_REJECT_RATE,
    AccuracyOption,
    RejectCostOption,
    RejectRateOption,
    chosen_target,
    estimated_shortfall,
    target_in_words,
)
from abstain.cli.terminal import (
    FEW_SAMPLES,
    WIDE,
    counted,
    facts_table,
    label_text,
    percent,
    plain_table,
    rounded_threshold,
    title_of,
)

if TYPE_CHECKING:
    import polars as pl

    from abstain.tables.reading import TextOptions
    from abstain.tables.score_fronts import Choice
    from abstain.tables.scores import ScoreColumns
    from abstain.targets import Target

# Of a front, its thresholds and its chosen row.
Files = tuple[Path, Path, Path]

_CELLS_TO_SHOW = 10
_COUNTS = {
    "samples": "samples",
    "errors": "errors",
    "true_rejects": "errors caught",
    "false_rejects": "right given up",
}


def front(
    scores: Annotated[
        list[Path],
        typer.Argument(
            help="CSV, TSV, Parquet or .xlsx, one row per sample; several files are one table."
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
    decimal: Decimal = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
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
    caught, the fewest right answers that are given up with them: no thresholds
    are better on these samples, but they also fit the noise in them.

    --out front.csv holds all rows: true rejects (errors caught), false rejects
    (right answers given up), reject rate, coverage, accuracy, expected_accuracy
    (by the estimated probabilities; pooled only), gap (at most how many of the
    false rejects could be avoided on these samples) and is_pareto (no other row is
    better in both counts). front.thresholds.csv and front.json beside it hold the thresholds
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
    target = chosen_target(accuracy=accuracy, reject_rate=reject_rate, reject_cost=reject_cost)
    from abstain import RejectRate
    from abstain.tables.reading import TextOptions
    from abstain.tables.score_fronts import output_files, write_choice
    from abstain.tables.scores import ScoreColumns

    columns = ScoreColumns(certainty, correct, y_true, y_pred, cell)
    options = TextOptions(separator, decimal, encoding, sheet=sheet)
    paths = expand_patterns(scores)
    files = output_files(out, *paths) if out else None
    for path in paths:
        check_regular_file(path)
    with terminal.stages(quiet) as begin:
        wanted = target or RejectRate(DEFAULT_REJECT_RATE)
        choice = _choose(paths, columns, options, method, wanted, cluster, begin)
        if files:
            begin(f"writing {files[0].name}")
            write_choice(choice, files, __version__)
    if as_json:
        print_json(choice.as_dict())
    elif not quiet:
        terminal.show(front_screen(choice, paths, files, by_default=target is None))


def _choose(
    paths: list[Path],
    columns: ScoreColumns,
    options: TextOptions,
    method: str,
    target: Target,
    cluster: str | None,
    begin: Callable[[str], terminal.Watch],
) -> Choice:
    """Read score files, here or on a cluster, and choose a row of their front."""
    from abstain import pareto_front
    from abstain.tables.score_fronts import choose, read_on_cluster
    from abstain.tables.scores import read_scores

    if cluster is not None:
        begin(f"asking the cluster {cluster}")
    with nullcontext() if cluster is None else connect(cluster) as client:
        watch = begin(f"reading {title_of(paths)}")
        if client is None:
            samples = read_scores(paths, columns, options, watch)
        else:
            samples = read_on_cluster(client, paths, columns, options, watch)
        begin(f"computing the {method} front of {len(samples.certainty):,} samples")
        rows = pareto_front(samples.certainty, samples.correct, samples.cells, method=method)
        begin("choosing the thresholds")
        return choose(samples, rows, target)


# --- what is printed ----------------------------------------------------------------------------


def front_screen(
    choice: Choice, scores: Path | list[Path], files: Files | None, *, by_default: bool
) -> RenderableType:
    """Return the summary of a front and its chosen row."""
    front = choice.front
    counts = (
        f"{counted(front.n_samples, 'sample')}, {counted(front.n_errors, 'error')}, "
        f"{counted(front.n_cells, 'cell')}; "
        f"{front.method} front of {counted(len(front), 'row')}"
    )
    if files is None:
        written = "Nothing was written; --out front.csv keeps the front and the thresholds."
    else:
        written = "Written: " + ", ".join(printable(file) for file in files)
    return Group(
        Text.assemble((title_of(scores), "bold"), "\n", counts),
        Text(),
        _chosen_row(choice, by_default=by_default),
        Text(),
        _Thresholds(choice.cells),
        *_hidden_cells(choice.cells, files),
        *_warnings(choice),
        Text(),
        Text(written),
    )


def _chosen_row(choice: Choice, *, by_default: bool) -> Table:
    front, point = choice.front, choice.point
    target = Text(target_in_words(choice.target, front))
    if by_default:
        target.append(" (default)", "yellow")
    expected, estimated = float(front.expected_accuracies[point.row]), ""
    if front.method == "pooled" and not isnan(expected):
        estimated = f", {percent(expected)} estimated"
    facts = {
        "target": target,
        "accuracy": Text.assemble(
            percent(1 - point.n_errors / point.n_samples),
            " → ",
            (percent(point.accuracy), "bold green"),
            f" on these samples{estimated}",
        ),
        "rejected": Text.assemble(
            (percent(point.reject_rate), "bold"),
            f": {counted(point.true_rejects, 'error')} caught, "
            f"{counted(point.false_rejects, 'right answer')} given up",
        ),
        "errors left": Text(f"{point.errors_left:,} of {point.n_errors:,}"),
    }
    if front.method != "exact":
        facts["gap"] = Text(
            f"at most {point.gap:,} of these right answers could be kept on these samples"
        )
    return facts_table(facts)


@dataclass(frozen=True, eq=False)
class _Thresholds:
    """The cells with most rejects; without their counts where the screen is narrow."""

    cells: pl.DataFrame

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        import polars as pl

        rejects = pl.col("true_rejects") + pl.col("false_rejects")
        busiest = self.cells.sort(rejects, descending=True, maintain_order=True)
        counts = _COUNTS if options.max_width >= WIDE else {}
        table = plain_table("cell", ["threshold", *counts.values()])
        for cell in busiest.head(_CELLS_TO_SHOW).iter_rows(named=True):
            table.add_row(
                label_text(cell["cell"]),
                Text(rounded_threshold(cell["threshold"]), "bold"),
                *(f"{cell[name]:,}" for name in counts),
            )
        yield table


def _hidden_cells(cells: pl.DataFrame, files: Files | None) -> list[Text]:
    n_hidden = cells.height - _CELLS_TO_SHOW
    if n_hidden <= 0:
        return []
    where = f" in {printable(files[1].name)}" if files else ""
    return [Text(f"… and {n_hidden:,} more{where}", "dim")]


def _warnings(choice: Choice) -> list[Text]:
    """Return why new samples may do worse than these figures."""
    from abstain.tables.score_fronts import LOOKS_REVERSED

    front, warnings = choice.front, []
    if choice.looks_reversed:
        warnings.append(f"W{LOOKS_REVERSED[1:]}.")
    warnings += estimated_shortfall(front, choice.point, choice.target)
    size = front.n_samples // front.n_cells
    if front.n_cells > 1 and size < FEW_SAMPLES and front.method != "pooled":
        warnings.append(
            f"Cells have about {counted(size, 'sample')}: expect less on new ones, or try "
            "--method pooled."
        )
    return [Text(warning, "yellow") for warning in warnings]
