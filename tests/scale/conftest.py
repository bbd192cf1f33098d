"""A real cluster: a scheduler and two worker processes on this machine."""

import os
import warnings
from pathlib import Path

import numpy as np
import polars
import pytest

distributed = pytest.importorskip(
    "distributed", reason="Dask is not installed: pip install '.[scale]'"
)


@pytest.fixture(scope="session")
def client():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
        )
        client = distributed.Client(cluster)
    yield client
    client.close()
    cluster.close()


BESIDE_THE_PROJECT = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture(scope="session")
def covtype():
    folder = Path(os.environ.get("ABSTAIN_DATA_HOME") or BESIDE_THE_PROJECT)
    file = folder / "covtype.csv.gz"
    if not file.is_file():
        pytest.skip(f"no {file.name} in {folder}: set ABSTAIN_DATA_HOME to a folder that has it")
    table = polars.read_csv(file, schema_overrides=[polars.Int16] * 54 + [polars.Int8])
    # By rows, as blocks are: along columns NumPy adds up in another order.
    return np.ascontiguousarray(table[:, :-1].to_numpy()), table[:, -1].to_numpy()


@pytest.fixture(scope="session")
def read_in_blocks():
    """Have rows read where they are used: no more than their place goes over the wire."""
    import dask.array as da

    def read(path, block_info=None):
        (start, stop), _ = block_info[None]["array-location"]
        return np.load(path, mmap_mode="r")[start:stop]

    def read_in_blocks(X, folder, size):
        np.save(folder / "X.npy", X)
        chunks = (da.core.normalize_chunks(size, (len(X),))[0], X.shape[1:])
        return da.map_blocks(read, str(folder / "X.npy"), chunks=chunks, dtype=X.dtype)

    return read_in_blocks
