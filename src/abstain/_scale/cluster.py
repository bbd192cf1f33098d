"""How is a cluster opened for one command?

By the address of its scheduler, or as worker processes on this machine. Whether it can do the work
is checked before any is sent: a scheduler that does not answer or has no workers, and workers with
other versions, are errors of one line.

Anyone who reaches a scheduler can run code on its workers, and loopback is open to all users of a
machine. So the processes of a local cluster know each other by a certificate that is in their
memory only and expires with them.
"""

from __future__ import annotations  # signatures then show the names of types

import logging
import os
import re
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from tempfile import mkdtemp
from typing import Any

from abstain._core.errors import shown
from abstain._core.signals import cleanup_at_end
from abstain._scale.workers import ClusterError, check_versions, watch_workers

LOCAL = "local"
# Seconds for a scheduler to answer, and to have workers.
CONNECT_TIMEOUT = 10.0
# Seconds without any worker after which a command is given up: it had some when it started.
NO_WORKERS_TIMEOUT = 30.0
LOGGERS = ("asyncio", "distributed", "tornado")


@contextmanager
def open_cluster(address: str, n_workers: int | None = None) -> Iterator[Any]:
    """Compute on a cluster, and watch it; yield its client.

    The address is that of a scheduler, such as tcp://10.0.0.1:8786, or "local" for worker processes
    on this machine, one per core unless a number is given, which end with the block.
    """
    try:
        import distributed
    except ImportError as error:
        raise _not_installed(error) from None
    # From any other text Dask would make an address, and wait for it forever.
    if address != LOCAL and not re.fullmatch(r"(tcp|tls|ucx|ucxx|wss?)://[^\s/]+:\d+", address):
        raise ClusterError(
            "the address of a cluster must be 'local' or that of a scheduler, such as "
            f"tcp://10.0.0.1:8786, got {shown(address)}"
        )
    with ExitStack() as stack:
        stack.enter_context(_silent_loggers())
        place: Any = address
        if address == LOCAL:
            place = stack.enter_context(_local_cluster(distributed, n_workers))
        client = stack.enter_context(_connect(distributed, place))
        _check_workers(client)
        check_versions(client)
        stack.enter_context(watch_workers(client, NO_WORKERS_TIMEOUT))
        yield client


@contextmanager
def _silent_loggers() -> Iterator[None]:
    """Silence loggers that would add forty lines to an error of one."""
    names = {*LOGGERS, *logging.root.manager.loggerDict}
    loggers = [logging.getLogger(name) for name in names if name.split(".")[0] in LOGGERS]
    levels = [(logger, logger.level) for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in levels:
            logger.setLevel(level)


def _not_installed(error: ImportError) -> ClusterError:
    return ClusterError(
        f"a cluster needs more than is installed ({error}): pip install '.[scale]', "
        "in a copy of the project"
    )


@contextmanager
def _local_cluster(distributed: Any, n_workers: int | None) -> Iterator[Any]:
    """Start worker processes of one thread each, and remove their files at the end."""
    scratch = mkdtemp(prefix="abstain-")
    remove = partial(shutil.rmtree, scratch, ignore_errors=True)
    with cleanup_at_end(remove), ExitStack() as stack:
        with block_sigint():
            cluster = _start(distributed, n_workers, scratch)
            stack.callback(_close, cluster)
        yield cluster


def _start(distributed: Any, n_workers: int | None, scratch: str) -> Any:
    try:
        return distributed.LocalCluster(
            n_workers=n_workers or os.cpu_count() or 1,
            threads_per_worker=1,
            processes=True,
            protocol="tls://",
            security=distributed.Security.temporary(),
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            worker_dashboard_address="127.0.0.1:0",
            local_directory=scratch,
            silence_logs=logging.CRITICAL,
        )
    except ImportError as error:
        raise _not_installed(error) from None
    except Exception as error:  # anything the system refuses: memory, processes, files, ports
        cause = error.__cause__ or error
        said = " ".join(str(cause).split()) or type(cause).__name__
        raise ClusterError(
            f"its workers could not be started ({said}); free what is lacking, or compute without "
            "a cluster"
        ) from None


def _close(cluster: Any) -> None:
    """End a cluster, which takes some seconds if its workers are busy, without interruption."""
    with block_sigint():
        cluster.close()


@contextmanager
def _connect(distributed: Any, place: Any) -> Iterator[Any]:
    connect = partial(distributed.Client, place, timeout=CONNECT_TIMEOUT)
    client = _call_with_timeout(connect, 2 * CONNECT_TIMEOUT)
    if isinstance(client, BaseException):
        said = " ".join(str(client).split()) or type(client).__name__
        raise ClusterError(
            f"no scheduler answers there ({said}); start one by `dask scheduler`, or use local "
            "workers"
        )
    with client:
        yield client


def _call_with_timeout(call: Callable[[], Any], seconds: float) -> Any:
    """Return the result of a call or the exception that it raised, a timeout too.

    Dask may wait forever for something that listens at an address and is no scheduler.
    """
    results: list[Any] = [TimeoutError(f"no answer in {seconds:.0f} seconds")]

    def run() -> None:
        try:
            results[0] = call()
        except Exception as error:  # anything that answers there may cause it
            results[0] = error

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    return results[0]


def _check_workers(client: Any) -> None:
    try:
        client.wait_for_workers(1, timeout=CONNECT_TIMEOUT)
    except TimeoutError:
        raise ClusterError(
            f"the scheduler has no workers after {CONNECT_TIMEOUT:.0f} seconds; start some by "
            "`dask worker` and its address"
        ) from None


@contextmanager
def block_sigint() -> Iterator[None]:
    """Have processes and threads that start here ignore Ctrl-C for their lifetime.

    A terminal sends it to all processes of a command, and those that help are ended by the one that
    started them. In this thread Ctrl-C, and SIGTERM if it is handled, wait until the end of the
    block: what is half started cannot be ended properly.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "pthread_sigmask"):  # as on Windows
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # it would lift the mask when it starts
    received: list[int] = []

    def remember(number: int, frame: Any) -> None:
        received.append(number)

    # New processes inherit the mask; in this one another thread may still receive the signal.
    handled = [each for each in (signal.SIGINT, signal.SIGTERM) if callable(signal.getsignal(each))]
    handlers = {number: signal.signal(number, remember) for number in handled}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if received:
        signal.raise_signal(received[0])
