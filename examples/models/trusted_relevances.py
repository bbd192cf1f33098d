"""
Which measurements of a tumour can be called relevant?
======================================================

A fitted metric shows which features a model uses. Two questions are open then: would other patients
give the same relevances, and does a feature weigh little because it tells nothing, or because a
correlated one tells the same? On scikit-learn's breast cancer data, the answers differ from what a
single fit suggests.
"""

# %%
# The whole pipeline is given to both methods, so that each fit scales its own samples.

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import GMLVQ
from abstain.models.relevances import iterated_relevances, relevance_stability
from abstain.plotting import IteratedRelevancesDisplay, RelevanceStabilityDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
model = make_pipeline(StandardScaler(), GMLVQ(n_prototypes_per_class=1))
names, all_alike = np.array(X.columns), 1 / X.shape[1]

# %%
# **Would other patients give the same?** The model is fitted to 100 random halves of the patients.
# The thin lines hold the middle 90% of the fits. They are no confidence intervals for a true
# relevance, for there is none; they tell what to expect of a fit to other patients.

stability = relevance_stability(model, X, y, random_state=0)
bands = RelevanceStabilityDisplay.from_stability(stability, top=15)
bands.ax_.set_title("Relevances of 100 fits to half of the patients")
plt.show()

low, high = stability.interval(0.9)
print(f"above the weight of all alike, {all_alike:.1%}, in 95% of the fits:")
print("   ", ", ".join(names[low > all_alike]))
print("below it in 95% of the fits:")
print("   ", ", ".join(names[high < all_alike]))

# %%
# Few features are certain to weigh much. What correlated features share is more certain than the
# share of each: intervals of sums are narrow.

kinds = {
    "size": ("radius", "perimeter", "area"),
    "shape": ("concavity", "concave points", "compactness"),
    "texture": ("texture",),
}
for kind, parts in kinds.items():
    members = [any(part in name for part in parts) for name in names]
    ends = np.quantile(stability.relevances[:, members].sum(axis=1), [0.05, 0.95])
    print(f"{kind:<8} {ends[0]:.0%} to {ends[1]:.0%}; all alike: {np.mean(members):.0%}")

# %%
# Other features are certain to weigh little. That does not make them irrelevant.
#
# **What do other features hide?** The direction that the model found is projected out of the data,
# and the model is fitted to the rest, again and again, until it answers no better than by chance.
# Accuracies are out of fold.

found = iterated_relevances(model, X, y, max_iterations=X.shape[1], random_state=0)
tested = zip(found.accuracies, found.chances, found.p_values, strict=True)
for iteration, (accuracy, chance, p_value) in enumerate(tested):
    if iteration < 5 or p_value > found.alpha:
        print(f"iteration {iteration:>2}: {accuracy:.1%} right, {chance:.1%} by chance")
print(f"{found.n_iterations} of {X.shape[1]} directions predict better than chance")

# %%
# There is far more to see in these tumours than a model needs. So we ask which features can do the
# work: those of the iterations whose accuracy is within a standard error of the first.

error = np.sqrt(found.accuracies[0] * (1 - found.accuracies[0]) / len(y))
n_equal = int((found.accuracies >= found.accuracies[0] - error).argmin())
bars = IteratedRelevancesDisplay.from_iterated_relevances(found, n_iterations=n_equal, top=15)
bars.ax_.set_title(f"Relevances in the {n_equal} iterations that are as accurate")
plt.show()

# %%
# Features that only a later one of these iterations uses are *hidden*: the first fit does without
# them, but a model without its direction needs them, and is as accurate.

together = found.cumulative_relevances[n_equal - 1]
correlations = np.abs(np.corrcoef(X.T)) - np.eye(X.shape[1])
used = found.relevances[0] > all_alike
for title, chosen in (
    ("used by the first fit", used),
    ("hidden by others", (together > all_alike) & ~used),
):
    print(f"\n{title:<25}first   together   most correlated with")
    for feature in sorted(np.flatnonzero(chosen), key=lambda each: -together[each]):
        other = correlations[feature].argmax()
        print(
            f"    {names[feature]:<20}{found.relevances[0, feature]:>6.1%}"
            f"{together[feature]:>11.1%}   {names[other]} ({correlations[feature, other]:.2f})"
        )

# %%
# **Would other patients give the same?** That has to be asked again: a direction is estimated too.
# The iterations are repeated on random halves of the patients; two folds are enough where only the
# relevances are looked at.

halves = RepeatedStratifiedKFold(n_splits=2, n_repeats=10, random_state=0).split(X, y)
above = np.array(
    [
        iterated_relevances(
            model, X.iloc[rows], y.iloc[rows], max_iterations=n_equal, cv=2, random_state=0
        ).cumulative_relevances
        > all_alike
        for rows, _ in halves
    ]
)
shares = above.mean(axis=0)
print(f"above the weight of all alike in {len(above)} halves   first   together")
for feature in np.argsort(-shares[-1], kind="stable")[:15]:
    print(f"    {names[feature]:<38}{shares[0, feature]:>6.0%}{shares[-1, feature]:>11.0%}")

# %%
# What can be said: the features at the top of the last table can be called relevant, whichever
# patients are drawn. Those in its middle tell the same as others, and which of them a model uses
# depends on the patients, while size and shape as a whole weigh about the same in every fit. The
# mean texture is one of these features: a first fit to half of the patients hardly ever gives it
# weight, but with the first direction out of the way, it is one of those that do the work as well
# in every other half. A small relevance, however stable, does not prove that a feature is
# irrelevant.
