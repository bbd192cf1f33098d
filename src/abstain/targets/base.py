"""What is a target, and what can it do beyond choosing a row of a front?

A target needs `choose` alone. One that certifies something on new data also says how many samples
must at least be held out of the front (`min_test_samples`), and certifies a row on them
(`certify`). Fronts and classifiers work with any target; only `saving` and the command line know
the targets of this package by name.
"""

from __future__ import annotations  # signatures then show the names of types

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, Protocol, Self, TypeGuard

import numpy as np

from abstain._core.errors import InputError
from abstain.fronts import ParetoFront
from abstain.fronts.held_out import HeldOut
from abstain.targets.guarantee import Guarantee


class Target(Protocol):
    """Anything that can choose a row of a front.

    Examples
    --------
    >>> from abstain import operating_point, pareto_front
    >>> class EverythingFree:
    ...     def choose(self, front):
    ...         return int((front.false_rejects == 0).nonzero()[0][-1])
    >>> front = pareto_front([0.1, 0.2, 0.3], [False, False, True])
    >>> operating_point(front, EverythingFree()).true_rejects
    2
    """

    def choose(self, front: ParetoFront) -> int:
        """Return the row of the front to run at.

        Parameters
        ----------
        front : ParetoFront
            Any front, of any method.

        Returns
        -------
        row : int
            Index of the row.

        Examples
        --------
        >>> from abstain import Accuracy, pareto_front
        >>> Accuracy(0.9).choose(pareto_front([0.1, 0.2], [False, True]))
        1
        """
        ...


class CertifyingTarget(Target, Protocol):
    """A target that is tested on samples which had no part in the front."""

    def min_test_samples(self) -> int:
        """Return the fewest samples that can certify it; 0 if it certifies nothing."""
        ...

    def certify(self, front: ParetoFront, held_out: HeldOut) -> tuple[int, Guarantee]:
        """Return the row to run at, and what is certified for it."""
        ...


def certifies(target: Target) -> TypeGuard[CertifyingTarget]:
    """Return whether a target needs samples that only test it."""
    return hasattr(target, "min_test_samples") and target.min_test_samples() > 0


def check_target(target: Any) -> None:
    """Refuse what is no target, and a target with invalid parameters."""
    # A class is no target yet, and an array has a method `choose` of its own.
    if isinstance(target, type | np.ndarray) or not hasattr(target, "choose"):
        *names, last = exported_targets()
        raise InputError(
            argument="target",
            value=target,
            requirement=f"must be an instance of {', '.join(names)} or {last}, such as "
            "Accuracy(0.99)",
        )
    if hasattr(target, "check"):
        target.check()


def exported_targets() -> list[str]:
    """Return the names of the targets that this package exports."""
    from abstain import targets

    exported = {name: getattr(targets, name) for name in targets.__all__}
    return [
        name
        for name, value in exported.items()
        if isinstance(value, type) and issubclass(value, BaseTarget)
    ]


class BaseTarget(ABC):
    """What the targets of this package share; each is a dataclass of its parameters.

    A target defines `_check` and `_choose`. Parameters are read and set as in scikit-learn, so
    that a search can go through them.
    """

    @abstractmethod
    def _check(self) -> None:
        """Refuse invalid parameters."""

    @abstractmethod
    def _choose(self, front: ParetoFront) -> int:
        """Return the row to run at; the parameters are valid."""

    def check(self) -> None:
        """Raise an `InputError` if a parameter is invalid.

        Examples
        --------
        >>> from abstain import InputError, RejectRate
        >>> try:
        ...     RejectRate(7).check()
        ... except InputError as error:
        ...     print(error)
        rate must be a number in [0, 1], got 7; 7% is 0.07
        """
        self._check()

    def choose(self, front: ParetoFront) -> int:
        """Return the row of the front to run at.

        Parameters
        ----------
        front : ParetoFront
            Any front, of any method.

        Returns
        -------
        row : int
            Index of the row.

        Examples
        --------
        >>> from abstain import Accuracy, RejectCost, RejectRate, pareto_front
        >>> front = pareto_front([0.1, 0.2, 0.3, 0.4], [False, True, False, True])
        >>> [target.choose(front) for target in (RejectRate(0.5), Accuracy(0.6), RejectCost(0.2))]
        [1, 1, 2]
        """
        self._check()
        return self._choose(front)

    def among_inliers(self, share_of_outliers: float) -> Self:
        """Return the target for the samples that are not rejected as outliers already.

        Parameters
        ----------
        share_of_outliers : float
            The share of the samples that are rejected whatever the row of the front.

        Returns
        -------
        target : object
            The same target, unless it counts rejects.

        Examples
        --------
        >>> from abstain import Accuracy, RejectRate
        >>> Accuracy(0.9).among_inliers(0.5), RejectRate(0.75).among_inliers(0.5)
        (Accuracy(accuracy=0.9, confidence=None), RejectRate(rate=0.5))
        """
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            There is nothing deeper; for scikit-learn.

        Returns
        -------
        params : dict
            Values by name.

        Examples
        --------
        >>> from abstain import RejectRate
        >>> RejectRate(0.1).get_params()
        {'rate': 0.1}
        """
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def set_params(self, **params: Any) -> Self:
        """Set some of the parameters.

        Parameters
        ----------
        **params : dict
            Values by name.

        Returns
        -------
        self : object
            The target itself.

        Examples
        --------
        >>> from abstain import RejectRate
        >>> RejectRate(0.1).set_params(rate=0.2)
        RejectRate(rate=0.2)
        """
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                names = ", ".join(known)
                raise InputError(f"{type(self).__name__} has the parameters {names}, got {name!r}")
            setattr(self, name, value)
        return self
