"""How does a river pipeline use thresholds that follow a stream?

river hands over one sample at a time, as a dictionary of features, and asks for its class before it
tells the true one.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain.online.estimator import OnlineRejectOption


def _base() -> Any:
    """Return the base class of river's classifiers; without river, one of nothing."""
    try:
        return import_module("river.base").Classifier
    except ImportError:
        return object


_Base: Any = _base()


class RiverRejectOption(_Base):  # type: ignore[misc]
    """Make a reject option on a stream a classifier of river.

    The features of the first sample are those that are used. Later samples have NaN where one is
    missing; others are left out. Each sample is a block of its own: it is decided about before the
    classifier is trained on it.

    Parameters
    ----------
    classifier : OnlineRejectOption
        What decides and learns; it is used itself, not a copy.

    Attributes
    ----------
    features : list
        Names of the features; empty before the first sample.

    Examples
    --------
    >>> from abstain import OnlineRejectOption, RejectRate
    >>> from abstain.online.river import RiverRejectOption
    >>> from sklearn.linear_model import SGDClassifier
    >>> sgd = SGDClassifier(loss="log_loss", random_state=0)
    >>> clf = OnlineRejectOption(sgd, target=RejectRate(0.2), reject_label="unsure")
    >>> model = RiverRejectOption(clf)
    >>> model.learn_one({"width": 1.0}, "thin", classes=["thick", "thin"])
    >>> for width in (8.0, 2.0, 9.0, 1.0, 8.5, 1.5) * 5:
    ...     model.learn_one({"width": width}, "thick" if width > 5 else "thin")
    >>> model.predict_one({"width": 8.6})
    'thick'
    """

    def __init__(self, classifier: OnlineRejectOption) -> None:
        self.classifier = classifier
        self.features: list[Any] = []

    @property
    def _multiclass(self) -> bool:  # river asks each classifier
        return True

    def _row(self, x: Mapping[Any, Any]) -> NDArray[np.float64]:
        if not self.features:
            self.features = list(x)
        return np.array([[x.get(name, np.nan) for name in self.features]], np.float64)

    @property
    def _is_fitted(self) -> bool:
        return hasattr(self.classifier, "estimator_")

    def learn_one(self, x: Mapping[Any, Any], y: Any, classes: Any = None) -> None:
        """Decide about a sample, learn whether that was right, and train the classifier.

        Parameters
        ----------
        x : dict
            The features by name.
        y : object
            The true class.
        classes : array-like, default=None
            All classes, for a classifier that needs them at the first call; with one class at a
            time, others are unknown then.

        Examples
        --------
        >>> from abstain import OnlineRejectOption
        >>> from abstain.online.river import RiverRejectOption
        >>> from sklearn.naive_bayes import GaussianNB
        >>> model = RiverRejectOption(OnlineRejectOption(GaussianNB()))
        >>> model.learn_one({"width": 1.0}, 0, classes=[0, 1])
        """
        self.classifier.partial_fit(self._row(x), np.array([y]), classes)

    def predict_one(self, x: Mapping[Any, Any]) -> Any:
        """Return the class of a sample, or ``reject_label`` of the classifier if it has one.

        Parameters
        ----------
        x : dict
            The features by name.

        Returns
        -------
        y : object
            None before the first sample was learned.

        Examples
        --------
        >>> from abstain import OnlineRejectOption
        >>> from abstain.online.river import RiverRejectOption
        >>> from sklearn.naive_bayes import GaussianNB
        >>> RiverRejectOption(OnlineRejectOption(GaussianNB())).predict_one({"width": 1.0})
        """
        return self.classifier.predict(self._row(x)).tolist()[0] if self._is_fitted else None

    def reject_one(self, x: Mapping[Any, Any]) -> bool:
        """Return whether a sample is rejected.

        Parameters
        ----------
        x : dict
            The features by name.

        Returns
        -------
        rejected : bool
            True before the first sample was learned.

        Examples
        --------
        >>> from abstain import OnlineRejectOption
        >>> from abstain.online.river import RiverRejectOption
        >>> from sklearn.naive_bayes import GaussianNB
        >>> RiverRejectOption(OnlineRejectOption(GaussianNB())).reject_one({"width": 1.0})
        True
        """
        return bool(self.classifier.reject(self._row(x))[0]) if self._is_fitted else True

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Return the probabilities of the classes, as the classifier gives them.

        Parameters
        ----------
        x : dict
            The features by name.

        Returns
        -------
        probabilities : dict
            By class; empty before the first sample was learned.

        Examples
        --------
        >>> from abstain import OnlineRejectOption
        >>> from abstain.online.river import RiverRejectOption
        >>> from sklearn.naive_bayes import GaussianNB
        >>> RiverRejectOption(OnlineRejectOption(GaussianNB())).predict_proba_one({"width": 1.0})
        {}
        """
        if not self._is_fitted:
            return {}
        posteriors = self.classifier.predict_proba(self._row(x))[0].tolist()
        return dict(zip(self.classifier.classes_.tolist(), posteriors, strict=True))
