"""The page on probabilities is true: its figures are those of the benchmark."""

import json
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = (DOCS / "probability.md").read_text(encoding="utf-8")
TEXT = " ".join(PAGE.split())
RECORD = json.loads((DOCS / "benchmarks" / "reliability.json").read_text(encoding="utf-8"))
FORESTS = [row for row in RECORD["rows"] if row["classifier"] == "random forest"]
WAYS = ["estimated", "posterior", "isotonic"]


def table(rows, key):
    """Return Brier score and log loss of each way."""
    lines = [
        [key, f"Brier: {WAYS[0]}", *WAYS[1:], f"log loss: {WAYS[0]}", *WAYS[1:]],
        ["---", *["---:"] * 6],
    ]
    for row in rows:
        scores = [row[score].get(way) for score in ("brier", "log_loss") for way in WAYS]
        lines.append([row[key], *("" if score is None else f"{score:.3f}" for score in scores)])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def verdict(beside, score):
    (row,) = (r for r in RECORD["verdicts"] if (r["beside"], r["score"]) == (beside, score))
    return row


def test_tables_are_those_of_the_benchmark():
    assert table(RECORD["by_set"], "set") in PAGE
    assert table(RECORD["by_classifier"], "classifier") in PAGE


def test_the_estimate_beats_the_posterior_and_is_at_least_level_with_one_isotonic_curve():
    for beside in ("posterior", "isotonic"):
        for score in ("brier", "log_loss"):
            row = verdict(beside, score)
            assert row["better"] > 4 * row["worse"], row


def test_verdicts_are_those_of_the_benchmark():
    for beside in ("posterior", "isotonic"):
        row = verdict(beside, "log_loss")
        told = f"better in {row['better']} of {row['pairs']} pairs and worse in {row['worse']}"
        assert told in TEXT


def test_errors_are_those_of_the_benchmark():
    errors = RECORD["all"]["calibration_error"]
    told = f"off by {100 * errors['estimated']:.1f} points on average, the posterior by"
    assert f"{told} {100 * errors['posterior']:.1f}" in TEXT
    five, twenty, fifty = (100 * RECORD["folds"]["cv"][cv][0] for cv in ("5", "20", "50"))
    told = f"{five:.1f} points above the accuracy with `cv=5`, {twenty:.1f} with `cv=20`"
    assert f"{told} and {fifty:.1f} with `cv=50`" in TEXT


def test_the_ends_are_those_of_the_benchmark():
    for name, end in (("electricity", 0), ("four classes", -1)):
        (row,) = (r for r in FORESTS if r["set"] == name)
        tenth = row["estimated_bins"][end]
        told = f"{100 * tenth['accuracy']:.0f} % are right at a probability of"
        assert f"{told} {tenth['mean_probability']:.2f}" in TEXT
