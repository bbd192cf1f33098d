"""Certainty is about the answer that is given, and posteriors that round to 1 keep their order."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, make_blobs, make_classification
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.ensemble import (
    BaggingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.multiclass import OutputCodeClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from abstain import RejectOptionClassifier
from abstain.certainty import (
    auto_measure,
    decision_margin,
    log_odds,
    max_posterior,
    measure_certainty,
    posterior_entropy,
    posterior_margin,
    vote_margin,
)
from abstain.models import GLVQ, MRSLVQ, RSLVQ
from tests.reference import certainty as reference


@pytest.fixture(scope="module")
def rare():
    """A rare class: a classifier that must not miss it answers with it where it is improbable."""
    return make_classification(4000, 10, n_informative=4, weights=[0.95], random_state=0)


@pytest.fixture(scope="module")
def blobs():
    X, y = make_blobs(600, centers=4, cluster_std=4.0, n_features=3, random_state=0)
    return X, np.array(["north", "east", "south", "west"])[y]


# Another threshold than that of the largest posterior


@pytest.mark.parametrize(
    "estimator",
    [
        FixedThresholdClassifier(LogisticRegression(), threshold=0.02),
        FixedThresholdClassifier(LogisticRegression(), threshold=0.97, pos_label=0),
        TunedThresholdClassifierCV(LogisticRegression(), scoring="balanced_accuracy"),
        make_pipeline(StandardScaler(), FixedThresholdClassifier(GaussianNB(), threshold=0.05)),
    ],
    ids=["low", "high", "tuned", "pipeline"],
)
def test_conf_is_the_posterior_of_the_predicted_class(estimator, rare):
    X, y = rare
    it = clone(estimator).fit(X, y)
    answers, posteriors = it.predict(X), it.predict_proba(X)
    expected = [
        reference.posterior_of(row, it.classes_, answer)
        for row, answer in zip(posteriors, answers, strict=True)
    ]
    assert max_posterior(it, X).tolist() == expected
    assert min(expected) < 0.5
    # Of two classes: p − (1 − p), and its sign is that of the log-odds.
    assert posterior_margin(it, X) == pytest.approx(2 * np.array(expected) - 1, abs=1e-12)
    assert (np.sign(log_odds(it, X)) == np.sign(posterior_margin(it, X))).all()


def test_answers_that_are_hardly_ever_right_are_not_the_surest(rare):
    X, y = rare
    it = FixedThresholdClassifier(LogisticRegression(), threshold=0.01)
    it.fit(X[::2], y[::2])
    new, truth = X[1::2], y[1::2]
    wrong = it.predict(new) != truth
    certainty, largest = measure_certainty(it, new, "conf"), it.predict_proba(new).max(axis=1)
    assert np.median(certainty[wrong]) < 0.1 < 0.9 < np.median(largest[wrong])
    assert np.median(certainty[~wrong]) > 0.9


def test_the_decision_margin_follows_the_answer(rare):
    X, y = rare
    it = FixedThresholdClassifier(
        RidgeClassifier(), threshold=-0.8, response_method="decision_function"
    ).fit(X, y)
    scores, answers = it.decision_function(X), it.predict(X)
    assert decision_margin(it, X).tolist() == np.where(answers == 1, scores, -scores).tolist()
    assert decision_margin(it, X).min() < 0


def test_where_the_largest_posterior_is_predicted_conf_is_the_largest(blobs):
    X, y = blobs
    for model in (RandomForestClassifier(5, random_state=0), GaussianNB(), MRSLVQ()):
        it = model.fit(X, y)
        assert max_posterior(it, X).tolist() == it.predict_proba(X).max(axis=1).tolist()


# Saturated posteriors

LOG_SCALE = [
    GaussianNB(),
    BernoulliNB(),
    LinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(),
    LogisticRegression(C=1e6, max_iter=10_000),
    HistGradientBoostingClassifier(max_iter=20),
    GradientBoostingClassifier(n_estimators=10),
    RSLVQ(),
    MRSLVQ(),
]


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("model", LOG_SCALE, ids=lambda model: type(model).__name__)
def test_log_odds_are_those_of_the_posteriors(model, n_classes, blobs):
    X, y = blobs
    keep = np.isin(y, np.unique(y)[:n_classes])
    it = clone(model).fit(X[keep], y[keep])
    answers, posteriors = it.predict(X), it.predict_proba(X)
    with np.errstate(divide="ignore"):
        expected = np.array(
            [
                reference.log_odds(row, it.classes_, answer)
                for row, answer in zip(np.log(posteriors), answers, strict=True)
            ]
        )
    is_precise = np.abs(expected) < 20  # beyond, 1 − p of two classes has lost its digits
    assert is_precise.sum() > 100
    assert log_odds(it, X)[is_precise] == pytest.approx(expected[is_precise], rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize(
    "model",
    [LOG_SCALE[0], *LOG_SCALE[2:5], *LOG_SCALE[7:]],
    ids=lambda model: type(model).__name__,
)
def test_saturated_posteriors_keep_their_order(model, n_classes, blobs):
    X, y = blobs
    keep = np.isin(y, np.unique(y)[:n_classes])
    it = clone(model).fit(X[keep], y[keep])
    # Away from all classes, each farther than the one before.
    centre, away = X.mean(axis=0), X[0] - X.mean(axis=0)
    far = centre + np.linspace(1000, 2000, 20)[:, np.newaxis] * away
    assert (it.predict_proba(far).max(axis=1) == 1).all()
    certainty = measure_certainty(it, far)  # "auto"
    assert (np.diff(certainty) > 0).all()
    assert np.isfinite(certainty).all()


# Unscaled features: most posteriors are exactly 1, and "auto" still tells the samples apart.
@pytest.mark.parametrize(
    ("model", "load", "scale"),
    [
        (SGDClassifier(loss="log_loss", random_state=0), load_breast_cancer, 4),
        (SGDClassifier(loss="log_loss", random_state=0), load_digits, 4),
        (BaggingClassifier(GaussianNB(), 5, random_state=0), load_digits, 4),
        (VotingClassifier([("bayes", GaussianNB())], voting="soft"), load_digits, 4),
        (MLPClassifier(max_iter=20, random_state=0), load_digits, 20),
    ],
    ids=["sgd-2", "sgd-10", "bagging", "voting", "network"],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")  # 0 / 0, before 1.8
def test_auto_tells_saturated_posteriors_apart(model, load, scale):
    X, y = load(return_X_y=True)
    it, new = clone(model).fit(4 * X[::2], y[::2]), scale * X[1::2]
    certainty = measure_certainty(it, new)
    n_distinct = len(np.unique(certainty))
    assert len(np.unique(max_posterior(it, new))) < 0.75 * n_distinct
    assert n_distinct > 0.75 * len(certainty)
    assert np.isfinite(certainty).all()


# A threshold set on the posteriors changes the answers, not the scale that posteriors come from.


@pytest.mark.parametrize(
    "model",
    [
        GaussianNB(),
        make_pipeline(StandardScaler(), GaussianNB()),
        LinearDiscriminantAnalysis(),
        LogisticRegression(C=1e6, max_iter=10_000),
        RSLVQ(),
    ],
    ids=["bayes", "pipeline", "discriminant", "logistic", "RSLVQ"],
)
@pytest.mark.parametrize(
    "wrap",
    [
        lambda model: FixedThresholdClassifier(model, threshold=0.05),
        lambda model: TunedThresholdClassifierCV(model, cv=3),
        lambda model: FixedThresholdClassifier(FixedThresholdClassifier(model)),
        lambda model: make_pipeline("passthrough", FixedThresholdClassifier(model)),
    ],
    ids=["fixed", "tuned", "nested", "in-pipeline"],
)
def test_a_threshold_on_posteriors_keeps_the_order_of_saturated_ones(model, wrap, blobs):
    X, y = blobs
    keep = np.isin(y, ["east", "north"])
    X, y = X[keep], (y[keep] == "east").astype(int)
    it, alone = wrap(clone(model)).fit(X, y), clone(model).fit(X, y)
    assert auto_measure(it).name == "logit" == auto_measure(alone).name
    centre, away = X.mean(axis=0), X[0] - X.mean(axis=0)
    far = centre + np.linspace(1000, 2000, 20)[:, np.newaxis] * away
    assert len(set(max_posterior(it, far).tolist())) == 1  # these have lost it
    certainty = measure_certainty(it, far)
    assert (np.diff(certainty) > 0).all()
    assert np.isfinite(certainty).all()
    # The log-odds of the answer given: those of the model, negated where the answers differ.
    same = it.predict(X) == alone.predict(X)
    expected = np.where(same, 1, -1) * log_odds(alone, X)
    assert measure_certainty(it, X).tolist() == expected.tolist()


def test_a_low_threshold_gives_answers_with_negative_log_odds(rare):
    X, y = rare
    it = FixedThresholdClassifier(GaussianNB(), threshold=0.05).fit(X, y)
    improbable = (it.predict(X) == 1) & (it.predict_proba(X)[:, 1] < 0.5)
    assert improbable.any()
    assert (measure_certainty(it, X) < 0).tolist() == improbable.tolist()


@pytest.mark.parametrize("model", [KNeighborsClassifier(), RandomForestClassifier(5)])
def test_without_log_posteriors_a_threshold_leaves_conf(model, rare):
    it = FixedThresholdClassifier(model).fit(*rare)
    assert auto_measure(it).name == "conf"


def test_entropy_is_its_formula(blobs):
    X, y = blobs
    for model in (GaussianNB(), KNeighborsClassifier(7), RSLVQ()):
        it = clone(model).fit(X, y)
        expected = [reference.negative_entropy(row) for row in it.predict_proba(X)]
        assert posterior_entropy(it, X) == pytest.approx(expected, abs=1e-12)


def test_one_class_has_no_entropy():
    it = GaussianNB().fit([[0.0], [1.0]], ["a", "a"])
    assert posterior_entropy(it, [[0.5]]).tolist() == [0]
    assert log_odds(it, [[0.5]]).tolist() == [1e9]


# Votes


@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 3.0, 0.5]])
def test_votes_are_counted(weights, blobs):
    X, y = blobs
    voters = [GaussianNB(), KNeighborsClassifier(1), DecisionTreeClassifier(max_depth=3), GLVQ()]
    it = VotingClassifier([(type(v).__name__, v) for v in voters], weights=weights).fit(X, y)
    answers = it.predict(X)
    votes = np.array([it.classes_[voter.predict(X)] for voter in it.estimators_]).T
    expected = [
        reference.vote_margin(row, weights or [1.0] * 4, answer)
        for row, answer in zip(votes, answers, strict=True)
    ]
    assert vote_margin(it, X) == pytest.approx(expected, abs=1e-12)
    assert vote_margin(make_pipeline("passthrough", it), X) == pytest.approx(expected, abs=1e-12)


def test_voters_that_are_dropped_have_no_vote(blobs):
    X, y = blobs
    voters = [("nb", GaussianNB()), ("gone", GLVQ()), ("tree", DecisionTreeClassifier(max_depth=2))]
    it = VotingClassifier(voters, weights=[1, 5, 2]).set_params(gone="drop").fit(X, y)
    assert set(vote_margin(it, X).round(9)) == {round(1 / 3, 9), 1.0}


@pytest.mark.parametrize("voter", [LogisticRegression(), GaussianNB(), SVC()])
def test_codes_are_compared(voter, blobs):
    X, y = blobs
    it = OutputCodeClassifier(voter, code_size=3, random_state=0).fit(X, y)
    answers = it.predict(X)
    name = "decision_function" if hasattr(voter, "decision_function") else "predict_proba"
    scores = [getattr(each, name)(X) for each in it.estimators_]
    scores = np.array([each if each.ndim == 1 else each[:, 1] for each in scores]).T
    expected = [
        reference.code_margin(row, it.code_book_, it.classes_, answer)
        for row, answer in zip(scores, answers, strict=True)
    ]
    assert vote_margin(it, X) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    "estimator",
    [
        VotingClassifier([("nb", GaussianNB()), ("knn", KNeighborsClassifier()), ("glvq", GLVQ())]),
        OutputCodeClassifier(LogisticRegression(), code_size=3, random_state=0),
    ],
    ids=["voting", "codes"],
)
def test_ensembles_that_vote_can_reject(estimator, blobs):
    X, y = blobs
    clf = RejectOptionClassifier(estimator, cv=3, cells="global").fit(X[::2], y[::2])
    rejected, right = clf.reject(X[1::2]), clf.predict(X[1::2]) == y[1::2]
    assert 0 < rejected.mean() < 0.5
    assert right[~rejected].mean() > right[rejected].mean()
