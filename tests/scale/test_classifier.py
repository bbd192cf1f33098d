"""A frozen classifier is calibrated on a cluster as on one machine, and answers there by block."""

import os
import pickle
import signal
import threading
import time

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from abstain import (
    GMLVQ,
    Accuracy,
    InputError,
    Recall,
    RejectCost,
    RejectOptionClassifier,
    RejectRate,
    load,
    operating_point,
    pareto_front,
    save,
)
from abstain.certainty.outliers import MAX_KNOWN
from abstain.classifier import on_dask
from abstain.classifier.dask_splits import block_shares
from abstain.fronts.held_out import HeldOut
from abstain.targets.guarantee import certify
from tests.examples import examples

METHODS = (
    "predict",
    "reject",
    "certainties",
    "apply",
    "predict_proba",
    "decision_function",
)
CHUNKS = (0, 1, 1_500, 0, 7, 492, 0)  # empty ones at the ends and within, and skewed
MODELS = {
    "gmlvq": GMLVQ(n_prototypes_per_class=2, max_iter=20, tol=1e-3, random_state=0),
    "scaled gmlvq": make_pipeline(StandardScaler(), GMLVQ(1, max_iter=20, tol=1e-3)),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "forest": RandomForestClassifier(10, max_depth=5, random_state=0),
    "tree": DecisionTreeClassifier(max_leaf_nodes=12, random_state=0),
    "bayes": GaussianNB(),
}
# Of these, a sample has the same certainty whichever others are with it, to the last bit; BLAS may
# add up matrices of different sizes in different orders.
ROW_BY_ROW = {"forest", "tree", "bayes"}


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(3_000, 6, n_informative=4, n_classes=3, flip_y=0.1, random_state=0)
    return X, np.array(["ash", "beech", "cedar"])[y]


@pytest.fixture(scope="module")
def frozen(data):
    """Classifiers that know the first thousand samples."""
    X, y = data[0][:1_000], data[1][:1_000]
    return {name: FrozenEstimator(model.fit(X, y)) for name, model in MODELS.items()}


@pytest.fixture(scope="module")
def rest(data):
    return data[0][1_000:], data[1][1_000:]


def as_dask(X, y, chunks=CHUNKS):
    return da.from_array(X, chunks=(chunks, -1)), da.from_array(y, chunks=(chunks,))


