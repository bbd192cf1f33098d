"""Which sets are there, and which of them had a part in choosing the score of outliers?

The sets of scikit-learn and those beside the project had one; sets of the KEEL repository confirm.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from local.sets import KEEL
from local.sets import load as load_local
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

__all__ = ["CHOSEN_ON", "CONFIRMING", "load"]

_BUILT_IN: dict[str, Callable[..., Any]] = {
    "iris": load_iris,
    "wine": load_wine,
    "breast cancer": load_breast_cancer,
    "digits": load_digits,
}
# Tables beside the project, and the first rows that are taken of long ones in time order.
_FILES = {
    "segment": None,
    "haberman": None,
    "gastric_nmr": None,
    "wisconsin": None,
    "cleveland": None,
    "tecator": None,
    "covtype": 30_000,
    "electricity": 6_000,
    "weather": 6_000,
    "gas_drift": None,
}
CHOSEN_ON = [*_BUILT_IN, *_FILES]
CONFIRMING = [name for name in KEEL if name != "marketing"]  # which has missing values as text


def load(name: str, data: Path) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return samples and classes of a set; the files lie in the folder ``data``."""
    if name in _BUILT_IN:
        samples, labels = _BUILT_IN[name](return_X_y=True)
        return np.asarray(samples, dtype=np.float64), labels
    if name in KEEL:
        table = load_local(name, data)
        return np.asarray(table.X, dtype=np.float64), table.y
    import polars as pl

    (file,) = data.glob(f"{name}.csv*")
    frame = pl.read_csv(file, infer_schema_length=None)
    if name == "gas_drift":  # one batch: the sensors drift from batch to batch
        frame = frame.filter(pl.col("batch") == 2).drop("batch")
    frame = frame.head(_FILES[name] or frame.height)
    labels = frame["target"].cast(pl.String).to_numpy()
    return frame.drop("target").cast(pl.Float64).to_numpy(), labels
