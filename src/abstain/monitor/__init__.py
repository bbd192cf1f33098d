"""Does a promise about a classifier still hold while it is in use?"""

from abstain.monitor.certificates import check_certificates
from abstain.monitor.drift import DriftMonitor
from abstain.monitor.risk import RiskMonitor
from abstain.targets.contradiction import CertificateTest

__all__ = ["CertificateTest", "DriftMonitor", "RiskMonitor", "check_certificates"]
