"""What is loaded is what was saved, bit by bit."""

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from abstain import (
    GLVQ,
    GMLVQ,
    Accuracy,
    AllOf,
    ExpectedCost,
    InputError,
    Precision,
    Recall,
    RejectCost,
    RejectOptionClassifier,
    RejectRate,
    load,
    models,
    save,
)
from abstain.cells import predicted_class
from abstain.certainty import posterior_margin
from abstain.targets.base import exported_targets
from tests.saving.checks import CLASSES, X, Y, refused, round_trip, same_answers, same_bits
from tests.saving.forging import forge, without_unused_arrays

OTHERS = [
    LogisticRegression(),
    RidgeClassifier(),
    LinearSVC(),
    RandomForestClassifier(n_estimators=5, max_depth=4),
    RandomForestClassifier(n_estimators=30, max_depth=2, oob_score=True, ccp_alpha=0.01),
    ExtraTreesClassifier(n_estimators=3, max_depth=3),
    GradientBoostingClassifier(n_estimators=3),
    GradientBoostingClassifier(n_estimators=3, subsample=0.8),
    HistGradientBoostingClassifier(max_iter=5),
    HistGradientBoostingClassifier(max_iter=5, early_stopping=True, scoring="accuracy"),
    SVC(),
    SVC(kernel="linear", decision_function_shape="ovo"),
    DecisionTreeClassifier(max_depth=4),
    DecisionTreeClassifier(max_leaf_nodes=5, criterion="entropy"),
    KNeighborsClassifier(),
    KNeighborsClassifier(algorithm="ball_tree", p=3),
    KNeighborsClassifier(algorithm="brute", metric="cosine"),
    GaussianNB(),
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
    QuadraticDiscriminantAnalysis(store_covariance=True),
    MLPClassifier(hidden_layer_sizes=5, solver="lbfgs", max_iter=15000),
    NearestCentroid(),
    make_pipeline(StandardScaler(), GMLVQ()),
    make_pipeline(MinMaxScaler(), PCA(3), RobustScaler(), FunctionTransformer(), GLVQ()),
    make_pipeline(SimpleImputer(strategy="median"), StandardScaler(with_mean=False), GLVQ()),
    make_pipeline("passthrough", GLVQ()),
    FrozenEstimator(make_pipeline(StandardScaler(), SVC()).fit(X + 0.01, Y)),
    CalibratedClassifierCV(SVC(), method="isotonic"),
    CalibratedClassifierCV(GaussianNB(), cv=StratifiedKFold(3)),
]
EVERY = [*(getattr(models, name)() for name in models.__all__), *OTHERS]
every_estimator = pytest.mark.parametrize(
    "estimator", EVERY, ids=lambda estimator: type(estimator).__name__
)


@every_estimator
def test_thresholds_predictions_and_explanations_are_bit_equal(estimator, path):
    clf = RejectOptionClassifier(estimator, target=RejectRate(0.2), random_state=0).fit(X, Y)
    same_answers(clf, round_trip(clf, path))


@pytest.mark.parametrize("name", models.__all__)
def test_models_can_be_saved_on_their_own(name, path):
    model = getattr(models, name)().fit(X, Y)
    loaded = round_trip(model, path)
    assert same_bits(loaded.distances(X), model.distances(X))
    assert same_bits(loaded.predict(X), model.predict(X))
    assert str(loaded.get_params()) == str(model.get_params())


def test_two_classes_are_kept_as_well_as_three(path):
    y = np.where(Y == "cedar", "ash", Y)
    for estimator in OTHERS:
        if not isinstance(estimator, FrozenEstimator):
            clf = RejectOptionClassifier(estimator, random_state=0).fit(X, y)
            same_answers(clf, round_trip(clf, path))


