"""How is a table read while something else is being done?

To load a classifier takes as long as to read a large table. Other threads read ahead from the
moment that they are asked to, but no more than a few blocks, so that memory stays bounded.
scikit-learn is not needed for that, and not imported here.
"""

from __future__ import annotations  # signatures then show the names of types

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Self

import polars as pl

from abstain.tables.reading import Block, Table

__all__ = ["ReadAhead"]

THREADS = 2
# Blocks that are read and not yet asked for.
BLOCKS_AHEAD = 24


class ReadAhead:
    r"""The blocks of a table and their frames, read by other threads before they are asked for.

    Parameters
    ----------
    table : Table
        From `open_table`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from abstain.tables import open_table
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "t.csv").write_text("a\n1\n2\n")
    ...     with ReadAhead(open_table(Path(folder, "t.csv"))) as ahead:
    ...         [frame.result().height for block, frame in ahead]
    [2]
    """

    def __init__(self, table: Table) -> None:
        self.table, self._blocks = table, table.blocks()
        self.pool = ThreadPoolExecutor(THREADS, thread_name_prefix="abstain")
        # One thread, so that blocks come in their order.
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="abstain-reader")
        self._waiting: deque[tuple[Future[Block | None], Future[pl.DataFrame]]] = deque()

    def __enter__(self) -> Self:
        self._fill()
        return self

    def __exit__(self, *error: object) -> None:
        for pool in (self._reader, self.pool):
            pool.shutdown(wait=True, cancel_futures=True)
        self._blocks.close()

    def _fill(self) -> None:
        while len(self._waiting) < BLOCKS_AHEAD:
            block = self._reader.submit(next, self._blocks, None)
            self._waiting.append((block, self.pool.submit(_frame_of, block)))

    def __iter__(self) -> Iterator[tuple[Block, Future[pl.DataFrame]]]:
        while True:
            read, frame = self._waiting.popleft()
            block = read.result()
            if block is None:
                return
            yield block, frame
            self._fill()


def _frame_of(read: Future[Block | None]) -> pl.DataFrame:
    block = read.result()
    return pl.DataFrame() if block is None else block.frame()
