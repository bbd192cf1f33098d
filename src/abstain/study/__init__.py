"""The experiments of the paper, and what lies beyond them: configuration → rows → claims."""

from abstain.study.plan import Plan, make_plan
from abstain.study.studying import Study, run_study

__all__ = ["Plan", "Study", "make_plan", "run_study"]
