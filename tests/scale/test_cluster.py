"""Is a cluster that cannot do the work told so before any is sent?"""

import errno
import importlib.metadata
import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import dask.array
import distributed
import numpy as np
import psutil
import pytest
from distributed import Client, LocalCluster, Security

from abstain import GLVQ, InputError, pareto_front
from abstain._scale import cluster
from abstain._scale.cluster import open_cluster

pytestmark = pytest.mark.cluster


@contextmanager
def scheduler_here():
    with LocalCluster(
        n_workers=0,
        processes=False,
        host="127.0.0.1",
        protocol="tcp",
        dashboard_address="127.0.0.1:0",
    ) as alone:
        yield alone.scheduler_address


@contextmanager
def process(*arguments, path=None):
    """Have Python run something beside, and end it; a folder may come first where it imports."""
    paths = filter(None, [path and str(path), os.environ.get("PYTHONPATH")])
    beside = subprocess.Popen(
        [sys.executable, "-m", *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        stderr=subprocess.DEVNULL,
    )
    try:
        yield beside
    finally:
        beside.kill()
        beside.wait()


def worker_of(address, folder, path=None):
    options = ["--no-dashboard", "--no-nanny", "--host", "127.0.0.1", "--local-directory", folder]
    return process("distributed.cli.dask_worker", address, *options, path=path)


def foreign_worker(address, folder, package, version):
    """Have a worker process that finds another version of a package."""
    about = folder / f"{package.replace('-', '_')}-{version}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
    return worker_of(address, folder, path=folder)


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def test_a_local_cluster_is_made_of_processes_that_end_with_it():
    with open_cluster("local", n_workers=2) as client:
        pids = client.run(os.getpid)
        assert len(set(pids.values()) - {os.getpid()}) == 2
        assert client.submit(sum, [1, 2]).result() == 3
    for pid in pids.values():
        until = time.monotonic() + 20
        while os.path.exists(f"/proc/{pid}") and time.monotonic() < until:
            time.sleep(0.05)
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


# Without its certificate, nobody on this machine can have code run by it.
def test_a_local_cluster_is_closed_to_others():
    with open_cluster("local", n_workers=1) as client:
        (worker,) = client.nthreads()
        for address in (client.scheduler.address, worker):
            assert address.startswith("tls://127.0.0.1:")
            plain = address.replace("tls", "tcp")
            for named, security in ((plain, None), (address, Security.temporary())):
                with pytest.raises(OSError, match=r"closed|Timed out|SSL|certificate"):
                    Client(named, security=security, timeout=2)


# Nor is it reached from elsewhere.
def test_a_local_cluster_listens_on_loopback_alone():
    with open_cluster("local", n_workers=1) as client:
        here = psutil.Process()
        listening = [
            each.laddr.ip
            for process in (here, *here.children(recursive=True))
            for each in process.net_connections()
            if each.status == psutil.CONN_LISTEN
        ]
        assert len(listening) >= 4
        assert set(listening) == {"127.0.0.1"}
        assert client.submit(sum, [1, 2]).result() == 3


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RuntimeError("Nanny failed to start.\nsee above"), "Nanny failed to start. see above"),
        (OSError(errno.EMFILE, "Too many open files"), "Too many open files"),
        (TimeoutError(), "TimeoutError"),
    ],
)
def test_a_local_cluster_that_cannot_start_is_reported_in_one_line(error, said, monkeypatch):
    def refuse(**options):
        raise error

    monkeypatch.setattr(distributed, "LocalCluster", refuse)
    with pytest.raises(InputError) as caught, open_cluster("local"):
        pass
    assert str(caught.value).startswith("its workers could not be started (")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_local_cluster_needs_a_certificate(monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography", None)
    told = r"a cluster needs more than is installed .*cryptography.*pip install '.\[scale\]'"
    with pytest.raises(InputError, match=told), open_cluster("local"):
        pass


def test_a_running_cluster_is_taken_by_its_address_and_left_running(client):
    address = client.scheduler.address
    with open_cluster(address) as other:
        assert other.submit(sum, [1, 2]).result() == 3
    assert client.submit(sum, [2, 2]).result() == 4


@pytest.mark.parametrize("where", ["", "nowhere", "tcp://1.2.3.4", "foo://1.2.3.4:5", "Local"])
def test_what_is_no_address_is_refused_at_once(where):
    with (
        pytest.raises(InputError, match=r"must be 'local' or that of a scheduler, .* got ") as e,
        open_cluster(where),
    ):
        pass
    assert repr(where) in str(e.value)


def test_a_scheduler_that_nobody_answers_for_is_given_up(monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_TIMEOUT", 0.5)
    with (
        pytest.raises(InputError, match="no scheduler answers there"),
        open_cluster("tcp://127.0.0.1:9"),
    ):
        pass


def test_what_listens_and_is_no_scheduler_is_given_up(monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_TIMEOUT", 0.5)
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        address = f"tcp://127.0.0.1:{mute.getsockname()[1]}"
        with pytest.raises(InputError, match="no scheduler answers there"), open_cluster(address):
            pass


def test_a_scheduler_without_workers_is_given_up(monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_TIMEOUT", 0.5)
    with (
        scheduler_here() as address,
        pytest.raises(InputError, match="no workers after"),
        open_cluster(address),
    ):
        pass


@pytest.mark.parametrize(
    ("package", "version"), [("abstain", "0.0.1"), ("scikit-learn", "1.0"), ("dask", "2020.1")]
)
def test_a_worker_of_another_version_is_refused(tmp_path, package, version):
    ours = importlib.metadata.version(package)
    told = rf"the worker tcp://\S+ has {package} {version}, this process has {ours}; install"
    with (
        scheduler_here() as address,
        foreign_worker(address, tmp_path, package, version),
        pytest.raises(InputError, match=told),
        open_cluster(address),
    ):
        pass


def test_dask_arrays_are_not_sent_to_workers_of_another_version(tmp_path):
    certainty = dask.array.ones(6, chunks=3)
    with (
        scheduler_here() as address,
        foreign_worker(address, tmp_path, "abstain", "0.0.1"),
        Client(address) as client,
    ):
        client.wait_for_workers(1, timeout=30)
        with pytest.raises(InputError, match=r"has abstain 0\.0\.1, this process has"):
            pareto_front(certainty, certainty > 2)


def test_a_worker_that_comes_later_is_asked_too(tmp_path):
    certainty = dask.array.ones(6, chunks=3)
    early, late = tmp_path / "early", tmp_path / "late"
    early.mkdir()
    late.mkdir()
    with scheduler_here() as address, worker_of(address, early), open_cluster(address) as client:
        pareto_front(certainty, certainty > 2)
        with foreign_worker(address, late, "abstain", "0.0.1"):
            client.wait_for_workers(2, timeout=30)
            with pytest.raises(InputError, match=r"has abstain 0\.0\.1, this process has"):
                pareto_front(certainty, certainty > 2)


def slow(block):
    time.sleep(0.1)
    return block


def slow_front():
    X = dask.array.ones((400, 2), chunks=(4, 2)).map_blocks(slow)
    pareto_front(X[:, 0], X[:, 1] > 2)


def long_fit():
    X = np.random.default_rng(0).normal(size=(3_000, 3))
    y = (X[:, 0] > 0).astype(int)
    chunked = [dask.array.from_array(array, chunks=(300, *array.shape[1:])) for array in (X, y)]
    GLVQ(1, max_iter=100_000, tol=0).fit(*chunked)


@pytest.mark.parametrize("work", [slow_front, long_fit])
def test_a_scheduler_that_dies_in_mid_work_leaves_nobody_waiting(tmp_path, work):
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    options = ["--host", "127.0.0.1", "--port", port, "--dashboard-address", "127.0.0.1:0"]
    with (
        process("distributed.cli.dask_scheduler", *options) as scheduler,
        worker_of(address, tmp_path),
        open_cluster(address),
    ):
        killer = threading.Timer(1.5, scheduler.kill)
        killer.start()
        with pytest.raises(InputError, match=r"connection to the Dask scheduler was lost"):
            work()
        killer.join()


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    told = r"a cluster needs .*pip install '.\[scale\]'"
    with pytest.raises(InputError, match=told), open_cluster("local"):
        pass
