"""Artificial data whose true posteriors are known, and real data of the paper and alike."""

from abstain.datasets.artificial import make_gaussian_clusters, make_pearl_necklace
from abstain.datasets.mixture import TrueMixture
from abstain.datasets.real import (
    load_cleveland,
    load_coil20,
    load_gastric,
    load_haberman,
    load_segment,
    load_tecator,
    load_wisconsin,
)
from abstain.datasets.steroid import make_steroid_like

__all__ = [
    "TrueMixture",
    "load_cleveland",
    "load_coil20",
    "load_gastric",
    "load_haberman",
    "load_segment",
    "load_tecator",
    "load_wisconsin",
    "make_gaussian_clusters",
    "make_pearl_necklace",
    "make_steroid_like",
]
