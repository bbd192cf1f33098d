"""How does the text of a table become records, and records a frame?

Text is cut where records end, so that parts of a file can be read on their own. Lines without any
content are not rows.
"""

from __future__ import annotations

import codecs
import csv
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

import polars as pl

from abstain._core.errors import Argument, InputError
from abstain._core.text import one_line, row_number
from abstain.tables.text_format import TextFormat, detect_format, separator_name, split_record
from abstain.tables.values import MISSING, read_numbers

if TYPE_CHECKING:
    from abstain.tables.reading import TableFile

_LONGEST_RECORD = 1 << 27
_QUOTE = b'"'
# Not a tab, which may separate fields that are empty.
_BLANKS = b" \r"
HAS_CONTENT = re.compile(b"[^ \r\n]")
_UNREADABLE = (pl.exceptions.ComputeError, pl.exceptions.SchemaError)


class RaggedRowError(Exception):
    """A row of a block with another number of fields than the header has."""

    def __init__(self, row: int, n_fields: int, n_columns: int) -> None:
        super().__init__(row, n_fields, n_columns)
        self.row, self.n_fields, self.n_columns = row, n_fields, n_columns

    def located(self, table: TableFile, n_rows_before: int) -> InputError:
        """Return the error to show, given the number of rows before the block."""
        assert table.format is not None
        other, used = better_separator(table), separator_name(table.format.separator)
        hint = f"it was detected as {used}"
        if other:
            hint = f"{separator_name(other)} fits better than {used}"
        row = row_number(n_rows_before + self.row)
        return InputError(
            f"{table.path} has {self.n_fields} fields in row {row} "
            f"and {self.n_columns} in the header; fix that row, or give the right ",
            *(Argument("separator"), f" ({hint})"),
        )


class BlankLinesError(Exception):
    """There are lines without any content among the records."""


def better_separator(table: TableFile) -> str:
    """Return the separator that a text table seems to have, if it is read with another one."""
    if table.format is None or table.sheet is not None:
        return ""
    separator = detect_format(table.path, encoding=table.format.encoding).separator
    return separator if separator != table.format.separator else ""


# --- cutting text into records ------------------------------------------------------------------


def decode(file: IO[bytes], form: TextFormat, size: int) -> Iterator[bytes]:
    """Yield a file in UTF-8, in parts of about this size."""
    if form.is_utf8:
        yield file.read(size).removeprefix(codecs.BOM_UTF8)
        while part := file.read(size):
            yield part
        return
    decoder = codecs.getincrementaldecoder(form.encoding)()
    while part := file.read(size):
        yield decoder.decode(part).encode()


def whole_records(table: TableFile, file: IO[bytes]) -> Iterator[bytes]:
    """Yield the text of a table, cut where records end, without blank lines at its start."""
    assert table.format is not None
    rest, is_first = b"", True
    for part in decode(file, table.format, table.block_size):
        if is_first and not rest:
            part = part.lstrip(b"\r\n")
        # Quotes that are open in the rest may close in the new part.
        text = rest + part if _QUOTE in rest else part
        end = end_of_last_record(text)
        if not end:
            rest = text if text is not part else rest + part
            if len(rest) > _LONGEST_RECORD:
                raise InputError(
                    f"{table.path} has a row of more than {len(rest) >> 20} MB; is there a quote "
                    "without its pair? Correct the file"
                )
            continue
        whole = memoryview(text)[:end]
        yield bytes(whole) if text is not part or not rest else b"".join((rest, whole))
        rest, is_first = text[end:], False
    if rest:
        yield rest


def end_of_last_record(text: bytes) -> int:
    """Return where the last whole record ends: at a line feed after paired quotes."""
    end = text.rfind(b"\n") + 1
    if _QUOTE not in text:
        return end
    while end and text.count(_QUOTE, 0, end) % 2:
        end = text.rfind(b"\n", 0, end - 1) + 1
    return end


def end_of_first_record(text: bytes) -> int:
    """Return where the first record ends."""
    end = text.find(b"\n") + 1
    while end and text.count(_QUOTE, 0, end) % 2:
        end = text.find(b"\n", end) + 1
    return end or len(text)


def without_blank_lines(text: bytes) -> bytes:
    """Return records without the blank lines between them."""
    return b"\n".join(record for record in _split_records(text) if record.strip(_BLANKS))


