"""In which form do answered rows leave, and how does the file appear whole or not at all?

Rows of a text table are written as they were read, with four fields more; only where the
separator changes, or the file becomes Parquet, are they taken apart. Parquet is written part by
part beside its place, and put together by polars without all of it in memory.
"""

from __future__ import annotations  # signatures then show the names of types

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Protocol

import polars as pl

from abstain._core.checks import InputError, shown
from abstain._core.files import check_can_write, passing_folder, whole_files
from abstain.tables.formats import PARQUET, quoted
from abstain.tables.reading import Block, Table
from abstain.tables.reasons import as_text

__all__ = [
    "NEW_COLUMNS",
    "Sink",
    "check_model_output",
    "check_output",
    "decimal_for",
    "names_of_new_columns",
    "open_sink",
]

NEW_COLUMNS = ("answer", "certainty", "correct_proba", "reason")
_TEXT_OUT = (".csv", ".tsv", ".txt")
_DIGITS = 6
# A file of such a name is expected to hold something else.
_OTHER_FORMATS = (
    *(".pkl", ".pickle", ".joblib", ".dill", ".skops", ".onnx", ".pmml", ".pt", ".h5"),
    *(".npz", ".npy"),
    *(".csv", ".tsv", ".txt", ".gz", ".xls", ".xlsx", ".parquet", ".pq", ".html", ".htm", ".json"),
    *(".md", ".pdf", ".png", ".svg", ".py", ".toml", ".yaml", ".yml"),
)


class Sink(Protocol):
    """Where answered rows go. ``form`` may run in any thread, ``write`` runs in order."""

    def form(self, block: Block, frame: pl.DataFrame, answers: pl.DataFrame) -> Any:
        """Return what `write` makes of a block."""
        ...

    def write(self, formed: Any) -> None:
        """Write it."""
        ...


def check_output(out: Path, table: Table) -> None:
    """Refuse an output that could not be written, before long work is spent on it.

    Parameters
    ----------
    out : Path
        Where the answers shall lie; the suffix says in which format.
    table : Table
        The table to be answered.

    Raises
    ------
    InputError
        If the file cannot be written there.

    Examples
    --------
    >>> from abstain.tables.reading import Table
    >>> check_output(Path("answers.xlsx"), Table(Path("new.csv"), []))
    Traceback (most recent call last):
        ...
    abstain.InputError: cannot write answers.xlsx: its name must end with one of ...
    """
    if os.path.isdir(out):
        raise InputError(f"cannot write {out}: it is a folder; name a file in it")
    if not out.name.lower().endswith(_TEXT_OUT + PARQUET):
        known = ", ".join(_TEXT_OUT + PARQUET)
        raise InputError(f"cannot write {out}: its name must end with one of {known}")
    if table.format is None and not out.name.lower().endswith(PARQUET):
        _check_text_can_hold(out, table)
    check_can_write(out)


def check_model_output(out: Path) -> None:
    """Refuse a model that could not be written, or under the name of another format.

    Parameters
    ----------
    out : Path
        Where the model shall lie.

    Raises
    ------
    InputError
        If the file cannot be written there, or its name promises something else than a model.

    Examples
    --------
    >>> check_model_output(Path("model.pkl"))
    Traceback (most recent call last):
        ...
    abstain.InputError: cannot write model.pkl: a model is no .pkl file; name it ...
    """
    suffix = out.suffix.lower()
    if suffix in _OTHER_FORMATS:
        raise InputError(
            f"cannot write {out}: a model is no {suffix} file; name it "
            f"{out.with_suffix('.abstain')}"
        )
    check_can_write(out)


def _check_text_can_hold(out: Path, table: Table) -> None:
    for name, kind in pl.scan_parquet(table.path, glob=False).collect_schema().items():
        if kind.is_nested() or kind in (pl.Binary, pl.Object) or kind == pl.Duration:
            raise InputError(
                f"cannot write {out}: column {shown(name)} holds values of type {kind}, which text "
                "cannot hold; give --out a name with .parquet"
            )


def names_of_new_columns(taken: list[str]) -> list[str]:
    """Return what the new columns are called: as they should be, or else by a longer name.

    Parameters
    ----------
    taken : list of str
        The columns that there are.

    Returns
    -------
    names : list of str
        For answer, certainty, correct_proba and reason.

    Examples
    --------
    >>> names_of_new_columns(["age", "answer"])
    ['abstain_answer', 'certainty', 'correct_proba', 'reason']
    """
    names = []
    for name in NEW_COLUMNS:
        while name in taken:
            name = f"abstain_{name}"
        names.append(name)
    return names


def separator_for(out: Path, table: Table) -> str | None:
    """Return the separator of a text file; that of the table if the name tells nothing else."""
    name = out.name.lower()
    if name.endswith(PARQUET):
        return None
    if name.endswith(".tsv"):
        return "\t"
    if table.format is None or (name.endswith(".csv") and table.format.separator == "\t"):
        return ","
    return table.format.separator


