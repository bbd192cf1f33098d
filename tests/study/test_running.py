"""A study is whole, the same however it came about, and spares what others have left."""

import errno
import json
import os
import shutil
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

import abstain
from abstain import InputError, __version__
from abstain.study import Plan, make_plan, running
from abstain.study.claims import ClaimResult
from abstain.study.results import COLUMNS
from tests.drafts import left_draft
from tests.study.conftest import SMALL, contents, put_back, quickest_plan, run, small_plan
from tests.study.programs import Program

STOPPED = "interrupted: the same command resumes the study\n"
N_FOLDS, MODELS = 10, ("rslvq", "gmlvq", "bayes")
N_TASKS = N_FOLDS * len(MODELS)


# --- what is left behind ------------------------------------------------------------------------


def test_the_results_are_whole(tmp_path, finished):
    tables = {"curves.parquet", "fits.parquet", "targets.parquet"}
    tables |= {"claims.csv", "summary.csv", "tests.csv", "beyond.csv", "guarantees.csv"}
    figures = {"contours.png", "artificial.png"}  # exact against greedy needs LGMLVQ too
    parts = {
        f"parts/pearl-00-{fold:03d}-{model}.json" for fold in range(N_FOLDS) for model in MODELS
    }
    assert set(finished) == tables | figures | parts | {"configuration.json"}
    put_back(finished, tmp_path / "study")
    study = run(small_plan(), tmp_path / "study")
    assert {file.name for file in study.files} == tables | figures
    assert study.n_tasks == N_TASKS


def test_the_table_of_claims_has_its_columns(tmp_path, finished):
    (tmp_path / "claims.csv").write_bytes(finished["claims.csv"])
    claims = pl.read_csv(tmp_path / "claims.csv")
    names = ["id", "dataset", "statement", "value", "low", "high", "verdict"]
    assert claims.columns == list(ClaimResult._fields) == names
    assert finished["claims.csv"].splitlines()[0].decode() == ",".join(names)
    assert claims["id"].to_list() == [
        "greedy-close-pearl-gmlvq",
        "exact-not-ahead-pearl-gmlvq",
        "pearl-local-rslvq",
        "pearl-bayes-rslvq",
        "pearl-local-gmlvq",
        "pearl-bayes-gmlvq",
    ]
    assert set(claims["verdict"]) <= {"holds", "differs", "inconclusive"}


def test_the_tables_agree_with_one_another(tmp_path, finished):
    for name, content in finished.items():
        if "/" not in name:
            (tmp_path / name).write_bytes(content)
    fits = pl.read_parquet(tmp_path / "fits.parquet")
    curves = pl.read_parquet(tmp_path / "curves.parquet")
    summary = pl.read_csv(tmp_path / "summary.csv")
    assert len(fits) == N_TASKS
    assert fits.select("set", "repeat", "split", "model").is_unique().all()
    for model in ("rslvq", "gmlvq", "bayes"):
        ours = fits.filter(model=model)
        accuracy = (1 - ours["test_errors"] / ours["n_test"]).mean()
        rows = summary.filter(model=model)
        assert rows["at_0"].to_list() == pytest.approx([accuracy] * len(rows))
        # An area is that of one threshold.
        plain = rows.filter(cells="global", source="training")
        assert plain["aurc"].to_list() == pytest.approx([ours["aurc"].mean()], abs=1e-6)
        assert rows["aurc"].null_count() == len(rows) - 1
        assert set(rows["runs"]) == {N_FOLDS}
    ways = ["model", "cells", "source", "method", "min_cell_size"]
    tried = curves.filter(part="test").select(ways).unique(maintain_order=True)
    assert tried.rows() == summary.select(ways).rows()
    tests = pl.read_csv(tmp_path / "tests.csv")
    pairs = [("rslvq", "gmlvq"), ("rslvq", "bayes"), ("gmlvq", "bayes")]
    for score in ("aurc", "augrc"):
        compared = tests.filter(score=score).select("first", "second", "difference").rows()
        assert sorted((first, second) for first, second, _ in compared) == sorted(pairs)
        for first, second, difference in compared:
            means = [fits.filter(model=model)[score].mean() for model in (first, second)]
            assert difference == pytest.approx(means[0] - means[1], abs=1e-6)


