"""How does a data set come from its public source into the data folder?

Whole and checked, or not at all: it is downloaded to a temporary folder, converted to tidy files,
compared with their known shapes and digests, and only then written to the data folder.
"""

from __future__ import annotations  # signatures then show the names of types

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from abstain._core.checks import InputError
from abstain._core.files import check_can_write, whole_files
from abstain._core.signals import undone_at_the_end
from abstain.datasets.files import VARIABLE, import_optional, read_tidy
from abstain.datasets.sources import Source

# Seconds without an answer, and further attempts after a failed one.
TIMEOUT = 30
RETRIES = 2


def fetch(source: Source, folder: Path) -> None:
    """Download a data set to a folder, in which nothing has changed if that fails."""
    for package in source.packages:
        import_optional(package, f"downloading the {source.name} data", "'abstain[data]'")
    paths = [folder / file.name for file in source.files]
    _prepare(folder, paths)
    raws = [_download(address, source) for address in source.addresses]
    contents = _convert(raws, source)
    with whole_files(*paths) as drafts:
        for draft, content in zip(drafts, contents, strict=True):
            draft.write_bytes(content)


def _prepare(folder: Path, paths: list[Path]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot create the data folder {folder}: {error.strerror or error}; "
            f"set {VARIABLE} to a folder that you may write to"
        ) from error
    for path in paths:
        check_can_write(path)


@contextmanager
def _quiet(logger: Any) -> Iterator[None]:
    """Keep pooch from logging the temporary file: errors are reported once, by us."""
    level = logger.level
    logger.setLevel("CRITICAL")
    try:
        yield
    finally:
        logger.setLevel(level)


def _download(address: str, source: Source) -> bytes:
    pooch = import_optional("pooch", f"downloading the {source.name} data", "'abstain[data]'")
    temporary = mkdtemp(prefix="abstain-")
    with undone_at_the_end(partial(shutil.rmtree, temporary, ignore_errors=True)):
        download = pooch.create(
            path=temporary,
            base_url="",
            # The tidy file is checked: sources may change headers and line endings.
            registry={"raw": None},
            urls={"raw": address},
            retry_if_failed=RETRIES,
        )
        try:
            with _quiet(pooch.get_logger()):
                return Path(download.fetch("raw", downloader=_save)).read_bytes()
        except OSError as error:  # the base class of all errors of requests
            raise _cannot_get(source, address, _reason(error), "check the network") from error


def _save(address: str, path: str, _: Any) -> None:
    """Download as pooch does, but close the connection after a failure too."""
    requests = import_optional("requests", "downloading data", "'abstain[data]'")
    with (
        requests.get(address, stream=True, timeout=TIMEOUT) as response,
        open(path, "wb") as file,
    ):
        response.raise_for_status()
        for chunk in response.iter_content(2**16):
            file.write(chunk)


def _convert(raws: list[bytes], source: Source) -> list[bytes]:
    try:
        contents = source.convert(*raws)
        for file, content in zip(source.files, contents, strict=True):
            read_tidy(file, content)
    # A server may send anything, such as an error page with status 200.
    except Exception as error:
        reason = str(error) if isinstance(error, InputError) else f"{error!r}".splitlines()[0]
        raise _cannot_get(
            source,
            " and ".join(source.addresses),
            f"the download is not the known data: {reason}",
            "try again later",
        ) from error
    return contents


def _cannot_get(source: Source, address: str, reason: str, remedy: str) -> InputError:
    files = " and ".join(file.name for file in source.files)
    return InputError(
        f"cannot get the {source.name} data from {address}: {reason}; "
        f"{remedy}, or set {VARIABLE} to a folder that has {files}"
    )


def _reason(error: OSError) -> str:
    """Say in a few words what requests says in many."""
    kinds = import_optional("requests.exceptions", "downloading data", "'abstain[data]'")
    if isinstance(error, kinds.HTTPError):
        return f"the server answered {error.response.status_code} {error.response.reason}"
    if isinstance(error, kinds.Timeout):
        return f"no answer within {TIMEOUT} seconds"
    if isinstance(error, kinds.ChunkedEncodingError):
        return "the connection was cut before the end"
    if isinstance(error, kinds.ConnectionError):
        return "there is no connection to the server"
    return (str(error).splitlines() or [type(error).__name__])[0]
