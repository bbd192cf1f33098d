"""How is text from data shown and written, so that nothing takes it for a command?

Names, labels and values come from files of others. A terminal obeys escape sequences in them, and a
spreadsheet computes what begins like a formula.
"""

import re
from typing import Any

__all__ = ["one_line", "printable", "without_formula"]

_FORMULA = tuple("=+-@＝＋－＠\t\r\n")
# Numbers with a sign, and signs alone, which are names of classes here and there.
_HARMLESS = re.compile(r"[+-]+|[+-](\d[\d.,]*|[.,]\d+|inf)([eE][+-]?\d+)? ?%?")


def printable(value: Any) -> str:
    r"""Return text as a terminal may be given it, with what it would obey or hide written out.

    Names and labels come from data: an escape sequence, a carriage return or a mark that turns
    the direction of writing could make a terminal show something else.

    Examples
    --------
    >>> print(printable("\x1b[2J größe"))
    \x1b[2J größe
    """
    text = str(value)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def one_line(said: Any, longest: int = 1000) -> str:
    r"""Return what is said as one line for a terminal, cut in its middle if it is too long.

    The end of a message is the remedy, which must not be lost.

    Examples
    --------
    >>> one_line("a\nb" + 2000 * "c" + "; mend the file", 32)
    'a bccccccccccccc … mend the file'
    """
    text = printable(" ".join(str(said).splitlines()))
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]} … {text[3 - half :]}"


def without_formula(text: str) -> str:
    """Return text as a cell that a spreadsheet takes for text: an apostrophe before a formula.

    Examples
    --------
    >>> [without_formula(text) for text in ("=1+1", "-cmd", "-1.5", "+", "ill")]
    ["'=1+1", "'-cmd", '-1.5', '+', 'ill']
    """
    is_formula = text.startswith(_FORMULA) and not _HARMLESS.fullmatch(text)
    return f"'{text}" if is_formula else text
