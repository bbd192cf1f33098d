"""Which prototypes would samples of a stream miss, and which sample should become one?

A prototype earns the doubts that samples would have in addition without it: a sample would take the
next prototype of its class where it was the closest, and the next of the other classes where it was
the closest of these. A sample that becomes a prototype takes doubts away, which is its gain.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.models.costs import LabelledBlock, Loss
from abstain.models.distances import AdaptiveDistance, Array, normalise

# A distance that is larger than any between scaled samples, whose square is finite.
AWAY = 1e18
# The doubt of a sample that is more likely wrong than right.
WRONG = 0.5
# Samples that are tried as prototypes.
TRIED = 16


class Candidates(NamedTuple):
    """Samples that may become prototypes, and the closest prototype of the class of each."""

    samples: Array
    labels: NDArray[np.int64]
    sources: NDArray[np.int64]


class Prototypes(NamedTuple):
    """The prototypes of scaled samples, their metric, and how distances become doubts."""

    classes: NDArray[np.int64]
    parameters: list[Array]
    distance: AdaptiveDistance
    loss: Loss
    doubts: Callable[[Array], Array]

    def distances(self, block: LabelledBlock) -> Array:
        """Return the distances (prototypes, samples)."""
        prototypes, *metric = self.parameters
        unit = [normalise(each)[0] for each in metric]
        return self.distance.measure(block.block, prototypes, *unit)[0]

    def doubts_of(self, distances: Array, labels: NDArray[np.int64], n_present: Array) -> Array:
        """Return the doubts of samples, which are sorted by class."""
        cuts = [0, *(np.flatnonzero(np.diff(labels)) + 1).tolist(), len(labels)]
        own = [
            (np.flatnonzero(self.classes == labels[start]), slice(start, stop))
            for start, stop in pairwise(cuts)
        ]
        return self.doubts(self.loss(distances, own, n_present)[0])

    def block_doubts(self, block: LabelledBlock) -> Array:
        """Return the doubts of the samples of a block."""
        return self.doubts_of(self.distances(block), labels_of(block), block.n_present)

    def earnings(self, block: LabelledBlock) -> tuple[Array, Array]:
        """Return the doubts of samples, and what each prototype earns."""
        distances, labels = self.distances(block), labels_of(block)
        is_own = self.classes[:, np.newaxis] == labels
        now = self.doubts_of(distances, labels, block.n_present)
        earned, columns = np.zeros(len(self.classes)), np.arange(len(labels))
        for others in (~is_own, is_own):
            closest = np.where(others, AWAY, distances).argmin(axis=0)
            without = distances.copy()
            without[closest, columns] = AWAY
            added = self.doubts_of(without, labels, block.n_present) - now
            earned += np.bincount(closest, block.weights * added, len(earned))
        return now, earned

    def candidates(
        self, among: Iterable[tuple[LabelledBlock, NDArray[np.int64]]], n_tried: int = TRIED
    ) -> Candidates:
        """Return some of the given samples of blocks, evenly over the classes."""
        samples, labels, sources = [], [], []
        for block, rows in among:
            own_labels = labels_of(block)[rows]
            is_own = self.classes[:, np.newaxis] == own_labels
            closest = np.where(is_own, self.distances(block)[:, rows], np.inf).argmin(axis=0)
            values, present = block.block.values[rows], block.block.present
            if present is not None:
                values = np.where(present[rows] > 0, values, self.parameters[0][closest])
            samples.append(values)
            labels.append(own_labels)
            sources.append(closest)
        every = Candidates(*map(np.concatenate, (samples, labels, sources)))
        chosen = np.unique(np.linspace(0, len(every.labels) - 1, n_tried).astype(np.int64))
        return Candidates(*(part[chosen] for part in every))

    def gains(self, candidates: Candidates, blocks: Iterable[LabelledBlock]) -> Array:
        """Return how many doubts of samples each candidate takes away, with its source's metric.

        For the loss, a candidate and its source are one prototype at the smaller distance.
        """
        metric = [
            normalise(each)[0][candidates.sources] if each.ndim == 3 else normalise(each)[0]
            for each in self.parameters[1:]
        ]
        gains = np.zeros(len(candidates.labels))
        for block in blocks:
            distances, labels = self.distances(block), labels_of(block)
            closer, _ = self.distance.measure(block.block, candidates.samples, *metric)
            now = self.doubts_of(distances, labels, block.n_present)
            for index, source in enumerate(candidates.sources.tolist()):
                moved = np.flatnonzero(closer[index] < distances[source])
                if not len(moved):
                    continue
                changed = distances[:, moved]
                changed[source] = closer[index, moved]
                then = self.doubts_of(changed, labels[moved], block.n_present[moved])
                gains[index] += block.weights[moved] @ np.maximum(now[moved] - then, 0)
        return gains


def labels_of(block: LabelledBlock) -> NDArray[np.int64]:
    """Return the label of each sample."""
    labels = np.empty(len(block.weights), dtype=np.int64)
    for label, part in block.parts:
        labels[part] = label
    return labels
