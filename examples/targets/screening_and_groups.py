"""
Screening: sensitivity, and every group
=======================================

A screening must not miss the ill, and should not serve one site worse than another. Both are shares
of answers that can be certified: the recall of a class, and the accuracy in every group.
"""

# %%
# 16,000 people from a generator, a tenth of them ill. One of three sites has an older device, whose
# measurements are noisier. The site is no feature: the classifier does not know it.

import numpy as np
from matplotlib import pyplot as plt
from sklearn.linear_model import LogisticRegression

from abstain import Accuracy, Recall, RejectOptionClassifier


def make_screening(n_people: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return measurements, who is ill, and the site of each person."""
    generator = np.random.default_rng(seed)
    is_ill = generator.random(n_people) < 0.1
    site = generator.choice(["north", "south", "west"], size=n_people, p=[0.5, 0.3, 0.2])
    noise = np.where(site == "west", 1.3, 1.0)[:, np.newaxis] * generator.normal(size=(n_people, 4))
    return 1.3 * is_ill[:, np.newaxis] + noise, np.where(is_ill, "ill", "well"), site


X, y, site = make_screening(16_000, seed=0)
X_new, y_new, site_new = make_screening(20_000, seed=1)

# %%
# **Sensitivity.** Of the ill who get an answer, at least 95% shall be found, with a confidence of
# 90%. A rejected person is examined by a doctor and is not missed.

sensitivity = Recall("ill", 0.95, confidence=0.9)
clf = RejectOptionClassifier(LogisticRegression(), target=sensitivity, random_state=0).fit(X, y)
rejected, answered_ill = clf.reject(X_new), clf.predict(X_new) == "ill"
is_ill = y_new == "ill"
print(f"without rejects: {answered_ill[is_ill].mean():.1%} of the ill are found")
recall = answered_ill[is_ill & ~rejected].mean()
print(f"with {rejected.mean():.1%} rejected: {recall:.1%} of the ill who get an answer")
print(f"found or examined by a doctor: {(answered_ill | rejected)[is_ill].mean():.1%} of all ill")
print(clf.operating_point_.guarantees[0])

# %%
# **Groups.** An accuracy of 97% in every site, beside one that holds for all people together.

shares = {}
for name, groups in (("overall", None), ("in every site", site)):
    target = Accuracy(0.97, confidence=0.9, groups=groups)
    clf = RejectOptionClassifier(LogisticRegression(), target=target, random_state=0).fit(X, y)
    answered, right = ~clf.reject(X_new), clf.predict(X_new) == y_new
    shares[name] = [right[answered & (site_new == where)].mean() for where in np.unique(site)]
    print(f"{name}: {answered.mean():.1%} answered")

figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
for offset, (name, values) in zip((-0.2, 0.2), shares.items(), strict=True):
    ax.bar(np.arange(3) + offset, values, 0.4, label=name)
ax.axhline(0.97, color="black", linestyle="--", label="asked for")
ax.set(ylabel="accuracy of the answers", ylim=(0.92, 1))
ax.set_xticks(range(3), np.unique(site))
figure.legend(loc="outside upper center", ncols=3)
plt.show()
