"""Laws of class priors and of sample weights in the thresholds."""

import re
from functools import partial

import numpy as np
import pytest
from scipy.stats import binom
from sklearn import config_context
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import (
    Accuracy,
    AllOf,
    ExpectedCost,
    InputError,
    Precision,
    Recall,
    RejectCost,
    RejectOptionClassifier,
    RejectRate,
)
from abstain.classifier.proportions import RUNS_OUT, largest_draw, new_proportions

METHODS = ["pooled", "exact", "hull", "greedy"]
COSTS = {("ill", "well"): 20, ("well", "ill"): 1}
TARGETS = [
    RejectRate(0.2),
    Accuracy(0.85),
    RejectCost(0.2),
    ExpectedCost(COSTS, reject=0.5),
    Recall("ill", 0.9),
    Precision("ill", 0.85),
    AllOf(Accuracy(0.85), Recall("ill", 0.85)),
]
# All held-out samples then test; certificates with outliers are in test_outliers.py.
by_certainty = partial(RejectOptionClassifier, outliers=None)


def patients(n_samples, share_ill, seed):
    """Draw two normal distributions, of which the ill patients have the given share."""
    rng = np.random.default_rng(seed)
    ill = rng.random(n_samples) < share_ill
    return rng.normal(size=(n_samples, 2)) + 1.2 * ill[:, np.newaxis], np.where(ill, "ill", "well")


@pytest.fixture(scope="module")
def study():
    """A case-control study: half of the patients are ill."""
    return patients(2000, 0.5, 0)


@pytest.fixture(scope="module")
def frozen():
    return FrozenEstimator(LogisticRegression().fit(*patients(500, 0.5, 1)))


@pytest.fixture(scope="module")
def screening():
    """New data: 3% are ill."""
    return patients(100_000, 0.03, 2)


def accuracy_on(clf, samples):
    X, y = samples
    answered = ~clf.reject(X)
    return float((clf.predict(X) == y)[answered].mean())


# --- class priors -------------------------------------------------------------------------------


@pytest.mark.parametrize("target", TARGETS, ids=repr)
def test_the_proportions_of_the_samples_change_nothing(target, study, frozen):
    X, y = study
    share = float((y == "ill").mean())
    plain = RejectOptionClassifier(frozen, target=target).fit(X, y)
    for prior in ({"ill": share}, {"ill": share, "well": 1 - share}):
        clf = RejectOptionClassifier(frozen, target=target, class_prior=prior).fit(X, y)
        assert clf.calibration_.weights is None
        assert np.array_equal(clf.thresholds_, plain.thresholds_)
        assert repr(clf.operating_point_) == repr(plain.operating_point_)
        assert np.array_equal(clf.predict(X), plain.predict(X))
        np.testing.assert_array_equal(clf.predict_correct_proba(X), plain.predict_correct_proba(X))
        assert np.array_equal(clf.reject(X), plain.reject(X))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("share", [0.03, 0.9])
def test_an_accuracy_is_reached_in_the_new_proportions(method, share, study, frozen):
    X, y = study
    clf = RejectOptionClassifier(
        frozen, target=Accuracy(0.9), method=method, class_prior={"ill": share}
    ).fit(X, y)
    new = patients(100_000, share, 3)
    assert accuracy_on(clf, new) == pytest.approx(0.9, abs=0.015)
    point = clf.operating_point_
    assert point.accuracy >= 0.9
    assert point.coverage == pytest.approx(1 - clf.reject(new[0]).mean(), abs=0.02)


