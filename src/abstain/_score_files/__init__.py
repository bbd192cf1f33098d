"""From a file of scores to the three aligned arrays, and from a front to files."""

from abstain._score_files.choosing import TARGETS, Choice, choose
from abstain._score_files.reading import ScoreColumns, Scores, read_all_scores, read_scores
from abstain._score_files.writing import choice_as_json, output_files, write_choice

__all__ = [
    "TARGETS",
    "Choice",
    "ScoreColumns",
    "Scores",
    "choice_as_json",
    "choose",
    "output_files",
    "read_all_scores",
    "read_scores",
    "write_choice",
]
