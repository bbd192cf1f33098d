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
    "scikit_fallback": "scikit-fallback",
    "mapie": "MAPIE",
    "sweep": "NumPy, by hand",
}
COLUMNS = ["ms", "answered %", "right %", "clearly below", "certified", "lines"]
PROBLEMS = [(row["set"], row["classifier"], row["target"]) for row in RESULTS["problems"]]


def table(lines):
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def milliseconds(seconds):
    return f"{1000 * seconds:,.0f}" if seconds >= 0.01 else f"{1000 * seconds:.1f}"


def percent(share):
    return "" if share is None else f"{100 * share:.1f}"


def beside(name, classifier):
    """Return what every method does on one data set."""
    lines = [
        ["library", "method", "draws", *COLUMNS],
        ["---", "---", "---:", "---:", "---:", "---:", "---:", "---", "---:"],
    ]
    for row in RESULTS["thresholds"]:
        if (row["set"], row["classifier"]) == (name, classifier):
            lines.append(
                [
                    NAMES[row["library"]],
                    row["method"],
                    str(row["seeds"]),
                    milliseconds(row["processor_seconds"]),
                    percent(row["coverage"]),
                    percent(row["accuracy"]),
                    f"{100 * row['clearly_below']:.0f} %",
                    row["certifies"] or "",
                    str(row["lines"]),
                ]
            )
    return lines


def costs():
    """Return what thresholds out of fold cost beside the predictions alone."""
    rows = RESULTS["out_of_fold"]
    sets = list(dict.fromkeys(row["set"] for row in rows))
    lines = [["out of fold", *sets], ["---", *("---:" for _ in sets)]]
    for name in dict.fromkeys(row["classifier"] for row in rows):
        found = [row["ratio"] for row in rows if row["classifier"] == name]
        lines.append([name, *(f"{ratio:.3f}" for ratio in found)])
    return lines


@pytest.mark.parametrize(("name", "classifier", "target"), PROBLEMS)
def test_tables_are_those_of_the_benchmark(name, classifier, target):
    if f"## {name}, {classifier}" not in PAGE:
        pytest.fail(f"the page has no section on {name} with {classifier}")
    assert table(beside(name, classifier)) in PAGE
    assert f"## {name}, {classifier}: {target:g} asked for" in PAGE


def test_costs_are_those_of_the_benchmark():
    assert table(costs()) in PAGE
    held = sum(row["holds"] for row in RESULTS["out_of_fold"])
    assert f"held in {held} of {len(RESULTS['out_of_fold'])} cases" in TEXT


def rate_of(library, method, name="coverage"):
    """Return a figure of one method on all sets."""
    found = {"library": library, "method": method}
    return [row[name] for row in RESULTS["thresholds"] if found.items() <= row.items()]


# What the text makes of the tables.
def test_certified_thresholds_answer_less_and_are_seldom_clearly_below():
    pairs = [("local", "local, confidence"), ("global", "global, confidence")]
    for plain, certified in pairs:
        coverages = zip(rate_of("abstain", certified), rate_of("abstain", plain), strict=True)
        assert all(less < more for less, more in coverages)
        assert max(rate_of("abstain", certified, "clearly_below")) <= 0.02
        assert max(rate_of("abstain", plain, "clearly_below")) > 0.1


def test_with_a_certificate_one_threshold_answers_more_here():
    kinds = ("local, confidence", "global, confidence")
    local, one = (rate_of("abstain", kind) for kind in kinds)
    assert all(less < more for less, more in zip(local, one, strict=True))


def test_by_hand_a_little_more_is_certified_here():
    by_hand, ours = (
        rate_of("sweep", "one threshold, tested"),
        rate_of("abstain", "global, confidence"),
    )
    assert all(more > less for more, less in zip(by_hand, ours, strict=True))
    assert f"{100 * max(a - b for a, b in zip(by_hand, ours, strict=True)):.0f} points" in TEXT


def test_no_library_failed():
    assert [row for row in RESULTS["thresholds"] if "failure" in row] == []
    assert [row for row in RESULTS["out_of_fold"] if "failure" in row] == []
    assert {row["library"] for row in RESULTS["thresholds"]} == set(NAMES)
