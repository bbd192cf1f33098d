"""Which files are meant by what was typed?

A shell makes names of data/*.csv; where it does not, because of quotes or because it is none that
would, they are looked for here.
"""

import os
from collections.abc import Sequence
from glob import glob, has_magic
from pathlib import Path

from abstain._checks import InputError

__all__ = ["files_meant"]


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