def test_labels_of_many_samples_take_eight_bytes_each(path):
    frozen = FrozenEstimator(GLVQ().fit(X, Y.astype(object)))
    X_many, y_many = np.tile(X, (100, 1)), np.tile(Y, 100).astype(object)
    clf = RejectOptionClassifier(frozen, cells="class", outliers=None).fit(X_many, y_many)
    loaded = round_trip(clf, path)
    assert loaded.calibration_.cells.dtype == object
    assert loaded.calibration_.cells.tolist() == clf.calibration_.cells.tolist()
    certainty, correct, row, three_labels = 8, 1, 8, 3 * 8
    assert path.stat().st_size < len(X_many) * (certainty + correct + row + three_labels) + 5000


def test_a_pipeline_around_the_classifier(path):
    pipeline = make_pipeline(StandardScaler(), RejectOptionClassifier(GMLVQ())).fit(X, Y)
    loaded = round_trip(pipeline, path)
    same_answers(pipeline[-1], loaded[-1])
    assert same_bits(loaded.predict(X), pipeline.predict(X))


def test_what_was_loaded_can_be_saved_and_fitted_again(path):
    for estimator in (RandomForestClassifier(3, random_state=0), KNeighborsClassifier(), SVC()):
        clf = RejectOptionClassifier(estimator, random_state=0).fit(X, Y)
        again = round_trip(round_trip(clf, path), path)
        same_answers(clf, again)
        same_answers(clone(clf).fit(X[:200], Y[:200]), again.fit(X[:200], Y[:200]))


TREES = ("ash", "beech", "cedar")
PRICES = {(true, answer): 2 for true in TREES for answer in TREES if true != answer}
PRICES["ash", "beech"] = 9
MATRIX = [[0, 1, 4], [1, 0, 0.5], [2, 2, 0]]
GROUPS = np.where(np.arange(len(X)) % 2, "left", "right")


def by_sign(X):
    return X[:, 0] > 0


TARGETS = [
    RejectRate(0.2),
    RejectCost(0.2),
    Accuracy(0.8),
    Accuracy(0.6, confidence=0.8),
    Accuracy(0.7, groups=GROUPS),
    Accuracy(0.5, confidence=0.7, groups=GROUPS.tolist()),
    Accuracy(0.7, groups=by_sign),
    Recall("ash", 0.8),
    Recall("ash", 0.6, confidence=0.8),
    Precision("cedar", 0.8),
    Precision("beech", 0.5, confidence=0.7),
    AllOf(Accuracy(0.75), Recall("ash", 0.8)),
    AllOf(Accuracy(0.5, confidence=0.7), Precision("beech", 0.5, confidence=0.7)),
    AllOf(Accuracy(0.6, groups=GROUPS), Recall("beech", 0.6)),
    ExpectedCost(MATRIX, reject=0.4),
    ExpectedCost(np.array(MATRIX), reject=np.array([0.4, 0.5, 0.6]), answers="predicted"),
    ExpectedCost(PRICES, reject={"ash": 0.5, "beech": 0.5, "cedar": 0.3}),
]
every_target = pytest.mark.parametrize("target", TARGETS, ids=lambda target: type(target).__name__)


def test_every_target_of_the_package_is_tested():
    assert {type(target).__name__ for target in TARGETS} == set(exported_targets())


def fitted_to(target):
    clf = RejectOptionClassifier(GaussianNB(), target=target, outliers=None, random_state=0)
    return clf.fit(X, Y)


def loaded_again(clf, path):
    return round_trip(clf, path, functions={"by_sign": by_sign})


@every_target
def test_every_target_of_the_package_survives(target, path):
    clf = fitted_to(target)
    loaded = loaded_again(clf, path)
    assert type(loaded.target) is type(target)
    assert repr(loaded.target) == repr(target)
    same_answers(clf, loaded)
    assert loaded.score(X, Y) == clf.score(X, Y)
    assert loaded.decide(X).rejected.tolist() == clf.decide(X).rejected.tolist()
    assert repr(loaded.operating_point_) == repr(clf.operating_point_)
    assert loaded.operating_point_.guarantee == clf.operating_point_.guarantee
    assert loaded.operating_point_.guarantees == clf.operating_point_.guarantees


