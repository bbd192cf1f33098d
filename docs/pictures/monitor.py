"""How does the evidence against a promised accuracy grow, with and without a change?"""

import numpy as np
from matplotlib import pyplot as plt

from abstain.plotting import RiskMonitorDisplay

rng = np.random.default_rng(0)
chance = rng.random((2, 2500))
risks = [np.full(2500, 0.06), np.repeat([0.06, 0.2], [1500, 1000])]
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
names = ["6% of the answers are wrong", "20% from 1,500 answers on"]
for risk, draws, name in zip(risks, chance, names, strict=True):
    RiskMonitorDisplay.from_predictions(draws > risk, accuracy=0.9, name=name, ax=ax)
