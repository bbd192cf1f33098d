"""Prototype-based classifiers that a person can read."""

from abstain.models.glvq import GLVQ
from abstain.models.gmlvq import GMLVQ
from abstain.models.grlvq import GRLVQ
from abstain.models.lgmlvq import LGMLVQ
from abstain.models.lmrslvq import LMRSLVQ
from abstain.models.mrslvq import MRSLVQ
from abstain.models.rslvq import RSLVQ

__all__ = ["GLVQ", "GMLVQ", "GRLVQ", "LGMLVQ", "LMRSLVQ", "MRSLVQ", "RSLVQ"]
