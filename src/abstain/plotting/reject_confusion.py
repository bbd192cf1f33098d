"""Which classes are taken for which, and of which are samples rejected?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import InputError, as_labels, check_boolean_vector, check_same_length
from abstain._core.estimators import pass_through, unwrap
from abstain.metrics._samples import check_samples
from abstain.metrics.confusion import (
    confusion_matrix_with_rejects,
    labels_with_rejects,
    normalize_counts,
)
from abstain.plotting._folds import folds_of
from abstain.plotting._matplotlib import axes_to_draw_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.image import AxesImage

__all__ = ["RejectConfusionDisplay"]

# Empty space between the classes and the rejected, in columns.
GAP = 0.25
# Up to so many classes, a figure of matplotlib's own size has room for two lines in a cell.
ROOMY = 8


class RejectConfusionDisplay:
    """Confusion matrix with a column for the rejected samples.

    Use :meth:`from_estimator`, :meth:`from_predictions` or, for all folds of a cross-validation,
    :meth:`from_cv_results` to make one; :meth:`plot` draws it again. Every sample is counted once,
    so that a row sums to the size of its class.

    Parameters
    ----------
    confusion_matrix : array-like of shape (n_classes, n_classes + 1)
        Counts, as `confusion_matrix_with_rejects` returns them: rows are true classes, columns
        predicted ones, and last the rejected.
    display_labels : array-like of shape (n_classes,), default=None
        What the classes are called; None numbers them.
    normalize : {None, "true", "all"}, default=None
        What is shown: counts, shares of each true class, or shares of all samples.

    Attributes
    ----------
    values : ndarray of shape (n_classes, n_classes + 1)
        What is shown.

    Examples
    --------
    >>> from abstain.plotting import RejectConfusionDisplay
    >>> display = RejectConfusionDisplay(
    ...     confusion_matrix=[[8, 1, 1], [0, 15, 5]], display_labels=["ill", "well"]
    ... )
    >>> [label.get_text() for label in display.plot().ax_.get_xticklabels()]
    ['ill', 'well', 'rejected']
    """

    ax_: Axes
    figure_: Figure | SubFigure
    im_: AxesImage
    reject_im_: AxesImage
    text_: NDArray[Any] | None

    def __init__(
        self,
        *,
        confusion_matrix: ArrayLike,
        display_labels: ArrayLike | None = None,
        normalize: str | None = None,
    ) -> None:
        self.confusion_matrix: NDArray[Any] = np.asarray(confusion_matrix)
        shape = self.confusion_matrix.shape
        if len(shape) != 2 or not shape[0] or shape[1] != shape[0] + 1:
            raise InputError(
                "confusion_matrix must have one column more than rows, for the rejected samples, "
                f"got shape {shape}"
            )
        self.display_labels = np.asarray(
            range(shape[0]) if display_labels is None else display_labels
        )
        if self.display_labels.shape != shape[:1]:
            raise InputError(
                f"display_labels must name each of the {shape[0]} classes, got shape "
                f"{self.display_labels.shape}"
            )
        self.normalize = normalize
        self.values = normalize_counts(self.confusion_matrix, normalize)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        display_labels: ArrayLike | None = None,
        normalize: str | None = None,
        sample_weight: ArrayLike | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the confusion matrix of a fitted reject option.

        Parameters
        ----------
        estimator : estimator
            A fitted `RejectOptionClassifier`, alone, at the end of a ``Pipeline`` or inside a
            search.
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Their classes.
        labels : array-like of shape (n_classes,), default=None
            The classes in the order of rows and columns; None is that of the classifier.
        display_labels : array-like of shape (n_classes,), default=None
            What the classes are called, in that order; None are the labels themselves.
        normalize : {None, "true", "all"}, default=None
            What is shown: counts, shares of each true class, or shares of all samples.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : RejectConfusionDisplay
            The matrix, and the figure in ``figure_``.

        Examples
        --------
        >>> from abstain import GMLVQ, RejectOptionClassifier
        >>> from abstain.plotting import RejectConfusionDisplay
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = RejectOptionClassifier(GMLVQ()).fit(X, y)
        >>> display = RejectConfusionDisplay.from_estimator(clf, X, y)
        >>> display.confusion_matrix.sum(axis=1).tolist()
        [50, 50, 50]
        """
        answers, rejected, classes = _asked(estimator, X)
        return cls.from_predictions(
            y,
            answers,
            rejected,
            labels=classes if labels is None else labels,
            display_labels=display_labels,
            normalize=normalize,
            sample_weight=sample_weight,
            ax=ax,
            **kwargs,
        )

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        display_labels: ArrayLike | None = None,
        normalize: str | None = None,
        sample_weight: ArrayLike | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the sum of the confusion matrices of a cross-validation.

        Each reject option answers and rejects the samples of its test part, which it was not fitted
        on; a sample counts as often as it is in a test part.

        Parameters
        ----------
        cv_results : dict
            What scikit-learn's ``cross_validate`` returns with ``return_estimator=True`` and
            ``return_indices=True`` for a `RejectOptionClassifier`, alone, at the end of a
            ``Pipeline`` or inside a search.
        X : array-like of shape (n_samples, n_features)
            The samples that it was given.
        y : array-like of shape (n_samples,)
            Their classes.
        labels : array-like of shape (n_classes,), default=None
            The classes in the order of rows and columns; None are all that any of the classifiers
            knows, sorted.
        display_labels : array-like of shape (n_classes,), default=None
            What the classes are called, in that order; None are the labels themselves.
        normalize : {None, "true", "all"}, default=None
            What is shown: counts, shares of each true class, or shares of all samples.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : RejectConfusionDisplay
            The matrix, and the figure in ``figure_``.

        Examples
        --------
        >>> from abstain import RejectOptionClassifier, RejectRate
        >>> from abstain.plotting import RejectConfusionDisplay
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.model_selection import cross_validate
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = RejectOptionClassifier(GaussianNB(), target=RejectRate(0.1))
        >>> found = cross_validate(clf, X, y, return_estimator=True, return_indices=True)
        >>> display = RejectConfusionDisplay.from_cv_results(found, X, y)
        >>> display.confusion_matrix.sum(axis=1).tolist()
        [50, 50, 50]
        """
        folds = folds_of(cv_results, X, y)
        asked = [_asked(fold.estimator, fold.X) for fold in folds]
        answers, rejected, classes = (np.concatenate(each) for each in zip(*asked, strict=True))
        if sample_weight is not None:
            tests = np.concatenate([fold.test for fold in folds])
            check_same_length(y=as_labels("y", y), sample_weight=np.asarray(sample_weight))
            sample_weight = np.asarray(sample_weight)[tests]
        return cls.from_predictions(
            np.concatenate([fold.y for fold in folds]),
            answers,
            rejected,
            labels=np.unique(classes) if labels is None else labels,
            display_labels=display_labels,
            normalize=normalize,
            sample_weight=sample_weight,
            ax=ax,
            **kwargs,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        rejected: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        display_labels: ArrayLike | None = None,
        normalize: str | None = None,
        sample_weight: ArrayLike | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the confusion matrix of predictions, some of which are rejected.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,)
            True and predicted labels; what is predicted of rejected samples does not matter.
        rejected : array-like of bool of shape (n_samples,)
            Which samples are rejected.
        labels : array-like of shape (n_classes,), default=None
            The classes in the order of rows and columns; None are all that occur, sorted.
        display_labels : array-like of shape (n_classes,), default=None
            What the classes are called, in that order; None are the labels themselves.
        normalize : {None, "true", "all"}, default=None
            What is shown: counts, shares of each true class, or shares of all samples.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : RejectConfusionDisplay
            The matrix, and the figure in ``figure_``.

        Examples
        --------
        >>> from abstain.plotting import RejectConfusionDisplay
        >>> display = RejectConfusionDisplay.from_predictions(
        ...     y_true=["a", "a", "b"], y_pred=["a", "b", "b"], rejected=[False, True, False]
        ... )
        >>> display.confusion_matrix.tolist()
        [[1, 0, 1], [0, 1, 0]]
        """
        mask = check_boolean_vector("rejected", rejected)
        truth, answers, _ = check_samples(y_true, y_pred, sample_weight, rejected=mask)
        classes = labels_with_rejects(truth, answers, mask, labels)
        matrix = confusion_matrix_with_rejects(
            truth, answers, mask, labels=classes, sample_weight=sample_weight
        )
        display = cls(
            confusion_matrix=matrix,
            display_labels=classes if display_labels is None else display_labels,
            normalize=normalize,
        )
        return display.plot(ax=ax, **kwargs)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        include_values: bool = True,
        include_counts: bool = True,
        values_format: str | None = None,
        reject_name: str = "rejected",
        colorbar: bool = True,
        **kwargs: Any,
    ) -> Self:
        r"""Draw the matrix.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        include_values : bool, default=True
            Whether the values stand in the cells.
        include_counts : bool, default=True
            Whether counts stand under shares; of more than eight classes, they do not.
        values_format : str, default=None
            Format of the values; None is ".0%" for shares and "d" or ".4g" for counts.
        reject_name : str, default="rejected"
            What the last column is called.
        colorbar : bool, default=True
            Whether there is a bar that tells the values of the colours.
        **kwargs : dict
            Passed to matplotlib's ``imshow``.

        Returns
        -------
        display : RejectConfusionDisplay
            Itself, with ``ax_``, ``figure_``, ``im_`` and ``reject_im_``, and ``text_``, of the
            shape of the matrix, or None.

        Examples
        --------
        >>> from abstain.plotting import RejectConfusionDisplay
        >>> display = RejectConfusionDisplay(
        ...     confusion_matrix=[[8, 1, 1], [0, 15, 5]], normalize="true"
        ... )
        >>> display.plot().text_[0, 2].get_text()
        '10%\n(1)'
        """
        ax = axes_to_draw_on(ax)
        n_classes = len(self.values)
        columns = np.append(np.arange(n_classes), n_classes + GAP)
        style = {"cmap": "Blues", "vmin": 0.0, "vmax": self._highest, **kwargs}
        self.im_ = _draw_block(ax, self.values[:, :-1], 0.0, style)
        self.reject_im_ = _draw_block(ax, self.values[:, -1:], float(columns[-1]), style)
        self.text_ = None
        if include_values:
            self.text_ = self._write(ax, columns, include_counts, values_format)
        self._name(ax, columns, reject_name)
        if colorbar:
            bar = ax.figure.colorbar(self.im_, ax=ax, format=_tick if self.normalize else None)
            bar.outline.set_visible(False)
            bar.set_label(self._what_is_shown())
        self.ax_, self.figure_ = ax, ax.figure
        return self

    @property
    def _highest(self) -> float:
        return 1.0 if self.normalize == "true" else float(max(self.values.max(), 1e-12))

    def _what_is_shown(self) -> str:
        if self.normalize is None:
            return "samples"
        return "share of the class" if self.normalize == "true" else "share of all samples"

    def _write(
        self, ax: Axes, columns: NDArray[Any], include_counts: bool, values_format: str | None
    ) -> NDArray[Any]:
        """Write the value of each cell into it, in white where the cell is dark."""
        texts = np.empty(self.values.shape, dtype=object)
        has_counts = include_counts and self.normalize is not None and len(self.values) <= ROOMY
        for row, column in np.ndindex(*self.values.shape):
            value = self.values[row, column]
            text = _formatted(value, values_format, self.normalize is not None)
            if has_counts:
                text += f"\n({_formatted(self.confusion_matrix[row, column], None, False)})"
            red, green, blue, _ = self.im_.cmap(self.im_.norm(value))
            is_dark = 0.3 * red + 0.59 * green + 0.11 * blue < 0.5
            texts[row, column] = ax.text(
                float(columns[column]),
                float(row),
                text,
                color="white" if is_dark else ("black" if value else "0.55"),
                weight="bold" if row == column else "normal",
                fontsize="medium" if len(self.values) <= ROOMY else "small",
                horizontalalignment="center",
                verticalalignment="center",
            )
        return texts

    def _name(self, ax: Axes, columns: NDArray[Any], reject_name: str) -> None:
        names = [str(label) for label in self.display_labels.tolist()]
        ax.set_xticks(columns, [*names, reject_name])
        ax.set_yticks(range(len(names)), names)
        ax.set_xlim(-0.5, columns[-1] + 0.5)
        ax.set_ylim(len(names) - 0.5, -0.5)
        ax.set(xlabel="predicted class", ylabel="true class")
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        longest = max(map(len, names))
        if max(longest / 48, (longest + len(reject_name)) / 120) * len(columns) > 1:
            ax.tick_params(axis="x", rotation=30)
            for text in ax.get_xticklabels():
                text.set(horizontalalignment="right", rotation_mode="anchor")


