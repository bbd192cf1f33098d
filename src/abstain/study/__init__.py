"""The experiments of the paper and some more: plan → records → claims, tables and figures."""

from abstain.study.plan import Plan, make_plan
from abstain.study.running import Study, run_study

__all__ = ["Plan", "Study", "make_plan", "run_study"]