def test_without_the_prior_probabilities_and_accuracies_miss(study, frozen, screening):
    X, y = study
    prior = {"ill": 0.03}
    plain, clf = (
        RejectOptionClassifier(frozen, target=RejectCost(0.2), class_prior=given).fit(X, y)
        for given in (None, prior)
    )
    assert clf.score(*screening) > plain.score(*screening) + 0.1
    for label, error in (("ill", 0.5), ("well", 0.1)):
        # Of outliers, nothing estimates it.
        names_it = (plain.predict(screening[0]) == label) & ~clf.decide(screening[0]).outlier
        right = (screening[1] == label)[names_it].mean()
        told, wrong = (
            each.predict_correct_proba(screening[0])[names_it].mean() for each in (clf, plain)
        )
        assert told == pytest.approx(right, abs=0.02)
        assert abs(wrong - right) > error
    rare = Precision("ill", 0.5)
    plain, clf = (
        RejectOptionClassifier(frozen, target=rare, class_prior=given).fit(X, y)
        for given in (None, prior)
    )
    precision = [
        (screening[1] == "ill")[~each.reject(screening[0]) & (each.predict(screening[0]) == "ill")]
        for each in (plain, clf)
    ]
    assert precision[0].mean() < 0.2
    assert precision[1].mean() == pytest.approx(0.5, abs=0.1)


def test_costs_follow_the_new_proportions(study, frozen, screening):
    X, y = study
    target = ExpectedCost(COSTS, reject=0.5)
    plain, clf = (
        RejectOptionClassifier(frozen, target=target, class_prior=prior).fit(X, y)
        for prior in (None, {"ill": 0.03})
    )
    assert clf.score(*screening) > plain.score(*screening) + 0.1
    # Chow's rule with the posteriors of new data.
    posteriors = frozen.predict_proba(screening[0]) * clf._proportions.weights
    expected = posteriors @ np.array([[0, 20], [1, 0]])
    assert np.array_equal(clf.predict(screening[0]), clf.classes_[expected.argmin(axis=1)])
    # A classifier that is moved to the costs decides like one that was fitted with them.
    cheap = ExpectedCost({("ill", "well"): 2, ("well", "ill"): 1}, reject=0.3)
    moved = clf.retarget(cheap)
    fitted = clone(clf).set_params(target=cheap).fit(X, y)
    assert np.array_equal(moved.predict(screening[0]), fitted.predict(screening[0]))
    assert np.array_equal(moved.reject(screening[0]), fitted.reject(screening[0]))


def test_counts_are_of_samples_and_rates_follow_the_weights(study, frozen):
    X, y = study
    clf = RejectOptionClassifier(frozen, target=RejectRate(0.2), class_prior={"ill": 0.1})
    point = clf.fit(X, y).operating_point_
    rejected, wrong = clf.reject(X), clf.predict(X) != y
    assert (point.n_samples, point.n_errors) == (len(y), wrong.sum())
    assert point.true_rejects == (rejected & wrong).sum()
    assert point.false_rejects == (rejected & ~wrong).sum()
    weights = np.where(y == "ill", 0.1 / (y == "ill").mean(), 0.9 / (y == "well").mean())
    assert point.weighted.n_samples == pytest.approx(len(y))
    assert point.reject_rate == pytest.approx(np.average(rejected, weights=weights))
    assert point.accuracy == pytest.approx(
        np.average(~wrong[~rejected], weights=weights[~rejected])
    )
    row = clf.front_
    assert row.accuracies[point.row] == pytest.approx(point.accuracy, rel=1e-6)
    # The same thresholds from outside are the same point.
    assert repr(clf.set_thresholds(clf.thresholds_).operating_point_) == repr(point)
    assert clf.operating_point_.row == point.row


