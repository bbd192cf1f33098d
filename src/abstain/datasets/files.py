"""Where are the files of the real data sets, and how are they downloaded and checked?

Files that are missing in the data folder are downloaded to a temporary folder, converted to tidy
files, compared with their known shapes and digests, and only then written to the data folder.
"""

from __future__ import annotations  # signatures then show the names of types

import csv
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from io import BytesIO, StringIO
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain._core.errors import InputError
from abstain._core.files import atomic_files, check_can_write
from abstain._core.signals import cleanup_at_end
from abstain.datasets.sources import SOURCES, Source, TidyFile, import_optional

Arrays = dict[str, NDArray[Any]]
Folder = str | os.PathLike[str] | None

VARIABLE = "ABSTAIN_DATA_HOME"
# Seconds without an answer, and further attempts after a failed one.
TIMEOUT = 30
RETRIES = 2


def data_folder(data_home: Folder = None) -> Path:
    """Return the given folder, that of the environment or the user's cache; it may not exist."""
    if data_home is None:
        # Set but empty is how a shell unsets a variable for one command.
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.join("~", ".cache")
        data_home = os.environ.get(VARIABLE) or os.path.join(cache, "abstain")
    try:
        folder = Path(data_home).expanduser()
    except (TypeError, RuntimeError) as error:
        raise InputError(
            f"data_home must be the path of a folder or None, got {data_home!r} ({error})"
        ) from None
    if folder.exists() and not folder.is_dir():
        raise InputError(
            f"data_home must be a folder, got the file {folder}; "
            f"it comes from the argument or from the variable {VARIABLE}"
        )
    return folder


def read_files(name: str, data_home: Folder) -> list[Arrays]:
    """Return the contents of the files of a data set; download them if one is missing."""
    source, folder = SOURCES[name], data_folder(data_home)
    if not all((folder / file.name).exists() for file in source.files):
        fetch(source, folder)
    return [_read_file(file, folder / file.name) for file in source.files]


def _read_file(file: TidyFile, path: Path) -> Arrays:
    try:
        return read_tidy(file, path.read_bytes())
    except OSError as error:
        raise InputError(
            f"cannot read {path}: {error.strerror or error}; choose another data_home"
        ) from error
    except InputError as error:
        raise InputError(
            f"{path} is not the known data: {error}; "
            "move it away to have it downloaded again, or choose another data_home"
        ) from error


def read_tidy(file: TidyFile, content: bytes) -> Arrays:
    """Return the arrays of a file: ``names``, ``values`` and ``labels``, or those of an NPZ file.

    If it is not the known file, the error names the first difference; callers add where the file
    comes from and what to do.
    """
    is_npz = file.name.endswith(".npz")
    try:
        arrays = _npz_arrays(content) if is_npz else _csv_arrays(content)
    except Exception as error:  # arbitrary bytes can fail in any way
        lines = str(error).splitlines() or [""]
        reason = lines[0] or type(error).__name__
        raise InputError(f"it is no {file.name} ({reason})") from error
    shape = arrays["images" if is_npz else "values"].shape
    if shape != file.shape:
        raise InputError(f"its shape is {shape} instead of {file.shape}")
    data = b"".join(array.tobytes() for array in arrays.values()) if is_npz else content
    digest = sha256(data).hexdigest()
    if digest != file.sha256:
        raise InputError(f"its SHA-256 is {digest} instead of {file.sha256}")
    return arrays


def _csv_arrays(content: bytes) -> Arrays:
    names, *rows = csv.reader(StringIO(content.decode()), strict=True)
    return {
        "names": np.array(names[:-1]),
        "values": np.array([[float(cell or "nan") for cell in row[:-1]] for row in rows]),
        "labels": np.array([row[-1] for row in rows]),
    }


def _npz_arrays(content: bytes) -> Arrays:
    with np.load(BytesIO(content), allow_pickle=False) as archive:
        return {name: archive[name] for name in ("images", "target", "pose")}


def fetch(source: Source, folder: Path) -> None:
    """Download a data set to a folder; nothing is changed there if that fails."""
    for package in source.packages:
        import_optional(package, f"downloading the {source.name} data", "'abstain[data]'")
    paths = [folder / file.name for file in source.files]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot create the data folder {folder}: {error.strerror or error}; "
            f"set {VARIABLE} to a folder that you may write to"
        ) from error
    for path in paths:
        check_can_write(path)
    raws = [_download(address, source) for address in source.addresses]
    contents = _convert(raws, source)
    with atomic_files(*paths) as drafts:
        for draft, content in zip(drafts, contents, strict=True):
            draft.write_bytes(content)


@contextmanager
def _quiet(logger: Any) -> Iterator[None]:
    """Keep pooch from logging its temporary file: errors are reported once, by us."""
    level = logger.level
    logger.setLevel("CRITICAL")
    try:
        yield
    finally:
        logger.setLevel(level)


def _download(address: str, source: Source) -> bytes:
    pooch = import_optional("pooch", f"downloading the {source.name} data", "'abstain[data]'")
    temporary = mkdtemp(prefix="abstain-")
    with cleanup_at_end(partial(shutil.rmtree, temporary, ignore_errors=True)):
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
    """Return a short reason for an error of requests."""
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
