"""In which form are rows written, and which output names are valid?

Rows of a text table are written as they were read, with eight fields more; they are only parsed if
the separator changes or the output is Parquet. Parquet is written in parts, which polars joins
without loading all of them, and a sheet of a workbook row by row. The first of the new fields is
the number of the row, which is known when rows are written in their order.
"""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

import polars as pl

from abstain._core.errors import Argument, InputError, shown
from abstain._core.files import check_can_write, temporary_folder
from abstain._core.text import row_number, without_formula
from abstain.tables.reading import RowBlock, TableFile
from abstain.tables.text_format import PARQUET, WORKBOOKS, quote_field
from abstain.tables.workbooks import SheetWriter, check_can_write_workbooks, open_sheet

if TYPE_CHECKING:
    from abstain.metrics import ClassReport, GroupReport
    from abstain.tables.groups import GroupComparison
    from abstain.targets import OperatingPoint

ROW = "row"
NEW_COLUMNS = (
    *(ROW, "answer", "withheld", "certainty", "threshold", "correct_proba"),
    *("reason", "warning"),
)
_TEXT = (".csv", ".tsv", ".txt")
_DIGITS = 6
# No column of a table has this name.
_INDEX = "\0index"
# A file with such a suffix is expected to hold something else than a model.
_OTHER_FORMATS = (
    *(".pkl", ".pickle", ".joblib", ".dill", ".skops", ".onnx", ".pmml", ".pt", ".h5"),
    *(".npz", ".npy"),
    *(".csv", ".tsv", ".txt", ".gz", ".xls", ".xlsx", ".parquet", ".pq", ".html", ".htm", ".json"),
    *(".md", ".pdf", ".png", ".svg", ".py", ".toml", ".yaml", ".yml"),
)


def check_suffix(out: Path, suffixes: Sequence[str]) -> None:
    """Raise an error if an output is a folder, or its name has another suffix."""
    if os.path.isdir(out):
        raise InputError(f"cannot write {out}: it is a folder; name a file in it")
    if not out.name.lower().endswith(tuple(suffixes)):
        known = ", ".join(suffixes)
        raise InputError(f"cannot write {out}: its name must end with one of {known}")


def check_output(out: Path, table: TableFile) -> None:
    """Raise an error if answers cannot be written to ``out``, before they are computed."""
    check_suffix(out, _TEXT + PARQUET + WORKBOOKS)
    if out.name.lower().endswith(WORKBOOKS):
        check_can_write_workbooks(out)
    if table.format is None and not out.name.lower().endswith(PARQUET):
        for name, kind in pl.scan_parquet(table.path, glob=False).collect_schema().items():
            if kind.is_nested() or kind in (pl.Binary, pl.Object) or kind == pl.Duration:
                raise InputError(
                    f"cannot write {out}: column {shown(name)} holds values of type {kind}, which "
                    "text and sheets cannot hold; give ",
                    *(Argument("out"), " a name with .parquet"),
                )
    check_can_write(out)


def check_model_output(out: Path) -> None:
    """Raise an error if a model cannot be written to ``out``, or has a suffix of another format."""
    suffix = out.suffix.lower()
    if suffix in _OTHER_FORMATS:
        raise InputError(
            f"cannot write {out}: a model is no {suffix} file; name it "
            f"{out.with_suffix('.abstain')}"
        )
    check_can_write(out)


def write_frame(frame: pl.DataFrame, path: Path) -> None:
    """Write a frame as CSV, TSV, Parquet or a sheet; text is no formula in a spreadsheet."""
    if path.name.lower().endswith(WORKBOOKS):
        with open_sheet(path, path, frame.columns, "front") as sheet:
            sheet.write(frame)
        return
    with _os_errors():
        if path.name.lower().endswith(PARQUET):
            frame.write_parquet(path)
            return
        if "cell" in frame.columns:
            names = frame["cell"].cast(pl.String).to_list()
            frame = frame.with_columns(pl.Series("cell", list(map(without_formula, names))))
        frame.write_csv(path, separator="\t" if path.suffix.lower() == ".tsv" else ",")


def json_number(value: float) -> float | str | None:
    """Return a number as JSON can hold it: NaN is None, infinities are "inf" and "-inf"."""
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else str(value)


def point_as_dict(point: OperatingPoint) -> dict[str, Any]:
    """Return the counts and shares of an operating point for a JSON document."""
    names = ("n_samples", "n_errors", "true_rejects", "false_rejects", "reject_rate", "coverage")
    counts = {name: getattr(point, name) for name in names}
    return {**counts, "accuracy": json_number(point.accuracy)}


def class_rows(report: ClassReport) -> list[dict[str, Any]]:
    """Return a class report for a JSON document: a dict per class; shares of nothing are None."""
    return _report_rows("class", report)


