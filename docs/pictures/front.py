"""How do random thresholds compare with the best ones?"""

import necklace
import numpy as np
from matplotlib import pyplot as plt

pearls = necklace.necklace()
certainty, correct, cells = pearls.many.calibration_[:3]
generator = np.random.default_rng(0)
# Thresholds that reject the same share on average, from none to half of a cell each.
true_rejects, false_rejects = [], []
for _ in range(4_000):
    shares = generator.uniform(0, generator.uniform(0, 0.5), size=5)
    thresholds = [np.quantile(certainty[cells == cell], shares[cell]) for cell in range(5)]
    rejected = certainty < np.array(thresholds)[cells]
    true_rejects.append(np.sum(rejected & ~correct))
    false_rejects.append(np.sum(rejected & correct))

figure, ax = plt.subplots()
ax.scatter(true_rejects, false_rejects, s=4, color="#bbbbbb", linewidths=0, label="at random")
for clf, name, style in (
    (pearls.one, "one threshold", {"color": necklace.GLOBAL, "linestyle": "--"}),
    (pearls.many, "one per cell, the exact front", {"color": necklace.LOCAL, "linewidth": 2}),
):
    ax.plot(clf.front_.true_rejects, clf.front_.false_rejects, label=name, **style)
ax.set(
    xlabel="errors caught (true rejects)",
    ylabel="right answers given up (false rejects)",
    xlim=(0, None),
    ylim=(-3, 160),
)
ax.legend()
