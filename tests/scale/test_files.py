"""Does a cluster make of many files what one process makes of them, or of all in one?"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress

import numpy as np
import polars as pl
import psutil
import pytest
from distributed import LocalCluster
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from abstain import cli
from abstain._scale import cluster
from abstain.tables import batch
from abstain.tables.batch import answer_on_cluster
from abstain.tables.score_fronts import read_on_cluster
from tests.examples import examples
from tests.tables.conftest import make_patients

ROLES = ["--certainty", "c", "--correct", "ok", "--cell", "region"]


@pytest.fixture
def run(capsys, monkeypatch):
    """Run the command in this process: its exit code, standard output and standard error."""
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["abstain", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        return caught.value.code or 0, *capsys.readouterr()

    return call


@pytest.fixture
def address(client):
    return client.scheduler.address


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def score_tables(sizes, seed, names):
    """Make tables with ties; not every one has all cells."""
    rng = np.random.default_rng(seed)
    for number, size in enumerate(sizes):
        own = names[: 1 + (number + seed) % len(names)]
        certainty = rng.integers(0, 12, size) / 10 - 0.1
        yield pl.DataFrame(
            {
                "c": np.where(certainty > 0.9, np.inf, certainty),
                "ok": rng.random(size) < 0.3 + certainty / 2,
                "region": pl.Series(rng.choice(own, size).tolist(), dtype=pl.String),
            }
        )


@examples(0.12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sizes=st.lists(st.sampled_from([0, 1, 7, 40, 300]), min_size=1, max_size=5).filter(any),
    seed=st.integers(0, 1000),
    names=st.sampled_from([["north"], ["9", "10", "8"], ["9", "10.0", "x"], ["nan", "2", "o"]]),
    method=st.sampled_from(["exact", "hull", "greedy"]),
    suffix=st.sampled_from(["csv", "parquet"]),
)
def test_a_front_of_files_is_that_of_all_in_one(
    run, address, tmp_path_factory, sizes, seed, names, method, suffix
):
    folder = tmp_path_factory.mktemp("front")
    tables = list(score_tables(sizes, seed, names))
    pl.concat(tables).write_parquet(folder / "all.parquet")
    for number, table in enumerate(tables):
        kind = "parquet" if number == 1 else suffix  # files of several kinds may be mixed
        getattr(table, f"write_{kind}")(folder / f"part-{number}.{kind}")
    paths = sorted(folder.glob("part-*"))
    ways = {"one": [folder / "all.parquet"], "files": paths, "cluster": paths}
    said, written = {}, {}
    for way, files in ways.items():
        out = folder / way
        out.mkdir()
        options = [*ROLES, "--method", method, "--json", "--out", out / "front.csv"]
        options += ["--cluster", address] if way == "cluster" else []
        said[way], written[way] = run("front", *files, *options), files_of(out)
    # Errors name a file where there are several.
    said = {way: result if result[0] == 0 else result[:2] for way, result in said.items()}
    assert said["files"] == said["cluster"] == said["one"]
    assert written["files"] == written["cluster"] == written["one"]


def test_the_summary_of_a_front_on_a_cluster_is_that_of_one_process(run, address, tmp_path):
    for number, table in enumerate(score_tables([500, 3, 0, 90], 3, ["a", "b", "c"])):
        table.write_csv(tmp_path / f"{number}.csv")
    here = run("front", tmp_path / "*.csv", *ROLES)
    there = run("front", tmp_path / "*.csv", *ROLES, "--cluster", address)
    assert here == there
    assert here[0] == 0
    assert "4 files, 0.csv to 3.csv" in here[1]


@pytest.mark.parametrize(
    ("third", "words"),
    [
        ({"c": ["0.5", "high"], "ok": ["1", "0"], "region": ["1", "2"]}, "'high' in row 3"),
        ({"c": ["0.5", "1"], "ok": ["1", "2"], "region": ["1", "2"]}, "'2' in row 3"),
        ({"c": ["0.5", "1"], "ok": ["1", "0"], "region": ["1", "2.5"]}, "'2.5' in row 3"),
        ({"c": ["0.5", "1"], "ok": ["1", "0"], "region": ["nan", "2"]}, "'nan' in row 2"),
        ({"c": ["0.5", "1"], "ok": ["1", "0"], "region": ["", "2"]}, "nothing in row 2"),
        ({"c": ["0.5", "1"], "ok": ["1", "0"]}, "--cell region is not a column of"),
    ],
)
def test_an_error_names_the_file_wherever_it_was_read(
    run, address, tmp_path, monkeypatch, third, words
):
    monkeypatch.chdir(tmp_path)
    fine = pl.DataFrame({"c": ["0.5", "0.7"], "ok": ["1", "0"], "region": ["1", "2"]})
    for name, table in {"1": fine, "2": fine, "3": pl.DataFrame(third)}.items():
        table.write_csv(tmp_path / f"{name}.csv")
    files = ["1.csv", "2.csv", "3.csv"]
    for options in ([], ["--cluster", address]):
        code, shown, complaints = run("front", *files, *ROLES, *options)
        assert (code, shown) == (2, "")
        assert len(complaints.splitlines()) == 1
        assert "3.csv" in complaints
        assert str(tmp_path) not in complaints
        assert words in complaints


def test_classes_are_compared_with_all_files_in_view(run, address, tmp_path):
    """A file in which all classes are names and all predictions numbers may be one of several."""
    for number, (true, pred) in enumerate([("a", "1"), ("1", "1"), ("b", "b")]):
        columns = {"c": [0.1, 0.9], "t": [true] * 2, "p": [pred] * 2}
        pl.DataFrame(columns).write_csv(tmp_path / f"{number}.csv")
    roles = ["--certainty", "c", "--y-true", "t", "--y-pred", "p"]
    files = sorted(tmp_path.glob("*.csv"))
    for options in ([], ["--cluster", address]):
        code, shown, _ = run("front", *files, *roles, "--json", *options)
        assert code == 0
        assert json.loads(shown)["n_errors"] == 2
        code, _, complaints = run("front", files[0], *roles, *options)
        assert code == 2
        assert "must name classes alike" in complaints


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (["no*.csv"], "no file matches no*.csv"),
        (["0.csv", "no.csv"], "no.csv does not exist"),
        (["0.csv", "./0.csv"], "given twice"),
        (["e.csv", "e2.csv"], "e.csv has a header but no rows, and neither have the 1 others"),
    ],
)
def test_files_that_cannot_be_meant(run, address, tmp_path, monkeypatch, files, words):
    monkeypatch.chdir(tmp_path)
    (table,) = score_tables([9], 0, ["a"])
    table.write_csv("0.csv")
    for name in ("e.csv", "e2.csv"):
        table.clear().write_csv(name)
    for options in ([], ["--cluster", address]):
        code, shown, complaints = run("front", *files, *ROLES, *options)
        assert (code, shown) == (2, "")
        assert words in complaints
        assert len(complaints.splitlines()) == 1


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    make_patients().write_csv(folder / "patients.csv")
    command = [sys.executable, "-m", "abstain", "fit", folder / "patients.csv", "-q"]
    options = ["--label", "Befund lang", "--out", folder / "model.abstain"]
    subprocess.run([*command, *options], check=True)
    return folder / "model.abstain"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with tables of several kinds."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    for number, size in enumerate([50, 1, 300, 20]):
        make_patients(size, seed=number).write_csv(f"data/{number}.csv")
    make_patients(70, seed=9).write_parquet("data/4.parquet")
    make_patients(30, seed=10).write_csv("data/5.tsv", separator="\t")
    return tmp_path


def test_the_answers_to_each_table_are_those_to_it_alone(run, address, folder, model):
    tables = sorted((folder / "data").iterdir())
    (folder / "alone").mkdir()
    alone = {}
    options = ["--reject-mark", "?", "--missing", "unknown"]
    for table in tables:
        out = folder / "alone" / table.name
        code, shown, _ = run("predict", model, table, "--out", out, "--json", *options)
        assert code == 0
        alone[table.name] = json.loads(shown)
    said = {}
    for way, where in {"here": [], "there": ["--cluster", address]}.items():
        out = folder / "new" / way
        code, shown, _ = run("predict", model, *tables, "--out", out, "--json", *options, *where)
        assert code == 0
        assert files_of(out) == files_of(folder / "alone")
        said[way] = json.loads(shown)
    for way, summary in said.items():
        assert summary["n_rows"] == sum(each["n_rows"] for each in alone.values())
        assert summary["n_rejected"] == sum(each["n_rejected"] for each in alone.values())
        for table, each in zip(tables, summary["tables"], strict=True):
            own = {"table": str(table), "out": str(folder / "new" / way / table.name)}
            of_all = {name: summary[name] for name in ("abstain", "worklist")}
            assert each | of_all == alone[table.name] | own


def test_thresholds_of_a_file_are_used_on_the_cluster(run, address, folder, model):
    (folder / "t.json").write_text(json.dumps({"thresholds": ["inf"] * 3}))
    options = ["--thresholds", "t.json", "--json", "--cluster", address]
    code, shown, _ = run("predict", model, "data/0.csv", "data/2.csv", *options)
    summary = json.loads(shown)
    assert code == 0
    assert summary["n_rejected"] == summary["n_rows"] == 350
    assert not (folder / "out").exists()


def test_the_summary_of_many_tables_is_the_same(run, address, folder, model):
    here = run("predict", model, "data/*.csv", "--out", "out")
    there = run("predict", model, "data/*.csv", "--out", "out", "--cluster", address)
    assert here[:2] == there[:2]
    assert "371 rows" in here[1]
    assert "Written to out: 4 files" in here[1]
    assert max(map(len, here[1].splitlines())) <= 80


def test_one_table_that_fails_keeps_none_of_the_others(run, address, folder, model):
    whole = (folder / "data" / "2.csv").read_text().splitlines()
    column = whole[0].split(",").index("Alter")
    fields = whole[40].split(",")
    fields[column] = "old"
    (folder / "data" / "2.csv").write_text("\n".join([*whole[:40], ",".join(fields), *whole[41:]]))
    (folder / "out").mkdir()
    (folder / "out" / "2.csv").write_text("of before")
    for options in ([], ["--cluster", address]):
        command = ["predict", model, "data/*.csv", "--out", "out", "--quiet", *options]
        code, shown, complaints = run(*command)
        assert (code, shown) == (2, "")
        assert "1 of 4 tables could not be answered; the other 3 are answered, in out: " in (
            complaints
        )
        assert "'old' in row 41 of data/2.csv" in complaints
        assert len(complaints.splitlines()) == 1
        assert {path.name for path in (folder / "out").iterdir()} == {
            f"{number}.csv" for number in range(4)
        }
        assert (folder / "out" / "2.csv").read_text() == "of before"
        for number in (0, 1, 3):
            (folder / "out" / f"{number}.csv").unlink()


@pytest.mark.parametrize(
    ("broken", "words"),
    [("1e200", "got 1e+200 in row 41 of data/"), ("old", "'old' in row 41 of data/")],
)
def test_what_is_wrong_with_one_of_several_names_it_once(
    run, address, folder, model, broken, words
):
    whole = [line.split(",") for line in (folder / "data" / "2.csv").read_text().splitlines()]
    whole[40][whole[0].index("Alter")] = broken
    (folder / "data" / "2.csv").write_text("\n".join(map(",".join, whole)))
    for options in ([], ["--cluster", address]):
        command = ["predict", model, "data/*.csv", "--out", "out", "--quiet", *options]
        code, _, complaints = run(*command)
        assert code == 2
        assert words in complaints
        assert complaints.count("data/2.csv") == 1
        assert len(complaints.splitlines()) == 1
        alone = run("predict", model, "data/2.csv", "--out", "2.csv", "--quiet")[2]
        assert alone.removeprefix("error: ") in complaints


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["data/0.csv", "data/1.csv", "--out", "data/2.csv"],
            "data/2.csv cannot be written to: it is",
        ),
        (
            ["data/0.csv", "data/1.csv", "--out", "a.csv"],
            "a.csv cannot be written to: .csv is a",
        ),
        (["data/0.csv", "data/1.csv", "--out", "o/a.Tsv.gz"], "answers, such as o/a\n"),
        (["data/0.csv", "data/1.csv", "--out", "a.pq"], "answers, such as a\n"),
        (["data/0.csv", "data/1.csv", "--out", "data"], "it is the table itself"),
        (["data/0.csv", "more/0.csv", "--out", "o"], "the answers of data/0.csv and of more/0.csv"),
        (["data/0.csv", "data/none.csv", "--out", "o"], "data/none.csv does not exist"),
        (["data/no*.csv", "--out", "o"], "no file matches data/no*.csv"),
    ],
)
def test_tables_that_cannot_be_answered_are_refused_at_once(
    run, folder, address, model, arguments, words
):
    (folder / "more").mkdir()
    make_patients(5).write_csv("more/0.csv")
    before = sorted(folder.rglob("*"))
    for options in ([], ["--cluster", address]):
        code, shown, complaints = run("predict", model, *arguments, *options)
        assert (code, shown) == (2, "")
        assert words in complaints
        assert len(complaints.splitlines()) == 1
        assert sorted(folder.rglob("*")) == before


def test_a_table_that_lacks_columns_fails_alone(run, address, folder, model):
    (folder / "poor.csv").write_text("a,b\n1,2\n")
    for out, options in {"here": [], "there": ["--cluster", address]}.items():
        command = ["predict", model, "poor.csv", "data/0.csv", "--out", out, *options]
        code, shown, complaints = run(*command)
        assert (code, shown) == (2, "")
        assert f"1 of 2 tables could not be answered; the other is answered, in {out}: " in (
            complaints
        )
        assert complaints.count("poor.csv lacks columns") == len(complaints.splitlines()) == 1
    assert files_of(folder / "here") == files_of(folder / "there")
    assert files_of(folder / "here").keys() == {"0.csv"}


def test_one_table_on_a_cluster_needs_a_folder_too(run, address, folder, model):
    command = ["predict", model, "data/0.csv", "--out", "a.csv", "--quiet", "--cluster", address]
    code, _, complaints = run(*command)
    assert code == 2
    assert "--out a.csv cannot be written to: .csv is a suffix of files; " in complaints
    assert not (folder / "a.csv").exists()
    (folder / "a.csv").mkdir()  # an existing folder may have such a name
    assert run(*command)[0] == 0
    assert (folder / "a.csv" / "0.csv").is_file()


@pytest.mark.cluster
def test_no_folder_is_left_where_no_scheduler_answers(run, folder, model, monkeypatch):
    monkeypatch.setattr("abstain._scale.cluster.CONNECT_TIMEOUT", 0.5)
    arguments = ["data/0.csv", "--out", "out", "--cluster", "tcp://127.0.0.1:9"]
    code, shown, complaints = run("predict", model, *arguments)
    assert (code, shown) == (2, "")
    said = "error: --cluster tcp://127.0.0.1:9: no scheduler answers there ("
    assert complaints.startswith(said)
    assert len(complaints.splitlines()) == 1
    assert not (folder / "out").exists()


def test_workers_that_do_not_see_a_file_say_so(run, address, folder, model, monkeypatch):
    """A file that is gone for them is, for the test, gone for all."""

    def lose_table(client, clf, jobs, *rest, **options):
        jobs[0].table.path.unlink()
        return answer_on_cluster(client, clf, jobs, *rest, **options)

    def lose_scores(client, paths, *rest):
        paths[0].unlink()
        return read_on_cluster(client, paths, *rest)

    monkeypatch.setattr("abstain.tables.batch.answer_on_cluster", lose_table)
    monkeypatch.setattr("abstain.tables.score_fronts.read_on_cluster", lose_scores)
    (table,) = score_tables([9], 0, ["a"])
    table.write_csv(folder / "scores.csv")
    commands = {
        "data/0.csv": ["predict", model, "data/0.csv", "--out", "out"],
        "scores.csv": ["front", "scores.csv", *ROLES],
    }
    for name, command in commands.items():
        code, shown, complaints = run(*command, "--cluster", address)
        assert (code, shown) == (2, "")
        assert f"{name} does not exist; check the path: the workers must see it" in complaints
        assert str(folder) not in complaints


@contextmanager
def meanwhile(act):
    """Do something in another thread."""
    thread = threading.Thread(target=act, daemon=True)
    thread.start()
    yield
    thread.join(60)
    assert not thread.is_alive()


def drafts_in(out):
    with suppress(FileNotFoundError):
        return [path for path in out.glob(".abstain-*/.abstain-*") if path.exists()]
    return []


def wait_for_draft(out):
    until = time.monotonic() + 60
    while not drafts_in(out) and time.monotonic() < until:
        time.sleep(0.005)


@pytest.fixture
def long_tables(folder):
    (folder / "long").mkdir()
    for number in range(4):
        make_patients(60_000, seed=number).write_csv(f"long/{number}.csv")
    return sorted((folder / "long").iterdir())


def test_the_answers_are_the_same_if_a_worker_is_killed(run, client, folder, model, long_tables):
    assert run("predict", model, *long_tables, "--out", "here", "-q") == (0, "", "")

    def kill_one():
        wait_for_draft(folder / "there")
        busy = [worker for worker, tasks in client.processing().items() if tasks]
        os.kill(pids[busy[0]], signal.SIGKILL)
        killed.append(busy[0])

    pids, killed = client.run(os.getpid), []
    options = ["--out", "there", "-q", "--cluster", client.scheduler.address]
    with meanwhile(kill_one):
        assert run("predict", model, *long_tables, *options) == (0, "", "")
    client.wait_for_workers(2, timeout=60)
    assert killed
    assert files_of(folder / "there") == files_of(folder / "here")


def test_the_front_is_the_same_if_a_worker_is_killed(run, client, tmp_path):
    for number, table in enumerate(score_tables([40_000] * 6, 5, ["a", "b", "c"])):
        table.write_csv(tmp_path / f"{number}.csv")
    here = run("front", tmp_path / "*.csv", *ROLES, "--json")

    def kill_one():
        until = time.monotonic() + 60
        while time.monotonic() < until:
            held = {worker for worker, keys in client.has_what().items() if keys}
            if held & set(pids):
                os.kill(pids[min(held & set(pids))], signal.SIGKILL)
                killed.append(True)
                return
            time.sleep(0.005)

    pids, killed = client.run(os.getpid), []
    with meanwhile(kill_one):
        there = run(
            "front", tmp_path / "*.csv", *ROLES, "--json", "--cluster", client.scheduler.address
        )
    client.wait_for_workers(2, timeout=60)
    assert killed
    assert here == there


@pytest.mark.cluster
def test_workers_that_are_gone_for_good_are_not_waited_for(
    run, folder, model, long_tables, monkeypatch
):
    monkeypatch.setattr(cluster, "NO_WORKERS_TIMEOUT", 2.0)
    with LocalCluster(
        n_workers=0,
        processes=False,
        host="127.0.0.1",
        protocol="tcp",
        dashboard_address="127.0.0.1:0",
    ) as alone:
        command = [sys.executable, "-m", "distributed.cli.dask_worker", alone.scheduler_address]
        options = ["--no-dashboard", "--no-nanny", "--host", "127.0.0.1"]
        options += ["--local-directory", folder / "scratch"]
        worker = subprocess.Popen([*command, *options], stderr=subprocess.DEVNULL)

        def kill():
            wait_for_draft(folder / "out")
            worker.kill()
            worker.wait()

        with meanwhile(kill):
            arguments = ["--out", "out", "--cluster", alone.scheduler_address, "-q"]
            code, shown, complaints = run("predict", model, *long_tables, *arguments)
    assert (code, shown) == (2, "")
    assert "the cluster has had no workers for 2 seconds" in complaints
    assert len(complaints.splitlines()) == 1
    assert not list(folder.glob("out/.abstain*"))


def test_a_table_that_ends_its_workers_is_named(run, client, folder, model, monkeypatch):
    monkeypatch.setattr(client.cluster.scheduler, "allowed_failures", 0)
    monkeypatch.setattr(batch, "_answer_on_worker", lambda *given: __import__("os")._exit(1))
    options = ["--out", "out", "-q", "--cluster", client.scheduler.address]
    code, shown, complaints = run("predict", model, "data/0.csv", *options)
    client.wait_for_workers(2, timeout=60)
    assert (code, shown) == (2, "")
    assert "data/0.csv has killed each worker that read it" in complaints
    assert len(complaints.splitlines()) == 1
    assert not (folder / "out").exists()


def test_score_files_that_end_their_workers_are_reported(run, client, tmp_path, monkeypatch):
    (table,) = score_tables([9], 0, ["a"])
    table.write_csv(tmp_path / "0.csv")
    monkeypatch.setattr(client.cluster.scheduler, "allowed_failures", 0)
    monkeypatch.setattr(
        "abstain.tables.score_fronts._read_on_worker", lambda *given: __import__("os")._exit(1)
    )
    options = ["--cluster", client.scheduler.address]
    code, shown, complaints = run("front", tmp_path / "0.csv", *ROLES, *options)
    client.wait_for_workers(2, timeout=60)
    assert (code, shown) == (2, "")
    assert "a task killed each worker that ran it" in complaints
    assert len(complaints.splitlines()) == 1


def alive_in(group):
    """Return the processes of a group that have not ended, whether or not anyone has noticed."""
    running = []
    for process in psutil.process_iter():
        with suppress(ProcessLookupError, psutil.NoSuchProcess):
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                running.append(process)
    return running


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no process groups of this kind")
@pytest.mark.parametrize(("after", "times"), [("start", 1), ("draft", 1), ("draft", 3)])
@pytest.mark.cluster
def test_ctrl_c_ends_a_local_cluster_without_a_word(folder, model, long_tables, after, times):
    command = [sys.executable, "-m", "abstain", "predict", model, *long_tables, "-q"]
    process = subprocess.Popen(
        [*command, "--out", "out", "--cluster", "local"],
        start_new_session=True,  # a group of its own, as at a terminal
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 60
    while not list(folder.glob("out/.abstain*")) and time.monotonic() < until:
        time.sleep(0.01)
    if after == "draft":
        wait_for_draft(folder / "out")
    else:
        time.sleep(1.0)  # workers are being started
    for _ in range(times):
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.3)
    shown, complaints = process.communicate(timeout=120)
    assert (process.returncode, shown, complaints) == (130, "", "interrupted\n")
    assert not list(folder.glob("out/.abstain*"))
    until = time.monotonic() + 20
    while alive_in(process.pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert not alive_in(process.pid)
