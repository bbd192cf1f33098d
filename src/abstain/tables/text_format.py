"""Which separator, decimal mark and encoding does a text table have?

The first part of the file is tried with each possibility: the separator is the one that cuts most
lines into as many fields as the header; the decimal mark is a comma if fields such as 3,14 are more
frequent than such as 3.14 (4.282 counts for neither); text that is not UTF-8 is taken as cp1252.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from abstain._core.errors import Argument, InputError, Message

TEXT = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
PARQUET = (".parquet", ".pq")
WORKBOOKS = (".xlsx",)
OTHER_SPREADSHEETS = (".xls", ".xlsm", ".xlsb", ".ods", ".numbers")
SEPARATORS = {",": ",", ";": ";", "\t": "\t", "|": "|", "tab": "\t", "\\t": "\t"}
DECIMALS = (".", ",")
# Bytes that are looked at, and lines of them.
HEAD = 1 << 18
_LINES = 200
_WITH_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+),\d+([eE][+-]?\d+)?")
_WITH_POINT = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")
# The point may separate thousands or a fraction.
_WITH_EITHER = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}")
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# The first bytes of files that are not text, and what to do with them.
_NOT_TEXT = {
    b"PAR1": "holds Parquet; give it a name that ends with .parquet",
    b"PK\x03\x04": "is a workbook or an archive; give a workbook a name that ends with .xlsx",
    b"\xd0\xcf\x11\xe0": "is a spreadsheet of another format; save it as .xlsx or CSV",
    b"\x1f\x8b": "is gzipped; give it a name that ends with .csv.gz",
}


@dataclass(frozen=True)
class TextFormat:
    """The separator between fields, the mark before a fraction, and the encoding."""

    separator: str = ","
    decimal: str = "."
    encoding: str = "utf-8"

    @property
    def is_utf8(self) -> bool:
        """Whether the bytes are UTF-8, perhaps after a byte order mark."""
        return self.encoding in ("utf-8", "utf-8-sig")


def detect_format(
    path: Path,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    columns: Collection[str] = (),
) -> TextFormat:
    """Return the format of a text table; None is detected.

    A separator under which the header has ``columns`` is preferred.
    """
    with open_bytes(path) as file:
        head = file.read(HEAD)
    for beginning, problem in _NOT_TEXT.items():
        if head.startswith(beginning):
            raise InputError(f"{path} {problem}")
    codec = _encoding(head, path) if encoding is None else _known_encoding(encoding)
    text = _decode_head(head, codec, path)
    if not text.strip():
        raise InputError(f"{path} is empty; its first line must name the columns")
    lines = _whole_lines(text, is_all=len(head) < HEAD)
    mark = _separator(lines, columns) if separator is None else _known_separator(separator)
    if decimal is None:
        decimal = _decimal(lines, mark)
    elif decimal not in DECIMALS:
        raise InputError(
            argument="decimal", value=decimal, requirement="must be a point or a comma"
        )
    if decimal == mark:
        raise InputError(
            *(Argument("decimal"), " and ", Argument("separator"), f" cannot both be {mark!r}; "),
            *("give another ", Argument("separator")),
        )
    return TextFormat(mark, decimal, codec)


def open_bytes(path: Path) -> IO[bytes]:
    """Open a file, gzipped or not."""
    if path.name.lower().endswith(".gz"):
        return cast(IO[bytes], gzip.open(path, "rb"))
    return path.open("rb")


def split_record(record: str, separator: str) -> list[str]:
    """Return the fields of a line, without the quotes around them."""
    return next(csv.reader([record], delimiter=separator), [])


def needs_quotes(text: str, separator: str) -> bool:
    """Return whether text needs quotes around it to be one field."""
    return any(mark in text for mark in (separator, '"', "\n", "\r"))


def quote_field(text: str, separator: str) -> str:
    """Return text as a field of a text table, in quotes where it needs them."""
    return '"' + text.replace('"', '""') + '"' if needs_quotes(text, separator) else text


def separator_name(separator: str) -> str:
    """Return a separator as a message names it."""
    return "tab" if separator == "\t" else repr(separator)


def _known_separator(given: str) -> str:
    if given not in SEPARATORS:
        raise InputError(
            argument="separator",
            value=given,
            requirement="must be a comma, a semicolon, a tab or a bar (, ; tab |)",
        )
    return SEPARATORS[given]


def _known_encoding(given: str) -> str:
    try:
        name = codecs.lookup(given).name
        b"a".decode(name, "replace")  # refused by codecs such as base64, which make no text
    except (LookupError, UnicodeError, ValueError):
        raise InputError(
            argument="encoding",
            value=given,
            requirement="must be a text encoding of Python, such as utf-8 or cp1252",
        ) from None
    return "utf-8-sig" if name == "utf-8" else name  # with a byte order mark or without


def _encoding(head: bytes, path: Path) -> str:
    for mark, name in _BYTE_ORDER_MARKS.items():
        if head.startswith(mark):
            return name
    if utf16 := _utf16_without_mark(head):
        raise InputError(
            f"{path} seems to be UTF-16 without a byte order mark; give ",
            *(Argument("encoding", utf16), ", or save it as UTF-8"),
        )
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _utf16_without_mark(head: bytes) -> str:
    """Return the UTF-16 codec of Western text, in which every other byte is 0, or nothing."""
    for name, zeros in (("utf-16le", head[1::2]), ("utf-16be", head[::2])):
        if zeros.count(0) > len(head) / 4:
            return name
    return ""


def _decode_head(head: bytes, encoding: str, path: Path) -> str:
    """Return the text of the first part, which may end in the middle of a character."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeError as error:
        why = "no byte order mark" if "BOM" in str(error) else "it cannot be decoded"
        if isinstance(error, UnicodeDecodeError):
            why = f"{error.reason} at byte {error.start}"
        other = _utf16_without_mark(head)
        remedy = Message("give ", Argument("encoding", other))
        raise InputError(
            f"{path} is not {encoding} text ({why}); ",
            remedy if other else Message("give another ", Argument("encoding")),
            ", or save it as UTF-8",
        ) from None


def _whole_lines(text: str, *, is_all: bool) -> list[str]:
    lines = [line for line in text.splitlines() if line.strip()]
    if not is_all and len(lines) > 1:
        lines = lines[:-1]
    return lines[:_LINES]


def _separator(lines: list[str], columns: Collection[str]) -> str:
    """Return the separator under which most lines have as many fields as the header, and most."""

    def plausibility(separator: str) -> tuple[bool, bool, float, int]:
        try:
            rows = [fields for fields in csv.reader(lines, delimiter=separator) if fields]
        except csv.Error:
            return False, False, 0.0, 0
        names = [name.strip() for name in rows[0]]
        share_alike = Counter(map(len, rows))[len(names)] / len(rows)
        return set(columns) <= set(names), len(names) > 1, round(share_alike, 1), len(names)

    return max((",", ";", "\t", "|"), key=plausibility)


def _decimal(lines: list[str], separator: str) -> str:
    if separator == ",":
        return "."
    fields = [field.strip() for row in csv.reader(lines[1:], delimiter=separator) for field in row]
    commas = sum(_WITH_COMMA.fullmatch(field) is not None for field in fields)
    either = sum(_WITH_EITHER.fullmatch(field) is not None for field in fields)
    points = sum(_WITH_POINT.fullmatch(field) is not None for field in fields) - either
    if commas == points == 0:  # with semicolons between fields, commas are left for fractions
        return "," if separator == ";" and not either else "."
    return "," if commas > points else "."
