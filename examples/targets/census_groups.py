"""
Census: an accuracy in every region
===================================

An accuracy of all answers together can hide a small group whose answers are worse. Census-like data
from a generator show it, and what a condition on every group changes.
"""

# %%
# 20,000 people from a generator: age, years of school, hours of work per week and sex. Is their
# income above a limit? Regions differ in size, and in how well the features explain the income:
# worst on the islands, where the fewest people live. The region is no feature.

import numpy as np
from matplotlib import pyplot as plt
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from abstain import Accuracy, RejectOptionClassifier
from abstain.metrics import group_report

SHARES = {"city": 0.5, "country": 0.3, "coast": 0.13, "islands": 0.07}
NOISE = {"city": 1.0, "country": 1.2, "coast": 1.0, "islands": 1.7}


def make_census(n_people: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return features, incomes above or below the limit, and the region of each person."""
    generator = np.random.default_rng(seed)
    region = generator.choice(list(SHARES), size=n_people, p=list(SHARES.values()))
    is_woman = generator.random(n_people) < 0.5
    age = generator.uniform(18, 75, size=n_people)
    school = generator.normal(12, 3, size=n_people).clip(4, 20)
    hours = generator.normal(np.where(is_woman, 34, 40), 9).clip(5, 80)
    income = 0.5 * (school - 12) + 0.1 * (hours - 38) - ((age - 48) / 16) ** 2 - 0.4 * is_woman
    noise = np.vectorize(NOISE.get)(region) * generator.normal(size=n_people)
    X = np.column_stack([age, school, hours, is_woman])
    return X, np.where(income + noise > 0.2, "above", "below"), region


X, y, region = make_census(20_000, seed=0)
X_new, y_new, region_new = make_census(50_000, seed=1)

# %%
# **All people together.** An accuracy of 90% is certified, and new people get it. Nothing here says
# that a region gets less.

ACCURACY, CONFIDENCE = 0.9, 0.9
model = make_pipeline(StandardScaler(), PolynomialFeatures(2), LogisticRegression())
overall = RejectOptionClassifier(
    model, target=Accuracy(ACCURACY, confidence=CONFIDENCE), random_state=0
).fit(X, y)
answered = ~overall.reject(X_new)
right = overall.predict(X_new) == y_new
print(overall.operating_point_.guarantee)
print(f"new people: {answered.mean():.1%} answered, {right[answered].mean():.1%} of them right")

# %%
# **Every region.** The same accuracy with ``groups=region`` is certified in each region. Thresholds
# do not depend on the region, so that it need not be known of new people. ``group_report`` counts
# what each region gets, without the condition and with it; *at least* is the lower limit.

in_every_region = RejectOptionClassifier(
    model, target=Accuracy(ACCURACY, confidence=CONFIDENCE, groups=region), random_state=0
).fit(X, y)
reports = {
    title: group_report(
        y_new, clf.predict(X_new), clf.reject(X_new), region_new, confidence=CONFIDENCE
    )
    for title, clf in {"without groups": overall, "with groups": in_every_region}.items()
}
print(f"{'':16}{'region':10}{'people':>8}{'answered':>10}{'right':>8}{'at least':>10}")
for title, report in reports.items():
    for at, name in enumerate(report.groups):
        coverage = report.answered[at] / report.samples[at]
        print(
            f"{title:16}{name:10}{report.samples[at]:8,}{coverage:10.1%}"
            f"{report.accuracy[at]:8.1%}{report.accuracy_bound[at]:10.1%}"
        )

# %%
# With the condition every region gets the accuracy. All regions pay for it with more rejects, for
# the thresholds are the same in all of them.

figure, axes = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
for offset, (title, report) in zip((-0.2, 0.2), reports.items(), strict=True):
    places = np.arange(len(report.groups)) + offset
    axes[0].bar(places, report.accuracy, 0.4, label=title)
    axes[1].bar(places, report.answered / report.samples, 0.4)
axes[0].axhline(ACCURACY, color="black", linestyle="--", label="asked for")
axes[0].set(ylabel="accuracy of the answers", ylim=(0.8, 1))
axes[1].set(ylabel="share answered", ylim=(0, 1))
for ax in axes:
    ax.set_xticks(range(len(report.groups)), report.groups)
figure.legend(loc="outside upper center", ncols=3)
plt.show()
