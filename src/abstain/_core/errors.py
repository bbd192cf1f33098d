"""Errors about input, and messages that can name arguments as Python or as options.

A message is text in which arguments are marked. Python writes them ``accuracy=0.99``; the command
line writes the same message with its options.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from abstain._core.text import printable


class Argument(NamedTuple):
    """An argument that a message mentions, perhaps with a value.

    ``of`` tells apart arguments of one name: "fit" for ``groups`` of a fit, not of a target.
    """

    name: str
    value: Any = ...
    of: str = ""

    def __str__(self) -> str:
        return self.name if self.value is ... else f"{self.name}={shown(self.value)}"


class Message(str):
    """Text that mentions arguments: a string as Python shows it, which can be rendered again.

    >>> message = Message("use fewer folds, ", Argument("cv", 3))
    >>> print(message)
    use fewer folds, cv=3
    >>> message.render(lambda argument: f"{argument.name.upper()} {argument.value}")
    'use fewer folds, CV 3'
    """

    parts: tuple[str | Argument, ...]

    def __new__(cls, *parts: str | Argument) -> Message:
        """Join the parts."""
        message = super().__new__(cls, "".join(map(str, parts)))
        message.parts = tuple(
            inner
            for part in parts
            for inner in (part.parts if isinstance(part, Message) else (part,))
        )
        return message

    def __getnewargs__(self) -> tuple[str | Argument, ...]:  # type: ignore[override]
        return self.parts

    def render(self, write: Callable[[Argument], str]) -> str:
        """Return the text, with each argument as ``write`` spells it."""
        return "".join(write(part) if isinstance(part, Argument) else part for part in self.parts)

    def substitute(self, old: str, new: str) -> Message:
        """Return the message with other text, such as another name of a file."""
        return Message(
            *(part if isinstance(part, Argument) else part.replace(old, new) for part in self.parts)
        )


class InputError(ValueError):
    """An argument, a column or a file that cannot be used as given.

    A ``ValueError``, so that callers need not know this class. The command line shows its one line
    without a traceback, with options in place of arguments.

    Parameters
    ----------
    *message : str
        The whole message, if the error is not about one argument.
    argument : str, optional
        The name of the argument.
    value : object, optional
        The value received; of an array, the first element that is invalid.
    requirement : str, optional
        What the argument must be ("must be …"), or what is wrong with its value.
    remedy : str, optional
        What to do.
    got : str, optional
        What the message says was received, if not the value itself.

    Examples
    --------
    >>> from abstain import InputError, pareto_front
    >>> try:
    ...     pareto_front([0.2, float("nan")], [True, False])
    ... except InputError as error:
    ...     print(error)
    certainty must hold no missing value, got nan at index 1
    >>> print(InputError(argument="cv", value=1, requirement="must be 2 or more", remedy="use 5"))
    cv must be 2 or more, got 1; use 5
    """

    __module__ = "abstain"  # the name under which users import it, in tracebacks too

    def __init__(
        self,
        *message: str | Argument,
        argument: str | None = None,
        value: Any = ...,
        requirement: str = "",
        remedy: str = "",
        got: str = "",
    ) -> None:
        self.argument, self.value = argument, value
        self.requirement, self.remedy = requirement, remedy
        self.message = Message(*message)
        if argument is not None:
            is_demand = requirement.startswith("must ")
            if is_demand and not got and value is not ...:
                got = shown(value)
            subject = Argument(argument) if is_demand else Argument(argument, value)
            self.message = Message(subject, " ", requirement, f", got {got}" if got else "")
            if remedy:
                self.message = Message(self.message, "; ", remedy)
        super().__init__(str(self.message))


def with_remedy(error: InputError, *remedy: str | Argument) -> InputError:
    """Return the same error with a longer remedy."""
    longer = reworded(error, error.message, *remedy)
    longer.remedy = Message(error.remedy, *remedy)
    return longer


def reworded(error: BaseException, *message: str | Argument) -> InputError:
    """Return an error with another message, and with the fields of an `InputError`."""
    other = InputError(*message)
    if isinstance(error, InputError):
        other.argument, other.value = error.argument, error.value
        other.requirement, other.remedy = error.requirement, error.remedy
    return other


def shown(value: Any, longest: int = 80) -> str:
    """Return a value as an error can quote it: on one line, and not too long."""
    try:
        # That of text is one line, in which no space may be lost; those of others may be several.
        text = repr(value) if isinstance(value, str) else " ".join(repr(value).split())
    except RecursionError:
        return f"a {type(value).__name__} that holds others, too deep to show"
    return printable(text if len(text) <= longest else f"{text[: longest - 3]}...")


def import_optional(module: str, purpose: str, install: str) -> Any:
    """Import a module of an optional package, or say what needs it and how to install it."""
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        where = ", in a copy of the project" if install.startswith("'.[") else ""
        raise InputError(
            f"{purpose} {package}, which is not installed: pip install {install}{where}"
        ) from None
