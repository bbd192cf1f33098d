"""Tables that were not made for the library."""

import numpy as np
import polars as pl
import pytest

from abstain import RejectRate
from abstain.tables import FitOptions, fit_table, open_table


def make_patients(n=240, seed=0):
    """Return patients with numbers, kinds, an identifier, gaps and a label with umlauts."""
    rng = np.random.default_rng(seed)
    ill = rng.random(n) < 0.4
    size = (rng.normal(size=n) + 1.5 * ill).round(3)
    age = rng.integers(20, 80, n)
    organ = np.where(rng.random(n) < 0.3 + 0.4 * ill, "Leber", "Niere, links")
    frame = pl.DataFrame(
        {
            "Patient": [f"P{i:04d}" for i in range(n)],
            "Größe": size,
            "Alter": age,
            "Organ": organ,
            "Befund lang": np.where(ill, "krank (übel)", "gesund"),
        }
    )
    gaps = pl.Series(rng.random(n) < 0.1)
    return frame.with_columns(pl.when(gaps).then(None).otherwise("Größe").alias("Größe"))


@pytest.fixture(scope="session")
def patients():
    return make_patients()


@pytest.fixture(scope="session")
def fitted(tmp_path_factory, patients):
    path = tmp_path_factory.mktemp("fitted") / "patients.csv"
    patients.write_csv(path)
    return fit_table(
        open_table(path), FitOptions("Befund lang", model="glvq", target=RejectRate(0.2))
    )
