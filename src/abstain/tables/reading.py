"""How does a table file become rows, part by part and in their order?

A text file is cut into blocks of whole records, and each block is read by polars on its own, so
that a file may be larger than memory. Of each block the text stays at hand: whoever writes the rows
again can write them as they were. Lines without any content are not rows; rows are counted from 1,
the header apart.
"""

from __future__ import annotations  # signatures then show the names of types

import codecs
import csv
import gzip
import re
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

import polars as pl

from abstain._core.checks import InputError, shown
from abstain._core.files import check_regular_file
from abstain._core.text import one_line
from abstain.tables.formats import (
    HEAD,
    PARQUET,
    SPREADSHEETS,
    TEXT,
    TextFormat,
    open_bytes,
    sniff,
    split_record,
)
from abstain.tables.values import MISSING, as_numbers, without_missing

__all__ = ["BLOCK", "Block", "Table", "open_table", "read_table", "told_of_separator"]

# Bytes of text, or of typed values, that are read at once.
BLOCK = 1 << 23
_LONGEST_RECORD = 1 << 27
_QUOTE = b'"'
# Not a tab, which may stand between fields that are empty.
_BLANKS = b" \r"
_CONTENT = re.compile(b"[^ \r\n]")
_UNREADABLE = (pl.exceptions.ComputeError, pl.exceptions.SchemaError)


@dataclass(frozen=True, eq=False)
class Table:
    """A table file that can be read.

    Attributes
    ----------
    path : Path
        The file.
    names : list of str
        Its columns.
    format : TextFormat or None
        How the text is written; None for Parquet.
    header : str
        The first line as it stands in the file.
    numeric : frozenset of str
        The columns that hold numbers, as far as the first rows tell.
    n_blocks : int
        About how many blocks there are.
    """

    path: Path
    names: list[str]
    format: TextFormat | None = None
    header: str = ""
    numeric: frozenset[str] = frozenset()
    n_blocks: int = 1
    missing: tuple[str, ...] = ()
    block_size: int = field(default=BLOCK, repr=False)

    def as_numbers(self, column: pl.Series) -> pl.Series:
        """Return a column of text as numbers if all its values are, else as it is."""
        if self.format is None or column.dtype != pl.String:
            return column
        present = without_missing(column, self.missing)
        numbers = as_numbers(present, self.format.decimal)
        return numbers if numbers.null_count() == present.null_count() else column

    def blocks(self) -> Generator[Block]:
        """Yield the rows, some after the other."""
        with _told_about(self.path):
            if self.format is None:
                yield from _parquet_blocks(self)
            else:
                yield from _text_blocks(self)


@dataclass(eq=False)
class Block:
    """Some rows that follow each other.

    Attributes
    ----------
    table : Table
        Where they come from.
    content : bytes or polars.DataFrame
        Whole records in UTF-8, or typed rows.
    """

    table: Table
    content: bytes | pl.DataFrame

    def frame(self, numeric: frozenset[str] | None = None) -> pl.DataFrame:
        """Return the rows; of a text table, columns are numbers where all values are, else text.

        Parameters
        ----------
        numeric : frozenset of str, default=None
            The columns in which numbers are looked for; None is those of the table.
        """
        if isinstance(self.content, pl.DataFrame):
            return self.content
        with _told_about(self.table.path):
            try:
                return _parse(self.table, self.content, numeric)
            except _BlankLinesError:  # rare, and to look for them beforehand takes its time
                self.content = _without_blank_lines(self.content)
                return _parse(self.table, self.content, numeric)

    def records(self) -> pl.Series:
        """Return the text of each row as it stands in the file, without the end of the line.

        To be asked for after the frame, which finds blank lines.
        """
        assert isinstance(self.content, bytes)
        with _told_about(self.table.path):
            return _records(self.content)


