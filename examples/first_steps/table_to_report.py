"""
From a CSV file to answers and a report
=======================================

One table holds tumours whose diagnosis is known, another the new ones. Fit, certify an accuracy,
answer the new rows, and write a report. The commands ``abstain fit``, ``predict`` and ``report``
call the same functions.
"""

# %%
# Two CSV files with one row per tumour. Some measurements are missing.

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer

from abstain import Accuracy
from abstain.report import write_report
from abstain.tables import FitOptions, answer_table, fit_table, labelled_samples, open_table

data = load_breast_cancer()
generator = np.random.default_rng(0)
holes = np.where(generator.random(data.data.shape) < 0.01, np.nan, data.data)
tumours = (
    pl.DataFrame(holes, schema=data.feature_names.tolist())
    .fill_nan(None)
    .with_columns(diagnosis=data.target_names[data.target])
    .sample(fraction=1, shuffle=True, seed=0)
    .with_row_index("id", offset=1001)
)
folder = TemporaryDirectory()
known, new = Path(folder.name, "known.csv"), Path(folder.name, "new.csv")
tumours.head(400).write_csv(known)
tumours.tail(169).write_csv(new)
print(tumours.shape)

# %%
# **Fit.** The column ``id`` is no feature: it is recognised as an identifier. The accuracy of the
# answers is certified on held-out rows.

target = Accuracy(0.95, confidence=0.95)
result = fit_table(open_table(known), FitOptions("diagnosis", model="gmlvq", target=target))
print(result.class_counts)
print(result.clf.operating_point_)

# %%
# **Predict.** Each new row gets an answer or a reject, the probability that the answer is right,
# and the reason of a reject.

answers_file = Path(folder.name, "answers.csv")
answer_table(result.clf, open_table(new), answers_file)
answers = pl.read_csv(answers_file)
doubtful = answers.filter(pl.col("answer") == "rejected").sort("correct_proba")
with pl.Config(fmt_str_lengths=90, tbl_width_chars=140, tbl_hide_dataframe_shape=True):
    print(doubtful.select("id", "answer", "correct_proba", "reason").head(5))

# %%
# **Report.** One HTML page, on which the operating point can be chosen.

checked = labelled_samples(result.clf, open_table(new), names="id")
write_report(
    result.clf, checked.X, checked.y, Path(folder.name, "report.html"), sample_names=checked.names
)

# %%
# How probable is each answer right, and was it? Where the model is unsure, its errors are found.

right = result.clf.predict(checked.X) == checked.y
probability = result.clf.predict_correct_proba(checked.X)
rejected = result.clf.reject(checked.X)
order = np.argsort(probability)
rank = np.arange(len(order))
figure, ax = plt.subplots(layout="constrained")
for name, chosen, colour, marker in (
    ("answered", ~rejected & right, "#0072b2", "o"),
    ("rejected", rejected & right, "#bbbbbb", "o"),
    ("answered, wrong", ~rejected & ~right, "#d55e00", "X"),
    ("rejected, would be wrong", rejected & ~right, "black", "X"),
):
    shown = chosen[order]
    ax.scatter(
        rank[shown], probability[order][shown], s=40, color=colour, marker=marker, label=name
    )
ax.set(
    xlabel="the 60 most doubtful new tumours", ylabel="probability of being right", xlim=(-2, 60)
)
ax.legend(loc="lower right")
plt.show()
folder.cleanup()
