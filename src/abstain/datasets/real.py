"""What are the samples, the classes and the origin of each real data set?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable
from inspect import cleandoc
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from abstain._core.checks import InputError
from abstain.datasets.fetching import fetch
from abstain.datasets.files import (
    Arrays,
    Folder,
    TidyFile,
    data_folder,
    import_optional,
    read_tidy,
)
from abstain.datasets.sources import SOURCES, Source

AnyLoader = TypeVar("AnyLoader", bound=Callable[..., Any])

# The parts of the documentation that all loaders share.
PARAMETERS = """\
Parameters
----------
as_frame : bool, default=False
    Whether to return a pandas DataFrame and Series instead of arrays.
return_X_y : bool, default=False
    Whether to return only ``(data, target)``.
data_home : str, path-like or None, default=None
    Folder of the data files; None is the folder in the environment variable
    ``ABSTAIN_DATA_HOME`` or else ``abstain`` in the user's cache folder."""
ATTRIBUTES = """\
- ``target``: the classes as numbers from 0, whose names are ``target_names[target]``;
    - ``feature_names``: list of str;
    - ``frame``: data and target in one DataFrame if ``as_frame``, else None;
    - ``DESCR``: origin, citation and terms.

    Or the pair of data and target if ``return_X_y``."""
NOTES = """\
Notes
-----
Files that are not in the data folder are downloaded, made tidy and kept. Whatever is read is
checked by shape and SHA-256."""


def _share_documentation(loader: AnyLoader) -> AnyLoader:
    """Fill in the parts of a docstring that all loaders share."""
    text = cleandoc(
        loader.__doc__ or ""
    )  # Python 3.13 removes the indentation, earlier ones do not
    text = text.replace("{parameters}", PARAMETERS).replace("{attributes}", ATTRIBUTES)
    loader.__doc__ = text.replace("{notes}", NOTES)
    return loader


@_share_documentation
def load_segment(
    *, as_frame: bool = False, return_X_y: bool = False, data_home: Folder = None
) -> Any:
    """Load image segmentation: seven kinds of regions in outdoor images.

    A set of the paper. 224 of the 2310 rows repeat an earlier one, so that a random
    cross-validation has seen some of its test samples in training.

    {parameters}

    Returns
    -------
    data : Bunch
        With the attributes

        - ``data``, shape (2310, 19): position, lines, edges and colours of a region;
        - ``target_names``: brickface, sky, foliage, cement, window, path, grass;
        {attributes}

    {notes}

    Published in the UCI repository, kept as ``segment.csv``. The first 210 rows are the original
    training set, the others its test set.

    Examples
    --------
    With the file in the data folder or with a network::

        from abstain.datasets import load_segment

        X, y = load_segment(return_X_y=True)
        X.shape  # (2310, 19)
    """
    return load_table("segment", as_frame, return_X_y, data_home)


@_share_documentation
def load_haberman(
    *, as_frame: bool = False, return_X_y: bool = False, data_home: Folder = None
) -> Any:
    """Load Haberman's survival: five years after surgery for breast cancer.

    A set of the paper, and a hard one: 225 of 306 patients survived, and age, year and nodes
    hardly tell who did.

    {parameters}

    Returns
    -------
    data : Bunch
        With the attributes

        - ``data``, shape (306, 3): age, year of the operation less 1900, number of positive nodes;
        - ``target_names``: survived, died, which are 1 and 2 in the file;
        {attributes}

    {notes}

    Published in the UCI repository, kept as ``haberman.csv``.

    Examples
    --------
    With the file in the data folder or with a network::

        from abstain.datasets import load_haberman

        haberman = load_haberman()
        haberman.target_names  # array(['survived', 'died'])
    """
    return load_table("haberman", as_frame, return_X_y, data_home)


