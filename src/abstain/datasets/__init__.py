"""Artificial data whose true posteriors are known."""

from abstain.datasets.artificial import make_gaussian_clusters, make_pearl_necklace
from abstain.datasets.mixture import TrueMixture

__all__ = ["TrueMixture", "make_gaussian_clusters", "make_pearl_necklace"]
