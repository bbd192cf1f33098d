"""
Local against global thresholds on the pearl necklace
=====================================================

Five clusters in a row, some narrow, some wide. A certainty that has one scale for the whole plane
means different things beside each of them, and a threshold for each cell does better than one for
all, on new data too.
"""

# %%
# One prototype for each class; their Voronoi cells are the cells. The two classifiers differ in
# their thresholds alone: outliers are not rejected, so that the pictures show only these.

import numpy as np
from matplotlib import pyplot as plt

from abstain import GMLVQ, RejectOptionClassifier, RejectRate
from abstain.datasets import make_pearl_necklace

X, y = make_pearl_necklace(1_000, random_state=0)
X_new, y_new = make_pearl_necklace(10_000, random_state=1)
one, many = (
    RejectOptionClassifier(
        GMLVQ(n_prototypes_per_class=1), cells=cells, target=RejectRate(0.05), outliers=None
    ).fit(X, y)
    for cells in ("global", "prototype")
)

# %%
# What each rejects, drawn on the plane.

columns, rows = np.linspace(-12, 165, 400), np.linspace(-45, 50, 200)
places = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2)
wrong = one.predict(X) != y

figure, axes = plt.subplots(1, 2, figsize=(9, 2.9), layout="constrained")
for ax, clf, name in zip(axes, (one, many), ("one threshold", "one per cell"), strict=True):
    rejected = clf.reject(places).reshape(len(rows), len(columns))
    ax.contourf(columns, rows, rejected, [0.5, 1.5], colors=["#999999"], alpha=0.5)
    ax.scatter(*X[~wrong].T, c=y[~wrong], s=4, cmap="viridis", vmin=0, vmax=4)
    ax.scatter(*X[wrong].T, c=y[wrong], s=24, marker="x", cmap="viridis", vmin=0, vmax=4)
    ax.scatter(*clf.estimator_.prototypes_.T, s=120, marker="*", color="white", edgecolors="black")
    ax.set(xticks=[], yticks=[], title=name)
plt.show()

# %%
# Both were told to reject at most 5%. Crosses are errors.

for clf, name in ((one, "one threshold"), (many, "one per cell")):
    accepted = ~clf.reject(X_new)
    right = clf.predict(X_new)[accepted] == y_new[accepted]
    print(f"{name + ':':<16}{accepted.mean():.1%} of 10,000 answered, {right.mean():.1%} right")

# %%
# The thresholds tell why. Samples of the wide clusters fall into the cells of the narrow ones
# (classes 0 and 2), far from the prototype and yet on its side: these two have the highest
# thresholds. The cell of the widest cluster (class 1) rejects nothing.

for label, threshold in zip(many.cells_[:-1], many.thresholds_[:-1], strict=True):
    print(f"cell of class {label}: reject below {threshold:.3f}")
shared = one.thresholds_[0]
print(f"all cells: reject below {shared:.3f}")
