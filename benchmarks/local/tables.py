"""How do the results read as the tables of the page?"""

from local.summary import Record
from local.trials import SIZES

__all__ = ["show"]

# In points. Smaller losses are not worth a line.
LEAST_LOSS = 0.02


def show(results: Record) -> None:
    """Print the tables of docs/local-thresholds.md."""
    for group in dict.fromkeys(row["sets"] for row in results["by_method"]):
        print(f"\nSets: {group}")
        _show_methods([row for row in results["by_method"] if row["sets"] == group])
        _show_accuracies([row for row in results["by_accuracy"] if row["sets"] == group])
    _show_sets(results)
    _show_worse(results["pairs"])
    _show_behind(results["behind"])


def _show_methods(rows: list[Record]) -> None:
    lines = []
    for name in dict.fromkeys(row["method"] for row in rows):
        found = [row for row in rows if row["method"] == name]
        lines.append([name, *(_of_method(row) for row in found)])
    _table(["gain: mean; worst, best", *_sizes(rows)], lines)


def _of_method(row: Record) -> str:
    worst, best = (_points(row[at]["gain"][0]) for at in ("worst", "best"))
    return f"{_points(row['gain'][0])}; {worst}, {best}"


def _show_accuracies(rows: list[Record]) -> None:
    lines = []
    for way in dict.fromkeys(row["way"] for row in rows):
        found = [row for row in rows if row["way"] == way]
        shares = [f"{_percent(row['missed'])}; {_percent(row['answered'])}" for row in found]
        lines.append([way, *shares])
    _table(["missed; answered", *_sizes(rows)], lines)


def _sizes(rows: list[Record]) -> list[str]:
    return [f"{size:,}" for size in dict.fromkeys(row["size"] for row in rows)]


def _show_sets(results: Record) -> None:
    """Print what the sets are like, and what pooled gains on each."""
    lines = []
    for row in results["sets"]:
        gains = {
            at["size"]: at["gains"]["pooled"]
            for at in results["by_set"]
            if at["set"] == row["name"]
        }
        figures = [_gain(gains[size]) if size in gains else "" for size in SIZES]
        about = [f"{row[at]:,}" for at in ("features", "classes", "rest")]
        lines.append([row["name"], "yes" if row["chosen_on"] else "no", *about, *figures])
    columns = ["set", "chosen on", "features", "classes", "rows left"]
    _table([*columns, *(f"{size:,}" for size in SIZES)], lines)


def _show_worse(pairs: list[Record]) -> None:
    """Print all gains of the pairs on which pooled is worse at some size; what is so is bold."""
    gains: dict[tuple[str, str], dict[int, list[float]]] = {}
    for row in pairs:
        of_pair = gains.setdefault((row["set"], row["classifier"]), {})
        of_pair[row["size"]] = row["gains"]["pooled"]
    lines = []
    for pair, found in gains.items():
        if any(_is_worse(figures) for figures in found.values()):
            shown = [_marked(found[size]) if size in found else "" for size in SIZES]
            lines.append([*pair, *shown])
    _table(["worse on", "classifier", *(f"{size:,}" for size in SIZES)], lines)


def _show_behind(rows: list[Record]) -> None:
    """Print where another method is clearly ahead of pooled."""
    lines = [
        [f"{row['size']:,}", row["set"], row["classifier"], row["method"], _gain(row["ahead"])]
        for row in rows
    ]
    _table(["behind with", "set", "classifier", "ahead", "by"], lines)


def _is_worse(figures: list[float]) -> bool:
    """Tell a loss of more than two standard errors and a fiftieth of a point."""
    mean, error = figures
    return mean < -max(2 * error, LEAST_LOSS)


def _marked(figures: list[float]) -> str:
    return f"**{_gain(figures)}**" if _is_worse(figures) else _gain(figures)


def _gain(figures: list[float]) -> str:
    return f"{_points(figures[0])} ± {figures[1]:.2f}"


def _points(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


def _percent(figures: list[float]) -> str:
    return f"{100 * figures[0]:.1f} %"


def _table(columns: list[str], rows: list[list[str]]) -> None:
    print(f"\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")
