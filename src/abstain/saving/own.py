"""What do files hold of the models and tables of this package? Which of its classes are known?"""

from typing import Any

import numpy as np

from abstain.models.validation import check_parameters
from abstain.saving.kinds import (
    CLASSES,
    CLASSIFIER,
    FEATURES,
    POSITIVE,
    Kind,
    Sizes,
    by_name,
    flag,
    labels,
    listed,
    number,
    optional,
    real,
    size,
    text,
    whole,
    word,
)
from abstain.saving.known import KnownClass
from abstain.saving.online import ONLINE
from abstain.saving.reject_option import REJECT_OPTION
from abstain.saving.targets import TARGETS


def _have_prototypes(obj: Any, sizes: Sizes) -> bool:
    return set(obj.prototype_labels_.tolist()) == set(obj.classes_.tolist())


def _check_model(obj: Any, sizes: Sizes) -> bool:
    settings = {name: value for name, value in vars(obj).items() if not name.endswith("_")}
    check_parameters(settings, sizes["d"])
    return True


PROTOTYPES = {"prototypes_": real("p d"), "prototype_labels_": labels("p")}
BANDWIDTHS = {"sigma2_": real("p", low=POSITIVE), "_estimated_as": word("common", "local", "given")}
MATRIX = {"relevances_": real("d"), "omega_": real("c d").where("not all 0", np.any)}
MATRICES = {"relevances_": real("p d"), "omegas_": real("p c d").where("not all 0", np.any)}
_MODELS = {
    "GLVQ": {},
    "GRLVQ": {"relevances_": real("d"), "scales_": real("d")},
    "GMLVQ": MATRIX,
    "LGMLVQ": MATRICES,
    "RSLVQ": BANDWIDTHS,
    "MRSLVQ": BANDWIDTHS | MATRIX,
    "LMRSLVQ": BANDWIDTHS | MATRICES,
}

LONGEST_UNIT = 100
names = Kind(
    "a list of names",
    lambda value, sizes: type(value) in (list, tuple) and all(type(each) is str for each in value),
)
notation = names.where(
    "five, the first four short",
    lambda value: len(value) == 5 and max(map(len, value[:4])) <= LONGEST_UNIT,
)


def _are_columns(obj: Any, sizes: Sizes) -> bool:
    numeric, categorical = set(obj.numeric), set(obj.categorical)
    n_columns = len(obj.numeric) + len(obj.categorical)
    return (
        len(numeric | categorical) == n_columns == sizes["d"]
        and set(obj.written or ()) <= numeric
        and all(
            name in (categorical if isinstance(known[0], str) else numeric)
            for name, known in obj.known_values_.items()
        )
    )


OWN = (
    REJECT_OPTION,
    ONLINE,
    *(
        KnownClass(
            f"abstain.{name}",
            CLASSIFIER | PROTOTYPES | fitted,
            loss_=number(),
            n_iter_=size(),
            relations={
                "its prototypes have other classes": _have_prototypes,
                "its parameters are not valid": _check_model,
            },
        )
        for name, fitted in _MODELS.items()
    ),
    KnownClass(
        "abstain.TrustScore",
        CLASSES | PROTOTYPES,
        scale_=real("d", low=POSITIVE),
        sees_transformed_=flag,
        relations={
            "its prototypes have other classes": _have_prototypes,
            "it has only one class": lambda obj, sizes: sizes["k"] > 1,
        },
    ),
    *TARGETS,
    KnownClass(
        "abstain.tables.TableColumns",
        FEATURES,
        known_rows_=whole("*"),
        share_repeated_=number(low=0, high=1),
        known_values_=by_name(listed(text).where("at least one", len) | listed(number(), "2")),
        params={
            "numeric": names,
            "categorical": names,
            "label": optional(text),
            "missing": names,
            "written": optional(by_name(notation)),
        },
        relations={"its known values and notations are of other columns": _are_columns},
    ),
)
