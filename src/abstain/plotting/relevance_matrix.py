"""Which pairs of features does a learned metric weigh together?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.errors import InputError
from abstain._core.estimators import names_of_features, unwrap
from abstain.plotting._documentation import documented_display
from abstain.plotting._drawing import axes_to_draw_on, draw_colorbar, percent_tick
from abstain.plotting._evaluation import models_of
from abstain.plotting._texts import write_centred
from abstain.plotting.relevance import FeatureDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh

# Number of features that can be read in a figure of matplotlib's default size.
READABLE = 15
# Up to this number of features, there is room for a number in each cell.
LEGIBLE = 8


@documented_display("``pcolormesh``")
class RelevanceMatrixDisplay(FeatureDisplay):
    """Relevance matrix Λ = ΩᵀΩ of a model: its features, and the pairs that it weighs together.

    The diagonal holds the relevances, which sum to 1. An entry off the diagonal is the weight of
    two features together: in d(x, w) = Σ Λ_ij (x_i − w_i)(x_j − w_j), a positive entry increases
    the weight of deviations with the same sign, a negative one that of opposite signs.

    The most relevant features are first; negative entries are hatched.

    Parameters
    ----------
    matrix : array-like of shape (n_features, n_features)
        Λ; it is divided by its trace.

    Attributes
    ----------
    order : ndarray of shape (n_features,)
        Indices of the features, the most relevant first.

    Examples
    --------
    >>> display = RelevanceMatrixDisplay(matrix=[[1, -1], [-1, 3]], feature_names=["a", "b"])
    >>> display.matrix.tolist(), display.order.tolist()
    ([[0.25, -0.25], [-0.25, 0.75]], [1, 0])
    >>> [text.get_text() for text in display.plot().ax_.get_yticklabels()]
    ['b', 'a']
    """

    mesh_: QuadMesh

    def __init__(self, *, matrix: ArrayLike, feature_names: Sequence[str]) -> None:
        values: NDArray[np.float64] = np.asarray(matrix, dtype=np.float64)
        if values.ndim != 2 or values.shape[0] != values.shape[1] or not values.size:
            raise InputError(f"matrix must be square, got shape {values.shape}")
        if not values.trace() > 0:
            raise InputError(f"matrix must have a positive trace, got {values.trace():g}")
        self.matrix = values / values.trace()
        super().__init__(feature_names, self.matrix.diagonal())

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        prototype: int | None = None,
        feature_names: Sequence[str] | None = None,
        top: int | None = READABLE,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the relevance matrix of a fitted model.

        Parameters
        ----------
        estimator : estimator
            A fitted model with a matrix: GMLVQ, LGMLVQ, MRSLVQ or LMRSLVQ, alone or at the end of
            a ``Pipeline``, inside a search, a ``FrozenEstimator`` or a reject option.
        prototype : int, default=None
            Prototype whose matrix is shown, if each has its own; None shows their mean.

        Examples
        --------
        >>> import numpy as np
        >>> iris = load_iris()
        >>> model = GMLVQ().fit(iris.data, iris.target)
        >>> display = RelevanceMatrixDisplay.from_estimator(model)
        >>> bool(np.allclose(display.matrix.diagonal(), model.relevances_))
        True
        """
        steps, model = unwrap(estimator)
        display = cls(
            matrix=_relevance_matrix(model, prototype),
            feature_names=names_of_features(steps, model, feature_names),
        )
        return display.plot(ax=ax, top=top, **kwargs)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        *,
        feature_names: Sequence[str] | None = None,
        top: int | None = READABLE,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the mean relevance matrix of the models of a cross-validation.

        Λ is the same for every Ω with the same distances, so that a mean of several fits is
        meaningful; each has trace 1. Entries with opposite signs in different fits cancel out.

        Examples
        --------
        >>> X, y = load_iris(return_X_y=True)
        >>> results = cross_validate(GMLVQ(), X, y, return_estimator=True)
        >>> display = RelevanceMatrixDisplay.from_cv_results(results)
        >>> round(float(display.matrix.trace()), 6)
        1.0
        """
        models, names = models_of(cv_results, feature_names)
        matrices = np.array([_relevance_matrix(model, None) for model in models])
        traces = np.trace(matrices, axis1=1, axis2=2)[:, np.newaxis, np.newaxis]
        display = cls(matrix=(matrices / traces).mean(axis=0), feature_names=names)
        return display.plot(ax=ax, top=top, **kwargs)

    def plot(self, ax: Axes | None = None, *, top: int | None = READABLE, **kwargs: Any) -> Self:
        """Draw the matrix."""
        shown = self._shown(top)
        values = self.matrix[np.ix_(shown, shown)]
        ax = axes_to_draw_on(ax)
        largest = float(np.abs(values).max())
        edges = np.arange(len(shown) + 1) - 0.5
        style = {"cmap": "PuOr_r", "vmin": -largest, "vmax": largest, **kwargs}
        self.mesh_ = ax.pcolormesh(edges, edges, values, **style)
        _hatch(ax, values < 0)
        if len(shown) <= LEGIBLE:
            _write_numbers(ax, values, largest)
        draw_colorbar(ax, self.mesh_, "entry of Λ (hatched: negative)", percent_tick)
        self._name_features(ax, shown)
        return self._drawn_on(ax)

    def _name_features(self, ax: Axes, shown: NDArray[np.int64]) -> None:
        names = self._name_rows(ax, shown, longest=24)
        ax.set_xticks(range(len(shown)), names, rotation=45, rotation_mode="anchor", ha="right")
        ax.tick_params(axis="x", length=0)
        ax.set_aspect("equal")
        ax.spines[:].set_visible(False)
        n_hidden = len(self.order) - len(shown)
        if n_hidden:
            left = 100 * (1 - self.matrix.diagonal()[shown].sum())
            hidden = "1 more feature weighs" if n_hidden == 1 else f"{n_hidden} more features weigh"
            ax.set_xlabel(f"{hidden} {left:.1f}% on the diagonal", loc="right")


def _relevance_matrix(model: Any, prototype: int | None) -> NDArray[np.float64]:
    """Return Λ of a model, or of one of its prototypes."""
    roots = getattr(model, "omegas_", None)
    if roots is None:
        omega = getattr(model, "omega_", None)
        if omega is None:
            raise InputError(
                f"estimator must be a model that learns a matrix, got a {type(model).__name__}; "
                "use GMLVQ, LGMLVQ, MRSLVQ or LMRSLVQ"
            )
        if prototype is not None:
            raise InputError(
                f"prototype must be None for a model with one matrix for all, got {prototype!r}"
            )
        return np.asarray(omega.T @ omega, dtype=np.float64)
    matrices = np.asarray(roots.swapaxes(1, 2) @ roots, dtype=np.float64)
    if prototype is None:
        traces = np.trace(matrices, axis1=1, axis2=2)
        return np.asarray((matrices / traces[:, np.newaxis, np.newaxis]).mean(axis=0))
    is_index = isinstance(prototype, int | np.integer) and not isinstance(prototype, bool)
    if not is_index or not 0 <= prototype < len(matrices):
        raise InputError(
            f"prototype must be an integer from 0 to {len(matrices) - 1}, got {prototype!r}"
        )
    return np.asarray(matrices[prototype])


def _hatch(ax: Axes, chosen: NDArray[np.bool_]) -> None:
    """Hatch some cells, so that they differ in grey as well."""
    from matplotlib.collections import PolyCollection

    corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    rows, columns = np.nonzero(chosen)
    cells = np.stack([columns, rows], axis=1)[:, np.newaxis] + corners
    ax.add_collection(
        PolyCollection(list(cells), facecolor="none", edgecolor="0.55", linewidth=0, hatch="////")
    )


def _write_numbers(ax: Axes, values: NDArray[np.float64], largest: float) -> None:
    for row, column in np.ndindex(*values.shape):
        value = float(values[row, column])
        is_hatched = -0.7 * largest < value < 0
        background = {"facecolor": "white", "alpha": 0.6, "linewidth": 0, "pad": 1}
        write_centred(
            ax,
            column,
            row,
            f"{100 * value:.1f}".replace("-", "−"),
            color="white" if abs(value) > 0.7 * largest else "black",
            bbox=background if is_hatched else None,
        )
