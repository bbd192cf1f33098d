"""What prototypes of a stream earn, and what new ones gain, are those of the definition."""

from functools import partial

import numpy as np
import pytest

from abstain.models.costs import labelled_blocks
from abstain.models.distances import Euclidean, LocalMatrices
from abstain.models.glvq import relative_distance
from abstain.models.scaling import Scaling
from abstain.models.stream_prototypes import AWAY, Candidates, Prototypes

UNSCALED = Scaling(np.zeros(3), 1.0)
CLASSES = np.array([0, 0, 1, 1, 2])


@pytest.fixture(params=["Euclidean", "local", "missing"])
def case(request):
    random = np.random.default_rng(0)
    X, labels, weights = random.normal(size=(60, 3)), np.arange(60) % 3, random.random(60)
    if request.param == "missing":
        X[::4, 1] = np.nan
    parameters = [random.normal(size=(5, 3))]
    distance = Euclidean()
    if request.param == "local":
        distance = LocalMatrices()
        parameters.append(np.eye(3) / 3**0.5 * np.array([1, 2, 1, 1, 0.5])[:, None, None])
    loss = partial(relative_distance, beta=5.0)
    prototypes = Prototypes(CLASSES, parameters, distance, loss, lambda losses: losses)
    return prototypes, labelled_blocks(X, labels, weights, UNSCALED)


def doubts(prototypes, block, classes, distances):
    own = [(np.flatnonzero(classes == label), part) for label, part in block.parts]
    return prototypes.loss(distances, own, block.n_present)[0]


def test_a_prototype_earns_the_doubts_that_its_removal_would_add(case):
    prototypes, blocks = case
    for block in blocks:
        now, earned = prototypes.earnings(block)
        distances = prototypes.distances(block)
        assert now == pytest.approx(doubts(prototypes, block, CLASSES, distances))
        for index in range(len(CLASSES)):
            without = distances.copy()
            without[index] = AWAY
            added = doubts(prototypes, block, CLASSES, without) - now
            assert earned[index] == pytest.approx(block.weights @ added)


def test_a_candidate_gains_the_doubts_that_it_takes_away(case):
    prototypes, blocks = case
    random = np.random.default_rng(1)
    sources = np.array([0, 3, 4])
    candidates = Candidates(random.normal(size=(3, 3)), CLASSES[sources], sources)
    expected = np.zeros(3)
    for index, source in enumerate(sources):
        parameters = [np.vstack([prototypes.parameters[0], candidates.samples[index]])]
        for metric in prototypes.parameters[1:]:
            unit = metric / np.sqrt((metric**2).sum() / len(metric))
            parameters.append(np.concatenate([unit, unit[[source]]]))
        classes = np.append(CLASSES, CLASSES[source])
        for block in blocks:
            distances = prototypes.distance.measure(block.block, *parameters)[0]
            less = prototypes.block_doubts(block) - doubts(prototypes, block, classes, distances)
            expected[index] += block.weights @ np.maximum(less, 0)
    assert prototypes.gains(candidates, blocks) == pytest.approx(expected)


def test_candidates_are_some_of_the_samples_with_their_closest_prototype(case):
    prototypes, blocks = case
    among = [(block, np.arange(0, len(block.weights), 2)) for block in blocks]
    candidates = prototypes.candidates(among, 7)
    assert len(candidates.labels) == 7
    assert not np.isnan(candidates.samples).any()
    assert (CLASSES[candidates.sources] == candidates.labels).all()
