"""The wrapper rejects by its thresholds, and its operating point is what recounting gives."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from abstain import (
    Accuracy,
    ExpectedCost,
    InputError,
    RejectCost,
    RejectOptionClassifier,
    RejectRate,
    aurc_scorer,
    models,
    pareto_front,
)
from abstain.cells import find_cells, leaf, prototype_cell
from abstain.certainty import auto_measure, measure_certainty, prototype_distance
from abstain.fronts import METHODS

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
    clf = RejectOptionClassifier(
        estimator, cells=cells, target=target, cv="training", random_state=0
    ).fit(X, y)
    is_unsure = clf.certainties(X) < clf.thresholds_[clf.apply(X)]
    assert np.array_equal(clf.reject(X), is_unsure | (clf.outlier_p_values(X) <= 0.01))
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
    calibration = clf.calibration_
    position = {label: index for index, label in enumerate(clf.cells_.tolist())}
    at = [position.get(cell, position[None]) for cell in calibration.cells.tolist()]
    is_unsure = calibration.certainty < clf.thresholds_[at]
    outlier = np.zeros(len(y), dtype=bool) if calibration.outlier is None else calibration.outlier
    recount(clf, calibration.correct, is_unsure | outlier)
    assert outlier.mean() <= 0.01


@every_estimator
def test_certainty_and_cells_out_of_fold_are_those_of_a_model_that_had_not_seen_the_sample(
    estimator, data
):
    X, y = data
    folds = KFold(3, shuffle=True, random_state=0)
    estimator = clone(estimator)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    clf = RejectOptionClassifier(estimator, cells="class", cv=folds).fit(X, y)
    certainty, cells = [], []
    for train, test in folds.split(X):
        model = clone(estimator).fit(X[train], y[train])
        certainty.append(measure_certainty(model, X[test]))
        cells.append(model.predict(X[test]))
    assert np.array_equal(clf.calibration_.certainty, np.concatenate(certainty))
    assert np.array_equal(clf.calibration_.cells, np.concatenate(cells))


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


# What a function makes of a model only the model that decides can tell.
@pytest.mark.parametrize("cells", ["leaf", leaf, lambda model, X: model.apply(X)])
def test_cells_by_function_out_of_fold_are_those_of_the_final_tree(cells, data):
    X, y = data
    tree = DecisionTreeClassifier(min_samples_leaf=8, random_state=0)
    folds = KFold(4, shuffle=True, random_state=0)
    clf = RejectOptionClassifier(tree, cells=cells, cv=folds, min_cell_size=1).fit(X, y)
    order = np.concatenate([test for _, test in folds.split(X)])
    assert np.array_equal(clf.calibration_.cells, clf.estimator_.apply(X)[order])
    assert len(clf.cells_) == clf.estimator_.get_n_leaves() + 1


def test_a_function_of_the_package_is_as_good_as_its_name(data):
    X, y = data
    named, given = (
        RejectOptionClassifier(models.GLVQ(3, random_state=0), certainty=how, cells=at, cv=3)
        for how, at in [("distance", "prototype"), (prototype_distance, prototype_cell)]
    )
    assert np.array_equal(named.fit(X, y).thresholds_, given.fit(X, y).thresholds_)
    assert named.explain(X).equals(given.explain(X))


def test_a_matrix_of_kernels_is_split_by_rows_and_columns(data):
    X, y = data
    folds = KFold(3, shuffle=True, random_state=0)
    plain = RejectOptionClassifier(SVC(kernel="linear"), cv=folds).fit(X, y)
    kernels = RejectOptionClassifier(SVC(kernel="precomputed"), cv=folds).fit(X @ X.T, y)
    assert kernels.calibration_.certainty == pytest.approx(plain.calibration_.certainty, abs=1e-3)
    assert np.array_equal(kernels.calibration_.correct, plain.calibration_.correct)
    certified = Accuracy(0.5, confidence=0.5)
    with pytest.raises(InputError, match="which a matrix of kernels"):
        kernels.set_params(target=certified).fit(X @ X.T, y)


def test_a_fit_that_fails_leaves_nothing_that_answers(data):
    X, y = data
    clf = RejectOptionClassifier(GaussianNB()).fit(X, y)
    clf.set_params(certainty=lambda model, X: np.full(len(X), np.nan))
    with pytest.raises(InputError):
        clf.fit(X[:50], y[:50])
    for ask in (clf.reject, clf.predict, clf.explain, clf.certainties):
        with pytest.raises(NotFittedError):
            ask(X)


def test_settings_changed_after_the_fit_change_no_answer(data):
    X, y = data
    clf = RejectOptionClassifier(GaussianNB()).fit(X, y)
    rejected = clf.reject(X)
    clf.set_params(certainty="margin", cells="global")
    assert np.array_equal(clf.reject(X), rejected)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_the_front_is_that_of_the_three_arrays(method, data):
    X, y = data
    clf = RejectOptionClassifier(models.GMLVQ(), method=method, min_cell_size=1).fit(X, y)
    assert 0 < clf.calibration_.outlier.mean() <= 0.01
    inliers = [each[~clf.calibration_.outlier] for each in clf.calibration_[:3]]
    front = pareto_front(*inliers, method=method)
    assert np.array_equal(front.true_rejects, clf.front_.true_rejects)
    assert np.array_equal(front.false_rejects, clf.front_.false_rejects)
    assert np.array_equal(clf.cells_[:-1], front.cells)


@pytest.mark.parametrize("target", [RejectRate(0.2), Accuracy(0.95), RejectCost(0.1)], ids=repr)
def test_targets_are_met_on_the_calibration_data(target, data):
    X, y = data
    clf = RejectOptionClassifier(models.GMLVQ(), target=target).fit(X, y)
    accepted = ~clf.reject(X)
    if isinstance(target, RejectRate):
        assert np.mean(~accepted) <= 0.2
    front = clf.front_
    if isinstance(target, Accuracy):
        assert front.accuracies[clf.operating_point_.row] >= 0.95
    rejects = front.true_rejects + front.false_rejects
    if isinstance(target, RejectCost):
        costs = front.n_errors - front.true_rejects + target.cost * rejects
        expected = front.expected_errors + target.cost * rejects
        row = clf.operating_point_.row
        # Errors that are expected count most with few samples.
        assert expected[row] <= expected.min() * 1.02
        assert costs[row] <= costs.min() * 1.2


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
    clf = RejectOptionClassifier(
        GaussianNB(), cells=cells, method="exact", min_cell_size=n_small + 1, outliers=None
    ).fit(X, y)
    assert clf.cells_.tolist() == ["large", None]
    assert clf.operating_point_.cells.tolist() == ["large", None]
    far = X[:1] + 20.0
    small = X[X[:, 0] > 1.5][:1]
    assert clf.apply(np.concatenate([far, small])).tolist() == [1, 1]
    clf.set_params(min_cell_size=n_small).fit(X, y)
    assert clf.cells_.tolist() == ["large", "small", None]


@pytest.mark.parametrize("method", ["pooled", "exact"])
@pytest.mark.parametrize("cells", ["global", "class", lambda model, X: (X[:, 0] > 1.5) + 1])
def test_cells_thresholds_and_the_point_share_one_order(cells, method, data):
    X, y = data
    clf = RejectOptionClassifier(
        GaussianNB(), cells=cells, method=method, min_cell_size=50, outliers=None
    ).fit(X, y)
    assert clf.cells_.tolist()[-1] is None
    for moved in (clf, clf.retarget(RejectRate(0.3)), clf.set_thresholds(clf.thresholds_ + 0.1)):
        point = moved.operating_point_
        assert len(moved.cells_) == len(moved.thresholds_)
        assert point.cells.tolist() == moved.cells_.tolist()
        assert np.array_equal(point.thresholds, moved.thresholds_)
        # The point decides as the classifier does, about cells without a threshold too.
        far = np.concatenate([X, X + 20.0])
        labels = find_cells(moved.estimator_, far, cells)
        expected = moved.reject(far)
        assert np.array_equal(point.reject(moved.certainties(far), labels), expected)
        assert [*moved.cells_[moved.apply(X)]] == moved.explain(X)["cell"].to_list()
        if cells == "global":
            assert np.array_equal(point.reject(moved.certainties(far)), expected)


def test_a_cell_never_seen_is_trusted_as_little_as_the_least_trusted(data):
    X, y = data

    def cells(estimator, X):
        return np.where(X[:, 0] > 9, 7, X[:, 0] > 0)

    clf = RejectOptionClassifier(GaussianNB(), cells=cells, method="exact", outliers=None)
    clf.fit(X, y)
    assert clf.thresholds_[-1] == clf.thresholds_[:-1].max()
    assert clf.apply(X[:1] + 20.0).tolist() == [2]
    # A classifier that rejects nothing anywhere rejects nothing there.
    assert not clf.retarget(RejectRate(0)).reject(X[:1] + 20.0).any()


# However small, a cell has a threshold: the less it tells, the closer to that of all.
def test_small_cells_and_those_never_seen_fall_back_to_what_all_have_in_common(data):
    X, y = data

    def cells(estimator, X):
        parts = np.arange(len(X)) % 4
        return np.where(X[:, 0] > 9, 7, np.where(np.arange(len(X)) == 0, 5, parts))

    clf = RejectOptionClassifier(
        GaussianNB(), cells=cells, cv="training", target=RejectRate(0.2)
    ).fit(X, y)
    assert clf.cells_.tolist() == [0, 1, 2, 3, 5, None]
    ranks = np.searchsorted(np.sort(clf.calibration_.certainty), clf.thresholds_) / len(X)
    assert ranks[:4].min() <= ranks[5] <= ranks[:4].max()
    assert np.abs(ranks[4] - ranks[5]) < 0.1
    assert clf.apply(X[:2] + 20.0).tolist() == [5, 5]


def test_a_clusterer_makes_cells(data):
    X, y = data
    clusters = KMeans(4, random_state=0).fit(X)
    clf = RejectOptionClassifier(GaussianNB(), cells=clusters, min_cell_size=1).fit(X, y)
    assert clf.cells_.tolist() == [0, 1, 2, 3, None]
    assert np.array_equal(clf.apply(X), clusters.predict(X))


# scikit-learn's tools clone what they are given, and a clone is not fitted.
def test_a_clusterer_survives_the_tools_of_scikit_learn(data):
    X, y = data
    clusters = KMeans(4, random_state=0).fit(X)
    clf = RejectOptionClassifier(GaussianNB(), cells=clusters, min_cell_size=1)
    copy = clone(clf).fit(X, y)
    assert np.array_equal(copy.apply(X), clusters.predict(X))
    assert len(cross_val_predict(clf, X, y, cv=3)) == len(y)
    search = GridSearchCV(clf, {"min_cell_size": [1, 50]}, cv=3, error_score="raise").fit(X, y)
    assert search.best_score_ > 0.5
    # What was handed in stays as it was.
    unfitted = KMeans(4, random_state=0)
    RejectOptionClassifier(GaussianNB(), cells=unfitted).fit(X, y)
    assert not hasattr(unfitted, "labels_")


def test_anything_with_predict_makes_cells(data):
    X, y = data

    class Halves:
        def predict(self, X):
            return X[:, 0] > 0

    clf = RejectOptionClassifier(GaussianNB(), cells=Halves()).fit(X, y)
    assert clf.cells_.tolist() == [False, True, None]


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
    predicted = clf.predict(X)
    assert predicted.dtype.kind == y.dtype.kind
    accepted = np.ones(len(y), bool) if reject_label is None else ~clf.reject(X)
    assert np.array_equal(predicted[accepted], clf.estimator_.predict(X)[accepted])
    if reject_label is not None:
        assert all(
            label == reject_label or label != label for label in predicted[~accepted].tolist()
        )


@pytest.mark.parametrize(
    ("labels", "reject_label", "remedy"),
    [
        (np.array([1, 2, 3]), "reject", "use an integer"),
        (np.array([1, 2, 3]), 0.5, "use an integer"),
        (np.array([1, 2, 3], dtype=np.uint8), -1, "integer labels with a sign"),
        (np.array([1, 2, 3], dtype=np.int8), 1000, "use an integer"),
        (np.array(["a", "b", "c"]), 1, "use text"),
        (np.array([True, False, True]), -1, "leave it None"),
        (np.array([1, 2, 3], dtype=np.float32), 1e300, "use a number"),
        (np.array([1, 2, 3], dtype="datetime64[D]"), "never", "leave it None"),
    ],
    ids=repr,
)
def test_a_label_for_rejects_that_does_not_fit_is_refused(labels, reject_label, remedy, data):
    X, names = data
    y = labels[np.unique(names, return_inverse=True)[1]]
    with pytest.raises(InputError, match=remedy) as caught:
        RejectOptionClassifier(GaussianNB(), reject_label=reject_label).fit(X, y)
    assert "\n" not in str(caught.value)
    assert repr(reject_label) in str(caught.value)


def test_a_label_for_rejects_that_is_a_class_is_refused(data):
    with pytest.raises(InputError, match="reject_label must differ from the classes, got 'ash'"):
        RejectOptionClassifier(GaussianNB(), reject_label="ash").fit(*data)
    # A class that only the held-out samples have is a class too.
    X, y = data
    rare = np.where(np.arange(len(y)) == 0, "yew", y)
    target = Accuracy(0.5, confidence=0.5)
    for seed in range(4):
        clf = RejectOptionClassifier(
            GaussianNB(), reject_label="yew", target=target, random_state=seed
        )
        with pytest.raises(InputError, match="reject_label must differ"):
            clf.fit(X, rare)


def test_more_than_a_hundred_classes():
    generator = np.random.default_rng(0)
    y = np.repeat(np.arange(120), 12)
    X = np.stack([y % 12, y // 12], axis=1) + generator.normal(scale=0.4, size=(len(y), 2))
    for estimator in (GaussianNB(), models.GLVQ()):
        clf = RejectOptionClassifier(estimator, cv="training").fit(X, y)
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


# The estimator is cloned, so that its classes of another fit say nothing.
def test_costs_are_of_the_classes_of_this_fit(data):
    X, y = data
    fitted_before = GaussianNB().fit(X, np.arange(len(X)) % 7)
    target = ExpectedCost(1 - np.eye(len(np.unique(y))), 0.3)
    fresh, used = (
        RejectOptionClassifier(estimator, target=target).fit(X, y)
        for estimator in (GaussianNB(), fitted_before)
    )
    assert np.array_equal(used.predict(X), fresh.predict(X))
    assert np.array_equal(used.thresholds_, fresh.thresholds_)
