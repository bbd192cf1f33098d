"""From a table of samples to a classifier with a reject option, and through it."""

from abstain.tables.answering import Answered, answer_frame, answer_table
from abstain.tables.columns import Features, TableColumns, choose_features, read_labels
from abstain.tables.fitting import Fitted, Wishes, fit_table, labelled_samples
from abstain.tables.learners import LEARNERS, Learner, learner_named, make_pipeline_for
from abstain.tables.needs import cell_names, needs_of
from abstain.tables.reading import Block, Table, open_table, read_table
from abstain.tables.reasons import REJECT_MARK
from abstain.tables.thresholds import read_thresholds, with_thresholds
from abstain.tables.writing import check_output

__all__ = [
    "LEARNERS",
    "REJECT_MARK",
    "Answered",
    "Block",
    "Features",
    "Fitted",
    "Learner",
    "Table",
    "TableColumns",
    "Wishes",
    "answer_frame",
    "answer_table",
    "cell_names",
    "check_output",
    "choose_features",
    "fit_table",
    "labelled_samples",
    "learner_named",
    "make_pipeline_for",
    "needs_of",
    "open_table",
    "read_labels",
    "read_table",
    "read_thresholds",
    "with_thresholds",
]
