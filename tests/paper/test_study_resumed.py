"""A study of artificial, real and medical samples is the same, however often it was stopped.

The tests of ``tests/study`` look at each way to be stopped, with one set; here is all that a study
has: an SVM with its own generator, a file that is read, missing values, thresholds out of fold.
"""

import os
import signal
from dataclasses import replace

import pytest

from abstain.study import make_plan
from tests.datasets.conftest import real_data  # noqa: F401
from tests.study.conftest import contents, run
from tests.study.programs import Program

pytestmark = pytest.mark.paper
OPTIONS = ["--quick", "--only", "pearl,haberman,steroid", "--models", "gmlvq,svm"]


@pytest.fixture
def _data(real_data, monkeypatch):  # noqa: F811
    monkeypatch.setenv("ABSTAIN_DATA_HOME", str(real_data))


def plan():
    return make_plan(quick=True, only=["pearl", "haberman", "steroid"], models=["gmlvq", "svm"])


@pytest.mark.usefixtures("_data")
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX: run this on Linux or macOS")
def test_killed_twice_and_resumed_by_two_jobs_it_equals_the_uninterrupted_one(tmp_path):
    run(plan(), tmp_path / "whole")
    whole = contents(tmp_path / "whole")
    folder = tmp_path / "killed"
    for jobs, n_parts in (("1", 5), ("2", 25)):
        program = Program(OPTIONS, folder, jobs)
        program.wait_for_parts(n_parts)
        os.killpg(program.process.pid, signal.SIGKILL)
        assert program.end()[0] == -signal.SIGKILL
        left = {name: part for name, part in contents(folder).items() if name in whole}
        assert n_parts < len(left) < len(plan().tasks())
        assert left.items() <= whole.items()
    run(plan(), folder, 2)
    assert contents(folder) == whole


def test_out_of_fold_too_one_job_gives_what_two_give(tmp_path):
    extra = replace(
        plan(),
        sets=("steroid",),
        models=("gmlvq", "glvq-5"),
        n_extra_repeats=1,
        n_medical_splits=4,
    )
    for jobs in (1, 2):
        run(extra, tmp_path / str(jobs), jobs)
    one, two = (contents(tmp_path / str(jobs)) for jobs in (1, 2))
    assert one == two
    assert b"out of fold" in one["beyond.csv"]