# The order in which tasks are run is another.
def test_rows_come_in_the_order_of_sets_repeats_and_splits(tmp_path):
    folder = tmp_path / "study"
    run(Plan(("gaussian", "pearl"), ("bayes",), 2, 0, 0, 0), folder)
    rows = pl.read_parquet(folder / "fits.parquet").select("set", "repeat", "split").rows()
    assert len(rows) == 40
    assert rows == sorted(rows)


def test_configuration_and_versions_lie_beside_the_results(tmp_path):
    folder = tmp_path / "study"
    plan = Plan(("pearl",), ("bayes",), 1, 0, 1, 4)
    run(plan, folder)
    configuration = json.loads((folder / "configuration.json").read_text())
    assert set(configuration) == {"plan", "versions", "sources"}
    assert configuration["versions"]["abstain"] == __version__
    assert {"numpy", "scipy", "scikit-learn"} <= set(configuration["versions"])
    assert configuration["plan"] == json.loads(json.dumps(plan.as_dict()))
    about = json.loads((folder / "run.json").read_text())
    assert set(about) == {
        "date",
        "tasks",
        "seconds",
        "processor_seconds",
        "jobs",
        "python",
        "versions",
    }
    assert about["tasks"] == "10 of 10"
    assert about["jobs"] == 1
    assert {"abstain", "numpy", "scipy", "scikit-learn", "polars"} <= set(about["versions"])


# Tables without rows have their columns too.
@pytest.mark.parametrize(
    ("sets", "models"),
    [(("steroid",), ("svm",)), (("steroid",), ("gmlvq",)), (("pearl", "steroid"), ("bayes",))],
)
def test_a_part_of_the_study_is_a_study(tmp_path, sets, models):
    folder = tmp_path / "study"
    study = run(Plan(sets, models, 1, 0, 2, 0), folder)
    assert all(file.is_file() for file in study.files)
    for kind, name in (("curve", "curves"), ("fit", "fits"), ("target", "targets")):
        assert dict(pl.read_parquet(folder / f"{name}.parquet").schema) == COLUMNS[kind]
    assert pl.read_csv(folder / "tests.csv").columns[:4] == ["set", "score", "first", "second"]
    assert pl.read_csv(folder / "claims.csv").columns == list(ClaimResult._fields)
    assert not pl.read_csv(folder / "summary.csv").is_empty()
    assert pl.read_parquet(folder / "targets.parquet").is_empty() == (models != ("gmlvq",))


def test_other_seeds_give_other_numbers(tmp_path, quickest):
    folder = tmp_path / "study"
    run(make_plan(quick=True, only=["pearl"], models=["bayes"], seed=1), folder)
    assert contents(folder)["fits.parquet"] != quickest["fits.parquet"]


# --- the same, however it came about ------------------------------------------------------------


def test_two_jobs_give_the_same_bytes_as_one(tmp_path, finished):
    seen = []
    run(small_plan(), tmp_path / "study", 2, lambda done, total: seen.append((done, total)))
    assert contents(tmp_path / "study") == finished
    assert seen == [(done, N_TASKS) for done in range(N_TASKS + 1)]


def test_a_second_call_finds_everything_done(tmp_path, finished):
    parts = {name: content for name, content in finished.items() if name.endswith(".json")}
    put_back(parts, tmp_path / "study")
    seen = []
    run(small_plan(), tmp_path / "study", 1, lambda done, total: seen.append((done, total)))
    assert seen == [(N_TASKS, N_TASKS)]
    assert contents(tmp_path / "study") == finished


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX: run this on Linux or macOS")
def test_killed_and_resumed_it_equals_the_uninterrupted_one(tmp_path, finished):
    folder = tmp_path / "study"
    first = Program(SMALL, folder, "1")
    first.wait_for_parts(2)
    os.killpg(first.process.pid, signal.SIGKILL)
    code, _, complaints = first.end()
    assert (code, "Traceback" in complaints) == (-signal.SIGKILL, False)
    left = {name: part for name, part in contents(folder).items() if name in finished}
    assert 2 < len(left) < N_TASKS + 1  # and the configuration
    assert left.items() <= finished.items()
    run(small_plan(), folder)
    whole = contents(folder)
    # What was being written at that moment may be left over, under a passing name.
    assert {name: part for name, part in whole.items() if "/.abstain-" not in name} == finished