@_share_documentation
def load_tecator(
    *, as_frame: bool = False, return_X_y: bool = False, data_home: Folder = None
) -> Any:
    """Load Tecator: near infrared spectra of meat, high or low in fat.

    A set of the paper, which only says that its two classes are balanced. Here a sample is high
    from the median on, 14.0 % fat. For another cut, such as the customary 20 %, take ``contents``.

    {parameters}

    Returns
    -------
    data : Bunch
        With the attributes

        - ``data``, shape (215, 100): absorbances at 850 to 1050 nm;
        - ``target_names``: low, high;
        - ``contents``, shape (215, 3): water, fat and protein in per cent;
        - ``content_names``: water, fat, protein;
        - ``part``: the original set of each sample, C (training), M (monitoring) or T (test);
        {attributes}

    {notes}

    Published by StatLib, kept as ``tecator.csv`` and ``tecator_contents.csv``. Only 193 of the
    spectra are distinct, and some occur in more than one part. ``DESCR`` has the permission note
    that belongs to the data.

    Examples
    --------
    With the file in the data folder or with a network::

        from abstain.datasets import load_tecator

        tecator = load_tecator()
        fat = tecator.contents[:, 1]
        y = fat > 20  # 77 of 215
    """
    spectra, contents = read_files("tecator", data_home)
    bunch = make_bunch(
        "tecator",
        spectra["values"],
        spectra["labels"],
        spectra["names"].tolist(),
        contents=contents["values"],
        content_names=contents["names"].tolist(),
        part=contents["labels"],
    )
    return as_requested(bunch, as_frame, return_X_y)


@_share_documentation
def load_coil20(
    *, as_frame: bool = False, return_X_y: bool = False, data_home: Folder = None
) -> Any:
    """Load COIL-20: pictures of twenty objects on a turntable.

    A set of the paper, which reduces it to 30 dimensions by a principal component analysis; do so
    within the folds of a cross-validation.

    {parameters}

    Returns
    -------
    data : Bunch
        With the attributes

        - ``data``, shape (1440, 16384): a picture in each row, its levels of grey from 0 to 255;
        - ``target_names``: object 1 to object 20;
        - ``images``, shape (1440, 128, 128): the pictures as whole numbers;
        - ``pose``: the angle of each picture in steps of five degrees, 0 to 71;
        {attributes}

    {notes}

    Published by Columbia University, kept as ``coil20.npz``. The digest is that of the arrays,
    since the bytes of the file depend on the compressor. The data take 190 MB of memory.

    Examples
    --------
    With the file in the data folder or with a network::

        from abstain.datasets import load_coil20

        coil = load_coil20()
        coil.images[coil.target == 0].shape  # (72, 128, 128)
    """
    (arrays,) = read_files("coil20", data_home)
    images = arrays["images"]
    rows, columns = images.shape[1:]
    bunch = make_bunch(
        "coil20",
        images.reshape(len(images), -1).astype(np.float64),
        arrays["target"],
        [f"pixel_{row}_{column}" for row in range(rows) for column in range(columns)],
        images=images,
        pose=arrays["pose"],
    )
    return as_requested(bunch, as_frame, return_X_y)


@_share_documentation
def load_wisconsin(
    *, as_frame: bool = False, return_X_y: bool = False, data_home: Folder = None
) -> Any:
    """Load breast cancer Wisconsin (original): with missing values.

    Not the set of scikit-learn's ``load_breast_cancer``, which is of 1995 and complete. Here 16 of
    6291 values are missing, NaN, all of one feature.

    {parameters}

    Returns
    -------
    data : Bunch
        With the attributes

        - ``data``, shape (699, 9): grades from 1 to 10;
        - ``target_names``: benign, malignant;
        {attributes}

    {notes}

    Published in the UCI repository, kept as ``wisconsin.csv``. The number of each sample is left
    out.

    Examples
    --------
    With the file in the data folder or with a network::

        from abstain.datasets import load_wisconsin

        X, y = load_wisconsin(return_X_y=True)
        np.isnan(X).sum()  # 16
    """
    return load_table("wisconsin", as_frame, return_X_y, data_home)


