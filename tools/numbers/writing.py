"""How are records read, and numbers and tables written?"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[2] / "docs"

Row = dict[str, Any]


def record(name: str) -> Row:
    """Read one record of docs/benchmarks."""
    text = (DOCS / "benchmarks" / f"{name}.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


def find_all(rows: Iterable[Row], **wanted: Any) -> list[Row]:
    """Return the rows that have these entries."""
    return [row for row in rows if all(row.get(name) == wanted[name] for name in wanted)]


def find(rows: Iterable[Row], **wanted: Any) -> Row:
    """Return the only row that has these entries."""
    (row,) = find_all(rows, **wanted)
    return row


def distinct(values: Iterable[Any]) -> list[Any]:
    """Return each value once, in order of appearance."""
    return list(dict.fromkeys(values))


def signed(value: float, digits: int = 2) -> str:
    """Write a difference, with a real minus sign."""
    return f"{value:+.{digits}f}".replace("-", "−")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], n_texts: int = 1) -> str:
    """Write a Markdown table: the first columns are texts, the others numbers."""
    rule = ["---"] * n_texts + ["---:"] * (len(head) - n_texts)
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, rule, *rows])
