"""What are the samples, the classes and the origin of each real data set?"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np

from abstain.datasets.bunches import data_frame, load_table, make_bunch, read_files, returned
from abstain.datasets.home import Folder

__all__ = [
    "load_cleveland",
    "load_coil20",
    "load_gastric",
    "load_haberman",
    "load_segment",
    "load_tecator",
    "load_wisconsin",
]


def load_segment(
    *, as_frame: bool = False, return_X_y: bool = False, data_home: Folder = None
) -> Any:
    """Load image segmentation: seven kinds of regions in outdoor images.

    A set of the paper. 224 of the 2310 rows repeat an earlier one, so that a random
    cross-validation has seen some of its test samples in training.

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

        - ``data``, shape (2310, 19): position, lines, edges and colours of a region;
        - ``target``: the classes, 0 to 6, whose names are ``target_names[target]``;
        - ``feature_names``: list of str;
        - ``target_names``: brickface, sky, foliage, cement, window, path, grass;
        - ``frame``: data and target in one DataFrame if ``as_frame``, else None;
        - ``DESCR``: origin, citation and terms.

        Or the pair of data and target if ``return_X_y``.

    Notes
    -----
    A file that is not in the data folder is downloaded from the UCI repository, made into
    ``segment.csv`` and kept. Whatever is read is checked by shape and SHA-256. The first 210 rows
    are the original training set, the others its test set.

    Examples
    --------
    With the file in the data folder or with a network::

        from abstain.datasets import load_segment

        X, y = load_segment(return_X_y=True)
        X.shape  # (2310, 19)
    """
    return load_table("segment", as_frame, return_X_y, data_home)


def load_haberman(
    *, as_frame: bool = False, return_X_y: bool = False, data_home: Folder = None
) -> Any:
    """Load Haberman's survival: five years after surgery for breast cancer.

    A set of the paper, and a hard one: 225 of 306 patients survived, and who did not is hardly to
    be told from age, year and nodes.

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

        - ``data``, shape (306, 3): age, year of the operation less 1900, number of positive nodes;
        - ``target``: the classes, 0 and 1, whose names are ``target_names[target]``;
        - ``feature_names``: list of str;
        - ``target_names``: survived, died, which are 1 and 2 in the file;
        - ``frame``: data and target in one DataFrame if ``as_frame``, else None;
        - ``DESCR``: origin, citation and terms.

        Or the pair of data and target if ``return_X_y``.

    Notes
    -----
    A file that is not in the data folder is downloaded from the UCI repository, made into
    ``haberman.csv`` and kept. Whatever is read is checked by shape and SHA-256.

    Examples
    --------
    With the file in the data folder or with a network::

        from abstain.datasets import load_haberman

        haberman = load_haberman()
        haberman.target_names  # array(['survived', 'died'])
    """
    return load_table("haberman", as_frame, return_X_y, data_home)


def load_tecator(
    *, as_frame: bool = False, return_X_y: bool = False, data_home: Folder = None
) -> Any:
    """Load Tecator: near infrared spectra of meat, high or low in fat.

    A set of the paper, which only says that its two classes are balanced. Here a sample is high
    from the median on, 14.0 % fat. For another cut, such as the customary 20 %, take ``contents``.

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

        - ``data``, shape (215, 100): absorbances at 850 to 1050 nm;
        - ``target``: the classes, 0 and 1, whose names are ``target_names[target]``;
        - ``feature_names``: list of str;
        - ``target_names``: low, high;
        - ``contents``, shape (215, 3): water, fat and protein in per cent;
        - ``content_names``: water, fat, protein;
        - ``part``: the original set of each sample, C (training), M (monitoring) or T (test);
        - ``frame``: data and target in one DataFrame if ``as_frame``, else None;
        - ``DESCR``: origin, citation and terms.

        Or the pair of data and target if ``return_X_y``.

    Notes
    -----
    A file that is not in the data folder is downloaded from StatLib, made into ``tecator.csv`` and
    ``tecator_contents.csv`` and kept. Whatever is read is checked by shape and SHA-256. Only 193
    of the spectra are distinct, and some occur in more than one part. ``DESCR`` has the permission
    note that belongs to the data.

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
    if as_frame:
        bunch.contents = data_frame(bunch.contents, bunch.content_names)
    return returned(bunch, as_frame, return_X_y)


