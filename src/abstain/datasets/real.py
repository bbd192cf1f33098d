"""How are the real data sets loaded, and where are their files?

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
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from abstain._core.errors import InputError, import_optional
from abstain._core.files import atomic_files, check_can_write
from abstain._core.signals import cleanup_at_end
from abstain.datasets.sources import SHA256, SOURCES, Source

Arrays = dict[str, NDArray[Any]]
Folder = str | os.PathLike[str] | None

VARIABLE = "ABSTAIN_DATA_HOME"
# Seconds without an answer, and further attempts after a failed one.
TIMEOUT = 30
RETRIES = 2

_DOCUMENTATION = """\
{summary}

{about}

Files that are not in the data folder are downloaded, converted and stored there. All files are
checked by shape and SHA-256.

Parameters
----------
as_frame : bool, default=False
    Whether to return a pandas DataFrame and Series instead of arrays.
return_X_y : bool, default=False
    Whether to return only ``(data, target)``.
data_home : str, path-like or None, default=None
    Folder of the data files; None is the folder in the environment variable
    ``ABSTAIN_DATA_HOME`` or else ``abstain`` in the user's cache folder.

Returns
-------
data : Bunch
    With the attributes

    {attributes}
    - ``target``: the classes as numbers from 0, whose names are ``target_names[target]``;
    - ``feature_names``: list of str;
    - ``frame``: data and target in one DataFrame if ``as_frame``, else None;
    - ``DESCR``: origin, citation and terms.

    Or the pair of data and target if ``return_X_y``.

Examples
--------
With the file in the data folder or with a network::

    from abstain.datasets import load_{name}

    X, y = load_{name}(return_X_y=True)