def _split_records(text: bytes) -> list[bytes]:
    """Return records, which may hold line feeds between quotes."""
    records: list[bytes] = []
    is_open = False
    for line in text.removesuffix(b"\n").split(b"\n"):
        if is_open:
            records[-1] += b"\n" + line
        else:
            records.append(line)
        is_open ^= bool(line.count(_QUOTE) % 2)
    return records


def record_texts(text: bytes) -> pl.Series:
    """Return the text of each record, without the end of the line."""
    if _QUOTE in text:
        records = [record.removesuffix(b"\r").decode() for record in _split_records(text)]
        return pl.Series("record", records, dtype=pl.String)
    # No text holds this separator, so that each line is one field.
    return pl.read_csv(
        text, has_header=False, separator="\x01", quote_char=None, schema={"record": pl.String}
    ).to_series()


# --- parsing records ----------------------------------------------------------------------------


def parse(table: TableFile, text: bytes, numeric: frozenset[str]) -> pl.DataFrame:
    """Return records as a frame of text; ``numeric`` columns hold numbers if all values are."""
    assert table.format is not None
    is_plain = table.format.decimal == "." or b"." not in text
    if numeric and is_plain and not table.missing:
        # Looking for words that mean missing is slow, and most tables have none.
        for words in (None, list(MISSING)):
            try:
                return _checked(table, text, _read(table, text, numeric, words))
            except _UNREADABLE:  # blanks, or a value that is not a number
                pass
    try:
        frame = _read(table, text, frozenset())
    except _UNREADABLE:
        _explain(table, text)
        raise
    frame = _checked(table, text, frame)
    return read_numbers(frame, numeric, table.decimal, table.missing)


def _read(
    table: TableFile, text: bytes, numeric: frozenset[str], missing: list[str] | None = None
) -> pl.DataFrame:
    assert table.format is not None
    return pl.read_csv(
        text,
        has_header=False,
        separator=table.format.separator,
        decimal_comma=table.format.decimal == ",",
        schema={name: pl.Float64 if name in numeric else pl.String for name in table.names},
        null_values=missing,
    )


def _checked(table: TableFile, text: bytes, frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame if no record is short or blank, which polars would fill with nulls."""
    ends_empty = frame.to_series(-1).is_null()
    if ends_empty.any():
        assert table.format is not None
        records = record_texts(text).filter(ends_empty).fill_null("")
        if (records.str.strip_chars(_BLANKS.decode()) == "").any():
            raise BlankLinesError
        n_separators = records.str.count_matches(table.format.separator, literal=True)
        has_quotes = records.str.contains('"', literal=True)
        if ((n_separators < len(table.names) - 1) | has_quotes).any():
            _check_fields(table, _split_records(text))
    return frame


def _explain(table: TableFile, text: bytes) -> None:
    """Raise the cause of an error of polars, if it is known."""
    if text.count(_QUOTE) % 2:
        raise InputError(
            f"{table.path} has a quote without its pair; fix the file, or double quotes that "
            "belong to a field"
        )
    records = _split_records(text)
    if not all(record.strip(_BLANKS) for record in records):
        raise BlankLinesError
    _check_fields(table, records)


def _check_fields(table: TableFile, records: list[bytes]) -> None:
    """Raise an error that names the first record with too many or too few fields."""
    assert table.format is not None
    for row, record in enumerate(records):
        n_fields = len(split_record(record.decode(), table.format.separator))
        if n_fields != len(table.names):
            raise RaggedRowError(row, n_fields, len(table.names))


@contextmanager
def read_errors_in_one_line(path: Path) -> Iterator[None]:
    """Raise one line with the remedy for anything that a damaged file makes its readers raise."""
    try:
        yield
    except UnicodeError as error:
        raise _wrong_encoding(path) from error
    except csv.Error as error:  # its message is about line ends or limits
        raise InputError(
            f"{path} has quotes inside a field or without their pair; fix the file, or double "
            "quotes that belong to a field"
        ) from error
    except (
        pl.exceptions.PolarsError,
        pl.exceptions.PanicException,  # some damage to a Parquet file makes polars panic
        OSError,
        EOFError,
        zlib.error,
    ) as error:
        if "utf-8" in str(error):
            raise _wrong_encoding(path) from error
        reason = one_line((str(error).splitlines() or [type(error).__name__])[0], 200)
        raise InputError(
            f"{path} cannot be read: {reason}; fix the file or create it again"
        ) from error


def _wrong_encoding(path: Path) -> InputError:
    return InputError(
        f"{path} is not text in the encoding that was detected at its beginning; give ",
        *(Argument("encoding"), ", such as cp1252, or save it as UTF-8"),
    )