def decimal_for(out: Path, table: Table) -> str:
    """Return what stands before a fraction: what the table has, unless it separates fields."""
    if table.format is None or separator_for(out, table) in (None, ","):
        return "."
    return table.format.decimal


@contextmanager
def open_sink(out: Path, table: Table, numeric: list[str]) -> Iterator[Sink]:
    """Hand out where answered rows go; the file is there when all went well.

    Parameters
    ----------
    out : Path
        Where the answers shall lie.
    table : Table
        The table that is answered.
    numeric : list of str
        The columns that become numbers in Parquet; all others of a text table stay text.

    Yields
    ------
    sink : Sink
        To be told of each block.
    """
    names = names_of_new_columns(table.names)
    separator = separator_for(out, table)
    with whole_files(out) as (draft,):
        if separator is None:
            with passing_folder(draft) as folder:
                parts = _Parts(folder, names, numeric)
                yield parts
                parts.join(draft)
        else:
            # Without a buffer: polars writes to the very file, past what Python holds back.
            with draft.open("wb", buffering=0) as file:
                text = _Text(table, names, separator, decimal_for(out, table), file)
                text.begin()
                yield text


class _Text:
    """Rows as text."""

    def __init__(
        self, table: Table, names: list[str], separator: str, decimal: str, file: IO[bytes]
    ) -> None:
        self.table, self.names, self.separator, self.file = table, names, separator, file
        form = table.format
        self.decimal = decimal
        self.is_kept = form is not None and form.separator == separator
        # Whoever writes in another encoding reads UTF-8 in a spreadsheet only by its mark.
        self.has_mark = form is not None and (not form.is_utf8 or _has_mark(table.path))

    def begin(self) -> None:
        """Write the header."""
        names = [quoted(name, self.separator) for name in self.table.names]
        start = self.table.header if self.is_kept else self.separator.join(names)
        header = self.separator.join([start, *self.names]) + "\n"
        self.file.write(header.encode("utf-8-sig" if self.has_mark else "utf-8"))

    def form(self, block: Block, frame: pl.DataFrame, answers: pl.DataFrame) -> pl.DataFrame:
        """Return the text of rows, and of what is new; the words in it are quoted already."""
        numbers = as_text(pl.col("certainty", "correct_proba"), _DIGITS, self.decimal)
        rows = self._rows(block, frame).alias("row")
        return pl.DataFrame([rows, *answers.with_columns(numbers)])

    def _rows(self, block: Block, frame: pl.DataFrame) -> pl.Series:
        """Return the rows as they were, or under another separator."""
        if self.is_kept:
            records = block.records()
            if len(records) != frame.height:
                raise InputError(
                    f"{self.table.path} has a quote amid a field, so that rows cannot be told "
                    "apart; put such fields in quotes, and double the quotes in them"
                )
            return records
        if self.table.format is not None:
            frame = block.frame(frozenset())
        buffer = BytesIO()
        frame.write_csv(buffer, include_header=False, separator=self.separator)
        return Block(self.table, buffer.getvalue()).records()

    def write(self, formed: pl.DataFrame) -> None:
        """Append rows to the file."""
        with _told_as_by_python():
            formed.write_csv(
                self.file, include_header=False, separator=self.separator, quote_style="never"
            )


@contextmanager
def _told_as_by_python() -> Iterator[None]:
    """Raise what polars reports of a full disk as Python does."""
    try:
        yield
    except pl.exceptions.PolarsError as error:
        raise OSError(str(error)) from error


def _has_mark(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(3) == b"\xef\xbb\xbf"


class _Parts:
    """Rows as Parquet, in parts."""

    def __init__(self, folder: Path, names: list[str], numeric: list[str]) -> None:
        self.folder, self.names, self.numeric = folder, names, set(numeric)
        self.n_parts = 0

    def form(self, block: Block, frame: pl.DataFrame, answers: pl.DataFrame) -> bytes:
        """Return rows as a Parquet file of their own."""
        if block.table.format is not None:
            text = block.frame(frozenset())
            frame = text.with_columns(frame[name] for name in self.numeric if name in frame)
        new = dict(zip(NEW_COLUMNS, self.names, strict=True))
        rows = frame.hstack(answers.select(NEW_COLUMNS).rename(new))
        buffer = BytesIO()
        rows.write_parquet(buffer)
        return buffer.getvalue()

    def write(self, formed: bytes) -> None:
        """Keep a part."""
        self._path(self.n_parts).write_bytes(formed)
        self.n_parts += 1

    def _path(self, index: int) -> Path:
        return self.folder / f"{index:08d}.parquet"

    def join(self, draft: Path) -> None:
        """Make one file of all parts, in their order."""
        paths = [self._path(index) for index in range(self.n_parts)]
        with _told_as_by_python():
            pl.scan_parquet(paths).sink_parquet(draft, maintain_order=True)
