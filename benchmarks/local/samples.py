"""Which samples fit a classifier, set its thresholds and test them?

Twelve sets. Nine are split into folds, twice over. Three give as many samples as are asked for, and
every repeat draws its own.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import RepeatedStratifiedKFold, train_test_split

from abstain.datasets import make_gaussian_clusters, make_pearl_necklace

Array = NDArray[Any]

BUNDLED: dict[str, Any] = {"breast cancer": load_breast_cancer, "digits": load_digits}
ARTIFICIAL: dict[str, Any] = {
    "gaussian clusters": make_gaussian_clusters,
    "pearl necklace": make_pearl_necklace,
}
FILES = ["cleveland", "coil20", "covtype", "gastric_nmr", "haberman", "segment", "tecator"]
FILES += ["wisconsin"]
SETS = sorted([*BUNDLED, *ARTIFICIAL, *FILES])
DRAWN = [*ARTIFICIAL, "covtype"]

N_FOLDS, N_COMPONENTS, ENOUGH_TO_SHARE = 5, 30, 1000
N_TRAIN, N_LARGE_TRAIN, N_CALIBRATION, N_TEST = 1000, 1500, 10_000, 10_000


class Part(NamedTuple):
    """Samples and their labels."""

    X: Array
    y: Array


class Repeat(NamedTuple):
    """What one repeat fits, calibrates and tests with.

    ``train`` fits and calibrates; ``held_out`` is a part to fit on and one to calibrate on. Small
    sets have none.
    """

    train: Part
    held_out: tuple[Part, Part] | None
    test: Part


def repeats_of(name: str, data: Path, n_repeats: int) -> Iterator[Repeat]:
    """Yield so many folds or draws of a set; of folds, a multiple of N_FOLDS."""
    if name in DRAWN:
        return _draw(name, data, n_repeats)
    return _split(name, data, n_repeats // N_FOLDS)


def _load(name: str, data: Path) -> Part:
    """Return a data set; NaN is missing."""
    if name in BUNDLED:
        samples, labels = BUNDLED[name](return_X_y=True)
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
    return Part(samples, np.unique(labels, return_inverse=True)[1])


def _draw(name: str, data: Path, n_draws: int) -> Iterator[Repeat]:
    """Yield samples drawn afresh each time, in parts of the same kind."""
    whole = None if name in ARTIFICIAL else _load(name, data)
    for seed in range(n_draws):
        if whole is None:
            train, calibration, test = (
                Part(*ARTIFICIAL[name](size, random_state=3 * seed + part))
                for part, size in enumerate([N_TRAIN, N_CALIBRATION, N_TEST])
            )
        else:
            some, _ = _part(whole, N_LARGE_TRAIN + N_CALIBRATION + N_TEST, seed)
            train, rest = _part(some, N_LARGE_TRAIN, seed)
            calibration, test = _part(rest, N_CALIBRATION, seed)
        yield Repeat(train, (train, calibration), test)


def _split(name: str, data: Path, n_repeats: int) -> Iterator[Repeat]:
    """Yield the folds of a data set; of a large one, half of what trains can calibrate.

    The rows are in random order: ``cv=5`` takes its folds as they come, and those of a sorted file
    would not be alike.
    """
    whole = _load(name, data)
    order = np.random.default_rng(0).permutation(len(whole.y))
    whole = Part(whole.X[order], whole.y[order])
    splitter = RepeatedStratifiedKFold(n_splits=N_FOLDS, n_repeats=n_repeats, random_state=0)
    for number, (train_rows, test_rows) in enumerate(splitter.split(whole.X, whole.y)):
        train, test = (Part(whole.X[rows], whole.y[rows]) for rows in (train_rows, test_rows))
        if name == "coil20":
            pca = PCA(N_COMPONENTS, random_state=0).fit(train.X)
            train, test = (Part(pca.transform(part.X), part.y) for part in (train, test))
        shares = len(whole.y) >= ENOUGH_TO_SHARE
        held_out = _part(train, len(train.y) // 2, number) if shares else None
        yield Repeat(train, held_out, test)


def _part(samples: Part, n_first: int, seed: int) -> tuple[Part, Part]:
    """Return so many samples and the rest, at random, each class in proportion."""
    parts = train_test_split(*samples, train_size=n_first, stratify=samples.y, random_state=seed)
    return Part(parts[0], parts[2]), Part(parts[1], parts[3])
