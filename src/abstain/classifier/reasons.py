"""In which words is a reject explained?

The same sentence stands in the answers to a table, in a worklist, in what `explain` returns and in
a report:

- "between benign and malignant: margin and age decide": the withheld answer, its rival, and what
  tells the two apart in a prototype model;
- "between benign and malignant: benign is right with probability 62%", of other classifiers;
- "unlike anything seen: age 430", of an outlier.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._core.text import first_of, printable

_UNSEEN = "unlike anything seen: "
# Features that are named.
MOST_NAMED = 3


class Unusual(NamedTuple):
    """What makes a sample an outlier: features, and the columns with their values.

    Each is beyond all known values if ``is_outside``; else their combination is unusual. The most
    unusual ones come first.
    """

    features: list[str]
    values: dict[str, str]
    is_outside: bool


def outlier_reason(unusual: Unusual | None) -> str:
    """Return why a sample is an outlier.

    >>> outlier_reason(Unusual(["age"], {"age": "430"}, is_outside=True))
    'unlike anything seen: age 430'
    >>> outlier_reason(Unusual(["age"], {"age": "4"}, is_outside=False))
    'unlike anything seen: age 4 beside the other values'
    >>> outlier_reason(Unusual(["age", "height"], {"age": "4", "height": "190"}, is_outside=False))
    'unlike anything seen: the combination of age 4 and height 190'
    """
    if unusual is None:  # of a certainty that is low far from all prototypes
        return f"{_UNSEEN}far from every prototype"
    texts = [f"{printable(name)} {value}".strip() for name, value in unusual.values.items()]
    if unusual.is_outside:
        return _UNSEEN + first_of(texts, MOST_NAMED)
    if len(texts) == 1:
        return f"{_UNSEEN}{texts[0]} beside the other values"
    return f"{_UNSEEN}the combination of {_listed(texts)}"


# A table has few of these sentences, for many rows.
@lru_cache(maxsize=1 << 14, typed=True)
def ambiguous_reason(
    label: Any,
    rival: Any,
    correct_proba: float = math.nan,
    deciding: tuple[str, ...] = (),
) -> str:
    """Return between which classes a sample lies, and what decides between them.

    >>> ambiguous_reason("benign", "malignant", deciding=("margin", "age"))
    'between benign and malignant: margin and age decide'
    >>> ambiguous_reason("benign", "malignant", 0.618)
    'between benign and malignant: benign is right with probability 62%'
    """
    label, rival = printable(label), None if rival is None else printable(rival)
    between = f"{label} is uncertain" if rival is None else f"between {label} and {rival}"
    if deciding:
        names = _listed(list(map(printable, deciding)))
        return f"{between}: {names} {'decide' if len(deciding) > 1 else 'decides'}"
    if correct_proba != correct_proba:  # nothing estimates it
        return between
    return f"{between}: {label} is right with probability {_percent(correct_proba)}"


def never_answered_reason(cell: str) -> str:
    """Return why a sample is rejected, of a cell whose threshold rejects everything.

    >>> never_answered_reason("class benign")
    'no row of class benign is answered'
    """
    return f"no row of {printable(cell)} is answered"


def count_deciding(contributions: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return how many features make at least half of the difference together, at most three.

    ``contributions`` are the shares of each sample, the largest first.

    >>> count_deciding(np.array([[0.4, -0.3, 0.2, 0.1], [-0.6, 0.4, 0.0, 0.0], [0.0] * 4])).tolist()
    [2, 1, 0]
    """
    shares = np.abs(contributions[:, :MOST_NAMED])
    is_deciding = shares != 0
    is_deciding[:, 1:] &= ~(np.cumsum(shares, axis=1)[:, :-1] >= 0.5)
    return np.asarray(is_deciding.sum(axis=1))


def _percent(share: float) -> str:
    """Return a whole percentage; one that is not sure does not become 100%.

    >>> _percent(0.618), _percent(0.998)
    ('62%', '99.8%')
    """
    digits = next(d for d in range(9) if share == 1 or round(100 * share, d) < 100)
    return f"{100 * share:.{digits}f}%"


def _listed(texts: Sequence[str]) -> str:
    """Return texts with commas and "and".

    >>> _listed(["a", "b", "c"])
    'a, b and c'
    """
    *start, last = texts
    if len(texts) > MOST_NAMED:
        return first_of(texts, MOST_NAMED)
    return f"{', '.join(start)} and {last}" if start else last
