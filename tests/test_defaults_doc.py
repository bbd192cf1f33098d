"""The page on defaults is true: its figures are those of the study, its choice is in the models."""

import inspect
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from abstain import models
from abstain.models import rslvq

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "defaults.md").read_text(encoding="utf-8")
TEXT = " ".join(PAGE.split())
STUDY = json.loads((ROOT / "docs" / "benchmarks" / "defaults.json").read_text(encoding="utf-8"))


def table_under(first_column):
    """Return the cells of a table, header first, found by the name of its first column."""
    tables = re.findall(r"(?:^\|.*\|\n)+", PAGE, re.MULTILINE)
    rows = [
        [[cell.strip() for cell in line.strip("|\n").split("|")] for line in lines]
        for lines in (table.splitlines() for table in tables)
    ]
    (found,) = (table for table in rows if table[0][0] == first_column)
    return found


def points(share):
    return f"{100 * share:+.1f}".replace("-", "−")


def gain(figures):
    return f"{points(figures['gain'])} ± {100 * figures['error']:.1f}"


def percent(share):
    return f"{100 * share:.0f} %"


def find(records, **wanted):
    (found,) = (row for row in records if all(row.get(name) == wanted[name] for name in wanted))
    return found


def number(text):
    return None if text == "identity" else float(text)


@pytest.mark.parametrize("model", STUDY["chosen"])
def test_what_was_chosen_is_what_the_models_have(model):
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(getattr(models, model)).parameters.items()
    }
    chosen = dict(STUDY["chosen"][model])
    assert chosen.pop("bandwidth", rslvq.BANDWIDTH) == rslvq.BANDWIDTH
    assert {name: defaults[name] for name in chosen} == chosen


