"""The documentation that the methods of `RejectOptionClassifier` and the scorers share."""

from collections.abc import Callable
from typing import Any, TypeVar

from abstain._core import documentation

Function = TypeVar("Function", bound=Callable[..., Any])

SAMPLES = """\
X : array-like of shape (n_samples, n_features)
    Samples."""

LAZY_SAMPLES = f"{SAMPLES} A Dask array or frame gives a lazy Dask array."

LABELLED_SAMPLES = f"""\
{SAMPLES}
y : array-like of shape (n_samples,)
    Their classes."""

WEIGHTS = """\
sample_weight : array-like of shape (n_samples,), default=None
    Weight of each sample."""

IRIS = """\
>>> from abstain import GMLVQ, RejectOptionClassifier
>>> from sklearn.datasets import load_iris
>>> X, y = load_iris(return_X_y=True)
"""

FITTED_IRIS = f"""\
{IRIS}>>> clf = RejectOptionClassifier(GMLVQ()).fit(X, y)
"""


def documented(*parameters: str, setup: str = FITTED_IRIS) -> Callable[[Function], Function]:
    """Complete a docstring with parameters and with the first lines of its example."""
    return documentation.documented("\n".join(parameters), setup=setup)
