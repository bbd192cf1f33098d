"""
Several rows of one patient
===========================

Rows of one patient are alike. If some of them fit the classifier and others test it, it is tested
on what it knows, and a certificate says too much. ``groups`` keeps them together.
"""

# %%
# 300 patients with six visits each, from a generator; the rows lie in random order. The
# measurements tell much about who the patient is.

import numpy as np
from matplotlib import pyplot as plt
from sklearn.neighbors import KNeighborsClassifier

from abstain import RejectOptionClassifier


def make_visits(n_patients: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return measurements, who is ill, and the patient of each visit."""
    generator = np.random.default_rng(seed)
    is_ill = generator.integers(0, 2, n_patients)
    patient = generator.permutation(np.repeat(np.arange(n_patients), 6))
    person = generator.normal(size=(n_patients, 5)) + 0.8 * is_ill[:, np.newaxis]
    visits = person[patient] + 0.2 * generator.normal(size=(len(patient), 5))
    return visits, np.where(is_ill, "ill", "well")[patient], patient


X, y, patient = make_visits(300, seed=0)
X_new, y_new, _ = make_visits(1_000, seed=1)

# %%
# The nearest neighbours of a visit are visits of the same patient. In folds that part them, the
# answers look better than they are for new patients. With ``groups``, told and true agree.

told, true = {}, {}
for name, groups in {"rows apart": None, "patients together": patient}.items():
    clf = RejectOptionClassifier(KNeighborsClassifier(), cells="global", random_state=0)
    clf.fit(X, y, groups=groups)
    right, answered = clf.predict(X_new) == y_new, ~clf.reject(X_new)
    told[name], true[name] = clf.operating_point_.accuracy, right[answered].mean()
    print(f"{name}: told {told[name]:.1%} right of what is answered, new patients {true[name]:.1%}")

# %%
# The same holds for every reject rate.

figure, ax = plt.subplots(layout="constrained")
places = np.arange(2)
ax.bar(places - 0.2, list(told.values()), 0.4, label="told by the fit", color="#bbbbbb")
ax.bar(places + 0.2, list(true.values()), 0.4, label="on new patients", color="#0072b2")
ax.set_xticks(places, list(told))
ax.set(ylabel="accuracy of the answers", ylim=(0.5, 1))
ax.legend()
plt.show()

# %%
# A certificate needs ``groups`` even more: it then counts patients, and holds for a row of a new
# patient. Without ``groups``, an accuracy that the folds and the held-out samples contradict is not
# certified, but nothing can tell in every case.
