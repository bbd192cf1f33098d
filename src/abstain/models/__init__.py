"""Interpretable prototype-based classifiers."""

from abstain.models.glvq import GLVQ, GMLVQ, GRLVQ, LGMLVQ
from abstain.models.rslvq import LMRSLVQ, MRSLVQ, RSLVQ

__all__ = ["GLVQ", "GMLVQ", "GRLVQ", "LGMLVQ", "LMRSLVQ", "MRSLVQ", "RSLVQ"]
