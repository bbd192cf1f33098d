"""What is rejected with one threshold for all cells, and with one per cell?"""

import necklace
from matplotlib import pyplot as plt

pearls = necklace.necklace()
figure, axes = plt.subplots(1, 2, figsize=(9, 2.9), layout="constrained")
for ax, clf, name in zip(
    axes, (pearls.one, pearls.many), ("one threshold", "one per cell"), strict=True
):
    necklace.draw_rejects(ax, clf)
    necklace.draw_borders(ax, pearls)
    necklace.draw_samples(ax, pearls)
    point = clf.operating_point_
    ax.set_title(
        f"{name}: {point.true_rejects} of {point.n_errors} errors caught, "
        f"{point.false_rejects} right answers given up",
        fontsize="medium",
    )
    necklace.tidy_plane(ax)
