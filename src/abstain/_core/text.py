"""How is text from data shown and written, so that no program takes it for a command?

Names, labels and values come from files of others. A terminal obeys escape sequences in them, and a
spreadsheet evaluates text that starts like a formula.
"""

import re
from collections.abc import Sequence
from typing import Any

_FORMULA = tuple("=+-@＝＋－＠\t\r\n")
# Numbers with a sign, and signs alone, which some data use as classes.
_HARMLESS = re.compile(r"[+-]+|[+-](\d[\d.,]*|[.,]\d+|inf)([eE][+-]?\d+)? ?%?")


def printable(value: Any) -> str:
    r"""Return text with all characters escaped that a terminal would obey or hide.

    >>> print(printable("\x1b[2J größe"))
    \x1b[2J größe
    """
    text = str(value)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def one_line(message: Any, longest: int = 1000) -> str:
    r"""Return a message as one line for a terminal, cut in the middle if it is too long.

    The end of a message is the remedy, which must not be lost.

    >>> one_line("a\nb" + 2000 * "c" + "; fix the file", 32)
    'a bccccccccccccc … fix the file'
    """
    text = printable(" ".join(str(message).splitlines()))
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]} … {text[3 - half :]}"


def first_of(texts: Sequence[str], n: int) -> str:
    """Return the first texts of a list, and the number of the others.

    >>> first_of(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = f" and {len(texts) - n} more" if len(texts) > n else ""
    return ", ".join(texts[:n]) + more


def row_number(index: int) -> int:
    """Return the number of a row of a table as a spreadsheet shows it: the header is row 1.

    >>> row_number(0)
    2
    """
    return index + 2


def without_formula(text: str) -> str:
    """Return text as a field that a spreadsheet reads as text: an apostrophe precedes a formula.

    >>> [without_formula(text) for text in ("=1+1", "-cmd", "-1.5", "+", "ill")]
    ["'=1+1", "'-cmd", '-1.5', '+', 'ill']
    """
    is_formula = text.startswith(_FORMULA) and not _HARMLESS.fullmatch(text)
    return f"'{text}" if is_formula else text
