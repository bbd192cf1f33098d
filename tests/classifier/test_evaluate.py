"""One look at the samples tells what five calls tell."""

import copy

import dask.array as da
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.ensemble import (
    BaggingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    TunedThresholdClassifierCV,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import all_estimators

from abstain import InputError, RejectOptionClassifier, RejectRate, aurc_scorer, models
from abstain.certainty import MEASURES
from abstain.classifier.evaluate import Rules, evaluate

NAMES = np.array(["setosa", "versicolor", "virginica"])


def check(clf, X):
    decisions = clf.decide(X)
    np.testing.assert_array_equal(clf.classes_[decisions.class_indices], clf.estimator_.predict(X))
    np.testing.assert_array_equal(decisions.certainty, clf.certainties(X))
    np.testing.assert_array_equal(decisions.positions, clf.apply(X))
    np.testing.assert_array_equal(decisions.rejected, clf.reject(X))
    np.testing.assert_array_equal(decisions.correct_proba, clf.predict_correct_proba(X))


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    X[::7, 1] = np.nan
    return X, NAMES[y]


@pytest.mark.parametrize("cells", ["auto", "global", "class", "prototype"])
@pytest.mark.parametrize("name", models.__all__)
def test_prototype_models(iris, name, cells):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), getattr(models, name)(2, max_iter=20, tol=1e-2))
    clf = RejectOptionClassifier(pipeline, cells=cells, cv=3, target=RejectRate(0.2))
    check(clf.fit(X, y), X)


