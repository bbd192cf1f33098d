"""Does a promise about a classifier still hold while it is in use?"""

from abstain.monitor.drift import DriftMonitor
from abstain.monitor.risk import RiskMonitor

__all__ = ["DriftMonitor", "RiskMonitor"]
