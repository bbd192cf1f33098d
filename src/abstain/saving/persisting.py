"""How is a fitted classifier written to a file, and read again without running any code?

skops writes arrays and the names of types instead of pickles. What is loaded is made of types on
a list; everything else is refused by name.
"""

from __future__ import annotations  # signatures then show the names of types

import os
import pkgutil
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from sklearn.exceptions import InconsistentVersionWarning, NotFittedError
from sklearn.utils.validation import check_is_fitted

from abstain._checks import InputError
from abstain._files import whole_files
from abstain.classifier import RejectOptionClassifier
from abstain.saving.container import differing_versions, pack, unpack
from abstain.saving.estimators import estimators_among
from abstain.saving.parts import name_of, parts, without_loops
from abstain.saving.soundness import check_sound
from abstain.saving.trusted import FUNCTIONS, TRUSTED

__all__ = ["load", "save"]


def save(clf: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted classifier to a file.

    The file holds arrays, settings and the names of types, no code. It appears whole or not at
    all: if saving fails, what stood there before still stands there.

    Parameters
    ----------
    clf : estimator
        A fitted :class:`RejectOptionClassifier` or model, or a fitted pipeline or search around
        one. Functions of your own as ``certainty`` or ``cells`` are code and cannot be saved; an
        object of a class of your own can, if `load` is told to trust that class.
    path : str or path-like
        Where the file shall lie.

    Raises
    ------
    InputError
        If the classifier is not fitted, cannot be saved, or the file cannot be written.

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
    _check_rules(clf)
    content = _serialise(clf)
    with whole_files(target) as (draft,):
        draft.write_bytes(content)


def load(path: str | os.PathLike[str], trusted: Iterable[str | type] = ()) -> Any:
    """Read a classifier from a file that `save` has written.

    No code from the file is run, and only types that are known or trusted are made. A digest finds
    files that were damaged; it is no signature, and does not tell who wrote a file.

    Parameters
    ----------
    path : str or path-like
        The file.
    trusted : iterable of str or type, default=()
        Further types that the file may hold, such as "my_package.steps.MyScaler". Their modules
        are imported, so name only those that you know.

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
        If the file is missing, damaged, in another format or of another kind, or holds types that
        are not trusted; the message names them.

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
    source = _as_path(path)
    known = TRUSTED | _names(trusted)
    with _told_about(source):
        data = source.read_bytes()
        header, names = unpack(data)
        known |= estimators_among(names)
        differing = differing_versions(header)
    if differing is not None:
        warnings.warn(
            f"{source} was {differing}; answers may differ: compare some, or fit and save again",
            UserWarning,
            stacklevel=2,
        )
    with _told_about(source), warnings.catch_warnings():
        if differing is not None:  # which has been said
            warnings.simplefilter("ignore", InconsistentVersionWarning)
        clf = _construct(data, known)
        check_sound(clf)
    return clf


def _as_path(path: Any) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"path must be the path of a file, got {path!r}")
    return Path(path)


def _check_fitted(clf: Any) -> None:
    if isinstance(clf, type) or not hasattr(clf, "fit"):
        raise InputError(f"clf must be a fitted classifier, got {clf!r:.80}")
    try:
        # A fit that was broken off has an estimator, but no thresholds yet.
        check_is_fitted(clf, "thresholds_" if isinstance(clf, RejectOptionClassifier) else None)
    except NotFittedError:
        raise InputError(
            f"clf must be fitted to be saved, got a {type(clf).__name__} that is not; call fit"
        ) from None


def _check_rules(clf: Any) -> None:
    """Refuse functions that say how sure a classifier is or which cells there are."""
    kinds = (FunctionType, BuiltinFunctionType, MethodType, partial)
    for part in parts(clf):
        if isinstance(part, RejectOptionClassifier):
            for argument, name in (("certainty", "conf"), ("cells", "class")):
                rule = getattr(part, argument)
                is_ours = isinstance(rule, FunctionType) and name_of(rule) in FUNCTIONS
                if isinstance(rule, kinds) and not is_ours:
                    raise InputError(
                        f"{argument} must be a name such as {name!r} to be saved, got {rule!r}: a "
                        "file holds no code; give an object of a class with __call__ instead, "
                        "which load can be told to trust"
                    )


def _serialise(clf: Any) -> bytes:
    # Imported here: skops imports all of scikit-learn.
    from skops.io import dumps, get_untrusted_types

    try:
        archive = dumps(without_loops(clf))
        content = pack(archive)
        unknown = set(get_untrusted_types(data=archive)) - TRUSTED
    except RecursionError:
        raise _cannot_save(clf, "something in it refers back to itself") from None
    except Exception as error:  # anything, in classes of the user's own
        raise _cannot_save(clf, error) from error
    for name in sorted(unknown):
        if not _is_found(name):
            raise _cannot_save(
                clf, f"{name} cannot be found by its name; define it at the top of a module"
            )
    return content


def _cannot_save(clf: Any, why: object) -> InputError:
    return InputError(f"cannot save {type(clf).__name__}: {_one_line(why)}")


def _one_line(text: object) -> str:
    return " ".join(str(text).split())


def _is_found(name: str) -> bool:
    try:
        pkgutil.resolve_name(name)
    except (AttributeError, ImportError, ValueError):
        return False
    return True


def _names(trusted: Any) -> set[str]:
    things = [trusted] if isinstance(trusted, str | type) else trusted
    if not isinstance(things, Iterable) or not all(
        isinstance(thing, str | type | FunctionType) for thing in things
    ):
        raise InputError(
            f"trusted must be types or their full names, such as 'my_package.MyScaler', got "
            f"{trusted!r}"
        )
    return {thing if isinstance(thing, str) else name_of(thing) for thing in things}


def _construct(data: bytes, known: frozenset[str]) -> Any:
    from skops.io import get_untrusted_types, loads
    from skops.io.exceptions import UntrustedTypesFoundException

    try:
        return loads(data, trusted=sorted(known))
    except UntrustedTypesFoundException:
        unknown = sorted(set(get_untrusted_types(data=data)) - known)
        raise InputError(
            f"it holds types that abstain does not know: {', '.join(unknown)}; if you know them "
            "and who wrote the file, name them in trusted"
        ) from None


@contextmanager
def _told_about(path: Path) -> Iterator[None]:
    """Say in one line what is wrong with a file, whatever that is."""
    try:
        yield
    except InputError as error:
        raise InputError(f"cannot load {path}: {error}") from None
    except FileNotFoundError:
        raise InputError(f"cannot load {path}: there is no such file") from None
    except OSError as error:
        why = "it is a folder; name a file in it" if path.is_dir() else error.strerror
        raise InputError(f"cannot load {path}: {why}") from error
    except Exception as error:  # anything, from archives and types that are not what they seem
        why = f"{type(error).__name__}: {_one_line(error)}"
        raise InputError(f"cannot load {path}: it cannot be read ({why})") from error
