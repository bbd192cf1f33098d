"""Which cluster does the work, and can it?

A cluster is named by the address of its scheduler, or is made here for the time of one command.
Whether it can do the work is asked before any is sent: a scheduler that nobody answers for, one
without workers and workers with other versions are told in one line.

Whoever reaches a scheduler can run code on its workers, and loopback is open to all users of a
machine. So the parts of a cluster that is made here know each other by a certificate of its own,
which is in their memory alone and worth nothing afterwards.
"""

from __future__ import annotations  # signatures then show the names of types

import logging
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from tempfile import mkdtemp
from typing import Any
from weakref import WeakKeyDictionary

from abstain._core.checks import InputError, shown
from abstain._core.signals import cleanup_at_end

__all__ = ["LOCAL", "check_versions", "cluster"]

LOCAL = "local"
# Seconds after which a scheduler that does not answer, or has no workers, is given up.
PATIENCE = 10.0
# What numbers depend on, and what messages do.
DECIDING = ("abstain", "numpy", "polars", "scikit-learn", "scipy")
NOISY = ("asyncio", "distributed", "tornado")
NEEDED_TO_TALK = ("cloudpickle", "dask", "distributed", "msgpack")

# Of each client, the workers whose versions are known to agree.
_checked: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()


@contextmanager
def cluster(where: str, n_workers: int | None = None) -> Iterator[Any]:
    """Have a cluster compute, and return its client.

    Parameters
    ----------
    where : str
        The address of a scheduler, such as tcp://10.0.0.1:8786, or "local" for worker processes
        on this machine, which are ended with the block.
    n_workers : int or None
        Local workers; one a core if None. A cluster that is there already has its own.
    """
    distributed = _distributed()
    _check_address(where)
    with ExitStack() as stack:
        stack.enter_context(_silence())
        address = stack.enter_context(_local(distributed, n_workers)) if where == LOCAL else where
        client = stack.enter_context(_connected(distributed, address, where))
        _check_workers(client, where)
        check_versions(client)
        yield client


@contextmanager
def _silence() -> Iterator[None]:
    """Keep loggers quiet: what is told in one line they would tell in forty."""
    known = [logging.getLogger(name) for name in [*NOISY, *logging.root.manager.loggerDict]]
    noisy = [logger for logger in known if logger.name.split(".")[0] in NOISY]
    levels = [(logger, logger.level) for logger in noisy]
    for logger in noisy:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in levels:
            logger.setLevel(level)


def _distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise _not_installed(error) from None
    return distributed


def _not_installed(error: ImportError) -> InputError:
    return InputError(
        f"--cluster needs more than is installed ({error}): pip install 'abstain[scale]'"
    )


def _check_address(where: str) -> None:
    # Of other words Dask would make an address, and wait for it without end.
    if where != LOCAL and not re.fullmatch(r"(tcp|tls|ucx|ucxx|wss?)://[^\s/]+:\d+", where):
        raise InputError(
            f"--cluster must be 'local' or the address of a scheduler, such as "
            f"tcp://10.0.0.1:8786, got {shown(where)}"
        )


@contextmanager
def _local(distributed: Any, n_workers: int | None) -> Iterator[Any]:
    """Start worker processes of one thread each, and leave nothing of them behind."""
    from abstain._scale.interrupts import unheard_by_what_starts

    scratch = mkdtemp(prefix="abstain-")
    remove = partial(shutil.rmtree, scratch, ignore_errors=True)
    with cleanup_at_end(remove), ExitStack() as stack:
        with _told_if_not_started(), unheard_by_what_starts():
            made = distributed.LocalCluster(
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
            stack.callback(_close, made)
        yield made


@contextmanager
def _told_if_not_started() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise _not_installed(error) from None
    except Exception as error:  # whatever the system refuses: memory, processes, files, ports
        cause = error.__cause__ or error
        said = " ".join(str(cause).split()) or type(cause).__name__
        raise InputError(
            f"--cluster {LOCAL}: its workers could not be started ({said}); free what is lacking, "
            "or do without --cluster"
        ) from None


def _close(made: Any) -> None:
    """End a cluster, which takes some seconds if its workers are busy, whoever is impatient."""
    from abstain._scale.interrupts import unheard_by_what_starts

    with unheard_by_what_starts():
        made.close()


@contextmanager
def _connected(distributed: Any, address: Any, where: str) -> Iterator[Any]:
    client = _within(2 * PATIENCE, lambda: distributed.Client(address, timeout=PATIENCE))
    if isinstance(client, BaseException):
        said = " ".join(str(client).split()) or type(client).__name__
        raise InputError(
            f"--cluster {where}: no scheduler answers there ({said}); start one by `dask "
            "scheduler`, or take --cluster local"
        )
    with client:
        yield client


def _within(seconds: float, call: Callable[[], Any]) -> Any:
    """Return what comes of a call, an exception too, or a timeout.

    What listens at an address and is no scheduler may leave Dask waiting without end.
    """
    found: list[Any] = [TimeoutError(f"nothing came in {seconds:.0f} seconds")]

    def run() -> None:
        try:
            found[0] = call()
        except Exception as error:  # whatever it was that answered
            found[0] = error

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    return found[0]


def _check_workers(client: Any, where: str) -> None:
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise InputError(
            f"--cluster {where}: the scheduler has no workers after {PATIENCE:.0f} seconds; start "
            "some by `dask worker` and its address"
        ) from None


def check_versions(client: Any) -> None:
    """Refuse a cluster whose scheduler or workers have other versions than this process.

    What Python makes of code, and what libraries make of messages, files and numbers, may change
    from one version to the next. A worker is asked once.
    """
    there_now = set(client.nthreads())
    if there_now <= _checked.get(client, set()):
        return
    found = client.get_versions(packages=list(DECIDING))
    ours = found["client"]["packages"]
    # The scheduler does not compute, but it reads what it is told to have computed.
    others = {"the scheduler": (found["scheduler"], (*NEEDED_TO_TALK, "abstain"))} | {
        f"the worker {address}": (there, (*NEEDED_TO_TALK, *DECIDING))
        for address, there in found["workers"].items()
    }
    for who, (there, needed) in others.items():
        _compare(who, there["packages"], ours, needed)
    _checked[client] = there_now & found["workers"].keys()


def _compare(who: str, theirs: Any, ours: Any, needed: tuple[str, ...]) -> None:
    for name in ("python", *needed):
        here, there = (_told(name, known.get(name)) for known in (ours, theirs))
        if here != there:
            has = f"has {name} {there}" if there else f"has no {name}"
            raise InputError(
                f"{who} {has}, this process has {here or 'none'}; install the same versions "
                "everywhere"
            )


def _told(name: str, version: str | None) -> str | None:
    """Return a version as far as it must agree: of Python the first two numbers."""
    return ".".join(version.split(".")[:2]) if name == "python" and version else version