def retargeted(clf, target):
    """Return what is certified at a target, or why it cannot be reached."""
    try:
        return clf.retarget(target).operating_point_.guarantees
    except InputError as error:
        return str(error)


@pytest.mark.filterwarnings("ignore:.* targets have been tested on the same samples")
@every_target
def test_what_other_targets_need_of_the_samples_survives(target, path):
    clf = fitted_to(target)
    loaded = loaded_again(clf, path)
    for other in [other for other in TARGETS if getattr(other, "groups", None) is not by_sign]:
        assert retargeted(loaded, other) == retargeted(clf, other)
        same_answers(clf, loaded)


PRIORS = [
    RejectRate(0.2),
    Accuracy(0.6, confidence=0.7),
    AllOf(Accuracy(0.5, confidence=0.7), Recall("ash", 0.5, confidence=0.7)),
    ExpectedCost(PRICES, reject=0.4),
]


@pytest.mark.filterwarnings("ignore:.* targets have been tested on the same samples")
# Of several targets, only pooled thresholds can be found.
@pytest.mark.parametrize(
    ("target", "method"),
    [(target, "pooled") for target in PRIORS]
    + [(target, "exact") for target in PRIORS if not isinstance(target, AllOf)],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_weights_and_class_proportions_survive(target, method, path):
    settings = {"target": target, "method": method, "class_prior": {"ash": 0.6}, "random_state": 1}
    clf = RejectOptionClassifier(GaussianNB(), weight_thresholds=True, **settings)
    weights = None if target.__dict__.get("confidence") or isinstance(target, AllOf) else GROUPS
    clf.fit(X, Y, sample_weight=None if weights is None else 1.0 + (weights == "left"))
    loaded = round_trip(clf, path)
    assert (loaded.class_prior, loaded.weight_thresholds) == ({"ash": 0.6}, True)
    assert same_bits(loaded.calibration_.weights, clf.calibration_.weights)
    assert same_bits(loaded.front_.accuracies, clf.front_.accuracies)
    same_answers(clf, loaded)
    point, other = clf.operating_point_, loaded.operating_point_
    assert (point.weighted, point.guarantees) == (other.weighted, other.guarantees)
    assert repr(point) == repr(other)
    for third in (RejectRate(0.3), Accuracy(0.5, confidence=0.6), Recall("ash", 0.8)):
        assert retargeted(loaded, third) == retargeted(clf, third)
        same_answers(clf, loaded)


@pytest.mark.filterwarnings("ignore:.* targets have been tested on the same samples")
def test_classes_can_be_certified_after_loading(path):
    loaded = round_trip(fitted_to(Accuracy(0.6, confidence=0.8)), path)
    (guarantee,) = loaded.retarget(Recall("ash", 0.6, confidence=0.8)).operating_point_.guarantees
    assert guarantee.name == "the recall of 'ash'"
    assert guarantee.bound >= 0.6
    # Groups have a label for each sample given to fit, those that test included.
    point = loaded.retarget(Accuracy(0.5, confidence=0.7, groups=GROUPS)).operating_point_
    names = [f"the accuracy in group {group!r}" for group in ("left", "right")]
    assert [guarantee.name for guarantee in point.guarantees] == names


def test_answers_follow_the_costs_after_loading(path):
    clf = fitted_to(ExpectedCost(PRICES, reject=0.5))
    loaded = round_trip(clf, path)
    assert same_bits(loaded.calibration_.posteriors, clf.calibration_.posteriors)
    answers = loaded.predict(X)
    for target in (ExpectedCost(MATRIX, reject=0.4), RejectRate(0.1)):
        same_answers(clf.retarget(target), loaded.retarget(target))
        assert loaded.predict(X).tolist() != answers.tolist()
        same_answers(clf, round_trip(clf, path))


@pytest.mark.parametrize("column", [pd.Series, pl.Series, pd.Categorical])
def test_groups_that_are_columns_become_arrays(column, path):
    clf = fitted_to(Accuracy(0.7, groups=column(GROUPS)))
    loaded = round_trip(clf, path)
    assert loaded.target.groups.tolist() == GROUPS.tolist()
    same_answers(clf, loaded)


def test_folds_may_be_masks(path):
    folds = [(np.arange(len(X)) % 3 != fold, np.arange(len(X)) % 3 == fold) for fold in range(3)]
    clf = RejectOptionClassifier(GaussianNB(), cv=folds).fit(X, Y)
    assert sorted(clf.calibration_.rows.tolist()) == list(range(len(X)))
    same_answers(clf, round_trip(clf, path))


@pytest.mark.parametrize("confidence", [None, 0.8])
def test_files_of_earlier_versions_hold_no_classes_of_samples(confidence, path):
    clf = fitted_to(Accuracy(0.6, confidence=confidence))
    save(clf, path)

    def be_earlier(file):
        state = file["model"]["state"]
        for name in ("test", "tested_groups", "targets_tested", "n_given", "is_recalibrated"):
            del state[name]
        drop(state["calibration"], "answers", "truth", "rows", "posteriors", "groups")
        point = state["point"]
        drop(point, "guarantees")
        if confidence is not None:
            new = ("name", "counted", "n_left_out", "n_targets", "joint_confidence", "n_outliers")
            drop(dict(point["dict"])["guarantee"], *new)

    def drop(node, *names):
        node["dict"] = [pair for pair in node["dict"] if pair[0] not in names]

    forge(path, be_earlier)
    without_unused_arrays(path)
    loaded = load(path)
    same_answers(clf, loaded)
    assert loaded.operating_point_.guarantee == clf.operating_point_.guarantee
    assert loaded._targets_tested == clf._targets_tested
    same_answers(clf.retarget(RejectCost(0.3)), loaded.retarget(RejectCost(0.3)))
    target = Recall("ash", 0.6, confidence=confidence)
    match = r"target=Recall\(.*needs the classes of the calibration samples.*; fit it again"
    refused(loaded.retarget, target, match=match)
    same_answers(loaded, round_trip(loaded, path))


@pytest.mark.parametrize("method", ["exact", "greedy", "hull"])
@pytest.mark.parametrize("first", [RejectRate(0.1), Accuracy(0.6, confidence=0.8)], ids=repr)
def test_retargeting_what_was_loaded_is_retargeting_what_was_saved(method, first, path):
    clf = RejectOptionClassifier(GMLVQ(), method=method, target=first, random_state=0).fit(X, Y)
    loaded = round_trip(clf, path)
    assert loaded.operating_point_.guarantee == clf.operating_point_.guarantee
    assert same_bits(loaded.front_.thresholds, clf.front_.thresholds)
    for target in (RejectRate(0.3), Accuracy(0.7), RejectCost(0.2), first):
        same_answers(clf.retarget(target), loaded.retarget(target))
        assert loaded.operating_point_.guarantee == clf.operating_point_.guarantee


def test_a_guarantee_can_be_had_after_loading_only_if_samples_were_held_out(clf, path):
    loaded = round_trip(clf, path)
    target = Accuracy(0.6, confidence=0.8)
    refused(loaded.retarget, target, match="needs samples that only test it")


@pytest.mark.parametrize(
    "labels",
    [
        np.array([-1, 0, 1], dtype=np.int8),
        np.array([1, 2, 3], dtype=np.uint64),
        np.array([0.0, 1.0, 2.0]),
        np.array([False, True, True]),
        np.array(["ä", "b", "c"], dtype=object),
    ],
    ids=repr,
)
def test_labels_of_many_kinds(labels, path):
    clf = RejectOptionClassifier(GLVQ()).fit(X, labels[CLASSES])
    loaded = round_trip(clf, path)
    assert loaded.classes_.dtype == clf.classes_.dtype
    assert same_bits(loaded.predict(X), clf.predict(X))


# Keys become text in the file; bool("False") is True.
@pytest.mark.parametrize(
    "labels", [[False, True, True], [3, 1, 2], ["x", "", "false"], [np.True_, np.False_, np.False_]]
)
def test_dictionaries_by_label(labels, path):
    counts, weights = ({label: i for i, label in enumerate(labels, s)} for s in (1, 2))
    y = np.array(labels)[CLASSES]
    model = GLVQ(n_prototypes_per_class=counts, class_weight=weights).fit(X, y)
    loaded = round_trip(model, path)
    assert loaded.n_prototypes_per_class == counts
    assert loaded.class_weight == weights
    assert list(map(type, loaded.class_weight)) == list(map(type, weights))


@pytest.mark.parametrize(
    "settings",
    [
        {"cells": KMeans(3, random_state=0).fit(X)},
        {"cells": predicted_class, "certainty": posterior_margin},
        {"cells": KMeans(3, random_state=0)},
        {"cv": KFold(3, shuffle=True, random_state=np.random.RandomState(0)), "reject_label": "?"},
        {"cv": [(np.arange(120), np.arange(120, 240)), (np.arange(120, 240), np.arange(120))]},
        {"cells": "global", "certainty": "margin", "reject_label": "ask a doctor", "n_jobs": 1},
    ],
    ids=lambda settings: " ".join(settings),
)
def test_settings_of_many_kinds(settings, path):
    clf = RejectOptionClassifier(GaussianNB(), **settings).fit(X, Y)
    same_answers(clf, round_trip(clf, path))


def test_frames_with_categories(path):
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["sort"] = pd.Categorical(np.where(X[:, 0] > 0, "new", "old"))
    columns = make_column_transformer((StandardScaler(), ["a", "b"]), (OneHotEncoder(), ["sort"]))
    for estimator in (
        make_pipeline(columns, LogisticRegression()),
        make_pipeline(
            make_column_transformer(
                (OneHotEncoder(drop="first"), ["sort"]), remainder="passthrough"
            ),
            LogisticRegression(),
        ),
    ):
        clf = RejectOptionClassifier(estimator).fit(frame, pd.Series(Y))
        loaded = round_trip(clf, path)
        same_answers(clf, loaded, frame)
        assert loaded.feature_names_in_.tolist() == [*"abcde", "sort"]


def test_metadata_requests_and_output_settings_come_along(path):
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), GLVQ()).fit(X, Y)
    assert round_trip(pipeline, path)[:-1].transform(X).equals(pipeline[:-1].transform(X))
    with sklearn.config_context(enable_metadata_routing=True):
        inner = LogisticRegression().set_fit_request(sample_weight=True)
        clf = RejectOptionClassifier(inner).fit(X, Y, sample_weight=np.ones(len(X)))
        loaded = round_trip(clf, path)
        same_answers(clf, loaded)
        weights = CLASSES + 1
        same_answers(*(clone(one).fit(X, Y, sample_weight=weights) for one in (clf, loaded)))


