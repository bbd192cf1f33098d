"""How is what workers keep asked again and again, and what they answer added up?

Answers are added in a tree whose shape is that of the numbers of the parts alone,

    ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)),

so that a sum is the same to the last bit wherever its parts are, however many workers there are,
and whatever becomes of them. Each task returns what it can add up of the tree. Where much is still
to be added, workers go on adding for each other, and one sum leaves them.

Neighbours in one place would leave less to be added. But Dask never again looks at a task that was
to be done in a certain place, with others allowed, if no worker is left for a moment: the place is
for Dask to choose.
"""

from __future__ import annotations  # signatures then show the names of types

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from abstain._scale.blocks import (
    futures_of,
    gathered,
    in_a_tree,
    in_one_go,
    later,
    persisted,
    while_connected,
)

__all__ = ["Kept"]

Add = Callable[[Any, Any], Any]
# Of a tree over parts: the sum in a place, by its level and its number there.
Sums = dict[tuple[int, int], Any]

# Sums that may come from several tasks to be added here: workers that add take a turn for it.
MOST_SUMS = 32


class Kept:
    """Several things that are computed and stay where they were.

    Each thread of each worker gets one task, for all that is in its memory: small tasks would cost
    more than what they do.
    """

    @while_connected()
    def __init__(self, parts: list[Any]) -> None:
        self.parts = persisted(in_one_go(parts))
        self._futures = futures_of(self.parts)
        self._groups = _shared_out(self._futures) or cut(range(len(parts)), os.cpu_count() or 1)
        known = [dict.fromkeys((0, number) for number in group) for group in self._groups]
        self._n_sums = sum(len(added(_nothing, sums, len(parts))) for sums in known)
        self._last: list[Any] = []

    @while_connected()
    def total(self, function: Callable[[Any], Any], add: Add) -> Any:
        """Return the sum of what a function makes of each part."""
        size = len(self.parts)
        found = self._by_tasks(function, add) if self._futures else self._here(function, add)
        (total,) = join(add, size, found).values()
        return total

    def _here(self, function: Callable[[Any], Any], add: Add) -> list[Sums]:
        size = len(self.parts)
        asked = [
            later(sums_of, function, add, size, group, [self.parts[number] for number in group])
            for group in self._groups
        ]
        return list(gathered(asked))

    def _by_tasks(self, function: Callable[[Any], Any], add: Add) -> list[Sums]:
        """Do without a graph, which takes half as long again as the tasks do."""
        client, size = self._futures[0].client, len(self.parts)
        submit = partial(client.submit, pure=False)
        last = [
            submit(sums_of, function, add, size, group, [self._futures[number] for number in group])
            for group in self._groups
        ]
        if self._n_sums > MOST_SUMS:
            last = [in_a_tree(partial(submit, join, add, size), last)]
        found: list[Sums] = client.gather(last)
        self._last = last  # releasing those of the last call only now saves a message
        return found


def sums_of(
    function: Callable[[Any], Any], add: Add, size: int, numbers: list[int], parts: list[Any]
) -> Sums:
    """Return what can be added up of what a function makes of some parts of so many."""
    sums: Sums = {}
    for number, part in zip(numbers, parts, strict=True):
        sums[0, number] = function(part)
        sums = added(add, sums, size)  # at once, so that few are there at a time
    return sums


def join(add: Add, size: int, some: Sequence[Sums]) -> Sums:
    """Return what can be added up of several sums."""
    return added(add, {place: found for sums in some for place, found in sums.items()}, size)


def added(add: Add, sums: Sums, size: int) -> Sums:
    """Return the same sums, with one for each two that make it in the tree over so many parts.

    The last one of a level that has no other beside it goes up as it is.
    """
    left, level = dict(sums), 0
    while size > 1:
        for number in sorted(number for at, number in left if at == level and not number % 2):
            if number + 1 == size:
                left[level + 1, number // 2] = left.pop((level, number))
            elif (level, number + 1) in left:
                first, second = left.pop((level, number)), left.pop((level, number + 1))
                left[level + 1, number // 2] = add(first, second)
        size, level = (size + 1) // 2, level + 1
    return left


def _nothing(first: Any, second: Any) -> None:
    """Add what is not there yet, to see what will be left."""


def _shared_out(futures: list[Any]) -> list[list[int]]:
    """Return groups of futures, by number: as many as threads, each in one place."""
    if not futures:
        return []
    distributed: Any = sys.modules["distributed"]
    distributed.wait(futures)
    client = futures[0].client
    places, threads = client.who_has(futures), client.nthreads()
    there: dict[str, list[int]] = {}
    for number, future in enumerate(futures):
        # What has failed is nowhere, and is told of when it is asked for.
        there.setdefault(next(iter(places.get(future.key, ())), ""), []).append(number)
    return [group for place, own in there.items() for group in cut(own, int(threads.get(place, 1)))]


def cut(numbers: Sequence[int], n_groups: int) -> list[list[int]]:
    """Return numbers in groups of neighbours."""
    cuts = [len(numbers) * group // n_groups for group in range(n_groups + 1)]
    return [list(numbers[start:stop]) for start, stop in pairwise(cuts) if start < stop]