def test_the_sets_are_those_of_the_study():
    _, _, *rows = table_under("set")
    shown = [row[:1] + row[1:2] + [int(cell.replace(",", "")) for cell in row[2:]] for row in rows]
    columns = ["name", "half", "rows", "features", "classes", "missing"]
    assert shown == [[row[name] for name in columns] for row in STUDY["sets"]]
    halves = [row["half"] for row in STUDY["sets"]]
    names = [row["name"] for row in STUDY["sets"]]
    # The rule that dealt them out.
    assert names == sorted(names)
    assert halves == ["choice", "report"] * (len(names) // 2)


def halves(record):
    return f"{gain(record['choice'])}; {points(record['report']['gain'])}"


def test_the_gains_by_beta_are_those_of_the_study():
    header, _, *rows = table_under("model, regularization")
    betas = [number(name.removeprefix("beta ")) for name in header[1:]]
    for name, *cells in rows:
        model, _, regularization = name.partition(", ")
        fixed = {"regularization": float(regularization)} if regularization else {}
        found = [find(STUDY["cost"], model=model, beta=beta, **fixed) for beta in betas]
        assert cells == [halves(record) for record in found]
    assert len(rows) * len(betas) == sum("beta" in record for record in STUDY["cost"])


def test_the_gains_by_bandwidth_are_those_of_the_study():
    header, _, *rows = table_under("model, one change")
    n_models = 0
    for model, *cells in rows:
        before = {name: STUDY["before"][name] for name in ("bandwidth", "regularization")}
        for column, cell in zip(header[1:], cells, strict=True):
            name, value = column.split()
            if model == "RSLVQ":
                assert (cell == "") == (name == "regularization")
                before = {"bandwidth": STUDY["before"]["bandwidth"]}
            if cell:
                changed = {**before, name: float(value)}
                assert cell == halves(find(STUDY["cost"], model=model, **changed))
                n_models += 1
    n_tried = sum("bandwidth" in record for record in STUDY["cost"])
    assert n_models == n_tried - len(rows)  # what was the default gains nothing over itself


def test_when_fits_end_is_as_in_the_study():
    header, _, *rows = table_under("tol, max_iter")
    for name, *cells in rows:
        tol, max_iter = map(float, name.split(", "))
        for model, cell in zip(header[1:], cells, strict=True):
            record = find(STUDY["end_of_fits"], model=model, tol=tol, max_iter=max_iter)["all"]
            shown = f"{points(record['gain'])}; {percent(record['warned'])}; {record['time']:.2f}"
            assert cell == shown
    assert len(rows) * len(header[1:]) == len(STUDY["end_of_fits"])


def test_the_outcome_is_that_of_the_study():
    _, _, *rows = table_under("model")
    assert [row[0] for row in rows] == list(STUDY["chosen"])
    for model, chosen, *cells in rows:
        record = find(STUDY["outcome"], model=model)
        report = record["report"]
        before = STUDY["before"]
        changes = [
            f"{name} {before[name]:g} → {value:g}"
            for name, value in STUDY["chosen"][model].items()
            if value != before[name]
        ]
        assert chosen == ", ".join(changes)
        left_out = STUDY["leave_one_out"]
        assert cells == [
            f"{report['accuracy']:.3f}",
            gain(record["choice"]),
            gain(report),
            f"{points(left_out['gain'][model])} ± {100 * left_out['error'][model]:.1f}",
            f"{points(record['risk_all']['change'])} ± {100 * record['risk_all']['error']:.1f}",
            percent(report["warned"]),
            f"{report['time']:.2f}",
        ]


def test_the_figures_about_the_end_of_fits_are_those_of_the_study():
    def records(max_iter, tol=1e-5):
        found = STUDY["end_of_fits"]
        return {m: find(found, model=m, max_iter=max_iter, tol=tol) for m in STUDY["chosen"]}

    before, after = records(200), records(500)
    segment = [row["name"] for row in STUDY["sets"]].index("segment")
    assert before["RSLVQ"]["fits_warned"][segment] == 1
    assert before["MRSLVQ"]["fits_warned"][segment] == STUDY["sets"][segment]["splits"] == 5
    share = percent(before["MRSLVQ"]["choice"]["warned"])
    assert f"MRSLVQ warned in {share} of the fits on the sets of choice (every fit on" in TEXT
    share = percent(before["LGMLVQ"]["report"]["warned"])
    assert f"LGMLVQ in {share} of those on the sets of report. With 500 no fit warned" in TEXT
    assert not any(sum(row["fits_warned"]) for row in after.values())
    slowest = max(row["all"]["time"] for row in after.values())
    assert f"no model took more than {slowest:.2f} times as long" in TEXT
    loose, tight = records(200, 1e-4), records(1000, 1e-6)
    times = [row["all"]["time"] for row in loose.values()]
    assert f"takes {min(times):.2f} to {max(times):.2f} of the time" in TEXT
    losses = [-100 * loose[model]["all"]["gain"] for model in ("LGMLVQ", "MRSLVQ")]
    assert "costs LGMLVQ {:.1f} and MRSLVQ {:.1f} points".format(*losses) in TEXT
    slowest = max(row["all"]["time"] for row in tight.values())
    assert f"1e-06 takes up to {slowest:.2f} times as long" in TEXT


def test_the_figures_about_one_beta_for_all_are_those_of_the_study():
    one, local = (find(STUDY["one_for_all"], model=model) for model in ("GMLVQ", "LGMLVQ"))
    assert one["beta"] == local["beta"] == 10
    assert f"({gain(one['choice'])} and {gain(local['choice'])} points there" in TEXT
    assert f"{gain(one['report'])} and {gain(local['report'])} on the sets of report" in TEXT
    risks = [
        f"{100 * row['risk_all']['change']:.1f} ± {100 * row['risk_all']['error']:.1f}"
        for row in (one, local)
    ]
    assert f"AURC rises by {risks[0]} and {risks[1]} points" in TEXT


def test_the_figures_about_what_is_open_are_those_of_the_study():
    without = STUDY["leave_one_out"]["chosen"]
    count = Counter(
        (model, name, value)
        for choice in without
        for model, setting in choice.items()
        for name, value in setting.items()
    )
    betas = [count["GLVQ", "beta", value] for value in (10, 20)]
    assert "GLVQ is 10 in {} cases and 20 in {},".format(*betas) in TEXT
    betas = [count["GRLVQ", "beta", value] for value in (10, 5)]
    assert "GRLVQ 10 in {} and 5 in {};".format(*betas) in TEXT
    narrow = [count[model, "bandwidth", 0.03] for model in ("RSLVQ", "MRSLVQ")]
    assert "RSLVQ is 0.03 in {} cases and that of MRSLVQ in {}.".format(*narrow) in TEXT
    stiff = find(STUDY["cost"], model="LGMLVQ", beta=5.0, regularization=0.1)
    wide = find(STUDY["cost"], model="LMRSLVQ", bandwidth=0.3)
    stiff, wide = (
        [gain(record[half]).removeprefix("+") for half in ("report", "choice")]
        for record in (stiff, wide)
    )
    assert f"gains {stiff[0]} points on the sets of report and {stiff[1]} on the sets" in TEXT
    assert f"a bandwidth of 0.3 gives LMRSLVQ {wide[0]} and {wide[1]}:" in TEXT


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (ROOT / "docs" / target).exists(), target
