"""Which prototype is closest to a sample, and how far is the closest one of another class?

Both are found while a block of distances is in the cache: a matrix of all distances, which a
certainty and an answer do not need, would take longer to write than to compute.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["ClosestTwo", "closest_two", "no_samples_yet"]

Array = NDArray[Any]

# For so few distances, a call of NumPy takes longer than a loop.
FEW = 64


class ClosestTwo(NamedTuple):
    """For each sample, the two prototypes between which it is decided.

    Attributes
    ----------
    winner : ndarray of shape (n_samples,)
        Index of the closest prototype, of several the first.
    closest : ndarray of shape (n_samples,)
        Its distance.
    second : ndarray of shape (n_samples,)
        The distance of the closest prototype of another class.
    """

    winner: NDArray[np.int64]
    closest: Array
    second: Array


def closest_two(measured: Array, labels: list[Any], out: ClosestTwo | None = None) -> ClosestTwo:
    """Return the winners and the two distances.

    Parameters
    ----------
    measured : ndarray of shape (n_prototypes, n_samples)
        Distances.
    labels : list
        The class of each prototype.
    out : ClosestTwo, default=None
        Arrays to write into; new ones take as long as what they are filled with.

    Returns
    -------
    found : ClosestTwo
        New arrays, or those given.
    """
    if out is None:
        out = no_samples_yet(measured.shape[1], measured.dtype)
    winner, closest, second = out
    if measured.size <= FEW:
        for row, distances in enumerate(measured.T.tolist()):
            winner[row], closest[row], second[row] = _of_one(distances, labels)
        return out
    (own, index), *others = (_closest_member(measured, members) for members in _members(labels))
    winner[:], closest[:], second[:] = index, own, np.inf
    for own, index in others:
        np.copyto(winner, index, where=own < closest)
        np.minimum(second, np.maximum(closest, own), out=second)
        np.minimum(closest, own, out=closest)
    return out


def no_samples_yet(n_samples: int, dtype: Any) -> ClosestTwo:
    """Return arrays to be filled."""
    empty = np.empty
    return ClosestTwo(empty(n_samples, np.int64), empty(n_samples, dtype), empty(n_samples, dtype))


def _closest_member(measured: Array, members: list[int]) -> tuple[Array, NDArray[np.int64]]:
    """Return the distance to the closest of some prototypes, and which it is."""
    if len(members) == 1:
        return measured[members[0]], np.array(members[0])
    own = measured[members]
    return own.min(axis=0), np.array(members)[own.argmin(axis=0)]


def _of_one(row: list[float], labels: list[Any]) -> tuple[int, float, float]:
    closest = min(row)
    winner = row.index(closest)
    others = [far for far, label in zip(row, labels, strict=True) if label != labels[winner]]
    return winner, closest, min(others)


def _members(labels: list[Any]) -> list[list[int]]:
    """Return the prototypes of each class, in the order in which the classes appear."""
    members: dict[Any, list[int]] = {}
    for index, label in enumerate(labels):
        members.setdefault(label, []).append(index)
    return list(members.values())
