"""How does a run that was stopped go on where it was?

Rows that are done are kept in a folder named after the code that they measured, so that rows of
different code never meet in one table.
"""

import hashlib
import json
import re
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from abstain._core.files import atomic_files

__all__ = ["KeptRows"]

Row = dict[str, Any]


class KeptRows:
    """The rows of one run, each a file in a folder."""

    def __init__(
        self, cache: Path, code: Callable[[], Iterable[Path]], fresh: bool = False
    ) -> None:
        self.code = code
        self.folder = cache / _fingerprint(code())
        if fresh:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True, exist_ok=True)

    def row(self, title: str, size: str, make: Callable[[], Row]) -> Row:
        """Return a row, measured now or by a run that was stopped."""
        name = re.sub("[^a-zA-Z0-9]+", "_", title)
        file = self.folder / f"{name}-{size}.json"
        if not file.exists():
            print(title, file=sys.stderr, flush=True)
            self._keep(file, make())
        row: Row = json.loads(file.read_text())
        return row

    def samples(self, name: str, write: Callable[[Path], object]) -> Path:
        """Return a file of samples, written by the first that needs it."""
        file = self.folder / f"{name}.npz"
        if not file.exists():
            with atomic_files(file) as (draft,):
                write(draft)
        return file

    def _keep(self, file: Path, row: Row) -> None:
        """Keep a row, unless it may have measured other code than the rows before it."""
        if _fingerprint(self.code()) != self.folder.name:
            sys.exit(
                "the code changed while it was measured: run again, all rows are measured anew"
            )
        with atomic_files(file) as (draft,):
            draft.write_text(json.dumps(row))


def _fingerprint(files: Iterable[Path]) -> str:
    """Return what changes with the code that is measured and with the code that measures it."""
    digest = hashlib.sha256()
    for file in sorted(file for file in files if file.suffix in (".py", ".txt")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]
