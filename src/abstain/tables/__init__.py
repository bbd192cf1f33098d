"""Classifiers with a reject option for table files: fit them, and answer the rows of tables."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abstain.tables.answer_rows import answer_frame
    from abstain.tables.answering import answer_table
    from abstain.tables.columns import TableColumns
    from abstain.tables.evaluation import labelled_samples
    from abstain.tables.fitting import FitOptions, fit_table
    from abstain.tables.reading import open_table, read_table
    from abstain.tables.review import Review, merge_answers, review_worklist
    from abstain.tables.worklist import WorklistOptions, worklist_frame

__all__ = [
    "FitOptions",
    "Review",
    "TableColumns",
    "WorklistOptions",
    "answer_frame",
    "answer_table",
    "fit_table",
    "labelled_samples",
    "merge_answers",
    "open_table",
    "read_table",
    "review_worklist",
    "worklist_frame",
]

_MODULES = {
    "FitOptions": "fitting",
    "Review": "review",
    "TableColumns": "columns",
    "WorklistOptions": "worklist",
    "answer_frame": "answer_rows",
    "answer_table": "answering",
    "fit_table": "fitting",
    "labelled_samples": "evaluation",
    "merge_answers": "review",
    "open_table": "reading",
    "read_table": "reading",
    "review_worklist": "review",
    "worklist_frame": "worklist",
}


def __getattr__(name: str) -> Any:
    """Import a module when it is needed: a table can be opened before scikit-learn is loaded."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"abstain.tables.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
