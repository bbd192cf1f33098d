"""How does a sheet of an Excel workbook become a table, and a table a sheet?

A sheet is read as the text table that it would be saved as, so that it means the same as CSV:
dates as 2024-01-31, truth values as true and false, empty rows within the table as rows without
values, and empty rows and columns at its end as nothing. Of a formula, the value that the
spreadsheet has saved is read; nothing is computed. A sheet is held in memory.

In a sheet that is written, numbers are numbers, and all else is text: no text becomes a formula or
a link.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from abstain._core.checks import COLUMNS_TO_LIST, list_columns
from abstain._core.errors import (
    Argument,
    InputError,
    import_optional,
    shown,
    with_remedy,
)
from abstain._core.files import temporary_folder
from abstain._core.text import first_of, one_line

# What Excel can hold.
MOST_ROWS, MOST_COLUMNS, LONGEST_TEXT = 1_048_576, 16_384, 32_767
_INSTALL = "'.[excel]'"
# The day of a time without a date.
_NO_DAY = pl.date(1899, 12, 31)
_MILLISECONDS_PER_DAY = 86_400_000
# Above it, different integers can be the same float.
_LARGEST_EXACT = 2.0**53
# Of the list that a cell is chosen from, and of columns, in characters.
_LONGEST_LIST, _WIDEST, _NARROWEST = 255, 60, 8


# --- reading --------------------------------------------------------------------------------------


class Sheet(NamedTuple):
    """A sheet of a workbook as CSV in UTF-8, its name and those of the others."""

    text: bytes
    name: str
    others: tuple[str, ...] = ()

    def with_hint(self, error: InputError) -> InputError:
        """Return an error with a remedy: another sheet, if there is one."""
        if not self.others:
            return error
        names = first_of(list(map(shown, self.others)), COLUMNS_TO_LIST)
        read = f"; sheet {shown(self.name)} was read, and there is also {names}: give "
        return with_remedy(error, read, Argument("sheet", self.others[0]))


def read_sheet(path: Path, sheet: str | None = None) -> Sheet:
    """Return a sheet of a workbook; None is the first."""
    fastexcel = import_optional("fastexcel", f"reading {path.name} needs", _INSTALL)
    # It reports columns without values.
    logging.getLogger("fastexcel").setLevel(logging.ERROR)
    try:
        book = fastexcel.read_excel(path)
        name = _sheet_of(path, book.sheet_names, sheet)
        others = tuple(each for each in book.sheet_names if each != name)
        header = book.load_sheet(name, header_row=None, n_rows=1, dtypes="string").to_polars()
        if not header.width:
            error = InputError(
                f"sheet {name!r} of {path} is empty; its first row must name columns"
            )
            raise Sheet(b"", name, others).with_hint(error)
        rows = _load_rows(fastexcel, book, name)
    except fastexcel.FastExcelError as error:
        reason = one_line((str(error).splitlines() or [""])[0], 200)
        raise InputError(
            f"{path} cannot be read as an Excel workbook: {reason}; save it again as .xlsx"
        ) from None
    return Sheet(_as_csv(list(header.row(0)), rows), name, others)


def _sheet_of(path: Path, names: Sequence[str], sheet: str | None) -> str:
    if sheet is None:
        return names[0]
    if sheet not in names:
        raise InputError(
            argument="sheet",
            value=sheet,
            requirement=f"is not a sheet of {path}",
            remedy=list_columns(sheet, names, "sheets"),
        )
    return sheet


def _load_rows(fastexcel: Any, book: Any, name: str) -> pl.DataFrame:
    """Return the rows below the header, with types where all values of a column have one."""
    try:
        rows: pl.DataFrame = book.load_sheet(name, schema_sample_rows=None).to_polars()
    except fastexcel.UnsupportedColumnTypeCombinationError:  # such as dates among numbers
        rows = book.load_sheet(name, dtypes="string").to_polars()
    return rows


def _as_csv(header: list[str | None], rows: pl.DataFrame) -> bytes:
    rows = rows.rename(dict(zip(rows.columns, map(str, range(rows.width)), strict=True)))
    # A text of blanks is no value.
    is_empty = [column.null_count() == len(column) for column in rows]
    width = max((at + 1 for at, name in enumerate(header) if name or not is_empty[at]), default=1)
    rows = pl.DataFrame([_plain(column) for column in rows[:, :width]])
    filled = (~rows.select(pl.all_horizontal(pl.all().is_null())).to_series()).arg_true()
    rows = rows[: (filled[-1] + 1 if len(filled) else 0)]
    names = pl.DataFrame([[name or "" for name in header[:width]]], orient="row")
    parts = BytesIO()
    names.write_csv(parts, include_header=False)
    rows.write_csv(parts, include_header=False)
    return parts.getvalue()


def _plain(column: pl.Series) -> pl.Series:
    """Return dates and times as text, durations as days, and whole numbers without a fraction."""
    if column.dtype == pl.Float64:
        is_whole = (column == column.floor()) & (column.abs() < _LARGEST_EXACT)
        return column.cast(pl.Int64) if is_whole.all() else column
    if not column.dtype.is_temporal():
        return column
    if column.dtype == pl.Duration:  # in days, as Excel saves it
        return column.dt.total_milliseconds() / _MILLISECONDS_PER_DAY
    if column.dtype != pl.Datetime:
        return column.cast(pl.String)
    if (column.dt.date() == pl.select(_NO_DAY).item()).all():
        return column.dt.strftime("%H:%M:%S")
    is_midnight = (column.dt.time() == pl.select(pl.time(0)).item()).all()
    return column.dt.strftime("%Y-%m-%d" if is_midnight else "%Y-%m-%d %H:%M:%S")


# --- writing --------------------------------------------------------------------------------------


def check_can_write_workbooks(out: Path) -> None:
    """Raise an error if workbooks cannot be written, before long work is spent on one."""
    import_optional("xlsxwriter", f"writing {out.name} needs", _INSTALL)


@contextmanager
def open_sheet(draft: Path, out: Path, names: Sequence[str], sheet: str) -> Iterator[SheetWriter]:
    """Yield a writer of a workbook with one sheet, which is complete at the end."""
    xlsxwriter = import_optional("xlsxwriter", f"writing {out.name} needs", _INSTALL)
    with temporary_folder(draft) as folder, draft.open("wb") as file:
        # Rows are written to the disk one by one.
        book = xlsxwriter.Workbook(file, {"constant_memory": True, "tmpdir": str(folder)})
        writer = SheetWriter(book, out, names, sheet)
        try:
            yield writer
        except BaseException:
            writer.discard()
            raise
        book.close()


class SheetWriter:
    """Writes rows to a sheet of a workbook; the first row names the columns, and stays in sight."""

    def __init__(self, book: Any, out: Path, names: Sequence[str], sheet: str) -> None:
        if len(names) > MOST_COLUMNS:
            raise InputError(
                f"cannot write {out}: {len(names):,} columns are more than the {MOST_COLUMNS:,} of "
                "a sheet; give ",
                *(Argument("out"), " a name with .csv or .parquet"),
            )
        self.out, self.names, self.n_rows = out, list(names), 0
        self._book, self._sheet = book, book.add_worksheet(sheet)
        self._sheet.freeze_panes(1, 0)
        bold = book.add_format({"bold": True})
        for at, name in enumerate(self.names):
            self._sheet.set_column(at, at, min(max(len(name) + 2, _NARROWEST), _WIDEST))
        for at, name in enumerate(self.names):
            self._sheet.write_string(0, at, name, bold)

    def write(self, rows: pl.DataFrame) -> None:
        """Append rows, whose columns are in the order of the names."""
        check_height(self.out, self.n_rows + rows.height)
        for row in rows.iter_rows():
            self.n_rows += 1
            for at, value in enumerate(row):
                self._write_cell(self.n_rows, at, value)

    def _write_cell(self, row: int, column: int, value: Any) -> None:
        if value is None or value == "" or value != value:
            return
        if isinstance(value, bool):
            self._sheet.write_boolean(row, column, value)
        elif isinstance(value, int | float) and math.isfinite(value):
            self._sheet.write_number(row, column, value)
        else:
            self._sheet.write_string(row, column, str(value)[:LONGEST_TEXT])

    def widen(self, name: str, width: int) -> None:
        """Set the width of a column, in characters."""
        at = self.names.index(name)
        self._sheet.set_column(at, at, min(width, _WIDEST))

    def offer(self, name: str, choices: Sequence[str]) -> None:
        """Let the cells of a column be filled from a list, if Excel can hold it."""
        text = ",".join(choices)
        if len(text) > _LONGEST_LIST or text.count(",") != len(choices) - 1:
            return
        at, last = self.names.index(name), max(self.n_rows, 1)
        rule = {"validate": "list", "source": list(choices), "error_type": "warning"}
        self._sheet.data_validation(1, at, last, at, rule)

    def discard(self) -> None:
        """Close the file of the rows, and keep the workbook from being written."""
        self._book.fileclosed = True
        self._sheet.row_data_fh.close()


def check_height(out: Path, n_rows: int) -> None:
    """Raise an error if a sheet cannot hold so many rows below its header."""
    if n_rows >= MOST_ROWS:
        raise InputError(
            f"cannot write {out}: a sheet has at most {MOST_ROWS - 1:,} rows below its header; ",
            *("give ", Argument("out"), " a name with .csv or .parquet"),
        )
