"""What is published of the study is one whole run."""

import json

import polars as pl
import pytest
from scipy.stats import binomtest

from abstain.study import make_plan
from abstain.study.claims import paper_claims
from tools.numbers.writing import DOCS
from tools.publish_study import FIGURES, PAGE, TABLES, page, publish

RESULTS = DOCS / "results"
CLAIMS = pl.read_csv(RESULTS / "claims.csv").to_dicts()
RUN = json.loads((RESULTS / "run.json").read_text())


def test_the_page_is_that_of_the_tables():
    assert (RESULTS / PAGE).read_text(encoding="utf-8") == page(RESULTS)


def test_it_is_the_whole_study():
    plan = json.loads((RESULTS / "configuration.json").read_text())["plan"]
    assert plan == json.loads(json.dumps(make_plan().as_dict()))
    n_tasks = len(make_plan().tasks())
    assert RUN["tasks"] == f"{n_tasks} of {n_tasks}"
    published = {row["id"] for row in CLAIMS}
    assert {claim.id for claim in paper_claims()} <= published
    assert all((RESULTS / name).stat().st_size for name in [*TABLES, *FIGURES])


def test_every_verdict_is_that_of_its_interval():
    ranges = {claim.id: (claim.low, claim.high) for claim in paper_claims()}
    for row in CLAIMS:
        if row["id"] in ranges:
            low, high = ranges[row["id"]]
            inside = low <= row["low"] and row["high"] <= high
            outside = row["high"] < low or row["low"] > high
            expected = "holds" if inside else "differs" if outside else "inconclusive"
            # Little of a claim can be read where curves end early.
            early = "; curves end at" in row["statement"] and row["verdict"] == "inconclusive"
            assert early or row["verdict"] == expected, row["id"]


def test_answers_contradict_no_certified_accuracy():
    rows = pl.read_csv(RESULTS / "guarantees.csv").to_dicts()
    certified = [row for row in rows if row["source"] == "guaranteed" and row["answers"]]
    assert certified
    for row in certified:
        n_right = round(row["reached"] * row["answers"])
        tail = binomtest(n_right, row["answers"], row["accuracy"], alternative="less")
        assert tail.pvalue > 0.05, row["set"]
    below = [row["set"] for row in certified if row["reached"] < row["accuracy"]]
    assert below == ["haberman"]  # as the page says


def test_what_is_published_is_published_again(tmp_path):
    publish(RESULTS, tmp_path / "new")
    for name in [*TABLES, *FIGURES, PAGE, "run.json", "configuration.json"]:
        assert (tmp_path / "new" / name).read_bytes() == (RESULTS / name).read_bytes()


def test_half_a_study_is_not_published(tmp_path):
    (tmp_path / "run.json").write_text(json.dumps(RUN | {"tasks": "3 of 840"}))
    with pytest.raises(SystemExit, match=r"there is no claims\.csv; run the study again"):
        publish(tmp_path, tmp_path / "new")
    for file in RESULTS.iterdir():
        if file.name != "run.json":
            (tmp_path / file.name).write_bytes(file.read_bytes())
    with pytest.raises(SystemExit, match="is not finished: 3 of 840 tasks; run the study again"):
        publish(tmp_path, tmp_path / "new")
    assert not (tmp_path / "new").exists()
