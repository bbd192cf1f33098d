"""Which files are meant by what was typed, and by what is said of them?

A shell makes names of data/*.csv; where it does not, because of quotes or because it is none that
would, they are looked for here.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from glob import glob, has_magic
from pathlib import Path

from abstain._checks import InputError

__all__ = ["files_meant", "named_if", "said_of"]


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
    abstain._checks.InputError: no file matches no such folder/*.csv; check the folder and ...
    """
    files = [file for path in paths for file in _meant(path)]
    first: dict[Path, Path] = {}
    for file in files:
        other = first.setdefault(file.resolve(), file)
        if other is not file:
            raise InputError(f"{file} is given twice, as {other} before; give each file once")
    return files


def _meant(path: Path) -> list[Path]:
    if path.exists() or not has_magic(str(path)):
        return [path]
    found = sorted(glob(str(path)))
    if not found:
        raise InputError(f"no file matches {path}; check the folder and the ending")
    return [Path(name) for name in found]


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
