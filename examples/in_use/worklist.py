"""
A worklist of rejected rows
===========================

Rejected rows go to a person. A worklist has them in the order of their use, with the reason in
plain words, and a random share of the answered rows for an audit. The answers of the person come
back: they say how good the withheld answers were, and how good those that were given.
"""

# %%
# Half of the tumours are known, the other half is answered.

import polars as pl
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import GMLVQ, Accuracy, RejectOptionClassifier
from abstain.tables import worklist_frame

data = load_breast_cancer(as_frame=True)
diagnosis = data.target_names[data.target]
X, X_new, y, y_new = train_test_split(
    data.data.iloc[:, :10], diagnosis, test_size=0.5, stratify=diagnosis, random_state=0
)
model = make_pipeline(StandardScaler(), GMLVQ())
clf = RejectOptionClassifier(model, target=Accuracy(0.98), random_state=0).fit(X, y)

# %%
# The list: outliers first, then the rows whose withheld answer is most probably wrong. The audited
# rows are spread among them.

worklist = worklist_frame(clf, pl.from_pandas(X_new), audit=0.2, seed=0)
rejected = worklist.filter(pl.col("why_listed") == "rejected")
print(f"{len(rejected)} rejected rows, {len(worklist) - len(rejected)} answered ones for audit")
for row, reason in rejected.select("row", "reason").head(5).rows():
    print(f"row {row}: {reason}")

# %%
# The expert fills in ``expert_answer``; here it is known already. Row 2 of a spreadsheet is the
# first row below the header.

worklist = worklist.with_columns(expert_answer=pl.Series(y_new[worklist["row"] - 2]))
said = pl.when(pl.col("why_listed") == "audit").then("answer").otherwise("withheld")
right = worklist.with_columns(is_right=said == pl.col("expert_answer"))
shares = right.group_by("why_listed").agg(pl.col("is_right").mean(), pl.len()).sort("why_listed")
for why, share, size in shares.rows():
    print(f"{why}: {share:.0%} of {size} answers of the model are right")

# %%
# The further down the list, the more withheld answers are right. If you stop early, the cases that
# matter most are done.

withheld = right.filter(pl.col("why_listed") == "rejected")
wrong = (~withheld["is_right"]).cum_sum()
figure, ax = plt.subplots(layout="constrained")
ax.plot(range(1, len(wrong) + 1), wrong, color="#d55e00", label="in the order of the list")
ax.plot([0, len(wrong)], [0, wrong[-1]], color="#777777", label="in any order, on average")
ax.set(xlabel="rejected rows worked off", ylabel="wrong answers corrected")
ax.legend()
plt.show()

# %%
# With tables, ``abstain predict --worklist worklist.xlsx --audit 0.2`` writes the list, and
# ``abstain review`` takes it back: it merges the answers, adds the audited ones to a monitor, and
# writes a random sample on which new thresholds may be set.
