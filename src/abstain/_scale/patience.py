"""How long is a cluster waited for whose workers are gone?

A task whose worker dies is done again by another. If none is left, or if the task itself is what
ends them, waiting would have no end: both are told in one line.
"""

from __future__ import annotations  # signatures then show the names of types

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from abstain._core.checks import InputError

__all__ = ["GRACE", "as_they_come", "told_if_workers_die"]

# Seconds without any worker after which a cluster is given up: to start one takes a few.
GRACE = 30.0
_POLL = 1.0


@contextmanager
def told_if_workers_die(client: Any, where: str) -> Iterator[None]:
    """Give up, in one line, what nobody is left to do.

    Parameters
    ----------
    client : distributed.Client
        Of the cluster that computes.
    where : str
        What the user has called it.
    """
    from distributed.scheduler import KilledWorker

    is_over, is_lost = threading.Event(), threading.Event()
    watcher = threading.Thread(target=_watch, args=(client, is_over, is_lost), daemon=True)
    watcher.start()
    try:
        yield
    except InputError:
        raise
    except KilledWorker as error:
        raise InputError(
            f"--cluster {where}: a task has ended its worker again and again "
            f"({error.allowed_failures + 1} times), perhaps for want of memory; give workers more "
            "memory, or cut the files"
        ) from None
    except Exception as error:
        if is_lost.is_set():
            raise InputError(
                f"--cluster {where}: there were no workers for {GRACE:.0f} seconds; start some, "
                "and give the command again"
            ) from None
        if client.status != "running" or type(error).__name__ == "FutureCancelledError":
            raise InputError(
                f"--cluster {where}: the scheduler is gone; start one, and give the command again"
            ) from None
        raise
    finally:
        is_over.set()


def _watch(client: Any, is_over: threading.Event, is_lost: threading.Event) -> None:
    """Give up all tasks when there has been no worker for long."""
    n_seconds = 0.0
    while not is_over.wait(_POLL):
        n_seconds = 0.0 if _has_workers(client) else n_seconds + _POLL
        if n_seconds >= GRACE:
            is_lost.set()
            _give_up(client)
            return


def _has_workers(client: Any) -> bool:
    try:
        return bool(client.nthreads())
    except Exception:  # whatever it is that cannot be asked
        return False


def _give_up(client: Any) -> None:
    from distributed import Future

    try:
        client.cancel([Future(key, client) for key in list(client.futures)], force=True)
    except Exception:  # not even the scheduler is there
        client.close(timeout=0)


def as_they_come(futures: list[Any]) -> Iterator[int]:
    """Yield the positions of futures as they are done, be it well or not."""
    from distributed import as_completed

    places = {future.key: place for place, future in enumerate(futures)}
    for future in as_completed(futures):
        yield places[future.key]
