"""Which prototype decides where?"""

import necklace
from matplotlib import pyplot as plt

pearls = necklace.necklace()
figure, ax = plt.subplots(figsize=(7.2, 3.8))
necklace.draw_samples(ax, pearls)
necklace.draw_borders(ax, pearls)
necklace.draw_prototypes(ax, pearls)
necklace.tidy_plane(ax)
