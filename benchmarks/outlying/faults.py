"""What goes wrong with samples, so that a classifier should not answer them?"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["CHANGES", "FAULTS", "UNITS", "Fault", "faults"]

Floats = NDArray[np.float64]


class Fault(NamedTuple):
    """Samples with a fault, and how far their values leave the range of the known ones.

    ``beyond`` is the largest distance to the range, in widths of the range: 0 inside, infinite for
    a column that is constant. All samples with a fault of the whole sample are ``visible``.
    """

    name: str
    samples: Floats
    beyond: Floats
    is_visible: NDArray[np.bool_]


CHANGES: dict[str, Callable[[Floats], Floats]] = {
    "unit × 12": lambda value: value * 12,
    "unit × 0.45": lambda value: value * 0.45,
    "°C as °F": lambda value: value * 1.8 + 32,
    "-999": lambda value: np.full_like(value, -999.0),
}
UNITS = ["unit × 12", "unit × 0.45", "°C as °F"]
FAULTS = [*CHANGES, "beyond the range", "values permuted", "noise of two deviations"]


def faults(known: Floats, new: Floats, rng: np.random.Generator) -> Iterator[Fault]:
    """Yield new samples with each fault. Units, codes and ranges are those of one column each."""
    low, high = np.nanmin(known, axis=0), np.nanmax(known, axis=0)
    rows, every = np.arange(len(new)), np.ones(len(new), dtype=np.bool_)

    def fault(name: str, samples: Floats) -> Fault:
        away = np.fmax(np.fmax(samples - high, low - samples), 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            beyond = np.nan_to_num(away / (high - low), posinf=np.inf).max(axis=1)
        return Fault(name, samples, beyond, beyond > 0)

    for name, change in CHANGES.items():
        columns, samples = rng.integers(new.shape[1], size=len(new)), new.copy()
        samples[rows, columns] = change(new[rows, columns])
        yield fault(name, samples)
    columns, samples = rng.integers(new.shape[1], size=len(new)), new.copy()
    beyond = (high - low)[columns] * rng.uniform(0.2, 3, len(new))
    is_high = rng.random(len(new)) < 0.5
    samples[rows, columns] = np.where(is_high, high[columns] + beyond, low[columns] - beyond)
    yield fault("beyond the range", samples)
    inside = np.zeros(len(new))
    permuted = np.column_stack([rng.permutation(column) for column in new.T])
    yield Fault("values permuted", permuted, inside, every)
    noise = 2 * rng.normal(size=new.shape) * np.nanstd(known, axis=0)
    yield Fault("noise of two deviations", new + noise, inside, every)
