"""The paper's artificial data once more: its numbers, and Bayes' rule for one sample at a time."""

import math

from scipy.stats import norm, uniform

# (mean, standard deviation) along x and along y, for each class.
GAUSSIAN_CLUSTERS = [
    ((-4.0, 5.2), (4.0, 2.5)),
    ((4.5, 7.1), (0.5, 2.1)),
]
PEARL_NECKLACE = [
    ((2.0, 1.0), (3.0, 1.0)),
    ((44.0, 20.0), (3.0, 20.0)),
    ((85.0, 0.5), (3.0, 0.5)),
    ((100.0, 7.0), (3.0, 7.0)),
    ((136.0, 11.0), (3.0, 11.0)),
]


def noise_box(clusters):
    """(lowest, highest) along each axis: three standard deviations of every cluster."""
    return [
        (min(mean - 3 * std for mean, std in axis), max(mean + 3 * std for mean, std in axis))
        for axis in zip(*clusters, strict=True)
    ]


def posteriors(x, clusters, noise=0.0):
    background = math.prod(
        uniform.pdf(value, low, high - low)
        for value, (low, high) in zip(x, noise_box(clusters), strict=True)
    )
    densities = [
        (1 - noise) * math.prod(norm.pdf(v, *axis) for v, axis in zip(x, cluster, strict=True))
        + noise * background
        for cluster in clusters
    ]
    return [density / sum(densities) for density in densities]
