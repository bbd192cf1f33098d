"""Which prototypes does a stream drop, and where does it insert others?

A prototype *earns* the doubts that samples would have in addition without it. Each review adds what
the newest samples give to what is left of older ones.

1. Of each class, the prototype that earns least is dropped if that is nothing.
2. After a number of errors a prototype is tried: of the newest wrong samples, the one that takes
   most doubts away from the window. The model takes some steps with and without it on half of the
   window. It stays if the other half is less in doubt with it. The number of errors that are
   awaited starts at 16, doubles with each prototype tried in vain and is halved with others.

If there are as many prototypes as allowed, a new one takes the place of the one that earns least.
Where the number of prototypes per class is fixed, classes that have fewer get one as soon as they
have samples for it, and none is dropped.

After Losing, Hammer, Wersing, "Interactive online learning for obstacle classification on a mobile
robot", IJCNN 2015. They insert the sample of a window that lowers its cost most, untried. But after
the model has adapted to few prototypes, hardly any sample lowers the cost before it adapts again.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from abstain.models.costs import LabelledBlock
from abstain.models.distances import Array
from abstain.models.stream_prototypes import WRONG

if TYPE_CHECKING:
    from abstain.models.incremental import Rules, Stream

# Samples of a stream that are kept, and between two reviews.
WINDOW, REVIEW = 1024, 256
# Errors after which a prototype is tried, at first and at most.
ERRORS, MOST_ERRORS = 16, 512
# Steps with and without it, and the samples of each.
TRIAL, DRAWN = 24, 128
# What remains of what a prototype has earned, after each review.
DECAY = 0.75

# Samples of a block, by position.
Chosen = list[tuple[LabelledBlock, NDArray[np.int64]]]


def is_reviewed(n_seen: int) -> bool:
    """Tell whether prototypes are reviewed after so many samples: at first after 2, 4, 8, …"""
    is_power = n_seen & (n_seen - 1) == 0
    return n_seen % REVIEW == 0 or (n_seen < REVIEW and is_power)


def review(stream: Stream, rules: Rules) -> None:
    """Drop prototypes that earn nothing, and insert others where samples are wrong."""
    prototypes, wrong = stream.prototypes(rules), []
    stream.earned *= DECAY
    for block in stream.blocks(stream.near(REVIEW), rules):
        doubts, earned = prototypes.earnings(block)
        stream.earned += earned
        wrong.append((block, np.flatnonzero(doubts > WRONG)))
    if rules.counts is not None:
        complete(stream, rules)
        return
    drop_idle(stream)
    if stream.n_errors >= stream.n_awaited:
        factor = 0.5 if try_prototype(stream, wrong, rules) else 2
        stream.n_awaited = int(np.clip(factor * stream.n_awaited, ERRORS, MOST_ERRORS))
        stream.n_errors = 0.0


def drop_idle(stream: Stream) -> None:
    """Drop, of each class, the prototype that earns least, if that is nothing.

    Of two that earn nothing, each may do so because of the other.
    """
    for label in np.unique(stream.prototype_classes).tolist():
        own = np.flatnonzero(stream.prototype_classes == label)
        least = int(own[stream.earned[own].argmin()])
        if len(own) > 1 and stream.earned[least] <= 0 and stream.ages[least] >= WINDOW:
            stream.drop(least)


def complete(stream: Stream, rules: Rules) -> None:
    """Insert prototypes of classes that lack some, at samples of theirs."""
    assert rules.counts is not None
    for label in np.unique(stream.prototype_classes).tolist():
        n_missing = rules.counts[label] - np.count_nonzero(stream.prototype_classes == label)
        for _ in range(n_missing):
            own = [
                (block, np.arange(part.start, part.stop))
                for block in stream.blocks(stream.near(), rules)
                for code, part in block.parts
                if code == label
            ]
            candidate = best_candidate(stream, own, rules)
            if candidate is not None:
                stream.insert(*candidate, rules)


def best_candidate(stream: Stream, among: Chosen, rules: Rules) -> tuple[Array, int] | None:
    """Return the sample that takes most doubts away from the window, and its label."""
    if not any(len(rows) for _, rows in among):
        return None
    prototypes = stream.prototypes(rules)
    candidates = prototypes.candidates(among)
    gains = prototypes.gains(candidates, stream.blocks(stream.near(), rules))
    best = int(gains.argmax())
    return candidates.samples[best], int(candidates.labels[best])


def restart(stream: Stream, rules: Rules) -> None:
    """Start anew with one prototype per class of the window, at its mean, if that is far better.

    After a sudden change the steps to the new places of prototypes may be too many. Doubts have to
    fall by half, for they are those of the few samples that the means are taken of. The metric
    stays, and so do prototypes of classes that the window does not have.
    """
    rows = stream.near()
    fresh = stream.copy()
    present = np.isin(fresh.prototype_classes, stream.window.labels[rows])
    first = np.r_[True, np.diff(fresh.prototype_classes) > 0]
    fresh.take(np.flatnonzero(first | ~present))
    present = np.isin(fresh.prototype_classes, stream.window.labels[rows])
    fresh.ages[present], fresh.earned[present] = 0.0, 0.0
    fresh.follow_means()
    if doubts_about(fresh, rows, rules) < 0.5 * doubts_about(stream, rows, rules):
        vars(stream).update(vars(fresh))


def doubts_about(stream: Stream, rows: NDArray[np.int64], rules: Rules) -> float:
    """Return the sum of the doubts of samples of the window."""
    prototypes = stream.prototypes(rules)
    blocks = stream.blocks(rows, rules)
    return float(sum(each.weights @ prototypes.block_doubts(each) for each in blocks))


def try_prototype(stream: Stream, among: Chosen, rules: Rules) -> bool:
    """Insert a prototype if samples are less in doubt after the model has adapted to it."""
    candidate = best_candidate(stream, among, rules)
    if candidate is None:
        return False
    rows = stream.near()
    learned, tested = rows[::2], rows[1::2]
    without, extended = stream.copy(), stream.copy()
    extended.make_room(rules.most)
    extended.insert(*candidate, rules)
    doubts = []
    for trial in (without, extended):
        trial.current_loss, trial.is_new = trial.loss(rules), False
        for step in range(TRIAL):
            random = np.random.default_rng([stream.n_seen, WINDOW + step])
            trial.step(learned[random.integers(len(learned), size=DRAWN)], rules)
        doubts.append(doubts_about(trial, tested, rules))
    if doubts[1] >= doubts[0]:
        return False
    vars(stream).update(vars(extended))
    stream.is_new = True  # bandwidths
    return True
