"""What does a command do when it is told to stop, by Ctrl-C or by SIGTERM?

It does away with what must not stay (drafts, scratch folders, processes that it has started), says
one line and leaves with 130 or 143. Nothing is raised for that: an exception in the midst of an
import can leave a lock behind that another thread waits for without end, and libraries swallow it.

As a library, abstain leaves signals alone; what is undone is then undone by the exception.
"""

from __future__ import annotations  # signatures then show the names of types

import os
import signal
import threading
import time
from contextlib import contextmanager, suppress

TYPE_CHECKING = False  # as in typing; the sooner this is imported, the sooner signals are heard
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

__all__ = ["advised", "leave_when_told", "undone_at_the_end", "undone_if_told_to_stop"]

_WORDS: dict[int, str] = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
# Seconds for which the main thread may be busy with one call, and for which leaving may take.
_PATIENCE, _LAST_PATIENCE = 1.0, 10.0
# On a line of its own, show the cursor.
_CURSOR = "\n\x1b[?25h"

_to_undo: list[Callable[[], Any]] = []
_advice: list[str] = []
_leaving = threading.Lock()


@contextmanager
def undone_at_the_end(undo: Callable[[], Any]) -> Iterator[None]:
    """Call a function at the end of the block, however it ends, be it by a signal.

    Parameters
    ----------
    undo : callable
        What may be called twice, and in the midst of what it undoes.

    Examples
    --------
    >>> with undone_at_the_end(lambda: print("undone")):
    ...     print("done")
    done
    undone
    """
    with undone_if_told_to_stop(undo):
        try:
            yield
        finally:
            undo()


@contextmanager
def undone_if_told_to_stop(undo: Callable[[], Any]) -> Iterator[None]:
    """Call a function if a signal ends the block, and not otherwise.

    Parameters
    ----------
    undo : callable
        What may be called at any time in the block.
    """
    _to_undo.append(undo)
    try:
        yield
    finally:
        _to_undo.remove(undo)


@contextmanager
def advised(advice: str) -> Iterator[None]:
    """Add advice to the line that is said if a signal ends the block.

    Parameters
    ----------
    advice : str
        What to do next.
    """
    _advice.append(advice)
    try:
        yield
    finally:
        _advice.remove(advice)


def leave_when_told() -> None:
    """Have this process end in good order on Ctrl-C and SIGTERM, unless it ignores them."""
    for number in _WORDS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _leave)
    # What was shared with processes that are ended is removed by one more, and without a word.
    filters = [os.environ.get("PYTHONWARNINGS"), "ignore:resource_tracker:UserWarning"]
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, filters))
    if os.name == "posix":
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        threading.Thread(target=_leave_if_busy, args=(reader,), daemon=True).start()


def _leave_if_busy(reader: int) -> None:
    """Leave in place of the main thread, which hears of a signal only between two calls."""
    while True:
        number = os.read(reader, 1)[0]
        if number not in _WORDS or signal.getsignal(number) is not _leave:
            continue  # somebody else's, or held back for a while
        time.sleep(_PATIENCE)
        _leave(number, None)
        time.sleep(_LAST_PATIENCE)
        os._exit(128 + number)  # what is left is removed by the next run


def _leave(number: int, frame: Any) -> None:
    if not _leaving.acquire(blocking=False):
        return
    for undo in reversed(_to_undo):
        with suppress(Exception):
            undo()
    said = ": ".join([_WORDS[number], *_advice])
    # Whoever has shown a bar may have hidden the cursor.
    has_cursor = os.isatty(2) and os.environ.get("TERM", "dumb") != "dumb"
    with suppress(OSError):
        os.write(2, f"{_CURSOR if has_cursor else ''}{said}\n".encode())
    os._exit(128 + number)