def load_coil20(
    *, as_frame: bool = False, return_X_y: bool = False, data_home: Folder = None
) -> Any:
    """Load COIL-20: pictures of twenty objects on a turntable.

    A set of the paper, which reduces it to 30 dimensions by a principal component analysis; do so
    within the folds of a cross-validation.

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

        - ``data``, shape (1440, 16384): a picture in each row, its levels of grey from 0 to 255;
        - ``target``: the classes, 0 to 19, whose names are ``target_names[target]``;
        - ``feature_names``: list of str;
        - ``target_names``: object 1 to object 20;
        - ``images``, shape (1440, 128, 128): the pictures as whole numbers;
        - ``pose``: the angle of each picture in steps of five degrees, 0 to 71;
        - ``frame``: data and target in one DataFrame if ``as_frame``, else None;
        - ``DESCR``: origin, citation and terms.

        Or the pair of data and target if ``return_X_y``.

    Notes
    -----
    A file that is not in the data folder is downloaded from Columbia University, an archive of
    pictures, made into ``coil20.npz`` and kept. Whatever is read is checked by shape and SHA-256,
    here that of the arrays, since the bytes of the file depend on the compressor. The data take
    190 MB of memory.

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
    return returned(bunch, as_frame, return_X_y)


def load_wisconsin(
    *, as_frame: bool = False, return_X_y: bool = False, data_home: Folder = None
) -> Any:
    """Load breast cancer Wisconsin (original): with missing values.

    Not the set of scikit-learn's ``load_breast_cancer``, which is of 1995 and complete. Here 16 of
    6291 values are missing, NaN, all of one feature.

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

        - ``data``, shape (699, 9): grades from 1 to 10;
        - ``target``: the classes, 0 and 1, whose names are ``target_names[target]``;
        - ``feature_names``: list of str;
        - ``target_names``: benign, malignant;
        - ``frame``: data and target in one DataFrame if ``as_frame``, else None;
        - ``DESCR``: origin, citation and terms.

        Or the pair of data and target if ``return_X_y``.

    Notes
    -----
    A file that is not in the data folder is downloaded from the UCI repository, made into
    ``wisconsin.csv`` and kept. Whatever is read is checked by shape and SHA-256. The number of
    each sample is left out.

    Examples
    --------
    With the file in the data folder or with a network::

        from abstain.datasets import load_wisconsin

        X, y = load_wisconsin(return_X_y=True)
        np.isnan(X).sum()  # 16
    """
    return load_table("wisconsin", as_frame, return_X_y, data_home)


def load_cleveland(
    *, as_frame: bool = False, return_X_y: bool = False, data_home: Folder = None
) -> Any:
    """Load heart disease of the Cleveland Clinic: with missing values.

    Thirteen findings of 303 patients, six values missing, NaN. Some findings are categories in
    numbers, such as ``cp``, the kind of pain.

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

        - ``data``, shape (303, 13): the findings;
        - ``target``: the classes, 0 and 1, whose names are ``target_names[target]``;
        - ``feature_names``: list of str;
        - ``target_names``: absent, present; the original grades 1 to 4 are all present;
        - ``frame``: data and target in one DataFrame if ``as_frame``, else None;
        - ``DESCR``: origin, citation and terms.

        Or the pair of data and target if ``return_X_y``.

    Notes
    -----
    A file that is not in the data folder is downloaded from the UCI repository, made into
    ``cleveland.csv`` and kept. Whatever is read is checked by shape and SHA-256.

    Examples
    --------
    With the file in the data folder or with a network::

        from abstain.datasets import load_cleveland

        load_cleveland(as_frame=True).frame.isna().sum()  # ca 4, thal 2
    """
    return load_table("cleveland", as_frame, return_X_y, data_home)


def load_gastric(
    *, as_frame: bool = False, return_X_y: bool = False, data_home: Folder = None
) -> Any:
    """Load gastric cancer: metabolites in urine, with missing values.

    Public data closest to the paper's medical data, which are private: few patients, many markers,
    unbalanced classes (80 and 43), and 126 values missing, NaN.

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

        - ``data``, shape (123, 52): concentrations as measured, skewed: take logarithms;
        - ``target``: the classes, 0 and 1, whose names are ``target_names[target]``;
        - ``feature_names``: list of str;
        - ``target_names``: no_cancer, gastric_cancer;
        - ``frame``: data and target in one DataFrame if ``as_frame``, else None;
        - ``DESCR``: origin, citation and terms.

        Or the pair of data and target if ``return_X_y``.

    Notes
    -----
    A file that is not in the data folder is downloaded from a copy, at a fixed commit, of the
    table in a published tutorial, made into ``gastric_nmr.csv`` and kept. Whatever is read is
    checked by shape and SHA-256. Quality controls are left out, and so are 97 metabolites that
    were often missing or measured poorly.

    Examples
    --------
    With the file in the data folder or with a network::

        from abstain.datasets import load_gastric

        X, y = load_gastric(return_X_y=True)
        X = np.log10(X)
    """
    return load_table("gastric", as_frame, return_X_y, data_home)