def some_thresholds(front):
    """Return the thresholds of all rows, or of some where all would take minutes."""
    if len(front) < 200_000:
        return front.thresholds
    return [front.thresholds_at(row) for row in range(0, len(front), len(front) // 10)]


def assert_same(ours, theirs, *, exactly=True):
    """Compare all that a fit finds; to rounding, certainties may differ and nothing else."""
    assert np.array_equal(ours.cells_, theirs.cells_)
    assert ours._own_cells.labels.dtype == theirs._own_cells.labels.dtype
    for field in ("true_rejects", "false_rejects", "gap", "cells"):
        assert np.array_equal(getattr(ours.front_, field), getattr(theirs.front_, field)), field
    for field in ("row", "n_samples", "n_errors", "true_rejects", "false_rejects", "gap"):
        points = ours.operating_point_, theirs.operating_point_
        assert getattr(points[0], field) == getattr(points[1], field), field
    assert ours.operating_point_.cells.tolist() == theirs.operating_point_.cells.tolist()
    rtol = 0.0 if exactly else 1e-9
    for measured, expected in (
        (ours.thresholds_, theirs.thresholds_),
        (ours.operating_point_.thresholds, theirs.operating_point_.thresholds),
        (some_thresholds(ours.front_), some_thresholds(theirs.front_)),
    ):
        np.testing.assert_allclose(measured, expected, rtol=rtol, atol=0)


# --- calibration --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
def test_a_cluster_finds_what_one_machine_does(client, frozen, rest, name):
    clf = RejectOptionClassifier(frozen[name], target=RejectRate(0.2), min_cell_size=50)
    ours = clf.fit(*as_dask(*rest))
    theirs = RejectOptionClassifier(**clf.get_params(deep=False)).fit(*rest)
    assert_same(ours, theirs, exactly=name in ROW_BY_ROW)
    assert not hasattr(ours, "calibration_")


@pytest.mark.parametrize(
    "settings",
    [
        {"cells": "global", "method": "hull", "target": RejectCost(0.2)},
        {"cells": "class", "certainty": "margin", "method": "greedy"},
        {"certainty": "conf", "target": Accuracy(0.8), "min_cell_size": 600},
        {"cells": lambda model, X: (X[:, 0] > 0).astype(int), "min_cell_size": 1},
    ],
    ids=["global", "class", "shared", "function"],
)
def test_settings_mean_what_they_do_on_one_machine(client, frozen, rest, settings):
    ours = RejectOptionClassifier(frozen["bayes"], **settings).fit(*as_dask(*rest))
    theirs = RejectOptionClassifier(frozen["bayes"], **settings).fit(*rest)
    assert_same(ours, theirs)


def test_clusters_that_are_known_are_cells(client, frozen, rest):
    cells = KMeans(3, n_init=1, random_state=0).fit(rest[0])
    ours = RejectOptionClassifier(frozen["bayes"], cells=cells).fit(*as_dask(*rest))
    assert_same(ours, RejectOptionClassifier(frozen["bayes"], cells=cells).fit(*rest))


@examples(0.15)
@given(st.lists(st.integers(0, 300), max_size=5), st.sampled_from([1, 20, 1_000]))
def test_any_chunks_will_do(frozen, rest, cuts, min_cell_size):
    X, y = rest[0][:300], rest[1][:300]
    chunks = tuple(np.diff([0, *sorted(cuts), 300]).tolist())
    clf = RejectOptionClassifier(frozen["tree"], min_cell_size=min_cell_size)
    theirs = RejectOptionClassifier(frozen["tree"], min_cell_size=min_cell_size).fit(X, y)
    with dask.config.set(scheduler="synchronous"):
        assert_same(clf.fit(*as_dask(X, y, chunks)), theirs)


def test_frames_with_names_and_text(client, data):
    frame = pd.DataFrame(data[0], columns=list("abcdef")).assign(tree=data[1])
    known, new = frame[:1_000], frame[1_000:]
    model = FrozenEstimator(GaussianNB().fit(known[list("abcdef")], known["tree"]))
    lazy = dd.from_pandas(new, npartitions=3)
    X = lazy[list("abcdef")]
    ours = RejectOptionClassifier(model, reject_label="ask").fit(X, lazy["tree"])
    theirs = RejectOptionClassifier(model, reject_label="ask").fit(new[list("abcdef")], new["tree"])
    assert_same(ours, theirs)
    assert ours.feature_names_in_.tolist() == list("abcdef")
    predicted = ours.predict(X)
    assert np.isnan(predicted.shape[0])
    assert predicted.compute().tolist() == theirs.predict(new[list("abcdef")]).tolist()


def test_lengths_that_nobody_knows(client, frozen, rest):
    X, y = as_dask(*rest, chunks=(500,) * 4)
    chosen = y != "ash"
    ours = RejectOptionClassifier(frozen["bayes"]).fit(X[chosen], y[chosen])
    rows = rest[1] != "ash"
    theirs = RejectOptionClassifier(frozen["bayes"]).fit(rest[0][rows], rest[1][rows])
    assert_same(ours, theirs)


def test_one_class_of_known_ones_is_enough(client, frozen, rest):
    rows = rest[1] == "ash"
    X, y = rest[0][rows], rest[1][rows]
    ours = RejectOptionClassifier(frozen["bayes"]).fit(*as_dask(X, y, (len(y) - 9, 9)))
    assert_same(ours, RejectOptionClassifier(frozen["bayes"]).fit(X, y))


# --- a certified accuracy -----------------------------------------------------------------------


def row_number(model, X):
    return X[:, -1]


@pytest.fixture(scope="module")
def numbered(rest):
    """The samples, with their row as a feature and as certainty."""
    X = np.column_stack([rest[0], np.arange(2_000.0)])
    model = GaussianNB().fit(X[:500] * [*[1] * 6, 0], rest[1][:500])
    return FrozenEstimator(model), X, rest[1]


def certified(numbered, accuracy=0.5, seed=0, **settings):
    model, X, y = numbered
    target = Accuracy(accuracy, confidence=0.9)
    settings = {"certainty": row_number, "cells": "global", "test_size": 0.3} | settings
    clf = RejectOptionClassifier(model, target=target, random_state=seed, outliers=None, **settings)
    return clf.fit(*as_dask(X, y))


@pytest.fixture
def held_rows(monkeypatch):
    """The rows that a fit holds out, asked for where they are."""
    count = on_dask._counted

    def held_rows(*arguments, **settings):
        rows = []

        def spy(held, own_cells, front):
            (answers,) = dask.compute(held)
            rows.extend(np.concatenate([each.calibration.certainty for each in answers]))
            return count(held, own_cells, front)

        monkeypatch.setattr(on_dask, "_counted", spy)
        clf = certified(*arguments, **settings)
        return np.array(rows, dtype=int), clf

    return held_rows


def test_held_out_samples_certify_and_make_no_front(client, numbered, held_rows):
    model, X, y = numbered
    held, clf = held_rows(numbered)
    assert len(np.unique(held)) == len(held) == 600
    assert (np.diff(held) > 0).all()  # in the order of the rows
    correct, number = model.predict(X) == y, np.arange(2_000.0)
    others = np.setdiff1d(np.arange(2_000), held)
    front = pareto_front(number[others], correct[others], method="pooled")
    expected = operating_point(front, clf.target, (number[held], correct[held]))
    assert clf.operating_point_.guarantee == expected.guarantee
    assert clf.thresholds_[:1].tolist() == expected.thresholds.tolist()


def test_what_is_held_out_depends_on_seed_and_block_alone(client, numbered, held_rows):
    first, again = held_rows(numbered)[0], held_rows(numbered)[0]
    assert np.array_equal(first, again)
    model, X, y = numbered
    other = model, X * [*[-1] * 6, 1], np.roll(y, 1)
    assert np.array_equal(first, held_rows(other, accuracy=0.1)[0])
    assert not np.array_equal(first, held_rows(numbered, seed=1)[0])


def rare_cell(model, X):
    """Cell 9 has one sample: if that is held out, the front has not seen the cell."""
    return np.where(X[:, -1] == 7, 9, (X[:, 0] > 0).astype(int))


@pytest.mark.parametrize("seed", [0, 3])
def test_steps_certify_what_samples_do(client, numbered, held_rows, seed):
    model, X, y = numbered
    held, clf = held_rows(numbered, seed=seed, cells=rare_cell)
    correct, cells = model.predict(X[held]) == y[held], rare_cell(model, X[held])
    columns = clf._own_cells.columns(cells, clf.front_)
    plain = HeldOut(held.astype(float), correct, columns)
    expected = certify(clf.front_, plain, clf.target.accuracy, clf.target.confidence)
    point = clf.operating_point_
    assert (point.row, point.guarantee) == expected
    assert (-1 in clf._held_out.columns) == (7 in held)


# What comes to the client grows with the errors: here they are the same in ten times as many.
@pytest.mark.parametrize("method", ["exact", "pooled"])
def test_what_is_collected_does_not_grow_with_the_samples(
    method, client, frozen, rest, monkeypatch
):
    reduce, sizes = on_dask.reduce_blocks, []

    def spy(merge, parts):
        result = reduce(merge, parts)
        sizes[-1].append(len(pickle.dumps(result)))
        return result

    monkeypatch.setattr(on_dask, "reduce_blocks", spy)
    target = Accuracy(0.5, confidence=0.9)
    for n_times in (20, 200):
        sizes.append([])
        X, y = (np.concatenate([part[:200]] * n_times) for part in rest)
        chunks = (len(y) // 4,) * 4
        clf = RejectOptionClassifier(
            frozen["bayes"],
            outliers=None,
            target=target,
            method=method,
            test_size=0.5,
            random_state=0,
        )
        clf.fit(*as_dask(X, y, chunks))
        assert clf.operating_point_.guarantee.n_samples == len(y) // 2
        assert len(clf._held_out.correct) <= 2 * len(clf.front_.staircases.thresholds)
    assert np.allclose(*sizes, atol=100)  # digits of counts


@given(st.lists(st.integers(0, 50), min_size=1, max_size=8), st.floats(0.01, 0.99))
def test_every_block_holds_out_its_share(sizes, share):
    total = sum(sizes)
    assume(total)
    n_held = round(share * total)
    counts = block_shares(sizes, n_held)
    assert sum(counts) == n_held
    assert all(
        abs(count - n_held * size / total) < 1 for count, size in zip(counts, sizes, strict=True)
    )
    assert all(0 <= count <= size for count, size in zip(counts, sizes, strict=True))


def test_a_certificate_can_be_had_again(client, numbered):
    clf = certified(numbered)
    target, guarantee = clf.target, clf.operating_point_.guarantee
    assert clf.retarget(RejectRate(0.1)).operating_point_.guarantee is None
    assert clf.retarget(target).operating_point_.guarantee == guarantee


@pytest.mark.filterwarnings("ignore:.* targets have been tested on the same samples")
def test_a_certificate_can_be_had_after_loading(client, numbered, tmp_path):
    clf = certified(numbered, certainty="conf")
    save(clf, tmp_path / "clf.abstain")
    loaded = load(tmp_path / "clf.abstain")
    assert loaded.operating_point_.guarantee == clf.operating_point_.guarantee
    other = Accuracy(0.4, confidence=0.8)
    expected = clf.retarget(other).operating_point_.guarantee
    assert loaded.retarget(other).operating_point_.guarantee == expected


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (Accuracy(0.9999, confidence=0.99), "takes at least 46,050 samples that test it"),
        (Accuracy(0.99, confidence=0.99), "cannot be certified: of 2000 test samples"),
    ],
)
def test_a_certificate_out_of_reach(client, frozen, rest, target, said):
    with pytest.raises(InputError, match=said):
        RejectOptionClassifier(frozen["bayes"], outliers=None, target=target).fit(*as_dask(*rest))


# --- answers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("reject_label", [None, "ask somebody else"])
def test_answers_are_lazy_and_the_same(client, frozen, rest, name, reject_label):
    X, y = rest
    clf = RejectOptionClassifier(frozen[name], reject_label=reject_label).fit(X, y)
    lazy = da.from_array(X, chunks=(CHUNKS, (4, 2)))
    names = [method for method in METHODS if hasattr(clf, method)]
    lazy_results = [getattr(clf, method)(lazy) for method in names]
    for method, ours, values in zip(names, lazy_results, dask.compute(*lazy_results), strict=True):
        theirs = getattr(clf, method)(X)
        assert isinstance(ours, da.Array)
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype), method
        assert ours.chunks[0] == CHUNKS
        assert values.dtype == theirs.dtype
        if theirs.dtype.kind == "f":
            np.testing.assert_allclose(values, theirs, rtol=1e-9, atol=1e-12)
        else:
            assert np.array_equal(values, theirs), method


