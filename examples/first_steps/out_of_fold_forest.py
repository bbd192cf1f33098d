"""
Out-of-fold thresholds for a random forest
==========================================

A random forest makes next to no error on the samples that it was fitted on. Thresholds set there
have nothing to learn from. With ``cv``, they are set on answers of forests that had not seen the
samples.
"""

# %%
# Breast tumours: half of them to learn from, half to try out.

import warnings

from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from abstain import RejectOptionClassifier, RejectRate

X, X_new, y, y_new = train_test_split(
    *load_breast_cancer(return_X_y=True), test_size=0.5, random_state=0
)
forest = RandomForestClassifier(50, random_state=0)

# %%
# With ``cv="training"`` the fit warns that there is no error to learn from.

with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    by_heart = RejectOptionClassifier(forest, target=RejectRate(0.1), cv="training").fit(X, y)
print(told[0].message)

# %%
# By default, with ``cv=5``, five more forests are fitted, and each answers the samples that it had
# not seen.

out_of_fold = RejectOptionClassifier(forest, target=RejectRate(0.1)).fit(X, y)
for clf, name in ((by_heart, "training data"), (out_of_fold, "out of fold")):
    point = clf.operating_point_
    accepted = ~clf.reject(X_new)
    right = clf.predict(X_new)[accepted] == y_new[accepted]
    print(
        f"{name}: promised {point.accuracy:.1%} with {point.reject_rate:.1%} rejected; new data: "
        f"{right.mean():.1%} with {1 - accepted.mean():.1%} rejected"
    )

# %%
# The certainties show why: of its own samples the forest is sure, as if none were difficult. Out of
# fold they are spread as those of new data.

figure, ax = plt.subplots()
for name, certainty, line in (
    ("training data", by_heart.calibration_.certainty, "--"),
    ("out of fold", out_of_fold.calibration_.certainty, "-"),
    ("new data", out_of_fold.certainties(X_new), ":"),
):
    ax.ecdf(certainty, label=name, linestyle=line)
ax.set(xlabel="largest posterior", ylabel="share of samples that are less sure", ylim=(0, 0.6))
ax.legend(loc="upper left")
plt.show()
