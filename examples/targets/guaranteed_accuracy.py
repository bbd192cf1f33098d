"""
A guaranteed accuracy
=====================

Thresholds that just reach an accuracy on some data often miss it on other data. Certified ones
seldom do: with a confidence of 90%, in at most one of ten draws. Here data are drawn over and
over, from a population that is known, to see how often either is true.
"""

# %%
# 600 samples of the overlapping Gaussian clusters each time, a plain logistic regression, and
# 20,000 further samples to see the truth.

import numpy as np
from matplotlib import pyplot as plt
from sklearn.linear_model import LogisticRegression

from abstain import Accuracy, InputError, RejectOptionClassifier
from abstain.datasets import make_gaussian_clusters

ASKED, CONFIDENCE, DRAWS = 0.88, 0.9, 60
X_all, y_all = make_gaussian_clusters(20_000, random_state=10_000)


def reached(target: Accuracy, seed: int) -> tuple[float, float]:
    """Return how accurate the answers to new samples are, and the share of samples answered."""
    X, y = make_gaussian_clusters(600, random_state=seed)
    clf = RejectOptionClassifier(
        LogisticRegression(), target=target, cells="global", cv=5, random_state=seed
    )
    try:
        accepted = ~clf.fit(X, y).reject(X_all)
    except InputError:  # nothing could be certified: nothing is answered, and no promise broken
        return np.nan, 0.0
    return float(np.mean(clf.predict(X_all)[accepted] == y_all[accepted])), float(accepted.mean())


# %%
# Once with thresholds that reach the accuracy on their own data, once certified.

figure, ax = plt.subplots()
for target, name, colour in (
    (Accuracy(ASKED), "picked", "#999999"),
    (Accuracy(ASKED, confidence=CONFIDENCE), "certified", "#0072b2"),
):
    outcomes = np.array([reached(target, seed) for seed in range(DRAWS)])
    accuracies, coverages = outcomes.T
    missed = np.mean(accuracies < ASKED)
    print(f"{name}: missed in {missed:.0%} of the draws, {coverages.mean():.0%} answered")
    bins = np.linspace(0.84, 0.97, 40).tolist()
    ax.hist(accuracies[~np.isnan(accuracies)], bins, label=name, color=colour, alpha=0.7)
ax.axvline(ASKED, color="black", linestyle="--", label="asked for")
ax.set(xlabel="accuracy of the answers to new samples", ylabel="draws")
ax.legend()
plt.show()

# %%
# The price is coverage: half of the samples are held out for the test, and a margin is kept. What
# exactly was certified stands in ``operating_point_.guarantee``.

X, y = make_gaussian_clusters(600, random_state=0)
target = Accuracy(ASKED, confidence=CONFIDENCE)
clf = RejectOptionClassifier(
    LogisticRegression(), target=target, cells="global", cv=5, random_state=0
)
print(clf.fit(X, y).operating_point_.guarantee)
