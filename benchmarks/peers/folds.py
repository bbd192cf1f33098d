"""Which folds does every library fit?

Ten stratified folds, shuffled with seed 0. Inside each fold the features are z-scored, as the
samples to train on have them. The images of coil20 are first reduced to 30 principal components:
their pixels share one scale already, so that it is the components that are z-scored.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

N_FOLDS = 10
N_COMPONENTS = 30
SETS = ["segment", "breast cancer", "digits", "coil20"]


def load(name: str, data: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the samples and labels of a data set; two of them lie in a folder of data."""
    if name == "segment":
        import polars as pl

        table = pl.read_csv(data / "segment.csv")
        return table.drop("target").to_numpy(), table["target"].to_numpy()
    if name == "coil20":
        with np.load(data / "coil20.npz") as file:
            return file["images"].reshape(len(file["images"]), -1).astype(float), file["target"]
    samples, labels = {"breast cancer": load_breast_cancer, "digits": load_digits}[name](
        return_X_y=True
    )
    return samples, labels


def write_folds(name: str, data: Path, file: Path) -> None:
    """Write the samples as each fold scales them, their labels, and the fold that tests each."""
    samples, labels = load(name, data)
    labels = np.unique(labels, return_inverse=True)[1]
    splitter = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    fold_of_sample = np.empty(len(labels), dtype=int)
    scaled = []
    for fold, (train, test) in enumerate(splitter.split(samples, labels)):
        fold_of_sample[test] = fold
        steps = [PCA(N_COMPONENTS, random_state=0)] if name == "coil20" else []
        scaler = make_pipeline(*steps, StandardScaler()).fit(samples[train])
        scaled.append(scaler.transform(samples))
    np.savez(file, samples=np.stack(scaled), labels=labels, fold_of_sample=fold_of_sample)
