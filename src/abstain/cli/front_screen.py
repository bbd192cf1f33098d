"""What `abstain front` prints: a front and its chosen row on a screen of 24 lines."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from abstain._core.text import printable
from abstain.cli.terminal import (
    FEW_SAMPLES,
    WIDE,
    counted,
    estimated_shortfall,
    facts_table,
    label,
    percent,
    plain_table,
    rounded_threshold,
    target_in_words,
    title_of,
)
from abstain.fronts import PooledFront
from abstain.tables.score_fronts import LOOKS_REVERSED, Choice

# Of a front, its thresholds and its chosen row.
Files = tuple[Path, Path, Path]

_CELLS_TO_SHOW = 10
_COUNTS = ("samples", "errors", "true_rejects", "false_rejects")


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
    target = Text(target_in_words(choice.target, choice.value, front))
    if by_default:
        target.append(" (default)", "yellow")
    estimated = ""
    if isinstance(front, PooledFront) and not np.isnan(front.expected_accuracies[point.row]):
        estimated = f", {percent(float(front.expected_accuracies[point.row]))} estimated"
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
            f" = {point.true_rejects:,} true + {counted(point.false_rejects, 'false reject')}",
        ),
        "errors left": Text(f"{point.errors_left:,} of {point.n_errors:,}"),
    }
    if front.method != "exact":
        facts["gap"] = Text(
            f"at most {point.gap:,} of these false rejects could be avoided on these samples"
        )
    return facts_table(facts)


@dataclass(frozen=True, eq=False)
class _Thresholds:
    """The cells with most rejects; without their counts where the screen is narrow."""

    cells: pl.DataFrame

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        rejects = pl.col("true_rejects") + pl.col("false_rejects")
        busiest = self.cells.sort(rejects, descending=True, maintain_order=True)
        counts = _COUNTS if options.max_width >= WIDE else ()
        table = plain_table("cell", ["threshold", *(name.replace("_", " ") for name in counts)])
        for cell in busiest.head(_CELLS_TO_SHOW).iter_rows(named=True):
            table.add_row(
                label(cell["cell"]),
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
    warnings = []
    if choice.looks_reversed:
        warnings.append(f"W{LOOKS_REVERSED[1:]}.")
    if choice.target == "accuracy":
        warnings += estimated_shortfall(choice.front, choice.point, choice.value)
    size = choice.front.n_samples // choice.front.n_cells
    is_pooled = isinstance(choice.front, PooledFront)
    if choice.front.n_cells > 1 and size < FEW_SAMPLES and not is_pooled:
        warnings.append(
            f"Cells have about {counted(size, 'sample')}: expect less on new ones, or try "
            "--method pooled."
        )
    return [Text(warning, "yellow") for warning in warnings]
