"""What are the samples, the classes and the origin of each real data set?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable
from inspect import cleandoc
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from abstain.datasets.files import Folder, read_files
from abstain.datasets.sources import SOURCES, Source, import_optional

Loader = TypeVar("Loader", bound=Callable[..., Any])

_DOCUMENTATION = """\
{text}

Files that are not in the data folder are downloaded, converted and stored there. All files are
checked by shape and SHA-256.

Parameters
----------
as_frame : bool, default=False
    Whether to return a pandas DataFrame and Series instead of arrays.
return_X_y : bool, default=False
    Whether to return only ``(data, target)``.
data_home : str, path-like or None, default=None
    Folder of the data files; None is the folder in the environment variable
    ``ABSTAIN_DATA_HOME`` or else ``abstain`` in the user's cache folder.

Returns
-------
data : Bunch
    With the attributes

    {attributes}
    - ``target``: the classes as numbers from 0, whose names are ``target_names[target]``;
    - ``feature_names``: list of str;
    - ``frame``: data and target in one DataFrame if ``as_frame``, else None;
    - ``DESCR``: origin, citation and terms.

    Or the pair of data and target if ``return_X_y``.

Examples
--------
With the file in the data folder or with a network::

    from abstain.datasets import {name}

    X, y = {name}(return_X_y=True)
