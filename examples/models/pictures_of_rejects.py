"""Where does a classifier decline to answer, and what does that buy?
==================================================================

A matrix model (GMLVQ) looks at handwritten digits from 0 to 5 along two directions only, so that
everything it does can be seen in a plane. A reject option lets it decline. Six figures show how
sure the model is where, which regions it rejects, what becomes of new digits as more are rejected,
and which digits the rejects are.
As a script, it takes one option::

    python examples/models/pictures_of_rejects.py              # shows the figures
    python examples/models/pictures_of_rejects.py --out DIR    # saves them instead
"""

import argparse
from pathlib import Path

from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold, cross_validate, train_test_split
from sklearn.naive_bayes import GaussianNB

from abstain import GMLVQ, RejectOptionClassifier, RejectRate
from abstain.plotting import (
    AccuracyRejectCurveDisplay,
    CertaintyContourDisplay,
    RejectConfusionDisplay,
    RejectOutcomesDisplay,
    RejectRegionDisplay,
)

parser = argparse.ArgumentParser(description="Pictures of a classifier that declines to answer.")
parser.add_argument("--out", type=Path, help="folder for the figures; made if it is not there")
out = parser.parse_args().out

# %%
# Data: 1083 images of 8 x 8 pixels. The new digits have no part in model or thresholds.

X, y = load_digits(n_class=6, return_X_y=True)
X, X_new, y, y_new = train_test_split(X / 16, y, test_size=0.5, stratify=y, random_state=0)

# %%
# A classifier that may decline one digit in ten. Its thresholds, one for each prototype, are set on
# answers to digits that it had not seen (cv). Outliers are told by all pixels and cannot be seen in
# the plane, so that they are not rejected here.

model = GMLVQ(n_prototypes_per_class=1, n_components=2, random_state=0)
clf = RejectOptionClassifier(
    model, target=RejectRate(0.1), cv=5, outliers=None, random_state=0
).fit(X, y)
rejected = clf.reject(X_new)
right = clf.predict(X_new) == y_new
print(f"right on all {len(y_new)} new digits: {right.mean():.1%}")
print(f"right on the {1 - rejected.mean():.1%} that are answered: {right[~rejected].mean():.1%}")

# %%
# The plane of the model. It has two directions, so that nothing is hidden behind the picture.

CertaintyContourDisplay.from_estimator(clf, X_new, y_new)
regions = RejectRegionDisplay.from_estimator(clf, X_new, y_new)
regions.ax_.set_title("New digits, and where they are rejected")

# %%
# What each row of the stored front does to the new digits; the dot is where the classifier runs.
# Thresholds for all digits alike, and another classifier, lie in the same axes.

curve = AccuracyRejectCurveDisplay.from_estimator(
    clf, X_new, y_new, name="GMLVQ, a threshold for each prototype"
)
AccuracyRejectCurveDisplay.from_estimator(
    clf, X_new, y_new, certainty="relsim", name="GMLVQ, one threshold", ax=curve.ax_
)
AccuracyRejectCurveDisplay.from_estimator(
    GaussianNB().fit(X, y), X_new, y_new, name="naive Bayes, one threshold", ax=curve.ax_
)
curve.ax_.set(title="Thresholds tried on new digits", xlim=(0, 0.6), ylim=(0.86, 1))

# %%
# The same over ten folds, with a band of one standard deviation.

folds = StratifiedKFold(10, shuffle=True, random_state=0)
_, means = plt.subplots(layout="constrained")
for name, estimator in {"GMLVQ": model, "naive Bayes": GaussianNB()}.items():
    cv_results = cross_validate(
        estimator, X_new, y_new, cv=folds, return_estimator=True, return_indices=True
    )
    AccuracyRejectCurveDisplay.from_cv_results(cv_results, X_new, y_new, name=name, ax=means)
means.set(title="One threshold, mean of ten folds", xlim=(0, 0.6), ylim=(0.82, 1))

# %%
# What becomes of all new digits, and which ones are rejected.

outcomes = RejectOutcomesDisplay.from_estimator(clf, X_new, y_new)
outcomes.ax_.axvline(rejected.mean(), color="black")
outcomes.ax_.set_title("All new digits; the line is where the classifier runs")
confusion = RejectConfusionDisplay.from_estimator(clf, X_new, y_new, normalize="true")
confusion.ax_.set_title("What each new digit is taken for")
print("rejected of each digit:", *confusion.confusion_matrix[:, -1])

if out is None:
    plt.show()
else:
    out.mkdir(parents=True, exist_ok=True)
    names = ["contours", "regions", "curves", "means", "outcomes", "confusion"]
    for number, name in zip(plt.get_fignums(), names, strict=True):
        # Moved into place when it is whole, so that no half-written figure is left behind.
        draft = out / f".{name}.png"
        plt.figure(number).savefig(draft, dpi=160)
        draft.replace(out / f"{name}.png")
    print(f"\nThe figures lie in {out}")
