"""How is a fitted classifier written to a file, and read without running any code from it?"""

from __future__ import annotations  # signatures then show the names of types

import os
import pkgutil
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy
import sklearn
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from abstain._core.errors import InputError, shown
from abstain._core.files import atomic_files
from abstain._core.text import first_of, one_line
from abstain.classifier import RejectOptionClassifier
from abstain.saving.codec import KNOWN, Decoder, Encoder, find_names
from abstain.saving.container import read, write
from abstain.saving.known import public_name

NAMES_TO_LIST = 10
_VERSION = re.compile(r"[0-9A-Za-z.+!_-]{1,40}")
VERSIONS = {"abstain": version("abstain"), "scikit-learn": sklearn.__version__}


def save(clf: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted classifier to a file.

    The file holds arrays, numbers, text and the names of public classes, no code. If saving fails,
    an existing file is left as it was.

    Parameters
    ----------
    clf : estimator
        A fitted :class:`RejectOptionClassifier`, :class:`OnlineRejectOption` or model, or a fitted
        pipeline around one. The file holds only the names of functions in it, such as
        ``certainty``: pass the functions to `load`.
    path : str or path-like
        The file to write.

    Raises
    ------
    InputError
        If the classifier is not fitted, holds something that a file cannot hold, or the file
        cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import abstain
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = abstain.RejectOptionClassifier(abstain.GMLVQ()).fit(X, y)
    >>> with TemporaryDirectory() as folder:
    ...     abstain.save(clf, Path(folder, "iris.abstain"))
    ...     loaded = abstain.load(Path(folder, "iris.abstain"))
    >>> bool((loaded.thresholds_ == clf.thresholds_).all())
    True
    """
    target = _as_path(path)
    _check_fitted(clf)
    with _saving_errors(clf):
        encoder = Encoder()
        model = encoder.encode(clf)
    header = {**VERSIONS, "numpy": numpy.__version__, "model": model}
    with atomic_files(target) as (draft,), open(draft, "wb") as file, _saving_errors(clf):
        write(file, header, encoder.arrays)


@contextmanager
def _saving_errors(clf: Any) -> Iterator[None]:
    try:
        yield
    except InputError as error:
        raise InputError(f"cannot save {type(clf).__name__}: {one_line(error, 600)}") from None


def load(
    path: str | os.PathLike[str],
    trusted: Iterable[str | type] = (),
    functions: Mapping[str, Callable[..., Any]] | None = None,
) -> Any:
    """Read a classifier from a file that `save` has written.

    No code from the file is run. Only objects of classes that abstain knows are created, with every
    attribute checked, and of classes that you trust. A checksum detects damaged files; it is not a
    signature: a forged classifier can predict whatever its author likes.

    Parameters
    ----------
    path : str or path-like
        The file.
    trusted : iterable of str or type, default=()
        Further classes that the file may hold, such as "my_package.steps.MyScaler". They are
        imported, and their objects get the attributes in the file without a check: name only
        classes that you know, and load only files of people whom you trust.
    functions : mapping of str to callable, default=None
        The functions that the file names, such as ``{"my_certainty": my_certainty}``. A file never
        holds a function itself.

    Returns
    -------
    clf : estimator
        The fitted classifier; its thresholds and predictions are those that were saved.

    Warns
    -----
    UserWarning
        If another version of abstain or scikit-learn wrote the file.

    Raises
    ------
    InputError
        If the file is missing, damaged or in another format, or names classes or functions that are
        not given; the message lists them.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import abstain
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = abstain.RejectOptionClassifier(abstain.GMLVQ()).fit(X, y)
    >>> with TemporaryDirectory() as folder:
    ...     abstain.save(clf, Path(folder, "iris.abstain"))
    ...     loaded = abstain.load(Path(folder, "iris.abstain"))
    >>> loaded.retarget(abstain.RejectRate(0.05)).operating_point_.reject_rate <= 0.05
    True
    """
    source, classes, given = _as_path(path), _classes(trusted), _functions(functions)
    with _loading_errors(source):
        description, arrays = read(source)
        differing = _differing_versions(description)
        _check_given(description, classes, given)
        decoder = Decoder(arrays, classes, given)
        clf = decoder.decode(description.get("model"))
        decoder.check_all_used()
        if not hasattr(clf, "fit") or not _is_fitted(clf):
            raise InputError(f"it holds no fitted classifier but a {type(clf).__name__}")
    if differing is not None:
        warnings.warn(
            f"{source} was {differing}; answers may differ: compare some, or fit and save again",
            UserWarning,
            stacklevel=2,
        )
    return clf


def _as_path(path: Any) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"path must be the path of a file, got {path!r}")
    return Path(path)


def _check_fitted(clf: Any) -> None:
    if isinstance(clf, type) or not hasattr(clf, "fit"):
        raise InputError(f"clf must be a fitted classifier, got {clf!r:.80}")
    if not _is_fitted(clf):
        raise InputError(
            f"clf must be fitted to be saved, got a {type(clf).__name__} that is not; call fit"
        )


def _is_fitted(clf: Any) -> bool:
    try:
        # A fit that failed half-way has an estimator, but no thresholds.
        check_is_fitted(clf, "thresholds_" if isinstance(clf, RejectOptionClassifier) else None)
    except (NotFittedError, TypeError):
        return False
    return True


def _classes(trusted: Any) -> dict[str, type]:
    """Return the trusted classes by the names that files have for them."""
    is_one = isinstance(trusted, str | type) or not isinstance(trusted, Iterable)
    return {public_name(kind): kind for kind in map(_class, [trusted] if is_one else trusted)}


def _class(named: Any) -> type:
    kind = named
    if isinstance(named, str):
        try:
            kind = pkgutil.resolve_name(named)
        except (AttributeError, ImportError, ValueError):
            kind = None
    if not isinstance(kind, type):
        raise InputError(
            "trusted must be classes or their full names, such as 'my_package.MyScaler', got "
            f"{shown(named)}"
        )
    return kind


def _functions(functions: Any) -> dict[str, Any]:
    given = {} if functions is None else functions
    if not isinstance(given, Mapping) or not all(map(callable, given.values())):
        raise InputError(f"functions must be a dict of names and functions, got {shown(functions)}")
    return dict(given)


def _check_given(
    description: Any, classes: Mapping[str, type], functions: Mapping[str, Any]
) -> None:
    """Refuse names of classes and functions that are not known or given."""
    named_classes, named_functions = find_names(description)
    unknown = sorted(named_classes - KNOWN.keys() - classes.keys())
    if unknown:
        raise InputError(
            f"it holds classes that abstain does not know: {_listed(unknown)}; if you know them "
            "and who wrote the file, load it in Python with trusted=[…] of these names"
        )
    missing = sorted(named_functions - functions.keys())
    if missing:
        raise InputError(
            f"it names functions, which no file holds: {_listed(missing)}; load it in Python, "
            f"with functions={{{missing[0]!r:.80}: …}}"
        )


def _listed(names: list[str]) -> str:
    return first_of([f"{name:.80}" for name in names], NAMES_TO_LIST)


def _differing_versions(description: Mapping[str, Any]) -> str | None:
    """Return which versions differ from those that wrote a file; None if none differs."""
    saved = {package: description.get(package) for package in VERSIONS}
    if not all(isinstance(each, str) and _VERSION.fullmatch(each) for each in saved.values()):
        raise InputError("it does not say which versions wrote it")
    packages = [package for package in VERSIONS if saved[package] != VERSIONS[package]]
    if not packages:
        return None
    before = " and ".join(f"{package} {saved[package]}" for package in packages)
    here = " and ".join(f"{package} {VERSIONS[package]}" for package in packages)
    return f"saved with {before}, and this is {here}"


@contextmanager
def _loading_errors(path: Path) -> Iterator[None]:
    """Report any error of reading a file in one line."""
    try:
        yield
    except InputError as error:
        raise InputError(f"cannot load {path}: {one_line(error, 600)}") from None
    except FileNotFoundError:
        raise InputError(f"cannot load {path}: there is no such file") from None
    except OSError as error:
        why = "it is a folder; name a file in it" if path.is_dir() else error.strerror
        raise InputError(f"cannot load {path}: {why}") from error
    except Exception as error:  # values that passed the checks may fail in any way
        why = f"{type(error).__name__}: {one_line(error, 600)}"
        raise InputError(f"cannot load {path}: it cannot be read ({why})") from error
