"""Artificial data whose true posteriors are known, and real data of the paper and similar ones."""

from abstain.datasets.artificial import (
    TrueMixture,
    make_gaussian_clusters,
    make_pearl_necklace,
    make_steroid_like,
)
from abstain.datasets.real import (
    load_cleveland,
    load_coil20,
    load_gastric,
    load_haberman,
    load_segment,
    load_tecator,
    load_wisconsin,
)

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
