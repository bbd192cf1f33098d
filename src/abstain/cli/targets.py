"""Which targets are options of the commands, and how does a screen describe a target?

A new target needs an entry in `TARGETS`, an option below, and a parameter of the commands that take
it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, cast

import typer

from abstain import InputError

if TYPE_CHECKING:
    from abstain.fronts import ParetoFront
    from abstain.targets import OperatingPoint, Target

DEFAULT_REJECT_RATE = 0.1

target_option: Any = partial(
    typer.Option,
    rich_help_panel=f"Target (one of them; reject rate {DEFAULT_REJECT_RATE} if none)",
)
AccuracyOption = Annotated[
    float | None, target_option(help="At least this accuracy, with the fewest rejects.")
]
RejectRateOption = Annotated[
    float | None, target_option(help="This reject rate; at most this if not pooled.")
]
RejectCostOption = Annotated[
    float | None, target_option(help="Least cost, when an error costs 1 and a reject this.")
]


class TargetOption(NamedTuple):
    """The class of a target, and phrases in which its parameters are in braces.

    Nested rows fix the order of the rejects, so that a target chooses only their number.
    """

    class_name: str
    phrase: str
    phrase_if_nested: str = ""


# By the parameter of the commands.
TARGETS = {
    "accuracy": TargetOption(
        "Accuracy",
        "accuracy of at least {accuracy}, with the fewest rejects",
        "accuracy of at least {accuracy}, rejecting the least likely to be right",
    ),
    "reject_rate": TargetOption(
        "RejectRate",
        "reject rate of at most {rate}, as accurate as possible",
        "reject rate of about {rate}, the least likely to be right",
    ),
    "reject_cost": TargetOption(
        "RejectCost",
        "least cost when an error costs 1 and a reject {cost}",
    ),
}


def chosen_target(confidence: float | None = None, **values: float | None) -> Target | None:
    """Return the target of the one option that was given, checked; None if none was given."""
    from abstain import targets

    given = {name: value for name, value in values.items() if value is not None}
    if len(given) > 1:
        options = " and ".join("--" + name.replace("_", "-") for name in given)
        raise InputError(f"only one target can be served, got {options}; drop one")
    if confidence is not None and "accuracy" not in given:
        raise InputError("--confidence belongs to an accuracy; give --accuracy as well")
    for name, value in given.items():
        make = getattr(targets, TARGETS[name].class_name)
        target = make(value) if confidence is None else make(value, confidence=confidence)
        target.check()
        return cast("Target", target)
    return None


def target_in_words(target: Any, front: ParetoFront) -> str:
    """Return what a target asks for; one that is no option is shown as Python does."""
    for option in TARGETS.values():
        if option.class_name == type(target).__name__:
            nested = option.phrase_if_nested if front.is_nested else ""
            return (nested or option.phrase).format(**target.get_params())
    return repr(target)


def estimated_shortfall(front: ParetoFront, point: OperatingPoint, target: Any) -> list[str]:
    """Return a warning if a point reaches an accuracy only on the samples of its front."""
    from abstain.targets import Accuracy
    from abstain.targets.choosing import ROUNDING

    if not isinstance(target, Accuracy) or point.guarantee is not None or point.row is None:
        return []
    if not front.expected_accuracies[point.row] + ROUNDING < target.accuracy:
        return []
    return ["The estimated probabilities do not reach the target: expect less on new data."]
