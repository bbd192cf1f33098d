"""Which prototype decides where?"""

import necklace
from matplotlib import pyplot as plt

found = necklace.necklace()
figure, ax = plt.subplots(figsize=(7.2, 3.8))
necklace.draw_samples(ax, found)
necklace.draw_borders(ax, found)
necklace.draw_prototypes(ax, found)
necklace.tidy_plane(ax)