def test_scores_of_pairs_of_classes(client, rest):
    X, y = rest[0][:300], np.arange(300) % 4
    svc = SVC(decision_function_shape="ovo").fit(rest[0][300:600], y)
    clf = RejectOptionClassifier(FrozenEstimator(svc)).fit(X, y)
    scores = clf.decision_function(da.from_array(X, chunks=(100, -1)))
    assert scores.shape == (300, 6)
    assert np.allclose(scores.compute(), clf.decision_function(X))


def test_samples_are_not_asked_for_before_the_answers(client, frozen, rest):
    def unsure(model, X):
        raise ValueError("too early,\nor never")

    clf = RejectOptionClassifier(frozen["bayes"]).fit(*rest)
    clf._rules = clf._rules._replace(certainty=unsure)
    rejected = clf.reject(as_dask(*rest, chunks=(1_500, 500))[0])
    with pytest.raises(InputError, match=r"too early, or never \(in block [01]\)"):
        rejected.compute()


def test_sparse_blocks(client, rest):
    X, y = rest[0] * (rest[0] > 0), rest[1]
    model = FrozenEstimator(LogisticRegression().fit(csr_array(X[:500]), y[:500]))
    dense, labels = as_dask(X, y)
    lazy = dense.map_blocks(csr_array, dtype=float, meta=csr_array((0, 0)))
    ours = RejectOptionClassifier(model).fit(lazy, labels)
    theirs = RejectOptionClassifier(model).fit(csr_array(X), y)
    assert_same(ours, theirs, exactly=False)
    assert np.array_equal(ours.predict(lazy).compute(), theirs.predict(csr_array(X)))


