"""What is a way to choose thresholds, and how much code does it take?

A method is given a classifier, samples, their classes, the accuracy to reach and, if it certifies
one, the confidence, else None. Where thresholds are chosen out of fold, the classifier is not
fitted yet.
"""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

__all__ = ["BEGIN", "END", "Method", "lines_of_user_code"]

BEGIN, END = "# user code", "# until here"


class Method(NamedTuple):
    """A function that chooses, and one that returns labels and which of them to trust.

    ``certifies`` says what holds on new data with the confidence asked for; None if nothing does.
    ``helpers`` are functions that the user has to write too.
    """

    choose: Callable[..., Any]
    answer: Callable[[Any, Any], tuple[Any, Any]]
    out_of_fold: bool = False
    certifies: str | None = None
    takes_target: bool = True
    helpers: tuple[Callable[..., Any], ...] = ()


def lines_of_user_code(method: Method) -> int:
    """Return how many lines of code stand between the comments of all functions."""
    return sum(map(_lines, (method.choose, method.answer, *method.helpers)))


def _lines(function: Callable[..., Any]) -> int:
    if isinstance(function, partial):
        function = function.func
    lines = [line.strip() for line in inspect.getsource(function).splitlines()]
    inside = lines[lines.index(BEGIN) + 1 : lines.index(END)]
    return sum(bool(line) and not line.startswith("#") for line in inside)
