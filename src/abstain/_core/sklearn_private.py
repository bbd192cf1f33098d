"""Which private helpers of scikit-learn does the package use?

They are imported here and nowhere else, so that a new release can break only this file.
"""

from typing import Any

from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import _safe_indexing as take_rows
from sklearn.utils.metaestimators import _safe_split as take_samples
from sklearn.utils.validation import _check_method_params as take_rows_of_params
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

__all__ = [
    "BaseSearchCV",
    "check_sample_weight",
    "positive_label_of_tuned",
    "take_rows",
    "take_rows_of_params",
    "take_samples",
]


def positive_label_of_tuned(classifier: Any) -> Any:
    """Return the class whose posterior a fitted TunedThresholdClassifierCV compares, or None."""
    return classifier._curve_scorer._get_pos_label()
