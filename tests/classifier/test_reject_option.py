"""The wrapper rejects by its thresholds, and its operating point is what recounting gives."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from abstain import (
    Accuracy,
    InputError,
    RejectCost,
    RejectOptionClassifier,
    RejectRate,
    aurc_scorer,
    models,
    pareto_front,
)
from abstain.certainty import auto_measure

OTHERS = [
    SVC(),
    LinearSVC(),
    LogisticRegression(),
    LinearDiscriminantAnalysis(),
    RandomForestClassifier(n_estimators=10, max_depth=4),
    HistGradientBoostingClassifier(max_iter=5),
    DecisionTreeClassifier(max_depth=4),
    KNeighborsClassifier(),
    GaussianNB(),
    MLPClassifier(hidden_layer_sizes=5, solver="lbfgs", max_iter=15000),
    NearestCentroid(),
]
ESTIMATORS = [*(getattr(models, name)() for name in models.__all__), *OTHERS]
every_estimator = pytest.mark.parametrize(
    "estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__
)


@pytest.fixture(scope="module")
def data():
    """Three classes, one sample in ten of another class than it looks."""
    X, y = make_classification(
        400, 5, n_informative=4, n_redundant=0, n_classes=3, flip_y=0.15, random_state=0
    )
    return X, np.array(["ash", "beech", "cedar"])[y]


def recount(clf, correct, rejected):
    """Compare counts of rejects with those that the operating point states."""
    point = clf.operating_point_
    assert point.n_samples == len(correct)
    assert point.n_errors == np.count_nonzero(~correct)
    assert point.true_rejects == np.count_nonzero(~correct & rejected)
    assert point.false_rejects == np.count_nonzero(correct & rejected)


@every_estimator
@pytest.mark.parametrize("cells", ["auto", "global", "class"])
def test_the_operating_point_is_what_recounting_gives(estimator, cells, data):
    X, y = data
    target = RejectRate(0.3)
    clf = RejectOptionClassifier(estimator, cells=cells, target=target, random_state=0).fit(X, y)
    assert np.array_equal(clf.reject(X), clf.certainties(X) < clf.thresholds_[clf.apply(X)])
    recount(clf, clf.predict(X) == y, clf.reject(X))
    assert 0 < clf.operating_point_.reject_rate <= 0.3


@every_estimator
def test_out_of_fold_thresholds_are_set_on_answers_to_unseen_samples(estimator, data):
    X, y = data
    folds = KFold(3, shuffle=True, random_state=0)
    estimator = clone(estimator)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    clf = RejectOptionClassifier(estimator, cv=folds).fit(X, y)
    # The folds come one after the other.
    order = np.concatenate([test for _, test in folds.split(X)])
    answers = cross_val_predict(estimator, X, y, cv=folds)
    assert np.array_equal(clf.calibration_.correct, (answers == y)[order])
    found = clf.calibration_
    position = {label: index for index, label in enumerate(clf.cells_.tolist())}
    at = [position.get(cell, len(clf.cells_)) for cell in found.cells.tolist()]
    recount(clf, found.correct, found.certainty < clf.thresholds_[at])


def test_the_certainty_out_of_fold_is_that_of_the_model_that_had_not_seen_the_sample(data):
    X, y = data
    folds = KFold(4, shuffle=True, random_state=0)
    clf = RejectOptionClassifier(GaussianNB(), cv=folds).fit(X, y)
    order = np.concatenate([test for _, test in folds.split(X)])
    posteriors = cross_val_predict(GaussianNB(), X, y, cv=folds, method="predict_proba")
    assert np.array_equal(clf.calibration_.certainty, posteriors.max(axis=1)[order])
    assert np.array_equal(clf.calibration_.cells, clf.classes_[posteriors.argmax(axis=1)[order]])


# The number of a leaf means nothing in another tree: cells are then those of the tree that decides.
def test_cells_out_of_fold_are_those_of_the_final_tree(data):
    X, y = data
    folds = KFold(4, shuffle=True, random_state=0)
    clf = RejectOptionClassifier(DecisionTreeClassifier(max_depth=3, random_state=0), cv=folds)
    clf.fit(X, y)
    order = np.concatenate([test for _, test in folds.split(X)])
    assert np.array_equal(clf.calibration_.cells, clf.estimator_.apply(X)[order])
    # All samples of a leaf have one certainty, and new ones will have it too.
    assert np.array_equal(clf.calibration_.certainty, clf.certainties(X)[order])
    answers = cross_val_predict(clf.estimator, X, y, cv=folds)
    assert np.array_equal(clf.calibration_.correct, (answers == y)[order])


def test_the_front_is_that_of_the_three_arrays(data):
    X, y = data
    clf = RejectOptionClassifier(models.GMLVQ(), min_cell_size=1).fit(X, y)
    front = pareto_front(*clf.calibration_)
    assert np.array_equal(front.true_rejects, clf.front_.true_rejects)
    assert np.array_equal(front.false_rejects, clf.front_.false_rejects)
    assert np.array_equal(clf.cells_, front.cells)


@pytest.mark.parametrize("target", [RejectRate(0.2), Accuracy(0.95), RejectCost(0.1)], ids=repr)
def test_targets_are_met_on_the_calibration_data(target, data):
    X, y = data
    clf = RejectOptionClassifier(models.GMLVQ(), target=target).fit(X, y)
    accepted = ~clf.reject(X)
    if isinstance(target, RejectRate):
        assert np.mean(~accepted) <= 0.2
    if isinstance(target, Accuracy):
        assert np.mean(clf.predict(X)[accepted] == y[accepted]) >= 0.95
    assert clf.operating_point_.row == target.choose(clf.front_)


# --------------------------------------------------------------------------- retarget


@pytest.mark.parametrize("target", [RejectRate(0.3), Accuracy(0.9), RejectCost(0.2)], ids=repr)
def test_retargeting_is_fitting_with_that_target(target, data):
    X, y = data
    moved = RejectOptionClassifier(models.GMLVQ()).fit(X, y).retarget(target)
    fitted = RejectOptionClassifier(models.GMLVQ(), target=target).fit(X, y)
    assert np.array_equal(moved.thresholds_, fitted.thresholds_)
    assert np.array_equal(moved.reject(X), fitted.reject(X))
    assert moved.target == target


def test_retargeting_asks_the_classifier_nothing(data):
    X, y = data
    asked = []

    def certainty(estimator, X):
        asked.append(len(X))
        return estimator.predict_proba(X).max(axis=1)

    clf = RejectOptionClassifier(GaussianNB(), certainty=certainty).fit(X, y)
    before, fitted = len(asked), clf.estimator_
    for rate in (0.05, 0.2, 0.4):
        clf.retarget(RejectRate(rate))
    assert len(asked) == before
    assert clf.estimator_ is fitted


# ------------------------------------------------------------------------------ cells


def test_small_cells_share_one_threshold_and_so_do_those_never_seen(data):
    X, y = data

    def cells(estimator, X):
        return np.where(X[:, 0] > 9, "unseen", np.where(X[:, 0] > 1.5, "small", "large"))

    n_small = np.count_nonzero(X[:, 0] > 1.5)
    clf = RejectOptionClassifier(GaussianNB(), cells=cells, min_cell_size=n_small + 1).fit(X, y)
    assert clf.cells_.tolist() == ["large"]
    assert clf.operating_point_.cells.tolist() == ["large", None]
    far = X[:1] + 20.0
    small = X[X[:, 0] > 1.5][:1]
    assert clf.apply(np.concatenate([far, small])).tolist() == [1, 1]
    clf.set_params(min_cell_size=n_small).fit(X, y)
    assert clf.cells_.tolist() == ["large", "small"]


def test_a_cell_never_seen_is_trusted_as_little_as_the_least_trusted(data):
    X, y = data

    def cells(estimator, X):
        return np.where(X[:, 0] > 9, 7, X[:, 0] > 0)

    clf = RejectOptionClassifier(GaussianNB(), cells=cells).fit(X, y)
    assert clf.thresholds_[-1] == clf.thresholds_[:-1].max()
    assert clf.apply(X[:1] + 20.0).tolist() == [2]
    # Who rejects nothing anywhere rejects nothing there.
    assert not clf.retarget(RejectRate(0)).reject(X[:1] + 20.0).any()


def test_a_clusterer_makes_cells(data):
    X, y = data
    clusters = KMeans(4, random_state=0).fit(X)
    clf = RejectOptionClassifier(GaussianNB(), cells=clusters, min_cell_size=1).fit(X, y)
    assert clf.cells_.tolist() == [0, 1, 2, 3]
    assert np.array_equal(clf.apply(X), clusters.predict(X))


# ----------------------------------------------------------------------------- labels


def test_predict_is_the_plain_label_unless_one_for_rejects_is_given(data):
    X, y = data
    plain = RejectOptionClassifier(models.GMLVQ()).fit(X, y)
    marked = RejectOptionClassifier(models.GMLVQ(), reject_label="ask a doctor").fit(X, y)
    assert np.array_equal(plain.predict(X), plain.estimator_.predict(X))
    rejected = marked.reject(X)
    assert set(marked.predict(X)[rejected]) == {"ask a doctor"}
    assert np.array_equal(marked.predict(X)[~rejected], plain.predict(X)[~rejected])


@pytest.mark.parametrize(
    ("labels", "reject_label"),
    [
        (np.array([1, 2, 3]), -1),
        (np.array([1, 2, 3], dtype=np.uint8), 255),
        (np.array([1, 2, 3], dtype=np.int8), -128),
        (np.array([0.5, 1.5, 2.5]), np.nan),
        (np.array(["a", "b", "c"]), "a longer one"),
        (np.array(["a", "b", "c"], dtype=object), "no"),
        (np.array(["a", "b", "c"], dtype=object), None),
        (np.array([True, False, True]), None),
    ],
    ids=repr,
)
def test_labels_of_many_kinds_keep_their_type(labels, reject_label, data):
    X, names = data
    y = labels[np.unique(names, return_inverse=True)[1]]
    if y.dtype.kind == "f":
        y = np.floor(y * 2).astype(np.float64)  # classes, not a quantity
    clf = RejectOptionClassifier(models.GMLVQ(), reject_label=reject_label).fit(X, y)
    found = clf.predict(X)
    assert found.dtype.kind == y.dtype.kind
    accepted = np.ones(len(y), bool) if reject_label is None else ~clf.reject(X)
    assert np.array_equal(found[accepted], clf.estimator_.predict(X)[accepted])
    if reject_label is not None:
        assert all(label == reject_label or label != label for label in found[~accepted].tolist())


@pytest.mark.parametrize(
    ("labels", "reject_label", "remedy"),
    [
        (np.array([1, 2, 3]), "reject", "use an integer"),
        (np.array([1, 2, 3]), 0.5, "use an integer"),
        (np.array([1, 2, 3], dtype=np.uint8), -1, "integer labels with a sign"),
        (np.array([1, 2, 3], dtype=np.int8), 1000, "use an integer"),
        (np.array(["a", "b", "c"]), 1, "use text"),
        (np.array([True, False, True]), -1, "leave it None"),
    ],
    ids=repr,
)
def test_a_label_for_rejects_that_does_not_fit_is_refused(labels, reject_label, remedy, data):
    X, names = data
    y = labels[np.unique(names, return_inverse=True)[1]]
    with pytest.raises(TypeError, match=remedy) as caught:
        RejectOptionClassifier(GaussianNB(), reject_label=reject_label).fit(X, y)
    assert "\n" not in str(caught.value)
    assert repr(reject_label) in str(caught.value)


def test_a_label_for_rejects_that_is_a_class_is_refused(data):
    with pytest.raises(InputError, match="reject_label must differ from the classes, got 'ash'"):
        RejectOptionClassifier(GaussianNB(), reject_label="ash").fit(*data)


def test_more_than_a_hundred_classes():
    generator = np.random.default_rng(0)
    y = np.repeat(np.arange(120), 12)
    X = np.stack([y % 12, y // 12], axis=1) + generator.normal(scale=0.4, size=(len(y), 2))
    for estimator in (GaussianNB(), models.GLVQ()):
        clf = RejectOptionClassifier(estimator).fit(X, y)
        recount(clf, clf.predict(X) == y, clf.reject(X))
        assert clf.operating_point_.accuracy > np.mean(clf.predict(X) == y)


# ----------------------------------------------------------------------------- frozen


def test_a_frozen_estimator_is_only_calibrated(data):
    X, y = data
    model = make_pipeline(StandardScaler(), models.GMLVQ()).fit(X[:200], y[:200])
    prototypes = model[-1].prototypes_.copy()
    clf = RejectOptionClassifier(FrozenEstimator(model)).fit(X[200:], y[200:])
    assert np.array_equal(model[-1].prototypes_, prototypes)
    assert np.array_equal(clf.predict(X), model.predict(X))
    assert clf.operating_point_.n_samples == 200
    recount(clf, model.predict(X[200:]) == y[200:], clf.reject(X[200:]))
    # Calibration data of a single class still tell which of its answers are wrong.
    one = y == "ash"
    assert RejectOptionClassifier(FrozenEstimator(model)).fit(X[one], y[one]).classes_.size == 3


# -------------------------------------------------------------------------- certainty


def test_an_svc_is_sure_where_its_smallest_margin_is_large(data):
    X, y = data
    clf = RejectOptionClassifier(make_pipeline(StandardScaler(), SVC())).fit(X, y)
    assert auto_measure(clf.estimator_).name == "pairwise"


@pytest.mark.parametrize("certainty", ["conf", "margin", lambda model, X: -np.abs(X[:, 0])])
def test_the_certainty_asked_for_is_used(certainty, data):
    X, y = data
    clf = RejectOptionClassifier(GaussianNB(), certainty=certainty).fit(X, y)
    posteriors = np.sort(clf.predict_proba(X), axis=1)
    expected = {
        "conf": posteriors[:, -1],
        "margin": posteriors[:, -1] - posteriors[:, -2],
    }.get(certainty if isinstance(certainty, str) else "", -np.abs(X[:, 0]))
    assert np.array_equal(clf.certainties(X), expected)


# Posteriors that an SVC is calibrated to sort its answers far worse than its own margins do.
def test_the_smallest_pairwise_margin_of_an_svc_beats_calibrated_posteriors():
    X, y = load_digits(return_X_y=True)
    folds = KFold(5, shuffle=True, random_state=0)
    by_margin = cross_val_score(SVC(), X, y, cv=folds, scoring=aurc_scorer).mean()
    calibrated = CalibratedClassifierCV(SVC(), ensemble=False)
    by_posterior = cross_val_score(calibrated, X, y, cv=folds, scoring=aurc_scorer).mean()
    assert -by_margin < 1.5e-3
    assert -by_margin < 0.5 * -by_posterior
