"""Is a study on a cluster the same study, whatever becomes of the cluster?"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import dask
import pytest

from abstain import InputError, __version__, cli, study
from abstain._scale import cluster as _cluster
from abstain.study import Plan, distributing, make_plan, run_study, running
from tests.study.conftest import SMALL, contents, put_back, quickest_plan, small_plan
from tests.study.programs import Program

pytestmark = pytest.mark.cluster
STOPPED = "interrupted: the same command goes on from here\n"
N_TASKS = 30
POSIX = pytest.mark.skipif(
    os.name != "posix", reason="signals of POSIX: run this on Linux or macOS"
)


def run(plan, folder, cluster=None, n_jobs=-1, watch=lambda done, total: None):
    return run_study(plan, folder, n_jobs, watch, __version__, cluster)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studies") / "finished"
    run(small_plan(), folder, n_jobs=1)
    return contents(folder)


@pytest.fixture(scope="module")
def quickest(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studies") / "quickest"
    run(quickest_plan(), folder, n_jobs=1)
    return contents(folder)


def dask_process(*words, **variables):
    return subprocess.Popen(
        [sys.executable, "-m", *map(str, words)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@contextmanager
def ended(process):
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def cluster_of_one(folder, n_threads=1, for_scheduler=None, **variables):
    """A scheduler and a worker, as two commands that nobody starts again."""
    file = folder / "scheduler.json"
    options = "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file
    scheduler = dask_process("distributed.cli.dask_scheduler", *options, **(for_scheduler or {}))
    with ended(scheduler):
        while not file.exists():
            time.sleep(0.05)
        address = json.loads(file.read_text())["address"]
        options = "--no-nanny", "--no-dashboard", "--host", "127.0.0.1", "--nthreads", n_threads
        options += "--local-directory", folder
        worker = dask_process("distributed.cli.dask_worker", address, *options, **variables)
        with ended(worker):
            yield address, scheduler, worker


def assert_refused(said, plan, folder, cluster, **options):
    with pytest.raises(InputError, match=said) as caught:
        run(plan, folder, cluster, **options)
    assert str(caught.value).count("\n") == 0


# --- the same, wherever it ran ------------------------------------------------------------------


def test_a_running_cluster_gives_the_bytes_of_one_machine(tmp_path, finished, client):
    address, folder, seen = client.scheduler.address, tmp_path / "study", []
    run(small_plan(), folder, address, watch=lambda done, total: seen.append((done, total)))
    assert contents(folder) == finished
    assert seen == [(done, N_TASKS + 1) for done in range(N_TASKS + 2)]
    about = json.loads((folder / "run.json").read_text())
    assert about["cluster"] == {"scheduler": address, "workers": 2}
    assert about["jobs"] == 2
    assert about["tasks"] == f"{N_TASKS} of {N_TASKS}"


def test_one_local_worker_does_all_the_work(tmp_path, quickest, monkeypatch):
    monkeypatch.setattr(Plan, "run", None)  # in this process, not in others
    run(quickest_plan(), tmp_path / "study", "local", n_jobs=1)
    assert contents(tmp_path / "study") == quickest
    about = json.loads((tmp_path / "study" / "run.json").read_text())
    assert about["cluster"] == {"scheduler": "local", "workers": 1}


# Its tasks take turns: threads share the number of threads that BLAS may use.
def test_a_worker_of_many_threads_gives_the_same_bytes(tmp_path, finished):
    with cluster_of_one(tmp_path, n_threads=3) as (address, _, _):
        run(small_plan(), tmp_path / "study", address)
    assert contents(tmp_path / "study") == finished


def test_what_one_machine_began_a_cluster_goes_on_with(tmp_path, finished, client):
    folder, seen = tmp_path / "study", []
    begun = {name for name in finished if re.search(r"configuration|-00[0-6]-", name)}
    put_back({name: finished[name] for name in begun}, folder)
    watch = lambda done, total: seen.append(done)  # noqa: E731
    run(small_plan(), folder, client.scheduler.address, watch=watch)
    assert contents(folder) == finished
    assert seen[0] == len(begun) - 1


# --- Ctrl-C -------------------------------------------------------------------------------------


def worker_processes(program):
    """Return the ids of the processes that a program has started to run tasks."""
    listed = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    return [
        int(pid)
        for pid, parent, command in rows
        if int(parent) == program.process.pid and "spawn_main" in command
    ]


def wait_for_the_end_of(pids, seconds=20):
    """Wait for processes that end by themselves when the one that has started them has."""
    until = time.monotonic() + seconds
    for pid in pids:
        with suppress(ProcessLookupError):
            while True:
                os.kill(pid, 0)
                assert time.monotonic() < until
                time.sleep(0.05)


@POSIX
def test_ctrl_c_is_told_in_a_line_and_one_machine_goes_on(tmp_path, finished):
    folder = tmp_path / "study"
    first = Program([*SMALL, "--cluster", "local"], folder, "2")
    first.wait_for_parts(2)
    pids = worker_processes(first)
    os.killpg(first.process.pid, signal.SIGINT)  # as a terminal does
    code, shown, complaints = first.end()
    assert (code, shown, len(pids)) == (130, "", 2)
    progress = r"(running the study: \d+ of 31\n)*"
    assert re.fullmatch(progress + STOPPED, complaints)
    wait_for_the_end_of(pids)
    left = contents(folder)
    assert 2 < len(left) < N_TASKS + 1
    assert left.items() <= finished.items()
    run(small_plan(), folder, n_jobs=1)
    assert contents(folder) == finished


@POSIX
def test_so_it_is_while_the_workers_start(tmp_path):
    program = Program([*SMALL, "--cluster", "local"], tmp_path / "study", "2")
    while len(worker_processes(program)) < 2:
        assert program.process.poll() is None, program.process.communicate()
    os.killpg(program.process.pid, signal.SIGINT)
    assert program.end() == (130, "", STOPPED)
    assert not (tmp_path / "study").exists()


# --- what dies ----------------------------------------------------------------------------------


@POSIX
def test_a_worker_that_is_killed_changes_nothing(tmp_path, finished):
    program = Program([*SMALL, "--cluster", "local", "-q"], tmp_path / "study", "2")
    program.wait_for_parts(2)
    os.kill(worker_processes(program)[0], signal.SIGKILL)
    assert program.end() == (0, "", "")
    assert contents(tmp_path / "study") == finished


@pytest.fixture
def killing(monkeypatch):
    """Return what kills a process when the first task is done, and then waits less long."""

    def of(process):
        def watch(done, total):
            if done == 1:
                process.kill()
                monkeypatch.setattr(distributing, "PATIENCE", 2.0)

        return watch

    return of


def test_workers_that_stay_away_are_given_up(tmp_path, finished, killing):
    folder = tmp_path / "study"
    with cluster_of_one(tmp_path) as (address, _, worker):
        said = f"^--cluster {address}: there have been no workers for 2 seconds; the same command"
        assert_refused(said, small_plan(), folder, address, watch=killing(worker))
    left = contents(folder)
    assert 1 < len(left) < N_TASKS + 1
    assert left.items() <= finished.items()


def test_so_is_a_scheduler_that_is_gone(tmp_path, finished, killing, capfd):
    folder = tmp_path / "study"
    with cluster_of_one(tmp_path) as (address, scheduler, _):
        said = f"^--cluster {address}: (the scheduler is gone|there have been no workers)"
        assert_refused(said, small_plan(), folder, address, watch=killing(scheduler))
    assert capfd.readouterr() == ("", "")
    left = contents(folder)
    assert 1 < len(left) < N_TASKS + 1
    assert left.items() <= finished.items()


def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)


@POSIX
def test_a_task_that_kills_its_workers_is_given_up(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(running, "_run_elsewhere", die)
    said = "^--cluster local: a task was given up, workers died of it.* goes on from here"
    with dask.config.set({"distributed.scheduler.allowed-failures": 1}):
        assert_refused(said, quickest_plan(), tmp_path / "study", "local", n_jobs=1)
    assert capfd.readouterr() == ("", "")


# --- what cannot do the work --------------------------------------------------------------------


def test_a_cluster_that_is_not_there_leaves_nothing_behind(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(_cluster, "PATIENCE", 0.5)
    words = [*SMALL, "--cluster", "tcp://127.0.0.1:9", "--out", str(tmp_path / "study")]
    monkeypatch.setattr(sys, "argv", ["abstain", "study", *words])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    shown, complaint = capsys.readouterr()
    assert (caught.value.code, shown) == (2, "")
    assert complaint.startswith("error: --cluster tcp://127.0.0.1:9: no scheduler answers there")
    assert complaint.count("\n") == 1
    assert not (tmp_path / "study").exists()


def test_the_workers_of_a_cluster_are_its_own(tmp_path):
    said = r"^--jobs 3 is for this machine; the cluster tcp://127\.0\.0\.1:9 .*leave out --jobs$"
    assert_refused(said, quickest_plan(), tmp_path / "study", "tcp://127.0.0.1:9", n_jobs=3)
    assert not (tmp_path / "study").exists()


def test_data_that_a_worker_lacks_are_told_in_a_line(tmp_path, monkeypatch):
    monkeypatch.setattr(Plan, "check", lambda plan: None)  # here they need not be either
    (tmp_path / "no-folder").touch()
    missing = {"ABSTAIN_DATA_HOME": str(tmp_path / "no-folder")}
    plan = make_plan(quick=True, only=["haberman"], models=["gmlvq"])
    with cluster_of_one(tmp_path, **missing) as (address, _, _):
        said = r"^the worker tcp://\S+: data_home must be a folder, got the file .*no-folder"
        assert_refused(said, plan, tmp_path / "study", address)


def unreadable(*_):
    raise PermissionError(13, "Permission denied", "haberman.csv")


def test_so_are_files_that_it_cannot_read(tmp_path, monkeypatch, client):
    monkeypatch.setattr(running, "_run", unreadable)
    monkeypatch.setattr(running, "delayed", lambda call: lambda *words: (failing, words, {}))
    said = r"^the worker tcp://\S+: .*Permission denied: 'haberman\.csv'"
    assert_refused(said, quickest_plan(), tmp_path / "study", client.scheduler.address)


def failing(plan, task, wanted):
    """Run a task on a worker whose files cannot be read."""
    usual, running._run = running._run, unreadable
    try:
        return running._run_elsewhere(plan, task, wanted)
    finally:
        running._run = usual


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (({}, ""), "it has numpy .*, the caller has None; install the same versions everywhere"),
        ((None, "0123456789abcdef"), "it has other code of abstain than the caller"),
    ],
)
def test_a_worker_of_other_code_is_refused(tmp_path, monkeypatch, client, wanted, said):
    versions, code = wanted
    known = running.ours()[0] if versions is None else versions
    monkeypatch.setattr(running, "ours", lambda: (known, code))
    said = rf"^the worker tcp://\S+: {said}"
    assert_refused(said, quickest_plan(), tmp_path / "study", client.scheduler.address)


# It reads what is sent through it.
def test_a_scheduler_without_the_package_is_told_in_a_line(tmp_path):
    (tmp_path / "abstain.py").write_text("raise ImportError('no abstain here')")
    path = os.pathsep.join([str(tmp_path), *sys.path])
    with cluster_of_one(tmp_path, for_scheduler={"PYTHONPATH": path}) as (address, _, _):
        said = f"^--cluster {address}: Dask could not run a task .*no abstain here.* goes on"
        assert_refused(said, quickest_plan(), tmp_path / "study", address)


def test_without_dask_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    said = r"^--cluster needs .*pip install 'abstain\[scale\]'"
    assert_refused(said, quickest_plan(), tmp_path / "study", "local")
    assert not (tmp_path / "study").exists()


# --- what is told of it -------------------------------------------------------------------------


def test_the_page_tells_commands_that_there_are(monkeypatch):
    page = (Path(__file__).parents[2] / "docs" / "study.md").read_text(encoding="utf-8")
    section = page.split("## On a cluster")[1]
    commands = re.findall(r"^abstain (.*?)(?:  +#.*)?$", section, re.MULTILINE)
    asked = []

    def remember(plan, folder, n_jobs, watch, version, cluster):
        distributing.check_jobs(cluster, n_jobs)
        asked.append((cluster, n_jobs))
        raise KeyboardInterrupt

    monkeypatch.setattr(study, "run_study", remember)
    for command in commands:
        monkeypatch.setattr(sys, "argv", ["abstain", *command.split()])
        with pytest.raises(SystemExit):
            cli.main()
    assert asked == [("local", 2), ("tcp://10.0.0.1:8786", -1)]
    assert "no workers for a minute" in section
    assert distributing.PATIENCE == 60
