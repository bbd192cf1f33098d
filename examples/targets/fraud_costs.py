"""
Fraud: errors of different costs
================================

A missed fraud costs 50, a false alarm 1, and a person who reviews a payment 0.5. With 2% fraud,
accuracy says little: a classifier that never answers "fraud" is right in 98% of all cases.
"""

# %%
# 40,000 payments from a generator: half of them to learn from, half to try out.

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from abstain import Accuracy, ExpectedCost, RejectOptionClassifier

X, is_fraud = make_classification(
    40_000,
    weights=[0.98],
    n_informative=8,
    n_clusters_per_class=3,
    flip_y=0.002,
    random_state=0,
)
y = np.where(is_fraud == 1, "fraud", "ok")
X, X_new, y, y_new = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)

# %%
# An accuracy of 98% needs no rejects, but for outliers, which are always rejected, and misses most
# of the fraud. With costs, a payment gets the answer of least expected cost, unless a review costs
# even less.

costs = {("fraud", "ok"): 50, ("ok", "fraud"): 1}
by_cost = ExpectedCost(costs, reject=0.5)
for target in (Accuracy(0.98), by_cost):
    clf = RejectOptionClassifier(LogisticRegression(), target=target).fit(X, y)
    answers, rejected = clf.predict(X_new), clf.reject(X_new)
    missed = np.mean(((answers == "ok") & ~rejected)[y_new == "fraud"])
    cost = by_cost.costs_of(y_new, answers, rejected).mean()
    print(f"{type(target).__name__}: {rejected.mean():.1%} reviewed, ", end="")
    print(f"{missed:.0%} of all fraud missed, cost per payment {cost:.3f}")

# %%
# How payments of each class are decided:

decisions = np.where(rejected, "review", answers)
for label in ("fraud", "ok"):
    names, counts = np.unique(decisions[y_new == label], return_counts=True)
    print(f"{label}:", ", ".join(f"{n} × {name}" for name, n in zip(names, counts, strict=True)))

# %%
# The more a review costs, the fewer payments are reviewed. ``retarget`` moves to another price
# without a fit.

prices = np.linspace(0.1, 1, 10)
paid, reviewed = [], []
for reject in prices:
    target = ExpectedCost(costs, reject=float(reject))
    rejected = clf.retarget(target).reject(X_new)
    paid.append(target.costs_of(y_new, clf.predict(X_new), rejected).mean())
    reviewed.append(rejected.mean())

everything = by_cost.costs_of(y_new, clf.predict(X_new), np.zeros(len(y_new))).mean()
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
left.plot(prices, paid, label="reject option")
left.axhline(everything, color="C1", linestyle="--", label="always answers")
left.set(xlabel="price of a review", ylabel="cost per payment", ylim=(0, None))
left.legend()
right.plot(prices, reviewed)
right.set(xlabel="price of a review", ylabel="share of payments reviewed", ylim=(0, None))
plt.show()
