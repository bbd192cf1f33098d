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


def table(head, lines):
    rule = ["---", *("---:" for _ in head[1:])]
    return "".join(f"| {' | '.join(line)} |\n" for line in [head, rule, *lines])


def judged(figure, is_met):
    return f"{figure}, {'met' if is_met else 'missed'}"


def long_tables():
    rows, bars = PREDICT["tables"], PREDICT["bars"]
    times, memory = bars["times_polars"], bars["peak_megabytes"]
    return table(
        ["abstain predict", *(f"{row['columns']} columns" for row in rows)],
        [
            ["file, MB", *(f"{row['file_megabytes']:,.0f}" for row in rows)],
            ["polars, s", *(f"{row['polars_seconds']:.2f}" for row in rows)],
            ["predict, s", *(f"{row['predict_seconds']:.1f}" for row in rows)],
            ["start, s", *(f"{row['start_seconds']:.1f}" for row in rows)],
            [
                f"predict, times polars (at most {times})",
                *(
                    judged(f"{row['times_polars']:.1f}", row["times_polars"] <= times)
                    for row in rows
                ),
            ],
            [
                "predict less start, times polars",
                *(f"{row['times_polars_after_start']:.1f}" for row in rows),
            ],
            [
                f"memory, MB (below {memory:,})",
                *(
                    judged(f"{row['peak_megabytes']:,.0f}", row["peak_megabytes"] < memory)
                    for row in rows
                ),
            ],
        ],
    )


def slider(row, seen):
    worst, most = row[f"{seen}_worst_ms_of_best_round"], REPORT["bars"]["slider_ms"]
    return judged(f"{row[f'{seen}_median_ms']:.0f} to {worst:.0f}", worst < most)


def slowest(row):
    found = row.get("slider_worst_ms_in_any_round")
    return "–" if found is None else f"{found:.0f}"


def reports():
    rows, bars = REPORT["reports"], REPORT["bars"]
    size, load, most = (bars[name] for name in ("megabytes", "all_after_seconds", "slider_ms"))
    loaded = [(row["all_after_seconds"], row["megabytes"]) for row in rows]
    return table(
        ["report", *(row["report"] for row in rows)],
        [
            [f"file, MB (below {size})", *(judged(f"{mb:.1f}", mb < size) for _, mb in loaded)],
            [f"loaded, s (under {load})", *(judged(f"{s:.1f}", s < load) for s, _ in loaded)],
            [f"slider, curve, ms (under {most})", *(slider(row, "curve") for row in rows)],
            [f"slider, plane, ms (under {most})", *(slider(row, "view") for row in rows)],
            ["slider, any round, ms", *(slowest(row) for row in rows)],
        ],
    )


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
    # Memory does not grow with the file.
    assert wide["file_megabytes"] > 2 * narrow["file_megabytes"]
    assert wide["peak_megabytes"] < 1.2 * narrow["peak_megabytes"]


def test_there_are_no_other_figures():
    prose = re.sub(r"^\|.*\n", "", PAGE, flags=re.MULTILINE)
    found = set(re.findall(r"\d[\d.,]*\d|\d", prose))
    known = [PREDICT["tables"][0]["rows"], PREDICT["cores"], *PREDICT["bars"].values()]
    known += [*REPORT["bars"].values(), REPORT["reports"][-1]["rows_of_front"], 50, 500]
    assert found == {f"{number:,}" for number in known}