def open_table(
    path: Path,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    missing: Iterable[str] = (),
    block_size: int = BLOCK,
) -> Table:
    r"""Find out how a table file is written, and what its columns are called.

    Parameters
    ----------
    path : Path
        A text file with a header (.csv, .tsv, .txt, perhaps with .gz) or a Parquet file.
    separator, decimal, encoding : str, default=None
        How the text is written; None is found out.
    missing : iterable of str, default=()
        Texts that stand for a missing value, beside the usual ones.
    block_size : int, default=2**23
        Bytes that are read at once.

    Returns
    -------
    table : Table
        What can be read block by block.

    Raises
    ------
    InputError
        If the file is not there, is empty, has no header or one that names a column twice.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "t.csv").write_text("size;kind\n1,5;a\n2,5;b\n")
    ...     table = open_table(Path(folder, "t.csv"))
    ...     table.names, sorted(table.numeric), next(table.blocks()).frame()["size"].to_list()
    (['size', 'kind'], ['size'], [1.5, 2.5])
    """
    name = path.name.lower()
    check_regular_file(path)
    if name.endswith(SPREADSHEETS):
        raise InputError(f"{path} is a spreadsheet; save the sheet as CSV")
    if not name.endswith(TEXT + PARQUET):
        known = ", ".join(TEXT + PARQUET)
        raise InputError(f"{path} is of no known format; its name must end with one of {known}")
    with _told_about(path):
        if name.endswith(PARQUET):
            return _open_parquet(path, block_size)
        found = sniff(path, separator, decimal, encoding)
        table = Table(path, [], found, missing=tuple(missing), block_size=block_size)
        return _with_header(table)


def read_table(
    table: Table, watch: Callable[[int, int], None] = lambda done, total: None
) -> pl.DataFrame:
    r"""Return all rows: of a text table as text, so that a column is judged with all in view.

    Parameters
    ----------
    table : Table
        From `open_table`.
    watch : callable, default=nothing
        Told how many blocks are read, and of about how many.

    Returns
    -------
    frame : polars.DataFrame
        At least one row.

    Raises
    ------
    InputError
        If there is no row, or one with too many or too few fields.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "t.csv").write_text("size,kind\n1.5,a\n2.5,b\n")
    ...     read_table(open_table(Path(folder, "t.csv"))).shape
    (2, 2)
    """
    frames: list[pl.DataFrame] = []
    for block in table.blocks():
        try:
            frames.append(block.frame(frozenset()))
        except RaggedRowError as error:
            raise error.told(table, sum(frame.height for frame in frames)) from None
        watch(len(frames), max(len(frames), table.n_blocks))
    if not frames:
        raise InputError(f"{table.path} has a header but no rows; give at least one")
    return pl.concat(frames)


class RaggedRowError(Exception):
    """A row of a block with another number of fields than the header has."""

    def __init__(self, row: int, found: int, expected: int) -> None:
        super().__init__(row, found, expected)
        self.row, self.found, self.expected = row, found, expected

    def told(self, table: Table, before: int) -> InputError:
        """Return the error to show, given the number of rows before the block."""
        assert table.format is not None
        other = _other_separator(table)
        used = _named(table.format.separator)
        hint = f"{_named(other)} fits better than {used}" if other else f"it seemed to be {used}"
        return InputError(
            f"{table.path} has {self.found} fields in data row {before + self.row + 1} and "
            f"{self.expected} in the header; mend that row, or name the right --separator ({hint})"
        )


@contextmanager
def told_of_separator(table: Table) -> Iterator[None]:
    """Add to an error about columns what may be wrong with the separator or the first line."""
    try:
        yield
    except InputError as error:
        other = _other_separator(table)
        if not other and len(table.names) == 1 and table.format is not None:
            raise InputError(
                f"{error}; the first line must name the columns, with , ; tab or | between them"
            ) from None
        if not other and _names_few(table):
            raise InputError(
                f"{error}; the first line must name the columns: remove what stands above their "
                "names"
            ) from None
        if not other:
            raise
        assert table.format is not None
        raise InputError(
            f"{error}; --separator {_named(other)} fits {table.path.name} better than "
            f"{_named(table.format.separator)}"
        ) from None


