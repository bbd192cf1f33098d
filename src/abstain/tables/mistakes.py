"""What is to be done about a value that is no number?"""

from __future__ import annotations  # signatures then show the names of types

import math
import re
from typing import Any

from abstain._core.checks import InputError, shown

__all__ = [
    "LARGEST",
    "BadValueError",
    "for_shell",
    "to_mend",
]

# Features are squared and summed up, by scaling and by distances, which must not overflow.
LARGEST = 1e150
# Letters of a value that is suggested after an option.
_LONGEST = 80
_LIMIT = re.compile(r"[<>≤≥]=? *\d[\d.,]*")
_WITH_REMARK = re.compile(r"[~≈]? *\d[\d.,]* *[+*]?")


class BadValueError(InputError):
    """A value that is no number, or too large; ``like`` is one as it should be."""

    def __init__(
        self, column: str, row: int, value: Any, place: str = "", *, like: str = ""
    ) -> None:
        written = f" written like {shown(like)}" if like else ""
        if value == column:
            remedy = "the header seems to be repeated there: remove that line"
        elif _is_number(value):
            written = f" of at most {LARGEST:g}"
            remedy = f"divide the column by a power of ten, or {to_mend(value)}"
        else:
            remedy = to_mend(value)
        super().__init__(
            f"column {shown(column)} must hold numbers{written}, got {shown(value)} in data row "
            f"{row + 1}{place}; {remedy}"
        )
        self.column, self.row, self.value, self.like = column, row, value, like


def _is_number(value: Any) -> bool:
    """Tell one that is finite; written in a notation, it is not told."""
    try:
        return math.isfinite(float(value))
    except (TypeError, ValueError, OverflowError):
        return False


def to_mend(value: Any) -> str:
    """Return what to do about a value that is no number: of some it is known in part."""
    instead = "mend the file"
    if _LIMIT.fullmatch(str(value)):
        instead = "write a number for such a limit, half of it for instance"
    elif _WITH_REMARK.fullmatch(str(value)):
        instead = "write the number alone"
    return f"{instead}, or say that it means missing: --missing {for_shell(value)}"


def for_shell(value: Any) -> str:
    r"""Return a value as it is typed after an option; a very long one is cut.

    What a terminal would obey is written out, in quotes that shells take it from.

    Examples
    --------
    >>> print(for_shell("it's"), for_shell("\x1b[2J"))
    'it'\''s' $'\x1b[2J'
    """
    text = str(value)
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}…"
    if text.isprintable():
        return "'" + text.replace("'", "'\\''") + "'"
    return "$'" + "".join(map(_escaped, text)) + "'"


def _escaped(letter: str) -> str:
    if letter in "\\'":
        return f"\\{letter}"
    if letter.isprintable():
        return letter
    code = ord(letter)  # \x would be a byte, not a letter, from 0x80 on
    return f"\\x{code:02x}" if code < 0x80 else f"\\U{code:08x}"
