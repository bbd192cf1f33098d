"""How are output files written atomically, and which files may be read or written?

An output is first written to a draft, a temporary file in the same folder, and moved into place
when it is complete and on the disk. On errors and on Ctrl-C, an existing file is left as it was.

The name of a draft says which process on which machine writes it. Drafts of processes that were
killed are removed by the next process on that machine that writes to the folder.
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

from abstain._core.errors import InputError, reworded
from abstain._core.signals import cleanup_at_end

# Machine, process and a random number.
_DRAFT = re.compile(r"\.abstain-([0-9a-f]{16})-(\d+)-[0-9a-f]{16}")
# Seconds to retry removing a folder to which others still write.
_REMOVE_TIMEOUT = 2.0
# Folders of some network file systems cannot be synced, and need not be.
_CANNOT_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS)
# Inputs that are not regular files; reading a pipe could block forever.
_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


@contextmanager
def atomic_files(*paths: Path) -> Iterator[list[Path]]:
    """Yield a draft per output, and move all drafts into place at the end.

    A draft is an empty file in the same folder and with the same suffix. Nothing is moved before
    everything is written, so that files which belong together appear together. If an output is a
    link, the file that it points to is replaced.
    """
    targets = [Path(os.path.realpath(path)) for path in paths]
    with ExitStack() as stack:
        drafts = [
            stack.enter_context(_draft(path, target))
            for path, target in zip(paths, targets, strict=True)
        ]
        with _writing_errors(*paths):
            yield list(drafts)
            for draft in drafts:
                _sync(draft)
        for path, target, draft in zip(paths, targets, drafts, strict=True):
            with _writing_errors(path):
                os.replace(draft, target)
        with _writing_errors(*paths):
            for folder in {target.parent for target in targets}:
                _sync(folder)


@contextmanager
def temporary_folder(beside: Path) -> Iterator[Path]:
    """Yield an empty folder beside an output, and remove it at the end with its contents."""
    folder = _draft_name(beside.with_suffix(""))
    with cleanup_at_end(partial(_remove, folder)):
        with _writing_errors(beside):
            folder.mkdir()
        yield folder


def check_can_write(path: Path) -> None:
    """Refuse an output that could not be written, before long work is spent on it.

    Drafts of processes that were killed are removed from its folder.
    """
    target = Path(os.path.realpath(path))
    # Permissions can be wrong (read-only disks, network shares): try it.
    with _draft(path, target):
        _remove_left_over(target.parent)


def check_regular_file(path: Path) -> None:
    """Refuse an input that is missing or not a regular file, before it is opened."""
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
    """Refuse an output that is an input, or another output, under any name or link.

    ``inputs`` says what each file is called, such as "the model".
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
    """Return what all names of a file share, including hard links."""
    try:
        status = path.stat()
    except OSError:  # it does not exist yet
        return os.path.realpath(path)
    return status.st_dev, status.st_ino


@contextmanager
def _draft(path: Path, target: Path) -> Iterator[Path]:
    """Yield an empty file beside the target, with its permissions; remove it if it is left."""
    draft = _draft_name(target)
    with cleanup_at_end(partial(_remove, draft)):
        _create(draft, path, target)
        yield draft


def _create(draft: Path, path: Path, target: Path) -> None:
    with _writing_errors(path):
        if target.is_dir():
            raise _cannot_write(path, "it is a folder; name a file in it")
        if target.parent.exists() and not target.parent.is_dir():
            raise _cannot_write(path, f"{path.parent} is not a folder; choose another place")
        if not target.parent.is_dir():
            raise _cannot_write(path, f"there is no folder {path.parent}; create it first")
        if target.exists() and not target.is_file():
            raise _cannot_write(path, "it is not a regular file; choose another name")
        if target.is_symlink():  # although all links were followed
            raise _cannot_write(path, "its links lead in a circle; choose another name")
        draft.touch(exist_ok=False)
        if target.exists():
            shutil.copymode(target, draft)


def _draft_name(target: Path) -> Path:
    """Return a name for a draft, independent of the target's, which may have the maximal length."""
    owner = f"{_machine() or 'unknown'}-{os.getpid()}"
    return target.with_name(f".abstain-{owner}-{secrets.token_hex(8)}{target.suffix}")


@lru_cache(maxsize=1)
def _machine() -> str | None:
    """Return an identifier of the machine since its start; process ids are unique within it.

    Containers on one machine differ. None if there is no such identifier.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text()
        namespace = os.readlink("/proc/self/ns/pid")
    except OSError:
        return None
    return hashlib.sha256(f"{boot} {namespace}".encode()).hexdigest()[:16]


def _remove_left_over(folder: Path) -> None:
    """Remove drafts of processes on this machine that no longer run."""
    for path in folder.glob(".abstain-*"):
        owner = _DRAFT.match(path.name)
        if owner is not None and owner[1] == _machine() and not _is_alive(int(owner[2])):
            _remove(path)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # of another user
        return True
    return True


def _remove(path: Path) -> None:
    """Remove a file or a folder, even if interrupted once or while others write to the folder."""
    until = time.monotonic() + _REMOVE_TIMEOUT
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
    """Flush a file, or the entries of a folder, to the disk."""
    is_windows = os.name == "nt"
    if is_windows and path.is_dir():  # cannot be opened
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
def _writing_errors(*paths: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        outputs = ", ".join(str(path) for path in paths)
        # Other libraries may report a full disk only in the text of the error.
        is_full = error.errno == errno.ENOSPC or "No space left" in reason
        remedy = "make room or " if is_full else ""
        raise _cannot_write(outputs, f"{reason}; {remedy}choose another place") from error


def _cannot_write(output: Path | str, why: str) -> InputError:
    return InputError(f"cannot write {output}: {why}")


@contextmanager
def name_file_if(is_one_of_several: bool, path: Path) -> Iterator[None]:
    """Add the name of the file to errors that do not contain it, if there are other files."""
    try:
        yield
    except InputError as error:
        if not is_one_of_several or str(path) in str(error):
            raise
        raise reworded(error, f"{path}: ", error.message) from None


def expand_patterns(paths: Sequence[Path]) -> list[Path]:
    """Return the files that are named or match a pattern, each once; matches are sorted.

    A file that is named but does not exist is returned too.

    >>> expand_patterns([Path("no such folder/*.csv")])
    Traceback (most recent call last):
        ...
    abstain.InputError: no file matches no such folder/*.csv; check the folder and ...
    """
    files = [file for path in paths for file in _matches(path)]
    first: dict[str, Path] = {}
    for file in files:
        other = first.setdefault(os.path.realpath(file), file)
        if other is not file:
            raise InputError(f"{file} is given twice, as {other} before; give each file once")
    return files


def _matches(path: Path) -> list[Path]:
    if os.path.exists(path) or not has_magic(str(path)):
        return [path]
    names = sorted(glob(str(path)))
    if not names:
        raise InputError(f"no file matches {path}; check the folder and the ending")
    return [Path(name) for name in names]
