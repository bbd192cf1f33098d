"""
Outliers: values in the wrong unit
==================================

One clinic sends lengths in millimetres where centimetres are expected. A classifier answers such
rows as surely as any other. The detector of outliers rejects them, and names the features.
"""

# %%
# Breast tumours. Half of them are known; the others come once as they should, once with four
# lengths that are ten times too large.

from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import Accuracy, RejectOptionClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X, X_new, y, y_new = train_test_split(X, y, test_size=0.5, random_state=0)
LENGTHS = ["mean radius", "mean perimeter", "worst radius", "worst perimeter"]
millimetres = X_new.assign(**{name: 10 * X_new[name] for name in LENGTHS})
units = {"centimetres": X_new, "millimetres": millimetres}

# %%
# Without the detector, the classifier answers the rows in the wrong unit, and is sure of it.

model = make_pipeline(StandardScaler(), LogisticRegression())
target = Accuracy(0.97)
trusting = RejectOptionClassifier(model, target=target, outliers=None, random_state=0).fit(X, y)
careful = RejectOptionClassifier(model, target=target, random_state=0).fit(X, y)
for name, clf in {"outliers=None": trusting, "outliers=0.01": careful}.items():
    for unit, samples in units.items():
        answered = ~clf.reject(samples)
        wrong = clf.predict(samples) != y_new
        print(f"{name}, {unit}: {answered.mean():6.1%} answered, {wrong[answered].sum()} wrong")

# %%
# ``explain`` tells which features make a sample an outlier.

table = careful.explain(millimetres.head(1))
print(table["reason"][0], table["unusual"][0].to_list())

# %%
# The certainty does not see it, the p-value of being like the known samples does. To the left of
# the line, samples are rejected as outliers.

figure, ax = plt.subplots(layout="constrained")
for (unit, samples), marker in zip(units.items(), "ox", strict=True):
    p_values = careful.outlier_p_values(samples)
    posteriors = careful.predict_proba(samples).max(axis=1)
    ax.scatter(p_values, posteriors, s=22, marker=marker, alpha=0.6, label=unit)
ax.axvline(0.01, color="black", linestyle="--")
ax.set(xscale="log", xlabel="outlier p-value", ylabel="posterior of the answer")
ax.legend(loc="lower right")
plt.show()
