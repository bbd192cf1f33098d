"""How are the parameters of a target read and set from outside?

By scikit-learn's two methods, so that a search can go through targets; scikit-learn itself is not
needed for that.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import fields
from typing import Any, Self

from abstain._core.checks import InputError

__all__ = ["Parameters"]


class Parameters:
    """What makes a dataclass settable inside an estimator."""

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
