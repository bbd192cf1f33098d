"""What the pages and the README say of the speed of fronts is what was measured."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGE, GUIDE, README = (
    path.read_text(encoding="utf-8")
    for path in (DOCS / "exact-front.md", DOCS / "guide" / "fronts.md", ROOT / "README.md")
)
RECORD = json.loads((DOCS / "benchmarks" / "fronts.json").read_text(encoding="utf-8"))
ROWS = RECORD["fronts"]
SMALL, LARGE = RECORD["growth"]
# What is asked of a front most often; the others are named one by one.
USUAL = [row for row in ROWS if row["samples"] >= 10**6 and row["cells"] <= 100]


def joined(text):
    return " ".join(text.split())


def between(rows, field, scale=1.0):
    values = [scale * row[field] for row in rows]
    return f"{min(values):.1f} to {max(values):.1f}"


def one(samples, cells):
    (found,) = (
        row
        for row in ROWS
        if (row["samples"], row["cells"], row["decimals"]) == (samples, cells, 16)
    )
    return found


def test_the_table_is_that_of_the_benchmark():
    lines = [
        f"| {row['samples']:,} | {row['cells']:,} | {row['decimals']} | "
        f"{row['staircases_over_argsort']:.1f} | {row['exact_over_argsort']:.1f} | "
        f"{row['hull_over_argsort']:.1f} |\n"
        for row in ROWS
    ]
    head = "| samples | cells | decimals | staircases | exact | hull |\n"
    assert head + "|---:|---:|---:|---:|---:|---:|\n" + "".join(lines) + "\n" in PAGE


def test_the_text_of_the_page_is_that_of_the_benchmark():
    text = joined(PAGE)
    staircases = between(ROWS, "staircases_over_argsort")
    assert f"In all {staircases} times one `argsort` of the certainties." in text
    one_row = between(ROWS, "one_row_over_exact", 100)
    assert f"one row is solved again in {one_row} % of the time of the front." in text
    small, large = SMALL["exact"], LARGE["exact"]
    assert f"{small:.1f} times as long for 10⁶ samples as for 10⁵, {large:.1f} times for" in text
    memory = [row["exact_bytes_per_sample"] for row in ROWS]
    assert f"| {min(memory):.0f} to {max(memory):.0f} bytes a sample |" in text
    small, large = SMALL["argsort"], LARGE["argsort"]
    assert f"{small:.1f} times as long for 10⁶ as for 10⁵ and {large:.1f} times for 10⁷" in text
    assert f"The first front of a process takes {RECORD['first_front_seconds']:.1f} s more" in text
    assert {f"{row['errors'] / row['samples']:.2f}" for row in ROWS} <= {"0.06", "0.07"}


def test_the_guide_says_what_was_measured():
    text = joined(GUIDE)
    assert f"that of {between(USUAL, 'exact_over_argsort')} sorts of the certainties;" in text
    few, many = (one(*size)["exact_over_argsort"] for size in [(10**5, 10), (10**6, 1000)])
    assert f"few samples ({few:.1f} for 10⁵) or many cells ({many:.1f} with 1,000)" in text
    assert f"that of {between(ROWS, 'hull_over_argsort')} sorts |" in text
    greedy = RECORD["algorithms"][-1]
    told = f"{greedy['greedy_over_exact']:.1f} times that of exact at {greedy['samples']:,} samples"
    assert told in text


def test_the_readme_tells_of_many_cells_and_of_the_paper():
    text = joined(README)
    many = one(10**6, 1000)["exact_over_argsort"]
    assert f"With 1,000 cells it takes {many:.1f} sorts." in text
    small, large = SMALL["exact"], LARGE["exact"]
    assert f"takes {small:.1f} times as long, from 10⁶ to 10⁷ {large:.1f} times." in text
    slowest = RECORD["algorithms"][-1]
    told = (
        f"{slowest['algorithm_1_over_exact']:.0f} times as long at {slowest['samples']:,} samples"
    )
    assert f"takes {told} in {slowest['cells']} cells" in text


# Whoever takes another run has to look at every number: there is none that no test reads.
def test_the_section_on_measurements_has_no_other_figures():
    section = PAGE.split("## What was measured")[1].split("\n## ")[0]
    prose = re.sub(r"^\|.*\n", "", section, flags=re.MULTILINE)
    found = re.findall(r"\d[\d.,]*\d|\d", re.sub(r"10[⁰-⁹]", "", prose))
    measured = [SMALL["argsort"], LARGE["argsort"], RECORD["first_front_seconds"]]
    told = {f"{value:.1f}" for value in measured} | {"6.5", "2", "1,000", "16", "32"}
    assert set(found) == told
