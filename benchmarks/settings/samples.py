"""On which folds of which data sets are settings compared?"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.model_selection import RepeatedStratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain.datasets import make_gaussian_clusters, make_pearl_necklace

Array = NDArray[Any]

BUNDLED: dict[str, Any] = {
    "breast cancer": load_breast_cancer,
    "digits": load_digits,
    "iris": load_iris,
    "wine": load_wine,
}
ARTIFICIAL: dict[str, Any] = {
    "gaussian clusters": make_gaussian_clusters,
    "pearl necklace": make_pearl_necklace,
}
FILES = ["cleveland", "coil20", "covtype", "gastric_nmr", "haberman", "segment", "tecator"]
FILES += ["wisconsin"]
SETS = sorted([*BUNDLED, *ARTIFICIAL, *FILES])
QUICK_SETS = ["gaussian clusters", "haberman", "iris", "wine"]

# Models with a matrix for each prototype take ten times as long: they get fewer rows and repeats.
LOCAL = ["LGMLVQ", "LMRSLVQ"]
N_FOLDS, N_COMPONENTS = 5, 30
MOST_ROWS, MOST_LOCAL_ROWS, FEW_ROWS = 2000, 1000, 500


class Fold(NamedTuple):
    """Scaled samples and labels, to train on and to test with."""

    train: Array
    train_labels: Array
    test: Array
    test_labels: Array


def load(name: str, data: Path) -> tuple[Array, Array]:
    """Return at most so many samples of a data set, and their labels; NaN is missing."""
    if name in BUNDLED:
        samples, labels = BUNDLED[name](return_X_y=True)
    elif name in ARTIFICIAL:
        samples, labels = ARTIFICIAL[name](1000, random_state=0)
    elif name == "coil20":
        with np.load(data / "coil20.npz") as file:
            samples = file["images"].reshape(len(file["images"]), -1).astype(float)
            labels = file["target"]
    else:
        import polars as pl

        (file,) = data.glob(f"{name}.csv*")
        table = pl.read_csv(file)
        samples = table.drop("target").cast(pl.Float64).to_numpy()
        labels = table["target"].to_numpy()
        # Concentrations are skewed; those who measured them take logarithms.
        samples = np.log10(samples) if name == "gastric_nmr" else samples
    return fewer(samples, np.unique(labels, return_inverse=True)[1], MOST_ROWS)


def fewer(samples: Array, labels: Array, most: int) -> tuple[Array, Array]:
    """Return at most so many samples, each class in proportion."""
    if len(labels) <= most:
        return samples, labels
    chosen, _ = train_test_split(
        np.arange(len(labels)), train_size=most, stratify=labels, random_state=0
    )
    return samples[chosen], labels[chosen]


def folds(name: str, data: Path, is_local: bool) -> Iterator[Fold]:
    """Yield the folds of a data set; small ones are split twice."""
    samples, labels = load(name, data)
    if is_local:
        samples, labels = fewer(samples, labels, MOST_LOCAL_ROWS)
    repeats = 2 if len(labels) < FEW_ROWS and not is_local else 1
    splitter = RepeatedStratifiedKFold(n_splits=N_FOLDS, n_repeats=repeats, random_state=0)
    for train, test in splitter.split(samples, labels):
        steps = [PCA(N_COMPONENTS, random_state=0)] if name == "coil20" else []
        scaler = make_pipeline(*steps, StandardScaler()).fit(samples[train])
        train_and_test = scaler.transform(samples[train]), labels[train]
        yield Fold(*train_and_test, scaler.transform(samples[test]), labels[test])
