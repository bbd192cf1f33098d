"""How sure is the model, and where is it wrong?"""

import necklace
from matplotlib import pyplot as plt

pearls = necklace.necklace()
places, columns, rows = necklace.grid()
certainty = pearls.one.certainties(places).reshape(len(rows), len(columns))
wrong = pearls.one.predict(pearls.X) != pearls.y

figure, ax = plt.subplots(figsize=(7.2, 3.8))
mesh = ax.pcolormesh(columns, rows, certainty, cmap="cividis", shading="auto", rasterized=True)
ax.scatter(*pearls.X[~wrong].T, s=3, color="white", alpha=0.45, linewidths=0)
ax.scatter(*pearls.X[wrong].T, s=24, color="#ff5a36", marker="x", linewidths=1.3)
necklace.tidy_plane(ax)
figure.colorbar(mesh, ax=ax, label="relative similarity", shrink=0.75)
