"""Which private helpers of scikit-learn does the package use?

They are imported here and nowhere else, so that a new release can break only this file.
"""

from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import _safe_indexing as take_rows
from sklearn.utils.metaestimators import _safe_split as take_samples
from sklearn.utils.validation import _check_method_params as take_rows_of_params
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

__all__ = [
    "BaseSearchCV",
    "check_sample_weight",
    "take_rows",
    "take_rows_of_params",
    "take_samples",
]