# Of the workers nothing is heard; with one job, see the tests of the command.
@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX: run this on Linux or macOS")
def test_ctrl_c_is_reported_in_one_line_and_the_next_call_resumes(tmp_path, finished):
    folder = tmp_path / "study"
    first = Program(SMALL, folder, "2")
    first.wait_for_parts(2)
    os.killpg(first.process.pid, signal.SIGINT)  # as a terminal does
    code, shown, complaints = first.end()
    assert (code, shown) == (130, "")
    assert complaints.endswith(STOPPED)
    assert "Traceback" not in complaints
    left = contents(folder)
    assert 2 < len(left) < N_TASKS + 1
    assert left.items() <= finished.items()
    run(small_plan(), folder)
    assert contents(folder) == finished


@pytest.mark.parametrize("name", ["MainProcess", "LokyProcess-1"])
def test_ctrl_c_is_for_the_caller_and_not_for_its_workers(monkeypatch, name):
    class Asked:
        def run(self, task):
            return [{"is_ignored": signal.getsignal(signal.SIGINT) == signal.SIG_IGN}]

    monkeypatch.setattr(running, "current_process", lambda: SimpleNamespace(name=name))
    # It may be ignored from the start if the tests run in the background.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        (record,) = running._run_task(Asked(), "task", os.getppid())[1]
    finally:
        signal.signal(signal.SIGINT, before)
    assert record["is_ignored"] == (name != "MainProcess")


def test_what_was_killed_in_mid_writing_leaves_nothing(tmp_path, finished):
    folder = tmp_path / "study"
    put_back(finished, folder)
    for place in (folder, folder / "parts"):
        left_draft(place / "run.json").write_text('{"date"')
    run(small_plan(), folder)
    assert contents(folder) == finished


def test_a_broken_part_is_run_again(tmp_path, finished):
    folder = tmp_path / "study"
    put_back(finished, folder)
    (folder / "parts" / "pearl-00-003-rslvq.json").write_text(
        '[{"kind"'
    )  # after a loss of power, say
    (folder / "parts" / "pearl-00-004-gmlvq.json").write_text("{}")
    (folder / "parts" / "pearl-00-006-bayes.json").write_text("[]")
    (folder / "parts" / "pearl-00-005-bayes.json").unlink()
    run(small_plan(), folder)
    assert contents(folder) == finished


# Each part says whose it is: that of another fold, classifier or study has other numbers.
@pytest.mark.parametrize(
    "forge",
    [
        lambda part, other: other,
        lambda part, other: {**part, "records": other["records"], "digest": other["digest"]},
        lambda part, other: {**part, "records": other["records"]},
        lambda part, other: {**other, "task": part["task"]},
        lambda part, other: {**part, "study": "0123456789abcdef"},
        lambda part, other: {**part, "records": part["records"][:-1]},
        lambda part, other: part["records"],
        lambda part, other: {**part, "more": 1},
    ],
)
def test_a_part_that_is_not_its_own_is_run_again(tmp_path, finished, forge):
    folder = tmp_path / "study"
    put_back(finished, folder)
    own = folder / "parts" / "pearl-00-005-bayes.json"
    other = folder / "parts" / "pearl-00-006-bayes.json"
    own.write_text(json.dumps(forge(json.loads(own.read_text()), json.loads(other.read_text()))))
    assert contents(folder) != finished
    run(small_plan(), folder)
    assert contents(folder) == finished


@pytest.mark.parametrize("depth", [900, 100_000])
def test_a_part_of_lists_in_lists_is_run_again(tmp_path, finished, depth):
    folder = tmp_path / "study"
    put_back(finished, folder)
    nested = "[" * depth + "]" * depth
    (folder / "parts" / "pearl-00-005-bayes.json").write_text(nested)
    (folder / "parts" / "pearl-00-006-bayes.json").write_text(f'{{"records": {nested}}}')
    run(small_plan(), folder)
    assert contents(folder) == finished
    (folder / "configuration.json").write_text(nested)
    with pytest.raises(InputError, match="a file that cannot be read"):
        run(small_plan(), folder)


@pytest.mark.parametrize("name", [".abstain-0123456789abcdef.json", "configuration.json"])
def test_a_call_stopped_before_its_first_task_is_taken_up(tmp_path, quickest, name):
    folder = tmp_path / "study"
    put_back({name: quickest.get(name, b"{")}, folder)
    run(quickest_plan(), folder)
    assert quickest.items() <= contents(folder).items()


# --- folders of others --------------------------------------------------------------------------


