"""Artificial sets with classes that one prototype cannot describe, and one with a rare class."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_moons

Array = NDArray[Any]


def checkerboard(n_samples: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return two classes on the 16 fields of a board, 5% of the samples on the wrong one."""
    samples = 4 * rng.random((n_samples, 2))
    labels = samples.astype(int).sum(axis=1) % 2
    return samples, labels ^ (rng.random(n_samples) < 0.05)


def letters(n_samples: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return ten classes of three normal clusters each, in 16 features."""
    centres = rng.normal(size=(10, 3, 16))
    labels, styles = rng.integers(10, size=n_samples), rng.integers(3, size=n_samples)
    return centres[labels, styles] + 0.8 * rng.normal(size=(n_samples, 16)), labels


def moons(n_samples: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return two interleaved half circles with noise."""
    samples, labels = make_moons(n_samples, noise=0.2, random_state=0)
    return samples, labels


def rare(n_samples: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return two normal classes that overlap, in ten features; 2% of the samples are positive."""
    labels = (np.arange(n_samples) < 0.02 * n_samples).astype(int)
    return rng.normal(size=(n_samples, 10)) + labels[:, np.newaxis] * 0.8, labels


def rings(n_samples: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return three noisy rings around each other, in two of five features."""
    labels = rng.integers(3, size=n_samples)
    radius, angle = labels + 1 + 0.2 * rng.normal(size=n_samples), rng.random(n_samples)
    ring = radius * np.stack([np.cos(2 * np.pi * angle), np.sin(2 * np.pi * angle)])
    return np.column_stack([*ring, rng.normal(size=(n_samples, 3))]), labels


def waveform(n_samples: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return Breiman's waves: mixtures of two of three triangles, with noise, in 21 features."""
    triangles = np.stack([np.maximum(6.0 - abs(np.arange(21) - peak), 0) for peak in (6, 14, 10)])
    labels, share = rng.integers(3, size=n_samples), rng.random((n_samples, 1))
    first, second = np.array([[0, 0, 1], [1, 2, 2]])[:, labels]
    mixed = share * triangles[first] + (1 - share) * triangles[second]
    return mixed + rng.normal(size=mixed.shape), labels


SHAPES: dict[str, Callable[[int, np.random.Generator], tuple[Array, Array]]] = {
    function.__name__: function
    for function in (checkerboard, letters, moons, rare, rings, waveform)
}