def _asked(estimator: Any, X: Any) -> tuple[NDArray[Any], NDArray[np.bool_], NDArray[Any]]:
    """Return what a reject option would answer, what it rejects, and the classes it knows."""
    from abstain.classifier import RejectOptionClassifier

    steps, clf = unwrap(estimator, until=RejectOptionClassifier)
    if not isinstance(clf, RejectOptionClassifier):
        raise InputError(
            f"estimator must be a fitted RejectOptionClassifier, got a {type(clf).__name__}; "
            "use from_predictions with what you reject"
        )
    seen = pass_through(steps, X)
    return clf.estimator_.predict(seen), clf.reject(seen), clf.classes_


def _draw_block(ax: Axes, values: NDArray[Any], column: float, style: dict[str, Any]) -> AxesImage:
    """Draw some columns, the first of them centred at a given place, with a frame."""
    from matplotlib.patches import Rectangle

    height, width = values.shape
    left, right, bottom, top = column - 0.5, column - 0.5 + width, height - 0.5, -0.5
    image = ax.imshow(values, extent=(left, right, bottom, top), **style)
    frame: dict[str, Any] = {"fill": False, "edgecolor": "0.3", "linewidth": 0.8}
    ax.add_patch(Rectangle((left, top), width, height, clip_on=False, **frame))
    return image


def _formatted(value: Any, values_format: str | None, is_share: bool) -> str:
    if values_format is None:
        is_whole = isinstance(value, int | np.integer)
        values_format = ".0%" if is_share else ("d" if is_whole else ".4g")
    return format(value, values_format)


def _tick(share: float, _: float) -> str:
    return f"{100 * share:g} %"