def group_rows(comparison: GroupComparison) -> list[dict[str, Any]]:
    """Return a dict per group; "without_groups" has the numbers without a condition on groups."""
    decided = _report_rows("group", comparison.decided)
    if comparison.without is None:
        return [{**row, "without_groups": None} for row in decided]
    without = _report_rows("group", comparison.without)
    return [{**row, "without_groups": other} for row, other in zip(decided, without, strict=True)]


def _report_rows(name: str, report: ClassReport | GroupReport) -> list[dict[str, Any]]:
    rows = zip(*(column.tolist() for column in report), strict=True)
    return [
        {
            name: str(label),
            **{
                name: json_number(value) if isinstance(value, float) else value
                for name, value in zip(report._fields[1:], values, strict=True)
            },
        }
        for label, *values in rows
    ]


@contextmanager
def _os_errors() -> Iterator[None]:
    """Raise the errors by which polars reports a full disk as Python does."""
    try:
        yield
    except pl.exceptions.PolarsError as error:
        raise OSError(str(error)) from error


# --- answers ------------------------------------------------------------------------------------


class AnswerWriter(Protocol):
    """Writes answered rows. ``format`` may run in any thread, ``write`` runs in order."""

    def format(self, block: RowBlock, frame: pl.DataFrame, answers: pl.DataFrame) -> Any:
        """Return what `write` takes."""
        ...

    def write(self, content: Any) -> None:
        """Append the rows of a block to the output."""
        ...


def numbers_as_text(numbers: pl.Expr, digits: int, decimal: str) -> pl.Expr:
    """Return numbers as text with this number of significant digits."""
    text = numbers.round_sig_figs(digits).cast(pl.String)
    return text if decimal == "." else text.str.replace(".", decimal, literal=True)


def new_column_names(taken: list[str], wanted: Sequence[str] = NEW_COLUMNS) -> list[str]:
    """Return the names of new columns, longer ones where the table has such a column.

    >>> new_column_names(["age", "answer"])[:3]
    ['row', 'abstain_answer', 'withheld']
    """
    names = []
    for name in wanted:
        while name in taken:
            name = f"abstain_{name}"
        names.append(name)
    return names


def separator_for(out: Path, table: TableFile) -> str | None:
    """Return the separator of an output: that of the table unless the suffix says otherwise.

    None if the output is no text.
    """
    name = out.name.lower()
    if name.endswith(PARQUET + WORKBOOKS):
        return None
    if name.endswith(".tsv"):
        return "\t"
    if table.format is None or (name.endswith(".csv") and table.format.separator == "\t"):
        return ","
    return table.format.separator


def decimal_for(out: Path, table: TableFile) -> str:
    """Return the decimal mark of an output: that of the table, unless it is the separator."""
    return "." if separator_for(out, table) in (None, ",") else table.decimal


def last_named(name: str, names: Sequence[str], others: Collection[str] = ()) -> str | None:
    """Return the column that `new_column_names` has made of a name; None if there is none.

    >>> last_named("answer", ["age", "answer", "abstain_answer"])
    'abstain_answer'
    """
    last = None
    while name in names:
        last = last if name in others else name
        name = f"abstain_{name}"
    return last


@contextmanager
def open_writer(
    draft: Path,
    out: Path,
    table: TableFile,
    numeric: Collection[str],
    names: Sequence[str] = NEW_COLUMNS,
) -> Iterator[AnswerWriter]:
    """Yield a writer of the rows of a table with new columns, to the draft of an output.

    If the first of them is ``row``, the rows are numbered when they are written.

    In Parquet and in a sheet, the ``numeric`` columns of a text table become numbers; all others
    stay text.
    """
    is_numbered, names = names[0] == ROW, new_column_names(table.names, names)
    separator = separator_for(out, table)
    if out.name.lower().endswith(WORKBOOKS):
        with open_sheet(draft, out, [*table.names, *names], "answers") as sheet:
            yield _WorkbookWriter(sheet, numeric, len(table.names) if is_numbered else None)
    elif separator is None:
        with temporary_folder(draft) as folder:
            parts = _ParquetWriter(folder, names, numeric, is_numbered)
            yield parts
            parts.join(draft)
    else:
        # Unbuffered: polars writes to the file descriptor, past the buffer of Python.
        with draft.open("wb", buffering=0) as file:
            text = _TextWriter(table, separator, decimal_for(out, table), file, is_numbered)
            text.write_header(names)
            yield text


@dataclass
class _RowNumbers:
    """Numbers the rows of blocks as they are written: ``at`` is the place of the column, if any."""

    at: int | None
    n_rows: int = 0

    def insert(self, block: pl.DataFrame) -> pl.DataFrame:
        """Return a block with the numbers of its rows."""
        if self.at is None:
            return block
        start, self.n_rows = row_number(self.n_rows), self.n_rows + block.height
        return block.insert_column(
            self.at, pl.int_range(start, start + block.height, eager=True).alias(_INDEX)
        )


