"""What the page on local thresholds concludes is what the record shows."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "local-thresholds.md").read_text(encoding="utf-8")
FILE = ROOT / "docs" / "benchmarks" / "local_thresholds.json"
STUDY = json.loads(FILE.read_text(encoding="utf-8"))
SIZES = [200, 600, 2000]


def of_all_sets(table, size=None):
    rows = [row for row in STUDY[table] if row["sets"] == "all"]
    return [row for row in rows if size in (None, row["size"])]


def points(value):
    return f"{value:+.2f}".replace("-", "−")


def gain(figures):
    return f"{points(figures[0])} ± {figures[1]:.2f}"


def table_under(first_column):
    """Return the rows of the table with this name of its first column."""
    (table,) = re.findall(
        rf"^\| {re.escape(first_column)} \|.*\n\|[-:|]+\|\n((?:\|.*\n)+)", PAGE, re.M
    )
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()]


def test_there_are_at_least_ten_draws_of_each_size():
    assert STUDY["settings"]["draws"] >= 10
    assert [row["size"] for row in of_all_sets("by_method") if row["method"] == "pooled"] == SIZES


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("sets", ["all", "confirming"])
def test_no_method_gains_more_on_average_than_pooled(size, sets):
    rows = [row for row in STUDY["by_method"] if (row["sets"], row["size"]) == (sets, size)]
    assert max(rows, key=lambda row: row["gain"][0])["method"] == "pooled"


def test_pooled_loses_little_on_any_set():
    large = [row for row in STUDY["by_set"] if row["size"] >= 600]
    assert {row["size"] for row in large} == {600, 2000}
    for row in large:
        mean, error = row["gains"]["pooled"]
        assert mean > -0.15 - 2 * error, row["set"]


@pytest.mark.parametrize("size", SIZES)
def test_pooled_misses_an_accuracy_no_more_often_than_one_threshold_or_exact(size):
    missed = {row["way"]: row["missed"][0] for row in of_all_sets("by_accuracy", size)}
    assert missed["pooled"] <= min(missed["one threshold"], missed["exact, cells of 10"])
    (chosen_alike,) = (
        row for row in of_all_sets("by_accuracy", size) if row["way"] == "one threshold, pooled"
    )
    more, error = chosen_alike["pooled_misses_more"]
    assert more <= 2 * error


def test_the_gains_of_the_page_are_those_of_the_record():
    for name, *cells in table_under("gain: mean; worst, best"):
        found = [row for row in of_all_sets("by_method") if row["method"] == name.strip("*")]
        assert [cell.replace("*", "") for cell in cells] == [
            f"{points(row['gain'][0])}; {points(row['worst']['gain'][0])}, "
            f"{points(row['best']['gain'][0])}"
            for row in found
        ]


def test_the_misses_of_the_page_are_those_of_the_record():
    for name, *cells in table_under("missed; answered"):
        found = [row for row in of_all_sets("by_accuracy") if row["way"] == name.strip("*")]
        assert cells == [
            f"{100 * row['missed'][0]:.1f} %; {100 * row['answered'][0]:.1f} %" for row in found
        ]


def test_every_pair_on_which_pooled_is_worse_is_named():
    worse = {
        (row["set"], row["classifier"])
        for row in STUDY["pairs"]
        if row["gains"]["pooled"][0] < -max(0.02, 2 * row["gains"]["pooled"][1])
    }
    assert {(name, classifier) for name, classifier, *_ in table_under("worse on")} == worse


def test_every_pair_on_which_another_method_is_clearly_ahead_is_named():
    assert table_under("behind with") == [
        [f"{row['size']:,}", row["set"], row["classifier"], row["method"], gain(row["ahead"])]
        for row in STUDY["behind"]
    ]


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (ROOT / "docs" / target).exists(), target
