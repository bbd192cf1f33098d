"""The curves of a split are what counting again, with the public classifier, gives."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_classification
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.svm import SVC

from abstain import InputError, RejectOptionClassifier, datasets, pareto_front
from abstain.study import measuring
from abstain.study.experiments import (
    CLASSIFIERS,
    COSTS,
    N_TUNING_FOLDS,
    PROBLEMS,
    WIDTHS,
    Data,
    LibSVC,
    Problem,
    TunedLibSVC,
    make_estimator,
)
from abstain.study.measuring import (
    GLOBAL,
    GREEDY,
    LOCAL,
    N_INNER_FOLDS,
    SHARED,
    Extras,
    Split,
    measure,
)

SEED = 3
# Two classes of the noisy sample are rare.
pytestmark = pytest.mark.filterwarnings("ignore:no training sample is predicted as:UserWarning")


class Row:
    """The target that is served by one row of a front, whatever it does."""

    def __init__(self, row):
        self.row = row

    def choose(self, front):
        return self.row


@pytest.fixture(scope="module")
def noisy():
    """Four classes, two of them rare; one sample in four of another class than it looks."""
    X, y = make_classification(
        240, 4, n_informative=3, n_redundant=0, n_classes=4, n_clusters_per_class=1,
        weights=[0.55, 0.39, 0.04, 0.02], flip_y=0.25, random_state=0,
    )  # fmt: skip
    sample = Data(X, np.array(["ash", "beech", "cedar", "elder"])[y])
    return Problem("noisy", "Noisy", "benchmark", lambda repeat: sample, 0.7)


def split_of(problem):
    sample = problem.draw(0)
    parts = train_test_split(sample.X, sample.y, test_size=0.3, random_state=0, stratify=sample.y)
    X_train, X_test, y_train, y_test = parts
    return sample, Split((X_train, y_train), (X_test, y_test))


def records_of(problem, name, beyond=False):
    sample, split = split_of(problem)
    extras = Extras(greedy=True, out_of_fold=beyond, guarantee=beyond)
    return measure(problem, sample, split, CLASSIFIERS[name], SEED, extras)


def curves_of(records, **wanted):
    return [
        record
        for record in records
        if record["kind"] == "curve" and wanted.items() <= record.items()
    ]


def slow_curve(problem, name, option, cv="training"):
    """Refit and reject anew for every row of the paper's front, and the one without rejects."""
    sample, (train, test) = split_of(problem)
    classifier = CLASSIFIERS[name]
    clf = RejectOptionClassifier(
        make_estimator(classifier, problem, sample, SEED),
        certainty=classifier.certainty,
        cells="global" if option.cells == "global" else classifier.cells,
        method=option.method,
        min_cell_size=option.min_cell_size,
        target=Row(0),
        cv=cv,
        outliers=None,  # the curves are those of thresholds alone
    ).fit(*train)
    front = clf.front_
    rows = sorted({0, *np.flatnonzero(front.is_pareto).tolist()})
    X_test, y_test = test
    wrong = clf.predict(X_test) != y_test
    counts = []
    for row in rows:
        rejected = clf.retarget(Row(row)).reject(X_test)
        counts.append((np.count_nonzero(~rejected), np.count_nonzero(wrong & ~rejected)))
    return counts, front, rows


def as_counts(record):
    return list(zip(record["accepted"], record["errors"], strict=True))


# --- curves -------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", [GLOBAL, LOCAL, GREEDY, *SHARED], ids=str)
@pytest.mark.parametrize("name", ["rslvq", "gmlvq", "lgmlvq", "mrslvq", "glvq-5"])
def test_curves_are_what_counting_again_gives(name, option, noisy):
    records = records_of(noisy, name, beyond=option in SHARED)
    (curve,) = curves_of(records, part="test", source="training", **option._asdict())
    counts, front, rows = slow_curve(noisy, name, option)
    assert as_counts(curve) == counts
    assert curve["n"] == 72
    assert len(rows) > 5
    trained = curves_of(records, part="training", **option._asdict())
    assert len(trained) == (option.min_cell_size == 1)
    for record in trained:
        rejected = front.true_rejects[rows] + front.false_rejects[rows]
        assert record["accepted"] == (168 - rejected).tolist()
        assert record["errors"] == (front.n_errors - front.true_rejects[rows]).tolist()


@pytest.mark.parametrize("option", [GLOBAL, LOCAL, *SHARED], ids=str)
@pytest.mark.parametrize("name", ["gmlvq", "boosting"])
def test_so_are_those_of_thresholds_set_out_of_fold(name, option, noisy):
    (curve,) = curves_of(
        records_of(noisy, name, beyond=True), source="out of fold", **option._asdict()
    )
    folds = StratifiedKFold(N_INNER_FOLDS, shuffle=True, random_state=SEED)
    counts, _, rows = slow_curve(noisy, name, option, cv=folds)
    assert as_counts(curve) == counts
    assert len(rows) > 5