def assert_refused(folder, plan, *said):
    before = contents(folder) if folder.is_dir() else folder.read_bytes()
    with pytest.raises(InputError) as caught:
        run(plan, folder)
    message = str(caught.value)
    assert message.count("\n") == 0
    for part in (str(folder), *said):
        assert part in message
    assert (contents(folder) if folder.is_dir() else folder.read_bytes()) == before


def test_a_foreign_folder_is_left_alone(tmp_path):
    (tmp_path / "letters.txt").write_text("dear")
    assert_refused(tmp_path, quickest_plan(), "holds other files than a study", "new or empty")
    assert [path.name for path in tmp_path.iterdir()] == ["letters.txt"]


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "letters.txt").write_text("dear")
    assert_refused(
        tmp_path / "letters.txt", quickest_plan(), "Not a directory", "choose another folder"
    )
    with pytest.raises(InputError, match="choose another folder"):
        run(quickest_plan(), tmp_path / "letters.txt" / "study")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"seed": 1}, "seed is 0 there, 1 here"),
        ({"models": ["bayes", "gmlvq"]}, "models is ['bayes'] there, ['gmlvq', 'bayes'] here"),
        ({"only": ["gaussian"]}, "sets is ['pearl'] there, ['gaussian'] here"),
        ({"quick": False}, "n_repeats is 1 there, 10 here"),
    ],
)
def test_a_study_of_another_configuration_is_left_alone(tmp_path, quickest, options, said):
    folder = tmp_path / "study"
    put_back(quickest, folder)
    other = {"quick": True, "only": ["pearl"], "models": ["bayes"], **options}
    assert_refused(folder, make_plan(**other), "another configuration", said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "cannot be read"),
        ("[]", "cannot be read"),
        ('{"plan": [], "versions": {}}', "cannot be read"),
        ('{"plan": {}}', "sets is None there"),
    ],
)
def test_so_is_what_nobody_can_read(tmp_path, quickest, text, said):
    folder = tmp_path / "study"
    put_back(quickest, folder)
    (folder / "configuration.json").write_text(text)
    assert_refused(folder, quickest_plan(), "another configuration", said)


# Half of a study by one version and half by another would be numbers of neither.
@pytest.mark.parametrize("package", ["abstain", "numpy", "libsvm-official"])
def test_so_is_what_another_version_has_left(tmp_path, quickest, package):
    folder = tmp_path / "study"
    put_back(quickest, folder)
    file = folder / "configuration.json"
    configuration = json.loads(file.read_text())
    configuration["versions"][package] = "0.0.1"
    file.write_text(json.dumps(configuration))
    said = f"the version of {package} is 0.0.1 there"
    assert_refused(folder, quickest_plan(), "another configuration", said)


# So would be half by one metric and half by another.
def test_so_is_what_other_code_has_left(tmp_path, quickest):
    folder = tmp_path / "study"
    put_back(quickest, folder)
    file = folder / "configuration.json"
    configuration = json.loads(file.read_text())
    configuration["sources"] = "0123456789abcdef"
    file.write_text(json.dumps(configuration))
    assert_refused(folder, quickest_plan(), "another configuration", "abstain had other code there")


@pytest.mark.parametrize(
    ("name", "matters"),
    [
        ("models/costs.py", True),
        ("study/plan.py", True),
        ("fronts/exact.py", True),
        ("study/claims.py", False),
        ("study/running.py", True),
        ("cli/fit.py", False),
        ("plotting/relevance.py", False),
    ],
)
def test_code_that_makes_the_rows_decides_and_what_reads_them_does_not(
    tmp_path, monkeypatch, name, matters
):
    package = tmp_path / "abstain"
    shutil.copytree(Path(abstain.__file__).parent, package, ignore=shutil.ignore_patterns("*.pyc"))
    monkeypatch.setattr(running, "__file__", str(package / "study" / "running.py"))
    before = running.code_digest()
    assert before == running.code_digest()
    (package / name).write_text((package / name).read_text() + "\n")
    assert (running.code_digest() != before) == matters


def test_the_time_of_a_study_is_that_of_all_its_calls(tmp_path, quickest):
    folder = tmp_path / "study"
    put_back(quickest, folder)
    (folder / "parts" / "pearl-00-005-bayes.json").unlink()
    (folder / "run.json").write_text('{"seconds": 5000.0, "processor_seconds": 4000.0}')
    study = run(quickest_plan(), folder)
    assert 5000 < study.seconds < 5600
    about = json.loads((folder / "run.json").read_text())
    assert about["seconds"] == study.seconds
    assert 4000 <= about["processor_seconds"] < 4600


