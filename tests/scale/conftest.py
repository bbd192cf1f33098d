"""A real cluster: a scheduler and two worker processes on this machine."""

import warnings

import pytest

distributed = pytest.importorskip(
    "distributed", reason="Dask is not installed: pip install 'abstain[scale]'"
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
