"""
A reject option on any classifier
=================================

Four classifiers of scikit-learn and one of ours learn handwritten digits. Each gets the same reject
option, which needs nothing from them but a certainty, and leaves out the tenth of the digits that
it is least sure of.
"""

# %%
# Half of the digits are for learning, half for trying out.

from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from abstain import GLVQ, RejectOptionClassifier, RejectRate
from abstain.plotting import AccuracyRejectCurveDisplay

X, X_new, y, y_new = train_test_split(*load_digits(return_X_y=True), test_size=0.5, random_state=0)
classifiers = {
    "naive Bayes": GaussianNB(),
    "logistic regression": LogisticRegression(C=0.01, max_iter=1000),
    "nearest neighbours": KNeighborsClassifier(),
    "support vectors": SVC(C=0.1),
    "GLVQ": GLVQ(),
}

# %%
# ``certainty="auto"`` takes posteriors of the first three, the smallest pairwise margin of the
# support vector machine, and the relative similarity of GLVQ. ``cv=5`` sets thresholds on answers
# to digits that the classifier had not seen.

_, ax = plt.subplots()
print(f"{'':<22}{'all digits':>12}{'answered':>12}{'right of these':>16}")
for (name, classifier), style in zip(classifiers.items(), ["-", "--", "-.", ":", "-"], strict=True):
    pipeline = make_pipeline(StandardScaler(), classifier)
    clf = RejectOptionClassifier(pipeline, target=RejectRate(0.1), cells="global", cv=5)
    clf.fit(X, y)
    labels, accepted = clf.predict(X_new), ~clf.reject(X_new)
    right = labels == y_new
    print(f"{name:<22}{right.mean():>12.1%}{accepted.mean():>12.1%}{right[accepted].mean():>16.1%}")
    AccuracyRejectCurveDisplay.from_predictions(
        y_new, labels, clf.certainties(X_new), name=name, ax=ax, linestyle=style
    )
ax.set(xlim=(0, 0.4), title="New digits: accuracy against rejects")
plt.show()

# %%
# A reject rate that was asked for holds on the digits that thresholds were set on; on new ones it
# is about that. Curves that rise steeply belong to a certainty that sorts right from wrong well.