def test_classes_that_are_not_named_share_the_rest():
    y = np.repeat(["a", "b", "c"], [10, 20, 30])
    shares = new_proportions({"a": 0.5}, np.unique(y), y, None).shares
    np.testing.assert_allclose(shares, [0.5, 0.2, 0.3])
    weighted = new_proportions(
        {"a": 0.5}, np.unique(y), y, np.repeat([1.0, 3.0, 1.0], [10, 20, 30])
    )
    np.testing.assert_allclose(weighted.shares, [0.5, 1 / 3, 1 / 6])


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ({"sick": 0.1}, r"class_prior must name classes, of \['ill', 'well'\], got 'sick'"),
        ({"ill": -0.1}, r"class_prior must be a number in \(0, 1\) .* got -0.1 for 'ill'; leave"),
        ({"ill": 0}, r"class_prior must be a number in \(0, 1\) .* got 0 for 'ill'; leave"),
        ({"ill": 1}, r"class_prior must be a number in \(0, 1\) .* got 1 for 'ill'; leave"),
        ({"ill": 2}, r"class_prior must be a number in \(0, 1\) .* got 2 for 'ill'; 2% is 0.02"),
        ({"ill": "0.1"}, r"class_prior must be a number in \(0, 1\) .* got '0.1' for 'ill'"),
        ({"ill": 0.1, "well": 0.8}, "class_prior must sum to 1 .*, got 0.9; leave one class out"),
        (0.1, r"class_prior must be a dict of shares in \(0, 1\) by class, .* got 0.1"),
        ({}, r"class_prior must be a dict of shares in \(0, 1\) by class, .* got {}"),
    ],
)
def test_bad_priors_are_refused_in_one_line(prior, message, study, frozen):
    with pytest.raises(InputError, match=message) as error:
        RejectOptionClassifier(frozen, class_prior=prior).fit(*study)
    assert "\n" not in str(error.value)


def test_classes_without_samples_and_without_a_rest_are_refused():
    y = np.repeat(["a", "b", "c"], 20)
    X = np.arange(60.0)[:, np.newaxis]
    frozen = FrozenEstimator(GaussianNB().fit(X, y))
    seen = y != "c"
    clf = RejectOptionClassifier(frozen, class_prior={"c": 0.2})
    with pytest.raises(InputError, match="of which there are calibration samples, got 'c'"):
        clf.fit(X[seen], y[seen])
    with pytest.raises(InputError, match=r"a sum of 1\.1, and nothing for 'c'; name all classes"):
        RejectOptionClassifier(frozen, class_prior={"a": 0.5, "b": 0.6}).fit(X, y)


# --- certificates -------------------------------------------------------------------------------


def test_a_draw_is_as_large_as_the_classes_allow():
    sizes, shares = np.array([300, 300]), np.array([0.02, 0.98])
    n = largest_draw(sizes, shares)

    def runs_out(n):
        return binom.sf(sizes, n, shares).sum()

    assert runs_out(n) <= RUNS_OUT < runs_out(n + 1)
    assert largest_draw(np.array([50, 0]), np.array([0.5, 0.5])) == 0
    assert largest_draw(np.array([0, 0]), np.array([0.5, 0.5])) == 0


def test_draws_have_the_new_proportions_and_no_sample_twice():
    y = np.repeat(["ill", "well"], [400, 600])
    proportions = new_proportions({"ill": 0.1}, np.unique(y), y, None)
    shares = []
    for seed in range(200):
        drawn = proportions.draw(y, np.random.RandomState(seed))
        present = drawn[drawn >= 0]
        assert len(np.unique(present)) == len(present)
        shares.append((y[present] == "ill").sum() / len(drawn))
    deviation = np.sqrt(0.1 * 0.9 / len(drawn))
    assert np.mean(shares) == pytest.approx(0.1, abs=3 * deviation / np.sqrt(200))
    assert np.std(shares) == pytest.approx(deviation, rel=0.2)


def test_a_guarantee_states_the_samples_that_were_drawn(study, frozen):
    X, y = study
    clf = by_certainty(
        frozen,
        target=AllOf(Accuracy(0.88, confidence=0.95), Recall("ill", 0.8, confidence=0.95)),
        class_prior={"ill": 0.2},
        random_state=0,
    ).fit(X, y)
    test = clf._test_calibration
    in_draw, of_class = clf.operating_point_.guarantees
    assert in_draw.n_samples == len(test.drawn) < len(test.truth)
    assert (test.drawn >= 0).all()
    rows = test.rows[test.drawn]
    answered, wrong = ~clf.reject(X[rows]), clf.predict(X[rows]) != y[rows]
    assert (in_draw.accepted, in_draw.errors) == (answered.sum(), (answered & wrong).sum())
    assert binom.cdf(in_draw.errors, in_draw.accepted, 0.12) <= 0.05
    # A recall is the same in all proportions: every held-out sample of the class tests it.
    rows = test.rows[test.truth == "ill"]
    answered, wrong = ~clf.reject(X[rows]), clf.predict(X[rows]) != y[rows]
    assert of_class.n_samples == len(rows)
    assert (of_class.accepted, of_class.errors) == (answered.sum(), (answered & wrong).sum())


