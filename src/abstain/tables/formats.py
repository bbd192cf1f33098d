"""How is a text table written: which separator, which decimal mark, which encoding?

Nobody says so in the file. The first part of it is tried under each possibility: the separator is
the one that cuts all its lines into as many fields as the header; the decimal mark is a comma if
fields such as 3,14 are more frequent than such as 3.14, where 4.282 counts for neither; and text
that is no UTF-8 is taken for what Windows writes in Western Europe.
"""

from __future__ import annotations  # signatures then show the names of types

import codecs
import csv
import gzip
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from abstain._core.checks import InputError, shown

__all__ = [
    "PARQUET",
    "SPREADSHEETS",
    "TEXT",
    "TextFormat",
    "is_special",
    "open_bytes",
    "quoted",
    "sniff",
    "split_record",
]

TEXT = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
PARQUET = (".parquet", ".pq")
SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods", ".numbers")
SEPARATORS = {",": ",", ";": ";", "\t": "\t", "|": "|", "tab": "\t", "\\t": "\t"}
DECIMALS = (".", ",")
# What is looked at; enough for the longest header and many lines of a usual one.
HEAD = 1 << 18
_LINES = 200
_WITH_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+),\d+([eE][+-]?\d+)?")
_WITH_POINT = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")
# The point may stand before thousands as well, and tells nothing.
_WITH_EITHER = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}")
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# How files begin that are no text, and what to do with them.
_NO_TEXT = {
    b"PAR1": "holds Parquet; give it a name that ends with .parquet",
    b"PK\x03\x04": "is a spreadsheet or an archive; save the table as CSV",
    b"\xd0\xcf\x11\xe0": "is a spreadsheet; save it as CSV",
    b"\x1f\x8b": "is gzipped; give it a name that ends with .csv.gz",
}


@dataclass(frozen=True)
class TextFormat:
    """How a text table is written.

    Parameters
    ----------
    separator : str, default=","
        What stands between fields.
    decimal : {".", ","}, default="."
        What stands before the fraction of a number.
    encoding : str, default="utf-8"
        Any that Python knows.

    Examples
    --------
    >>> TextFormat(separator=";", decimal=",")
    TextFormat(separator=';', decimal=',', encoding='utf-8')
    """

    separator: str = ","
    decimal: str = "."
    encoding: str = "utf-8"

    @property
    def is_utf8(self) -> bool:
        """Whether bytes can be taken as they are, but for a mark at the beginning."""
        return self.encoding in ("utf-8", "utf-8-sig")


def sniff(
    path: Path,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
) -> TextFormat:
    r"""Return how a text table is written, as far as its first part tells.

    Parameters
    ----------
    path : Path
        A text file, perhaps gzipped.
    separator, decimal, encoding : str, default=None
        What is known already. None is found out.

    Returns
    -------
    format : TextFormat
        Separator, decimal mark and encoding.

    Raises
    ------
    InputError
        If the file is empty, or what is given is none of these.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "messung.csv")
    ...     _ = path.write_text("Größe;Gewicht\n1,80;75\n1,65;60,5\n", encoding="cp1252")
    ...     sniff(path)
    TextFormat(separator=';', decimal=',', encoding='cp1252')
    """
    with open_bytes(path) as file:
        head = file.read(HEAD)
    for beginning, told in _NO_TEXT.items():
        if head.startswith(beginning):
            raise InputError(f"{path} {told}")
    known = _known_encoding(encoding) if encoding is not None else _encoding(head, path)
    text = _decoded(head, known, path)
    if not text.strip():
        raise InputError(f"{path} is empty; its first line must name the columns")
    lines = _whole_lines(text, is_all=len(head) < HEAD)
    mark = _separator(lines) if separator is None else _known_separator(separator)
    if decimal is None:
        decimal = _decimal(lines, mark)
    elif decimal not in DECIMALS:
        raise InputError(f"--decimal must be a point or a comma, got {shown(decimal)}")
    if decimal == mark:
        raise InputError(
            f"--decimal and --separator cannot both be {mark!r}; give another --separator"
        )
    return TextFormat(mark, decimal, known)


