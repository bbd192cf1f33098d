"""Who is told of Ctrl-C?

A terminal tells all processes of a command. Those that were started to help are ended by the one
that has started them: told as well, they would complain at length.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["unheard_by_what_starts"]

_TOLD_BY = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def unheard_by_what_starts() -> Iterator[None]:
    """Have threads and processes that are started here not hear of Ctrl-C, for all of their life.

    Nor does this thread before the end of the block, nor of SIGTERM if it handles that: what is
    half started can hardly be ended.

    Examples
    --------
    >>> import subprocess, sys
    >>> code = "import os, signal; os.kill(os.getpid(), signal.SIGINT); print('still there')"
    >>> with unheard_by_what_starts():
    ...     print(subprocess.check_output([sys.executable, "-c", code], text=True).strip())
    still there
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "pthread_sigmask"):  # as on Windows
        yield
        return
    from multiprocessing import resource_tracker  # seldom needed, and not light

    resource_tracker.ensure_running()  # which would lift the mask when it starts
    heard: list[int] = []

    def hear(number: int, frame: Any) -> None:
        heard.append(number)

    # The mask is what others inherit; another thread than this may hear all the same.
    held_back = [number for number in _TOLD_BY if callable(signal.getsignal(number))]
    before = {number: signal.signal(number, hear) for number in held_back}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in before.items():
            signal.signal(number, handler)
    if heard:
        signal.raise_signal(heard[0])
