"""Which targets are options of the commands, and how does a screen describe a target?

A new target needs an entry in `TARGETS`, an option below, and a parameter of the commands that take
it. Several options that ask for shares of right answers become one `AllOf`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

import typer

from abstain import InputError
from abstain._core.errors import shown

if TYPE_CHECKING:
    from abstain.fronts import ParetoFront
    from abstain.targets import OperatingPoint, Target

DEFAULT_REJECT_RATE = 0.1

target_option: Any = partial(
    typer.Option,
    rich_help_panel="Target",
)
AccuracyOption = Annotated[
    float | None, target_option(help="At least this accuracy, with the fewest rejects.")
]
RejectRateOption = Annotated[
    float | None,
    target_option(
        help="This reject rate; at most this if not pooled. fit and front take "
        f"{DEFAULT_REJECT_RATE} if no target is given."
    ),
]
RejectCostOption = Annotated[
    float | None, target_option(help="Least cost, when an error costs 1 and a reject this.")
]
RecallOption = Annotated[
    list[str] | None,
    target_option(
        metavar="CLASS=SHARE",
        help="At least this share of the answered rows of a class is answered by it "
        "(sensitivity), such as malignant=0.98; may be repeated.",
    ),
]
PrecisionOption = Annotated[
    list[str] | None,
    target_option(
        metavar="CLASS=SHARE",
        help="At least this share of the answers that name a class is right, such as "
        "malignant=0.9; may be repeated.",
    ),
]
CostOption = Annotated[
    list[str] | None,
    target_option(
        metavar="TRUE:ANSWERED=COST",
        help="What an error costs, such as fraud:ok=50, once for every pair of classes; or a "
        "table, whose first column names the true classes and whose header the answers. "
        "--reject-cost is the price of a reject.",
    ),
]
GroupByOption = Annotated[
    str | None,
    target_option(help="--accuracy holds in each group that this column names; it is no feature."),
]

ClassPriorOption = Annotated[
    list[str] | None,
    target_option(
        metavar="CLASS=SHARE",
        help="The share of a class in new rows, such as ill=0.02, if the table has another one; "
        "may be repeated. Classes that are not named share the rest.",
    ),
]


class TargetOption(NamedTuple):
    """The class of a target, and phrases in which its parameters are in braces.

    Options of one ``kind`` go together. Nested rows fix the order of the rejects, so that a target
    chooses only their number.
    """

    class_name: str
    kind: str
    phrase: str
    phrase_if_nested: str = ""
    # Score files do not name the classes of a target.
    needs_classes: bool = False


# By the parameter of the commands.
TARGETS = {
    "accuracy": TargetOption(
        "Accuracy",
        "shares",
        "accuracy of at least {accuracy}, with the fewest rejects",
        "accuracy of at least {accuracy}, rejecting the least likely to be right",
    ),
    "recall": TargetOption(
        "Recall",
        "shares",
        "recall of {label} of at least {recall}, with the fewest rejects",
        needs_classes=True,
    ),
    "precision": TargetOption(
        "Precision",
        "shares",
        "precision of {label} of at least {precision}, with the fewest rejects",
        needs_classes=True,
    ),
    "reject_rate": TargetOption(
        "RejectRate",
        "rate",
        "reject rate of at most {rate}, as accurate as possible",
        "reject rate of about {rate}, the least likely to be right",
    ),
    "reject_cost": TargetOption(
        "RejectCost",
        "costs",
        "least cost when an error costs 1 and a reject {cost}",
    ),
    "cost": TargetOption(
        "ExpectedCost",
        "costs",
        "least cost when {costs} and a reject costs {reject}",
        needs_classes=True,
    ),
}
# Kinds that take no confidence.
_NOT_CERTIFIED = {"rate": "reject rates", "costs": "costs"}
# Options of `abstain fit` that `abstain front` does not have.
NOT_FOR_SCORES = {
    "--recall",
    "--precision",
    "--cost",
    "--group-by",
    "--confidence",
    "--class-prior",
}
# Costs to list in a phrase.
_COSTS_TO_SHOW = 4


# --- from options to a target -------------------------------------------------------------------


def chosen_target(
    confidence: float | None = None, group_by: str | None = None, **values: Any
) -> Target | None:
    """Return the target of the options that were given, checked; None if none was given."""
    from abstain.targets import AllOf

    given = {name: value for name, value in values.items() if value is not None and value != []}
    _check_together(given, confidence, group_by)
    targets = _targets(given, confidence, group_by)
    if not targets:
        return None
    target = targets[0] if len(targets) == 1 else AllOf(*targets)
    target.check()
    return target


def chosen_prior(values: list[str] | None) -> dict[str, float] | None:
    """Return the shares of texts CLASS=SHARE, checked; None if none was given."""
    from abstain.classifier.proportions import check_class_prior

    if not values:
        return None
    shares = _by_key("class_prior", values, "CLASS=SHARE, such as ill=0.02", str)
    check_class_prior(shares)
    return shares


def _check_together(given: dict[str, Any], confidence: float | None, group_by: str | None) -> None:
    """Refuse options that contradict each other, or need another one."""
    kinds = {TARGETS[name].kind for name in given}
    if len(kinds) > 1:
        options = " and ".join("--" + name.replace("_", "-") for name in given)
        raise InputError(f"only one target can be served, got {options}; drop one")
    not_certified = [_NOT_CERTIFIED[kind] for kind in kinds - {"shares"}]
    if confidence is not None and kinds != {"shares"}:
        remedy = "give --accuracy as well, or --recall or --precision"
        if not_certified:
            remedy = f"drop --confidence: {not_certified[0]} are not certified"
        raise InputError(f"--confidence belongs to an accuracy, recall or precision; {remedy}")
    if group_by is not None and "accuracy" not in given:
        remedy = "drop --group-by" if not_certified else "give --accuracy as well"
        raise InputError(f"--group-by belongs to an accuracy; {remedy}")
    if "cost" in given and "reject_cost" not in given:
        raise InputError("--cost needs the price of a reject; give --reject-cost as well")
    if "cost" not in given and given.get("reject_cost", 0) >= 1:
        raise InputError(
            f"--reject-cost must be below 1, the cost of an error, got {given['reject_cost']:g}: "
            "nothing would be rejected; lower it, or give --cost for errors that cost more"
        )


def _targets(given: dict[str, Any], confidence: float | None, group_by: str | None) -> list[Any]:
    from abstain.targets import Accuracy, ExpectedCost, Precision, Recall, RejectCost, RejectRate

    if "cost" in given:
        return [ExpectedCost(_costs(given["cost"]), reject=given["reject_cost"])]
    targets: list[Any] = []
    for name, value in given.items():
        if name == "accuracy":
            targets.append(Accuracy(value, confidence=confidence, groups=group_by))
        elif name in ("recall", "precision"):
            make = Recall if name == "recall" else Precision
            shares = _by_key(name, value, "CLASS=SHARE, such as malignant=0.98", str)
            targets += [make(label, share, confidence) for label, share in shares.items()]
        else:
            targets.append(RejectRate(value) if name == "reject_rate" else RejectCost(value))
    return targets


Key = TypeVar("Key")


def _by_key(
    name: str, values: list[str], form: str, read_key: Callable[[str], Key]
) -> dict[Key, float]:
    """Return the numbers of texts KEY=NUMBER; ``read_key`` raises a ValueError for another form."""
    numbers: dict[Key, float] = {}
    for text in values:
        before, sign, after = text.rpartition("=")
        try:
            key, number = read_key(before.strip()), float(after)
        except ValueError:
            sign = ""
        if not sign or not before.strip():
            raise InputError(argument=name, value=text, requirement=f"must be {form}")
        if key in numbers:
            raise InputError(
                argument=name, value=text, requirement="gives a second number", remedy="drop one"
            )
        numbers[key] = number
    return numbers


def _costs(values: list[str]) -> dict[tuple[str, str], float]:
    """Return the costs of a table, or of texts TRUE:ANSWERED=COST."""
    from abstain.tables.targets import read_costs
    from abstain.tables.text_format import PARQUET, TEXT

    tables = [text for text in values if text.lower().endswith((*TEXT, *PARQUET))]
    if not tables:
        form = "TRUE:ANSWERED=COST, such as fraud:ok=50, or a table"
        costs = _by_key("costs", values, form, _pair)
        for (true, answered), cost in costs.items():
            if not 0 <= cost < math.inf:
                raise InputError(
                    argument="costs",
                    value=f"{true}:{answered}={cost:g}",
                    requirement="must be a finite number from 0 on",
                    remedy="give what it costs, not what it earns",
                )
        return costs
    if len(values) > 1:
        raise InputError(
            f"--cost must be one table, or pairs of classes, got {shown(tables[0])} and "
            f"{len(values) - 1} more; drop one"
        )
    return read_costs(Path(tables[0]))


def _pair(text: str) -> tuple[str, str]:
    true, answered = map(str.strip, text.split(":"))
    if not true or not answered:
        raise ValueError(text)
    return true, answered


# --- from a target to options and words -----------------------------------------------------------


def target_options(target: Any) -> dict[str, Any] | None:
    """Return the options that make a target, without dashes; None if there are none.

    >>> from abstain import Accuracy, AllOf, Recall
    >>> target_options(AllOf(Accuracy(0.9, confidence=0.95), Recall("ill", 0.8, 0.95)))
    {'accuracy': 0.9, 'confidence': 0.95, 'recall': ['ill=0.8']}
    """
    from abstain.targets import (
        Accuracy,
        AllOf,
        ExpectedCost,
        Precision,
        Recall,
        RejectCost,
        RejectRate,
    )

    options: dict[str, Any] = {}
    for each in target.targets if isinstance(target, AllOf) else [target]:
        if isinstance(each, Accuracy) and isinstance(each.groups, str | None):
            options |= {"accuracy": each.accuracy, "group-by": each.groups}
        elif isinstance(each, Recall):
            options.setdefault("recall", []).append(f"{each.label}={each.recall}")
        elif isinstance(each, Precision):
            options.setdefault("precision", []).append(f"{each.label}={each.precision}")
        elif isinstance(each, RejectRate):
            options["reject-rate"] = each.rate
        elif isinstance(each, RejectCost):
            options["reject-cost"] = each.cost
        elif isinstance(each, ExpectedCost) and isinstance(each.costs, dict):
            pairs = [(f"{true}:{answer}", cost) for (true, answer), cost in each.costs.items()]
            if isinstance(each.reject, dict) or any(pair.count(":") > 1 for pair, _ in pairs):
                return None
            options |= {"cost": [f"{pair}={cost}" for pair, cost in pairs]}
            options["reject-cost"] = each.reject
        else:
            return None
        options["confidence"] = getattr(each, "confidence", None)
    return {name: value for name, value in options.items() if value is not None}


def target_in_words(target: Any, front: ParetoFront) -> str:
    """Return what a target asks for; one that is no option is shown as Python does."""
    from abstain.targets import AllOf

    if isinstance(target, AllOf):
        parts = [target_in_words(each, front).rpartition(", ")[0] for each in target.targets]
        return " and ".join(parts) + ", with the fewest rejects"
    for option in TARGETS.values():
        if option.class_name == type(target).__name__:
            words = {name: _in_words(value) for name, value in target.get_params().items()}
            nested = option.phrase_if_nested if front.is_nested else ""
            groups = getattr(target, "groups", None)
            if groups is None:
                return (nested or option.phrase).format(**words)
            asked = option.phrase.partition(", ")[0].format(**words)
            return f"{asked} in every group of {words['groups']}, with the fewest rejects"
    return repr(target)


def _in_words(value: Any) -> str:
    """Return the value of a parameter: quoted if it is a name, in short if it is many costs."""
    if not isinstance(value, dict):
        return shown(value) if isinstance(value, str) else str(value).removesuffix(".0")
    errors = {pair: cost for pair, cost in value.items() if pair[0] != pair[1]}
    if len(errors) > _COSTS_TO_SHOW:
        return f"errors cost from {min(errors.values()):g} to {max(errors.values()):g}"
    return ", ".join(
        f"{shown(true)} answered by {shown(answer)} costs {cost:g}"
        for (true, answer), cost in errors.items()
    )


def estimated_shortfall(front: ParetoFront, point: OperatingPoint, target: Any) -> list[str]:
    """Return a warning if a point reaches an accuracy only on the samples of its front."""
    from abstain.targets import Accuracy
    from abstain.targets.choosing import ROUNDING

    if not isinstance(target, Accuracy) or point.guarantee is not None or point.row is None:
        return []
    if not front.expected_accuracies[point.row] + ROUNDING < target.accuracy:
        return []
    return ["The estimated probabilities do not reach the target: expect less on new data."]