"""


class Loader(Protocol):
    """The signature of all loaders."""

    def __call__(
        self, *, as_frame: bool = False, return_X_y: bool = False, data_home: Folder = None
    ) -> Any:
        """Load a data set."""


def _loader(name: str) -> Loader:
    """Return the function that loads a data set."""

    def load(*, as_frame: bool = False, return_X_y: bool = False, data_home: Folder = None) -> Any:
        bunch = _read_bunch(SOURCES[name], data_home)
        if as_frame:
            pandas = import_optional("pandas", "as_frame=True needs", "pandas")
            bunch.data = pandas.DataFrame(bunch.data, columns=bunch.feature_names)
            bunch.target = pandas.Series(bunch.target, name="target")
            bunch.frame = pandas.concat([bunch.data, bunch.target], axis=1)
            if "contents" in bunch:
                bunch.contents = pandas.DataFrame(bunch.contents, columns=bunch.content_names)
        return (bunch.data, bunch.target) if return_X_y else bunch

    source = SOURCES[name]
    load.__name__ = load.__qualname__ = f"load_{name}"
    load.__doc__ = _DOCUMENTATION.format(
        name=name,
        summary=source.summary,
        about=source.description.partition("\n\n")[0],
        attributes="\n    ".join(f"- {attribute};" for attribute in source.attributes),
    )
    return load


load_segment = _loader("segment")
load_haberman = _loader("haberman")
load_tecator = _loader("tecator")
load_coil20 = _loader("coil20")
load_wisconsin = _loader("wisconsin")
load_cleveland = _loader("cleveland")
load_gastric = _loader("gastric")


def _read_bunch(source: Source, data_home: Folder) -> Bunch:
    """Return a data set as arrays, its classes numbered as in its source."""
    samples, *others = _read_files(source, data_folder(data_home))
    more: dict[str, Any] = {}
    if "images" in samples:
        images = samples["images"]
        data, labels = images.reshape(len(images), -1).astype(np.float64), samples["target"]
        names = [f"pixel_{row}_{column}" for row, column in np.ndindex(*images.shape[1:])]
        more = {"images": images, "pose": samples["pose"]}
    else:
        data, labels, names = samples["values"], samples["labels"], samples["names"].tolist()
    if others:
        (meat,) = others
        more = {"contents": meat["values"], "content_names": meat["names"].tolist()}
        more["part"] = meat["labels"]
    numbers = {label: number for number, label in enumerate(source.classes)}
    target = np.array([numbers[str(label)] for label in labels], dtype=np.int64)
    return Bunch(
        data=data,
        target=target,
        frame=None,
        feature_names=names,
        target_names=np.array(list(source.classes.values())),
        DESCR=_describe(source, data, target),
        **more,
    )


def _describe(source: Source, data: NDArray[np.float64], target: NDArray[np.int64]) -> str:
    counts = zip(source.classes.values(), np.bincount(target), strict=True)
    classes = ", ".join(f"{name} ({count})" for name, count in counts)
    n_samples, n_features = data.shape
    return (
        f"{source.title}\n\n{n_samples} samples, {n_features} features, "
        f"{np.isnan(data).sum()} values missing\nClasses: {classes}\n\n{source.description}"
    )


# --- files ----------------------------------------------------------------------------------------


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


def _read_files(source: Source, folder: Path) -> list[Arrays]:
    """Return the contents of the files of a data set; download them if one is missing."""
    if not all((folder / file).exists() for file in source.files):
        fetch(source, folder)
    return [_read_file(folder / file, shape) for file, shape in source.files.items()]


def _read_file(path: Path, shape: tuple[int, ...]) -> Arrays:
    try:
        return read_tidy(path.name, shape, path.read_bytes())
    except OSError as error:
        raise InputError(
            f"cannot read {path}: {error.strerror or error}; choose another data_home"
        ) from error
    except InputError as error:
        raise InputError(
            f"{path} is not the known data: {error}; "
            "move it away to have it downloaded again, or choose another data_home"
        ) from error


def read_tidy(file: str, known_shape: tuple[int, ...], content: bytes) -> Arrays:
    """Return the arrays of a file: ``names``, ``values`` and ``labels``, or those of an NPZ file.

    If it is not the known file, the error names the first difference; callers add where the file
    comes from and what to do.
    """
    is_npz = file.endswith(".npz")
    try:
        arrays = _npz_arrays(content) if is_npz else _csv_arrays(content)
    except Exception as error:  # arbitrary bytes can fail in any way
        lines = str(error).splitlines() or [""]
        reason = lines[0] or type(error).__name__
        raise InputError(f"it is no {file} ({reason})") from error
    shape = arrays["images" if is_npz else "values"].shape
    if shape != known_shape:
        raise InputError(f"its shape is {shape} instead of {known_shape}")
    data = b"".join(array.tobytes() for array in arrays.values()) if is_npz else content
    digest = sha256(data).hexdigest()
    if digest != SHA256[file]:
        raise InputError(f"its SHA-256 is {digest} instead of {SHA256[file]}")
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
        import_optional(package, f"downloading the {source.name} data needs", "'.[data]'")
    paths = [folder / file for file in source.files]
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
    pooch = import_optional("pooch", f"downloading the {source.name} data needs", "'.[data]'")
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
    requests = import_optional("requests", "downloading data needs", "'.[data]'")
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
        for (file, shape), content in zip(source.files.items(), contents, strict=True):
            read_tidy(file, shape, content)
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
    files = " and ".join(source.files)
    return InputError(
        f"cannot get the {source.name} data from {address}: {reason}; "
        f"{remedy}, or set {VARIABLE} to a folder that has {files}"
    )


def _reason(error: OSError) -> str:
    """Return a short reason for an error of requests."""
    kinds = import_optional("requests.exceptions", "downloading data needs", "'.[data]'")
    if isinstance(error, kinds.HTTPError):
        return f"the server answered {error.response.status_code} {error.response.reason}"
    if isinstance(error, kinds.Timeout):
        return f"no answer within {TIMEOUT} seconds"
    if isinstance(error, kinds.ChunkedEncodingError):
        return "the connection was cut before the end"
    if isinstance(error, kinds.ConnectionError):
        return "there is no connection to the server"
    return (str(error).splitlines() or [type(error).__name__])[0]