class _TextWriter:
    def __init__(
        self, table: TableFile, separator: str, decimal: str, file: IO[bytes], is_numbered: bool
    ) -> None:
        self.table, self.separator, self.decimal, self.file = table, separator, decimal, file
        self.numbers = _RowNumbers(1 if is_numbered else None)  # after the text of the row
        self.is_unchanged = table.format is not None and table.format.separator == separator

    def write_header(self, new_names: list[str]) -> None:
        names = [quote_field(name, self.separator) for name in self.table.names]
        start = self.table.header if self.is_unchanged else self.separator.join(names)
        header = self.separator.join([start, *new_names]) + "\n"
        # A spreadsheet needs a byte order mark to read UTF-8 where it expects another encoding.
        form = self.table.format
        has_mark = form is not None and (
            not form.is_utf8 or self.table.sheet is not None or _has_mark(self.table.path)
        )
        self.file.write(header.encode("utf-8-sig" if has_mark else "utf-8"))

    def format(self, block: RowBlock, frame: pl.DataFrame, answers: pl.DataFrame) -> pl.DataFrame:
        """Return the text of rows and of the new columns; answers are already quoted."""
        numbers = numbers_as_text(pl.col(pl.Float64), _DIGITS, self.decimal)
        rows = self._rows(block, frame).alias("row")
        return pl.DataFrame([rows, *answers.with_columns(numbers)])

    def _rows(self, block: RowBlock, frame: pl.DataFrame) -> pl.Series:
        """Return the text of rows, unchanged or with another separator."""
        if self.is_unchanged:
            records = block.records()
            if len(records) != frame.height:
                raise InputError(
                    f"{self.table.path} has a quote inside a field, so that rows cannot be "
                    "separated; put such fields in quotes, and double the quotes in them"
                )
            return records
        if self.table.format is not None:
            frame = block.frame(frozenset())
        buffer = BytesIO()
        frame.write_csv(buffer, include_header=False, separator=self.separator)
        return RowBlock(self.table, buffer.getvalue()).records()

    def write(self, content: pl.DataFrame) -> None:
        with _os_errors():
            self.numbers.insert(content).write_csv(
                self.file, include_header=False, separator=self.separator, quote_style="never"
            )


def _has_mark(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(3) == b"\xef\xbb\xbf"


def _with_numbers(block: RowBlock, frame: pl.DataFrame, numeric: set[str]) -> pl.DataFrame:
    """Return rows as they were read; of a text table, ``numeric`` columns with numbers."""
    if block.table.format is None:
        return frame
    text = block.frame(frozenset())
    return text.with_columns(frame[name] for name in numeric if name in frame)


class _WorkbookWriter:
    """Writes rows to a sheet: numbers as numbers, all else as text."""

    def __init__(self, sheet: SheetWriter, numeric: Collection[str], row_at: int | None) -> None:
        self.sheet, self.numeric, self.numbers = sheet, set(numeric), _RowNumbers(row_at)

    def format(self, block: RowBlock, frame: pl.DataFrame, answers: pl.DataFrame) -> pl.DataFrame:
        numbers = answers.with_columns(pl.col(pl.Float64).round_sig_figs(_DIGITS))
        rows = _with_numbers(block, frame, self.numeric)
        return pl.concat([rows, numbers.rename(lambda name: f"\0{name}")], how="horizontal")

    def write(self, content: pl.DataFrame) -> None:
        self.sheet.write(self.numbers.insert(content))


class _ParquetWriter:
    """Writes each block to a file of its own, and joins them at the end."""

    def __init__(
        self, folder: Path, names: list[str], numeric: Collection[str], is_numbered: bool
    ) -> None:
        self.folder, self.names, self.numeric = folder, names, set(numeric)
        self.is_numbered = is_numbered
        self.parts: list[Path] = []

    def format(self, block: RowBlock, frame: pl.DataFrame, answers: pl.DataFrame) -> bytes:
        frame = _with_numbers(block, frame, self.numeric)
        new = answers.get_columns()
        if self.is_numbered:  # when the parts are joined
            new = [pl.zeros(len(answers), pl.Int64, eager=True), *new]
        rows = frame.hstack(
            [column.alias(own) for column, own in zip(new, self.names, strict=True)]
        )
        buffer = BytesIO()
        rows.write_parquet(buffer)
        return buffer.getvalue()

    def write(self, content: bytes) -> None:
        self.parts.append(self.folder / f"{len(self.parts):08d}.parquet")
        self.parts[-1].write_bytes(content)

    def join(self, draft: Path) -> None:
        rows = pl.scan_parquet(self.parts)
        if self.is_numbered:
            numbers = pl.col(_INDEX).cast(pl.Int64).alias(self.names[0])
            columns = pl.read_parquet_schema(self.parts[0])
            rows = rows.with_row_index(_INDEX, row_number(0)).select(
                numbers if name == self.names[0] else pl.col(name) for name in columns
            )
        with _os_errors():
            rows.sink_parquet(draft, maintain_order=True)
