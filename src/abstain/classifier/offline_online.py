"""How do a static model and one that learns from the stream answer together?

The static (*offline*) model knows what was common before the stream began, the incremental
(*online*) one what is new. Each sample is answered by the model that is more probably right. Their
certainties are not comparable, so each is turned into a probability of being right by isotonic
regression on recent samples: the answers of both before their labels were learned.

After Fischer, Hammer, Wersing, "Combining offline and online classifiers for life-long learning",
IJCNN 2015.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from abstain._core.checks import as_labels
from abstain._core.errors import InputError
from abstain.classifier.evaluate import Rules, evaluate

Array = NDArray[Any]
# The online model may answer once so many of its answers are known to be right or wrong.
LEAST_OUTCOMES = 30


class OfflineOnlineClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Answer each sample by a static model or by an incremental one, whichever is surer.

    Parameters
    ----------
    offline : estimator
        The static model. ``fit`` fits a clone of it, ``partial_fit`` leaves that as it is. A
        ``FrozenEstimator`` around a fitted model takes it as it is.
    online : estimator
        The incremental model, with ``partial_fit``.
    certainty : str or callable, default="auto"
        Measure of certainty of both models, see :mod:`abstain.certainty`.
    window : int, default=500
        Number of recent samples on which it is estimated how probably a model is right.

    Attributes
    ----------
    offline_ : estimator
        The fitted static model.
    online_ : estimator
        The incremental model.
    certainties_ : ndarray of shape (n_outcomes, 2)
        Certainty of the offline and of the online model for recent samples, before these were
        learned.
    right_ : ndarray of bool of shape (n_outcomes, 2)
        Whether their answers were right.
    classes_ : ndarray of shape (n_classes,)
        The classes that one of them knows.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if ``X`` has names that are all strings.

    Examples
    --------
    >>> import numpy as np
    >>> from abstain import GLVQ
    >>> from abstain.classifier import OfflineOnlineClassifier
    >>> random = np.random.default_rng(0)
    >>> X, y = random.normal(size=(800, 2)), np.arange(800) % 2
    >>> X[:, 0] += 4 * y
    >>> model = OfflineOnlineClassifier(GLVQ(1), GLVQ()).fit(X[:200], y[:200])
    >>> y = 1 - y  # the classes swap
    >>> for start in range(200, 700, 50):
    ...     model = model.partial_fit(X[start : start + 50], y[start : start + 50])
    >>> bool(model.answers_online(X[700:]).all())
    True
    """

    def __init__(
        self, offline: Any, online: Any, *, certainty: Any = "auto", window: int = 500
    ) -> None:
        self.offline = offline
        self.online = online
        self.certainty = certainty
        self.window = window

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        offline, online = (get_tags(each).input_tags for each in (self.offline, self.online))
        tags.input_tags.allow_nan = offline.allow_nan and online.allow_nan
        # The online model learns from the stream only: fit asks the offline one.
        tags.input_tags.sparse = offline.sparse
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the offline model; the online one has learned nothing then.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Classes of the samples.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, if the offline model takes them.

        Returns
        -------
        self : estimator
            The fitted classifier.
        """
        self._check_parameters()
        X = as_samples(X)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        offline = clone(self.offline).fit(X, y, **weights)
        validate_data(self, X, skip_check_array=True)
        self.offline_, self.online_ = offline, clone(self.online)
        self.classes_ = offline.classes_
        self.certainties_ = np.zeros((0, 2))
        self.right_ = np.zeros((0, 2), dtype=bool)
        return self

    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Note which answers to further samples are right, then let the online model learn them.

        Without ``fit``, the first samples are those of the offline model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Classes of the samples.
        classes : array-like of shape (n_classes,), default=None
            All classes of the stream, for an online model that has to know them in advance.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, if the models take them.

        Returns
        -------
        self : estimator
            The classifier.
        """
        if not hasattr(self, "offline_"):
            return self.fit(X, y, sample_weight)
        X = self._checked(X)
        has_learned = hasattr(self.online_, "classes_")
        labels = as_labels("y", y)
        if has_learned:
            outcomes = [self._outcomes(model, X, labels) for model in self._models()]
            certainties, right = (np.column_stack(each) for each in zip(*outcomes, strict=True))
        arguments: dict[str, Any] = {}
        if sample_weight is not None:
            arguments["sample_weight"] = sample_weight
        known = self.classes_ if classes is None else np.union1d(self.classes_, classes)
        if not has_learned:
            arguments["classes"] = np.union1d(known, labels)
        self.online_.partial_fit(X, y, **arguments)
        self.classes_ = np.union1d(known, self.online_.classes_)
        if has_learned:
            self.certainties_ = np.vstack([self.certainties_, certainties])[-self.window :]
            self.right_ = np.vstack([self.right_, right])[-self.window :]
        return self

    def _check_parameters(self) -> None:
        if not hasattr(self.online, "partial_fit"):
            raise InputError(
                argument="online",
                value=self.online,
                requirement="must have partial_fit",
                got=type(self.online).__name__,
            )
        is_count = isinstance(self.window, int | np.integer) and not isinstance(self.window, bool)
        if not is_count or self.window < LEAST_OUTCOMES:
            raise InputError(
                argument="window",
                value=self.window,
                requirement=f"must be a number of samples, at least {LEAST_OUTCOMES}",
            )

    def _checked(self, X: ArrayLike) -> Any:
        """Return samples that have the features of the fit."""
        X = as_samples(X)
        if np.ndim(X) == 2:  # the models say what is wrong with other shapes
            validate_data(self, X, reset=False, skip_check_array=True)
        return X

    def _models(self) -> tuple[Any, Any]:
        return self.offline_, self.online_

    def _answers(self, model: Any, X: ArrayLike) -> tuple[Array, Array]:
        """Return the labels and the certainties of a model."""
        rules = Rules(self.certainty, "global").named(model)
        evaluation = evaluate(model, X, rules)
        return evaluation.labels, np.nan_to_num(evaluation.certainty)

    def _outcomes(self, model: Any, X: ArrayLike, labels: Array) -> tuple[Array, Array]:
        answers, certainties = self._answers(model, X)
        return certainties, answers == labels

    def _look(self, X: ArrayLike) -> tuple[Array, Array]:
        """Return the labels and the probabilities of being right, a column per model."""
        check_is_fitted(self, "offline_")
        X = self._checked(X)
        labels, certainties = self._answers(self.offline_, X)
        if len(self.right_) < LEAST_OUTCOMES:
            every = np.column_stack([labels, labels])
            return every, np.broadcast_to([1.0, 0.0], every.shape)
        online_labels, online_certainties = self._answers(self.online_, X)
        probabilities = [
            probability_of_right(known, right, asked)
            for known, right, asked in zip(
                self.certainties_.T, self.right_.T, (certainties, online_certainties), strict=True
            )
        ]
        return np.column_stack([labels, online_labels]), np.column_stack(probabilities)

    def answers_online(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Tell which samples the online model answers.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        is_online : ndarray of bool of shape (n_samples,)
            Whether it is more probably right than the offline model.
        """
        _, probabilities = self._look(X)
        return np.asarray(probabilities[:, 1] > probabilities[:, 0])

    def predict(self, X: ArrayLike) -> Array:
        """Return the answer of the model that is more probably right.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted classes.
        """
        labels, probabilities = self._look(X)
        is_online = probabilities[:, 1] > probabilities[:, 0]
        return np.asarray(np.where(is_online, labels[:, 1], labels[:, 0]))


def as_samples(X: Any) -> Any:
    """Return samples as they are if they have a shape, else as an array."""
    return X if hasattr(X, "shape") else np.asarray(X)


def probability_of_right(certainties: Array, right: Array, asked: Array) -> Array:
    """Return how probably answers of some certainties are right, given outcomes of others.

    The least and the largest certainty get one more outcome each, the share of right answers: a
    few right answers would otherwise be taken for perfect ones.
    """
    from sklearn.isotonic import IsotonicRegression

    share = (np.count_nonzero(right) + 1) / (len(right) + 2)
    ends = [certainties.min(), certainties.max()]
    regression = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
    regression.fit([*certainties, *ends], [*right.astype(float), share, share])
    return np.asarray(regression.predict(asked))
