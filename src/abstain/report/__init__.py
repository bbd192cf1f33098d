"""One HTML page for the person who must choose the operating point."""

from abstain.report.page import render_report, write_report

__all__ = ["render_report", "write_report"]