@pytest.mark.skipif(
    os.name != "posix" or os.getuid() == 0,
    reason="root may write everywhere: run the tests as another user",
)
def test_a_folder_that_cannot_be_written(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match=r"cannot create the folder .*; choose another folder"):
        run(quickest_plan(), tmp_path / "study")
    tmp_path.chmod(0o700)


# The same for whom no folder is closed.
@pytest.mark.parametrize("method", ["mkdir", "iterdir"])
def test_a_folder_that_is_closed_to_us(tmp_path, monkeypatch, method):
    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, method, refuse)
    said = r"cannot create the folder .*study: Permission denied; choose another folder"
    with pytest.raises(InputError, match=said):
        run(quickest_plan(), tmp_path / "study")


def test_a_folder_that_has_become_read_only_is_reported_before_the_work(
    tmp_path, quickest, monkeypatch
):
    folder = tmp_path / "study"
    put_back(quickest, folder)

    def refuse(*_, **__):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "touch", refuse)
    monkeypatch.setattr(Plan, "run", None)
    assert_refused(folder, quickest_plan(), "Read-only file system")


# --- a full disk --------------------------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_disk_that_fills_up_keeps_what_was_written(tmp_path, finished, monkeypatch, n_jobs):
    folder = tmp_path / "study"
    write, n_written = Path.write_text, 0

    def fill(path, *arguments, **options):
        nonlocal n_written
        n_written += path.parent.name == "parts"
        if n_written > 3:
            write(path, "half")
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, *arguments, **options)

    monkeypatch.setattr(Path, "write_text", fill)
    said = r"cannot write .*parts.*: No space left on device; make room or choose another place$"
    with pytest.raises(InputError, match=said):
        run(small_plan(), folder, n_jobs)
    left = contents(folder)
    assert len(left) == 4
    assert left.items() <= finished.items()
    monkeypatch.undo()
    run(small_plan(), folder)
    assert contents(folder) == finished


@pytest.mark.parametrize(
    ("method", "failure"),
    [
        # So polars tells of it, in two ways.
        ("write_parquet", pl.exceptions.ComputeError("underlying IO error: No space left (28)")),
        ("write_csv", OSError("No space left on device (os error 28)")),
    ],
)
def test_a_full_disk_spares_earlier_tables(tmp_path, finished, monkeypatch, method, failure):
    folder = tmp_path / "study"
    put_back(finished, folder)

    def fail(self, path, **options):
        Path(path).write_text("half")
        raise failure

    monkeypatch.setattr(pl.DataFrame, method, fail)
    with pytest.raises(
        InputError, match=r"cannot write .*No space left.*; make room or "
    ) as caught:
        run(small_plan(), folder)
    assert str(caught.value).count("\n") == 0
    assert contents(folder) == finished


def test_a_full_disk_spares_earlier_figures(tmp_path, finished, monkeypatch):
    from matplotlib.figure import Figure

    folder = tmp_path / "study"
    put_back(finished, folder)

    def fail(self, path, **options):
        Path(path).write_text("half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Figure, "savefig", fail)
    with pytest.raises(InputError, match=r"contours.png: No space left on device; make room"):
        run(small_plan(), folder)
    assert contents(folder) == finished


def test_without_matplotlib_it_is_said_before_anything_runs(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"need matplotlib.*pip install '.\[study\]'"):
        run(quickest_plan(), tmp_path / "study")
    assert not (tmp_path / "study").exists()


# --- a worker that dies -------------------------------------------------------------------------


def die(plan, task, caller):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX: run this on Linux or macOS")
def test_a_worker_that_is_killed_is_reported_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "_run_task", die)
    with pytest.raises(
        InputError, match=r"n_jobs=2 was killed.*the same command resumes the study"
    ) as caught:
        run(quickest_plan(), tmp_path / "study", 2)
    assert str(caught.value).count("\n") == 0


def test_nothing_waits_for_a_pipe_in_the_folder_of_a_study(tmp_path, monkeypatch):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setattr(running, "_file", lambda folder, task: pipe)
    assert running._read_records(tmp_path, "study", None) is None
    assert running._read_json(pipe) is None
