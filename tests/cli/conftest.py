"""The command in this process, and a folder with tables, scores and a fitted model."""

import shutil
import sys

import numpy as np
import polars as pl
import pytest

from abstain import cli, save
from abstain.tables import FitOptions, fit_table, open_table
from tests.cli.helpers import LABEL
from tests.tables.conftest import make_patients


@pytest.fixture
def run(capsys, monkeypatch):
    """Run the command: its exit code, standard output and standard error."""
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["abstain", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        return caught.value.code or 0, *capsys.readouterr()

    return call


@pytest.fixture(scope="session")
def _prepared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prepared")
    make_patients().write_csv(folder / "patients.csv")
    for name in ("new", "more"):
        make_patients(50, seed=1).write_csv(folder / f"{name}.csv")
    rng = np.random.default_rng(0)
    scores = {"c": rng.random(40).round(2), "ok": rng.random(40) < 0.8}
    pl.DataFrame(scores).write_csv(folder / "scores.csv")
    fitted = fit_table(open_table(folder / "patients.csv"), FitOptions(LABEL))
    save(fitted.clf, folder / "model.abstain")
    return folder


@pytest.fixture
def folder(_prepared, tmp_path):
    """A folder of its own for each test: patients, new, more and scores.csv, and model.abstain."""
    return shutil.copytree(_prepared, tmp_path / "folder")


@pytest.fixture
def model(folder):
    return folder / "model.abstain"