@pytest.mark.parametrize("certainty", ["relsim", "boundary", "distance", "decision"])
def test_measures(iris, certainty):
    X, y = iris
    model = models.GLVQ()
    check(RejectOptionClassifier(model, certainty=certainty, cv=3).fit(X, y), X)


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(max_iter=1000),
        SVC(),
        DecisionTreeClassifier(max_depth=3),
        RandomForestClassifier(10),
        make_pipeline(None, make_pipeline("passthrough", StandardScaler(), LogisticRegression())),
        GridSearchCV(make_pipeline(StandardScaler(), models.GLVQ()), {"glvq__tol": [1e-2]}, cv=2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_other_classifiers(iris, model):
    X, y = iris
    X = np.nan_to_num(X)
    clf = RejectOptionClassifier(model, cv=3, target=RejectRate(0.2), random_state=0)
    check(clf.fit(X, y), X)


def test_rules_of_ones_own_and_frozen_models(iris):
    X, y = np.nan_to_num(iris[0]), iris[1]
    fitted = make_pipeline(StandardScaler(), models.GLVQ()).fit(X[::2], y[::2])
    for cells in (KMeans(3, random_state=0), lambda model, X: X[:, 0] > 5):
        clf = RejectOptionClassifier(
            FrozenEstimator(fitted),
            certainty=lambda model, X: np.abs(model.decision_function(X)).min(axis=1),
            cells=cells,
        )
        check(clf.fit(X[1::2], y[1::2]), X)


def test_cells_that_calibration_has_not_seen_share_a_threshold(iris):
    X, y = iris
    model = models.GLVQ(8, max_iter=10, tol=1e-2)
    clf = RejectOptionClassifier(model, method="exact", min_cell_size=12)
    clf.fit(X, y)
    assert (clf.decide(X).positions == len(clf.cells_) - 1).any()
    check(clf, X)


# --- the labels of one look are those of predict -------------------------------------------------

CALLS = ("predict", "predict_proba", "predict_log_proba", "decision_function")
SETTINGS = {
    "ClassifierChain": {"estimator": LogisticRegression()},
    "FixedThresholdClassifier": {"estimator": LogisticRegression(), "threshold": 0.3},
    "MLPClassifier": {"max_iter": 30},
    "OneVsOneClassifier": {"estimator": LogisticRegression()},
    "OneVsRestClassifier": {"estimator": LogisticRegression()},
    "OutputCodeClassifier": {"estimator": LogisticRegression(), "random_state": 0},
    "SelfTrainingClassifier": {"estimator": LogisticRegression()},
    "StackingClassifier": {"estimators": [("nb", GaussianNB()), ("lr", LogisticRegression())]},
    "TunedThresholdClassifierCV": {"estimator": LogisticRegression()},
    "VotingClassifier": {"estimators": [("nb", GaussianNB()), ("lr", LogisticRegression())]},
}
MORE = [
    SVC(break_ties=True),
    SVC(decision_function_shape="ovo"),
    VotingClassifier([("nb", GaussianNB()), ("lr", LogisticRegression())], voting="soft"),
    VotingClassifier([("nb", GaussianNB()), ("svc", SVC())], weights=[1, 1]),
    GradientBoostingClassifier(loss="exponential", n_estimators=5),
    SGDClassifier(loss="log_loss", random_state=0),
    SGDClassifier(loss="modified_huber", random_state=0),
    KNeighborsClassifier(4, weights="distance"),
    RandomForestClassifier(2, random_state=0),
    RandomForestClassifier(4, max_depth=2, random_state=0),
    LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto"),
    CalibratedClassifierCV(LinearSVC(), ensemble=False),
    CalibratedClassifierCV(GaussianNB(), cv=2),
    BaggingClassifier(LinearSVC(), 3, random_state=0),
    models.RSLVQ(sigma2="local"),
    *(getattr(models, name)(2, max_iter=20, tol=1e-2) for name in models.__all__),
]


def every_classifier():
    """Each classifier of scikit-learn that can be made without parameters or with those above."""
    for name, kind in all_estimators(type_filter="classifier"):
        try:
            yield kind(**SETTINGS.get(name, {}))
        except (TypeError, FutureWarning):  # MultiOutputClassifier, say; or deprecated
            continue
    yield from MORE


def small_set(n_classes):
    """Small whole numbers: ties are frequent, and all naive Bayes classifiers take them."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, size=(80, 3)).astype(float)
    y = (X[:, 0] + rng.integers(0, 2, size=80)) % n_classes
    return X, np.array(["no", "yes", "maybe"])[y.astype(int)]


class Counter:
    """Counts the calls of a fitted classifier's methods, those of one by another left out."""

    def __init__(self, model):
        self.calls = dict.fromkeys(CALLS, 0)
        self.depth = 0
        for name in CALLS:
            if hasattr(model, name):
                setattr(model, name, self.counting(name, getattr(model, name)))

    def counting(self, name, method):
        def call(X):
            self.calls[name] += not self.depth
            self.depth += 1
            try:
                return method(X)
            finally:
                self.depth -= 1

        return call


# Targets of several columns, answers at random, and targets that are numbers.
OTHER_TASKS = {"ClassifierChain", "DummyClassifier", "SelfTrainingClassifier"}
TWO_CLASSES_ONLY = {"FixedThresholdClassifier", "TunedThresholdClassifierCV"}


def tasks():
    """Each classifier with each number of classes that it takes."""
    for model in every_classifier():
        name = type(model).__name__
        is_binary = name in TWO_CLASSES_ONLY or getattr(model, "loss", None) == "exponential"
        for n_classes in () if name in OTHER_TASKS else (2,) if is_binary else (2, 3):
            yield pytest.param(model, n_classes, id=f"{name}-{n_classes}")


@pytest.mark.parametrize(("model", "n_classes"), list(tasks()))
@pytest.mark.filterwarnings("ignore")
def test_labels_are_those_of_predict_and_no_method_is_called_twice(model, n_classes):
    X, y = small_set(n_classes)
    it = clone(model).fit(X, y)
    expected = it.predict(X)
    names = [name for name, measure in MEASURES.items() if measure.serves(it)]
    for certainty in ["auto", *names]:
        try:
            rules = Rules(certainty, "class").named(it)
        except InputError:  # nothing for "auto"
            continue
        counter = Counter(counted := copy.copy(it))
        evaluation = evaluate(counted, X, rules)
        np.testing.assert_array_equal(evaluation.labels, expected, strict=True)
        np.testing.assert_array_equal(evaluation.cells, expected)
        assert (np.asarray(it.classes_)[evaluation.outputs.codes] == expected).all()
        assert max(counter.calls.values()) <= 1, counter.calls
        if certainty not in ("auto", "entropy", "boundary", "relsim", "distance", "pairwise"):
            expected_certainty = MEASURES[rules.certainty].function(it, X)
            np.testing.assert_array_equal(evaluation.certainty, expected_certainty)


ASKED_ONCE = [
    (RandomForestClassifier(10, random_state=0), "predict_proba"),
    (HistGradientBoostingClassifier(max_iter=5), "decision_function"),
    (GradientBoostingClassifier(n_estimators=5), "decision_function"),
    (GaussianNB(), "predict_log_proba"),
    (LogisticRegression(), "decision_function"),
    (LinearDiscriminantAnalysis(), "decision_function"),
    (QuadraticDiscriminantAnalysis(), "decision_function"),
    (MLPClassifier(max_iter=30), "predict_proba"),
    (LinearSVC(), "decision_function"),
    (models.RSLVQ(), "decision_function"),
    (SGDClassifier(loss="log_loss", random_state=0), "decision_function"),
    (KNeighborsClassifier(), "predict_proba"),
    (OneVsRestClassifier(LogisticRegression()), "predict_proba"),
    (StackingClassifier([("nb", GaussianNB())], cv=2), "predict_proba"),
]


@pytest.mark.parametrize("cells", ["global", "class"])
@pytest.mark.parametrize(
    ("model", "asked"), ASKED_ONCE, ids=[type(model).__name__ for model, _ in ASKED_ONCE]
)
@pytest.mark.filterwarnings("ignore")
def test_one_call_tells_everything(iris, model, asked, cells):
    X, y = np.nan_to_num(iris[0]), iris[1]
    pipeline = make_pipeline(StandardScaler(), clone(model)).fit(X[::2], y[::2])
    clf = RejectOptionClassifier(FrozenEstimator(pipeline), cells=cells, reject_label="?")
    clf.fit(X[1::2], y[1::2])
    for ask in (
        clf.predict,
        clf.reject,
        clf.decide,
        clf.explain,
        lambda X: clf.score(X, y),
        lambda X: aurc_scorer(clf, X, y),
    ):
        last = clf.estimator_.estimator.steps[-1][1]
        counter = Counter(last)
        ask(X)
        for name in CALLS:
            vars(last).pop(name, None)
        assert {name for name, count in counter.calls.items() if count} == {asked}
        assert counter.calls[asked] == 1


# A threshold compares the posteriors that the certainty is computed from.
@pytest.mark.parametrize("certainty", ["auto", "conf", "margin"])
@pytest.mark.parametrize("kind", [FixedThresholdClassifier, TunedThresholdClassifierCV])
@pytest.mark.parametrize("inner", [LogisticRegression(), GaussianNB(), RandomForestClassifier(5)])
def test_the_classifier_behind_a_threshold_is_asked_once(iris, kind, inner, certainty):
    X, y = np.nan_to_num(iris[0])[50:, :2], iris[1][50:]
    options = {"threshold": 0.3, "pos_label": "versicolor"} if "Fixed" in kind.__name__ else {}
    model = kind(clone(inner), **options).fit(X, y)
    expected = model.predict(X)
    counter = Counter(model.estimator_)
    evaluation = evaluate(model, X, Rules(certainty, "class").named(model))
    assert evaluation.labels.tolist() == expected.tolist()
    assert sum(counter.calls.values()) == 1


def test_a_subclass_with_a_predict_of_its_own_is_asked(iris):
    class Contrary(RandomForestClassifier):
        def predict(self, X):
            return self.classes_[super().predict_proba(X).argmin(axis=1)]

    class Doubtful(GaussianNB):
        def predict_proba(self, X):
            return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))

    X, y = np.nan_to_num(iris[0]), iris[1]
    for it in (Contrary(5, random_state=0).fit(X, y), Doubtful().fit(X, y)):
        evaluation = evaluate(it, X, Rules("auto", "class").named(it))
        assert evaluation.labels.tolist() == it.predict(X).tolist()
        answers = np.searchsorted(it.classes_, it.predict(X))
        assert evaluation.certainty.tolist() == it.predict_proba(X)[range(len(X)), answers].tolist()


# --- probabilities ------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["pooled", "exact"])
def test_probabilities_of_blocks_are_those_of_all_samples(iris, method):
    X, y = np.nan_to_num(iris[0]), iris[1]
    clf = RejectOptionClassifier(GaussianNB(), method=method).fit(X, y)
    probability = clf.predict_correct_proba(da.from_array(X, chunks=(40, -1)))
    np.testing.assert_allclose(probability.compute(scheduler="sync"), clf.predict_correct_proba(X))


# A front of steps alone does not tell probabilities; decisions are there without them.
def test_what_nothing_estimates_is_missing(iris):
    X, y = np.nan_to_num(iris[0]), iris[1]
    frozen = FrozenEstimator(GaussianNB().fit(X[::2], y[::2]))
    lazy = da.from_array(X[1::2], chunks=(40, -1)), da.from_array(y[1::2], chunks=40)
    clf = RejectOptionClassifier(frozen, method="exact").fit(*lazy)
    assert np.isnan(clf.decide(X).correct_proba).all()
    assert clf.explain(X)["correct_proba"].is_nan().all()
    for samples in (X, lazy[0]):
        with pytest.raises(InputError, match="needs method='pooled'"):
            clf.predict_correct_proba(samples)
