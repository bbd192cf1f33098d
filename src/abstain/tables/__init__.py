"""From a table of samples to a classifier with a reject option, and through it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abstain.tables.ahead import ReadAhead
    from abstain.tables.answering import Answered, answer_frame, answer_table
    from abstain.tables.columns import TableColumns
    from abstain.tables.describing import (
        answered_as_json,
        fitted_as_json,
        reported_as_json,
        reported_in_words,
    )
    from abstain.tables.features import Features, choose_features
    from abstain.tables.fitting import (
        Fitted,
        LabelledSamples,
        Wishes,
        fit_table,
        labelled_samples,
    )
    from abstain.tables.judging import Judged, judge
    from abstain.tables.labels import read_labels
    from abstain.tables.learners import LEARNERS, Learner, learner_named, make_pipeline_for
    from abstain.tables.needs import cell_names, needs_of
    from abstain.tables.notations import Notation
    from abstain.tables.reading import Block, Table, open_table, read_table
    from abstain.tables.reasons import REJECT_MARK
    from abstain.tables.writing import check_model_output, check_output

__all__ = [
    "LEARNERS",
    "REJECT_MARK",
    "Answered",
    "Block",
    "Features",
    "Fitted",
    "Judged",
    "LabelledSamples",
    "Learner",
    "Notation",
    "ReadAhead",
    "Table",
    "TableColumns",
    "Wishes",
    "answer_frame",
    "answer_table",
    "answered_as_json",
    "cell_names",
    "check_model_output",
    "check_output",
    "choose_features",
    "fit_table",
    "fitted_as_json",
    "judge",
    "labelled_samples",
    "learner_named",
    "make_pipeline_for",
    "needs_of",
    "open_table",
    "read_labels",
    "read_table",
    "reported_as_json",
    "reported_in_words",
]

_HOME = {
    "ahead": "ReadAhead",
    "answering": "Answered answer_frame answer_table",
    "columns": "TableColumns",
    "describing": "answered_as_json fitted_as_json reported_as_json reported_in_words",
    "features": "Features choose_features",
    "fitting": "Fitted LabelledSamples Wishes fit_table labelled_samples",
    "judging": "Judged judge",
    "labels": "read_labels",
    "learners": "LEARNERS Learner learner_named make_pipeline_for",
    "needs": "cell_names needs_of",
    "notations": "Notation",
    "reading": "Block Table open_table read_table",
    "reasons": "REJECT_MARK",
    "writing": "check_model_output check_output",
}


def __getattr__(name: str) -> Any:
    """Import a part when it is asked for: reading begins before scikit-learn is there."""
    for module, names in _HOME.items():
        if name in names.split():
            return getattr(import_module(f"abstain.tables.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
