"""What the thousand simulated fits on record show."""

import json
from pathlib import Path

import pytest

from abstain import Accuracy

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = (DOCS / "guarantee.md").read_text(encoding="utf-8")
FILE = DOCS / "benchmarks" / "guarantee.json"
RECORD = json.loads(FILE.read_text())
ROWS = {(row["population"], row["way"]): row for row in RECORD["rows"]}

POPULATIONS = {"smooth": "differs by cell", "ties": "ties", "flat": "says nothing"}


def table(lines):
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def misses():
    """Return how often each way misses the accuracy, and how much it answers."""
    lines = [
        ["certainty", "thresholds", "missed", "samples answered", "nothing certified"],
        ["---", "---", "---:", "---:", "---:"],
    ]
    for (population, way), row in ROWS.items():
        shares = [f"{100 * row[name]:.1f} %" for name in ("missed", "coverage", "nothing")]
        lines.append([POPULATIONS[population], way, *shares])
    return lines


def shares():
    """Return what is answered, by number of samples and share held out."""
    rows = [row for row in RECORD["shares"] if row["population"] == "smooth"]
    held_out = list(dict.fromkeys(row["share"] for row in rows))
    lines = [["samples", *(f"{share:g}" for share in held_out)], ["---:"] * (len(held_out) + 1)]
    for size in dict.fromkeys(row["samples"] for row in rows):
        found = [row["coverage"] for row in rows if row["samples"] == size]
        lines.append([f"{size:,}", *(f"{100 * coverage:.1f} %" for coverage in found)])
    return lines


def test_the_page_has_the_tables_on_record():
    assert table(misses()) in PAGE
    assert table(shares()) in PAGE
    assert f"up to {100 * RECORD['allowed']:.1f} % may miss" in PAGE


@pytest.mark.parametrize("population", ["smooth", "ties", "flat"])
def test_certified_accuracies_hold_and_leave_as_much_as_the_test_by_hand(population):
    row = ROWS[population, "certified"]
    assert row["runs"] == 1000
    assert row["missed"] <= RECORD["allowed"]
    assert row["coverage"] >= 0.95 * ROWS[population, "by hand"]["coverage"]
    assert ROWS[population, "picked without a test"]["missed"] > 5 * RECORD["level"]


def test_where_something_can_be_certified_most_samples_are_answered():
    assert ROWS["smooth", "certified"]["coverage"] > 0.8
    assert ROWS["ties", "certified"]["coverage"] > 0.8


# Half and half answers as much as any other share that was tried, but for three points at most.
@pytest.mark.parametrize("population", ["smooth", "ties"])
@pytest.mark.parametrize("n_samples", [600, 1200, 4800])
def test_the_default_share_is_a_good_one(population, n_samples):
    coverage = {
        row["share"]: row["coverage"]
        for row in RECORD["shares"]
        if (row["population"], row["samples"]) == (population, n_samples)
    }
    assert len(coverage) == 6
    assert coverage[Accuracy(0.9, confidence=0.9).test_size] >= max(coverage.values()) - 0.03
