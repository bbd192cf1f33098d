"""Classifiers with a reject option for table files: fit them, and answer the rows of tables."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abstain.tables.answer_rows import answer_frame
    from abstain.tables.answering import answer_table
    from abstain.tables.columns import TableColumns
    from abstain.tables.evaluation import labelled_samples
    from abstain.tables.fitting import FitOptions, fit_table
    from abstain.tables.labels import expert_labels
    from abstain.tables.reading import open_table, read_table
    from abstain.tables.recalibrating import recalibrate_table
    from abstain.tables.review import Review, merge_answers, review_worklist, watch_audit
    from abstain.tables.watch_state import Watch, load_watch, new_watch, save_watch
    from abstain.tables.watching import watch_table
    from abstain.tables.worklist import WorklistOptions, worklist_frame

__all__ = [
    "FitOptions",
    "Review",
    "TableColumns",
    "Watch",
    "WorklistOptions",
    "answer_frame",
    "answer_table",
    "expert_labels",
    "fit_table",
    "labelled_samples",
    "load_watch",
    "merge_answers",
    "new_watch",
    "open_table",
    "read_table",
    "recalibrate_table",
    "review_worklist",
    "save_watch",
    "watch_audit",
    "watch_table",
    "worklist_frame",
]

_MODULES = {
    "FitOptions": "fitting",
    "Review": "review",
    "TableColumns": "columns",
    "Watch": "watch_state",
    "WorklistOptions": "worklist",
    "answer_frame": "answer_rows",
    "answer_table": "answering",
    "expert_labels": "labels",
    "fit_table": "fitting",
    "labelled_samples": "evaluation",
    "load_watch": "watch_state",
    "merge_answers": "review",
    "new_watch": "watch_state",
    "open_table": "reading",
    "read_table": "reading",
    "recalibrate_table": "recalibrating",
    "review_worklist": "review",
    "save_watch": "watch_state",
    "watch_audit": "review",
    "watch_table": "watching",
    "worklist_frame": "worklist",
}


def __getattr__(name: str) -> Any:
    """Import a module when it is needed: a table can be opened before scikit-learn is loaded."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"abstain.tables.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
