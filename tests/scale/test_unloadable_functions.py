"""A function that the workers cannot import is an error of one line; no call waits for ever."""

import subprocess
import sys

import pytest

PROGRAM = '''
import sys

import dask
import dask.array as da
import distributed
import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB

from abstain import GLVQ, InputError, RejectOptionClassifier, pareto_front


def calibrate(X, y, lazy, labels):
    RejectOptionClassifier(FROZEN, certainty=rules.certainty).fit(lazy, labels)


def find_cells(X, y, lazy, labels):
    RejectOptionClassifier(FROZEN, cells=rules.cells).fit(lazy, labels)


def reject(X, y, lazy, labels):
    RejectOptionClassifier(FROZEN, certainty=rules.certainty).fit(X, y).reject(lazy).compute()


def fit(X, y, lazy, labels):
    GLVQ(1, max_iter=2).fit(lazy.map_blocks(rules.same, meta=X[:0]), labels)


def front(X, y, lazy, labels):
    pareto_front(lazy[:, 0].map_blocks(rules.same, meta=X[:0, 0]), labels == 1)


def front_of_scaled(X, y, lazy, labels):
    """Dask itself sends a function that all blocks need: its workers end."""
    mine = client.submit(sum, [1, 2])
    top = lazy.map_blocks(rules.same, meta=X[:0]).max().map_blocks(rules.same, meta=X[0, 0])
    try:
        with dask.config.set({"distributed.scheduler.no-workers-timeout": "1s"}):
            pareto_front(lazy[:, 0] / top, labels == 1)
    finally:
        assert not mine.cancelled()  # what the caller waits for is left alone


if __name__ == "__main__":
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    )
    client = distributed.Client(cluster)
    sys.path.insert(0, sys.argv[1])  # workers, which are started, do not look there
    import rules

    X = np.random.default_rng(0).normal(size=(400, 2))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    FROZEN = FrozenEstimator(GaussianNB().fit(X, y))
    lazy, labels = da.from_array(X, chunks=(100, -1)), da.from_array(y, chunks=100)
    for call in (calibrate, find_cells, reject, fit, front, front_of_scaled):
        try:
            call(X, y, lazy, labels)
        except InputError as error:
            print(f"{call.__name__}: {error}")
    client.close()
    cluster.close()
'''

RULES = """
def certainty(model, X):
    return model.predict_proba(X).max(axis=1)


def cells(model, X):
    return (X[:, 0] > 0).astype(int)


def same(block):
    return block
"""

CANNOT_LOAD = (
    "a worker cannot load what it is to run (ModuleNotFoundError: No module named 'rules'); "
    "install the module on all workers, or send it by client.upload_file"
)
NO_WORKERS = "the cluster has had no workers for 1 seconds; start some and run it again (a worker "


@pytest.mark.cluster
def test_every_call_ends_with_an_error_of_one_line(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "rules.py").write_text(RULES)
    command = [sys.executable, tmp_path / "program.py", tmp_path / "modules"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180)
    *lines, last = done.stdout.splitlines()
    calls = ("calibrate", "find_cells", "reject", "fit", "front")
    assert lines == [f"{call}: {CANNOT_LOAD}" for call in calls], done.stderr
    assert last.startswith(f"front_of_scaled: {NO_WORKERS}")
    assert done.returncode == 0
