"""The data, model, plane and colours that the pictures of the pearl necklace share."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from abstain import GMLVQ, RejectOptionClassifier, RejectRate
from abstain.datasets import make_pearl_necklace

Array = NDArray[Any]

# Readable in greyscale and for colour-blind people, after Okabe and Ito.
COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9"]
GLOBAL, LOCAL = "#555555", "#d55e00"
LEFT, RIGHT, LOW, HIGH = -12.0, 165.0, -42.0, 48.0
RATE = 0.05


class Necklace(NamedTuple):
    """Samples, new samples, and the two classifiers that differ only in their cells."""

    X: Array
    y: Array
    X_new: Array
    y_new: Array
    one: RejectOptionClassifier
    many: RejectOptionClassifier


@cache
def necklace() -> Necklace:
    """Fit the model once for all pictures."""
    X, y = make_pearl_necklace(1_000, random_state=0)
    X_new, y_new = make_pearl_necklace(10_000, random_state=1)
    one, many = (
        RejectOptionClassifier(
            GMLVQ(n_prototypes_per_class=1, beta=None),
            cells=cells,
            method="exact",
            target=RejectRate(RATE),
            cv="training",
            outliers=None,
        ).fit(X, y)
        for cells in ("global", "prototype")
    )
    return Necklace(X, y, X_new, y_new, one, many)


def grid(n_columns: int = 500) -> tuple[Array, Array, Array]:
    """Return the positions of a grid in the plane, and its two axes."""
    columns = np.linspace(LEFT, RIGHT, n_columns)
    rows = np.linspace(LOW, HIGH, n_columns // 2)
    return np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2), columns, rows


def draw_samples(ax: Axes, pearls: Necklace, *, n_shown: int = 500) -> None:
    """Draw some samples in the colour of their class, wrong ones as crosses."""
    X, y = pearls.X[:n_shown], pearls.y[:n_shown]
    wrong = pearls.one.predict(X) != y
    for label, colour in enumerate(COLOURS):
        right, missed = (y == label) & ~wrong, (y == label) & wrong
        ax.scatter(*X[right].T, s=6, color=colour, linewidths=0, alpha=0.7)
        ax.scatter(*X[missed].T, s=22, color=colour, marker="x", linewidths=1.2)


def draw_prototypes(ax: Axes, pearls: Necklace) -> None:
    """Draw the prototypes as stars."""
    model = pearls.one.estimator_
    ax.scatter(
        *model.prototypes_.T,
        s=140,
        marker="*",
        c=[COLOURS[label] for label in model.prototype_labels_],
        edgecolors="black",
        zorder=3,
    )


def draw_borders(ax: Axes, pearls: Necklace) -> None:
    """Draw the borders between the cells."""
    places, columns, rows = grid()
    winners = pearls.one.estimator_.apply(places).reshape(len(rows), len(columns))
    for border in range(1, len(COLOURS)):
        ax.contour(columns, rows, winners >= border, [0.5], colors="black", linewidths=0.7)


def draw_rejects(ax: Axes, clf: RejectOptionClassifier) -> None:
    """Shade the rejected regions."""
    places, columns, rows = grid()
    rejected = clf.reject(places).reshape(len(rows), len(columns))
    ax.contourf(
        columns, rows, rejected, [0.5, 1.5], colors=["#999999"], alpha=0.45, hatches=["///"]
    )


def tidy_plane(ax: Axes) -> None:
    """Leave out the axes: the plane has no units."""
    ax.set(xlim=(LEFT, RIGHT), ylim=(LOW, HIGH), xticks=[], yticks=[])
    ax.set_aspect("equal")


def test_curve(clf: RejectOptionClassifier, X: Array, y: Array) -> tuple[Array, Array]:
    """Return reject rates and accuracies of the rows of a front on other samples."""
    certainty, right = clf.certainties(X), clf.predict(X) == y
    cells = clf.apply(X)
    rates, accuracies = [], []
    # Its columns are the cells with a threshold of their own, or the one cell for all.
    rows = np.linspace(0, len(clf.front_) - 1, 60).astype(int)
    for row in rows:
        thresholds = clf.front_.thresholds_at(int(row))
        accepted = certainty >= thresholds[np.minimum(cells, len(thresholds) - 1)]
        rates.append(1 - accepted.mean())
        accuracies.append(right[accepted].mean() if accepted.any() else np.nan)
    order = np.argsort(rates)
    return np.array(rates)[order], np.array(accuracies)[order]
