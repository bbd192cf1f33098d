"""Can a reject option be fitted with these parameters, to these labels?"""

from __future__ import annotations  # signatures then show the names of types

import numbers
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import is_classifier
from sklearn.frozen import FrozenEstimator
from sklearn.utils import Bunch, assert_all_finite
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, has_fit_parameter

from abstain._core.checks import check_fraction, check_positive_integer
from abstain._core.errors import InputError, shown, with_remedy
from abstain._core.sklearn_private import BaseSearchCV
from abstain.certainty.cells import RULES
from abstain.certainty.measures import MEASURES
from abstain.classifier.proportions import check_class_prior
from abstain.fronts import METHODS
from abstain.models.validation import check_labels
from abstain.targets.base import check_target

Array = NDArray[Any]


def check_parameters(clf: Any) -> None:
    """Refuse invalid parameters of a `RejectOptionClassifier`, before anything is fitted."""
    if isinstance(clf.estimator, type) or not hasattr(clf.estimator, "fit"):
        raise InputError(
            argument="estimator",
            value=clf.estimator,
            requirement="must be a classifier, such as GMLVQ()",
        )
    if not is_classifier(clf.estimator):
        raise InputError(
            argument="estimator",
            value=clf.estimator,
            requirement="must be a classifier",
            got=f"a {type(clf.estimator).__name__}",
        )
    if clf.method not in METHODS:
        known = ", ".join(map(repr, METHODS))
        raise InputError(argument="method", value=clf.method, requirement=f"must be one of {known}")
    check_cv_parameter(clf.cv)
    share = clf.test_size
    is_share = isinstance(share, float | np.floating) and 0 < share < 1
    if not is_share and not (isinstance(share, str) and share == "auto"):
        raise InputError(
            argument="test_size", value=share, requirement="must be 'auto' or a number in (0, 1)"
        )
    check_outliers(clf.outliers)
    check_positive_integer("min_cell_size", clf.min_cell_size)
    check_fraction("reject_cost", clf.reject_cost, low_open=False, high_open=False)
    check_class_prior(clf.class_prior)
    for name in ("weight_thresholds", "independent_rows"):
        if not isinstance(getattr(clf, name), bool | np.bool_):
            raise InputError(
                argument=name, value=getattr(clf, name), requirement="must be True or False"
            )
    MEASURES.check(clf.certainty)
    RULES.check(clf.cells)
    if clf.target is not None:
        check_target(clf.target)


def check_cv_parameter(cv: Any) -> None:
    """Refuse what yields no folds."""
    is_number = isinstance(cv, int | float | np.number)
    is_folds = is_number and isinstance(cv, int | np.integer) and cv >= 2
    is_name = isinstance(cv, str)
    if (is_number and not is_folds) or (is_name and cv != "training"):
        raise InputError(
            argument="cv",
            value=cv,
            requirement="must be a number of folds from 2 on, a splitter or 'training'",
        )


def check_outliers(rate: Any) -> None:
    """Refuse a rate of false alarms that is none."""
    if rate is None:
        return
    try:
        check_fraction("outliers", rate)
    except InputError as error:
        raise with_remedy(error, "; None rejects no outliers") from None


def checked_labels(clf: Any, y: Any) -> Array:
    """Return the labels as an array; a frozen classifier may be calibrated on one class."""
    labels = valid_labels(y, warn=True)
    known = np.unique(labels)
    is_frozen = isinstance(clf.estimator, FrozenEstimator)
    if len(known) < 2 and not (len(known) and is_frozen):
        raise InputError(
            argument="y",
            requirement="must hold at least two classes",
            got=f"{len(known)} class {known.tolist()} in {len(labels)} samples",
        )
    if not is_frozen:
        check_reject_label(clf.reject_label, known)
    return labels


def valid_labels(y: Any, *, warn: bool = False) -> Array:
    """Return labels as an array of classes; ``warn`` of a column that is made a vector."""
    check_labels(y)
    labels = np.asarray(column_or_1d(y, warn=warn))
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    return labels


def check_known_classes(y: Array, classes: Array) -> None:
    """Refuse labels none of which is a class of a frozen classifier."""
    known = np.unique(y).tolist()
    if not set(known) & set(classes.tolist()):
        raise InputError(
            argument="y",
            requirement=f"must hold classes of the estimator ({classes.tolist()[:5]})",
            got=f"none of them but {known[:5]}",
        )


def routed_params(
    clf: Any, sample_weight: ArrayLike | None, groups: ArrayLike | None, fit_params: dict[str, Any]
) -> Any:
    """Return the parameters of the classifier's fit and of the splitter."""
    given = {} if sample_weight is None else {"sample_weight": sample_weight}
    given |= fit_params
    if get_config()["enable_metadata_routing"]:
        own = {} if groups is None else {"groups": groups}
        return process_routing(clf, "fit", **given, **own)
    if sample_weight is not None and not _takes_weights(clf.estimator):
        if not clf.weight_thresholds:
            raise InputError(
                f"sample_weight must be None: {type(clf.estimator).__name__} takes no weights "
                "in fit (in a pipeline, enable metadata routing)"
            )
        given = fit_params  # the thresholds alone take weights
    return Bunch(estimator=Bunch(fit=given), splitter=Bunch(split={}))


def _takes_weights(estimator: Any) -> bool:
    """Return whether weights reach a fit; a search passes them to its estimator."""
    if isinstance(estimator, BaseSearchCV):
        return _takes_weights(estimator.estimator)
    return bool(has_fit_parameter(estimator, "sample_weight"))


# --- the label of rejects -------------------------------------------------------------------------


def check_reject_label(reject_label: Any, classes: Array) -> None:
    """Refuse a label that is a class already or that the type of the classes cannot hold."""
    if reject_label is None:
        return
    if not _fits(reject_label, classes.dtype):
        raise InputError(
            f"reject_label must be of the type of the classes ({classes.dtype}), got "
            f"{shown(reject_label)}; {_REMEDIES.get(classes.dtype.kind, _REMEDY)}"
        )
    if any(label == reject_label for label in classes.tolist()):
        raise InputError(
            argument="reject_label",
            value=reject_label,
            requirement="must differ from the classes",
            got=f"{shown(reject_label)}, which is one",
        )


_REMEDIES = {
    "U": "use text, such as 'reject'",
    "S": "use bytes, such as b'reject'",
    "i": "use an integer that is no class, such as -1",
    "u": "use an integer from 0 on that is no class, or integer labels with a sign",
    "f": "use a number, such as nan",
    "b": "booleans leave no value for it: leave it None and call reject, or use integer labels",
}
_REMEDY = "leave it None and call reject"


def _fits(label: Any, dtype: np.dtype[Any]) -> bool:
    if dtype.kind == "U":
        return isinstance(label, str)
    if dtype.kind == "S":
        return isinstance(label, bytes)
    if dtype.kind in "iu":
        is_integer = isinstance(label, numbers.Integral) and not isinstance(label, bool)
        return is_integer and np.iinfo(dtype).min <= label <= np.iinfo(dtype).max
    if dtype.kind == "f":
        is_number = isinstance(label, numbers.Real) and not isinstance(label, bool)
        with np.errstate(over="ignore"):
            return is_number and np.isinf(dtype.type(label)) == np.isinf(label)
    return dtype.kind == "O"
