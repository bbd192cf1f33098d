"""Thresholds that follow a stream, in bounded memory."""

from abstain.online.answers import StreamDecisions
from abstain.online.estimator import OnlineRejectOption

__all__ = ["OnlineRejectOption", "StreamDecisions"]