def _names_few(table: Table) -> bool:
    """Tell whether most names in the first line are empty, as in a title."""
    if table.format is None:
        return False
    names = split_record(table.header, table.format.separator)
    return sum(not name.strip() for name in names) > len(names) / 2


def _named(separator: str) -> str:
    return "tab" if separator == "\t" else repr(separator)


def _other_separator(table: Table) -> str:
    """Return the separator that a text table seems to have, if it is read with another one."""
    if table.format is None:
        return ""
    found = sniff(table.path, encoding=table.format.encoding).separator
    return found if found != table.format.separator else ""


class _BlankLinesError(Exception):
    """Among the records there are lines without any content."""


def _with_header(table: Table) -> Table:
    """Return a text table with its header, and what its first rows tell."""
    assert table.format is not None
    with open_bytes(table.path) as file:
        start = next(_decoded(file, table.format, HEAD), b"").lstrip(b"\r\n")
        is_all = not file.read(1)
    if b"\n" not in start and b"\r" in start.strip():
        raise InputError(
            f"{table.path} has lines that end with a carriage return alone; save it with the line "
            "ends of Unix or Windows"
        )
    end = _end_of_record(start)
    header = start[:end].decode().rstrip("\r\n")
    names = [name.strip() for name in split_record(header, table.format.separator)]
    _check_names(table.path, names)
    _check_no_patterns(table.path, names)
    names = [name or f"unnamed {index + 1}" for index, name in enumerate(names)]
    table = replace(table, names=names, header=header, n_blocks=_expected_blocks(table))
    rows = (start[end:] if is_all else start[end : _last_end(start)]).lstrip(b"\r\n")
    return replace(table, numeric=_numeric_names(table, rows)) if rows.strip() else table