def test_a_fresh_interpreter_gives_the_same_answers(clf, path):
    save(clf, path)
    np.save(path.with_suffix(".npy"), X)
    program = (
        "import abstain, numpy, sys; clf = abstain.load(sys.argv[1]); X = numpy.load(sys.argv[2]); "
        "print(clf.certainties(X).tobytes().hex(), clf.reject(X).tobytes().hex())"
    )
    arguments = [sys.executable, "-c", program, path, path.with_suffix(".npy")]
    answers = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout.split()
    expected = clf.certainties(X), clf.reject(X)
    assert answers == [answer.tobytes().hex() for answer in expected]


@pytest.mark.parametrize(
    ("model", "size"),
    [
        (HistGradientBoostingClassifier(max_iter=3, warm_start=True), "max_iter"),
        (GradientBoostingClassifier(n_estimators=3, warm_start=True), "n_estimators"),
        (RandomForestClassifier(n_estimators=3, warm_start=True), "n_estimators"),
    ],
    ids=lambda part: type(part).__name__,
)
def test_a_fit_goes_on_after_loading(model, size, path):
    loaded = round_trip(model.fit(X, Y), path)
    longer = loaded.set_params(**{size: 6}).fit(X, Y)
    assert len(getattr(longer, "_predictors", getattr(longer, "estimators_", []))) == 6
