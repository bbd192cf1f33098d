"""How does an output file appear whole or not at all, and which files are left alone?

An output is written beside its place under a passing name, a draft, and moved there when it is
complete and on the disk. Whatever goes wrong on the way, be it Ctrl-C, what stood there before
still stands there.

The name of a draft tells which process of which machine writes it. What a process has left that was
killed is removed by the next one on that machine that writes to the folder.
"""

import errno
import hashlib
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache, partial
from glob import glob, has_magic
from pathlib import Path

from abstain._core.checks import InputError
from abstain._core.signals import undone_at_the_end

__all__ = [
    "check_can_write",
    "check_keeps_inputs",
    "check_regular_file",
    "files_meant",
    "named_if",
    "passing_folder",
    "whole_files",
]

# The machine and the process that write it, and a number.
_DRAFT = re.compile(r"\.abstain-([0-9a-f]{16})-(\d+)-[0-9a-f]{16}")
# Seconds for which others may go on writing to a folder that is removed.
_PATIENCE = 2.0
# Folders of some network file systems cannot be synced, and need not be.
_CANNOT_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS)
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
    with ExitStack() as stack:
        drafts = [
            stack.enter_context(_draft(path, target))
            for path, target in zip(paths, targets, strict=True)
        ]
        with _told_about(*paths):
            yield list(drafts)
            for draft in drafts:
                _sync(draft)
        for path, target, draft in zip(paths, targets, drafts, strict=True):
            with _told_about(path):
                os.replace(draft, target)
        with _told_about(*paths):
            for folder in {target.parent for target in targets}:
                _sync(folder)


@contextmanager
def passing_folder(beside: Path) -> Iterator[Path]:
    """Hand out an empty folder, and remove it at the end with all that is in it.

    Parameters
    ----------
    beside : Path
        An output; the folder is made in the same folder.

    Yields
    ------
    folder : Path
        The folder.
    """
    folder = _draft_name(beside.with_suffix(""))
    with undone_at_the_end(partial(_remove, folder)):
        with _told_about(beside):
            folder.mkdir()
        yield folder


def check_can_write(path: Path) -> None:
    """Refuse an output that could not be written, before long work is spent on it.

    Drafts that processes which were killed have left in its folder are removed.

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
    abstain.InputError: cannot write no such folder/front.csv: there is no folder ...
    """
    target = Path(os.path.realpath(path))
    # Permissions can lie (read-only disks, network shares); only an attempt tells.
    with _draft(path, target):
        _remove_left_over(target.parent)


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
    abstain.InputError: /dev/null is a device; write its content to a file, and name that
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
    abstain.InputError: cannot write data/../new.csv: it is the table new.csv; choose ...
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


@contextmanager
def _draft(path: Path, target: Path) -> Iterator[Path]:
    """Hand out an empty file beside the target, and remove it at the end if it is still there.

    It has the permissions that the target has or will have.
    """
    draft = _draft_name(target)
    with undone_at_the_end(partial(_remove, draft)):
        _create(draft, path, target)
        yield draft


def _create(draft: Path, path: Path, target: Path) -> None:
    with _told_about(path):
        if target.is_dir():
            raise _cannot_write(path, "it is a folder; name a file in it")
        if target.parent.exists() and not target.parent.is_dir():
            raise _cannot_write(path, f"{path.parent} is not a folder; choose another place")
        if not target.parent.is_dir():
            raise _cannot_write(path, f"there is no folder {path.parent}; create it first")
        if target.exists() and not target.is_file():
            raise _cannot_write(path, "it is not a regular file; choose another name")
        if target.is_symlink():  # still one, though all links were followed
            raise _cannot_write(path, "its links lead in a circle; choose another name")
        draft.touch(exist_ok=False)
        if target.exists():
            shutil.copymode(target, draft)


def _draft_name(target: Path) -> Path:
    """Return a passing name, independent of that of the target, which may be as long as can be."""
    owner = f"{_machine() or 'unknown'}-{os.getpid()}"
    return target.with_name(f".abstain-{owner}-{secrets.token_hex(8)}{target.suffix}")


@lru_cache(maxsize=1)
def _machine() -> str | None:
    """Return what tells processes whose ids can be compared: one machine since it was started.

    None where that cannot be told. Containers of one machine have ids of their own.
    """
    try:
        started = Path("/proc/sys/kernel/random/boot_id").read_text()
        ids = os.readlink("/proc/self/ns/pid")
    except OSError:
        return None
    return hashlib.sha256(f"{started} {ids}".encode()).hexdigest()[:16]


def _remove_left_over(folder: Path) -> None:
    """Remove what processes of this machine have left that are no longer there."""
    for path in folder.glob(".abstain-*"):
        owner = _DRAFT.match(path.name)
        if owner is not None and owner[1] == _machine() and not _is_alive(int(owner[2])):
            _remove(path)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # somebody else's
        return True
    return True


def _remove(path: Path) -> None:
    """Remove a file or a folder, be it interrupted once or the folder still written to."""
    until = time.monotonic() + _PATIENCE
    try:
        while not _try_to_remove(path) and time.monotonic() < until:
            time.sleep(0.05)
    finally:
        _try_to_remove(path)


def _try_to_remove(path: Path) -> bool:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)
    return not os.path.lexists(path)


def _sync(path: Path) -> None:
    """Have a file, or the names in a folder, on the disk when this returns."""
    is_windows = os.name == "nt"
    if is_windows and path.is_dir():  # which cannot be opened there
        return
    file = os.open(path, os.O_RDWR if is_windows else os.O_RDONLY)
    try:
        os.fsync(file)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise
    finally:
        os.close(file)


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


@contextmanager
def named_if(is_one_of_several: bool, path: Path) -> Iterator[None]:
    """Name the file in an error that does not name it, if there are several."""
    try:
        yield
    except InputError as error:
        if not is_one_of_several or str(path) in str(error):
            raise
        raise InputError(f"{path}: ", error.message) from None


def files_meant(paths: Sequence[Path]) -> list[Path]:
    """Return the files that are named, or match a pattern; those of a pattern in order.

    Parameters
    ----------
    paths : sequence of Path
        Names and patterns.

    Returns
    -------
    files : list of Path
        Each once. One that is named but not there is among them.

    Raises
    ------
    InputError
        If a pattern matches nothing, or a file is meant twice.

    Examples
    --------
    >>> files_meant([Path("no such folder/*.csv")])
    Traceback (most recent call last):
        ...
    abstain.InputError: no file matches no such folder/*.csv; check the folder and ...
    """
    files = [file for path in paths for file in _meant(path)]
    first: dict[str, Path] = {}
    for file in files:
        other = first.setdefault(os.path.realpath(file), file)
        if other is not file:
            raise InputError(f"{file} is given twice, as {other} before; give each file once")
    return files


def _meant(path: Path) -> list[Path]:
    if os.path.exists(path) or not has_magic(str(path)):
        return [path]
    found = sorted(glob(str(path)))
    if not found:
        raise InputError(f"no file matches {path}; check the folder and the ending")
    return [Path(name) for name in found]
