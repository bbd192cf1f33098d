"""How do the results read on a terminal?"""

from typing import Any

from rich.console import Console
from rich.table import Table

ACCURACIES = {
    "set": "set",
    "library": "library",
    "model": "model",
    "accuracy": "accuracy",
    "accuracy_deviation": "±",
    "bar": "at least",
    "seconds": "s",
    "median_seconds": "median s",
    "not_converged": "not converged",
}
PEERS = {
    "set": "set",
    "model": "model",
    "library": "library",
    "setting": "setting",
    "folds": "folds",
    "accuracy": "accuracy",
    "our_accuracy": "ours",
    "seconds": "s",
    "first_fit_seconds": "first fit s",
    "our_seconds": "our s",
    "ratio": "ratio",
    "matched_setting": "no less accurate",
    "matched_ratio": "ratio",
}
VERDICTS = {
    "set": "set",
    "model": "model",
    "fastest_peer": "fastest",
    "its_accuracy": "its accuracy",
    "our_accuracy": "ours",
    "ratio": "ratio",
    "first_fit_ratio": "first fits",
    "hardest_peer": "hardest",
    "matched_setting": "no less accurate",
    "matched_ratio": "ratio",
    "ratio_bar": "at least",
    "holds": "holds",
}


def show(results: dict[str, Any]) -> None:
    """Print the three tables."""
    console = Console(width=140)
    _show(console, "Accuracy and seconds a fit", results["accuracies"], ACCURACIES)
    _show(console, "Peers, and our model on the same folds", results["peers"], PEERS)
    _show(console, "Against the fastest peer", results["verdicts"], VERDICTS)


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
            console.print(f"{row['library']} {row['model']} on {row['set']}: {row['failure']}")


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "NO"
    if isinstance(value, float):
        return f"{value:.3f}" if name.endswith("accuracy") else f"{value:.3g}"
    return str(value)
