"""
Alarm, then recalibrate
=======================

A sensor gets worse, and a certified accuracy no longer holds. A monitor raises an alarm from the
answers that are checked, and new thresholds restore the accuracy without another fit.
"""

# %%
# Samples arrive in the order of time, 200 on each day. From day 20 on, the sensor is noisier.

import numpy as np
from matplotlib import pyplot as plt
from sklearn.linear_model import LogisticRegression

from abstain import Accuracy, RejectOptionClassifier, RiskMonitor

DAY, N_DAYS, CHANGE = 200, 60, 20


def make_stream(noise: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return samples of two classes, and their classes."""
    generator = np.random.default_rng(seed)
    y = generator.integers(0, 2, len(noise))
    return 2 * y[:, np.newaxis] + noise[:, np.newaxis] * generator.normal(size=(len(y), 3)), y


X, y = make_stream(np.ones(2_000), seed=0)
noise = np.repeat([1.0, 1.6], [CHANGE * DAY, (N_DAYS - CHANGE) * DAY])
X_new, y_new = make_stream(noise, seed=1)

# %%
# The accuracy is certified, and the monitor takes it from the classifier. Of each day a person
# checks a quarter, drawn at random; NaN stands for an answer that is not checked. After an alarm
# all samples of a week are checked, and set the thresholds. (Outliers are not rejected here, so
# that the thresholds alone are seen at work.)

target = Accuracy(0.95, confidence=0.9)
clf = RejectOptionClassifier(LogisticRegression(), target=target, outliers=None, random_state=0)
clf.fit(X, y)
monitor = RiskMonitor.from_classifier(clf)
is_checked = np.random.default_rng(0).random(len(y_new)) < 0.25
accuracies, coverages, evidence = np.zeros((3, N_DAYS))
alarm = N_DAYS
for day in range(N_DAYS):
    if day == alarm + 8:
        week = slice((alarm + 1) * DAY, day * DAY)
        clf.recalibrate(X_new[week], y_new[week])
        monitor = RiskMonitor.from_classifier(clf)
    today = slice(day * DAY, (day + 1) * DAY)
    answered, right = ~clf.reject(X_new[today]), clf.predict(X_new[today]) == y_new[today]
    monitor.update(np.where(is_checked[today], right, np.nan)[answered])
    accuracies[day], coverages[day] = right[answered].mean(), answered.mean()
    evidence[day] = monitor.evidence
    if monitor.is_alarm and day < alarm:
        alarm = day
        print(f"day {day}: {monitor}")

# %%
# With the new thresholds fewer samples are answered, and the answers are as accurate as before.

stages = {
    "before the change": slice(CHANGE),
    "after it": slice(CHANGE, alarm + 8),
    "with new thresholds": slice(alarm + 8, N_DAYS),
}
for name, stage in stages.items():
    print(f"{name}: {accuracies[stage].mean():.1%} right, {coverages[stage].mean():.0%} answered")

figure, axes = plt.subplots(3, 1, figsize=(7, 5.6), sharex=True, layout="constrained")
axes[0].plot(accuracies, color="#0072b2")
axes[0].axhline(target.accuracy, color="black", linestyle="--", linewidth=1)
axes[0].set(ylabel="accuracy\nof the answers", ylim=(0.8, 1.01))
axes[1].plot(coverages, color="#009e73")
axes[1].set(ylabel="share answered", ylim=(0, 1.05))
axes[2].semilogy(evidence, color="#555555")
axes[2].axhline(20, color="black", linestyle="--", linewidth=1)
axes[2].set(ylabel="evidence", xlabel="day")
marks = {"change": (CHANGE, ":"), "alarm": (alarm, "-"), "new thresholds": (alarm + 8, "-.")}
for name, (day, line) in marks.items():
    for ax in axes:
        ax.axvline(day, color="#d55e00", linestyle=line, label=name)
handles, labels = axes[1].get_legend_handles_labels()
figure.legend(handles, labels, loc="outside upper center", ncols=3)
plt.show()
