"""Does work that fails on one block, whosever it is, name the block?"""

import os
import time

import dask
import dask.array as da
import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB

from abstain import GLVQ, InputError, RejectOptionClassifier, pareto_front
from abstain._scale.computing import persist
from abstain._scale.graphs import delayed_call

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2_000, 3))
Y = (X[:, 0] + RNG.normal(size=2_000) > 0).astype(int)


def broken(block, error=None, block_info=None):
    """Read a block as one reads files, of which one is not what it should be."""
    if block_info[0]["chunk-location"][0] == 17:
        raise error
    return block


def in_blocks(error):
    def read(array):
        chunks = (100, *array.shape[1:])
        return da.from_array(array, chunks=chunks).map_blocks(broken, error=error, meta=array[:0])

    return read


def front(read):
    return pareto_front(read(np.abs(X[:, 0])), read(Y == 1))


def calibration(read):
    frozen = FrozenEstimator(GaussianNB().fit(X, Y))
    return RejectOptionClassifier(frozen).fit(read(X), read(Y))


def model(read):
    return GLVQ(1, max_iter=2).fit(read(X), read(Y))


@pytest.fixture(
    params=[pytest.param("cluster", marks=pytest.mark.cluster), "threads", "synchronous"]
)
def scheduler(request):
    if request.param == "cluster":
        request.getfixturevalue("client")
        yield
    else:
        with dask.config.set(scheduler=request.param):
            yield


@pytest.mark.parametrize("work", [front, calibration, model])
@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ValueError("line 3\nis short"), "line 3 is short (in block 17)"),
        (OSError("the disk is gone"), "OSError: the disk is gone (in block 17)"),
        (ZeroDivisionError(), "ZeroDivisionError (in block 17)"),
    ],
)
def test_work_of_others_that_fails_is_reported_with_its_block(scheduler, work, error, told):
    with pytest.raises(InputError) as caught:
        work(in_blocks(error))
    assert str(caught.value) == told


def test_what_fails_only_once_names_its_block_too(tmp_path):
    def fails_once(number):
        if number == 2 and not (tmp_path / "tried").exists():
            (tmp_path / "tried").touch()
            raise OSError("come again")
        return number

    parts = [delayed_call(fails_once, number) for number in range(4)]
    said = r"^OSError: come again \(in block 2\)$"
    with dask.config.set(scheduler="synchronous"), pytest.raises(InputError, match=said):
        persist(parts)


def fails_or_takes_long(number, folder):
    if number == 1:
        raise OSError("the disk is gone")
    time.sleep(0.2)
    (folder / str(number)).touch()
    return number


def test_what_fails_early_is_reported_early(client, tmp_path):
    parts = [delayed_call(fails_or_takes_long, number, tmp_path) for number in range(60)]
    with pytest.raises(InputError, match="the disk is gone"):
        persist(parts)
    assert len(list(tmp_path.iterdir())) < 59


def kills_its_worker(block, block_info=None):
    if block_info[0]["chunk-location"][0] == 1:
        os._exit(1)
    return block


@pytest.mark.parametrize("work", [front, calibration, model])
def test_a_block_that_kills_its_workers_is_named(client, monkeypatch, work):
    monkeypatch.setattr(client.cluster.scheduler, "allowed_failures", 0)

    def read(array):
        lazy = da.from_array(array, chunks=(700, *array.shape[1:]))
        return lazy.map_blocks(kills_its_worker, meta=array[:0])

    with pytest.raises(InputError) as caught:
        work(read)
    client.wait_for_workers(2, timeout=60)
    said = str(caught.value)
    assert said.startswith("a task killed each worker that ran it, perhaps out of memory; give ")
    assert said.count("\n") == 0
    assert " (in block " in said
