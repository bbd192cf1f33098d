"""What do the answers of a model look like, before they are there?

Dask must know the type and the columns of an array whose values come later.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from abstain._blockwise import Method, by_block

__all__ = ["answers_in_blocks", "index_type", "label_type", "n_scores", "number_type"]

# The mark of a method that takes Dask collections, once there are prototypes.
answers_in_blocks: Callable[..., Callable[[Method], Method]] = partial(by_block, "prototypes_")


def index_type(model: Any) -> Any:
    """Return the type of positions."""
    return np.intp


def label_type(model: Any) -> Any:
    """Return the type of the classes."""
    return model.classes_.dtype


def number_type(model: Any) -> Any:
    """Return the type of distances, scores and the like: that of the prototypes."""
    return model.prototypes_.dtype


def n_scores(model: Any) -> int | None:
    """Return how many columns scores of the classes have: None of two classes, with one score."""
    return None if len(model.classes_) == 2 else len(model.classes_)