@pytest.mark.parametrize("method", METHODS)
def test_every_method_certifies_for_the_new_proportions(method, study, frozen, screening):
    clf = by_certainty(
        frozen,
        target=Accuracy(0.85, confidence=0.9),
        method=method,
        class_prior={"ill": 0.03},
        random_state=0,
    ).fit(*study)
    guarantee = clf.operating_point_.guarantee
    assert guarantee.n_samples == len(clf._test_calibration.drawn)
    assert guarantee.bound >= 0.85
    assert accuracy_on(clf, screening) >= 0.85
    assert 1 - clf.reject(screening[0]).mean() > 0.6


def test_samples_that_a_class_lacks_are_accepted_and_wrong(study, frozen):
    X, y = study
    clf = by_certainty(
        frozen, target=Accuracy(0.8, confidence=0.9), class_prior={"ill": 0.4}, random_state=1
    ).fit(X, y)
    test = clf._test_calibration
    lacking = test._replace(drawn=np.append(test.drawn, [-1, -1, -1]))
    clf._test_calibration = lacking
    for thresholds in (clf.thresholds_, np.full(3, np.inf)):
        held_out = clf._tested()
        accepted = held_out.certainty >= thresholds[held_out.columns]
        assert (accepted & ~held_out.correct)[-3:].all()
    assert clf.retarget(Accuracy(0.8, confidence=0.9)).operating_point_.guarantee.n_samples == len(
        lacking.drawn
    )


@pytest.mark.parametrize("share", [0.05, 0.8])
def test_a_certified_recall_of_one_class_needs_no_prior(share, study, frozen):
    X, y = study
    target = Recall("ill", 0.85, confidence=0.9)
    plain, clf = (
        RejectOptionClassifier(frozen, target=target, class_prior=prior, random_state=0).fit(X, y)
        for prior in (None, {"ill": share})
    )
    ((guarantee,), (other,)) = (each.operating_point_.guarantees for each in (plain, clf))
    assert guarantee.n_samples == other.n_samples
    assert min(guarantee.bound, other.bound) >= 0.85
    # The thresholds that are tested differ, for they are steps of the coverage.
    assert other.accepted == pytest.approx(guarantee.accepted, rel=0.1)


def test_misses_of_certificates_are_as_rare_as_the_confidence_says(frozen):
    level, n_fits = 0.2, 150
    target = AllOf(
        Accuracy(0.85, confidence=1 - level), Precision("ill", 0.6, confidence=1 - level)
    )
    X, y = patients(50_000, 0.2, 5)
    n_misses = n_certified = 0
    for seed in range(n_fits):
        clf = RejectOptionClassifier(
            frozen, target=target, class_prior={"ill": 0.2}, random_state=seed
        )
        try:
            clf.fit(*patients(1200, 0.5, 100 + seed))
        except InputError:
            continue
        n_certified += 1
        answered, named = ~clf.reject(X), clf.predict(X)
        precision = (y == "ill")[answered & (named == "ill")].mean()
        n_misses += (named == y)[answered].mean() < 0.85 or precision < 0.6
    assert n_certified > 0.9 * n_fits
    assert n_misses <= level * n_fits + 3 * np.sqrt(level * (1 - level) * n_fits)


def test_an_error_says_how_many_samples_can_be_drawn(study, frozen):
    clf = RejectOptionClassifier(
        frozen,
        target=Accuracy(0.999, confidence=0.95),
        class_prior={"ill": 0.999},
        random_state=0,
    )
    message = r"of 1,000 held-out samples test it, in the proportions of class_prior"
    with pytest.raises(InputError, match=message):
        clf.fit(*study)


