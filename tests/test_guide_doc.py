"""What the guide says in passing is what the studies it links to have found."""

import inspect
import json
from math import ceil, log
from pathlib import Path

from abstain import RejectOptionClassifier

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
SETTINGS = STUDY["settings"]


def test_where_local_thresholds_help_is_as_in_the_study():
    necklace = find(STUDY["necklaces"], classifier="GMLVQ", source="cv")
    before, after = (necklace[way]["mean"] for way in ("global", "local"))
    coverage = f"at {100 * SETTINGS['necklace_coverage']:.0f} % coverage"
    told = f"with `cv={SETTINGS['folds']}`, the accuracy of `GMLVQ()` on new samples rises from"
    assert f"{coverage} and {told} {before:.3f} to {after:.3f}." in LOCAL


def test_how_errors_in_a_cell_matter_is_as_in_the_study():
    few, _, many = STUDY["by_errors"]
    gains = f"{many['better']} of {many['comparisons']} comparisons gain noticeably and none loses"
    assert f"With {many['least']} errors a cell or more, {gains}" in LOCAL
    assert many["worse"] == 0
    losses = f"{few['worse']} of {few['comparisons']} comparisons lose noticeably"
    assert f"Below {few['most']} a cell, {losses} and {few['better']} gain." in LOCAL


def test_where_local_thresholds_make_no_difference_is_as_in_the_study():
    usual = {"source": "cv", "n": None, "size": SETTINGS["default_size"]}
    rows = [
        row
        for row in STUDY["pairs"]
        if usual.items() <= row.items() and not row["classifier"].startswith("tree")
    ]
    level = sum(row["area_verdict"] == "level" for row in rows)
    told = f"of {len(rows)} comparisons with prototypes or classes as cells"
    assert f"{told} and `cv={SETTINGS['folds']}`, {level} are within the noise" in LOCAL
    assert "of five classifiers on twelve sets" in LOCAL
    assert len(STUDY["sets"]) == 12
    assert len({row["classifier"] for row in STUDY["pairs"]}) == 5


def test_the_advice_is_that_of_the_study():
    default = inspect.signature(RejectOptionClassifier).parameters["min_cell_size"].default
    assert f"Leave `min_cell_size` at {default}." in LOCAL
    assert default == SETTINGS["default_size"]
    usual = [row for row in STUDY["by_size"] if (row["source"], row["size"]) == ("cv", default)]
    too_much = max(row["promised_too_much"][1] for row in usual)
    assert "trust the accuracy of `operating_point_` to about a point" in LOCAL
    assert round(100 * too_much) == 1


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