def open_bytes(path: Path) -> IO[bytes]:
    """Open a file, gzipped or not."""
    if path.name.lower().endswith(".gz"):
        return cast(IO[bytes], gzip.open(path, "rb"))
    return path.open("rb")


def split_record(record: str, separator: str) -> list[str]:
    """Return the fields of a line, without the quotes around them."""
    return next(csv.reader([record], delimiter=separator), [])


def is_special(text: str, separator: str) -> bool:
    """Tell whether text needs quotes around it to be one field."""
    return any(mark in text for mark in (separator, '"', "\n", "\r"))


def quoted(text: str, separator: str) -> str:
    """Return text as a field of a text table, in quotes where it needs them."""
    return '"' + text.replace('"', '""') + '"' if is_special(text, separator) else text


def _known_separator(given: str) -> str:
    if given not in SEPARATORS:
        raise InputError(
            f"--separator must be a comma, a semicolon, a tab or a bar (, ; tab |), got "
            f"{shown(given)}"
        )
    return SEPARATORS[given]


def _known_encoding(given: str) -> str:
    try:
        name = codecs.lookup(given).name
        b"a".decode(name, "replace")  # refused by codecs such as base64, which make no text
    except (LookupError, UnicodeError, ValueError):
        raise InputError(
            "--encoding must be one of text that Python knows, such as utf-8 or cp1252, got "
            f"{shown(given)}"
        ) from None
    return "utf-8-sig" if name == "utf-8" else name  # with a mark or without


def _encoding(head: bytes, path: Path) -> str:
    for mark, name in _BYTE_ORDER_MARKS.items():
        if head.startswith(mark):
            return name
    if wide := _without_mark(head):
        raise InputError(
            f"{path} seems to be UTF-16 without a mark at its beginning; give --encoding {wide}, "
            "or save it as UTF-8"
        )
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _without_mark(head: bytes) -> str:
    """Return which UTF-16 text without a byte order mark is in; nothing if it is none.

    In Western text every other byte is 0.
    """
    for name, zeros in (("utf-16le", head[1::2]), ("utf-16be", head[::2])):
        if zeros.count(0) > len(head) / 4:
            return name
    return ""


def _decoded(head: bytes, encoding: str, path: Path) -> str:
    """Return the text of the first part, which may end amid a character."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeError as error:
        why = "no byte order mark" if "BOM" in str(error) else "it cannot be decoded"
        if isinstance(error, UnicodeDecodeError):
            why = f"{error.reason} at byte {error.start}"
        other = _without_mark(head)
        remedy = f"give --encoding {other}" if other else "give another --encoding"
        raise InputError(
            f"{path} is not {encoding} text ({why}); {remedy}, or save it as UTF-8"
        ) from None


def _whole_lines(text: str, *, is_all: bool) -> list[str]:
    lines = [line for line in text.splitlines() if line.strip()]
    if not is_all and len(lines) > 1:
        lines = lines[:-1]
    return lines[:_LINES]


def _separator(lines: list[str]) -> str:
    """Return the separator under which most lines have as many fields as the header, and most."""

    def plausible(separator: str) -> tuple[bool, float, int]:
        try:
            counts = [len(fields) for fields in csv.reader(lines, delimiter=separator) if fields]
        except csv.Error:
            return False, 0.0, 0
        alike = Counter(counts)[counts[0]] / len(counts)
        return counts[0] > 1, round(alike, 1), counts[0]

    return max((",", ";", "\t", "|"), key=plausible)


def _decimal(lines: list[str], separator: str) -> str:
    if separator == ",":
        return "."
    fields = [field.strip() for row in csv.reader(lines[1:], delimiter=separator) for field in row]
    commas = sum(_WITH_COMMA.fullmatch(field) is not None for field in fields)
    either = sum(_WITH_EITHER.fullmatch(field) is not None for field in fields)
    points = sum(_WITH_POINT.fullmatch(field) is not None for field in fields) - either
    if commas == points == 0:  # where fields end in semicolons, commas are left for fractions
        return "," if separator == ";" and not either else "."
    return "," if commas > points else "."
