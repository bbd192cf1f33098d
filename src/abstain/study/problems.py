"""Which data does the study run on?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain import datasets
from abstain.datasets.files import data_folder

__all__ = ["PROBLEMS", "Problem", "Sample"]

Array = NDArray[Any]
Kind = Literal["artificial", "benchmark", "medical"]


class Sample(NamedTuple):
    """Samples, their classes and, of artificial ones, the model that they were drawn from."""

    X: Array
    y: Array
    true_model: Any = None


@dataclass(frozen=True)
class Problem:
    """A data set as the study uses it.

    ``draw`` returns the samples of one repeat, by a seed: of artificial data, new ones each time.
    Features are z-scored, if they are, by the training part of every split; ``n_components`` is to
    how many principal components of that part they are reduced before, if at all. ``accuracy`` is
    what is to be guaranteed: more than GMLVQ reaches unaided, and within reach of the samples. A
    variant is another set prepared otherwise, to tell what that changes. Where GMLVQ separates the
    training part, thresholds set on it reject nothing, and claims are judged with thresholds set
    out of fold.
    """

    name: str
    title: str
    kind: Kind
    draw: Callable[[int], Sample]
    accuracy: float
    is_scaled: bool = True
    n_components: int | None = None
    is_variant: bool = False
    is_separable: bool = False


def _drawn(make: Callable[..., Any]) -> Callable[[int], Sample]:
    def draw(seed: int) -> Sample:
        return Sample(*make(random_state=seed, return_model=True))

    return draw


def _loaded(
    name: str, change: Callable[[Array], Array] = lambda samples: samples
) -> Callable[[int], Sample]:
    def draw(seed: int) -> Sample:
        return _read(name, data_folder(), change)

    return draw


# A worker reads a file once for all its tasks.
@lru_cache
def _read(name: str, folder: Path, change: Callable[[Array], Array]) -> Sample:
    samples, labels = getattr(datasets, f"load_{name}")(return_X_y=True, data_home=folder)
    return Sample(change(np.asarray(samples, dtype=float)), np.asarray(labels))


def _within_their_span(images: Array) -> Array:
    """Return images in coordinates of the space that they span.

    There are fewer images than pixels. From Xᵀ = QR the rows of X = RᵀQᵀ are those of Rᵀ, rotated:
    no distance and no principal component of any part of them is another one there.
    """
    upper: Array = np.asarray(np.linalg.qr(images.T, mode="r"))
    return upper.T


def _second_differences(spectra: Array) -> Array:
    return np.diff(spectra, n=2, axis=1)


def _problems() -> list[Problem]:
    gaussian = _drawn(datasets.make_gaussian_clusters)
    pearl = _drawn(datasets.make_pearl_necklace)
    spectra = _loaded("tecator")
    curvature = _loaded("tecator", _second_differences)
    images = _loaded("coil20", _within_their_span)
    return [
        Problem("gaussian", "Gaussian clusters", "artificial", gaussian, 0.85, is_scaled=False),
        Problem("pearl", "Pearl necklace", "artificial", pearl, 0.97, is_scaled=False),
        Problem("segment", "Image segmentation", "benchmark", _loaded("segment"), 0.97),
        Problem("tecator", "Tecator", "benchmark", spectra, 0.92),
        Problem(
            "tecator-raw",
            "Tecator, raw",
            "benchmark",
            spectra,
            0.92,
            is_scaled=False,
            is_variant=True,
        ),
        Problem(
            "tecator-curvature",
            "Tecator, second differences",
            "benchmark",
            curvature,
            0.95,
            is_variant=True,
        ),
        Problem("haberman", "Haberman", "benchmark", _loaded("haberman"), 0.78),
        Problem("coil20", "Coil", "benchmark", images, 0.98, n_components=30, is_separable=True),
        Problem(
            "steroid", "Steroids (synthetic)", "medical", _drawn_steroids, 0.93, is_separable=True
        ),
        Problem("wisconsin", "Wisconsin", "medical", _loaded("wisconsin"), 0.98),
        Problem("cleveland", "Cleveland", "medical", _loaded("cleveland"), 0.87),
        Problem(
            "gastric",
            "Gastric cancer",
            "medical",
            _loaded("gastric", np.log10),
            0.75,
            is_separable=True,
        ),
    ]


def _drawn_steroids(seed: int) -> Sample:
    return Sample(*datasets.make_steroid_like(random_state=seed))


PROBLEMS = {problem.name: problem for problem in _problems()}
