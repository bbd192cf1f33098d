"""A worklist has all rejected rows and a random share of the others, the most useful first."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstain import GLVQ, InputError, RejectOptionClassifier, RejectRate
from abstain.tables import (
    WorklistOptions,
    answer_frame,
    answer_table,
    fit_table,
    open_table,
    read_table,
    worklist_frame,
)
from abstain.tables.batch import answer_tables, plan_jobs
from abstain.tables.fitting import FitOptions
from abstain.tables.reading import TextOptions
from abstain.tables.worklist import ABOUT, uniforms
from tests.tables.conftest import make_patients


@given(st.integers(0, 2**63), st.integers(0, 40), st.integers(0, 40))
def test_the_number_of_a_row_does_not_depend_on_the_block_it_is_in(seed, start, size):
    assert uniforms([seed, 1], 0, 80)[start : start + size].tolist() == (
        uniforms([seed, 1], start, size).tolist()
    )


@pytest.fixture(scope="module")
def new():
    """New patients, of whom some are outliers and some are empty."""
    frame = make_patients(300, seed=7)
    age = pl.when(pl.int_range(pl.len()) % 60 == 0).then(pl.col("Alter") * 12).otherwise("Alter")
    empty = frame.clear(2).with_columns(Patient=pl.Series(["E1", "E2"]))
    return pl.concat([frame.with_columns(age), empty])


def test_all_rejected_rows_are_listed_in_the_order_of_their_use(fitted, new):
    answers = new.with_columns(answer_frame(fitted.clf, new)).with_row_index("row", offset=2)
    listed = worklist_frame(fitted.clf, new, id="Patient")
    needed = ["Größe", "Alter", "Organ"]
    assert listed.columns == ["row", "Patient", *needed, *ABOUT]
    rejected = answers.filter(pl.col("answer") == "rejected")
    assert sorted(listed["row"]) == rejected["row"].to_list()
    same = rejected.join(listed, on="row", suffix=" listed", how="left")
    for name in ("Patient", "Größe", "Organ", "answer", "withheld", "reason"):
        assert same[name].to_list() == same[f"{name} listed"].to_list()
    assert set(listed["why_listed"]) == {"rejected"}
    assert set(listed["weight"]) == {1.0}
    assert listed["expert_answer"].null_count() == len(listed)
    kinds = listed["reason"].str.slice(0, 3).to_list()
    assert [*dict.fromkeys(kinds)] == ["unl", "bet", "all"]  # outliers, ambiguous, empty
    assert Counter(kinds)["all"] == 2
    unsure = listed.filter(pl.col("reason").str.starts_with("between"))["correct_proba"]
    assert unsure.is_sorted()
    assert unsure.null_count() == 0


# Which rows are audited depends on the seed and their places, not on what the model says of them.
def test_audited_rows_are_a_random_share_of_the_answered_ones(fitted):
    frame = make_patients(4000, seed=5)
    is_answered = answer_frame(fitted.clf, frame)["answer"] != "rejected"
    answered = set((np.flatnonzero(is_answered) + 2).tolist())
    for seed in (0, 1):
        listed = worklist_frame(fitted.clf, frame, audit=0.1, seed=seed)
        audited = listed.filter(pl.col("why_listed") == "audit")
        drawn = set((np.flatnonzero(uniforms([seed, 0], 0, 4000) < 0.1) + 2).tolist())
        assert set(audited["row"]) == drawn & answered
        assert abs(len(audited) - 0.1 * len(answered)) < 5 * np.sqrt(0.09 * len(answered))
        assert set(audited["weight"]) == {10.0}
        assert set(audited["withheld"]) == {""}
        # The weights of all listed rows count all rows of the table.
        assert abs(listed["weight"].sum() - 4000) < 5 * np.sqrt(0.9 / 0.1 * len(answered))
        # Any beginning of the list has its share of both kinds.
        half = listed.head(len(listed) // 2)["why_listed"]
        assert abs((half == "audit").sum() - len(audited) / 2) <= 1


# The withheld answer that is most probably wrong comes before all audited ones.
@pytest.mark.parametrize("audit", [0.01, 0.1, 0.5, 0.99])
def test_the_most_useful_row_comes_first_however_many_are_audited(fitted, new, audit):
    listed = worklist_frame(fitted.clf, new, audit=audit, seed=1)
    rejected = listed.filter(pl.col("why_listed") == "rejected")
    assert listed["row"][0] == rejected["row"][0]
    assert rejected["row"].to_list() == worklist_frame(fitted.clf, new)["row"].to_list()
    n_first = (listed["why_listed"] == "audit").cum_sum()
    n_audited = n_first[-1]
    expected = pl.int_range(1, len(listed) + 1, eager=True) * n_audited / len(listed)
    assert (n_first - expected).abs().max() <= 1.5


def test_probabilities_of_a_list_have_four_digits(fitted, new):
    listed = worklist_frame(fitted.clf, new, audit=0.5)["correct_proba"].drop_nulls()
    assert all(value == float(f"{value:.4g}") for value in listed)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "xlsx"])
@pytest.mark.parametrize("block_size", [700, 1 << 20])
def test_the_file_has_what_memory_has(tmp_path, fitted, new, suffix, block_size):
    if suffix == "xlsx":
        pytest.importorskip("fastexcel", reason="pip install '.[excel]' to test Excel")
    new.write_csv(tmp_path / "new.csv")
    todo = tmp_path / f"todo.{suffix}"
    options = WorklistOptions(todo, "Patient", audit=0.2, seed=3)
    table = open_table(tmp_path / "new.csv", block_size=block_size)
    counts = answer_table(fitted.clf, table, tmp_path / "out.csv", worklist=options)
    listed = read_table(open_table(todo))
    expected = worklist_frame(fitted.clf, new, id="Patient", audit=0.2, seed=3)
    assert listed.columns == expected.columns
    assert counts.n_audited == (expected["why_listed"] == "audit").sum()
    for name in ("Patient", "Organ", "answer", "withheld", "rival", "reason", "why_listed"):
        own = dict(zip(listed["row"].cast(pl.Float64), listed[name].fill_null(""), strict=True))
        assert own == dict(zip(expected["row"], expected[name].fill_null(""), strict=True))
    sizes = listed["Größe"].cast(pl.Float64).to_list()
    by_row = dict(zip(expected["row"], expected["Größe"], strict=True))
    assert sizes == [by_row[int(float(row))] for row in listed["row"]]
    assert {path.name for path in tmp_path.iterdir()} == {"new.csv", "out.csv", todo.name}


def test_without_a_seed_a_table_has_its_own(tmp_path, fitted):
    chosen = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        make_patients(400, seed=seed).write_csv(tmp_path / f"{name}.csv")
        options = WorklistOptions(tmp_path / f"todo-{name}.csv", audit=0.1)
        answer_table(fitted.clf, open_table(tmp_path / f"{name}.csv"), None, worklist=options)
        listed = pl.read_csv(options.out).filter(pl.col("why_listed") == "audit")
        chosen.append(sorted(listed["row"].to_list()))
    assert chosen[0] == chosen[1]
    assert chosen[0] != chosen[2]


def test_a_list_of_no_rows_has_its_header(tmp_path, fitted, patients):
    clf = RejectOptionClassifier(GLVQ(), cv=2, target=RejectRate(0.0), outliers=None)
    clf.fit(pl.DataFrame({"a": [0.0, 1.0, 4.0, 5.0] * 5}), ["a", "a", "b", "b"] * 5)
    (tmp_path / "new.csv").write_text("a\n0.5\n4.5\n")
    options = WorklistOptions(tmp_path / "todo.csv")
    answer_table(clf, open_table(tmp_path / "new.csv"), None, worklist=options)
    assert pl.read_csv(options.out).columns == ["row", "a", *ABOUT]


def test_identifiers_stay_as_they_were_and_no_text_is_a_formula(tmp_path):
    rows = [f"00{n};{n % 9},5;{n % 7};{'b' if n % 2 else '=a'}" for n in range(40)]
    (tmp_path / "t.csv").write_text("\n".join(["id;answer;row;kind", *rows]))
    options = FitOptions("kind", model="glvq", target=RejectRate(0.9), drop=["id"])
    table = open_table(tmp_path / "t.csv")
    clf = fit_table(table, options).clf
    answer_table(clf, table, None, worklist=WorklistOptions(tmp_path / "todo.csv", id="id"))
    header, *lines = (tmp_path / "todo.csv").read_text("utf-8-sig").splitlines()
    names = header.split(";")
    assert names[:5] == ["abstain_row", "id", "answer", "row", "abstain_answer"]
    for line in lines:
        row = dict(zip(names, line.split(";"), strict=True))
        assert row["id"] == f"00{int(row['abstain_row']) - 2}"
        assert row["answer"] in {f"{n},5" for n in range(9)}
    assert {line.split(";")[5] for line in lines} == {"'=a", "b"}


def test_several_tables_have_one_list(tmp_path, fitted):
    for name in ("a", "b"):
        make_patients(100, seed=ord(name)).write_csv(tmp_path / f"{name}.csv")
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    options = WorklistOptions(tmp_path / "todo.csv", "Patient", audit=0.3, seed=0)
    jobs = plan_jobs(paths, None, TextOptions())
    counts = answer_tables(fitted.clf, jobs, reject_mark="rejected", worklist=options)
    listed = pl.read_csv(options.out)
    assert listed.columns[:3] == ["row", "table", "Patient"]
    by_table = listed.filter(pl.col("why_listed") == "rejected")["table"].value_counts()
    assert dict(by_table.rows()) == {
        path.name: each.n_rejected for path, each in zip(paths, counts.each, strict=True)
    }
    assert counts.total.n_audited == (listed["why_listed"] == "audit").sum() > 0


def test_answers_and_list_appear_together_or_not_at_all(tmp_path, fitted):
    (tmp_path / "new.csv").write_text("Größe,Alter,Organ\n1.5,40,Leber\n2.5,alt,Leber\n", "utf-8")
    options = WorklistOptions(tmp_path / "todo.csv")
    table = open_table(tmp_path / "new.csv")
    with pytest.raises(InputError, match="'alt' in row 3"):
        answer_table(fitted.clf, table, tmp_path / "out.csv", worklist=options)
    assert [path.name for path in tmp_path.iterdir()] == ["new.csv"]


def test_lists_that_cannot_be(tmp_path, fitted, patients):
    with pytest.raises(InputError, match=r"must end with one of \.csv, \.tsv, \.xlsx"):
        WorklistOptions(tmp_path / "todo.parquet").check()
    with pytest.raises(InputError, match="audit must be"):
        WorklistOptions(tmp_path / "todo.csv", audit=1.5)
    with pytest.raises(InputError, match=r"id='Patent' is not a column .* mean 'Patient'\?"):
        worklist_frame(fitted.clf, patients, id="Patent")
    patients.write_csv(tmp_path / "t.csv")
    options = WorklistOptions(tmp_path / "todo.csv", id="Patent")
    with pytest.raises(InputError, match=r"id='Patent' is not a column of .* mean 'Patient'\?"):
        answer_table(fitted.clf, open_table(tmp_path / "t.csv"), None, worklist=options)
