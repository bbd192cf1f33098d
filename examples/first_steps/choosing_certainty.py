"""
Which certainty suits my classifier?
====================================

A reject option is as good as the certainty by which it sorts the answers. Here several are tried
for the same classifiers, and compared by the area under the risk-coverage curve (AURC).
"""

# %%
# Three classifiers for images of digits, and certainties that each of them serves.

from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from abstain import GLVQ, RejectOptionClassifier
from abstain.certainty import auto_measure
from abstain.metrics import aurc_score
from abstain.plotting import AccuracyRejectCurveDisplay

X, X_new, y, y_new = train_test_split(*load_digits(return_X_y=True), test_size=0.5, random_state=0)
candidates = {
    "naive Bayes": (GaussianNB(), ["conf", "entropy", "logit", "trust"]),
    "neighbours": (KNeighborsClassifier(), ["conf", "margin", "entropy", "trust"]),
    "GLVQ": (GLVQ(), ["relsim", "distance", "boundary", "trust"]),
}

# %%
# ``certainty`` takes a name, or a function of a fitted classifier and samples. The AURC is the mean
# error rate of the answers over all shares of answered samples: lower is better. ``"auto"``, the
# default, takes the one marked with a star.

figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), sharey=True, layout="constrained")
for ax, (name, (model, measures)) in zip(axes, candidates.items(), strict=True):
    for measure, line in zip(measures, ["-", "--", "-.", ":"], strict=True):
        clf = RejectOptionClassifier(model, certainty=measure, cells="global").fit(X, y)
        scored = y_new, clf.predict(X_new), clf.certainties(X_new)
        star = " *" if auto_measure(clf.estimator_).name == measure else ""
        print(f"{name:14}{measure + star:12}AURC {aurc_score(*scored):.4f}")
        AccuracyRejectCurveDisplay.from_predictions(
            *scored, name=measure + star, ax=ax, linestyle=line
        )
    ax.set(title=name, xlim=(0, 0.4), ylim=(0.8, 1.005))
plt.show()

# %%
# Compare certainties on samples that did not choose them, as here: the smallest of several areas on
# the same samples is too good.
