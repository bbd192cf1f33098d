"""What do files hold of the targets of this package? Their parameters."""

from typing import Any

import numpy as np

from abstain.saving.kinds import (
    Kind,
    anything_plain,
    by_key,
    function,
    is_label,
    labels,
    listed,
    names_all_pairs,
    number,
    optional,
    sequence,
    text,
)
from abstain.saving.known import KnownClass, params_of


class _Target(KnownClass):
    """The parameters of a target, which checks their ranges itself."""

    def settings(self, obj: Any) -> dict[str, Any]:
        """Return the parameters, with columns and tables of other packages as arrays."""
        return {
            name: value.to_numpy() if hasattr(value, "to_numpy") else value
            for name, value in params_of(obj).items()
        }

    def check_params(self, obj: Any) -> None:
        """Refuse parameters that the target would refuse."""
        super().check_params(obj)
        obj.check()


def _are_numbers(value: Any, sizes: Any) -> bool:
    if not anything_plain.fits(value, sizes):
        return False
    try:
        return np.asarray(value).dtype.kind in "iuf"
    except ValueError:  # rows of different lengths
        return False


target = Kind("a target", lambda value, sizes: hasattr(type(value), "choose"))
targets = Kind(
    "targets",
    lambda value, sizes: (
        type(value) in (tuple, list) and all(target.fits(each, sizes) for each in value)
    ),
)
label = Kind("a label", lambda value, sizes: is_label(value))
numbers = Kind("numbers", _are_numbers)
costs_by_pair = by_key(sequence(label, label), number()).where("for all pairs", names_all_pairs)
PARAMS = {
    **dict.fromkeys(("rate", "cost", "accuracy", "recall", "precision"), number()),
    "confidence": optional(number()),
    "groups": optional(text | labels("*") | listed(label) | function),
    "label": label,
    "costs": numbers | costs_by_pair,
    "reject": numbers | by_key(label, number()),
    "answers": text,
    "targets": targets,
}
NAMES = "Accuracy AllOf ExpectedCost Precision Recall RejectCost RejectRate"
TARGETS = tuple(_Target(f"abstain.{name}", params=PARAMS) for name in NAMES.split())
