"""
Cost-based rejection
====================

A wrong answer costs 1. A person who looks at the sample costs less. How much is rejected, and what
is saved? With a cost, the best threshold of each cell can be read off directly, and moving to
another cost needs no fit.
"""

# %%
# Naive Bayes on handwritten digits, fitted once.

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from abstain import RejectCost, RejectOptionClassifier

X, X_new, y, y_new = train_test_split(*load_digits(return_X_y=True), test_size=0.5, random_state=0)
clf = RejectOptionClassifier(GaussianNB(), cv=10).fit(X, y)
wrong = clf.predict(X_new) != y_new

# %%
# For each price of a reject, the cost of a new digit: what errors and rejects cost together. Who
# always answers pays for every error; who never does pays for every reject.

prices = np.linspace(0.02, 0.6, 30)
costs, rates = [], []
for price in prices:
    rejected = clf.retarget(RejectCost(float(price))).reject(X_new)
    costs.append(float(np.mean(np.where(rejected, price, wrong))))
    rates.append(float(rejected.mean()))

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
left.plot(prices, costs, label="reject option")
left.plot(prices, np.full(len(prices), wrong.mean()), "--", label="always answers")
left.plot(prices, prices, ":", label="never answers")
left.set(xlabel="cost of a reject", ylabel="cost of a new digit", ylim=(0, 0.4))
left.legend()
right.plot(prices, rates)
right.set(xlabel="cost of a reject", ylabel="share of new digits rejected", ylim=(0, 1))
plt.show()

# %%
# ``score`` is 1 minus this cost, for the price in ``reject_cost``; it does not follow the target,
# so that different targets can be compared by it.

clf.set_params(reject_cost=0.2)
for cost in (0.05, 0.2, 0.5):
    clf.retarget(RejectCost(cost))
    print(f"thresholds for a cost of {cost}: score {clf.score(X_new, y_new):.3f} at a cost of 0.2")
