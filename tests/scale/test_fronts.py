"""On a cluster of processes a front is what it is on one machine, bit for bit."""

import os
import signal
import subprocess
import sys
import threading
import time

import dask
import dask.array as da
import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from abstain import InputError, pareto_front
from abstain.fronts import METHODS
from tests.examples import examples
from tests.fronts.strategies import half_tied, synthetic

FIELDS = ("true_rejects", "false_rejects", "gap", "cells", "reject_rates", "accuracies")
on_cluster = examples(0.3, suppress_health_check=[HealthCheck.function_scoped_fixture])


def assert_same(front, expected):
    for field in FIELDS:
        ours, theirs = getattr(front, field), getattr(expected, field)
        assert ours.dtype == theirs.dtype, field
        assert ours.tobytes() == theirs.tobytes(), field
    assert front.thresholds.tobytes() == expected.thresholds.tobytes()
    assert repr(front) == repr(expected)


def as_dask(data, chunks):
    return [da.from_array(part, chunks=(chunks,)) for part in data]


def cut(size, cuts):
    return tuple(np.diff([0, *sorted(cuts), size]).tolist())


# Chunks of any size, empty ones among them; ties, cells that some chunks lack, one-sided cells.
@on_cluster
@given(half_tied(max_size=30), st.sampled_from(sorted(METHODS)), st.data())
def test_any_chunks_give_the_same_front(client, data, method, draw):
    size = len(data.cells)
    cuts = draw.draw(st.lists(st.integers(0, size), max_size=4))
    front = pareto_front(*as_dask(data, cut(size, cuts)), method=method)
    assert_same(front, pareto_front(*data, method=method))


@pytest.mark.parametrize("method", sorted(METHODS))
def test_skewed_chunks(client, method):
    data = synthetic(30_000, 40, decimals=4)
    data = [part[np.argsort(data.cells, kind="stable")] for part in data]  # cells in few chunks
    front = pareto_front(*as_dask(data, (1, 0, 29_000, 499, 500)), method=method)
    assert_same(front, pareto_front(*data, method=method))


def test_text_and_one_cell(client):
    data = synthetic(2_000, 5)
    names = np.array(["ash", "beech", "cedar", "elm", "fir"])[data.cells]
    front = pareto_front(*as_dask([data.certainty, data.correct, names], 300))
    assert_same(front, pareto_front(data.certainty, data.correct, names))
    front = pareto_front(*as_dask(data[:2], 300))
    assert_same(front, pareto_front(*data[:2]))


def test_lengths_that_nobody_knows(client):
    data = synthetic(1_000, 3)
    known = as_dask(data, 300)
    unknown = [part[known[0] > 0.2] for part in known]
    expected = [part[data.certainty > 0.2] for part in data]
    assert_same(pareto_front(*unknown), pareto_front(*expected))


# Of the certainties some are equal, or each has its own value and bins hold several of them.
@pytest.mark.parametrize("decimals", [2, None])
@pytest.mark.parametrize("method", sorted(METHODS))
def test_threads_do_as_well_as_processes(method, decimals):
    data = synthetic(3_000, 3, decimals=decimals)
    with dask.config.set(scheduler="threads"):
        front = pareto_front(*as_dask(data, 700), method=method)
    assert_same(front, pareto_front(*data, method=method))


# --- what goes wrong ----------------------------------------------------------------------------


def test_a_bad_value_names_its_block(client):
    data = synthetic(20_000, 3)
    data.certainty[17 * 1_000 + 3] = np.nan
    with pytest.raises(InputError) as caught:
        pareto_front(*as_dask(data, 1_000))
    assert str(caught.value) == (
        "certainty must hold no missing value, got nan at index 3 (in block 17)"
    )
    assert caught.value.argument == "certainty"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda c, k, g: (c, k.compute(), g),
            "correct must be a Dask collection chunked like certainty",
        ),
        (
            lambda c, k, g: (c, k, g.rechunk(((150, 50, *[100] * 8),))),
            r"cells must be chunked like certainty, got chunks of .*150.*; rechunk one of them",
        ),
        (lambda c, k, g: (c.sum(), k, g), "certainty must hold an entry for each sample, got a"),
        (
            lambda c, k, g: (c, k[:-100], g),
            "correct must be chunked like certainty, got 9 blocks beside 10; rechunk",
        ),
        (
            lambda c, k, g: (c, k, g.to_dask_dataframe().repartition(npartitions=4)),
            "cells must be chunked like certainty, got 4 blocks beside 10; rechunk or repartition",
        ),
    ],
)
def test_blocks_that_do_not_fit(change, said):
    data = as_dask(synthetic(1_000, 3), 100)
    with pytest.raises(InputError, match=said) as caught:
        pareto_front(*change(*data))
    assert "\n" not in str(caught.value)


def test_dask_is_imported_only_where_it_is_used():
    code = "import abstain, sys; abstain.pareto_front([1, 2], [0, 1]); print('dask' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "False"


def test_without_dask_the_extra_is_named(monkeypatch):
    data = as_dask(synthetic(100, 3), 50)
    monkeypatch.setitem(sys.modules, "dask.array", None)
    with pytest.raises(InputError, match=r"pip install '.\[scale\]'"):
        pareto_front(*data)


# --- a worker dies ------------------------------------------------------------------------------


def slowly(block, pause):
    time.sleep(pause)
    return block


def test_a_killed_worker_changes_nothing(client):
    data = synthetic(40_000, 10, decimals=3)
    certainty, correct, cells = as_dask(data, 1_000)
    lazy = certainty.map_blocks(slowly, 0.05, dtype=float)
    victim = next(iter(client.run(os.getpid).values()))
    killer = threading.Timer(1.0, os.kill, (victim, signal.SIGKILL))
    killer.start()
    front = pareto_front(lazy, correct, cells)
    killer.join()
    with pytest.raises(ProcessLookupError):
        os.kill(victim, 0)
    assert_same(front, pareto_front(*data))


# --- what travels -------------------------------------------------------------------------------


def outgoing(client):
    totals = client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total)
    return sum(totals.values())


def drawn(number, size):
    rng = np.random.default_rng(number)
    certainty = rng.random(size)
    wrong = np.zeros(size, dtype=bool)
    wrong[: 1_600 // 8] = True  # as many in all, whatever the size
    return certainty, ~wrong, rng.integers(0, 5, size)


# Between workers go errors and counts of what lies between them: not the samples, however many.
@pytest.mark.parametrize("size", [20_000, 200_000])
def test_what_travels_grows_with_the_errors_alone(client, size):
    blocks = [dask.delayed(drawn, pure=False, nout=3)(number, size) for number in range(8)]
    arrays = [
        da.concatenate([da.from_delayed(block[part], (size,), dtype=kind) for block in blocks])
        for part, kind in enumerate((float, bool, int))
    ]
    before = outgoing(client)
    front = pareto_front(*arrays, method="hull")
    assert front.n_errors == 1_600
    assert outgoing(client) - before < 200 * front.n_errors  # and some kilobytes of overhead