@pytest.mark.parametrize("name", ["gmlvq", "svm", "forest"])
def test_a_curve_begins_with_all_samples(name, noisy):
    records = records_of(noisy, name, beyond=True)
    (fit,) = [record for record in records if record["kind"] == "fit"]
    for record in curves_of(records):
        accepted, errors = np.array(record["accepted"]), np.array(record["errors"])
        part = "test" if record["part"] == "test" else "train"
        all_errors = fit["test_errors" if part == "test" else "training_errors"]
        assert accepted[0] == record["n"] == fit[f"n_{part}"]
        assert errors[0] == all_errors
        assert np.all((errors >= 0) & (errors <= accepted))
        if record["cells"] == "global":
            assert np.all(np.diff(accepted) <= 0)
    # An SVM has one threshold, as in the paper.
    assert {record["cells"] for record in curves_of(records)} == (
        {"global"} if name == "svm" else {"global", "local"}
    )


@pytest.mark.parametrize("draw", [datasets.make_gaussian_clusters, datasets.make_pearl_necklace])
def test_the_bayes_rule_rejects_by_the_true_posterior(draw):
    sample = Data(*draw(400, random_state=1, return_model=True))
    problem = Problem("drawn", "Drawn", "artificial", lambda repeat: sample, 0.9, is_scaled=False)
    records = records_of(problem, "bayes")
    (curve,) = curves_of(records, part="test")
    _, (train, test) = split_of(problem)
    classes, posteriors = np.unique(sample.y), sample.true_model.predict_proba
    (sure_train, right_train), (sure_test, right_test) = (
        (posteriors(X).max(axis=1), classes[posteriors(X).argmax(axis=1)] == y)
        for X, y in (train, test)
    )
    front = pareto_front(sure_train, right_train)
    rows = sorted({0, *np.flatnonzero(front.is_pareto).tolist()})
    expected = [
        (np.count_nonzero(sure_test >= limit), np.count_nonzero(~right_test & (sure_test >= limit)))
        for limit in (front.thresholds_at(row)[0] for row in rows)
    ]
    assert as_counts(curve) == expected
    # The posteriors are the true ones: the mean of the largest is the accuracy to be expected.
    n = len(sample.y)
    largest = posteriors(sample.X).max(axis=1)
    fit = records[0]
    expected_errors = n - largest.sum()
    deviation = np.sqrt((largest * (1 - largest)).sum())
    assert abs(fit["training_errors"] + fit["test_errors"] - expected_errors) < 4 * deviation


# --- what else is measured ----------------------------------------------------------------------


def test_targets_are_tried_on_the_test_part(noisy):
    records = records_of(noisy, "gmlvq", beyond=True)
    targets = {record["source"]: record for record in records if record["kind"] == "target"}
    assert list(targets) == ["training", "out of fold", "guaranteed"]
    for record in targets.values():
        assert record["accuracy"] == 0.7
        assert (record["accepted"] > 0) != record["is_refused"]
        assert 0 <= record["errors"] <= record["accepted"] <= record["n"] == 72
    # What thresholds do on new samples is a point of their own curve.
    for source in ("training", "out of fold"):
        (curve,) = curves_of(
            records, source=source, part="test", cells="local", method="exact", min_cell_size=1
        )
        target = targets[source]
        assert (target["accepted"], target["errors"]) in as_counts(curve)


def test_what_cannot_be_promised_is_recorded_as_refused(noisy, monkeypatch):
    def refuse(*_):
        raise InputError("cannot be certified")

    monkeypatch.setattr(measuring.RejectOptionClassifier, "fit", refuse)
    records = records_of(noisy, "gmlvq", beyond=True)
    (record,) = [record for record in records if record.get("source") == "guaranteed"]
    assert (record["is_refused"], record["accepted"], record["errors"]) == (True, 0, 0)


@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if name != "bayes"])
def test_the_same_seed_gives_the_same_records(name, noisy):
    assert records_of(noisy, name) == records_of(noisy, name)


def test_missing_values_are_no_obstacle():
    problem = PROBLEMS["steroid"]
    assert np.isnan(problem.draw(0).X).any()
    for name in CLASSIFIERS:
        if name != "bayes":
            assert records_of(problem, name)[0]["test_errors"] < 45


def test_prototypes_and_support_vectors_are_counted(noisy):
    counts = {
        name: records_of(noisy, name)[0]["n_parts"] for name in ("gmlvq", "lgmlvq", "svm", "forest")
    }
    assert (counts["gmlvq"], counts["lgmlvq"], counts["forest"]) == (4, 4, None)
    assert 4 <= counts["svm"] <= 168


