"""When is a wait on a cluster given up?

Dask runs a task again if its worker dies, so a lost worker changes nothing. Three things would make
a call wait forever, or fail with a page of text: no worker is left, the scheduler is gone, or a
task kills each worker that runs it. `watch_workers` turns each of them into an error of one line.
Every wait of the library runs inside of it.
"""

from __future__ import annotations  # signatures then show the names of types

import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, partial
from typing import Any
from weakref import WeakKeyDictionary

from abstain._core.errors import InputError

# Seconds without any worker after which a call is given up, unless this setting of Dask's has
# others. Workers in a cloud take minutes to start.
NO_WORKERS_TIMEOUT = 300.0
TIMEOUT_SETTING = "distributed.scheduler.no-workers-timeout"
POLL_INTERVAL = 1.0
KILLED_WORKERS = (
    "a task killed each worker that ran it, perhaps out of memory; give the workers more memory, "
    "or use smaller blocks or files"
)
# Packages that results depend on, and packages that messages between processes depend on.
RESULT_PACKAGES = ("abstain", "numpy", "polars", "scikit-learn", "scipy")
MESSAGE_PACKAGES = ("cloudpickle", "dask", "distributed", "msgpack")

_current_watch: ContextVar[Any] = ContextVar("current_watch", default=None)
_watches: set[Any] = set()
# The workers of each client whose versions agree with those of this process.
_checked: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()


class ClusterError(InputError):
    """A cluster that cannot do the work, or no longer."""


def current_client() -> Any:
    """Return the client of the cluster that Dask computes on; None if this process computes."""
    from dask.base import get_scheduler

    client = getattr(get_scheduler(), "__self__", None)
    return client if type(client).__module__.partition(".")[0] == "distributed" else None


@contextmanager
def watch_workers(client: Any = None, default_timeout: float | None = None) -> Iterator[None]:
    """Raise a ClusterError where waiting for a cluster would not end.

    Without a client, that of the cluster that Dask computes on is watched, if there is one. A watch
    inside of another one of the same client shares its limit.
    """
    client = client or current_client()
    if client is None:
        yield
        return
    outer = _current_watch.get()
    is_inner = outer is not None and outer.client is client
    watch = outer if is_inner else _Watch(client, default_timeout or NO_WORKERS_TIMEOUT)
    token = _current_watch.set(watch)
    _start_thread()
    _watches.add(watch)
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        explained = watch.explain(error)
        if explained is None:
            raise
        raise explained from error
    finally:
        _current_watch.reset(token)
        if not is_inner:
            _watches.discard(watch)


@cache
def _start_thread() -> None:
    """Start one thread for all watches: to start one for each would take milliseconds."""

    def look() -> None:
        while True:
            time.sleep(POLL_INTERVAL)
            for watch in list(_watches):
                watch.look()

    threading.Thread(target=look, daemon=True).start()


class _Watch:
    """When the workers of a cluster were last seen while a call waits for them."""

    def __init__(self, client: Any, default_timeout: float) -> None:
        import dask
        from dask.utils import parse_timedelta

        self.client = client
        self.limit = parse_timedelta(dask.config.get(TIMEOUT_SETTING, None)) or default_timeout
        self._is_lost, self._last_seen = False, time.monotonic()
        self._others = set(client.futures)  # of the caller, which are left alone

    def look(self) -> None:
        """Cancel what is waited for if there have been no workers for too long."""
        if self._is_lost or time.monotonic() - self._last_seen < POLL_INTERVAL:
            return
        if self._has_workers():
            self._last_seen = time.monotonic()
        elif time.monotonic() - self._last_seen >= self.limit:
            self._is_lost = True
            self._cancel()

    def _has_workers(self) -> bool:
        try:
            return bool(self._ask(self.client.scheduler.ncores))
        except Exception:  # a scheduler that does not answer has no workers to offer
            return False

    def _cancel(self) -> None:
        """Cancel futures, so that the thread that waits for them raises."""
        from distributed import Future

        keys = [key for key in list(self.client.futures) if key not in self._others]
        futures = [Future(key, self.client) for key in keys]
        try:
            self._ask(partial(self.client.cancel, futures, asynchronous=True))
        except Exception:  # not even the scheduler answers
            self.client.close(timeout=0)

    def _ask(self, call: Any) -> Any:
        return self.client.sync(call, callback_timeout=10 * POLL_INTERVAL)

    def explain(self, error: Exception) -> ClusterError | None:
        """Return the error to raise in place of one of Dask; None of any other."""
        if self._is_lost:
            return ClusterError(
                f"the cluster has had no workers for {self.limit:.0f} seconds; start some and run "
                "it again (a worker also ends if it cannot import what a task needs), or wait "
                f"longer by Dask's setting {TIMEOUT_SETTING}"
            )
        if type(error).__name__ == "KilledWorker":
            return ClusterError(KILLED_WORKERS)
        is_closed = type(error).__name__ == "CommClosedError" or self.client.status != "running"
        if is_closed or isinstance(error, CancelledError):
            return ClusterError(
                "the connection to the Dask scheduler was lost; check the scheduler and run it "
                "again"
            )
        return None


def check_versions(client: Any) -> None:
    """Reject a cluster whose scheduler or workers have other versions than this process.

    Pickled code, messages, files and numbers may change from one version to the next. Each worker
    is asked once.
    """
    workers = set(client.nthreads())
    if workers <= _checked.get(client, set()):
        return
    versions = client.get_versions(packages=list(RESULT_PACKAGES))
    ours = versions["client"]["packages"]
    # The scheduler computes nothing, but it unpickles the graphs.
    _compare("the scheduler", versions["scheduler"], ours, (*MESSAGE_PACKAGES, "abstain"))
    for address, theirs in versions["workers"].items():
        _compare(f"the worker {address}", theirs, ours, (*MESSAGE_PACKAGES, *RESULT_PACKAGES))
    _checked[client] = workers & versions["workers"].keys()


def _compare(who: str, theirs: Any, ours: Any, packages: tuple[str, ...]) -> None:
    for name in ("python", *packages):
        here, there = ours.get(name), theirs["packages"].get(name)
        if name == "python":  # 3.11.7 and 3.11.9 understand each other
            here, there = (".".join(version.split(".")[:2]) for version in (here, there))
        if here != there:
            has = f"has {name} {there}" if there else f"has no {name}"
            raise ClusterError(
                f"{who} {has}, this process has {here or 'none'}; install the same versions "
                "everywhere"
            )
