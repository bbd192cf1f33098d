"""What does a reject option do, in one picture?"""

import necklace
from matplotlib import pyplot as plt

pearls = necklace.necklace()
figure, (plane, curve) = plt.subplots(
    1, 2, figsize=(10, 3.2), layout="constrained", width_ratios=(1.5, 1)
)
necklace.draw_rejects(plane, pearls.many)
necklace.draw_borders(plane, pearls)
necklace.draw_samples(plane, pearls)
necklace.draw_prototypes(plane, pearls)
necklace.tidy_plane(plane)
for clf, name, style in (
    (pearls.one, "one threshold", {"color": necklace.GLOBAL, "linestyle": "--"}),
    (pearls.many, "one per cell", {"color": necklace.LOCAL}),
):
    rates, accuracies = necklace.test_curve(clf, pearls.X_new, pearls.y_new)
    curve.plot(100 * rates, 100 * accuracies, label=name, **style)
curve.set(xlim=(0, 20), ylim=(91, 100), xlabel="rejected, %", ylabel="right answers, %")
curve.legend(loc="lower right")
