"""Which classes and groups of a table does a target name, and what do errors cost by a table?

Classes of a table are text, however its label column is stored: a target may name them as text or
as numbers. A column that names groups is not a feature.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

from abstain._core.errors import Argument, InputError, shown
from abstain._core.text import first_of
from abstain.tables.evaluation import respelled
from abstain.tables.reading import open_table, read_table
from abstain.tables.values import as_categories, as_numbers, without_missing
from abstain.targets import AllOf, ExpectedCost, Precision, Recall, Target

_CLASSES_TO_LIST = 5


def read_costs(path: Path) -> dict[tuple[str, str], float]:
    r"""Return the costs in a table by pairs (true, answered).

    The first column names the true classes, the header names the answers. A right answer without a
    number costs 0.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "costs.csv").write_text("true,ok,fraud\nok,0,1\nfraud,50,\n")
    ...     read_costs(Path(folder, "costs.csv"))
    {('ok', 'ok'): 0.0, ('fraud', 'ok'): 50.0, ('ok', 'fraud'): 1.0}
    """
    table = open_table(path, columns=[""])  # a corner without a name is no fault
    frame = read_table(table)
    first, *answers = frame.columns
    true = as_categories(frame[first], table.missing).to_list()
    _check_same_classes(path, true, answers)
    costs = {}
    for answer in answers:
        numbers = as_numbers(frame[answer], table.decimal, table.missing).to_list()
        is_blank = without_missing(frame[answer], table.missing).is_null().to_list()
        for label, number, blank in zip(true, numbers, is_blank, strict=True):
            if number is not None:
                if not 0 <= number < math.inf:
                    raise InputError(
                        f"{path} must hold finite numbers from 0 on, got {number:g} for class "
                        f"{shown(label)} answered by {shown(answer)}; write what it costs, not "
                        "what it earns"
                    )
                costs[label, answer] = number
            elif label != answer or not blank:
                got = "nothing" if blank else shown(frame[answer][true.index(label)])
                raise InputError(
                    f"{path} must hold a number for every error, got {got} for class "
                    f"{shown(label)} answered by {shown(answer)}; write what it costs"
                )
    return costs


def _check_same_classes(path: Path, true: Sequence[str | None], answers: Sequence[str]) -> None:
    for label in true:
        if label is None or true.count(label) > 1:
            raise InputError(
                f"{path} must name each true class once in its first column, got "
                f"{'a blank' if label is None else f'{shown(label)} twice'}; fix the file"
            )
    for label in sorted({*map(str, true)} ^ {*answers}):
        there, absent = ("row", "column") if label in true else ("column", "row")
        raise InputError(
            f"{path} must have a row and a column for each class, got a {there} but no {absent} "
            f"for {shown(label)}; its first column names the true classes, its header the answers"
        )


# --- classes --------------------------------------------------------------------------------------


def with_classes(target: Any, classes: Sequence[str] | Mapping[str, Any], label: str) -> Any:
    """Return a target that names classes as the label column of a table does.

    Of a mapping, which has the classes of a model by their names, classes are as in the model.

    >>> with_classes(Recall(1.0, 0.9), ["0", "1"], "ill")
    Recall(label='1', recall=0.9, confidence=None)
    >>> with_classes(Recall("1", 0.9), {"0": 0, "1": 1}, "ill")
    Recall(label=1, recall=0.9, confidence=None)
    """

    def named(argument: str, given: Any) -> Any:
        return _class_of_table(argument, given, classes, label)

    if isinstance(target, AllOf):
        return AllOf(*(with_classes(each, classes, label) for each in target.targets))
    if isinstance(target, Recall | Precision):
        return replace(target, label=named(type(target).__name__.lower(), target.label))
    if isinstance(target, ExpectedCost):
        costs, reject = target.costs, target.reject
        if isinstance(costs, dict):
            costs = {
                (named("costs", true), named("costs", answer)): cost
                for (true, answer), cost in costs.items()
            }
            if len(costs) < len(target.costs):
                raise InputError(
                    argument="costs",
                    value=target.costs,
                    requirement="must name each pair of classes once",
                    remedy="numbers such as 1 and 1.0 are the same class",
                )
            _check_every_error(costs, [named("costs", each) for each in classes])
        if isinstance(reject, dict):
            reject = {named("reject", true): price for true, price in reject.items()}
        return replace(target, costs=costs, reject=reject)
    return target


def prior_of_classes(
    class_prior: Any, classes: Sequence[str] | Mapping[str, Any], label: str
) -> Any:
    """Return the shares of classes, which are named as by `with_classes`.

    >>> prior_of_classes({1: 0.02}, ["0", "1"], "ill")
    {'1': 0.02}
    """
    if not isinstance(class_prior, Mapping):
        return class_prior
    return {
        _class_of_table("class_prior", given, classes, label): share
        for given, share in class_prior.items()
    }


def _class_of_table(
    argument: str, given: Any, classes: Sequence[str] | Mapping[str, Any], label: str
) -> Any:
    (name,) = respelled([str(given)], list(classes))
    if name not in classes:
        listed = first_of(list(map(shown, classes)), _CLASSES_TO_LIST)
        raise InputError(
            Argument(argument),
            f" names class {shown(given)}, which label column {shown(label)} does not have; "
            f"its classes are {listed}",
        )
    return classes[name] if isinstance(classes, Mapping) else name


def _check_every_error(costs: dict[tuple[Any, Any], float], classes: Sequence[Any]) -> None:
    for true, answer in permutations(classes, 2):
        if (true, answer) not in costs:
            raise InputError(
                argument="costs",
                requirement="must have a number for every error",
                got=f"none for true class {shown(true)} answered by {shown(answer)}",
                remedy="add it",
            )


# --- groups ---------------------------------------------------------------------------------------


def group_columns(target: Any) -> list[str]:
    """Return the columns whose values are the groups of a target.

    >>> from abstain import Accuracy
    >>> group_columns(AllOf(Accuracy(0.9, groups="site"), Recall("ill", 0.9)))
    ['site']
    """
    if isinstance(target, AllOf):
        return [name for each in target.targets for name in group_columns(each)]
    groups = getattr(target, "groups", None)
    return [groups] if isinstance(groups, str) else []


def with_groups(target: Any, labels_of: Callable[[str], Any]) -> Any:
    """Return a target with a group for each row in place of the name of a column."""
    if isinstance(target, AllOf):
        return AllOf(*(with_groups(each, labels_of) for each in target.targets))
    for column in group_columns(target):
        return replace(target, groups=labels_of(column))
    return target


# --- JSON -----------------------------------------------------------------------------------------


def target_as_dict(target: Target | None) -> dict[str, Any]:
    """Return a target for a JSON document: its parameters by the name of its class.

    >>> target_as_dict(AllOf(Recall("ill", 0.9)))["AllOf"]["targets"][0]["Recall"]["recall"]
    0.9
    """
    parameters = dict(vars(target))
    if isinstance(target, AllOf):
        parameters["targets"] = [target_as_dict(each) for each in target.targets]
    if isinstance(target, ExpectedCost) and isinstance(target.costs, dict):
        parameters["costs"] = [
            {"true": true, "answered": answer, "cost": cost}
            for (true, answer), cost in target.costs.items()
        ]
    return {type(target).__name__: parameters}
