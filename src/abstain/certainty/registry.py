"""How are measures of certainty and rules for cells registered, documented and looked up?

A rule is a function of a fitted estimator and of samples that returns one value per sample: a
measure of certainty, or the cell of the sample. The tests check the declared properties of each
rule.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any, Generic, TypeVar

from numpy.typing import NDArray

from abstain._core.documentation import documented
from abstain._core.errors import InputError
from abstain._core.estimators import n_samples_of, unwrap


@dataclass(frozen=True)
class Rule:
    """A function of a fitted estimator and samples, with its requirement and its properties."""

    name: str
    function: Callable[[Any, Any], NDArray[Any]]
    serves: Callable[[Any], bool]
    needs: str
    _: KW_ONLY
    survives: frozenset[str]
    remedy: str = ""  # what to do if the estimator does not qualify; empty: use another rule


AnyRule = TypeVar("AnyRule", bound=Rule)
Function = TypeVar("Function", bound=Callable[..., Any])

PROTOTYPE_MODEL = "A fitted prototype model, or a pipeline or search that holds one."

_PARAMETERS = """\
estimator : estimator
    {}
X : array-like of shape (n_samples, n_features)
    Samples."""


def documented_rule(
    estimator: str, returns: str, result: str = "certainty"
) -> Callable[[Function], Function]:
    """Insert the sections Parameters and Returns into the docstring of a rule."""
    returns = f"{result} : ndarray of shape (n_samples,)\n    {returns}"
    return documented(_PARAMETERS.format(estimator), returns=returns)


class Registry(dict[str, AnyRule], Generic[AnyRule]):
    """The rules that an argument can name, besides "auto" and values such as a callable.

    ``auto`` chooses a rule for a fitted estimator. ``accepts`` tells whether a value that is not a
    name is valid, and ``alternatives`` describes such values in the error message.
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
        """Refuse a value that is neither a name nor accepted otherwise."""
        is_name = isinstance(rule, str) and (rule == "auto" or rule in self)
        if not is_name and not self.accepts(rule):
            names = ", ".join(map(repr, ["auto", *self]))
            raise InputError(
                argument=self.argument,
                value=rule,
                requirement=f"must be one of {names}{self.alternatives}",
            )

    def name_of(self, rule: Any) -> Any:
        """Return the name of a rule given as its function; any other value is returned."""
        return next((name for name, known in self.items() if known.function is rule), rule)

    def resolve(self, estimator: Any, rule: Any) -> Any:
        """Return the name of the rule for a fitted estimator; a value that is no name is returned.

        A named rule that does not serve the estimator is refused.
        """
        self.check(rule)
        if not isinstance(rule, str):
            return rule
        if rule == "auto":
            return self.auto(estimator).name
        if not self[rule].serves(estimator):
            others = [name for name, other in self.items() if other.serves(estimator)]
            remedy = f"use {' or '.join(map(repr, others))}" if others else "pass a callable"
            raise InputError(
                argument=self.argument,
                value=rule,
                requirement=f"needs {self[rule].needs}, got {type(unwrap(estimator)[1]).__name__}",
                remedy=self[rule].remedy or remedy,
            )
        return rule


def is_function(rule: Any) -> bool:
    """Return whether a rule is a function of an estimator and samples."""
    return callable(rule) and not isinstance(rule, type)


def check_one_per_sample(argument: str, unit: str, values: NDArray[Any], X: Any) -> None:
    """Refuse the values of a function unless there is one per sample."""
    n_samples = n_samples_of(X)
    if len(values) != n_samples:
        raise InputError(
            argument=argument,
            requirement=f"must return one {unit} for each of {n_samples} samples",
            got=f"{len(values)}",
        )