def test_a_later_target_does_not_change_answers_to_come(client, frozen, rest):
    clf = RejectOptionClassifier(frozen["bayes"], target=RejectRate(0.3)).fit(*rest)
    before = clf.reject(rest[0])
    rejected = clf.reject(as_dask(*rest)[0])
    clf.retarget(RejectRate(0.0))
    assert np.array_equal(rejected.compute(), before)


def test_only_what_answers_need_travels(frozen, rest):
    for method, left in (("exact", {"_front", "calibration_"}), ("pooled", {"calibration_"})):
        clf = RejectOptionClassifier(frozen["bayes"], method=method).fit(*rest)
        light = clf._light()
        assert not left & set(vars(light))
        assert {"_front", "calibration_"} <= set(vars(clf))
        assert np.array_equal(light.reject(rest[0]), clf.reject(rest[0]))
    # A pooled front is small, and gives the probabilities.
    told = light.predict_correct_proba(rest[0])
    np.testing.assert_array_equal(told, clf.predict_correct_proba(rest[0]))
    assert light.decide(rest[0]).outlier.any()


# --- outliers -----------------------------------------------------------------------------------


def p_values_of(*classifiers, X):
    return [clf.outlier_p_values(np.concatenate([X, 5 * X])) for clf in classifiers]


