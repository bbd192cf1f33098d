"""How are the certainties of right and wrong answers spread in each cell?"""

import necklace
import numpy as np
from matplotlib import pyplot as plt

pearls = necklace.necklace()
certainty, correct, cells = pearls.many.calibration_[:3]
figure, axes = plt.subplots(5, 1, figsize=(7.2, 5.4), sharex=True)
shared = pearls.one.thresholds_[0]
for cell, ax in enumerate(axes):
    inside = cells == cell
    parts = [certainty[inside & ~correct], certainty[inside & correct]]
    ax.hist(
        parts,
        bins=np.linspace(0, 1, 51),
        stacked=True,
        color=["black", necklace.COLOURS[cell]],
        label=["wrong", "right"],
    )
    ax.set_yscale("symlog", linthresh=5)
    ax.axvline(shared, color="black", linestyle="--", linewidth=1)
    own = pearls.many.thresholds_[cell]
    if np.isfinite(own):
        ax.axvline(own, color=necklace.LOCAL, linewidth=2)
    note = "" if np.isfinite(own) else " (none rejected)"
    ax.set_ylabel(f"cell {cell}{note}", rotation=0, ha="right", va="center")
    ax.set_yticks([])
    ax.legend(loc="upper center", fontsize="small", ncols=2)
axes[-1].set_xlabel("relative similarity")
