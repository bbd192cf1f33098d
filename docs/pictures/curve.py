"""How accurate are the answers that are left, on old samples and on new ones?"""

import necklace
from matplotlib import pyplot as plt
from matplotlib.ticker import PercentFormatter

from abstain import Accuracy, RejectCost, RejectRate, operating_point
from abstain.plotting import AccuracyRejectCurveDisplay

pearls = necklace.necklace()
styles = (
    (pearls.one, "one threshold", {"color": necklace.GLOBAL, "linestyle": "--"}),
    (pearls.many, "one per cell", {"color": necklace.LOCAL}),
)
figure, (old, new) = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
for clf, name, style in styles:
    AccuracyRejectCurveDisplay.from_front(clf.front_, name=name, ax=old, **style)
    rates, accuracies = necklace.test_curve(clf, pearls.X_new, pearls.y_new)
    new.plot(rates, accuracies, label=name, **style)
for target, name, marker in (
    (RejectRate(0.05), "RejectRate(0.05)", "o"),
    (Accuracy(0.98), "Accuracy(0.98)", "s"),
    (RejectCost(0.3), "RejectCost(0.3)", "^"),
):
    point = operating_point(pearls.many.front_, target)
    place = point.reject_rate, point.accuracy
    old.scatter(*place, marker=marker, color="black", zorder=3, label=name)
old.set(xlim=(0, 0.25), ylim=(0.9, 1.005), title="samples that thresholds were set on")
new.set(xlim=(0, 0.25), title="10,000 new samples", xlabel="reject rate")
new.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
old.legend(fontsize="small", loc="lower right")
new.legend(fontsize="small", loc="lower right")
