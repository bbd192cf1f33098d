"""What does a command do on Ctrl-C or SIGTERM?

It removes temporary files, ends processes that it has started, prints one line and exits with 130
or 143. No exception is raised: one in the middle of an import can leave a lock behind that another
thread waits for forever, and libraries catch exceptions.

Used as a library, abstain does not handle signals; cleanup then happens when exceptions propagate.
"""

from __future__ import annotations  # signatures then show the names of types

import os
import signal
import threading
import time
from contextlib import contextmanager, suppress

TYPE_CHECKING = False  # as in typing, whose import would delay the handling of signals
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

_WORDS: dict[int, str] = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
# Seconds that the main thread may be busy in one call, and that the cleanup may take.
_BUSY_TIMEOUT, _CLEANUP_TIMEOUT = 1.0, 10.0
# Start a new line and show the cursor.
_SHOW_CURSOR = "\n\x1b[?25h"

_cleanups: list[Callable[[], Any]] = []
_advice: list[str] = []
_exiting = threading.Lock()


@contextmanager
def cleanup_at_end(cleanup: Callable[[], Any]) -> Iterator[None]:
    """Call a function at the end of the block, even if a signal ends it.

    It may be called twice, and in the middle of the block.
    """
    with cleanup_on_signal(cleanup):
        try:
            yield
        finally:
            cleanup()


@contextmanager
def cleanup_on_signal(cleanup: Callable[[], Any]) -> Iterator[None]:
    """Call a function if a signal ends the block, at any time in it, and not otherwise."""
    _cleanups.append(cleanup)
    try:
        yield
    finally:
        _cleanups.remove(cleanup)


@contextmanager
def exit_advice(advice: str) -> Iterator[None]:
    """Add advice to the line that is printed if a signal ends the block."""
    _advice.append(advice)
    try:
        yield
    finally:
        _advice.remove(advice)


def exit_on_signals() -> None:
    """Clean up and exit on Ctrl-C and SIGTERM, unless this process ignores them."""
    for number in _WORDS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _exit)
    # joblib's resource tracker removes what was shared with killed processes; silence its warning.
    filters = [os.environ.get("PYTHONWARNINGS"), "ignore:resource_tracker:UserWarning"]
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, filters))
    if os.name == "posix":
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        threading.Thread(target=_exit_if_busy, args=(reader,), daemon=True).start()


def _exit_if_busy(reader: int) -> None:
    """Exit in place of the main thread, which handles a signal only between two calls."""
    while True:
        number = os.read(reader, 1)[0]
        if number not in _WORDS or signal.getsignal(number) is not _exit:
            continue  # another signal, or one that is blocked for now
        time.sleep(_BUSY_TIMEOUT)
        _exit(number, None)
        time.sleep(_CLEANUP_TIMEOUT)
        os._exit(128 + number)  # the next run removes what is left


def _exit(number: int, frame: Any) -> None:
    if not _exiting.acquire(blocking=False):
        return
    for cleanup in reversed(_cleanups):
        with suppress(Exception):
            cleanup()
    message = ": ".join([_WORDS[number], *_advice])
    # A progress bar may have hidden the cursor.
    has_cursor = os.isatty(2) and os.environ.get("TERM", "dumb") != "dumb"
    with suppress(OSError):
        os.write(2, f"{_SHOW_CURSOR if has_cursor else ''}{message}\n".encode())
    os._exit(128 + number)