"""


def _document(*attributes: str) -> Callable[[Loader], Loader]:
    """Complete the docstring of a loader; ``attributes`` are those that only this data set has."""

    def complete(loader: Loader) -> Loader:
        loader.__doc__ = _DOCUMENTATION.format(
            text=cleandoc(loader.__doc__ or ""),
            attributes="\n    ".join(f"- {attribute};" for attribute in attributes),
            name=loader.__name__,
        )
        return loader

    return complete


@_document(
    "``data``, shape (2310, 19): position, lines, edges and colours of a region",
    "``target_names``: brickface, sky, foliage, cement, window, path, grass",
)
def load_segment(
    *, as_frame: bool = False, return_X_y: bool = False, data_home: Folder = None
) -> Any:
    """Load image segmentation: seven kinds of regions in outdoor images.

    A data set of the paper, published in the UCI repository. The first 210 rows are the original
    training set, the others its test set. 224 of the 2310 rows repeat an earlier one, so that a
    random cross-validation has seen some of its test samples in training.
    """
    return _load_table("segment", as_frame, return_X_y, data_home)


@_document(
    "``data``, shape (306, 3): age, year of the operation minus 1900, number of positive nodes",
    "``target_names``: survived, died; these are 1 and 2 in the file",
)
def load_haberman(
    *, as_frame: bool = False, return_X_y: bool = False, data_home: Folder = None
) -> Any:
    """Load Haberman's survival: five years after surgery for breast cancer.

    A data set of the paper, published in the UCI repository, and a hard one: 225 of 306 patients
    survived, and age, year and nodes hardly predict who did.
    """
    return _load_table("haberman", as_frame, return_X_y, data_home)


@_document(
    "``data``, shape (215, 100): absorbances at 850 to 1050 nm",
    "``target_names``: low, high",
    "``contents``, shape (215, 3): water, fat and protein in per cent",
    "``content_names``: water, fat, protein",
    "``part``: the original set of each sample, C (training), M (monitoring) or T (test)",
)
def load_tecator(
    *, as_frame: bool = False, return_X_y: bool = False, data_home: Folder = None
) -> Any:
    """Load Tecator: near infrared spectra of meat, high or low in fat.

    A data set of the paper, published by StatLib; ``DESCR`` has the permission note that belongs to
    the data. The paper only says that its two classes are balanced. Here a sample is high from the
    median on, 14.0 % fat. For another cut, such as the customary ``contents[:, 1] > 20``, use
    ``contents``. Only 193 of the spectra are distinct, and some occur in more than one part.
    """
    spectra, contents = read_files("tecator", data_home)
    bunch = _make_bunch(
        "tecator",
        spectra["values"],
        spectra["labels"],
        spectra["names"].tolist(),
        contents=contents["values"],
        content_names=contents["names"].tolist(),
        part=contents["labels"],
    )
    return _as_requested(bunch, as_frame, return_X_y)


@_document(
    "``data``, shape (1440, 16384): an image in each row, its levels of grey from 0 to 255",
    "``target_names``: object 1 to object 20",
    "``images``, shape (1440, 128, 128): the images as whole numbers",
    "``pose``: the angle of each image in steps of five degrees, 0 to 71",
)
def load_coil20(
    *, as_frame: bool = False, return_X_y: bool = False, data_home: Folder = None
) -> Any:
    """Load COIL-20: images of twenty objects on a turntable.

    A data set of the paper, published by Columbia University. The paper reduces it to 30 dimensions
    by a principal component analysis; do so within the folds of a cross-validation. The data take
    190 MB of memory.
    """
    (arrays,) = read_files("coil20", data_home)
    images = arrays["images"]
    rows, columns = images.shape[1:]
    bunch = _make_bunch(
        "coil20",
        images.reshape(len(images), -1).astype(np.float64),
        arrays["target"],
        [f"pixel_{row}_{column}" for row in range(rows) for column in range(columns)],
        images=images,
        pose=arrays["pose"],
    )
    return _as_requested(bunch, as_frame, return_X_y)


@_document(
    "``data``, shape (699, 9): grades from 1 to 10",
    "``target_names``: benign, malignant",
)
def load_wisconsin(
    *, as_frame: bool = False, return_X_y: bool = False, data_home: Folder = None
) -> Any:
    """Load breast cancer Wisconsin (original): with missing values.

    Published in the UCI repository. It is not the data set of scikit-learn's
    ``load_breast_cancer``, which is of 1995 and complete: here 16 of 6291 values are missing (NaN),
    all of one feature. The number of each sample is left out.
    """
    return _load_table("wisconsin", as_frame, return_X_y, data_home)


@_document(
    "``data``, shape (303, 13): the findings",
    "``target_names``: absent, present; the original grades 1 to 4 are all present",
)
def load_cleveland(
    *, as_frame: bool = False, return_X_y: bool = False, data_home: Folder = None
) -> Any:
    """Load heart disease of the Cleveland Clinic: with missing values.

    Published in the UCI repository: thirteen findings of 303 patients, with six missing values
    (NaN). Some findings are categories in numbers, such as ``cp``, the kind of pain.
    """
    return _load_table("cleveland", as_frame, return_X_y, data_home)


@_document(
    "``data``, shape (123, 52): concentrations as measured; they are skewed, take logarithms",
    "``target_names``: no_cancer, gastric_cancer",
)
def load_gastric(
    *, as_frame: bool = False, return_X_y: bool = False, data_home: Folder = None
) -> Any:
    """Load gastric cancer: metabolites in urine, with missing values.

    The public data closest to the private medical data of the paper: few patients, many markers,
    unbalanced classes (80 and 43) and 126 missing values (NaN). Published with a tutorial, whose
    table is downloaded from a copy at a fixed commit. Quality controls are left out, and so are 97
    metabolites that were often missing or measured poorly.
    """
    return _load_table("gastric", as_frame, return_X_y, data_home)


def _load_table(name: str, as_frame: bool, return_X_y: bool, data_home: Folder) -> Any:
    """Return a data set that is one CSV file."""
    (table,) = read_files(name, data_home)
    bunch = _make_bunch(name, table["values"], table["labels"], table["names"].tolist())
    return _as_requested(bunch, as_frame, return_X_y)


def _make_bunch(
    name: str,
    data: NDArray[np.float64],
    labels: NDArray[Any],
    feature_names: list[str],
    **more: Any,
) -> Bunch:
    """Return a data set as arrays, its classes numbered as in its source."""
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
    classes = ", ".join(f"{name} ({count})" for name, count in counts)
    n_samples, n_features = data.shape
    return (
        f"{source.title}\n\n{n_samples} samples, {n_features} features, "
        f"{np.isnan(data).sum()} values missing\nClasses: {classes}\n\n{source.description}"
    )


def _as_requested(bunch: Bunch, as_frame: bool, return_X_y: bool) -> Any:
    """Return a data set, or only its samples and classes; as frames of pandas if requested."""
    if as_frame:
        pandas = import_optional("pandas", "as_frame=True", "pandas")
        bunch.data = pandas.DataFrame(bunch.data, columns=bunch.feature_names)
        bunch.target = pandas.Series(bunch.target, name="target")
        bunch.frame = pandas.concat([bunch.data, bunch.target], axis=1)
        if "contents" in bunch:
            bunch.contents = pandas.DataFrame(bunch.contents, columns=bunch.content_names)
    return (bunch.data, bunch.target) if return_X_y else bunch
