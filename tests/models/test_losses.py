"""Losses equal their formulas, and gradients equal finite differences."""

import numpy as np
import pytest

from abstain.models.glvq import relative_distance
from abstain.models.rslvq import LikelihoodRatio
from tests.reference.models import finite_differences, glvq_loss, rslvq_loss

LABELS = np.array([0, 1, 0, 2, 1])
N_FEATURES = np.array([3, 3, 2, 1, 3, 2])  # that each sample has

betas = pytest.mark.parametrize("beta", [None, 0.5, 10.0])
widths = pytest.mark.parametrize("sigma2", [np.full(5, 0.7), np.array([0.2, 1.0, 3.0, 0.5, 1.0])])
classes = pytest.mark.parametrize("label", [0, 1, 2])


def own(label):
    return [(np.flatnonzero(label == LABELS), slice(None))]


@pytest.fixture
def distances():
    return np.random.default_rng(3).exponential(size=(5, 6))


@betas
@classes
def test_relative_distance_is_the_glvq_loss(distances, label, beta):
    loss, gradient = relative_distance(distances, own(label), N_FEATURES, beta=beta)
    assert loss == pytest.approx([glvq_loss(d, LABELS, label, beta) for d in distances.T])
    assert gradient == pytest.approx(
        finite_differences(
            lambda d: relative_distance(d, own(label), N_FEATURES, beta=beta)[0].sum(),
            distances,
        ),
        abs=1e-8,
    )


@widths
@classes
def test_likelihood_ratio_is_the_rslvq_loss(distances, label, sigma2):
    loss, gradient = LikelihoodRatio(sigma2)(distances, own(label), N_FEATURES)
    assert loss == pytest.approx(
        [
            rslvq_loss(d, LABELS, label, sigma2, m)
            for d, m in zip(distances.T, N_FEATURES, strict=True)
        ]
    )
    assert gradient == pytest.approx(
        finite_differences(
            lambda d: LikelihoodRatio(sigma2)(d, own(label), N_FEATURES)[0].sum(),
            distances,
        ),
        abs=1e-8,
    )


# Scaling all distances changes no GLVQ loss: that is why Ω has to be normalised.
@betas
def test_the_glvq_loss_has_no_scale(distances, beta):
    loss, _ = relative_distance(distances, own(0), N_FEATURES, beta=beta)
    assert relative_distance(1e6 * distances, own(0), N_FEATURES, beta=beta)[0] == pytest.approx(
        loss
    )


def test_a_sample_on_two_prototypes_is_undecided():
    loss, gradient = relative_distance(
        np.zeros((2, 1)), [(np.array([0]), slice(None))], np.array(1)
    )
    assert (loss.tolist(), gradient.tolist()) == ([0.0], [[0.0], [0.0]])


# Far from every prototype all densities vanish; their ratio does not.
@classes
@pytest.mark.parametrize("far", [1e12, 1e307])
def test_the_rslvq_loss_stays_finite_far_away(distances, label, far):
    far = distances + far
    loss, gradient = LikelihoodRatio(np.full(5, 1e-3))(far, own(label), N_FEATURES)
    assert np.isfinite(loss).all()
    assert np.isfinite(gradient).all()


@betas
def test_float32_stays_float32(distances, beta):
    single = distances.astype(np.float32)
    arrays = relative_distance(single, own(0), N_FEATURES, beta=beta)
    arrays += LikelihoodRatio(np.ones(5, np.float32))(single, own(0), N_FEATURES)
    assert {array.dtype for array in arrays} == {np.dtype(np.float32)}
