"""Classifiers with a reject option for table files: fit them, and answer the rows of tables."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abstain.tables.answering import answer_frame, answer_table
    from abstain.tables.columns import TableColumns
    from abstain.tables.evaluation import labelled_samples
    from abstain.tables.fitting import FitOptions, fit_table
    from abstain.tables.reading import open_table, read_table

__all__ = [
    "FitOptions",
    "TableColumns",
    "answer_frame",
    "answer_table",
    "fit_table",
    "labelled_samples",
    "open_table",
    "read_table",
]

_MODULES = {
    "FitOptions": "fitting",
    "TableColumns": "columns",
    "answer_frame": "answering",
    "answer_table": "answering",
    "fit_table": "fitting",
    "labelled_samples": "evaluation",
    "open_table": "reading",
    "read_table": "reading",
}


def __getattr__(name: str) -> Any:
    """Import a module when it is needed: a table can be opened before scikit-learn is loaded."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"abstain.tables.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
