"""Columns that name subjects are told from those that do not."""

import numpy as np
import polars as pl
import pytest

from abstain.tables.subjects import subject_columns

ROWS = np.arange(600)


def named(name, values):
    return subject_columns(pl.DataFrame({name: values}))


@pytest.mark.parametrize(
    "name",
    [
        *("patient", "Patient", "patient_id", "PatientID", "patient no.", "subject", "subject#"),
        *("Subject ID", "personId", "customer", "customer_id", "user", "user_key", "animal"),
        *("device_id", "plate_no", "site_id", "hospital code", "family", "donor", "Speaker"),
        *("id", "ID", "pid", "mrn", "ptid", "pat_id", "patid", "subj_id", "usubjid", "RID"),
        *("hadm_id", "nhs_number", "Patientennummer", "nr", "identifier", "Kunden-Nr."),
    ],
)
def test_names_of_subjects(name):
    assert named(name, ROWS % 60) == {name: 60}
    assert named(name, [f"x{row % 60}y" for row in ROWS]) == {name: 60}
    assert named(name, ROWS) == {}  # one row each
    assert named(name, ROWS % 3) == {}  # few: kinds of things
    assert named(name, (ROWS % 60) + 0.5) == {}  # measured


@pytest.mark.parametrize(
    "values", [[f"P{row % 60:03}" for row in ROWS], [f"pat-{10 + row % 60}" for row in ROWS]]
)
def test_numbered_texts_are_subjects_by_whatever_name(values):
    assert named("which", values) == {"which": 60}
    assert named("which", values[:60]) == {}


@pytest.mark.parametrize("write", [int, float, str, "x{}y".format])
def test_runs_of_equal_values_are_subjects_by_whatever_name(write):
    in_order = [write(row * 7 % 60) for row in range(60) for _ in range(10)]
    assert named("which", in_order) == {"which": 60}
    assert named("which", in_order[3:]) == {"which": 60}
    assert named("which", in_order[:300] * 2) == {}
    assert named("which", in_order[::10]) == {}


def test_names_that_end_in_id_name_subjects_if_each_has_few_rows():
    for name in ("protein_id", "proteinId"):
        assert named(name, ROWS % 60) == {name: 60}
        assert named(name, ROWS % 15) == {}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("sorted ages", np.sort(np.random.default_rng(0).binomial(90, 0.5, 600))),
        ("half-hour", ROWS % 48),
        ("dose", np.repeat(np.arange(15), 40)),
        ("code", ROWS % 60),
        ("age", ROWS % 60),
        ("device", [f"brand {row % 40}" for row in ROWS]),
        ("site", [f"organ {row % 15}" for row in ROWS]),
        ("purpose", [f"A{40 + row % 11}" for row in ROWS]),
        ("country", [f"{chr(65 + row % 26)}land" for row in ROWS]),
        ("icd", [f"{chr(65 + row % 20)}{row % 90:02}" for row in ROWS]),
        ("cabin", [f"{chr(65 + row % 7)}{row % 99}" for row in ROWS]),
        ("users", (ROWS % 500) / 7),
        ("identity", ROWS % 60),
        ("residence", ROWS % 60),
        ("side effects", ROWS % 60),
        ("ratio", ROWS % 60),
        ("personality", ROWS % 60),
        ("date", ["2024-01-01"] * 600),
    ],
)
def test_other_columns_are_none(name, values):
    assert named(name, values) == {}
