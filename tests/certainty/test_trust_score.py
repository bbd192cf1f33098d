"""The trust score is RelSim of the answer, and keeps what the registry promises of it."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_blobs
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import InputError, RejectOptionClassifier, RejectRate, TrustScore, load, save
from abstain.certainty import MEASURES, measure_certainty
from tests.reference import certainty as reference


@pytest.fixture(scope="module")
def blobs():
    X, y = make_blobs(900, centers=4, cluster_std=3.0, n_features=3, random_state=1)
    names = np.array(["a", "b", "c", "d"])[y]
    return X[:300], names[:300], X[300:], names[300:]


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("n_prototypes", [1, 5])
def test_it_is_its_formula(blobs, n_prototypes, standardize):
    X, y, new, _ = blobs
    model = GaussianNB().fit(X, y)
    trust = TrustScore(n_prototypes, standardize=standardize).fit(X, y)
    scale = X.std(axis=0) if standardize else np.ones(3)
    assert trust.scale_ == pytest.approx(scale)
    expected = [
        reference.trust(x / scale, trust.prototypes_, trust.prototype_labels_, answer)
        for x, answer in zip(new, model.predict(new), strict=True)
    ]
    assert trust(model, new) == pytest.approx(expected, abs=1e-9)
    assert measure_certainty(model, new, trust) == pytest.approx(expected, abs=1e-9)


def test_one_prototype_is_the_mean_of_its_class(blobs):
    X, y, *_ = blobs
    trust = TrustScore(1, standardize=False).fit(X, y)
    assert trust.prototypes_ == pytest.approx(
        np.array([X[y == name].mean(axis=0) for name in "abcd"])
    )


def test_values_lie_in_the_range_of_the_registry(blobs):
    X, y, new, _ = blobs
    measure = MEASURES["trust"]
    values = TrustScore().fit(X, y)(GaussianNB().fit(X, y), np.concatenate([new, 100 * new]))
    assert measure.low <= values.min() < 0 < values.max() <= measure.high


CHANGES = {
    "shift": lambda X: X + np.array([5.0, -7.0, 20.0]),
    "scale": lambda X: 3.0 * X,
    "units": lambda X: X * np.array([0.01, 1.0, 100.0]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_units_and_origins_make_no_difference(blobs, change):
    X, y, new, _ = blobs
    assert {"shift", "scale", "relabelling"} == MEASURES["trust"].survives
    model, changed = make_pipeline(StandardScaler(), GaussianNB()), CHANGES[change]
    before = TrustScore().fit(X, y)(clone(model).fit(X, y), new)
    moved = model.fit(changed(X), y)
    assert TrustScore().fit(changed(X), y)(moved, changed(new)) == pytest.approx(before, abs=1e-6)


def test_the_names_of_the_classes_make_no_difference(blobs):
    X, y, new, _ = blobs
    other = np.array([{"a": "z", "b": "y", "c": "x", "d": "w"}[name] for name in y])
    before = TrustScore().fit(X, y)(GaussianNB().fit(X, y), new)
    after = TrustScore().fit(X, other)(GaussianNB().fit(X, other), new)
    assert after == pytest.approx(before, abs=1e-9)


def test_the_surer_half_is_more_often_right(blobs):
    X, y, new, truth = blobs
    for model in (GaussianNB(), RandomForestClassifier(random_state=0)):
        it = model.fit(X, y)
        order = TrustScore().fit(X, y)(it, new).argsort()
        right = (it.predict(new) == truth)[order]
        assert right[300:].mean() > right[:300].mean() + 0.05


def test_gaps_and_sparse_samples(blobs):
    X, y, new, _ = blobs
    gaps, new_gaps = X.copy(), new.copy()
    gaps[::7, 1] = new_gaps[::5, 0] = np.nan
    model = HistGradientBoostingClassifier(max_iter=20).fit(gaps, y)
    trust = TrustScore().fit(gaps, y)
    assert np.isfinite(trust(model, new_gaps)).all()
    assert trust(model, new_gaps)[1::5] == pytest.approx(trust(model, new[1::5]), abs=1e-9)
    positive = np.maximum(X, 0)
    dense = TrustScore().fit(positive, y)
    linear = LogisticRegression(max_iter=1000).fit(positive, y)
    sparse = TrustScore().fit(csr_matrix(positive), y)(linear, csr_matrix(np.maximum(new, 0)))
    assert sparse == pytest.approx(dense(linear, np.maximum(new, 0)), abs=0.2)


def test_behind_transformers_distances_are_those_of_the_last_step(blobs):
    X, y, new, _ = blobs
    pipeline = make_pipeline(StandardScaler(), GaussianNB()).fit(X * [1, 10, 100], y)
    seen = pipeline[0].transform(X * [1, 10, 100])
    inside = TrustScore(standardize=False).fit(seen, y)
    outside = TrustScore(standardize=False).fit(X * [1, 10, 100], y, pipeline)
    expected = inside(pipeline[1], pipeline[0].transform(new * [1, 10, 100]))
    assert outside(pipeline, new * [1, 10, 100]) == pytest.approx(expected, abs=1e-12)


class Silent(ClassifierMixin, BaseEstimator):
    """Has predict and nothing else."""

    def fit(self, X, y):
        self.model_ = GaussianNB().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)


@pytest.mark.parametrize("certainty", ["trust", TrustScore(4)])
@pytest.mark.parametrize("cv", [None, 3])
@pytest.mark.parametrize("cells", ["global", "class"])
def test_it_gives_any_classifier_a_reject_option(blobs, certainty, cv, cells):
    X, y, new, truth = blobs
    clf = RejectOptionClassifier(
        make_pipeline(StandardScaler(), Silent()),
        certainty=certainty,
        cv=cv,
        cells=cells,
        target=RejectRate(0.2),
    )
    clf.fit(X, y)
    rejected, right = clf.reject(new), clf.predict(new) == truth
    assert right[~rejected].mean() > right[rejected].mean() + 0.05
    own = TrustScore() if certainty == "trust" else certainty
    expected = clone(own).fit(X, y, clf.estimator_)(clf.estimator_, new)
    assert clf.certainties(new).tolist() == expected.tolist()


def test_out_of_fold_it_has_not_seen_the_fold(blobs):
    X, y, *_ = blobs
    clf = RejectOptionClassifier(GaussianNB(), certainty="trust", cv=3, cells="global").fit(X, y)
    expected = []
    for train, test in StratifiedKFold(3).split(X, y):
        model = GaussianNB().fit(X[train], y[train])
        expected.append(TrustScore().fit(X[train], y[train])(model, X[test]))
    assert clf.calibration_.certainty == pytest.approx(np.concatenate(expected), abs=1e-12)


def test_searches_reach_its_settings(blobs):
    X, y, *_ = blobs
    clf = RejectOptionClassifier(GaussianNB(), certainty=TrustScore(), cells="global")
    search = GridSearchCV(clf, {"certainty__n_prototypes_per_class": [1, 5]}, cv=2).fit(X, y)
    assert len(search.best_estimator_._rules.certainty.prototypes_) in (4, 20)


@pytest.mark.parametrize("certainty", ["trust", TrustScore()])
def test_a_frozen_classifier_has_no_training_samples(blobs, certainty):
    X, y, new, truth = blobs
    model = GaussianNB().fit(X, y)
    with pytest.raises(InputError, match="a FrozenEstimator does not have them; pass TrustScore"):
        RejectOptionClassifier(FrozenEstimator(model), certainty=certainty).fit(new, truth)
    fitted = TrustScore().fit(X, y, model)
    clf = RejectOptionClassifier(FrozenEstimator(model), certainty=fitted).fit(new, truth)
    assert clf.certainties(new).tolist() == fitted(model, new).tolist()


@pytest.mark.parametrize("certainty", ["trust", TrustScore(3, standardize=False, random_state=1)])
def test_it_comes_back_from_a_file(blobs, certainty, tmp_path):
    X, y, new, _ = blobs
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    clf = RejectOptionClassifier(pipeline, certainty=certainty).fit(X, y)
    save(clf, tmp_path / "model.abstain")
    loaded = load(tmp_path / "model.abstain")
    assert loaded.certainties(new).tolist() == clf.certainties(new).tolist()
    assert loaded.reject(new).tolist() == clf.reject(new).tolist()
    again = clone(loaded).fit(X, y)
    assert again.certainties(new).tolist() == clf.certainties(new).tolist()


def test_what_is_refused(blobs):
    X, y, new, _ = blobs
    model = GaussianNB().fit(X, y)
    with pytest.raises(InputError, match=r"^n_prototypes_per_class must be a positive integer"):
        TrustScore(0).fit(X, y)
    with pytest.raises(InputError, match=r"^y must hold at least two classes, got"):
        TrustScore().fit(X[y == "a"], y[y == "a"])
    with pytest.raises(NotFittedError):
        TrustScore()(model, new)
    with pytest.raises(InputError, match="was fitted to 2 features, got 3 in X"):
        TrustScore().fit(X[:, :2], y)(model, new)


def test_equal_samples_are_one_prototype():
    X, y = np.repeat([[0.0], [1.0], [4.0], [5.0]], 5, axis=0), np.repeat(["a", "b"], 10)
    trust = TrustScore().fit(X, y)
    assert len(trust.prototypes_) == 4
    assert trust(GaussianNB().fit(X, y), X).tolist() == [1.0] * 20
