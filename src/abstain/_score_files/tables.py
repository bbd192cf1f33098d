"""How do the needed columns of a CSV or Parquet file become a table, and no others?

Text files are read as text throughout. A type guessed from the first lines breaks on a column of
integers that turns fractional a million rows later, and it hides the value that was wrong; what a
text means is decided in :mod:`abstain._score_files.columns`, with all of the column in view.
"""

import csv
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from abstain._core.checks import InputError, list_columns, shown
from abstain._core.files import check_regular_file
from abstain._core.text import one_line

__all__ = ["read_columns"]

_TEXT = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
_PARQUET = (".parquet", ".pq")
_SEPARATORS = (",", "\t", ";")
_LONGEST_HEADER = 1 << 20


def read_columns(path: Path, wanted: dict[str, str]) -> pl.DataFrame:
    """Read the wanted columns of a score file.

    Parameters
    ----------
    path : Path
        A text file with a header (comma, tab or semicolon between the fields, UTF-8, perhaps
        gzipped) or a Parquet file.
    wanted : dict of str to str
        For each role, such as "certainty", the name of its column.

    Returns
    -------
    table : polars.DataFrame
        The wanted columns, perhaps without rows. Lines without any content are not rows.

    Raises
    ------
    InputError
        If the file or one of the columns is not there or cannot be read.
    """
    name = path.name.lower()
    check_regular_file(path)
    if not name.endswith(_TEXT + _PARQUET):
        known = ", ".join(_TEXT + _PARQUET)
        raise InputError(f"{path} is of no known format; its name must end with one of {known}")
    with _told_about(path):
        read = _read_text if name.endswith(_TEXT) else _read_parquet
        return read(path, wanted)


def _read_parquet(path: Path, wanted: dict[str, str]) -> pl.DataFrame:
    lazy = pl.scan_parquet(path, glob=False)
    _check_columns(path, wanted, lazy.collect_schema().names())
    return lazy.select(_each_once(wanted)).collect()


def _read_text(path: Path, wanted: dict[str, str]) -> pl.DataFrame:
    header = _header(path)
    separator = _separator(header, wanted)
    _check_columns(path, wanted, _split(header, separator))
    lazy = pl.scan_csv(path, separator=separator, infer_schema=False, glob=False)
    return _without_blank_lines(lazy.select(_each_once(wanted)).collect(), lazy)


def _each_once(wanted: dict[str, str]) -> list[str]:
    """Return the columns to read: one column may play two roles, such as prediction and cell."""
    return list(dict.fromkeys(wanted.values()))


def _without_blank_lines(table: pl.DataFrame, lazy: pl.LazyFrame) -> pl.DataFrame:
    """Drop the lines that are empty in all columns of the file, the unwanted ones included.

    Editors and spreadsheets leave such lines at the end, and polars reads them as rows of nulls.
    The second pass over the file is rare: only where all wanted columns are empty at once.
    """
    is_blank = pl.all_horizontal(pl.all().is_null())
    if not table.select(is_blank.any()).item():
        return table
    return table.filter(~lazy.select(is_blank).collect().to_series())


def _header(path: Path) -> str:
    """Return the first line that is not blank."""
    opened = gzip.open if path.name.lower().endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8-sig") as lines:
        while line := lines.readline(_LONGEST_HEADER):
            if line.strip():
                return line.rstrip("\r\n")
    raise InputError(f"{path} is empty; its first line must name the columns")


def _split(header: str, separator: str) -> list[str]:
    return next(csv.reader([header], delimiter=separator))


def _separator(header: str, wanted: dict[str, str]) -> str:
    """Return the separator under which the wanted columns are there, else most columns are."""

    def plausible(separator: str) -> tuple[bool, int]:
        names = _split(header, separator)
        return set(wanted.values()) <= set(names), len(names)

    return max(_SEPARATORS, key=plausible)


def _check_columns(path: Path, wanted: dict[str, str], names: list[str]) -> None:
    for role, column in wanted.items():
        if column not in names:
            raise InputError(
                f"{role} column {shown(column)} is not in {path}; {list_columns(column, names)}"
            )
        if names.count(column) > 1:
            raise InputError(
                f"{role} column {shown(column)} occurs {names.count(column)} times in {path}; "
                "give each column a name of its own"
            )
        if column.startswith("^") and column.endswith("$"):  # which polars takes for a pattern
            raise InputError(
                f"{role} column {shown(column)} of {path} cannot be read under that name; give it "
                "one that does not begin with ^ and end with $"
            )


@contextmanager
def _told_about(path: Path) -> Iterator[None]:
    """Turn whatever a damaged file makes its readers raise into one line with the remedy."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise _not_utf8(path) from error
    except (
        pl.exceptions.PolarsError,
        pl.exceptions.PanicException,  # some damage to a Parquet file makes polars panic
        OSError,
        EOFError,
        zlib.error,
        csv.Error,
    ) as error:
        if "utf-8" in str(error):
            raise _not_utf8(path) from error
        reason = one_line((str(error).splitlines() or [type(error).__name__])[0], 200)
        raise InputError(
            f"{path} cannot be read: {reason}; mend the file or make it anew"
        ) from error


def _not_utf8(path: Path) -> InputError:
    return InputError(f"{path} is not UTF-8 text; save it again as UTF-8, or as Parquet")
