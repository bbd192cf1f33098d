"""What the guide says in passing is what the studies it links to have found."""

import json
from math import ceil, log
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"


def words(name):
    return " ".join((DOCS / "guide" / name).read_text(encoding="utf-8").split())


def record(name):
    return json.loads((DOCS / "benchmarks" / name).read_text(encoding="utf-8"))


def find(rows, **wanted):
    (found,) = (row for row in rows if all(row[name] == wanted[name] for name in wanted))
    return found


# --- local or global ----------------------------------------------------------------------------

LOCAL, STUDY = words("local-or-global.md"), record("local_thresholds.json")


def points(value):
    return f"{value:+.2f}".replace("-", "−")


def of_all_sets(table, **wanted):
    wanted = {"sets": "all", **wanted}
    return [row for row in STUDY[table] if wanted.items() <= row.items()]


def test_what_local_thresholds_gain_is_as_in_the_study():
    for size in (200, 600, 2000):
        found = [
            find(of_all_sets("by_method", size=size), method=method)
            for method in ("pooled", "exact, cells of 10")
        ]
        cells = [f"{points(at['gain'][0])}, {points(at['worst']['gain'][0])}" for at in found]
        assert f"| {size:,} | {cells[0]} | {cells[1]} |" in LOCAL
    assert f"on {len(STUDY['sets'])} sets, with {STUDY['settings']['draws']} draws each" in LOCAL
    most = max(row["ahead"][0] for row in STUDY["behind"])
    assert f"On some sets it gains up to {most:.1f} points more" in LOCAL


def test_how_often_an_accuracy_is_missed_is_as_in_the_study():
    told = []
    for way in ("pooled", "exact, cells of 10"):
        missed = [100 * row["missed"][0] for row in of_all_sets("by_accuracy", way=way)]
        told.append(f"in {min(missed):.0f} to {max(missed):.0f} %")
    assert f"{told[0]} of the cases in the study, exact thresholds {told[1]}" in LOCAL


# --- guarantees ---------------------------------------------------------------------------------

GUARANTEES, RUNS = words("guarantees.md"), record("guarantee.json")


def test_how_often_a_guarantee_fails_is_as_in_the_simulation():
    missed = [100 * row["missed"] for row in RUNS["validity"]]
    told = f"{min(missed):.1f} to {max(missed):.1f} % of the fits"
    assert f"the promise is broken in {told}, where {100 * RUNS['level']:.0f} % are allowed" in (
        GUARANTEES
    )
    assert {f"{row['runs']:,}" for row in RUNS["validity"]} == {"1,000"}
    assert "1,000 fits on each of [several known populations]" in GUARANTEES


def test_how_many_answers_an_accuracy_takes_is_what_the_binomial_tail_says():
    least = ceil(log(1 - 0.95) / log(0.99))
    assert f"99 % with confidence 0.95 takes {least} answers without any error" in GUARANTEES
