"""What does the library certify?

The same fronts and tests as in `RejectOptionClassifier`, on answers that are known already: a
classifier need not be asked again for every draw.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from abstain import Accuracy, pareto_front
from abstain.classifier.holding_out import automatic_test_size
from abstain.classifier.own_cells import OwnCells, find_own_cells
from abstain.fronts import ParetoFront
from abstain.fronts.held_out import HeldOut
from abstain.targets.guarantee import run_tests
from certificates.pools import Answers, Array, Pool

# A procedure returns a threshold per cell, or None if nothing is certified.
Procedure = Callable[[Pool, Answers, Accuracy, Generator], Array | None]


class Rows(NamedTuple):
    """The thresholds that are tested, and the cells that have their own."""

    own_cells: OwnCells
    front: ParetoFront

    @classmethod
    def of(
        cls,
        learn: Answers,
        *,
        method: str = "pooled",
        is_one_threshold: bool = False,
        min_cell_size: int = 1,
    ) -> "Rows":
        """Return the rows that `RejectOptionClassifier` learns from answers."""
        if is_one_threshold:
            own_cells = OwnCells(learn.cells[:0])
        else:
            own_cells = find_own_cells(learn.cells, min_cell_size)
        cells = own_cells.positions(learn.cells)
        return cls(own_cells, pareto_front(learn.certainty, learn.correct, cells, method=method))

    def certified(self, test: Answers, target: Accuracy, n_cells: int) -> Array | None:
        """Return the thresholds that these samples certify."""
        columns = self.own_cells.columns(test.cells, self.front)
        held_out = HeldOut(test.certainty, test.correct, columns)
        tests = run_tests(self.front, held_out, target.accuracy, target.confidence or 0.0)
        return None if tests.certified is None else self.thresholds(tests.certified[0], n_cells)

    def thresholds(self, row: int, n_cells: int) -> Array:
        """Return the threshold of every cell in a row."""
        (thresholds,) = self.own_cells.thresholds(self.front, np.array([row]))
        return np.asarray(thresholds[self.own_cells.positions(np.arange(n_cells))])


def split(drawn: Answers, test_size: float, generator: Generator) -> tuple[Answers, Answers]:
    """Return the samples that learn and those that test."""
    order, n_test = generator.permutation(len(drawn.correct)), round(test_size * len(drawn.correct))
    return drawn.take(order[n_test:]), drawn.take(order[:n_test])


def calibration_alone(
    pool: Pool, drawn: Answers, target: Accuracy, generator: Generator
) -> Array | None:
    """Certify as a ``FrozenEstimator`` does, everything by default."""
    n_samples = len(drawn.correct)
    test_size = automatic_test_size(target, n_samples, True, "pooled", "auto")
    if test_size == 1:
        return Rows.of(drawn, is_one_threshold=True).certified(drawn, target, pool.n_cells)
    learn, test = split(drawn, test_size, generator)
    return Rows.of(learn).certified(test, target, pool.n_cells)


def taught_out_of_fold(
    pool: Pool, drawn: Answers, target: Accuracy, generator: Generator
) -> Array | None:
    """Certify as where the classifier is fitted: its answers out of fold give the path."""
    return _rows_out_of_fold(pool).certified(drawn, target, pool.n_cells)


_latest: dict[str, Rows] = {}


def _rows_out_of_fold(pool: Pool) -> Rows:
    """Return the same rows for every draw."""
    if pool.name not in _latest:
        _latest.clear()
        _latest[pool.name] = Rows.of(pool.out_of_fold)
    return _latest[pool.name]


def halves(method: str, is_one_threshold: bool) -> Procedure:
    """Version 0.1: the front of one half, tested on the other."""

    def procedure(pool: Pool, drawn: Answers, target: Accuracy, generator: Generator) -> Any:
        learn, test = split(drawn, 0.5, generator)
        rows = Rows.of(learn, method=method, is_one_threshold=is_one_threshold, min_cell_size=10)
        return rows.certified(test, target, pool.n_cells)

    return procedure


def tenth_sets_thresholds(
    pool: Pool, drawn: Answers, target: Accuracy, generator: Generator
) -> Array | None:
    """``cells="global", test_size=0.9``: one threshold, without assumptions."""
    learn, test = split(drawn, 0.9, generator)
    return Rows.of(learn, is_one_threshold=True).certified(test, target, pool.n_cells)


PROCEDURES: dict[str, Procedure] = {
    "abstain, calibration samples alone": calibration_alone,
    "abstain, taught out of fold": taught_out_of_fold,
    "abstain, cells='global', test_size=0.9": tenth_sets_thresholds,
    "version 0.1: exact, cells, halves": halves("exact", is_one_threshold=False),
    "version 0.1: exact, one threshold, halves": halves("exact", is_one_threshold=True),
}
