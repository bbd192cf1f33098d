"""How do numbers get from the records into the documentation?

A measured number in README.md or docs is followed by a comment with its name, and a measured table
stands below such a comment::

    One row is solved again in 5.8<!-- exact_front.most_of_one_row -->% of the time.

    <!-- exact_front.times -->
    | samples | cells | …

``exact_front.times`` is ``VALUES["times"]`` of ``tools/numbers/exact_front.py``. After a benchmark
has written a new record, ``make numbers`` writes all values again; a test fails until it was run.
"""

import importlib
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MARK = re.compile(r"<!-- (\w+)\.([\w-]+) -->")
# A mark at the beginning of a line with the table below it, or behind a number.
PLACE = re.compile(rf"(^|[-+−]?\d[\d.,]*)({MARK.pattern})((?:\n\|.*)*)", re.MULTILINE)


def pages() -> list[Path]:
    """Return the files that may have marks."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def render(text: str) -> str:
    """Put the values of the records in their places."""
    rendered, n_places = PLACE.subn(_filled, text)
    if n_places != len(MARK.findall(text)):
        places = {match[2] for match in PLACE.finditer(text)}
        lost = [match[0] for match in MARK.finditer(text) if match[0] not in places]
        raise ValueError(f"a mark must follow a number or stand above a table, got {lost}")
    return rendered


def _filled(place: re.Match[str]) -> str:
    _, mark, page, name, rows = place.groups()
    values: dict[str, str] = importlib.import_module(f"tools.numbers.{page}").VALUES
    if name not in values:
        raise ValueError(f"{mark} must name one of {sorted(values)}")
    value = values[name]
    return f"{mark}\n{value}" if value.startswith("|") else f"{value}{mark}{rows}"


if __name__ == "__main__":
    for page in pages():
        text = page.read_text(encoding="utf-8")
        if MARK.search(text):
            page.write_text(render(text), encoding="utf-8")
