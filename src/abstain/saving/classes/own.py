"""What do files hold of the models, targets and tables of this package?"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

from abstain._core.errors import InputError
from abstain.models.validation import check_parameters
from abstain.saving.kinds import (
    FEATURES,
    POSITIVE,
    Kind,
    Sizes,
    both,
    flag,
    labels,
    number,
    optional,
    real,
    size,
    text,
    whole,
    word,
)
from abstain.saving.known import KnownClass

# --- prototype models ---------------------------------------------------------------------------


def _model_problem(obj: Any, sizes: Sizes) -> str:
    known = set(obj.classes_.tolist())
    if set(obj.prototype_labels_.tolist()) != known:
        return "its prototypes have other classes"
    settings = {name: value for name, value in vars(obj).items() if not name.endswith("_")}
    try:
        check_parameters(settings, sizes["d"])
    except InputError as error:
        return str(error)
    return ""


PROTOTYPES = FEATURES | {
    "classes_": labels("k"),
    "prototypes_": real("p d"),
    "prototype_labels_": Kind(
        "p labels",
        lambda value, sizes: value.shape == (sizes["p"],) and value.dtype.kind in "biufUSO",
    ),
    "loss_": number(),
    "n_iter_": size(),
}
BANDWIDTHS = {"sigma2_": real("p", low=POSITIVE), "_estimated_as": word("common", "local", "given")}
RELEVANCES = {"relevances_": real("d")}
some = Kind("not all 0", lambda value, sizes: bool(value.any()))
MATRIX = RELEVANCES | {"omega_": both(real("c d"), some)}
MATRICES = {"relevances_": real("p d"), "omegas_": both(real("p c d"), some)}

_MODELS = {
    "GLVQ": {},
    "GRLVQ": RELEVANCES | {"scales_": real("d")},
    "GMLVQ": MATRIX,
    "LGMLVQ": MATRICES,
    "RSLVQ": BANDWIDTHS,
    "MRSLVQ": BANDWIDTHS | MATRIX,
    "LMRSLVQ": BANDWIDTHS | MATRICES,
}


# --- tables -------------------------------------------------------------------------------------

LONGEST_UNIT = 100
names = Kind(
    "a list of names",
    lambda value, sizes: type(value) in (list, tuple) and all(type(each) is str for each in value),
)


def _are_notations(value: Any, sizes: Sizes) -> bool:
    return type(value) is dict and all(
        type(name) is str
        and names.fits(parts, {})
        and len(parts) == 5
        and max(map(len, parts[:4])) <= LONGEST_UNIT
        for name, parts in value.items()
    )


def _are_known_values(value: Any, sizes: Sizes) -> bool:
    return type(value) is dict and all(
        type(name) is str
        and type(known) is list
        and len(known) > 0
        and (
            all(type(each) is str for each in known)
            or (len(known) == 2 and all(number().fits(each, {}) for each in known))
        )
        for name, known in value.items()
    )


def _columns_problem(obj: Any, sizes: Sizes) -> str:
    needed = [*obj.numeric, *obj.categorical]
    are_text = {name: isinstance(known[0], str) for name, known in obj.known_values_.items()}
    is_sound = (
        len(set(needed)) == len(needed) == sizes["d"]
        and set(obj.written or ()) <= set(obj.numeric)
        and {name for name, is_text in are_text.items() if is_text} <= set(obj.categorical)
        and {name for name, is_text in are_text.items() if not is_text} <= set(obj.numeric)
    )
    return "" if is_sound else "its known values and notations are of other columns"


# --- certainty ----------------------------------------------------------------------------------


def _trust_problem(obj: Any, sizes: Sizes) -> str:
    if set(obj.prototype_labels_.tolist()) != set(obj.classes_.tolist()):
        return "its prototypes have other classes"
    return "" if len(obj.classes_) > 1 else "it has only one class"


TRUST_SCORE = KnownClass(
    "abstain.TrustScore",
    {
        "classes_": labels("k"),
        "prototypes_": real("p d"),
        "prototype_labels_": PROTOTYPES["prototype_labels_"],
        "scale_": real("d", low=POSITIVE),
        "sees_transformed_": flag,
    },
    problem=_trust_problem,
)


OWN = (
    TRUST_SCORE,
    *(
        KnownClass(f"abstain.{name}", PROTOTYPES | fitted, problem=_model_problem)
        for name, fitted in _MODELS.items()
    ),
    *(KnownClass(f"abstain.{name}") for name in ("Accuracy", "RejectCost", "RejectRate")),
    KnownClass(
        "abstain.tables.TableColumns",
        FEATURES
        | {
            "known_rows_": whole("*"),
            "share_repeated_": number(low=0, high=1),
            "known_values_": Kind("values by column", _are_known_values),
        },
        params={
            "numeric": names,
            "categorical": names,
            "label": optional(text),
            "missing": names,
            "written": optional(Kind("how numbers are written, by column", _are_notations)),
        },
        problem=_columns_problem,
    ),
)
