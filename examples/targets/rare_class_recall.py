"""
A rare class: certify its recall
================================

Three parts in a hundred are faulty. Nearly every answer is right if all parts pass, so accuracy is
the wrong target. ``Recall`` asks for the share of faulty parts that are found.
"""

# %%
# 16,000 parts from a generator, half of them to learn from.

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from abstain import Recall, RejectOptionClassifier

X, is_faulty = make_classification(
    16_000, n_informative=5, weights=[0.97], class_sep=2, flip_y=0.002, random_state=0
)
y = np.where(is_faulty == 1, "faulty", "good")
X, X_new, y, y_new = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)

# %%
# Of the faulty parts that are answered, a share is certified to be found. Rejected parts are
# inspected by a person.

model = LogisticRegression()
is_faulty = y_new == "faulty"
shares = {}
for recall in (0.7, 0.8, 0.9):
    target = Recall("faulty", recall, confidence=0.9)
    clf = RejectOptionClassifier(model, target=target, random_state=0).fit(X, y)
    rejected, named = clf.reject(X_new), clf.predict(X_new) == "faulty"
    shares[recall] = [
        np.mean(named[is_faulty] & ~rejected[is_faulty]),
        np.mean(rejected[is_faulty]),
        np.mean(~named[is_faulty] & ~rejected[is_faulty]),
    ]
    found = named[is_faulty & ~rejected].mean()
    print(
        f"recall {recall:.0%} asked for: {found:.1%} of the answered faulty parts are found, "
        f"{rejected.mean():.1%} of all parts are inspected"
    )

# %%
# What becomes of the faulty parts. The more are to be found, the more parts a person inspects.

figure, ax = plt.subplots(layout="constrained")
places = [f"{recall:.0%}" for recall in shares]
bottom = np.zeros(len(shares))
kinds = ["found", "inspected by a person", "missed"]
for kind, colour, values in zip(
    kinds, ["#0072b2", "#bbbbbb", "#d55e00"], zip(*shares.values(), strict=True), strict=True
):
    ax.bar(places, values, 0.6, bottom=bottom, label=kind, color=colour)
    bottom += values
ax.set(xlabel="recall asked for", ylabel="share of the faulty parts", ylim=(0, 1))
figure.legend(loc="outside upper center", ncols=3)
plt.show()
