"""The two artificial data sets are those of the paper."""

import numpy as np
import pytest
from scipy.stats import kstest

from abstain import InputError
from abstain.datasets import TrueMixture, make_gaussian_clusters, make_pearl_necklace
from abstain.models import RSLVQ
from tests.reference.datasets import GAUSSIAN_CLUSTERS, PEARL_NECKLACE, noise_box

# Chance alone passes so many standard errors once in two million times.
STANDARD_ERRORS = 5

every_generator = pytest.mark.parametrize(
    ("generate", "n_classes"), [(make_gaussian_clusters, 2), (make_pearl_necklace, 5)]
)


@every_generator
@pytest.mark.parametrize("n_samples", [1, 7, 1000, np.int64(12)])
def test_classes_share_the_samples_equally(generate, n_classes, n_samples):
    X, y = generate(n_samples, random_state=0)
    counts = np.bincount(y, minlength=n_classes)
    assert X.shape == (n_samples, 2)
    assert counts.sum() == n_samples
    assert np.ptp(counts) <= 1
    assert counts.tolist() == sorted(counts, reverse=True)


@every_generator
def test_one_seed_draws_one_sample(generate, n_classes):
    (first_X, first_y), (again_X, again_y) = (generate(50, random_state=1) for _ in range(2))
    state_X, _ = generate(50, random_state=np.random.RandomState(1))
    other_X, _ = generate(50, random_state=2)
    assert np.array_equal(first_X, again_X)
    assert np.array_equal(first_y, again_y)
    assert np.array_equal(first_X, state_X)
    assert not np.array_equal(first_X, other_X)
    assert not np.array_equal(generate(50)[0], generate(50)[0])


@every_generator
def test_the_model_is_returned_with_the_same_sample(generate, n_classes):
    X, y = generate(50, random_state=1)
    model_X, model_y, model = generate(50, random_state=1, return_model=True)
    assert np.array_equal(X, model_X)
    assert np.array_equal(y, model_y)
    assert model.classes_.tolist() == list(range(n_classes))


@every_generator
def test_rows_are_in_random_order(generate, n_classes):
    _, y = generate(1000, random_state=0)
    share = np.mean(y[1:] == y[:-1])
    assert abs(share - 1 / n_classes) < STANDARD_ERRORS * 0.5 / np.sqrt(len(y))


@pytest.mark.parametrize(
    ("sample", "clusters"),
    [
        (make_gaussian_clusters(200_000, noise=0, random_state=0), GAUSSIAN_CLUSTERS),
        (make_pearl_necklace(200_000, random_state=0), PEARL_NECKLACE),
    ],
    ids=["gaussian", "pearl"],
)
def test_clusters_have_the_moments_of_the_paper(sample, clusters):
    X, y = sample
    for label, cluster in enumerate(clusters):
        points = X[y == label]
        means, stds = np.transpose(cluster)
        error = STANDARD_ERRORS / np.sqrt(len(points))
        assert (abs(points.mean(axis=0) - means) < error * stds).all()
        assert (abs(points.std(axis=0) - stds) < error * stds / np.sqrt(2)).all()
        assert abs(np.corrcoef(points.T)[0, 1]) < error
        for axis in range(2):
            assert kstest(points[:, axis], "norm", cluster[axis]).pvalue > 1e-6


def test_noise_is_uniform_and_of_no_class():
    n_samples, noise = 100_000, 0.3
    X, y = make_gaussian_clusters(n_samples, noise=noise, random_state=0)
    clean, same_y = make_gaussian_clusters(n_samples, noise=0, random_state=0)
    assert np.array_equal(y, same_y)
    # Noise takes the place of some points; the others stay where they are.
    moved = (clean != X).any(axis=1)
    spread = np.sqrt(noise * (1 - noise) * n_samples)
    assert abs(moved.sum() - noise * n_samples) < STANDARD_ERRORS * spread
    assert abs(y[moved].mean() - 0.5) < STANDARD_ERRORS * 0.5 / np.sqrt(moved.sum())
    for axis, (low, high) in enumerate(noise_box(GAUSSIAN_CLUSTERS)):
        assert kstest(X[moved, axis], "uniform", (low, high - low)).pvalue > 1e-6
    assert abs(np.corrcoef(X[moved].T)[0, 1]) < STANDARD_ERRORS / np.sqrt(moved.sum())


def test_the_box_is_that_of_the_docstring():
    corners = np.array(noise_box(GAUSSIAN_CLUSTERS))
    assert corners == pytest.approx(np.array([[-19.6, 25.8], [-5.8, 11.5]]))


def _accuracy(certainty, correct, reject_rate):
    kept = np.argsort(-certainty, kind="stable")[: round(len(correct) * (1 - reject_rate))]
    return correct[kept].mean()


def _behind_bayes(bayes, reject_rate):
    """By how much RSLVQ, fitted to a sample of the model, is less accurate than the model."""
    X, y = bayes.sample(50_000, random_state=0)
    rslvq = RSLVQ(n_prototypes_per_class=1).fit(X[:5000], y[:5000])
    best, actual = (
        _accuracy(model.predict_proba(X).max(axis=1), model.predict(X) == y, reject_rate)
        for model in (bayes, rslvq)
    )
    return best - actual


# Why the noise is slight: the paper finds RSLVQ close to Bayes at all reject rates.
@pytest.mark.parametrize(
    ("noise", "reject_rate", "points"),
    [(0.02, 0, 0), (0.02, 0.5, 0.01), (0.02, 0.9, 0.025), (0.1, 0.5, 0.03), (0.1, 0.9, 0.11)],
)
def test_rslvq_is_close_to_bayes_where_there_is_little_noise(noise, reject_rate, points):
    *_, bayes = make_gaussian_clusters(noise=noise, return_model=True)
    assert _behind_bayes(bayes, reject_rate) == pytest.approx(points, abs=0.015)


# Why x and y are axes: were they clusters, RSLVQ would not be close to Bayes.
def test_rslvq_is_far_from_bayes_if_the_paper_is_read_otherwise():
    otherwise = TrueMixture(means=[[-4, 4.5], [4, 0.5]], stds=[[5.2, 7.1], [2.5, 2.1]])
    assert _behind_bayes(otherwise, 0) == pytest.approx(0.04, abs=0.01)


@every_generator
@pytest.mark.parametrize("n_samples", [0, -3, 10.0, "10", None, True, [5, 5]])
def test_a_number_of_samples_that_is_none_is_refused(generate, n_classes, n_samples):
    with pytest.raises(InputError, match="n_samples must be a positive integer, got "):
        generate(n_samples)


@pytest.mark.parametrize(
    ("noise", "message"), [(1, "got 1"), (-0.1, "got -0.1"), (5, "5% is 0.05"), (None, "got None")]
)
def test_a_share_of_noise_that_is_none_is_refused(noise, message):
    with pytest.raises(InputError, match=rf"noise must be a number in \[0, 1\), .*{message}"):
        make_gaussian_clusters(noise=noise)


@every_generator
@pytest.mark.parametrize("random_state", ["seed", -1, 0.5, np.random.default_rng(0)])
def test_a_seed_that_is_none_is_refused(generate, n_classes, random_state):
    with pytest.raises(InputError, match=r"random_state must be an int from 0 .*, got "):
        generate(random_state=random_state)
