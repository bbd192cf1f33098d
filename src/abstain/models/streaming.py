"""How does a prototype model take the samples of a stream?"""

from __future__ import annotations  # signatures then show the names of types

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from abstain._core.errors import InputError
from abstain._core.sklearn_private import check_sample_weight
from abstain._scale.blocks import is_dask
from abstain.models.data import Rows
from abstain.models.incremental import Rules, Stream
from abstain.models.scaling import value_ranges
from abstain.models.validation import (
    INITS,
    check_labels,
    check_magnitude,
    check_parameters,
    check_targets,
    is_auto,
    known_classes,
    present_columns,
    stream_counts,
    stream_factors,
)

Array = NDArray[Any]


class StreamMixin:
    """The part of a prototype model that learns from a stream."""

    def partial_fit(
        self: Any,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Any:
        """Learn from further samples of a stream, starting from the model so far.

        That is the model of the last call, of a fit, or of a file; without one, a class starts
        with a prototype at its first sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Any number of samples, in the order of the stream; NaN is a missing value. Features
            should be scaled, for instance by a ``StandardScaler`` with ``partial_fit``.
        y : array-like of shape (n_samples,)
            Classes of the samples, which may be new.
        classes : array-like of shape (n_classes,), default=None
            Classes that are announced. They are in ``classes_`` before they are met; predictions
            are classes that were met.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.

        Returns
        -------
        self : estimator
            The model.

        Notes
        -----
        Samples are learned in batches of 32, wherever calls cut the stream: the model does not
        depend on the cuts, and further samples count from the next full batch on. The steps are
        those of Adam and have a size that stays, whatever ``solver``, ``tol`` and ``max_iter``.

        A window of the last 1,024 samples is kept, and learned from repeatedly. If the newest have
        far more errors than those before, older ones are forgotten. With "auto", prototypes are
        inserted where samples are wrong and dropped where they are of no use, up to
        ``max_prototypes``; fixed numbers are reached as soon as classes have the samples.
        Bandwidths that are estimated follow the window.

        Memory is bounded, and `abstain.save` keeps the window too: a stream that is saved, loaded
        and continued gives the same model to the bit.

        Examples
        --------
        >>> from abstain.models import GLVQ
        >>> model = GLVQ().partial_fit([[0.0, 0.0], [4.0, 1.0]], ["a", "b"])
        >>> model.partial_fit([[9.0, 9.0]], ["c"]).predict([[3.5, 1.0], [9.0, 8.0]]).tolist()
        ['b', 'c']
        """
        rows, names = self._stream_rows(X, y, classes, sample_weight)
        stream, rules = self._stream_so_far(rows, names), self._rules(names)
        n_before, n_steps = len(stream.prototype_classes), stream.n_steps
        stream.announce(names)
        stream.learn(rows, rules)
        is_changed = (n_before, n_steps) != (len(stream.prototype_classes), stream.n_steps)
        if is_changed or len(names) > len(getattr(self, "classes_", ())):
            self._store(stream.problem(rules), stream.loss(rules), stream.result())
        self._stream = stream
        return self

    def _stream_rows(
        self: Any,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None,
        sample_weight: ArrayLike | None,
    ) -> tuple[Rows, Array]:
        """Return checked samples that have some weight, and all classes known by now."""
        if is_dask(X) or is_dask(y):
            raise InputError(
                argument="X",
                requirement="must be in memory for partial_fit",
                got="a Dask collection",
                remedy="call fit, or give its blocks one after the other",
            )
        check_labels(y)
        is_first = not hasattr(self, "prototypes_")
        if is_first and not isinstance(self.init, str):
            raise InputError(
                argument="init",
                requirement=f"must be one of {INITS} in a first partial_fit",
                got="an array",
                remedy="call fit first",
            )
        samples, targets = validate_data(
            self,
            X,
            y,
            dtype=[np.float64, np.float32],
            ensure_all_finite="allow-nan",
            reset=is_first,
        )
        check_targets(targets)
        check_parameters(self.get_params(deep=False), samples.shape[1])
        present_columns(samples)
        if not is_first:
            samples = samples.astype(self.prototypes_.dtype, copy=False)
        check_magnitude(
            value_ranges(samples), samples.dtype, getattr(self, "feature_names_in_", None)
        )
        weights = check_sample_weight(
            sample_weight, samples, dtype=samples.dtype, ensure_non_negative=True
        )
        names = known_classes(getattr(self, "classes_", None), classes, targets)
        labels = np.searchsorted(names, targets)
        return Rows(samples, labels, weights).with_weight(), names

    def _stream_so_far(self: Any, rows: Rows, names: Array) -> Stream:
        """Return the stream to go on with: that of the last call, of the fit, or a new one."""
        if hasattr(self, "_stream"):
            stream: Stream = self._stream
            return stream
        if hasattr(self, "prototypes_"):
            labels = np.searchsorted(self.classes_, self.prototype_labels_)
            metric = [self._scaled_metric(each) for each in self._metric()]
            seen = np.atleast_2d(getattr(self, "relevances_", np.ones(self.n_features_in_))) > 0
            return Stream.resume(
                self.classes_, labels, self.prototypes_, metric, np.any(seen, axis=0)
            )
        random_state = check_random_state(self.random_state)
        initial = self._distance().initial_metric((1, rows.samples.shape[1]), random_state)
        metric = list(map(self._scaled_metric, initial))
        return Stream.begin(names, int(rows.labels[0]), rows.samples[0], metric)

    def _rules(self: Any, names: Array) -> Rules:
        counts = None
        if not self._is_to_grow():
            number = 1 if is_auto(self.n_prototypes_per_class) else self.n_prototypes_per_class
            counts = np.array(stream_counts(number, names.tolist()))
        return Rules(
            distance=self._distance(),
            loss=self._loss,
            doubts=self._doubts,
            scaled_metric=self._scaled_metric,
            class_factors=partial(stream_factors, self.class_weight),
            regularization=self.regularization,
            counts=counts,
            most=self.max_prototypes,
        )
