"""Which data sets does the study run on, and how are they prepared?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain import datasets
from abstain.datasets.files import data_folder

Array = NDArray[Any]
Kind = Literal["artificial", "benchmark", "medical"]


class Data(NamedTuple):
    """Samples, their classes and, for artificial ones, the model that they were drawn from."""

    X: Array
    y: Array
    true_model: Any = None


@dataclass(frozen=True)
class Problem:
    """A data set as the study uses it.

    ``draw`` returns the data of one repeat, given a seed: new samples for artificial data, the same
    ones for all others. ``is_scaled`` features are z-scored, after a reduction to ``n_components``
    principal components if that is given; both are fitted to the training part of every split.
    ``accuracy`` is the target of the guarantees: more than GMLVQ reaches without rejects, and
    within reach of the samples. A variant is the data of another problem, prepared differently.
    Where GMLVQ separates the training part (``is_separable``), thresholds set on it reject nothing,
    and the claims of the paper are checked with thresholds set out of fold.
    """

    name: str
    title: str
    kind: Kind
    draw: Callable[[int], Data]
    accuracy: float
    is_scaled: bool = True
    n_components: int | None = None
    is_variant: bool = False
    is_separable: bool = False


def _draws(make: Callable[..., Any], **options: Any) -> Callable[[int], Data]:
    return lambda seed: Data(*make(random_state=seed, **options))


def _loads(
    name: str, transform: Callable[[Array], Array] = lambda samples: samples
) -> Callable[[int], Data]:
    return lambda seed: _load(name, data_folder(), transform)


# A worker reads a file once for all its tasks.
@lru_cache
def _load(name: str, folder: Path, transform: Callable[[Array], Array]) -> Data:
    samples, labels = getattr(datasets, f"load_{name}")(return_X_y=True, data_home=folder)
    return Data(transform(np.asarray(samples, dtype=float)), np.asarray(labels))


def _rotate_to_span(images: Array) -> Array:
    """Return images in coordinates of the space that they span.

    There are fewer images than pixels. With Xᵀ = QR, the rows of Rᵀ are those of X = RᵀQᵀ after a
    rotation, which changes neither distances nor principal components.
    """
    upper: Array = np.asarray(np.linalg.qr(images.T, mode="r"))
    return upper.T


gaussian = _draws(datasets.make_gaussian_clusters, return_model=True)
pearl = _draws(datasets.make_pearl_necklace, return_model=True)
steroid = _draws(datasets.make_steroid_like)
spectra = _loads("tecator")
curvature = _loads("tecator", partial(np.diff, n=2, axis=1))
images = _loads("coil20", _rotate_to_span)
log_markers = _loads("gastric", np.log10)

PROBLEMS = {
    problem.name: problem
    for problem in [
        Problem("gaussian", "Gaussian clusters", "artificial", gaussian, 0.85, is_scaled=False),
        Problem("pearl", "Pearl necklace", "artificial", pearl, 0.97, is_scaled=False),
        Problem("segment", "Image segmentation", "benchmark", _loads("segment"), 0.97),
        Problem("tecator", "Tecator", "benchmark", spectra, 0.92),
        Problem("tecator-raw", "Tecator, raw", "benchmark", spectra, 0.92, False, is_variant=True),
        Problem(
            "tecator-curvature",
            "Tecator, second differences",
            "benchmark",
            curvature,
            0.95,
            is_variant=True,
        ),
        Problem("haberman", "Haberman", "benchmark", _loads("haberman"), 0.78),
        Problem("coil20", "Coil", "benchmark", images, 0.98, n_components=30, is_separable=True),
        Problem("steroid", "Steroids (synthetic)", "medical", steroid, 0.93, is_separable=True),
        Problem("wisconsin", "Wisconsin", "medical", _loads("wisconsin"), 0.98),
        Problem("cleveland", "Cleveland", "medical", _loads("cleveland"), 0.87),
        Problem("gastric", "Gastric cancer", "medical", log_markers, 0.75, is_separable=True),
    ]
}
