"""What is known of answers whose true classes are known, and which targets need all of it?

A front knows how sure each answer was, whether it was right, and in which cell. Costs, shares of
one class and groups also need the class that was answered, the true class and the group.
"""

from __future__ import annotations  # signatures then show the names of types

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from abstain._core.errors import InputError, shown
from abstain.fronts import ParetoFront
from abstain.fronts.held_out import HeldOut
from abstain.fronts.weights import in_units
from abstain.targets.base import BaseTarget
from abstain.targets.guarantee import Guarantee


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Answers to samples; ``answers`` and ``truth`` are positions in ``classes``.

    ``cells`` are positions of thresholds, ``rows`` those of the samples in what was given to fit.
    ``weights`` say how often new data have such samples, relative to these; None is equally often.
    ``drawn`` are positions of samples that have the class proportions of new data; -1 is a sample
    that was lacking. None is all samples. ``repeats`` and ``counted`` are those of `HeldOut`.
    """

    certainty: NDArray[np.float64]
    cells: NDArray[np.int64]
    answers: NDArray[np.int64]
    truth: NDArray[np.int64]
    classes: NDArray[Any]
    rows: NDArray[np.int64] | None = None
    weights: NDArray[np.float64] | None = None
    drawn: NDArray[np.int64] | None = None
    repeats: NDArray[np.int64] | None = None
    counted: str = "samples"

    def __len__(self) -> int:
        return len(self.certainty)

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Whether each answer is right."""
        return np.asarray(self.answers == self.truth)

    def held_out(self, good: NDArray[np.bool_], front: ParetoFront) -> HeldOut:
        """Return the samples as those that test a front: which are good, and in which column."""
        column = np.full(int(max(front.cells.max(), self.cells.max())) + 1, -1)
        column[front.cells] = np.arange(front.n_cells)
        return HeldOut(
            self.certainty,
            good,
            column[self.cells],
            repeats=self.repeats,
            counted=self.counted,
        )

    @property
    def units(self) -> NDArray[np.int64] | None:
        """The weights as whole numbers from 1 on; None without weights."""
        return None if self.weights is None else np.maximum(in_units(self.weights)[0], 1)

    def code_of(self, argument: str, label: Any) -> int:
        """Return the position of a class; refuse one that the classifier does not know."""
        for code, known in enumerate(self.classes.tolist()):
            if type(known) is type(label) and known == label:
                return code
        for code, known in enumerate(self.classes.tolist()):
            if known == label:
                return code
        raise InputError(
            argument=argument,
            value=label,
            requirement=f"must be a class of the classifier ({shown(self.classes.tolist())})",
        )


class Choice(NamedTuple):
    """A row of nested thresholds that was made for a target, and what is certified for it."""

    front: ParetoFront
    row: int
    guarantees: tuple[Guarantee, ...] = ()


def needs_outcomes(target: Any) -> TypeGuard[OutcomeTarget]:
    """Return whether a target needs the classes of the calibration samples."""
    return bool(getattr(target, "needs_outcomes", False))


class OutcomeTarget(BaseTarget):
    """A target that needs the classes of the calibration samples."""

    needs_outcomes = True

    def _choose(self, front: ParetoFront) -> int:
        raise InputError(
            f"{self} needs the classes of the calibration samples, which a front does not know: "
            "fit a RejectOptionClassifier with it"
        )

    @abstractmethod
    def _solve(self, learn: Outcomes, method: str, test: Outcomes | None = None) -> Choice:
        """Return thresholds that were made for this target, certified on ``test`` if it asks so."""
