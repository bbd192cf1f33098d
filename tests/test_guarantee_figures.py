"""What the fits and comparisons on record show."""

import json
from pathlib import Path

import pytest

from abstain.classifier.holding_out import HELD_OUT

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = (DOCS / "guarantee.md").read_text(encoding="utf-8")
RECORD = json.loads((DOCS / "benchmarks" / "guarantee.json").read_text(encoding="utf-8"))
OURS, TAUGHT = "abstain, calibration samples alone", "abstain, taught out of fold"


def table(lines):
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def validity():
    lines = [
        ["population", "samples", "classifier", "missed", "samples answered", "refused"],
        ["---", "---:", "---", "---:", "---:", "---:"],
    ]
    for row in RECORD["validity"]:
        shares = [f"{100 * row[name]:.1f} %" for name in ("missed", "coverage", "refused")]
        lines.append([row["population"], f"{row['samples']:,}", row["way"], *shares])
    return lines


def comparison(part="comparison"):
    """Return the certified coverage of each procedure (rows) at each size (columns)."""
    found = {(row["procedure"], row["samples"]): row["coverage"] for row in RECORD[part]}
    sizes = sorted({size for _, size in found})
    lines = [["procedure", *(f"{size:,}" for size in sizes)], ["---", *["---:"] * len(sizes)]]
    for name in dict.fromkeys(name for name, _ in found):
        told = [f"{found[name, size]:.3f}" if (name, size) in found else "" for size in sizes]
        lines.append([name, *told])
    return lines


def shares():
    rows = RECORD["shares"]
    held_out = list(dict.fromkeys(row["share"] for row in rows))
    lines = [["sets", "rows", *(f"{share:g}" for share in held_out)]]
    lines.append(["---", "---:", *["---:"] * len(held_out)])
    for use, size in dict.fromkeys((row["use"], row["samples"]) for row in rows):
        some = [row for row in rows if (row["use"], row["samples"]) == (use, size)]
        lines.append([use, f"{size:,}", *(f"{row['coverage']:.3f}" for row in some)])
    return lines


def test_the_page_has_the_tables_on_record():
    assert table(validity()) in PAGE
    assert table(comparison()) in PAGE
    assert table(shares()) in PAGE
    assert f"up to {100 * RECORD['allowed']:.1f} % may miss" in " ".join(PAGE.split())


def test_certified_accuracies_hold_as_often_as_promised():
    assert len({row["population"] for row in RECORD["validity"]}) >= 4
    for row in RECORD["validity"]:
        assert row["runs"] == 1000
        assert row["missed"] <= RECORD["allowed"], row


def coverages(part, size):
    return {row["procedure"]: row["coverage"] for row in RECORD[part] if row["samples"] == size}


def best_of_others(coverage):
    return max(
        value for name, value in coverage.items() if not name.startswith(("abstain", "oracle"))
    )


# On all sets, and on those on which no constant of the procedure was chosen.
@pytest.mark.parametrize("part", ["comparison", "fresh_sets"])
@pytest.mark.parametrize("size", [200, 300, 500, 700, 1000, 2000])
def test_no_other_procedure_certifies_more(part, size):
    coverage = coverages(part, size)
    ratio = coverage[OURS] / best_of_others(coverage)
    assert ratio >= 0.97
    assert coverage[TAUGHT] >= 0.97 * best_of_others(coverage)
    assert f"{ratio:.2f}" in PAGE


def test_the_costs_and_exceptions_are_told():
    assert f"more than {100 * max(row['missed'] for row in RECORD['comparison']):.1f} % of" in PAGE
    for pair in ("gas_drift, GaussianNB", "pearl necklace, GMLVQ"):
        (row,) = (row for row in RECORD["pairs"] if (row["pair"], row["samples"]) == (pair, 500))
        assert f"{row[OURS]:.2f} beside {row['of_best']:.2f}" in " ".join(PAGE.split())
        assert f"{row[TAUGHT]:.2f}" in PAGE


# On sets that had no part in the choice; a difference counts from two standard errors on.
def test_no_other_share_is_clearly_better_than_the_default():
    rows = [row for row in RECORD["shares"] if row["use"] == "tried on"]
    assert HELD_OUT in {row["share"] for row in rows}
    for share in {row["share"] for row in rows}:
        gains = [row for row in rows if row["share"] == share]
        assert not all(row["difference"] > 2 * row["standard_error"] > 0 for row in gains)