@pytest.mark.parametrize("name", ["scaled gmlvq", "forest"])
def test_outliers_are_those_of_one_machine(client, frozen, rest, name):
    ours = RejectOptionClassifier(frozen[name], outliers=0.05).fit(*as_dask(*rest))
    theirs = RejectOptionClassifier(frozen[name], outliers=0.05).fit(*rest)
    np.testing.assert_allclose(*p_values_of(ours, theirs, X=rest[0]), rtol=1e-6)
    assert ours.reject(5 * rest[0]).mean() > 0.5
    # They count as rejects, and are in no front.
    outlier = theirs.calibration_.outlier
    assert ours.front_.n_samples == (~outlier).sum() < 2_000
    assert ours.operating_point_.n_samples == 2_000
    lazy = ours.reject(as_dask(*rest)[0]).compute()
    assert lazy.mean() == pytest.approx(ours.operating_point_.reject_rate)
    assert lazy[outlier].all()


def test_outliers_of_frames_are_looked_for_in_their_columns(client, rest):
    frame = pd.DataFrame(rest[0], columns=list("abcdef")).assign(tree=rest[1])
    lazy = dd.from_pandas(frame, npartitions=3)
    model = FrozenEstimator(
        HistGradientBoostingClassifier(max_iter=3).fit(frame[list("abcdef")], rest[1])
    )
    ours = RejectOptionClassifier(model).fit(lazy[list("abcdef")], lazy["tree"])
    theirs = RejectOptionClassifier(model).fit(frame[list("abcdef")], frame["tree"])
    assert ours._outlier_detector.columns == list("abcdef")
    new = frame[list("fedcba")][list("abcdef")]
    np.testing.assert_allclose(ours.outlier_p_values(new), theirs.outlier_p_values(new), rtol=1e-6)


# Half of the samples test, or a fifth tells outliers and all others test one threshold.
@pytest.mark.parametrize(
    ("test_size", "n_tested", "n_known"), [(0.5, 1_000, 1_000), ("auto", 1_600, 400)]
)
def test_outliers_are_part_of_what_is_tested(client, frozen, rest, test_size, n_tested, n_known):
    clf = RejectOptionClassifier(
        frozen["bayes"],
        cells="global",
        target=Accuracy(0.6, confidence=0.9),
        test_size=test_size,
        outliers=0.1,
        random_state=0,
    )
    point = clf.fit(*as_dask(*rest)).operating_point_
    assert len(clf._outlier_detector.known_scores) == n_known
    assert 0.85 * n_tested < point.guarantee.n_samples < 0.95 * n_tested
    n_learn = n_tested if test_size == "auto" else 2_000 - n_tested
    n_outliers = clf._outlier_counts.n_samples
    assert point.n_samples == clf.front_.n_samples + n_outliers == n_learn
    if test_size == "auto":
        assert point.guarantee.n_samples == clf.front_.n_samples
    assert clf.fit(*as_dask(*rest)).operating_point_.guarantee == point.guarantee


