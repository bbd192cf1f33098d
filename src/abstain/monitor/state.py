"""How is the state of a monitor kept: as numbers and names, which are checked when they are read?

A state is a dictionary that JSON can hold. No code is run when it is read.
"""

from __future__ import annotations  # signatures then show the names of types

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from math import inf, isfinite, nan
from pathlib import Path
from typing import Any, Self

import numpy as np

from abstain._core.errors import InputError
from abstain._core.files import atomic_files, check_regular_file
from abstain.monitor.evidence import (
    EARLIER_LOG_WEIGHTS,
    ODDS_RATIOS,
    RATES,
    Evidence,
    log_product,
    no_evidence,
)

# Of the state; changes with the alternatives, rates and weights of the evidence.
VERSION = 2
READABLE = (1, VERSION)
_SHAPE = (len(ODDS_RATIOS), len(RATES))


class SavedState(ABC):
    """Base class of monitors: states in dictionaries and in files."""

    def to_dict(self) -> dict[str, Any]:
        """Return the state as numbers, names, lists and dictionaries.

        Returns
        -------
        state : dict
            What `from_dict` takes, and what JSON can hold.

        Examples
        --------
        >>> from abstain import RiskMonitor
        >>> state = RiskMonitor(0.9).to_dict()
        >>> state["kind"], state["accuracy"], state["n_answers"]
        ('RiskMonitor', 0.9, 0)
        """
        return {"kind": type(self).__name__, "version": VERSION, **self._state()}

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Self:
        """Return a monitor with a state that `to_dict` has returned.

        Parameters
        ----------
        state : dict
            The state. It is checked, and a damaged one is refused.

        Returns
        -------
        monitor : object
            A monitor that goes on where the other one was.

        Examples
        --------
        >>> from abstain import RiskMonitor
        >>> state = RiskMonitor(0.9).update([True, False]).to_dict()
        >>> RiskMonitor.from_dict(state).n_errors
        1
        """
        if not isinstance(state, Mapping) or state.get("kind") != cls.__name__:
            got = state.get("kind") if isinstance(state, Mapping) else state
            raise InputError(
                argument="state", value=got, requirement=f"must be that of a {cls.__name__}"
            )
        if state.get("version") not in READABLE:
            raise InputError(
                argument="state",
                value=state.get("version"),
                requirement=f"must be of version {' or '.join(map(str, READABLE))}",
                remedy="start a new monitor",
            )
        return cls._from_state(state)

    def save(self, path: str | Path) -> None:
        """Write the state to a JSON file, which appears whole or not at all.

        Parameters
        ----------
        path : str or Path
            The file.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from abstain import RiskMonitor
        >>> with TemporaryDirectory() as folder:
        ...     RiskMonitor(0.9).update([True, False]).save(Path(folder, "risk.json"))
        ...     RiskMonitor.load(Path(folder, "risk.json")).n_errors
        1
        """
        with atomic_files(Path(path)) as (draft,):
            draft.write_text(json.dumps(self.to_dict()) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Return the monitor whose state is in a file. No code is run.

        Parameters
        ----------
        path : str or Path
            A file that `save` has written.

        Returns
        -------
        monitor : object
            A monitor that goes on where the other one was.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from abstain import DriftMonitor
        >>> with TemporaryDirectory() as folder:
        ...     DriftMonitor(range(100)).update([3, 50]).save(Path(folder, "drift.json"))
        ...     DriftMonitor.load(Path(folder, "drift.json")).n_samples
        2
        """
        path = Path(path)
        check_regular_file(path)
        try:
            return cls.from_dict(json.loads(path.read_text(encoding="utf-8")))
        except InputError as error:
            raise InputError(f"cannot load {path}: {error}") from None
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(f"cannot load {path}: it is no JSON ({error})") from None

    @abstractmethod
    def _state(self) -> dict[str, Any]:
        """Return what is special to this kind of monitor."""

    @classmethod
    @abstractmethod
    def _from_state(cls, state: Mapping[str, Any]) -> Self:
        """Return a monitor of this kind from what `_state` has returned."""


def evidence_state(evidence: Evidence) -> dict[str, Any]:
    """Return the evidence of one sequence; before the first outcome, it has no sums."""
    sums = evidence.log_sums.tolist() if evidence.n else []
    return {
        "n": evidence.n,
        "n_events": int(evidence.n_events),
        "log_factor": float(evidence.log_factor),
        "log_sums": sums,
    }


def read_evidence(limit: float, state: Any) -> Evidence:
    """Return the evidence of one sequence from its state.

    A state of version 1 has no factor. Its capital is put on the bets of today by the factor that
    keeps the evidence what it was, so that what was promised of false alarms holds.
    """
    if not isinstance(state, Mapping):
        raise InputError(argument="state", value=state, requirement="must hold evidence")
    n = read_count(state, "n")
    n_events = read_count(state, "n_events", most=n)
    if not n:
        return no_evidence(limit)
    try:
        log_sums = np.array(state.get("log_sums"), dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        log_sums = np.empty(0)
    is_earlier = "log_factor" not in state
    log_factor = 0.0 if is_earlier else read_number(state, "log_factor")
    evidence = Evidence(limit, n, np.asarray(n_events), log_sums, np.asarray(log_factor))
    # The bet without restarts is known from the counts.
    if (
        log_sums.shape != _SHAPE
        or not np.isfinite(log_sums).all()
        or not np.allclose(log_sums[:, 0], log_product(evidence), rtol=1e-6, atol=1e-6)
    ):
        raise InputError("state must hold log_sums that its counts imply; it is damaged")
    if is_earlier:
        kept = evidence.log_value(EARLIER_LOG_WEIGHTS) - evidence.log_value()
        return evidence._replace(log_factor=kept)
    return evidence


def read_count(state: Mapping[str, Any], name: str, most: int | None = None) -> int:
    """Return a count of a state."""
    value: Any = state.get(name)
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63
    if not is_count or (most is not None and value > most):
        limit = "" if most is None else f" of at most {most}"
        raise InputError(argument=name, value=value, requirement=f"must be a count{limit}")
    return int(value)


def read_alarm(state: Mapping[str, Any], n: int) -> int | None:
    """Return when the alarm was raised; None if it was not."""
    return None if state.get("alarm_at") is None else read_count(state, "alarm_at", most=n)


def read_number(state: Mapping[str, Any], name: str) -> float:
    """Return a finite number of a state."""
    value: Any = state.get(name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    try:
        number = float(value) if is_number else nan
    except OverflowError:
        number = inf
    if not isfinite(number):
        raise InputError(argument=name, value=value, requirement="must be a finite number")
    return number
