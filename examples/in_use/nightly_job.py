"""
A saved model in a nightly job
==============================

Fit once, save, and load in a job that answers the rows of each night. The file of the model holds
no code. Rejects are counted without any true class, and show that something is wrong with a night.
"""

# %%
# **Once.** Fit, certify, save.

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import abstain

folder = TemporaryDirectory()
file = Path(folder.name, "model.abstain")
X, y = load_breast_cancer(return_X_y=True, as_frame=True)
model = make_pipeline(StandardScaler(), LogisticRegression())
target = abstain.Accuracy(0.95, confidence=0.95)
clf = abstain.RejectOptionClassifier(model, target=target, random_state=0)
abstain.save(clf.fit(X.head(400), y.head(400)), file)
print(f"{file.stat().st_size / 1e3:.0f} kB")

# %%
# **Every night.** Load, answer, count. ``decide`` returns all decisions at once, and ``explain``
# the reasons for a log. In the night 20, a device begins to send one feature in another unit.

generator = np.random.default_rng(0)
rejected, outliers = [], []
for night in range(30):
    job = abstain.load(file)
    rows = X.iloc[generator.integers(400, len(X), size=60)].copy()
    if night >= 20:
        from_device = generator.random(len(rows)) < 0.3
        rows.loc[from_device, "mean area"] = rows.loc[from_device, "mean area"] * 100
    decisions = job.decide(rows)
    rejected.append(decisions.rejected.mean())
    outliers.append(decisions.outlier.mean())
    if night == 20:
        reasons = job.explain(rows[decisions.outlier])
        unusual = ", ".join(reasons["unusual"][0])
        print(f"night {night}: {len(reasons)} outliers, by {unusual}")

# %%
# What a chart of the job shows.

figure, ax = plt.subplots(layout="constrained")
ambiguous = np.subtract(rejected, outliers)
ax.bar(range(30), ambiguous, label="ambiguous", color="#0072b2")
ax.bar(range(30), outliers, bottom=ambiguous, label="outliers", color="#d55e00")
ax.set(xlabel="night", ylabel="share of rows rejected")
ax.legend()
plt.show()
folder.cleanup()

# %%
# On the command line, ``abstain predict`` answers a table, and ``abstain monitor`` is made for
# cron.
