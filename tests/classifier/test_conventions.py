"""The wrapper is a citizen of scikit-learn: its tools take it as any other classifier."""

import pickle
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest
from scipy.sparse import coo_array, csr_matrix
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from abstain import (
    GMLVQ,
    RSLVQ,
    Accuracy,
    CoverageScorer,
    InputError,
    RejectCost,
    RejectOptionClassifier,
    RejectRate,
    augrc_scorer,
    aurc_scorer,
    save,
)
from abstain.certainty import measure_certainty
from abstain.metrics import augrc_score, aurc_score


@pytest.mark.filterwarnings("ignore:cv=None finds no error:UserWarning")
@parametrize_with_checks(
    [
        RejectOptionClassifier(GMLVQ()),
        RejectOptionClassifier(LogisticRegression()),
        RejectOptionClassifier(DecisionTreeClassifier()),
        RejectOptionClassifier(LogisticRegression(), cv=3),
    ]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


SCORERS = {"aurc": aurc_scorer, "augrc": augrc_scorer, "coverage": CoverageScorer(0.8)}


@pytest.fixture(scope="module")
def iris():
    """Two of the four measures, so that some answers are wrong."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X.iloc[:, :2], y


# ------------------------------------------------------------------------- parameters


def test_parameters_reach_the_estimator_and_the_target():
    clf = RejectOptionClassifier(GMLVQ(), target=Accuracy(0.9))
    clf.set_params(estimator__beta=3, target__accuracy=0.95, target__confidence=0.9)
    assert clf.estimator.beta == 3
    assert clf.target == Accuracy(0.95, confidence=0.9)
    assert clf.get_params()["target__accuracy"] == 0.95
    copy = clone(clf)
    assert copy.target == clf.target
    assert copy.target is not clf.target
    with pytest.raises(InputError, match="Accuracy has the parameters accuracy, confidence"):
        clf.set_params(target__rate=0.1)
    # The default target has parameters too.
    assert RejectOptionClassifier(GMLVQ()).set_params(target__rate=0.3).target == RejectRate(0.3)
    assert RejectOptionClassifier(GMLVQ()).target is None


ANSWERS = ["predict", "reject", "certainties", "apply", "decide", "explain", "predict_proba"]


# Parameters take effect at the next fit; a target that is silently without effect is a trap.
@pytest.mark.parametrize("change", [{"target": RejectRate(0.3)}, {"target__rate": 0.3}], ids=str)
def test_a_fitted_classifier_does_not_answer_for_another_target(change, iris, tmp_path):
    X, y = iris
    clf = RejectOptionClassifier(GaussianNB(), target=RejectRate(0.1)).fit(X, y)
    before = clf.reject(X)
    clf.set_params(**change)
    message = r"set for, RejectRate\(rate=0.1\), got RejectRate\(rate=0.3\); call retarget"
    for method in ANSWERS:
        with pytest.raises(InputError, match=message) as caught:
            getattr(clf, method)(X)
        assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match=message):
        clf.score(X, y)
    with pytest.raises(InputError, match=message):
        save(clf, tmp_path / "model.abstain")
    after = clf.retarget(clf.target).reject(X)
    assert after.sum() > before.sum()
    assert np.array_equal(clone(clf).fit(X, y).reject(X), after)
    assert np.array_equal(clf.set_params(target__rate=0.1).fit(X, y).reject(X), before)


def test_a_classifier_answers_for_an_equal_target(iris):
    X, y = iris
    clf = RejectOptionClassifier(GaussianNB()).fit(X, y)
    before = clf.reject(X)
    assert np.array_equal(clf.set_params(target=RejectRate(0.1)).reject(X), before)
    assert np.array_equal(clf.set_params(target=None).reject(X), before)
    clf.set_params(target=RejectRate(0.3), target__rate=0.1)
    assert np.array_equal(clf.reject(X), before)
    # Thresholds from outside are of no target.
    clf.set_params(target=RejectRate(0.3)).set_thresholds(clf.thresholds_)
    assert np.array_equal(clf.reject(X), before)
    assert np.array_equal(pickle.loads(pickle.dumps(clf)).reject(X), before)


def test_a_target_with_choose_alone_is_used_and_kept(iris):
    class Most:
        def choose(self, front):
            return len(front) - 1

    X, y = iris
    clf = RejectOptionClassifier(GaussianNB(), target=Most()).fit(X, y)
    assert clf.reject(X).all()
    assert clone(clf).fit(X, y).reject(X).all()
    with pytest.raises(InputError, match="call retarget"):
        clf.set_params(target=Most()).reject(X)


def test_a_search_goes_through_models_and_targets(iris):
    X, y = iris
    search = GridSearchCV(
        RejectOptionClassifier(GMLVQ(), target=RejectRate(0.1)),
        {"estimator__beta": [2, 5], "target__rate": [0.05, 0.2]},
        cv=3,
    ).fit(X, y)
    best = search.best_estimator_
    assert best.target.rate == search.best_params_["target__rate"]
    assert best.operating_point_.reject_rate <= best.target.rate
    assert len(set(search.cv_results_["mean_test_score"])) > 1


@pytest.mark.parametrize("inside", [True, False])
def test_pipelines_around_and_inside(inside, iris):
    X, y = iris
    if inside:
        clf = RejectOptionClassifier(make_pipeline(StandardScaler(), GMLVQ())).fit(X, y)
        wrapped, seen = clf, X
    else:
        clf = make_pipeline(StandardScaler(), RejectOptionClassifier(GMLVQ())).fit(X, y)
        wrapped, seen = clf[-1], clf[:-1].transform(X)
    assert np.array_equal(clf.predict(X), wrapped.estimator_.predict(seen))
    assert 0 < wrapped.operating_point_.reject_rate <= 0.1
    assert len(cross_val_predict(clf, X, y, cv=3)) == len(y)


def test_pickles_answer_alike(iris):
    X, y = iris
    clf = RejectOptionClassifier(GMLVQ(), cv=3).fit(X, y)
    again = pickle.loads(pickle.dumps(clf))
    assert np.array_equal(again.reject(X), clf.reject(X))
    assert np.array_equal(
        again.retarget(RejectCost(0.3)).thresholds_, clf.retarget(RejectCost(0.3)).thresholds_
    )


def test_folds_in_parallel_give_the_same(iris):
    X, y = iris
    one, two = (
        RejectOptionClassifier(DecisionTreeClassifier(), cv=3, n_jobs=n, random_state=0).fit(X, y)
        for n in (1, 2)
    )
    assert np.array_equal(one.thresholds_, two.thresholds_)
    assert np.array_equal(one.reject(X), two.reject(X))


# ------------------------------------------------------------------------------ input


def test_frames_keep_the_names_of_their_features(iris):
    X, y = iris
    plain = RejectOptionClassifier(GMLVQ(), cv=3).fit(X.to_numpy(), y.to_numpy())
    for frame, labels in ((X, y), (pl.from_pandas(X), pl.Series(y.to_numpy()))):
        clf = RejectOptionClassifier(GMLVQ(), cv=3).fit(frame, labels)
        assert clf.feature_names_in_.tolist() == X.columns.tolist()
        assert clf.n_features_in_ == 2
        assert np.array_equal(clf.thresholds_, plain.thresholds_)
        assert np.array_equal(clf.reject(frame), plain.reject(X.to_numpy()))
        with pytest.raises(ValueError, match="feature names"):
            clf.reject(frame[frame.columns[::-1]])
    assert not hasattr(plain, "feature_names_in_")


@pytest.mark.parametrize("make", [csr_matrix, coo_array])
def test_sparse_input_where_the_classifier_takes_it(make, iris):
    X, y = iris[0].to_numpy(), iris[1].to_numpy()
    for estimator in (LogisticRegression(), DecisionTreeClassifier(max_depth=3, random_state=0)):
        dense = RejectOptionClassifier(estimator, cv=3).fit(X, y)
        clf = RejectOptionClassifier(estimator, cv=3).fit(make(X), y)
        assert np.array_equal(clf.reject(csr_matrix(X)), dense.reject(X))
        assert np.array_equal(clf.outlier_p_values(make(X)), dense.outlier_p_values(X))


def test_lists_are_as_good_as_arrays(iris):
    X, y = iris[0].to_numpy().tolist(), iris[1].tolist()
    clf = RejectOptionClassifier(GaussianNB(), cv=3).fit(X, y)
    assert clf.reject(X).mean() <= 0.1


# ---------------------------------------------------------------------------- weights


def test_weights_go_to_the_fit_of_the_classifier(iris):
    X, y = iris
    weights = np.where(y == 1, 5.0, 1.0)
    clf = RejectOptionClassifier(LogisticRegression()).fit(X, y, sample_weight=weights)
    alone = LogisticRegression().fit(X, y, sample_weight=weights)
    assert np.array_equal(clf.estimator_.coef_, alone.coef_)
    assert clf.operating_point_.n_samples == len(y)


def test_weights_of_each_fold_go_to_its_classifier(iris):
    X, y = iris
    weights = np.where(y == 1, 5.0, 1.0)
    clf = RejectOptionClassifier(GaussianNB(), certainty="conf", cv=3)
    clf.fit(X, y, sample_weight=weights)
    posteriors = [
        GaussianNB().fit(X.iloc[train], y.iloc[train], weights[train]).predict_proba(X.iloc[test])
        for train, test in StratifiedKFold(3).split(X, y)
    ]
    assert np.array_equal(clf.calibration_.certainty, np.concatenate(posteriors).max(axis=1))


def test_weights_pass_a_search(iris):
    X, y = iris
    weights = np.where(y == 1, 5.0, 1.0)
    search = GridSearchCV(LogisticRegression(), {"C": [1.0]})
    clf = RejectOptionClassifier(search).fit(X, y, sample_weight=weights)
    alone = LogisticRegression().fit(X, y, sample_weight=weights)
    assert np.array_equal(clf.estimator_.best_estimator_.coef_, alone.coef_)


def test_weights_that_the_classifier_does_not_take_are_refused(iris):
    with pytest.raises(InputError, match="sample_weight must be None: KNeighborsClassifier"):
        RejectOptionClassifier(KNeighborsClassifier()).fit(*iris, sample_weight=np.ones(150))


def test_metadata_is_routed_to_the_classifier_and_the_splitter(iris):
    X, y = iris
    weights, groups = np.where(y == 1, 5.0, 1.0), np.arange(len(y)) % 7
    with config_context(enable_metadata_routing=True):
        inner = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False),
            LogisticRegression().set_fit_request(sample_weight=True),
        )
        clf = RejectOptionClassifier(inner, cv=GroupKFold(4)).fit(
            X, y, sample_weight=weights, groups=groups
        )
        # Groups reach a fit in a cross-validation too, where they are split by its own folds.
        target = Accuracy(0.5, confidence=0.5)
        many = np.arange(len(y)) // 3
        certified = RejectOptionClassifier(inner, cv=GroupKFold(4), target=target, random_state=0)
        folds = GroupKFold(3, shuffle=True, random_state=0)
        for fitted in cross_validate(
            certified, X, y, cv=folds, params={"groups": many}, return_estimator=True
        )["estimator"]:
            guarantee = fitted.operating_point_.guarantee
            assert guarantee.counted == "groups"
            assert guarantee.n_samples in (16, 17)  # half of two thirds of 50
        weighted = RejectOptionClassifier(inner).set_score_request(sample_weight=True)
        folds = StratifiedKFold(3)
        scores = cross_val_score(weighted, X, y, cv=folds, params={"sample_weight": weights})
        expected = [
            clone(weighted)
            .fit(X.iloc[train], y.iloc[train], sample_weight=weights[train])
            .score(X.iloc[test], y.iloc[test], sample_weight=weights[test])
            for train, test in folds.split(X, y)
        ]
    scaled = StandardScaler().fit_transform(X)
    alone = LogisticRegression().fit(scaled, y, sample_weight=weights)
    assert np.allclose(clf.estimator_[-1].coef_, alone.coef_)
    answers = [
        (
            y.iloc[test]
            == clone(inner)
            .fit(X.iloc[train], y.iloc[train], logisticregression__sample_weight=weights[train])
            .predict(X.iloc[test])
        ).to_numpy()
        for train, test in GroupKFold(4).split(X, y, groups)
    ]
    assert np.array_equal(clf.calibration_.correct, np.concatenate(answers))
    assert scores.tolist() == expected


# ------------------------------------------------------------------------------ score


def test_score_prices_rejects(iris):
    X, y = iris
    clf = RejectOptionClassifier(GaussianNB(), target=RejectRate(0.2)).fit(X, y)
    rejected, wrong = clf.reject(X), clf.predict(X) != y
    for cost in (0.0, 0.2, 1.0):
        price = (wrong & ~rejected).sum() + cost * rejected.sum()
        assert clf.set_params(reject_cost=cost).score(X, y) == pytest.approx(1 - price / len(y))
    clf.set_params(reject_cost=0.5)
    assert clf.score(X, y, sample_weight=rejected.astype(float)) == pytest.approx(0.5)


def test_rejecting_everything_does_not_pay(iris):
    X, y = iris
    clf = RejectOptionClassifier(GaussianNB(), target=RejectRate(0.1)).fit(X, y)
    score = clf.score(X, y)
    assert score > clf.retarget(RejectRate(1.0)).score(X, y)
    # With rejects at half an error, withholding the doubtful pays.
    assert score > clf.retarget(RejectRate(0.0)).score(X, y)


def test_scorers_plug_into_cross_validation(iris):
    X, y = iris
    clf = RejectOptionClassifier(make_pipeline(StandardScaler(), RSLVQ()))
    scores = cross_validate(clf, X, y, scoring=SCORERS, cv=3)
    plain = cross_validate(clf.estimator, X, y, scoring=SCORERS, cv=3)
    for name in SCORERS:
        # The reject option changes neither answers nor certainty.
        assert np.array_equal(scores[f"test_{name}"], plain[f"test_{name}"])
    fitted = clf.fit(X, y)
    certainty = measure_certainty(fitted.estimator_, X)
    assert aurc_scorer(fitted, X, y) == -aurc_score(y, fitted.predict(X), certainty)
    assert augrc_scorer(fitted, X, y) == -augrc_score(y, fitted.predict(X), certainty)


@pytest.mark.parametrize("scorer", SCORERS.values(), ids=SCORERS)
def test_scorers_find_the_reject_option_inside(scorer, iris):
    X, y = iris
    names = np.array(["a", "b", "c"])[y]

    def oldest_first(model, X):
        return -np.asarray(X)[:, 0]

    option = RejectOptionClassifier(
        GaussianNB(), certainty=oldest_first, reject_label="?", target=RejectRate(0.4)
    )
    alone = clone(option).fit(X, names)
    search = GridSearchCV(option, {"min_cell_size": [10]}, cv=3).fit(X, names)
    steps = make_pipeline(StandardScaler(), clone(option)).fit(X, names)
    assert scorer(search, X, names) == scorer(alone, X, names)
    assert scorer(steps, X, names) == scorer(alone, X, names)
    assert scorer(FrozenEstimator(steps), X, names) == scorer(alone, X, names)


@pytest.mark.parametrize("scorer", SCORERS.values(), ids=SCORERS)
def test_scorers_weigh_samples(scorer, iris):
    X, y = iris
    clf = GaussianNB().fit(X, y)
    counts = np.random.default_rng(0).integers(1, 4, len(y))
    repeated = X.loc[X.index.repeat(counts)], y.loc[y.index.repeat(counts)]
    weighted = scorer(clf, X, y, sample_weight=counts.astype(float))
    assert weighted == pytest.approx(scorer(clf, *repeated))
    assert weighted != pytest.approx(scorer(clf, X, y))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda y: y[:1], "inconsistent numbers of samples"),
        (lambda y: y.astype(str), "y must hold labels of the type of the classes"),
    ],
)
def test_score_refuses_labels_that_cannot_be_compared(change, message, iris):
    X, y = iris
    clf = RejectOptionClassifier(GaussianNB()).fit(X, y)
    with pytest.raises(ValueError, match=message):
        clf.score(X, change(y.to_numpy()))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.full(150, np.nan), "NaN"),
        (np.full(150, -1.0), "[Nn]egative"),
        (np.ones(3), "sample_weight.shape"),
        (np.zeros(150), "non-zero number|must weigh some sample"),
    ],
)
def test_score_refuses_weights_that_weigh_nothing(weights, message, iris):
    clf = RejectOptionClassifier(GaussianNB()).fit(*iris)
    with pytest.raises(ValueError, match=message):
        clf.score(*iris, sample_weight=weights)


def test_coverage_is_the_largest_share_at_which_the_accuracy_is_reached(iris):
    X, y = iris
    clf = GaussianNB().fit(X, y)
    certainty, right = measure_certainty(clf, X), clf.predict(X) == y
    shares = [
        np.mean(certainty >= least)
        for least in certainty
        if np.mean(right[certainty >= least]) >= 0.9
    ]
    assert CoverageScorer(0.9)(clf, X, y) == pytest.approx(max(shares))
    assert CoverageScorer(1.0)(clf, X[right], y[right]) == 1
    assert CoverageScorer(0.9)(clf, X[~right], y[~right]) == 0


def test_rejects_in_labels_do_not_disturb_the_scorers(iris):
    X, y = iris
    names = np.array(["a", "b", "c"])[y]
    frozen = FrozenEstimator(GaussianNB().fit(X[::2], names[::2]))
    plain = RejectOptionClassifier(frozen).fit(X, names)
    marked = clone(plain).set_params(reject_label="?").fit(X, names)
    assert aurc_scorer(marked, X, names) == aurc_scorer(plain, X, names)
    assert marked.score(X, names) == plain.score(X, names)


# The comparison of two arrays is an array: a target may hold one, such as a table of costs.
def test_targets_with_arrays_are_compared(iris):
    @dataclass
    class Weighted:
        weights: np.ndarray

        def choose(self, front):
            return len(front) // 2

    X, y = iris
    clf = RejectOptionClassifier(GaussianNB(), target=Weighted(np.ones(3))).fit(X, y)
    before = clf.reject(X)
    assert np.array_equal(clf.set_params(target=Weighted(np.ones(3))).reject(X), before)
    with pytest.raises(InputError, match="call retarget"):
        clf.set_params(target=Weighted(np.zeros(3))).reject(X)
