"""The page on tables and reports is true: its figures are those on record, met or missed.

After a new run the tests fail with the lines that belong on the page.
"""

import json
import re
from pathlib import Path

import pytest

from abstain.report.rows import MAX_ROWS

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = (DOCS / "tables-and-reports.md").read_text(encoding="utf-8")
TEXT = " ".join(PAGE.split())
PREDICT, REPORT = (
    json.loads((DOCS / "benchmarks" / name).read_text(encoding="utf-8"))
    for name in ("predict.json", "report.json")
)


def table(lines):
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def verdict(is_met):
    return "met" if is_met else "missed"


def long_tables():
    bars = PREDICT["bars"]
    columns = ["columns", "file, MB", "polars, s", "predict, s", "start, s", "times polars", "time"]
    lines = [
        [*columns, "after the start", "memory, MB", "memory"],
        ["---:"] * 6 + ["---"] + ["---:"] * 2 + ["---"],
    ]
    for row in PREDICT["tables"]:
        lines.append(
            [
                f"{row['columns']}",
                f"{row['file_megabytes']:,.0f}",
                f"{row['polars_seconds']:.2f}",
                f"{row['predict_seconds']:.1f}",
                f"{row['start_seconds']:.1f}",
                f"{row['times_polars']:.1f}",
                verdict(row["times_polars"] <= bars["times_polars"]),
                f"{row['times_polars_after_start']:.1f}",
                f"{row['peak_megabytes']:.0f}",
                verdict(row["peak_megabytes"] < bars["peak_megabytes"]),
            ]
        )
    return table(lines)


def reports():
    bars = REPORT["bars"]
    columns = ["report", "file, MB", "size", "loaded, s", "loading", "slider, curve, ms"]
    lines = [
        [*columns, "slider, plane, ms", "slider", "any round, ms"],
        ["---", "---:", "---", "---:", "---", "---:", "---:", "---", "---:"],
    ]
    for row in REPORT["reports"]:
        sliders = [
            (row[f"{seen}_median_ms"], row[f"{seen}_worst_ms_of_best_round"])
            for seen in ("curve", "view")
        ]
        slowest = row.get("slider_worst_ms_in_any_round")
        lines.append(
            [
                f"{row['report']}",
                f"{row['megabytes']:.1f}",
                verdict(row["megabytes"] < bars["megabytes"]),
                f"{row['all_after_seconds']:.1f}",
                verdict(row["all_after_seconds"] < bars["all_after_seconds"]),
                *(f"{median:.0f}, {worst:.0f}" for median, worst in sliders),
                verdict(max(worst for _, worst in sliders) < bars["slider_ms"]),
                "–" if slowest is None else f"{slowest:.0f}",
            ]
        )
    return table(lines)


@pytest.mark.parametrize("make", [long_tables, reports])
def test_the_tables_are_those_on_record(make):
    assert make() in PAGE, f"this belongs into docs/tables-and-reports.md:\n{make()}"


def test_the_marks_are_those_on_record():
    (rows,) = {row["rows"] for row in PREDICT["tables"]}
    assert f"A CSV file of {rows:,} rows" in TEXT
    assert f"in the same run on {PREDICT['cores']} cores" in TEXT
    bars = PREDICT["bars"]
    told = f"at most {bars['times_polars']} times polars"
    assert f"{told}, and less than {bars['peak_megabytes']:,} MB of memory" in TEXT
    bars = REPORT["bars"]
    told = f"loaded in under {bars['all_after_seconds']} s"
    told += f", a slider that answers in under {bars['slider_ms']} ms"
    assert f"{told}, a file below {bars['megabytes']} MB" in TEXT


def test_the_reports_are_those_on_record():
    small, large = REPORT["reports"]
    # The demo is about breast tumours.
    assert small["report"] in ("breast tumours", "abstain demo")
    told = f"one of a front of {large['rows_of_front']:,} rows in {large['cells']} cells"
    assert f"{told}, of which the slider has some 500" in TEXT
    assert round(MAX_ROWS, -2) == 500
    assert f"of the best of {REPORT['rounds']} rounds" in TEXT
    assert all(
        row["numbers_after_seconds"] < row["all_after_seconds"] / 4 for row in (small, large)
    )
    assert large["all_after_seconds"] < 1.25 * small["all_after_seconds"]


# What the text says of the tables: it has to be written anew when this fails.
def test_what_the_text_says_of_the_tables_is_so():
    narrow, wide = PREDICT["tables"]
    assert narrow["columns"] < wide["columns"]
    assert narrow["times_polars"] > wide["times_polars"]
    assert narrow["times_polars_after_start"] > wide["times_polars_after_start"]
    # Memory does not grow with the file.
    assert wide["file_megabytes"] > 2 * narrow["file_megabytes"]
    assert wide["peak_megabytes"] < 1.2 * narrow["peak_megabytes"]


def test_there_are_no_other_figures():
    prose = re.sub(r"^\|.*\n", "", PAGE, flags=re.MULTILINE)
    found = set(re.findall(r"\d[\d.,]*\d|\d", prose))
    known = [PREDICT["tables"][0]["rows"], PREDICT["cores"], *PREDICT["bars"].values()]
    known += [*REPORT["bars"].values(), REPORT["reports"][-1]["rows_of_front"], 50, 500]
    assert found == {f"{number:,}" for number in known}
