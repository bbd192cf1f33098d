"""How do the tasks of a study run on a cluster, and what if a part of that fails?

By joblib's Dask backend. A task whose worker dies is run again by Dask, on another one or on the
one that takes its place. joblib waits without end for tasks that Dask has given up, and for workers
that do not come back; here both end the run, with one line.
"""

from __future__ import annotations  # signatures then show the names of types

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, NamedTuple

from abstain._core.checks import InputError
from abstain._scale.cluster import LOCAL, cluster

__all__ = ["Workers", "check_jobs", "workers"]

# Seconds after which workers that are gone, all of them, are given up. A new one takes a few.
PATIENCE = 60.0
# Seconds from one look at the workers to the next.
LOOK_EVERY = 1.0
GOES_ON = "the same command goes on from here"


class Workers(NamedTuple):
    """Where tasks run: the cluster as the caller names it, and joblib's way to it."""

    where: str
    number: int
    backend: Any

    def as_dict(self) -> dict[str, Any]:
        """Return what is told of them in files."""
        return {"scheduler": self.where, "workers": self.number}


def check_jobs(where: str | None, n_jobs: int) -> None:
    """Refuse a number of tasks at once where it is not the caller's to choose."""
    if where not in (None, LOCAL) and n_jobs != -1:
        raise InputError(
            f"--jobs {n_jobs} is for this machine; the cluster {where} runs a task on each of its "
            "workers: leave out --jobs"
        )


@contextmanager
def workers(where: str | None, n_jobs: int) -> Iterator[Workers | None]:
    """Have a cluster, if one is wanted, to run tasks on."""
    if where is None:
        yield None
        return
    with cluster(where, None if n_jobs == -1 else n_jobs) as client:
        yield Workers(where, len(client.nthreads()), _backend_class()(client, where))


@lru_cache
def _backend_class() -> Any:
    """Return joblib's backend, as far as it is mended here; it needs Dask to be imported."""
    from joblib._dask import DaskDistributedBackend

    class Backend(DaskDistributedBackend):  # type: ignore[misc]
        """Tell joblib of tasks that are given up, and of workers that stay away."""

        def __init__(self, client: Any, where: str) -> None:
            super().__init__(client=client)
            self._where = where
            self._pending: set[Any] = set()
            self._ended = threading.Event()

        def effective_n_jobs(self, n_jobs: int) -> int:
            # With one, joblib would run the tasks in this process.
            return max(2, int(super().effective_n_jobs(n_jobs)))

        def start_call(self) -> None:
            super().start_call()
            self._ended = threading.Event()
            self.client.loop.add_callback(self._look_after_workers, self._ended)

        def stop_call(self) -> None:
            self._ended.set()
            super().stop_call()

        def submit(self, func: Any, callback: Callable[[Any], Any] | None = None) -> Any:
            future = super().submit(func, callback)
            self._pending.add(future)
            future.add_done_callback(self._pending.discard)
            future.add_done_callback(lambda done: _tell(done, callback))
            return future

        def retrieve_result_callback(self, out: Any) -> Any:
            if isinstance(out, _Failure):
                raise _explained(out.error, self._where) from None
            try:
                return super().retrieve_result_callback(out)
            except CancelledError as error:
                raise _explained(error, self._where) from None

        async def _to_func_args(self, func: Any) -> tuple[Any, Any]:
            # joblib's own batch makes every worker a client of the scheduler, for calls of joblib
            # inside of tasks; there are none, and clients complain when a worker is ended.
            _, tasks = await super()._to_func_args(func)
            return _Batch(), tasks

        async def _look_after_workers(self, ended: threading.Event) -> None:
            seen = time.monotonic()
            while not ended.is_set():
                await asyncio.sleep(LOOK_EVERY)
                if await _has_workers(self.client):
                    seen = time.monotonic()
                elif time.monotonic() - seen > PATIENCE and self._pending:
                    next(iter(self._pending)).set_exception(_all_away(self._where))
                    return

    return Backend


class _Batch:
    """Runs tasks on a worker."""

    def __call__(self, tasks: Any) -> list[Any]:
        return [call(*arguments, **options) for call, arguments, options in tasks]

    def __repr__(self) -> str:
        return "abstain-study"


class _Failure(NamedTuple):
    """Takes the place of the result of a task that Dask could not run to its end."""

    error: BaseException


def _tell(done: Any, callback: Callable[[Any], Any] | None) -> None:
    """Have joblib called back for a failure too: it would not hear of it otherwise."""
    if callback is not None and done.exception() is not None:
        callback(_Failure(done.exception()))


def _explained(error: BaseException, where: str) -> InputError:
    from distributed import KilledWorker

    if isinstance(error, InputError):
        return error
    if isinstance(error, CancelledError):
        said = f"the scheduler is gone; {GOES_ON}, once it is back"
    elif isinstance(error, KilledWorker):
        said = f"a task was given up, workers died of it, perhaps for want of memory; {GOES_ON}"
    else:
        cause = error.__cause__ or error
        said = (
            f"Dask could not run a task ({type(cause).__name__}: {cause}); mend that, and {GOES_ON}"
        )
    return InputError(f"--cluster {where}: {' '.join(said.split())}")


def _all_away(where: str) -> InputError:
    return InputError(
        f"--cluster {where}: there have been no workers for {PATIENCE:.0f} seconds; {GOES_ON}, "
        "once there are some"
    )


async def _has_workers(client: Any) -> bool:
    with suppress(OSError, TimeoutError):
        return bool(await asyncio.wait_for(client.scheduler.ncores(workers=None), PATIENCE))
    return False
