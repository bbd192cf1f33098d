"""Where does a classifier with a reject option not answer?"""

import necklace
from matplotlib import pyplot as plt

pearls = necklace.necklace()
figure, ax = plt.subplots(figsize=(6.4, 3.7), layout="constrained")
necklace.draw_rejects(ax, pearls.many)
necklace.draw_borders(ax, pearls)
necklace.draw_samples(ax, pearls)
necklace.draw_prototypes(ax, pearls)
necklace.tidy_plane(ax)
ax.spines[:].set_visible(False)
