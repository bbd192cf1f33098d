"""Laws of certificates on new samples: each is tested by the answers that it is about."""

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB

from abstain import (
    Accuracy,
    AllOf,
    InputError,
    Precision,
    Recall,
    RejectOptionClassifier,
    RejectRate,
)
from abstain.monitor import check_certificates

SITES = np.array(["north", "south"])


def draw(n, seed, shift=0.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 2)) + 2.2 * y[:, np.newaxis] - shift
    return X, np.array(["ill", "well"])[y], SITES[rng.integers(0, 2, n)]


def fitted(target, **settings):
    X, y, sites = draw(1200, 0)
    if isinstance(target, Accuracy) and target.groups is not None:
        target = Accuracy(target.accuracy, confidence=target.confidence, groups=sites)
    return RejectOptionClassifier(GaussianNB(), target=target, random_state=0, **settings).fit(X, y)


def of_each(clf, X, y, sites):
    """Count what each kind of certificate is about, answer by answer."""
    counts = {}
    for truth, answer, site, rejected in zip(y, clf.predict(X), sites, clf.reject(X), strict=True):
        if rejected:
            continue
        wrong = truth != answer
        for name in (
            "the accuracy",
            f"the recall of {str(truth)!r}",
            f"the precision of {str(answer)!r}",
            f"the accuracy in group {str(site)!r}",
        ):
            accepted, errors = counts.get(name, (0, 0))
            counts[name] = accepted + 1, errors + wrong
    return counts


ALL = AllOf(
    Accuracy(0.9, confidence=0.8),
    Recall("ill", 0.85, confidence=0.8),
    Precision("well", 0.85, confidence=0.8),
)


@pytest.mark.parametrize("shift", [0.0, -1.5])
@pytest.mark.parametrize(
    "target",
    [
        Accuracy(0.9, confidence=0.8),
        Recall("ill", 0.9, confidence=0.8),
        Precision("well", 0.9, confidence=0.8),
        Accuracy(0.85, confidence=0.8, groups="site"),
        ALL,
    ],
    ids=str,
)
def test_each_certificate_is_tested_by_its_own_answers(target, shift):
    clf = fitted(target)
    X, y, sites = draw(600, 1, shift)
    counts = of_each(clf, X, y, sites)
    tests = check_certificates(clf, X, y, sites)
    point = clf.operating_point_
    assert [each.guarantee for each in tests] == [*(point.guarantees or [point.guarantee])]
    for test in tests:
        assert (test.accepted, test.errors) == counts[test.guarantee.name]
    assert any(test.is_contradicted for test in tests) == bool(shift)


def test_answers_to_unknown_classes_are_wrong():
    clf = fitted(Accuracy(0.9, confidence=0.8))
    X, y, _ = draw(300, 1)
    odd = np.where(np.arange(300) < 30, "other", y)
    (test,) = check_certificates(clf, X, odd)
    right = (clf.predict(X) == odd) & ~clf.reject(X)
    assert test.accepted - test.errors == right.sum()
    assert test.accepted == (~clf.reject(X)).sum()


def test_groups_that_are_not_known_are_not_tested():
    clf = fitted(Accuracy(0.85, confidence=0.8, groups="site"))
    X, y, _ = draw(300, 1)
    assert {test.why_not for test in check_certificates(clf, X, y)} == {
        "the groups of these samples are not known"
    }
    north = check_certificates(clf, X, y, np.full(300, "north"))
    assert [test.verdict for test in north] == ["not contradicted", "not tested"]


def test_with_other_proportions_only_recall_is_tested():
    clf = fitted(ALL, class_prior={"ill": 0.2})
    X, y, _ = draw(400, 1)
    tests = {test.guarantee.name: test for test in check_certificates(clf, X, y)}
    assert tests["the recall of 'ill'"].verdict == "not contradicted"
    for name in ("the accuracy", "the precision of 'well'"):
        assert tests[name].verdict == "not tested"
        assert "other class proportions" in tests[name].why_not


def test_samples_that_set_or_tested_the_thresholds_say_nothing():
    X, y, _ = draw(1500, 2)
    model = FrozenEstimator(GaussianNB().fit(*draw(500, 3)[:2]))
    target = Accuracy(0.9, confidence=0.8)
    for n in (300, 1500):  # with one threshold, and with a part that learns thresholds
        clf = RejectOptionClassifier(model, target=target, random_state=0).fit(X[:n], y[:n])
        (test,) = check_certificates(clf, X[:n], y[:n])
        assert test.why_not == "the thresholds were set or tested on these samples"
        (test,) = check_certificates(clf, *draw(300, 4)[:2])
        assert test.verdict == "not contradicted"


class OwnTarget:
    """A target that certifies the accuracy of the row that answers most."""

    def choose(self, front):
        return 0

    def min_test_samples(self):
        return 10

    def certify(self, front, held_out):
        return Accuracy(0.7, confidence=0.8).certify(front, held_out)


def test_a_target_of_ones_own_is_tested_by_all_answers():
    X, y, _ = draw(300, 1)
    clf = fitted(OwnTarget())
    (test,) = check_certificates(clf, X, y)
    assert test.accepted == (~clf.reject(X)).sum()


def test_without_a_certificate_nothing_is_tested():
    X, y, _ = draw(300, 1)
    assert check_certificates(fitted(RejectRate(0.1)), X, y) == ()
    clf = fitted(Accuracy(0.9, confidence=0.8))
    assert check_certificates(clf.retarget(RejectRate(0.1)), X, y) == ()


def test_samples_must_fit_together():
    X, y, sites = draw(30, 1)
    clf = fitted(Accuracy(0.9, confidence=0.8))
    with pytest.raises(InputError, match="all arrays must describe the same samples"):
        check_certificates(clf, X, y[1:])
    with pytest.raises(InputError, match="all arrays must describe the same samples"):
        check_certificates(clf, X, y, sites[1:])
    with pytest.raises(InputError, match="y must hold labels like the classes"):
        check_certificates(clf, X, np.zeros(30))
    with pytest.raises(InputError, match="y must hold no missing value"):
        check_certificates(clf, X, [None, *y[1:]])