def test_of_many_samples_a_share_of_each_block_is_known(client):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3 * MAX_KNOWN, 2)), rng.integers(0, 2, 3 * MAX_KNOWN)
    model = FrozenEstimator(GaussianNB().fit(X, y))
    clf = RejectOptionClassifier(model, outliers=0.05, target=RejectRate(0))
    first, again = (
        clf.fit(*as_dask(X, y, (10_000, 45_000, 5_000)))._outlier_detector for _ in range(2)
    )
    assert len(first.known_scores) == MAX_KNOWN
    np.testing.assert_array_equal(first.known_scores, again.known_scores)
    # From a thousand samples on, the rate is nearly what was asked for.
    assert clf.reject(rng.normal(size=(100_000, 2))).mean() == pytest.approx(0.05, abs=0.01)


def test_too_few_samples_keep_the_detector(client, frozen, rest):
    X, y = rest
    clf = RejectOptionClassifier(frozen["bayes"], target=Accuracy(0.6, confidence=0.9))
    before = clf.fit(X, y).outlier_p_values(X)
    few = np.flatnonzero((clf.predict(X) == y) & (before > 0.1))[:15]
    clf.recalibrate(*as_dask(X[few], y[few], chunks=(5, 10)))
    np.testing.assert_array_equal(clf.outlier_p_values(X), before)
    with pytest.raises(InputError, match="outliers must leave some samples to set thresholds on"):
        clf.recalibrate(*as_dask(X[few] + 1_000, y[few], chunks=(5, 10)))


@pytest.mark.parametrize("method", ["pooled", "exact"])
def test_outliers_are_counted_after_loading(client, frozen, rest, method, tmp_path):
    clf = RejectOptionClassifier(frozen["tree"], method=method, outliers=0.05)
    clf.fit(*as_dask(*rest))
    save(clf, tmp_path / "clf.abstain")
    loaded = load(tmp_path / "clf.abstain")
    assert loaded._outlier_counts == clf._outlier_counts
    for one in (clf, loaded):
        one.retarget(RejectRate(0.3))
        assert one.operating_point_.n_samples == 2_000
        assert one.operating_point_.reject_rate == pytest.approx(one.reject(rest[0]).mean())
        assert one.operating_point_.reject_rate <= 0.3
    back = loaded.set_thresholds(clf.thresholds_.tolist()).operating_point_
    for field in ("row", "true_rejects", "false_rejects", "n_samples", "n_errors", "gap"):
        assert getattr(back, field) == getattr(clf.operating_point_, field), field


# --- saving, and going elsewhere ----------------------------------------------------------------


def test_a_calibrated_classifier_is_saved_and_loaded(client, frozen, rest, tmp_path):
    clf = RejectOptionClassifier(frozen["gmlvq"]).fit(*as_dask(*rest))
    save(clf, tmp_path / "clf.abstain")
    loaded = load(tmp_path / "clf.abstain")
    assert_same(loaded, clf)
    assert np.array_equal(loaded.predict(rest[0]), clf.predict(rest[0]))
    assert loaded.explain(rest[0][:5]).equals(clf.explain(rest[0][:5]))
    there = loaded.retarget(RejectRate(0.05)).operating_point_
    assert there.reject_rate <= 0.05
    for one in (clf, loaded):
        with pytest.raises(InputError, match="must be RejectRate, RejectCost or Accuracy for Dask"):
            one.retarget(Recall(1, 0.9))


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5])
def test_thresholds_of_the_front_come_back(client, frozen, rest, rate):
    clf = RejectOptionClassifier(frozen["tree"], min_cell_size=100).fit(*as_dask(*rest))
    there = clf.retarget(RejectRate(rate)).operating_point_
    thresholds = clf.thresholds_.tolist()
    back = clf.retarget(RejectRate(0.2)).set_thresholds(thresholds).operating_point_
    for field in ("row", "true_rejects", "false_rejects", "n_samples", "gap"):
        assert getattr(back, field) == getattr(there, field), field
    thresholds[0] = 0.12345
    with pytest.raises(InputError, match=r"some that front_ has, got 0\.12345 for"):
        clf.set_thresholds(thresholds)
    assert clf.operating_point_.true_rejects == there.true_rejects


# --- what goes wrong ----------------------------------------------------------------------------


