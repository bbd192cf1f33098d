"""How does a table file become rows, block by block and in order?

A text file is cut into blocks of whole records, and each block is parsed on its own, so that a file
may be larger than memory. The text of a block is kept, so that its rows can be written unchanged.
Rows are numbered as a spreadsheet does: the header is row 1. scikit-learn is not imported here: a
table is read while it is loaded.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Self

import polars as pl

from abstain._core.checks import COLUMNS_TO_LIST, list_columns
from abstain._core.errors import Argument, InputError, shown, with_remedy
from abstain._core.files import check_regular_file
from abstain._core.text import first_of
from abstain.tables.records import (
    HAS_CONTENT,
    BlankLinesError,
    RaggedRowError,
    better_separator,
    decode,
    end_of_first_record,
    end_of_last_record,
    parse,
    read_errors_in_one_line,
    record_texts,
    whole_records,
    without_blank_lines,
)
from abstain.tables.text_format import (
    HEAD,
    OTHER_SPREADSHEETS,
    PARQUET,
    TEXT,
    WORKBOOKS,
    TextFormat,
    detect_format,
    open_bytes,
    separator_name,
    split_record,
)
from abstain.tables.values import BadValueError, as_numbers

if TYPE_CHECKING:
    from abstain.tables.workbooks import Sheet

# Bytes of text, or of typed values, that are read at once.
BLOCK_SIZE = 1 << 24
# Threads that parse blocks, and blocks that are read before they are needed.
_N_THREADS, N_BLOCKS_AHEAD = 2, 12


@dataclass(frozen=True, eq=False)
class TableFile:
    """A table file that can be read; ``format`` is None for Parquet.

    ``numeric`` are the columns that hold numbers in the first rows, ``n_blocks`` is an estimate.
    Of a workbook, ``sheet`` is the sheet that is read, as the text that it would be saved as.
    """

    path: Path
    names: list[str]
    format: TextFormat | None = None
    header: str = ""
    numeric: frozenset[str] = frozenset()
    n_blocks: int = 1
    missing: tuple[str, ...] = ()
    block_size: int = field(default=BLOCK_SIZE, repr=False)
    sheet: Sheet | None = field(default=None, repr=False)

    def open(self) -> IO[bytes]:
        """Open the text of the table."""
        return open_bytes(self.path) if self.sheet is None else BytesIO(self.sheet.text)

    @property
    def decimal(self) -> str:
        """The decimal mark of text in this table."""
        return "." if self.format is None else self.format.decimal

    def blocks(self) -> Generator[RowBlock]:
        """Yield the rows, block by block."""
        with read_errors_in_one_line(self.path):
            if self.format is None:
                yield from _parquet_blocks(self)
            else:
                yield from _text_blocks(self)


@dataclass(eq=False)
class RowBlock:
    """Consecutive rows of a table: whole records in UTF-8, or typed rows."""

    table: TableFile
    content: bytes | pl.DataFrame

    def frame(self, numeric: frozenset[str] | None = None) -> pl.DataFrame:
        """Return the rows, with numbers in those ``numeric`` columns in which all values are.

        Other columns of a text table are text. None is the numeric columns of the table.
        """
        if isinstance(self.content, pl.DataFrame):
            return self.content
        numeric = self.table.numeric if numeric is None else numeric
        with read_errors_in_one_line(self.table.path):
            try:
                return parse(self.table, self.content, numeric)
            except BlankLinesError:  # rare, and slow to look for
                self.content = without_blank_lines(self.content)
                return parse(self.table, self.content, numeric)

    def records(self) -> pl.Series:
        """Return the text of each row; to be called after `frame`, which removes blank lines."""
        assert isinstance(self.content, bytes)
        with read_errors_in_one_line(self.table.path):
            return record_texts(self.content)


def open_table(
    path: str | Path,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    missing: Iterable[str] = (),
    block_size: int = BLOCK_SIZE,
    columns: Collection[str] = (),
    sheet: str | None = None,
) -> TableFile:
    r"""Detect the format and the columns of a table file.

    Parameters
    ----------
    path : str or Path
        A text file with a header (.csv, .tsv, .txt, perhaps with .gz), a Parquet file or an Excel
        workbook (.xlsx).
    separator, decimal, encoding : str, default=None
        The format of the text; None is detected.
    missing : iterable of str, default=()
        Texts that mean a missing value, beside the usual ones.
    block_size : int, default=2**24
        Bytes that are read at once.
    columns : collection of str, default=()
        The columns that will be read, if not all: names of others need not be valid.
    sheet : str, default=None
        The sheet of a workbook; None is the first. It is held in memory.

    Returns
    -------
    table : TableFile
        Can be read block by block.

    Raises
    ------
    InputError
        If the file does not exist, is empty, has no header or one that names a column twice.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from abstain.tables import open_table
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "t.csv").write_text("size;kind\n1,5;a\n2,5;b\n")
    ...     table = open_table(Path(folder, "t.csv"))
    ...     table.names, sorted(table.numeric), next(table.blocks()).frame()["size"].to_list()
    (['size', 'kind'], ['size'], [1.5, 2.5])
    """
    path = Path(path)
    name = path.name.lower()
    check_regular_file(path)
    if name.endswith(OTHER_SPREADSHEETS):
        raise InputError(f"{path} is a spreadsheet of another format; save it as .xlsx or CSV")
    if not name.endswith(TEXT + PARQUET + WORKBOOKS):
        known = ", ".join(TEXT + PARQUET + WORKBOOKS)
        raise InputError(f"{path} is of no known format; its name must end with one of {known}")
    if sheet is not None and not name.endswith(WORKBOOKS):
        raise InputError(
            argument="sheet",
            value=sheet,
            requirement=f"is for workbooks, which {path} is not",
            remedy="leave it out",
        )
    with read_errors_in_one_line(path):
        if name.endswith(PARQUET):
            return _open_parquet(path, block_size, columns)
        if name.endswith(WORKBOOKS):
            from abstain.tables.workbooks import read_sheet

            form, own = TextFormat(), read_sheet(path, sheet)
        else:
            form, own = detect_format(path, separator, decimal, encoding, columns), None
        table = TableFile(path, [], form, missing=tuple(missing), block_size=block_size, sheet=own)
        try:
            return _with_header(table, columns)
        except InputError as error:
            raise error if own is None else own.with_hint(error) from None


@dataclass(frozen=True)
class TextOptions:
    """The format of text tables, as far as it is given; None is detected for each table.

    ``sheet`` is that of workbooks, of which None is the first.
    """

    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = ()
    sheet: str | None = None

    def open(self, path: Path, columns: Collection[str] = ()) -> TableFile:
        """Open a table, of which some columns will be read, or all."""
        form = (self.separator, self.decimal, self.encoding)
        return open_table(path, *form, self.missing, columns=columns, sheet=self.sheet)

    def open_all(self, paths: Sequence[Path]) -> list[TableFile]:
        """Open tables; the sheet is that of the workbooks, if there are some among them."""
        are_books = [path.name.lower().endswith(WORKBOOKS) for path in paths]
        of_text = replace(self, sheet=None) if any(are_books) else self
        return [
            (self if is_book else of_text).open(path)
            for path, is_book in zip(paths, are_books, strict=True)
        ]


def read_table(
    table: TableFile, watch: Callable[[int, int], None] = lambda done, total: None
) -> pl.DataFrame:
    r"""Return all rows; those of a text table as text.

    Parameters
    ----------
    table : TableFile
        From `open_table`.
    watch : callable, default=nothing
        Called with the number of blocks read and an estimate of all.

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
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from abstain.tables import open_table, read_table
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "t.csv").write_text("size,kind\n1.5,a\n2.5,b\n")
    ...     read_table(open_table(Path(folder, "t.csv"))).shape
    (2, 2)
    """
    frames: list[pl.DataFrame] = []
    with rows_counted_from(lambda: sum(frame.height for frame in frames), table):
        for block in table.blocks():
            frames.append(block.frame(frozenset()))
            watch(len(frames), max(len(frames), table.n_blocks))
    if not frames:
        raise no_rows(table)
    return pl.concat(frames)


def no_rows(table: TableFile) -> InputError:
    """Return the error about a table without rows."""
    return InputError(f"{table.path} has a header but no rows; give at least one")


@contextmanager
def rows_counted_from(n_rows_before: Callable[[], int], table: TableFile) -> Iterator[None]:
    """Name the row of the table where an error names one of a block."""
    try:
        yield
    except RaggedRowError as error:
        raise error.located(table, n_rows_before()) from None
    except BadValueError as error:
        place, row = f" of {table.path}", n_rows_before() + error.row
        raise BadValueError(error.column, row, error.value, place, like=error.like) from None


def find_column(argument: str, column: str, table: TableFile) -> None:
    """Raise an error if a table does not have the column that an argument names."""
    if column in table.names:
        return
    raise with_format_hint(
        table,
        InputError(
            argument=argument,
            value=column,
            requirement=f"is not a column of {table.path}",
            remedy=list_columns(column, table.names),
        ),
    )


def with_format_hint(table: TableFile, error: InputError) -> InputError:
    """Return an error about columns, with a hint on the sheet, the separator or the first line."""
    if table.sheet is not None:
        return table.sheet.with_hint(error)
    hint: list[str | Argument] = []
    if table.format is not None and (other := better_separator(table)):
        used = separator_name(table.format.separator)
        hint = [Argument("separator", other), f" fits {table.path.name} better than {used}"]
    elif table.format is not None and len(table.names) == 1:
        hint = ["the first line must name the columns, with , ; tab or | between them"]
    elif table.format is not None:
        names = split_record(table.header, table.format.separator)
        if sum(not name.strip() for name in names) > len(names) / 2:  # as in a title
            hint = ["the first line must name the columns: remove what is above their names"]
    return with_remedy(error, "; ", *hint) if hint else error


def check_needed(needed: Sequence[str], table: TableFile) -> None:
    """Raise an error that names all columns that a model needs and a table lacks."""
    if error := lacking_columns(needed, table.names, str(table.path)):
        raise with_format_hint(table, error)


def lacking_columns(
    needed: Sequence[str], names: Sequence[str], where: str | Argument
) -> InputError | None:
    """Return an error that names all columns that a model needs and are not there, if any."""
    lacking = [name for name in needed if name not in names]
    if not lacking:
        return None
    return InputError(
        where,
        " lacks columns that the model needs: "
        f"{first_of([shown(name, 40) for name in lacking], COLUMNS_TO_LIST)}; add them, "
        f"empty where nothing is known ({list_columns(lacking[0], names)})",
    )


# --- text ---------------------------------------------------------------------------------------


def _with_header(table: TableFile, columns: Collection[str]) -> TableFile:
    """Return a text table with its columns, and those that are numbers in the first rows."""
    assert table.format is not None
    with table.open() as file:
        start = next(decode(file, table.format, HEAD), b"").lstrip(b"\r\n")
        is_all = not file.read(1)
    if b"\n" not in start and b"\r" in start.strip():
        raise InputError(
            f"{table.path} has lines that end with a carriage return alone; save it with the line "
            "ends of Unix or Windows"
        )
    end = end_of_first_record(start)
    header = start[:end].decode().rstrip("\r\n")
    names = [name.strip() for name in split_record(header, table.format.separator)]
    if not columns or not set(columns) <= set(names):  # columns may be named by numbers
        _check_header(table.path, names)
    names = _checked_names(table.path, names, columns)
    size = table.path.stat().st_size * (4 if table.path.name.lower().endswith(".gz") else 1)
    size = size if table.sheet is None else len(table.sheet.text)
    n_blocks = max(1, -(-size // table.block_size))
    table = replace(table, names=names, header=header, n_blocks=n_blocks)
    rows = (start[end:] if is_all else start[end : end_of_last_record(start)]).lstrip(b"\r\n")
    if columns or not rows.strip():
        return table
    return replace(table, numeric=_numeric_columns(table, rows))


def _numeric_columns(table: TableFile, rows: bytes) -> frozenset[str]:
    try:
        frame = RowBlock(table, rows).frame(frozenset(table.names))
    except (RaggedRowError, InputError):  # reported with its row when it is read
        return frozenset()
    return frozenset(column.name for column in frame if column.dtype == pl.Float64)


def _check_header(path: Path, names: list[str]) -> None:
    if names and names[0].lower().startswith("sep="):
        raise InputError(
            f"{path} begins with {shown(names[0])}, a line for spreadsheets; remove it, so that "
            "the first line names the columns"
        )
    given = [name for name in names if name]
    numbers = as_numbers(pl.Series(given, dtype=pl.String))
    if len(numbers) == numbers.is_not_null().sum():
        got = shown(names[0]) if given else "nothing"
        raise InputError(
            f"{path} has no header: its first line begins with {got}; add a first line that names "
            "the columns"
        )


def _checked_names(path: Path, names: list[str], columns: Collection[str] = ()) -> list[str]:
    """Return names that are distinct and that polars does not take as patterns.

    Of ``columns``, if any are given, else of all, names that are not so are an error.
    """
    checked, counts = [], Counter(names)
    for index, name in enumerate(names):
        is_pattern = name.startswith("^") and name.endswith("$")
        is_repeated = bool(name) and counts[name] > 1
        if is_repeated and (not columns or name in columns):
            raise InputError(
                f"{path} names {counts[name]} columns {shown(name)}; give each a name of its own"
            )
        if is_pattern and (not columns or name in columns):
            raise InputError(
                f"{path} has a column {shown(name)}, which cannot be read under that name; give "
                "it one that does not begin with ^ and end with $"
            )
        checked.append(f"unnamed {index + 1}" if is_pattern or is_repeated or not name else name)
    return checked


def _text_blocks(table: TableFile) -> Iterator[RowBlock]:
    with table.open() as file:
        for index, text in enumerate(whole_records(table, file)):
            rows = text if index else text[end_of_first_record(text) :]
            if HAS_CONTENT.search(rows):
                # Versions of polars differ on blank lines at the start.
                yield RowBlock(table, rows.lstrip(b"\r\n"))


# --- Parquet ------------------------------------------------------------------------------------


def _open_parquet(path: Path, block_size: int, columns: Collection[str]) -> TableFile:
    lazy = pl.scan_parquet(path, glob=False)
    schema = lazy.collect_schema()
    _checked_names(path, schema.names(), columns)
    numeric = frozenset(name for name, kind in schema.items() if kind.is_numeric())
    n_rows = lazy.select(pl.len()).collect().item()
    n_blocks = max(1, -(-n_rows // _rows_at_once(schema, block_size)))
    return TableFile(
        path, schema.names(), numeric=numeric, n_blocks=n_blocks, block_size=block_size
    )


def _rows_at_once(schema: pl.Schema, block_size: int) -> int:
    return max(1, block_size // (8 * max(1, len(schema))))


def _parquet_blocks(table: TableFile) -> Iterator[RowBlock]:
    lazy = pl.scan_parquet(table.path, glob=False)
    size = lazy.select(pl.len()).collect().item()
    rows = _rows_at_once(lazy.collect_schema(), table.block_size)
    for start in range(0, size, rows):
        yield RowBlock(table, lazy.slice(start, rows).collect())


# --- reading ahead ------------------------------------------------------------------------------


class ReadAhead:
    """The blocks of a table and their frames, read by other threads before they are needed."""

    def __init__(self, table: TableFile) -> None:
        self.table, self._blocks = table, table.blocks()
        self.pool = ThreadPoolExecutor(_N_THREADS, thread_name_prefix="abstain")
        # One thread, so that blocks come in their order.
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="abstain-reader")
        self._waiting: deque[tuple[Future[RowBlock | None], Future[pl.DataFrame]]] = deque()

    def __enter__(self) -> Self:
        self._fill()
        return self

    def __exit__(self, *error: object) -> None:
        for pool in (self._reader, self.pool):
            pool.shutdown(wait=True, cancel_futures=True)
        self._blocks.close()

    def _fill(self) -> None:
        while len(self._waiting) < N_BLOCKS_AHEAD:
            block = self._reader.submit(next, self._blocks, None)
            self._waiting.append((block, self.pool.submit(_frame_of, block)))

    def __iter__(self) -> Iterator[tuple[RowBlock, Future[pl.DataFrame]]]:
        while True:
            read, frame = self._waiting.popleft()
            block = read.result()
            if block is None:
                return
            yield block, frame
            self._fill()


def _frame_of(read: Future[RowBlock | None]) -> pl.DataFrame:
    block = read.result()
    return pl.DataFrame() if block is None else block.frame()
