"""How do the files of a real data set become what a loader returns?"""

from __future__ import annotations  # signatures then show the names of types

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from abstain._checks import InputError
from abstain.datasets.fetching import fetch
from abstain.datasets.home import Folder, data_folder
from abstain.datasets.optional import optional
from abstain.datasets.sources import SOURCES, Source
from abstain.datasets.tidy import Arrays, TidyFile, read

__all__ = ["data_frame", "load_table", "make_bunch", "read_files", "returned"]


def load_table(name: str, as_frame: bool, return_X_y: bool, data_home: Folder) -> Any:
    """Return a set that is one CSV file."""
    (table,) = read_files(name, data_home)
    bunch = make_bunch(name, table["values"], table["labels"], table["names"].tolist())
    return returned(bunch, as_frame, return_X_y)


def read_files(name: str, data_home: Folder) -> list[Arrays]:
    """Return what is in the files of a set, downloading them if one is not there."""
    source, folder = SOURCES[name], data_folder(data_home)
    if not all((folder / file.name).exists() for file in source.files):
        fetch(source, folder)
    return [_read_file(file, folder / file.name) for file in source.files]


def _read_file(file: TidyFile, path: Path) -> Arrays:
    try:
        return read(file, path.read_bytes())
    except OSError as error:
        raise InputError(
            f"cannot read {path}: {error.strerror or error}; choose another data_home"
        ) from error
    except InputError as error:
        raise InputError(
            f"{path} is not the known data: {error}; "
            "move it away to have it downloaded again, or choose another data_home"
        ) from error


def make_bunch(
    name: str,
    data: NDArray[np.float64],
    labels: NDArray[Any],
    feature_names: list[str],
    **more: Any,
) -> Bunch:
    """Return a set as arrays, its classes numbered as in its source."""
    source = SOURCES[name]
    numbers = {label: number for number, label in enumerate(source.classes)}
    target = np.array([numbers[str(label)] for label in labels], dtype=np.int64)
    return Bunch(
        data=data,
        target=target,
        frame=None,
        feature_names=feature_names,
        target_names=np.array(list(source.classes.values())),
        DESCR=_describe(source, data, target),
        **more,
    )


def _describe(source: Source, data: NDArray[np.float64], target: NDArray[np.int64]) -> str:
    counts = zip(source.classes.values(), np.bincount(target), strict=True)
    told = ", ".join(f"{name} ({count})" for name, count in counts)
    n_samples, n_features = data.shape
    return (
        f"{source.title}\n\n{n_samples} samples, {n_features} features, "
        f"{np.isnan(data).sum()} values missing\nClasses: {told}\n\n{source.description}"
    )


def returned(bunch: Bunch, as_frame: bool, return_X_y: bool) -> Any:
    """Return a set, or only its samples and classes, as pandas has them if asked to."""
    if as_frame:
        bunch.data = data_frame(bunch.data, bunch.feature_names)
        bunch.target = _pandas().Series(bunch.target, name="target")
        bunch.frame = _pandas().concat([bunch.data, bunch.target], axis=1)
    return (bunch.data, bunch.target) if return_X_y else bunch


def data_frame(values: NDArray[Any], names: list[str]) -> Any:
    """Return values as a DataFrame with names for the columns."""
    return _pandas().DataFrame(values, columns=names)


def _pandas() -> Any:
    return optional("pandas", "as_frame=True", "pandas")
