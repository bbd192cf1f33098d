"""Which measurements tell a malignant tumour from a benign one, and how sure is that?
===================================================================================

A matrix model (GMLVQ) learns which features matter while it learns to classify. This script fits it
to the 569 tumours of scikit-learn's breast cancer data, prints the features that weigh most, checks
whether the ranking survives leaving out a tenth of the patients, and whether few features would do.
As a script, it takes one option::

    python examples/models/breast_cancer_relevances.py              # shows two figures
    python examples/models/breast_cancer_relevances.py --out DIR    # saves them instead
"""

import argparse
from pathlib import Path

import numpy as np
import polars as pl
from matplotlib import pyplot as plt
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain.models import GMLVQ
from abstain.plotting import PrototypeDisplay, RelevanceDisplay

TOP = 5

parser = argparse.ArgumentParser(description="Which measurements tell malignant from benign?")
parser.add_argument("--out", type=Path, help="folder for the figures; made if it is not there")
out = parser.parse_args().out

# %%
# Data. A frame, of polars or pandas, brings the names of the features along; names as classes make
# readable legends.

data = load_breast_cancer()
X = pl.DataFrame(data.data, schema=[str(name) for name in data.feature_names])
y = data.target_names[data.target]

# %%
# Model. Features are standardised: a relevance is then a weight per standard deviation, and that of
# an area in mm² can be compared with that of a ratio.

pipeline = make_pipeline(StandardScaler(), GMLVQ(n_prototypes_per_class=1))
folds = StratifiedKFold(10, shuffle=True, random_state=0)
validated = cross_validate(pipeline, X, y, cv=folds, return_estimator=True)
accuracies = validated["test_score"]
print(f"accuracy, 10 folds: {accuracies.mean():.3f} ± {accuracies.std():.3f}")

# %%
# Features that matter. Relevances sum to 1 over all features; the share of folds tells whether a
# feature is among the first because of a few patients.

fitted = clone(pipeline).fit(X, y)
relevances = RelevanceDisplay.from_estimator(fitted)
relevances.ax_.set_title("What the model looks at")
fold_relevances = np.array([part[-1].relevances_ for part in validated["estimator"]])
fold_ranks = (-fold_relevances).argsort(axis=1).argsort(axis=1)
in_top = (fold_ranks < TOP).mean(axis=0)

print(f"\n{'feature':<25}{'relevance':>10}{f'in the top {TOP} of':>21}")
for feature in relevances.order[: 2 * TOP]:
    print(
        f"{relevances.feature_names[feature]:<25}{relevances.relevances[feature]:>10.1%}"
        f"{in_top[feature]:>15.0%} folds"
    )

# %%
# Few features. Each fold keeps those that weigh most in its own training part: choosing them on all
# data first would let the test samples have a say, and the accuracy look better than it is.

print(f"\n{'features kept':<15}{'accuracy':>10}")
for n_kept in (1, 2, 3, 5, 10, 20):
    scores = []
    for (train, test), weights in zip(folds.split(X, y), fold_relevances, strict=True):
        kept = X[:, (-weights).argsort()[:n_kept].tolist()]
        scores.append(pipeline.fit(kept[train], y[train]).score(kept[test], y[test]))
    print(f"{n_kept:<15}{np.mean(scores):>10.3f}")
print(f"{f'all {X.width}':<15}{accuracies.mean():>10.3f}")

# %%
# Pictures. The last shows the patients along the direction that the model looks at most, and along
# the one in which they differ most otherwise.

prototypes = PrototypeDisplay.from_estimator(fitted, X, y)
prototypes.ax_.set_title(f"{len(y)} tumours and the prototypes fitted to them")

if out is None:
    plt.show()
else:
    out.mkdir(parents=True, exist_ok=True)
    for number, name in zip(plt.get_fignums(), ["relevances.png", "prototypes.png"], strict=True):
        # Moved into place when it is whole, so that no half-written figure is left behind.
        draft = out / f".{name}"
        plt.figure(number).savefig(draft, dpi=160)
        draft.replace(out / name)
    print(f"\nThe figures lie in {out}")
