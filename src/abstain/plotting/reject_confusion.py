"""Which classes are confused with which, and how many samples of each class are rejected?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import as_labels, check_boolean_vector, check_same_length
from abstain._core.errors import InputError
from abstain._core.estimators import pass_through
from abstain.metrics._samples import check_samples
from abstain.metrics.confusion import (
    confusion_matrix_with_rejects,
    labels_with_rejects,
    normalize_counts,
)
from abstain.plotting._documentation import documented_display
from abstain.plotting._drawing import Display, axes_to_draw_on, draw_colorbar, percent_tick
from abstain.plotting._evaluation import folds_of, reject_option_of
from abstain.plotting._texts import elided, fit_names, lay_out, write_centred

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

# Empty space between the classes and the rejected samples, in columns.
GAP = 0.25
# Up to this number of classes, a figure of matplotlib's default size has room for two lines in a
# cell, and for numbers of the default font size. In larger matrices, shares have no percent sign,
# and zeros, which are most of the numbers, are left out.
ROOMY = 8
# Size in points of numbers, and in inches of cells, in a figure that is enlarged for them.
SMALLEST_FONT, SMALLEST_CELL = 7.5, 0.21
# Share of the width of a cell that its number may take.
FILLED = 0.88
# Inches to which a figure is enlarged at most.
LARGEST_FIGURE = 20.0
# Letters of the name of a class that are shown.
LONGEST = 24


@documented_display("``imshow``")
class RejectConfusionDisplay(Display):
    """Confusion matrix with a column for the rejected samples.

    Every sample is counted once, so that a row sums to the size of its class.

    Parameters
    ----------
    confusion_matrix : array-like of shape (n_classes, n_classes + 1)
        Counts, as `confusion_matrix_with_rejects` returns them: rows are true classes, columns
        predicted ones, and last the rejected samples.
    display_labels : array-like of shape (n_classes,), default=None
        Names of the classes; None numbers them.

    Attributes
    ----------
    values : ndarray of shape (n_classes, n_classes + 1)
        What is shown: counts or shares.

    Examples
    --------
    >>> display = RejectConfusionDisplay(
    ...     confusion_matrix=[[8, 1, 1], [0, 15, 5]],
    ...     display_labels=["ill", "well"],
    ...     normalize="true",
    ... )
    >>> [label.get_text() for label in display.plot().ax_.get_xticklabels()]
    ['ill', 'well', 'rejected']
    >>> display.text_[0, 2].get_text().split()
    ['10%', '(1)']
    """

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
        labels : array-like of shape (n_classes,), default=None
            The classes in the order of rows and columns; None uses that of the classifier.

        Examples
        --------
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = RejectOptionClassifier(GMLVQ()).fit(X, y)
        >>> display = RejectConfusionDisplay.from_estimator(clf, X, y)
        >>> display.confusion_matrix.sum(axis=1).tolist()
        [50, 50, 50]
        """
        predictions, rejected, classes = _predictions(estimator, X)
        return cls.from_predictions(
            y,
            predictions,
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

        Each reject option answers or rejects its test samples. A sample counts as often as it is
        a test sample.

        Parameters
        ----------
        labels : array-like of shape (n_classes,), default=None
            The classes in the order of rows and columns; None uses all that any of the
            classifiers knows, sorted.

        Examples
        --------
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = RejectOptionClassifier(GaussianNB(), target=RejectRate(0.1))
        >>> results = cross_validate(clf, X, y, return_estimator=True, return_indices=True)
        >>> display = RejectConfusionDisplay.from_cv_results(results, X, y)
        >>> display.confusion_matrix.sum(axis=1).tolist()
        [50, 50, 50]
        """
        folds = folds_of(cv_results, X, y)
        parts = [_predictions(fold.estimator, fold.X) for fold in folds]
        predictions, rejected, classes = (np.concatenate(each) for each in zip(*parts, strict=True))
        if sample_weight is not None:
            tests = np.concatenate([fold.test for fold in folds])
            check_same_length(y=as_labels("y", y), sample_weight=np.asarray(sample_weight))
            sample_weight = np.asarray(sample_weight)[tests]
        return cls.from_predictions(
            np.concatenate([fold.y for fold in folds]),
            predictions,
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
        rejected : array-like of bool of shape (n_samples,)
            Which samples are rejected; their predictions are not used.
        labels : array-like of shape (n_classes,), default=None
            The classes in the order of rows and columns; None uses all that occur, sorted.

        Examples
        --------
        >>> display = RejectConfusionDisplay.from_predictions(
        ...     y_true=["a", "a", "b"], y_pred=["a", "b", "b"], rejected=[False, True, False]
        ... )
        >>> display.confusion_matrix.tolist()
        [[1, 0, 1], [0, 1, 0]]
        """
        mask = check_boolean_vector("rejected", rejected)
        truth, predictions, _ = check_samples(y_true, y_pred, sample_weight, rejected=mask)
        classes = labels_with_rejects(truth, predictions, mask, labels)
        matrix = confusion_matrix_with_rejects(
            truth, predictions, mask, labels=classes, sample_weight=sample_weight
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
        """Draw the matrix.

        Numbers fit into their cells: a new figure is enlarged for them, and in an axes that is
        given they are made smaller. Of more than eight classes, shares are written without a
        percent sign, and cells without samples are left empty.

        Parameters
        ----------
        include_values : bool, default=True
            Whether to write the values into the cells.
        include_counts : bool, default=True
            Whether to write counts under shares, up to eight classes.
        values_format : str, default=None
            Format of the values; None uses ".0%" for shares and "d" or ".4g" for counts.
        reject_name : str, default="rejected"
            Name of the last column.
        """
        is_new = ax is None
        ax = axes_to_draw_on(ax)
        n_classes = len(self.values)
        columns = np.append(np.arange(n_classes), n_classes + GAP)
        highest = 1.0 if self.normalize == "true" else float(max(self.values.max(), 1e-12))
        style = {"cmap": "Blues", "vmin": 0.0, "vmax": highest, **kwargs}
        self.im_ = _draw_columns(ax, self.values[:, :-1], 0.0, style)
        self.reject_im_ = _draw_columns(ax, self.values[:, -1:], float(columns[-1]), style)
        self.text_ = None
        if include_values:
            self.text_ = self._write(ax, columns, include_counts, values_format)
        self._name_classes(ax, columns, reject_name)
        if colorbar:
            tick = percent_tick if self.normalize else None
            shares = {"true": "share of the class", "all": "share of all samples"}
            label = shares[self.normalize] if self.normalize else "samples"
            if self.normalize and self._is_large and include_values and values_format is None:
                label += " (numbers: percent)"
            draw_colorbar(ax, self.im_, label, tick)
        if is_new:  # cells are squares, which another layout would let clip the labels
            ax.figure.canvas.figure.set_layout_engine("compressed")
        if is_new:
            _enlarge(ax, self.text_)
        fit_names(ax)
        if self.text_ is not None:
            _fit_numbers(ax, self.text_)
        return self._drawn_on(ax)

    @property
    def _is_large(self) -> bool:
        return len(self.values) > ROOMY

    def _write(
        self, ax: Axes, columns: NDArray[Any], include_counts: bool, values_format: str | None
    ) -> NDArray[Any]:
        """Write the value of each cell into it, in white where the cell is dark."""
        texts = np.empty(self.values.shape, dtype=object)
        is_share = self.normalize is not None
        has_counts = include_counts and is_share and not self._is_large
        for row, column in np.ndindex(*self.values.shape):
            value = self.values[row, column]
            text = _formatted(value, values_format, is_share)
            if self._is_large and values_format is None:
                text = text.removesuffix("%") if value else ""
            if has_counts:
                text += f"\n({_formatted(self.confusion_matrix[row, column], None, False)})"
            red, green, blue, _ = self.im_.cmap(self.im_.norm(value))
            is_dark = 0.3 * red + 0.59 * green + 0.11 * blue < 0.5
            texts[row, column] = write_centred(
                ax,
                float(columns[column]),
                float(row),
                text,
                color="white" if is_dark else ("black" if value else "0.55"),
                weight="bold" if row == column else "normal",
                fontsize="small" if self._is_large else "medium",
            )
        return texts

    def _name_classes(self, ax: Axes, columns: NDArray[Any], reject_name: str) -> None:
        names = [elided(str(label), LONGEST) for label in self.display_labels.tolist()]
        ax.set_xticks(columns, [*names, reject_name])
        ax.set_yticks(range(len(names)), names)
        ax.set_xlim(-0.5, columns[-1] + 0.5)
        ax.set_ylim(len(names) - 0.5, -0.5)
        ax.set(xlabel="predicted class", ylabel="true class")
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)


def _predictions(estimator: Any, X: Any) -> tuple[NDArray[Any], NDArray[np.bool_], NDArray[Any]]:
    """Return the predictions of a reject option, what it rejects, and its classes."""
    steps, clf = reject_option_of(estimator, "use from_predictions with what you reject")
    X = pass_through(steps, X)
    decisions = clf.decide(X)
    return clf.classes_[decisions.class_indices], decisions.rejected, clf.classes_


def _draw_columns(
    ax: Axes, values: NDArray[Any], column: float, style: dict[str, Any]
) -> AxesImage:
    """Draw some columns with a frame, the first of them centred at a position."""
    from matplotlib.patches import Rectangle

    height, width = values.shape
    left, right, bottom, top = column - 0.5, column - 0.5 + width, height - 0.5, -0.5
    image = ax.imshow(values, extent=(left, right, bottom, top), **style)
    frame: dict[str, Any] = {"fill": False, "edgecolor": "0.3", "linewidth": 0.8}
    ax.add_patch(Rectangle((left, top), width, height, clip_on=False, **frame))
    return image


def _enlarge(ax: Axes, texts: NDArray[Any] | None) -> None:
    """Enlarge a figure until numbers and names of a readable size fit into and beside the cells."""
    figure = ax.figure.canvas.figure
    width = _cell_width(ax)
    needed = SMALLEST_CELL * figure.dpi
    if texts is not None:
        size = texts[0, 0].get_fontsize()
        needed = max(needed, _widest(texts) / FILLED * min(1.0, SMALLEST_FONT / size))
    if needed > width:
        box = ax.get_window_extent()
        added = (needed / width - 1) * np.array([box.width, box.height]) / figure.dpi
        figure.set_size_inches(*np.minimum(figure.get_size_inches() + added, LARGEST_FIGURE))


def _fit_numbers(ax: Axes, texts: NDArray[Any]) -> None:
    """Shrink numbers until each fits into its cell.

    A number that runs into the next cell is covered by its neighbours, so that "100%" reads "00".
    """
    filled = _widest(texts) / _cell_width(ax)
    for text in texts.flat if filled > FILLED else ():
        text.set_fontsize(text.get_fontsize() * FILLED / filled)


def _cell_width(ax: Axes) -> float:
    lay_out(ax)
    (left, _), (right, _) = ax.transData.transform([(0, 0), (1, 0)])
    return float(right - left)


def _widest(texts: NDArray[Any]) -> float:
    return float(max(text.get_window_extent().width for text in texts.flat))


def _formatted(value: Any, values_format: str | None, is_share: bool) -> str:
    if values_format is None:
        if is_share and 0 < value < 0.005:
            return "<1%"
        is_whole = isinstance(value, int | np.integer)
        values_format = ".0%" if is_share else ("d" if is_whole else ".4g")
    return format(value, values_format)