# --- weights of samples -------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["exact", "hull", "greedy"])
@pytest.mark.parametrize("target", [RejectRate(0.2), Accuracy(0.85), RejectCost(0.2)], ids=repr)
def test_whole_weights_are_repeated_samples(method, target, study, frozen):
    X, y = study
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = RejectOptionClassifier(frozen, target=target, method=method, weight_thresholds=True)
    weighted.fit(X, y, sample_weight=weights)
    repeated = RejectOptionClassifier(frozen, target=target, method=method)
    repeated.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert np.array_equal(weighted.thresholds_, repeated.thresholds_)
    point, other = weighted.operating_point_, repeated.operating_point_
    assert point.n_samples == (weights > 0).sum()
    assert point.weighted.n_samples == other.n_samples
    assert point.accuracy == pytest.approx(other.accuracy)


def test_weights_of_classes_are_a_prior(study, frozen):
    X, y = study
    weights = np.where(y == "ill", 0.1 / (y == "ill").mean(), 0.9 / (y == "well").mean())
    by_weight = RejectOptionClassifier(frozen, target=Accuracy(0.9), weight_thresholds=True)
    by_prior = RejectOptionClassifier(frozen, target=Accuracy(0.9), class_prior={"ill": 0.1})
    assert np.array_equal(
        by_weight.fit(X, y, sample_weight=weights).thresholds_, by_prior.fit(X, y).thresholds_
    )
    # Both at once: the prior holds, whatever the weights of the classes are.
    both = clone(by_prior).set_params(weight_thresholds=True)
    both.fit(X, y, sample_weight=np.where(y == "ill", 5.0, 1.0))
    np.testing.assert_allclose(both.thresholds_, by_prior.thresholds_)


def test_weights_count_in_thresholds_only_on_request(study):
    X, y = study
    weights = np.random.default_rng(0).random(len(y))
    plain, asked = (
        RejectOptionClassifier(LogisticRegression(), weight_thresholds=weight_thresholds)
        for weight_thresholds in (False, True)
    )
    assert np.array_equal(plain.fit(X, y).thresholds_, asked.fit(X, y).thresholds_)
    assert plain.fit(X, y, sample_weight=weights).calibration_.weights is None
    assert len(asked.fit(X, y, sample_weight=weights).calibration_.weights) == len(y)
    assert np.array_equal(plain.estimator_.coef_, asked.estimator_.coef_)


def test_thresholds_take_weights_that_the_classifier_does_not(study):
    X, y = study
    weights = np.where(X[:, 0] > 0, 2.0, 1.0)
    clf = RejectOptionClassifier(KNeighborsClassifier(), weight_thresholds=True)
    assert clf.fit(X, y, sample_weight=weights).operating_point_.weighted is not None
    with config_context(enable_metadata_routing=True):
        clf = RejectOptionClassifier(
            make_pipeline(
                StandardScaler().set_fit_request(sample_weight=False),
                LogisticRegression().set_fit_request(sample_weight=False),
            ),
            weight_thresholds=True,
        ).fit(X, y, sample_weight=weights)
        np.testing.assert_array_equal(clf.calibration_.weights, weights[clf.calibration_.rows])


def test_bad_weights_and_certificates_for_weights_are_refused(study, frozen):
    clf = RejectOptionClassifier(frozen, weight_thresholds=True)
    with pytest.raises(ValueError, match="zero"):
        clf.fit(*study, sample_weight=np.zeros(2000))
    with pytest.raises(ValueError, match="Negative values"):
        clf.fit(*study, sample_weight=-np.ones(2000))
    clf = RejectOptionClassifier(
        frozen, weight_thresholds=True, target=Accuracy(0.8, confidence=0.9)
    )
    message = "weight_thresholds must be False for target=.*; drop the confidence, or describe"
    with pytest.raises(InputError, match=message) as error:
        clf.fit(*study, sample_weight=np.ones(2000))
    assert re.search("class_prior$", str(error.value))
    assert clf.fit(*study).operating_point_.guarantee is not None
    with pytest.raises(InputError, match="weight_thresholds must be True or False, got 'yes'"):
        RejectOptionClassifier(frozen, weight_thresholds="yes").fit(*study)
