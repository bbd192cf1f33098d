"""Which named rules are there, what does each promise, and which one does an argument stand for?

A rule is a function of a fitted estimator and of samples that returns one value per sample: a
measure of certainty, or the cell of the sample. The tests check each rule for what it promises.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any, Generic, TypeVar

from numpy.typing import NDArray

from abstain._core.checks import InputError, shown
from abstain._core.estimators import n_samples_of, unwrap


@dataclass(frozen=True)
class Rule:
    """A function of a fitted estimator and samples, with what it needs and what it promises."""

    name: str
    function: Callable[[Any, Any], NDArray[Any]]
    serves: Callable[[Any], bool]
    needs: str
    _: KW_ONLY
    survives: frozenset[str]
    remedy: str = ""  # what to do if an estimator has not what is needed; empty: use another rule


AnyRule = TypeVar("AnyRule", bound=Rule)


class Registry(dict[str, AnyRule], Generic[AnyRule]):
    """The rules that an argument can name; it can be "auto" and other things, too.

    ``auto`` chooses a rule for a fitted estimator. ``accepts`` tells whether something that is not
    a name will do, and ``alternatives`` describes such things in the error for one that will not.
    """

    def __init__(
        self,
        argument: str,
        rules: Iterable[AnyRule],
        *,
        auto: Callable[[Any], AnyRule],
        accepts: Callable[[Any], bool],
        alternatives: str,
    ) -> None:
        super().__init__({rule.name: rule for rule in rules})
        self.argument, self.auto = argument, auto
        self.accepts, self.alternatives = accepts, alternatives

    def check(self, rule: Any) -> None:
        """Refuse what is neither a name nor another thing that will do."""
        is_name = isinstance(rule, str) and (rule == "auto" or rule in self)
        if not is_name and not self.accepts(rule):
            names = ", ".join(map(repr, ["auto", *self]))
            raise InputError(
                f"{self.argument} must be one of {names}{self.alternatives}, got {shown(rule)}"
            )

    def name_of(self, rule: Any) -> Any:
        """Return the name of a rule that is given as its function; anything else as it is."""
        return next((name for name, known in self.items() if known.function is rule), rule)

    def resolve(self, estimator: Any, rule: Any) -> Any:
        """Return the name of the rule that serves a fitted estimator; what is no name as it is."""
        self.check(rule)
        if not isinstance(rule, str):
            return rule
        if rule == "auto":
            return self.auto(estimator).name
        if not self[rule].serves(estimator):
            others = [name for name, other in self.items() if other.serves(estimator)]
            usual = f"use {' or '.join(map(repr, others))}" if others else "pass a callable"
            raise InputError(
                argument=self.argument,
                value=rule,
                requirement=f"needs {self[rule].needs}, got {type(unwrap(estimator)[1]).__name__}",
                remedy=self[rule].remedy or usual,
            )
        return rule


def is_function(rule: Any) -> bool:
    """Tell whether something can be called with an estimator and samples."""
    return callable(rule) and not isinstance(rule, type)


def check_one_per_sample(argument: str, unit: str, values: NDArray[Any], X: Any) -> None:
    """Refuse what a function has returned if it is not as long as the samples."""
    n_samples = n_samples_of(X)
    if len(values) != n_samples:
        raise InputError(
            f"{argument} must return one {unit} for each of {n_samples} samples, got {len(values)}"
        )
