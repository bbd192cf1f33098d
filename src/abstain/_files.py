"""How does an output file appear whole or not at all, and which files are left alone?

An output is written beside its place under a passing name and moved there when it is complete.
Whatever goes wrong on the way, be it Ctrl-C, what stood there before still stands there.
"""

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from abstain._checks import InputError

__all__ = [
    "check_can_write",
    "check_keeps_inputs",
    "check_regular_file",
    "named_if",
    "said_of",
    "whole_files",
]

# What can have the name of a file and is none; to read a pipe may take for ever.
_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


@contextmanager
def whole_files(*paths: Path) -> Iterator[list[Path]]:
    """Hand out one passing path for each output, and move all of them into place at the end.

    Nothing is moved before everything is written, so that files which belong together appear
    together.

    Parameters
    ----------
    *paths : Path
        Where the outputs shall lie. A link stays a link: what it points to is replaced.

    Yields
    ------
    drafts : list of Path
        One empty file for each output, in the same folder and with the same suffix.

    Raises
    ------
    InputError
        If an output cannot be written there, with the path and the remedy.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with whole_files(Path(folder, "note.txt")) as (draft,):
    ...         _ = draft.write_text("done")
    ...     print([path.name for path in Path(folder).iterdir()])
    ['note.txt']
    """
    targets = [Path(os.path.realpath(path)) for path in paths]
    drafts: list[Path] = []
    try:
        for path, target in zip(paths, targets, strict=True):
            drafts.append(_create_draft(path, target))
        with _told_about(*paths):
            yield list(drafts)
        for path, target, draft in zip(paths, targets, drafts, strict=True):
            _move(draft, target, path)
    finally:
        # Those that were moved are no longer there.
        for draft in drafts:
            draft.unlink(missing_ok=True)


def check_can_write(path: Path) -> None:
    """Refuse an output that could not be written, before long work is spent on it.

    Parameters
    ----------
    path : Path
        Where a file shall lie.

    Raises
    ------
    InputError
        If its folder is missing or not writable, or if it is a folder itself.

    Examples
    --------
    >>> check_can_write(Path("no such folder/front.csv"))
    Traceback (most recent call last):
        ...
    abstain._checks.InputError: cannot write no such folder/front.csv: there is no folder ...
    """
    # Permissions can lie (read-only disks, network shares); only an attempt tells.
    _create_draft(path, Path(os.path.realpath(path))).unlink()


def check_regular_file(path: Path) -> None:
    """Refuse an input that is not there or not a regular file, before it is opened.

    Parameters
    ----------
    path : Path
        What shall be read. Links are followed.

    Raises
    ------
    InputError
        If it is missing, a folder, a pipe or a device, or its links lead nowhere.

    Examples
    --------
    >>> check_regular_file(Path("/dev/null"))
    Traceback (most recent call last):
        ...
    abstain._checks.InputError: /dev/null is a device; write its content to a file, and name that
    """
    try:
        kind = stat.S_IFMT(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{path} does not exist; check the path") from None
    except OSError as error:  # such as a loop of links
        raise InputError(
            f"{path} cannot be read: {error.strerror or error}; check the path"
        ) from None
    if kind == stat.S_IFDIR:
        raise InputError(f"{path} is a folder; name a file in it")
    if kind != stat.S_IFREG:
        what = _KINDS.get(kind, "not a regular file")
        raise InputError(f"{path} is {what}; write its content to a file, and name that")


def check_keeps_inputs(outputs: Iterable[Path], inputs: Mapping[Path, str]) -> None:
    """Refuse an output that is an input, or another output, under whatever name or link.

    Parameters
    ----------
    outputs : iterable of Path
        Where files shall lie.
    inputs : mapping of Path to str
        The files that are read, and what each is called, such as "the model".

    Raises
    ------
    InputError
        If an output would replace an input or another output.

    Examples
    --------
    >>> check_keeps_inputs([Path("data/../new.csv")], {Path("new.csv"): "the table"})
    Traceback (most recent call last):
        ...
    abstain._checks.InputError: cannot write data/../new.csv: it is the table new.csv; choose ...
    """
    known = {_identity(path): (path, what) for path, what in inputs.items()}
    for output in outputs:
        identity = _identity(output)
        if identity in known:
            path, what = known[identity]
            which = "itself" if str(path) == str(output) else str(path)
            raise _cannot_write(output, f"it is {what} {which}; choose another name")
        known[identity] = output, "another output,"


def _identity(path: Path) -> tuple[int, int] | str:
    """Return what all names of a file share, hard links included."""
    try:
        found = path.stat()
    except OSError:  # not there yet
        return os.path.realpath(path)
    return found.st_dev, found.st_ino


def _create_draft(path: Path, target: Path) -> Path:
    """Create an empty file beside the target, with the permissions the target has or will have."""
    with _told_about(path):
        if target.is_dir():
            raise _cannot_write(path, "it is a folder; name a file in it")
        if target.parent.exists() and not target.parent.is_dir():
            raise _cannot_write(path, f"{path.parent} is not a folder; choose another place")
        if not target.parent.is_dir():
            raise _cannot_write(path, f"there is no folder {path.parent}; create it first")
        if target.exists() and not target.is_file():
            raise _cannot_write(path, "it is not a regular file; choose another name")
        # Independent of the target's name, which may already be as long as names can be.
        draft = target.with_name(f".abstain-{secrets.token_hex(8)}{target.suffix}")
        draft.touch(exist_ok=False)
        if target.exists():
            shutil.copymode(target, draft)
        return draft


def _move(draft: Path, target: Path, path: Path) -> None:
    with _told_about(path):
        os.replace(draft, target)


@contextmanager
def _told_about(*paths: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        outputs = ", ".join(str(path) for path in paths)
        # Libraries that write by themselves may tell of a full disk in words alone.
        is_full = error.errno == errno.ENOSPC or "No space left" in reason
        remedy = "make room or " if is_full else ""
        raise _cannot_write(outputs, f"{reason}; {remedy}choose another place") from error


def _cannot_write(output: Path | str, why: str) -> InputError:
    return InputError(f"cannot write {output}: {why}")


def said_of(path: Path, said: str) -> str:
    """Return what is said of a file, with its name if that is not said.

    Parameters
    ----------
    path : Path
        The file.
    said : str
        What is wrong with it.

    Returns
    -------
    said : str
        Which names it.

    Examples
    --------
    >>> said_of(Path("new.csv"), "a row is empty"), said_of(Path("new.csv"), "new.csv is empty")
    ('new.csv: a row is empty', 'new.csv is empty')
    """
    return said if str(path) in said else f"{path}: {said}"


@contextmanager
def named_if(is_one_of_several: bool, path: Path) -> Iterator[None]:
    """Name the file where an error does not, if there are others.

    Parameters
    ----------
    is_one_of_several : bool
        Whether there are.
    path : Path
        The file.
    """
    try:
        yield
    except InputError as error:
        if not is_one_of_several:
            raise
        raise InputError(said_of(path, str(error))) from None
