"""Thresholds that follow a stream, in bounded memory."""

from abstain.online.estimator import OnlineRejectOption, StreamDecisions

__all__ = ["OnlineRejectOption", "StreamDecisions"]