def swapped(y):
    return da.from_array(np.array(["elm", "fir"])[np.arange(2_000) % 2], chunks=y.chunks)


@pytest.mark.parametrize(
    ("settings", "change", "said"),
    [
        (
            {"estimator": GaussianNB()},
            lambda X, y: (X, y),
            "estimator must be a FrozenEstimator to be calibrated on Dask collections, got a "
            "GaussianNB; fit it first, and wrap it in sklearn.frozen.FrozenEstimator",
        ),
        (
            {"cells": KMeans(3)},
            lambda X, y: (X, y),
            "cells must be a clusterer that is fitted already for Dask collections, got KMeans",
        ),
        (
            {"class_prior": {"ash": 0.1}},
            lambda X, y: (X, y),
            "class_prior must be None for Dask collections, of which only counts are kept, got "
            "{'ash': 0.1}; calibrate on a sample that fits into memory",
        ),
        ({"reject_label": "ash"}, lambda X, y: (X, y), "reject_label must differ from the classes"),
        (
            {},
            lambda X, y: (X, y.compute()),
            r"y must be a Dask collection chunked like X, got a ndarray; make one by "
            r"dask.array.from_array\(y, chunks=X.chunks\[0\]\)",
        ),
        ({}, lambda X, y: (X.compute(), y), "X must be a Dask array or frame .* got a ndarray"),
        ({}, lambda X, y: (X, None), "y must be a Dask array or series of classes, got None"),
        ({}, lambda X, y: (X, y.rechunk(100)), r"y must be chunked like X, got \d+ blocks"),
        ({}, lambda X, y: (X[:, :3], y), "X must have the 6 features of the fit, got 3"),
        ({}, lambda X, y: (X[:0], y[:0]), "X must hold at least one sample, got 0"),
        (
            {},
            lambda X, y: (X, swapped(y)),
            r"y must hold classes of the estimator \(\['ash', 'beech', 'cedar'\]\), got none of "
            r"them but \['elm', 'fir'\]",
        ),
    ],
)
def test_what_cannot_be_calibrated(client, frozen, rest, settings, change, said):
    clf = RejectOptionClassifier(**({"estimator": frozen["bayes"]} | settings))
    with pytest.raises(InputError, match=said) as caught:
        clf.fit(*change(*as_dask(*rest)))
    assert "\n" not in str(caught.value)
    assert not hasattr(clf, "thresholds_")


def cells_of_two_kinds(model, X):
    cells = (X[:, 0] > 0).astype(int)
    return cells if len(X) == 1_500 else cells.astype(str)


def test_cells_of_two_kinds_are_refused(client, frozen, rest):
    clf = RejectOptionClassifier(frozen["bayes"], cells=cells_of_two_kinds)
    with pytest.raises(InputError, match="cells must hold labels of one kind in all blocks, got "):
        clf.fit(*as_dask(*rest))


def not_to_be_asked(block):
    raise AssertionError("work was sent")


@pytest.mark.parametrize(
    ("name", "settings"),
    [("gmlvq", {"certainty": "conf"}), ("bayes", {"cells": "prototype"})],
)
def test_what_a_classifier_lacks_is_reported_before_work_is_sent(
    client, frozen, rest, name, settings
):
    X, y = as_dask(*rest)
    clf = RejectOptionClassifier(frozen[name], **settings)
    with pytest.raises(InputError) as caught:
        clf.fit(X.map_blocks(not_to_be_asked, dtype=float, meta=np.zeros((0, 0))), y)
    with pytest.raises(InputError) as here:
        clf.fit(*rest)
    assert str(caught.value) == str(here.value)


def test_weights_are_refused(frozen, rest):
    X, y = as_dask(*rest)
    with pytest.raises(InputError, match="sample_weight must not be given with Dask collections"):
        RejectOptionClassifier(frozen["bayes"]).fit(X, y, sample_weight=np.ones(2_000))


def test_a_frame_needs_its_own_labels(frozen, rest):
    frame = dd.from_pandas(pd.DataFrame(rest[0]), npartitions=3)
    with pytest.raises(InputError, match=r"y must be a Dask collection .*, got a ndarray; take it"):
        RejectOptionClassifier(frozen["bayes"]).fit(frame, rest[1])


