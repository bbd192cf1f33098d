"""What goes wrong with samples, so that a classifier should not answer them?"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["FAULTS", "Fault", "faults"]

Floats = NDArray[np.float64]


class Fault(NamedTuple):
    """Samples with a fault, and in which of them it can be seen in a single value."""

    name: str
    samples: Floats
    is_visible: NDArray[np.bool_]


_UNITS: dict[str, Callable[[Floats], Floats]] = {
    "unit × 12": lambda value: value * 12,
    "unit × 0.45": lambda value: value * 0.45,
    "°C as °F": lambda value: value * 1.8 + 32,
    "-999": lambda value: np.full_like(value, -999.0),
}
FAULTS = [*_UNITS, "beyond the range", "values permuted", "noise of two deviations"]


def faults(known: Floats, new: Floats, rng: np.random.Generator) -> Iterator[Fault]:
    """Yield new samples with each fault. Units, codes and ranges are those of one column each."""
    low, high = np.nanmin(known, axis=0), np.nanmax(known, axis=0)
    rows, every = np.arange(len(new)), np.ones(len(new), dtype=np.bool_)

    def outside(samples: Floats) -> NDArray[np.bool_]:
        return np.asarray(((samples < low) | (samples > high)).any(axis=1))

    for name, change in _UNITS.items():
        columns, samples = rng.integers(new.shape[1], size=len(new)), new.copy()
        samples[rows, columns] = change(new[rows, columns])
        yield Fault(name, samples, outside(samples))
    columns, samples = rng.integers(new.shape[1], size=len(new)), new.copy()
    beyond = (high - low)[columns] * rng.uniform(0.2, 3, len(new))
    is_high = rng.random(len(new)) < 0.5
    samples[rows, columns] = np.where(is_high, high[columns] + beyond, low[columns] - beyond)
    yield Fault("beyond the range", samples, outside(samples))
    permuted = np.column_stack([rng.permutation(column) for column in new.T])
    yield Fault("values permuted", permuted, every)
    noise = 2 * rng.normal(size=new.shape) * np.nanstd(known, axis=0)
    yield Fault("noise of two deviations", new + noise, every)