@_share_documentation
def load_cleveland(
    *, as_frame: bool = False, return_X_y: bool = False, data_home: Folder = None
) -> Any:
    """Load heart disease of the Cleveland Clinic: with missing values.

    Thirteen findings of 303 patients, six values missing, NaN. Some findings are categories in
    numbers, such as ``cp``, the kind of pain.

    {parameters}

    Returns
    -------
    data : Bunch
        With the attributes

        - ``data``, shape (303, 13): the findings;
        - ``target_names``: absent, present; the original grades 1 to 4 are all present;
        {attributes}

    {notes}

    Published in the UCI repository, kept as ``cleveland.csv``.

    Examples
    --------
    With the file in the data folder or with a network::

        from abstain.datasets import load_cleveland

        load_cleveland(as_frame=True).frame.isna().sum()  # ca 4, thal 2
    """
    return load_table("cleveland", as_frame, return_X_y, data_home)


@_share_documentation
def load_gastric(
    *, as_frame: bool = False, return_X_y: bool = False, data_home: Folder = None
) -> Any:
    """Load gastric cancer: metabolites in urine, with missing values.

    Public data closest to the paper's medical data, which are private: few patients, many markers,
    unbalanced classes (80 and 43), and 126 values missing, NaN.

    {parameters}

    Returns
    -------
    data : Bunch
        With the attributes

        - ``data``, shape (123, 52): concentrations as measured, skewed: take logarithms;
        - ``target_names``: no_cancer, gastric_cancer;
        {attributes}

    {notes}

    Published with a tutorial, whose table is downloaded from a copy at a fixed commit; kept as
    ``gastric_nmr.csv``. Quality controls are left out, and so are 97 metabolites that were often
    missing or measured poorly.

    Examples
    --------
    With the file in the data folder or with a network::

        from abstain.datasets import load_gastric

        X, y = load_gastric(return_X_y=True)
        X = np.log10(X)
    """
    return load_table("gastric", as_frame, return_X_y, data_home)


def load_table(name: str, as_frame: bool, return_X_y: bool, data_home: Folder) -> Any:
    """Return a set that is one CSV file."""
    (table,) = read_files(name, data_home)
    bunch = make_bunch(name, table["values"], table["labels"], table["names"].tolist())
    return as_requested(bunch, as_frame, return_X_y)


def read_files(name: str, data_home: Folder) -> list[Arrays]:
    """Return what is in the files of a set, downloading them if one is not there."""
    source, folder = SOURCES[name], data_folder(data_home)
    if not all((folder / file.name).exists() for file in source.files):
        fetch(source, folder)
    return [_read_file(file, folder / file.name) for file in source.files]


def _read_file(file: TidyFile, path: Path) -> Arrays:
    try:
        return read_tidy(file, path.read_bytes())
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
    classes = ", ".join(f"{name} ({count})" for name, count in counts)
    n_samples, n_features = data.shape
    return (
        f"{source.title}\n\n{n_samples} samples, {n_features} features, "
        f"{np.isnan(data).sum()} values missing\nClasses: {classes}\n\n{source.description}"
    )


def as_requested(bunch: Bunch, as_frame: bool, return_X_y: bool) -> Any:
    """Return a set, or only its samples and classes; as frames of pandas if so requested."""
    if as_frame:
        pandas = import_optional("pandas", "as_frame=True", "pandas")
        bunch.data = pandas.DataFrame(bunch.data, columns=bunch.feature_names)
        bunch.target = pandas.Series(bunch.target, name="target")
        bunch.frame = pandas.concat([bunch.data, bunch.target], axis=1)
        if "contents" in bunch:
            bunch.contents = pandas.DataFrame(bunch.contents, columns=bunch.content_names)
    return (bunch.data, bunch.target) if return_X_y else bunch