# Where answers are out of fold, of what was fitted: a step of the pipeline, as scaling is.
@pytest.mark.parametrize("name", ["gmlvq", "svm", "forest"])
def test_components_are_fitted_with_the_classifier(name):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 8)) + np.arange(60)[:, np.newaxis] % 2, np.arange(60) % 2
    problem = Problem("some", "Some", "benchmark", lambda seed: Data(X, y), 0.9, n_components=3)
    fitted = make_estimator(CLASSIFIERS[name], problem, Data(X, y), SEED).fit(X, y)
    assert fitted[-1].n_features_in_ == 3
    plain = X - X.mean(axis=0)
    expected = np.linalg.svd(plain)[1][:3] ** 2 / 59
    assert fitted.named_steps["reduce"].explained_variance_ == pytest.approx(expected)


@pytest.mark.parametrize("extras", [Extras(), Extras(greedy=True), Extras(out_of_fold=True)])
def test_no_more_is_measured_than_is_asked_for(extras, noisy):
    sample, split = split_of(noisy)
    records = measure(noisy, sample, split, CLASSIFIERS["gmlvq"], SEED, extras)
    curves = curves_of(records)
    assert any(record["method"] == "greedy" for record in curves) == extras.greedy
    assert any(record["source"] == "out of fold" for record in curves) == extras.out_of_fold
    assert any(record["min_cell_size"] > 1 for record in curves) == extras.out_of_fold
    assert not any(record.get("source") == "guaranteed" for record in records)


# --- LIBSVM -------------------------------------------------------------------------------------


@pytest.fixture(params=[2, 3, 5], ids="{} classes".format)
def blobs(request):
    X, y = make_blobs(200, 3, centers=request.param, cluster_std=4.0, random_state=2)
    # LIBSVM orders classes by their first sample, which is not the order of their names.
    return X, np.array(["e", "d", "c", "b", "a"])[y]


@pytest.mark.parametrize("machine", [LibSVC(gamma=0.05), TunedLibSVC()], ids=["plain", "tuned"])
def test_posteriors_are_probabilities_and_the_largest_is_predicted(machine, blobs):
    X, y = blobs
    machine.fit(X[:150], y[:150])
    posteriors = machine.predict_proba(X[150:])
    assert posteriors.shape == (50, len(machine.classes_))
    assert np.all(posteriors >= 0)
    assert posteriors.sum(axis=1) == pytest.approx(1)
    assert np.array_equal(machine.predict(X[150:]), machine.classes_[posteriors.argmax(axis=1)])
    assert machine.classes_.tolist() == sorted(set(y))
    # Columns belong to their classes: else, about as many would be right by chance.
    guess = 1 / len(machine.classes_)
    assert machine.score(X[150:], y[150:]) > guess + 0.15


def test_the_seed_decides_whatever_was_fitted_before(blobs):
    X, y = blobs

    def posteriors(seed):
        return LibSVC(gamma=0.05, seed=seed).fit(X, y).predict_proba(X)

    first = posteriors(5)
    for seed in (0, 1):
        other = posteriors(seed)
        assert not np.array_equal(other, first)
    TunedLibSVC(seed=9).fit(X[:100], y[:100])
    assert np.array_equal(posteriors(5), first)


def test_the_machine_is_that_of_the_same_library_elsewhere(blobs):
    X, y = blobs
    ours, theirs = LibSVC(C=3.0, gamma=0.05).fit(X, y), SVC(C=3.0, gamma=0.05).fit(X, y)
    assert abs(ours.n_support_vectors_ - theirs.n_support_.sum()) <= 2


def out_of_fold_accuracy(X, y, cost, gamma, seed):
    folds = StratifiedKFold(N_TUNING_FOLDS, shuffle=True, random_state=seed).split(X, y)
    return np.mean([SVC(C=cost, gamma=gamma).fit(X[a], y[a]).score(X[b], y[b]) for a, b in folds])


def test_tuning_climbs_as_long_as_it_pays(blobs):
    X, y = blobs
    scale = 1 / (X.shape[1] * X.var())
    chosen = TunedLibSVC(seed=1).fit(X, y)
    assert chosen.C in COSTS
    assert chosen.gamma in [width * scale for width in WIDTHS]
    best = out_of_fold_accuracy(X, y, chosen.C, chosen.gamma, 1)
    for factor in (0.1, 10):
        if COSTS[0] <= chosen.C * factor <= COSTS[-1]:
            assert out_of_fold_accuracy(X, y, chosen.C * factor, chosen.gamma, 1) <= best
    for cost in COSTS[:2]:
        assert out_of_fold_accuracy(X, y, cost, WIDTHS[0] * scale, 1) <= best
    plain = LibSVC(C=chosen.C, gamma=chosen.gamma, seed=1).fit(X, y)
    assert np.array_equal(plain.predict_proba(X), chosen.predict_proba(X))