def test_a_missing_value_names_its_block(client, frozen, rest):
    X = rest[0].copy()
    X[1_703, 2] = np.nan
    with pytest.raises(InputError, match=r"contains NaN.* \(in block 17\)") as caught:
        RejectOptionClassifier(frozen["bayes"]).fit(*as_dask(X, rest[1], (100,) * 20))
    assert "\n" not in str(caught.value)


def test_a_missing_label_names_its_block(client, frozen, rest):
    y = rest[1].astype(object)
    y[1_703] = None
    with pytest.raises(InputError) as caught:
        RejectOptionClassifier(frozen["bayes"]).fit(*as_dask(rest[0], y, (100,) * 20))
    assert str(caught.value) == (
        "y must hold no missing label, got None at index 3; drop the row (in block 17)"
    )


@pytest.mark.parametrize("name", ["decide", "explain", "score"])
def test_what_is_not_lazy_says_so(frozen, rest, name):
    clf = RejectOptionClassifier(frozen["bayes"]).fit(*rest)
    X, y = as_dask(*rest)
    with pytest.raises(InputError, match=f"{name} takes no Dask collection; ") as caught:
        getattr(clf, name)(X, *([y] if name == "score" else []))
    assert "\n" not in str(caught.value)


# What `explain` advises gives the rejected samples, of arrays and of frames.
def test_rejected_rows_can_be_had(client, data):
    whole, y = pd.DataFrame(data[0], columns=list("abcdef")), data[1][1_000:]
    clf = RejectOptionClassifier(FrozenEstimator(GaussianNB().fit(whole[:1_000], data[1][:1_000])))
    frame = whole[1_000:]
    expected = frame[clf.fit(frame, y).reject(frame)]
    X = dd.from_pandas(frame, npartitions=3)
    assert X.loc[clf.reject(X)].compute().equals(expected)
    with pytest.raises(InputError, match=r"X\[clf.reject\(X\)\].compute\(\), or X.loc\[clf"):
        clf.explain(X)
    model = GaussianNB().fit(data[0][:1_000], data[1][:1_000])
    clf = RejectOptionClassifier(FrozenEstimator(model)).fit(data[0][1_000:], y)
    X = da.from_array(data[0][1_000:], chunks=(1_000, -1))
    assert np.array_equal(X[clf.reject(X)].compute(), expected)


# --- a worker dies ------------------------------------------------------------------------------


def slowly_sure(model, X):
    time.sleep(0.05)
    return model.predict_proba(X).max(axis=1)


def test_a_killed_worker_changes_nothing(client, frozen, rest):
    client.wait_for_workers(2)
    clf = RejectOptionClassifier(frozen["bayes"], certainty=slowly_sure)
    theirs = RejectOptionClassifier(frozen["bayes"], certainty=slowly_sure).fit(*rest)
    victim = next(iter(client.run(os.getpid).values()))
    killer = threading.Timer(0.7, os.kill, (victim, signal.SIGKILL))
    killer.start()
    ours = clf.fit(*as_dask(*rest, (50,) * 40))
    killer.join()
    with pytest.raises(ProcessLookupError):
        os.kill(victim, 0)
    assert_same(ours, theirs)


# --- real data ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "n_samples", "method"), [("bayes", 581_012, "exact"), ("gmlvq", 150_000, "hull")]
)
def test_trees_of_a_forest(client, covtype, read_in_blocks, tmp_path, name, n_samples, method):
    X, y = covtype[0][:n_samples], covtype[1][:n_samples]
    lvq = make_pipeline(StandardScaler(), GMLVQ(1, max_iter=10, tol=1e-2))
    model = {"bayes": GaussianNB(), "gmlvq": lvq}[name]
    frozen = FrozenEstimator(model.fit(X[:11_340], y[:11_340]))
    lazy, labels = read_in_blocks(X, tmp_path, 50_000), da.from_array(y, chunks=50_000)
    # Of more than `MAX_KNOWN` samples, others are known than on one machine.
    clf = RejectOptionClassifier(frozen, method=method, outliers=None)
    ours, theirs = clf.fit(lazy, labels), clone(clf).fit(X, y)
    assert theirs.front_.n_samples == n_samples
    assert_same(ours, theirs, exactly=name in ROW_BY_ROW)