def _expected_blocks(table: Table) -> int:
    size = table.path.stat().st_size * (4 if table.path.name.lower().endswith(".gz") else 1)
    return max(1, -(-size // table.block_size))


def _numeric_names(table: Table, rows: bytes) -> frozenset[str]:
    try:
        frame = Block(table, rows).frame(frozenset(table.names))
    except (RaggedRowError, InputError):  # told with its number when it is read
        return frozenset()
    return frozenset(column.name for column in frame if column.dtype == pl.Float64)


def _check_names(path: Path, names: list[str]) -> None:
    if names and names[0].lower().startswith("sep="):
        raise InputError(
            f"{path} begins with {shown(names[0])}, a line for spreadsheets; remove it, so that "
            "the first line names the columns"
        )
    given = [name for name in names if name]
    for name in given:
        if given.count(name) > 1:
            raise InputError(
                f"{path} names {given.count(name)} columns {shown(name)}; give each a name of its "
                "own"
            )
    numbers = as_numbers(pl.Series(given, dtype=pl.String))
    if len(numbers) == numbers.is_not_null().sum():
        got = shown(names[0]) if given else "nothing"
        raise InputError(
            f"{path} has no header: its first line begins with {got}; add a first line that names "
            "the columns"
        )


def _check_no_patterns(path: Path, names: list[str]) -> None:
    """Refuse names that polars takes for patterns, whatever is asked of a column."""
    for name in names:
        if name.startswith("^") and name.endswith("$"):
            raise InputError(
                f"{path} has a column {shown(name)}, which cannot be read under that name; give "
                "it one that does not begin with ^ and end with $"
            )


def _decoded(file: IO[bytes], form: TextFormat, size: int) -> Iterator[bytes]:
    """Yield a file in UTF-8, in parts of about this size."""
    if form.is_utf8:
        first = file.read(size)
        yield first.removeprefix(codecs.BOM_UTF8)
        while part := file.read(size):
            yield part
        return
    decoder = codecs.getincrementaldecoder(form.encoding)()
    while part := file.read(size):
        yield decoder.decode(part).encode()


def _text_blocks(table: Table) -> Iterator[Block]:
    assert table.format is not None
    with open_bytes(table.path) as file:
        for index, text in enumerate(_whole_records(table, file)):
            rows = text if index else text[_end_of_record(text) :]
            if _CONTENT.search(rows):
                # Blank lines in front are no rows to some versions of polars, and rows to others.
                yield Block(table, rows.lstrip(b"\r\n"))


def _whole_records(table: Table, file: IO[bytes]) -> Iterator[bytes]:
    """Yield the text of a table, cut where records end; blank lines at its start are left out."""
    assert table.format is not None
    rest, is_first = b"", True
    for part in _decoded(file, table.format, table.block_size):
        if is_first and not rest:
            part = part.lstrip(b"\r\n")
        # Quotes that are open in the rest may close in the new part.
        text = rest + part if _QUOTE in rest else part
        end = _last_end(text)
        if not end:
            rest = text if text is not part else rest + part
            _check_length(table, rest)
            continue
        whole = memoryview(text)[:end]
        yield bytes(whole) if text is not part or not rest else b"".join((rest, whole))
        rest, is_first = text[end:], False
    if rest:
        yield rest


def _check_length(table: Table, record: bytes) -> None:
    if len(record) > _LONGEST_RECORD:
        raise InputError(
            f"{table.path} has a row of more than {len(record) >> 20} MB; is there a quote "
            "without its pair? Mend the file"
        )


def _last_end(text: bytes) -> int:
    """Return where the last whole record ends: at a line feed with paired quotes before it."""
    end = text.rfind(b"\n") + 1
    if _QUOTE not in text:
        return end
    while end and text.count(_QUOTE, 0, end) % 2:
        end = text.rfind(b"\n", 0, end - 1) + 1
    return end


def _end_of_record(text: bytes) -> int:
    """Return where the first record ends."""
    end = text.find(b"\n") + 1
    while end and text.count(_QUOTE, 0, end) % 2:
        end = text.find(b"\n", end) + 1
    return end or len(text)


def _without_blank_lines(text: bytes) -> bytes:
    """Return records without the lines between them that hold nothing at all."""
    return b"\n".join(record for record in _split_records(text) if record.strip(_BLANKS))


def _split_records(text: bytes) -> list[bytes]:
    """Return records, line feeds between quotes being part of them."""
    records: list[bytes] = []
    is_open = False
    for line in text.removesuffix(b"\n").split(b"\n"):
        if is_open:
            records[-1] += b"\n" + line
        else:
            records.append(line)
        is_open ^= bool(line.count(_QUOTE) % 2)
    return records


def _records(text: bytes) -> pl.Series:
    if _QUOTE in text:
        records = [record.removesuffix(b"\r").decode() for record in _split_records(text)]
        return pl.Series("record", records, dtype=pl.String)
    # No field is torn apart by a separator that no text holds.
    return pl.read_csv(
        text, has_header=False, separator="\x01", quote_char=None, schema={"record": pl.String}
    ).to_series()


def _parse(table: Table, text: bytes, numeric: frozenset[str] | None) -> pl.DataFrame:
    """Return records as a frame; columns in which numbers are looked for hold them, or text."""
    assert table.format is not None
    wanted = table.numeric if numeric is None else numeric
    is_plain = table.format.decimal == "." or b"." not in text
    if wanted and is_plain and not table.missing:
        # To look for missing values in words takes its time, and most tables have none.
        for words in (None, list(MISSING)):
            try:
                return _checked(table, text, _read(table, text, wanted, words))
            except _UNREADABLE:  # blanks, or no number at all
                pass
    try:
        frame = _read(table, text, frozenset())
    except _UNREADABLE:
        _say_why(table, text)
        raise
    frame = _checked(table, text, frame)
    return frame.with_columns(table.as_numbers(frame[name]) for name in sorted(wanted))


def _read(
    table: Table, text: bytes, numeric: frozenset[str], missing: list[str] | None = None
) -> pl.DataFrame:
    assert table.format is not None
    types = {name: pl.Float64 if name in numeric else pl.String for name in table.names}
    return pl.read_csv(
        text,
        has_header=False,
        separator=table.format.separator,
        decimal_comma=table.format.decimal == ",",
        schema=types,
        null_values=missing,
    )


def _checked(table: Table, text: bytes, frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame if no record is short or blank; polars fills such with nulls."""
    ends_empty = frame.to_series(-1).is_null()
    if ends_empty.any():
        assert table.format is not None
        records = _records(text).filter(ends_empty).fill_null("")
        if (records.str.strip_chars(_BLANKS.decode()) == "").any():
            raise _BlankLinesError
        marks = records.str.count_matches(table.format.separator, literal=True)
        has_quotes = records.str.contains('"', literal=True)
        if ((marks < frame.width - 1) | has_quotes).any():
            _find_ragged(table, _split_records(text))
    return frame


def _say_why(table: Table, text: bytes) -> None:
    """Raise what stands behind an error of polars, if that is known."""
    if text.count(_QUOTE) % 2:
        raise InputError(
            f"{table.path} has a quote without its pair; mend the file, or double quotes that "
            "belong to a field"
        )
    records = _split_records(text)
    if not all(record.strip(_BLANKS) for record in records):
        raise _BlankLinesError
    _find_ragged(table, records)


def _find_ragged(table: Table, records: list[bytes]) -> None:
    """Raise an error that names the first record with too many or too few fields."""
    assert table.format is not None
    for row, record in enumerate(records):
        fields = next(csv.reader([record.decode()], delimiter=table.format.separator), [])
        if len(fields) != len(table.names):
            raise RaggedRowError(row, len(fields), len(table.names))


def _open_parquet(path: Path, block_size: int) -> Table:
    lazy = pl.scan_parquet(path, glob=False)
    schema = lazy.collect_schema()
    _check_no_patterns(path, schema.names())
    numeric = frozenset(name for name, kind in schema.items() if kind.is_numeric())
    rows = _rows_at_once(schema, block_size)
    n_blocks = max(1, -(-lazy.select(pl.len()).collect().item() // rows))
    return Table(path, schema.names(), numeric=numeric, n_blocks=n_blocks, block_size=block_size)


def _rows_at_once(schema: pl.Schema, block_size: int) -> int:
    return max(1, block_size // (8 * max(1, len(schema))))


def _parquet_blocks(table: Table) -> Iterator[Block]:
    lazy = pl.scan_parquet(table.path, glob=False)
    size = lazy.select(pl.len()).collect().item()
    rows = _rows_at_once(lazy.collect_schema(), table.block_size)
    for start in range(0, size, rows):
        yield Block(table, lazy.slice(start, rows).collect())


@contextmanager
def _told_about(path: Path) -> Iterator[None]:
    """Turn whatever a damaged file makes its readers raise into one line with the remedy."""
    try:
        yield
    except UnicodeError as error:
        raise _wrong_encoding(path) from error
    except csv.Error as error:  # which speaks of line ends, and of limits that quotes exceed
        raise InputError(
            f"{path} has quotes amid a field or without their pair; mend the file, or double "
            "quotes that belong to a field"
        ) from error
    except (
        pl.exceptions.PolarsError,
        pl.exceptions.PanicException,  # some damage to a Parquet file makes polars panic
        OSError,
        EOFError,
        zlib.error,
        gzip.BadGzipFile,
    ) as error:
        if "utf-8" in str(error):
            raise _wrong_encoding(path) from error
        reason = one_line((str(error).splitlines() or [type(error).__name__])[0], 200)
        raise InputError(
            f"{path} cannot be read: {reason}; mend the file or make it anew"
        ) from error


def _wrong_encoding(path: Path) -> InputError:
    return InputError(
        f"{path} is not text in the encoding that its beginning seemed to have; give --encoding, "
        "such as cp1252, or save it as UTF-8"
    )
