"""How do the results read on a terminal?"""

from typing import Any

from rich.console import Console
from rich.table import Table

THRESHOLDS = {
    "library": "library",
    "method": "method",
    "draws": "draws",
    "seconds": "s",
    "coverage": "coverage",
    "accuracy": "accuracy",
    "below_target": "below",
    "clearly_below": "clearly",
    "refused": "refused",
    "certifies": "certifies",
    "lines": "lines",
}
BY_HAND = {
    "set": "set",
    "classifier": "classifier",
    "method": "abstain",
    "by_hand": "by hand",
    "gain": "more answered",
    "standard_error": "standard error",
}
OUT_OF_FOLD = {
    "set": "set",
    "classifier": "classifier",
    "rounds": "rounds",
    "predict_seconds": "predict s",
    "fit_seconds": "whole fit s",
    "refit_seconds": "of it refit s",
    "ratio": "ratio",
    "low": "from",
    "high": "to",
    "bar": "at most",
    "holds": "holds",
}
SHARES = ("coverage", "accuracy", "gain", "standard_error")


def show(results: dict[str, Any]) -> None:
    """Print a table for each data set and classifier, the comparison by hand, and the costs."""
    console = Console(width=150)
    for problem in results["problems"]:
        key = problem["set"], problem["classifier"]
        title = (
            f"{key[0]}, {key[1]}: accuracy {problem['target']:g} asked for, with confidence "
            f"{results['confidence']:g} where that is possible"
        )
        rows = [row for row in results["thresholds"] if (row["set"], row["classifier"]) == key]
        _show(console, title, rows, THRESHOLDS)
    title = "Answered more than by hand, on the same draws"
    _show(console, title, results["by_hand"], BY_HAND)
    title = "Thresholds out of fold, beside cross_val_predict with the same folds"
    _show(console, title, results["out_of_fold"], OUT_OF_FOLD)


def _show(
    console: Console, title: str, rows: list[dict[str, Any]], columns: dict[str, str]
) -> None:
    """Print some columns of the rows; one that failed gives its reason under the table."""
    table = Table(*columns.values(), title=title, title_justify="left")
    for row in rows:
        if "failure" not in row:
            table.add_row(*(_cell(name, row[name]) for name in columns))
    console.print(table)
    for row in rows:
        if "failure" in row:
            console.print(f"{row.get('library', '')} {row.get('method', '')}: {row['failure']}")


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "NO"
    if isinstance(value, float):
        return f"{value:.3f}" if name in SHARES else f"{value:.3g}"
    return str(value)
