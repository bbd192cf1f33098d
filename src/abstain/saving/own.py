"""What do files hold of the models and tables of this package? Which of its classes are known?"""

from typing import Any

import numpy as np

from abstain.models.incremental import Stream
from abstain.models.stream_review import WINDOW
from abstain.models.validation import check_parameters
from abstain.saving.kinds import (
    CLASSES,
    CLASSIFIER,
    FEATURES,
    POSITIVE,
    Kind,
    Sizes,
    array,
    by_name,
    estimator,
    flag,
    labels,
    listed,
    number,
    optional,
    parts,
    real,
    sequence,
    size,
    text,
    whole,
    word,
)
from abstain.saving.known import KnownClass
from abstain.saving.online import ONLINE
from abstain.saving.reject_option import REJECT_OPTION, rule
from abstain.saving.targets import TARGETS


def _have_prototypes(obj: Any, sizes: Sizes) -> bool:
    return set(obj.prototype_labels_.tolist()) == set(obj.classes_.tolist())


def _are_known(obj: Any, sizes: Sizes) -> bool:
    """Return whether prototypes are of known classes; a class may be announced and not met."""
    labels, classes = set(obj.prototype_labels_.tolist()), set(obj.classes_.tolist())
    is_stream = getattr(obj, "_stream", None) is not None
    return labels <= classes if is_stream else labels == classes


def _is_recent(obj: Any, sizes: Sizes) -> bool:
    """Return whether the window of a stream has a type and a length that a model gives it."""
    stream = getattr(obj, "_stream", None)
    return stream is None or (
        0 < len(stream["samples"]) <= min(WINDOW, stream["n_seen"])
        and stream["samples"].dtype == stream["weights"].dtype == obj.prototypes_.dtype
    )


def _check_model(obj: Any, sizes: Sizes) -> bool:
    settings = {name: value for name, value in vars(obj).items() if not name.endswith("_")}
    check_parameters(settings, sizes["d"])
    return True


def _has_outcomes(obj: Any, sizes: Sizes) -> bool:
    return len(obj.certainties_) == len(obj.right_)


PROTOTYPES = {"prototypes_": real("p d"), "prototype_labels_": labels("p")}
BANDWIDTHS = {"sigma2_": real("p", low=POSITIVE), "_estimated_as": word("common", "local", "given")}
MATRIX = {"relevances_": real("d"), "omega_": real("c d").where("not all 0", np.any)}
MATRICES = {"relevances_": real("p d"), "omegas_": real("p c d").where("not all 0", np.any)}


def _stream(*metric: str) -> dict[str, Kind]:
    """Return what is kept of a stream, given the shape of the metric."""
    shapes = ("p d", *metric)
    arrays = [real(shape, dtype="float64") for shape in shapes]
    squares = [real(shape, low=0, dtype="float64") for shape in shapes]
    weights = real("2", low=0, high=1, dtype="float64")
    kinds = {
        "n_seen": size(low=1),
        "n_steps": size(),
        "mean_cost": number(),
        "n_errors": number(low=0),
        "n_awaited": size(),
        "earned": real("p", dtype="float64"),
        "ages": real("p", low=0, dtype="float64"),
        "varies": array("d", "b", "truth values"),
        "is_new": flag,
        "origin": real("d", dtype="float64"),
        "scale": number(low=POSITIVE),
        "parameters": sequence(*arrays),
        "means": sequence(*arrays),
        "squares": sequence(*squares),
        "moment_weights": sequence(*(weights for _ in shapes)),
        "samples": real("s d", nan=True),
        "doubts": real("s", dtype="float64"),
        "labels": whole("s", below="k"),
        "weights": real("s", low=0),
    }
    return {"_stream": optional(parts("_stream", kinds))}


_MODELS = {
    "GLVQ": _stream(),
    "GRLVQ": {"relevances_": real("d"), "scales_": real("d")} | _stream("d"),
    "GMLVQ": MATRIX | _stream("c d"),
    "LGMLVQ": MATRICES | _stream("p c d"),
    "RSLVQ": BANDWIDTHS | _stream(),
    "MRSLVQ": BANDWIDTHS | MATRIX | _stream("c d"),
    "LMRSLVQ": BANDWIDTHS | MATRICES | _stream("p c d"),
}


def _without_stream(state: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of a model with its stream as plain values."""
    stream = state.get("_stream")
    return state if stream is None else state | {"_stream": stream.state()}


def _finish_model(model: Any) -> None:
    state = vars(model).pop("_stream", None)
    if state is not None:
        model._stream = Stream.from_state(state, model.classes_, model.prototype_labels_)


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
            simplify=_without_stream,
            finish=_finish_model,
            relations={
                "its prototypes have other classes": _are_known,
                "its window is not that of a stream": _is_recent,
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
    KnownClass(
        "abstain.classifier.OfflineOnlineClassifier",
        CLASSIFIER,
        offline_=estimator,
        online_=estimator,
        certainties_=real("* 2"),
        right_=array("* 2", "b", "truth values"),
        params={"offline": estimator, "online": estimator, "certainty": rule},
        relations={"its outcomes are not as many": _has_outcomes},
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
