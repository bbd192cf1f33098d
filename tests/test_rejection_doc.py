"""The page on reject options beside others is true: its figures are those of the benchmark."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "rejection.md").read_text(encoding="utf-8")
TEXT = " ".join(PAGE.split())
FILE = ROOT / "docs" / "benchmarks" / "rejection.json"
RESULTS = json.loads(FILE.read_text(encoding="utf-8"))
NAMES = {
    "abstain": "abstain",
    "sweep": "NumPy, by hand",
    "scikit_fallback": "scikit-fallback",
    "mapie": "MAPIE",
}
SHORT = {"LogisticRegression": "LR", "RandomForest": "RF"}
CASES = [(row["set"], row["classifier"]) for row in RESULTS["problems"]]
HEADS = [f"{name}, {SHORT[classifier]}" for name, classifier in CASES]
DEFAULTS = list(dict.fromkeys(row["method"] for row in RESULTS["by_hand"]))


def table(*lines):
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def figures(library, method):
    """Return the rows of a method, one for each data set and classifier."""
    wanted = {"library": library, "method": method}
    return [row for row in RESULTS["thresholds"] if wanted.items() <= row.items()]


def span(values, scale=1):
    ends = [f"{scale * end:,.0f}" for end in (min(values), max(values))]
    return "–".join(dict.fromkeys(ends))


def beside(out_of_fold, certifies):
    """Return what share each method answers, and how often it is clearly below the target."""
    kind = {"out_of_fold": out_of_fold}
    methods = dict.fromkeys(
        (row["library"], row["method"])
        for row in RESULTS["thresholds"]
        if kind.items() <= row.items() and bool(row["certifies"]) == certifies
    )
    lines = [
        ["library", "method", *HEADS, "draws", "ms", "lines"],
        ["---", "---", *("---:" for _ in HEADS), "---:", "---:", "---:"],
    ]
    for library, method in methods:
        rows = figures(library, method)
        cells = [f"{100 * row['coverage']:.0f} ({100 * row['clearly_below']:.0f})" for row in rows]
        draws, seconds = ([row[name] for row in rows] for name in ("draws", "seconds"))
        counts = [span(draws), span(seconds, 1000), str(rows[0]["lines"])]
        lines.append([NAMES[library], method, *cells, *counts])
    return table(*lines)


def gains():
    """Return how much more the defaults answer than what is written by hand, on the same draws."""
    lines = [["abstain", "by hand", *HEADS], ["---", "---", *("---:" for _ in HEADS)]]
    for method in DEFAULTS:
        rows = [row for row in RESULTS["by_hand"] if row["method"] == method]
        shown = [f"{100 * row['gain']:+.1f} ± {100 * row['standard_error']:.1f}" for row in rows]
        lines.append([method, rows[0]["by_hand"], *shown])
    return table(*lines)


def costs():
    """Return what thresholds out of fold cost beside the predictions alone."""
    rows = RESULTS["out_of_fold"]
    sets = list(dict.fromkeys(row["set"] for row in rows))
    lines = [["", *sets], ["---", *("---:" for _ in sets)]]
    for name in dict.fromkeys(row["classifier"] for row in rows):
        ratios = [row["ratio"] for row in rows if row["classifier"] == name]
        lines.append([name, *(f"{ratio:.2f}" for ratio in ratios)])
    return table(*lines)


@pytest.mark.parametrize("out_of_fold", [False, True])
@pytest.mark.parametrize("certifies", [False, True])
def test_the_methods_are_those_of_the_benchmark(out_of_fold, certifies):
    assert beside(out_of_fold, certifies) in PAGE


@pytest.mark.parametrize("make", [gains, costs])
def test_the_comparisons_are_those_of_the_benchmark(make):
    assert make() in PAGE


# --- what the page makes of it ------------------------------------------------------------------


def mean_coverage(library, method):
    rows = figures(library, method)
    return sum(row["coverage"] for row in rows) / len(rows)


def clearly_below(library, method):
    return sum(round(row["clearly_below"] * row["draws"]) for row in figures(library, method))


def test_the_default_misses_less_often_than_one_threshold_by_hand_and_answers_as_much():
    ours, by_hand = ("abstain", "default"), ("sweep", "one threshold")
    missed = [clearly_below(*way) for way in (ours, by_hand, ("abstain", "exact"))]
    assert missed == sorted(missed)
    n_draws = sum(row["draws"] for row in figures(*ours))
    told = f"in {missed[0]} of {n_draws:,} draws, one threshold by hand in {missed[1]}, exact local"
    assert told in TEXT
    assert f"the best on the calibration data) in {missed[2]}." in TEXT
    assert mean_coverage(*ours) >= mean_coverage(*by_hand)


def test_a_certified_default_answers_at_least_as_much_as_any_other():
    shares = [
        mean_coverage(*way)
        for way in [
            ("abstain", "default, confidence"),
            ("sweep", "fixed sequence, all test"),
            ("sweep", "fixed sequence, half tests"),
            ("mapie", "accuracy as own risk, split sequence"),
            ("abstain", "exact, confidence"),
        ]
    ]
    assert shares == sorted(shares, reverse=True)
    told = [f"{100 * share:.0f} %" for share in shares]
    assert f"answers {told[0]} of the samples" in TEXT
    assert f"by hand {told[1]}, a test on one half {told[2]}, MAPIE {told[3]}," in TEXT
    assert f'`method="exact"` {told[4]}.' in TEXT


def test_where_the_default_answers_less_than_by_hand():
    losses = [row for row in RESULTS["by_hand"] if row["gain"] < -2 * row["standard_error"]]
    told = [(row["set"], row["classifier"], row["method"]) for row in losses]
    assert told == [("segment", "LogisticRegression", "default, cv=5")]
    (row,) = (
        row
        for row in figures("abstain", told[0][2])
        if (row["set"], row["classifier"]) == told[0][:2]
    )
    assert f"{100 * row['accuracy']:.1f} % of its answers are right where 98 % were asked" in TEXT


def test_certified_answers_are_below_the_target_within_the_confidence():
    certified = [row for row in RESULTS["thresholds"] if row["certifies"]]
    assert max(row["clearly_below"] for row in certified) <= 1 - RESULTS["confidence"]


def test_no_library_failed():
    rows = RESULTS["thresholds"] + RESULTS["out_of_fold"]
    assert [row for row in rows if "failure" in row] == []
    assert {row["library"] for row in RESULTS["thresholds"]} == set(NAMES)
