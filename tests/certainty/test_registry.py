"""Every measure keeps what the registry promises of it, and says whom it cannot serve."""

import copy
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OutputCodeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC, NuSVC
from sklearn.tree import DecisionTreeClassifier

from abstain import InputError, RejectOptionClassifier
from abstain.certainty import MEASURES, auto_measure, measure_certainty
from abstain.certainty.cells import RULES
from abstain.cli.fit import Cells, Certainty
from abstain.datasets import make_gaussian_clusters
from abstain.models import GLVQ, GMLVQ, GRLVQ, LGMLVQ, LMRSLVQ, MRSLVQ, RSLVQ
from tests.certainty.samples import (
    CHANGES,
    FACTOR,
    ROTATION,
    blobs,
    changed,
    fitted,
    name_of,
)


class NearestMean(ClassifierMixin, BaseEstimator):
    """Has predict and nothing else."""

    def fit(self, X, y):
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.centres_ = np.array([np.mean(X[codes == code], axis=0) for code in np.unique(codes)])
        return self

    def predict(self, X):
        X = np.asarray(X)
        return self.classes_[((X[:, np.newaxis] - self.centres_) ** 2).sum(axis=2).argmin(axis=1)]


PROTOTYPES = {"relsim", "boundary", "distance", "decision"}
# By declaration; that each of them works is tested below.
POSTERIORS = {name for name, measure in MEASURES.items() if measure.needs == MEASURES["conf"].needs}
# Each estimator, with the measures that can be had of it when there are three classes.
SERVED = [
    (GLVQ(), PROTOTYPES),
    (GRLVQ(), PROTOTYPES),
    (GMLVQ(2, random_state=0), PROTOTYPES),
    (LGMLVQ(), PROTOTYPES),
    (RSLVQ(), PROTOTYPES | POSTERIORS),
    (MRSLVQ(), PROTOTYPES | POSTERIORS),
    (LMRSLVQ(), PROTOTYPES | POSTERIORS),
    (SVC(gamma=0.1), {"pairwise", "decision"}),
    (SVC(kernel="linear"), {"pairwise", "decision"}),
    (SVC(decision_function_shape="ovo"), {"pairwise"}),  # its scores are not those of classes
    (NuSVC(nu=0.4), {"pairwise", "decision"}),
    (LinearSVC(), {"boundary", "decision"}),
    (RidgeClassifier(), {"boundary", "decision"}),
    (SGDClassifier(random_state=0), {"boundary", "decision"}),
    (LogisticRegression(), {"boundary", "decision"} | POSTERIORS),
    (LinearDiscriminantAnalysis(), {"boundary", "decision"} | POSTERIORS),
    (QuadraticDiscriminantAnalysis(), {"decision"} | POSTERIORS),
    (GaussianNB(), POSTERIORS),
    (KNeighborsClassifier(9), POSTERIORS),
    (DecisionTreeClassifier(max_depth=4, random_state=0), POSTERIORS),
    (RandomForestClassifier(10, max_depth=4, random_state=0), POSTERIORS),
    (VotingClassifier([("nb", GaussianNB()), ("tree", DecisionTreeClassifier())]), {"votes"}),
    (OutputCodeClassifier(LogisticRegression(), code_size=4, random_state=0), {"votes"}),
]
NEITHER = NearestMean()
every_measure = pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)


def pairs(keep=lambda estimator, measure: True):
    """Each measure with each estimator that it serves."""
    return [
        pytest.param(estimator, MEASURES[name], id=f"{name}-{name_of(estimator)}")
        for estimator, names in SERVED
        for name in MEASURES
        if name in names and keep(estimator, MEASURES[name])
    ]


def use(names):
    """The remedy that lists these measures."""
    return "use " + " or ".join(repr(name) for name in MEASURES if name in names)


every_pair = pytest.mark.parametrize(("estimator", "measure"), pairs())


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize(("estimator", "names"), SERVED, ids=name_of)
def test_a_measure_works_just_where_it_says_that_it_serves(estimator, names, n_classes):
    it, X = fitted(estimator, n_classes), blobs(n_classes)[2]
    if n_classes == 2 and isinstance(estimator, SVC):  # one machine, one score
        names = names | {"decision"} | ({"boundary"} if estimator.kernel == "linear" else set())
    assert {name for name, measure in MEASURES.items() if measure.serves(it)} == names
    for name, measure in MEASURES.items():
        if measure.serves(it):
            values = measure_certainty(it, X, name)
            assert values.shape == (len(X),)
            assert values.dtype == np.float64
            # Of leaves and neighbours that agree, the odds are infinite.
            assert np.isfinite(values).all() or name == "logit"
            assert not np.isnan(values).any()
            assert values.tolist() == measure.function(it, X).tolist()
        else:
            with pytest.raises(InputError, match=f"^certainty='{name}' needs {measure.needs}, got"):
                measure_certainty(it, X, name)


@every_pair
def test_values_lie_in_the_range(estimator, measure):
    X = np.concatenate([blobs()[0], blobs()[2], 100 * blobs()[0]])
    values = measure.function(fitted(estimator), X)
    assert measure.low <= values.min() < values.max() <= measure.high


# "trust" needs training samples: tests/certainty/test_trust_score.py.
@pytest.mark.parametrize("name", [name for name in MEASURES if name != "trust"])
def test_single_precision_of_the_data_keeps_the_range(name):
    measure = MEASURES[name]
    (estimator, _), *_ = [each for each in SERVED if measure.name in each[1]]
    X, y, new, _ = blobs()
    it = clone(estimator).fit(X.astype(np.float32), y)
    values = measure_certainty(it, new.astype(np.float32), measure.name)
    assert values.dtype == np.float64
    assert measure.low <= values.min() < values.max() <= measure.high


def test_the_registry_knows_each_measure_by_its_name():
    assert [measure.name for measure in MEASURES.values()] == list(MEASURES)
    assert all(measure.survives <= set(CHANGES) for measure in MEASURES.values())


def test_the_command_line_offers_every_rule_for_cells():
    assert list(Cells) == ["auto", *RULES]


def test_every_measure_is_offered_and_documented():
    # No model of the command line takes votes.
    assert {*Certainty, "votes"} == {"auto", *MEASURES}
    labels = {measure.label for measure in MEASURES.values()}
    assert len(labels - {"certainty"}) == len(MEASURES)
    guide = Path(__file__).parents[2] / "docs" / "guide" / "certainty.md"
    rows = re.findall(r'^\| `"(\w+)"`', guide.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(rows) == set(MEASURES)
    assert [name for name in MEASURES if f'"{name}"' not in RejectOptionClassifier.__doc__] == []


# Borders, found by bisection between samples that are given different classes.


def is_continuous(estimator, measure):
    """Tell whether scores change little with the sample: those of votes and leaves jump."""
    if isinstance(estimator, SVC | NuSVC):
        return measure.name == "pairwise"
    jumps = (
        KNeighborsClassifier | DecisionTreeClassifier | RandomForestClassifier | VotingClassifier
    )
    return not isinstance(estimator, jumps)


def border_of(it, X):
    home = it.predict(X)
    starts = X[:80]
    ends = np.array([X[(home != name).argmax()] for name in home[:80]])
    low, high = np.zeros((80, 1)), np.ones((80, 1))
    for _ in range(60):
        middle = (low + high) / 2
        is_home = (it.predict(starts + middle * (ends - starts)) == home[:80])[:, np.newaxis]
        low, high = np.where(is_home, middle, low), np.where(is_home, high, middle)
    return starts + high * (ends - starts)


def zero_on_border(estimator, measure):
    return measure.is_zero_on_borders and is_continuous(estimator, measure)


@pytest.mark.parametrize(
    ("estimator", "measure"),
    [
        *pairs(zero_on_border),
        *[
            pytest.param(RSLVQ(sigma2="local"), MEASURES[name], id=f"{name}-RSLVQ-local")
            for name in ("margin", "decision")  # it does not answer with its closest prototype
        ],
    ],
)
def test_certainty_is_zero_on_borders(estimator, measure):
    it, X = fitted(estimator), blobs()[2]
    scale = np.ptp(measure.function(it, X))
    assert measure.function(it, border_of(it, X)) == pytest.approx(0, abs=1e-9 * scale)


# Where no class wins all its duels, the winner has lost one.
@pytest.mark.parametrize(
    ("estimator", "measure"), pairs(lambda _, measure: measure.name == "pairwise")
)
def test_pairwise_margin_is_positive_on_no_border(estimator, measure):
    it = fitted(estimator)
    assert measure.function(it, border_of(it, blobs()[2])).max() < 1e-9


@pytest.mark.parametrize(
    ("estimator", "measure"),
    # With that gamma, no three machines disagree in a circle anywhere.
    pairs(
        lambda estimator, measure: (
            not measure.is_zero_on_borders
            and not (measure.name == "pairwise" and estimator.gamma == 0.1)
        )
    ),
)
def test_certainty_is_not_zero_on_borders_where_it_is_not_promised(estimator, measure):
    it = fitted(estimator)
    assert (np.abs(measure.function(it, border_of(it, blobs()[2]))) > 1e-3).any()


# Changes of the data. A fit ends where further steps no longer pay; of rotated data it takes other
# steps, so the ends differ, by little: shares of the spread of the values.

PRECISE, SAME_OPTIMUM = 1e-5, 1e-4
MINDS_NOTHING = frozenset(CHANGES)
LINEAR = {"boundary", "decision"}
STEADY = [
    (GLVQ(tol=1e-12, max_iter=5000), PROTOTYPES, MINDS_NOTHING),
    (GMLVQ(tol=1e-12, max_iter=5000), PROTOTYPES, MINDS_NOTHING),
    (RSLVQ(tol=1e-12, max_iter=5000), PROTOTYPES | POSTERIORS, MINDS_NOTHING),
    (GRLVQ(tol=1e-12, max_iter=5000), PROTOTYPES, MINDS_NOTHING - {"rotation"}),
    (LinearDiscriminantAnalysis(), LINEAR | POSTERIORS, MINDS_NOTHING),
    (KNeighborsClassifier(9), POSTERIORS, MINDS_NOTHING),
    (GaussianNB(), POSTERIORS, MINDS_NOTHING - {"rotation"}),
    (LogisticRegression(tol=1e-10), LINEAR | POSTERIORS, MINDS_NOTHING - {"scale"}),
    (RidgeClassifier(), LINEAR, MINDS_NOTHING - {"scale"}),
    (SVC(gamma=0.1, tol=1e-9), {"pairwise", "decision"}, MINDS_NOTHING - {"scale"}),
    (NuSVC(gamma=0.1, nu=0.4, tol=1e-9), {"pairwise"}, MINDS_NOTHING - {"scale"}),
]


def before_and_after(estimator, measure, change):
    _, y, new, _ = blobs()
    it = fitted(estimator)
    if measure.name == "pairwise":
        # Where no class wins all its duels, the order of the classes decides.
        new = new[measure.function(it, new) > 0]
    after = fitted(estimator, change=change)
    return measure.function(it, new), measure.function(after, changed(new, y, change)[0])


def changes(keep):
    return [
        pytest.param(estimator, measure, change, id=f"{measure.name}-{change}-{name_of(estimator)}")
        for estimator, names, minds_not in STEADY
        for measure in MEASURES.values()
        for change in CHANGES
        if measure.name in names and keep(measure, change, change in minds_not)
    ]


@pytest.mark.parametrize(
    ("estimator", "measure", "change"),
    changes(lambda measure, change, minds_not: minds_not and change in measure.survives),
)
def test_values_survive_the_changes_of_the_registry(estimator, measure, change):
    before, after = before_and_after(estimator, measure, change)
    is_search = change == "rotation" and hasattr(estimator, "n_prototypes_per_class")
    share = SAME_OPTIMUM if is_search else PRECISE
    assert after == pytest.approx(before, abs=share * np.ptp(before))


# Discriminant analysis and bandwidths take their unit from the data: the scores survive more than
# is promised.
@pytest.mark.parametrize(
    ("estimator", "measure", "change"),
    [
        case
        for case in changes(lambda measure, change, minds_not: change not in measure.survives)
        if not (
            isinstance(case.values[0], LinearDiscriminantAnalysis | RSLVQ) and "decision" in case.id
        )
    ],
)
def test_values_do_not_survive_other_changes(estimator, measure, change):
    before, after = before_and_after(estimator, measure, change)
    assert np.abs(after - before).max() > 1e-3 * np.ptp(before)


@pytest.mark.parametrize(("name", "power"), [("boundary", 1), ("distance", 2), ("decision", 2)])
@pytest.mark.parametrize("estimator", [each for each, *_ in STEADY[:4]], ids=name_of)
def test_of_prototypes_lengths_grow_with_the_unit_and_distances_with_its_square(
    estimator, name, power
):
    before, after = before_and_after(estimator, MEASURES[name], "scale")
    if isinstance(estimator, RSLVQ) and name == "decision":
        power = 0  # the logarithm of a posterior has no unit
    assert after == pytest.approx(FACTOR**power * before, abs=PRECISE * np.ptp(after))


# The measure itself, whatever the fit: prototypes and metrics are moved by hand.
@pytest.mark.parametrize(
    ("estimator", "change"),
    [
        (estimator, change)
        for estimator, _ in SERVED[:7]
        for change in ("shift", "rotation")
        if not (change == "rotation" and isinstance(estimator, GRLVQ))  # its weights do not turn
    ],
)
def test_measures_of_a_moved_model_are_those_of_the_model(estimator, change):
    it = fitted(estimator)
    moved = copy.deepcopy(it)
    moved.prototypes_ = changed(it.prototypes_, (), change)[0]
    for name in ("omega_", "omegas_"):
        if hasattr(it, name) and change == "rotation":
            setattr(moved, name, getattr(it, name) @ ROTATION.T)
    new = blobs()[2]
    for measure in MEASURES.values():
        if measure.serves(it):
            values = measure.function(moved, changed(new, (), change)[0])
            assert values == pytest.approx(measure.function(it, new), rel=1e-7, abs=1e-9)


@every_pair
def test_neither_the_order_nor_other_samples_matter(estimator, measure):
    it, X = fitted(estimator), blobs()[2][:100]
    if measure.name in PROTOTYPES and hasattr(it, "prototypes_"):
        X = X.copy()
        X[::7, 1] = np.nan
    values = measure.function(it, X)
    order = np.random.default_rng(0).permutation(len(X))
    assert measure.function(it, X[order]) == pytest.approx(values[order], rel=1e-9, abs=1e-12)
    alone = [measure.function(it, X[[row]])[0] for row in range(0, 100, 10)]
    assert alone == pytest.approx(values[::10], rel=1e-9, abs=1e-12)
    assert measure.function(it, X[:3].tolist()) == pytest.approx(values[:3], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("estimator", "measure"), pairs(lambda _, measure: measure.name != "distance")
)
def test_the_surer_half_is_more_often_right(estimator, measure):
    _, _, new, truth = blobs()
    it = fitted(estimator)
    right = (it.predict(new) == truth)[measure.function(it, new).argsort(kind="stable")]
    half = len(right) // 2
    assert right[half:].mean() > right[:half].mean() + 0.1


@pytest.mark.parametrize(
    ("estimator", "measure"), pairs(lambda _, measure: measure.name == "distance")
)
def test_distance_is_lowest_for_outliers(estimator, measure):
    it, new = fitted(estimator), blobs()[2]
    directions = np.random.default_rng(0).normal(size=(50, 3))
    outliers = 1000 * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    assert measure.function(it, outliers).max() < measure.function(it, new).min()


@pytest.mark.parametrize(
    ("estimator", "name"),
    [
        (GLVQ(), "relsim"),
        (GRLVQ(), "relsim"),
        (GMLVQ(), "relsim"),
        (LGMLVQ(), "relsim"),
        (RSLVQ(), "logit"),
        (MRSLVQ(), "logit"),
        (LMRSLVQ(), "logit"),
        (SVC(), "pairwise"),
        (NuSVC(nu=0.4), "pairwise"),
        (LinearSVC(), "decision"),
        (RidgeClassifier(), "decision"),
        (SGDClassifier(), "decision"),
        (SGDClassifier(loss="log_loss"), "logit"),
        (LogisticRegression(), "logit"),
        (GaussianNB(), "logit"),
        (LinearDiscriminantAnalysis(), "logit"),
        (QuadraticDiscriminantAnalysis(), "logit"),
        (HistGradientBoostingClassifier(max_iter=3), "logit"),
        (GradientBoostingClassifier(n_estimators=3), "logit"),
        (VotingClassifier([("nb", GaussianNB())]), "votes"),
        (VotingClassifier([("nb", GaussianNB())], voting="soft"), "logit"),
        (OutputCodeClassifier(LogisticRegression(), random_state=0), "votes"),
        (KNeighborsClassifier(), "conf"),
        (NearestCentroid(), "conf"),
        (DecisionTreeClassifier(), "conf"),
        (RandomForestClassifier(5), "conf"),
        # A calibrated classifier is meant to be used by its posteriors.
        (CalibratedClassifierCV(SVC(), ensemble=False), "conf"),
        (CalibratedClassifierCV(SVC(), ensemble=True), "conf"),
        (CalibratedClassifierCV(GMLVQ(), ensemble=False), "conf"),
        (make_pipeline(StandardScaler(), CalibratedClassifierCV(SVC(), ensemble=False)), "conf"),
        (GridSearchCV(CalibratedClassifierCV(SVC(), ensemble=False), {}, cv=2), "conf"),
        (make_pipeline(StandardScaler(), SVC()), "pairwise"),
        (GridSearchCV(make_pipeline(StandardScaler(), GMLVQ()), {}, cv=2), "relsim"),
    ],
    ids=lambda value: value if isinstance(value, str) else name_of(value),
)
def test_auto_takes_what_the_estimator_offers_best(estimator, name):
    X, y, new, _ = blobs()
    it = clone(estimator).fit(X, y)
    assert auto_measure(it) is MEASURES[name]
    assert auto_measure(FrozenEstimator(it)) is MEASURES[name]
    expected = measure_certainty(it, new[:9], name)
    assert measure_certainty(it, new[:9]).tolist() == expected.tolist()


def test_bayes_certainty_is_the_posterior_of_the_true_model():
    X, _, truth = make_gaussian_clusters(50, random_state=0, return_model=True)
    assert measure_certainty(truth, X).tolist() == truth.predict_proba(X).max(axis=1).tolist()


WRAPPED = [
    FrozenEstimator,
    lambda it: FrozenEstimator(FrozenEstimator(it)),
    lambda it: make_pipeline(FrozenEstimator(it)).fit(*blobs()[:2]),
    lambda it: make_pipeline("passthrough", it).fit(*blobs()[:2]),
    lambda it: GridSearchCV(it, {}, cv=2).fit(*blobs()[:2]),
    lambda it: FrozenEstimator(GridSearchCV(make_pipeline(it), {}, cv=2).fit(*blobs()[:2])),
]


@pytest.mark.parametrize("wrap", WRAPPED)
@pytest.mark.parametrize(
    "estimator", [GMLVQ(), LMRSLVQ(), SVC(), LogisticRegression()], ids=name_of
)
def test_measures_see_through_wrappers(estimator, wrap):
    it, X = fitted(estimator), blobs()[2]
    wrapped = wrap(it)
    for measure in MEASURES.values():
        assert measure.serves(wrapped) == measure.serves(it)
        if measure.serves(it):
            expected = measure.function(it, X)
            assert measure.function(wrapped, X) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("estimator", [GMLVQ(), RSLVQ(), SVC(), LinearSVC()], ids=name_of)
def test_the_model_of_a_pipeline_sees_what_the_steps_make_of_samples(estimator):
    X, y, new, _ = blobs()
    it = make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), clone(estimator)))
    it.fit(100 * X, y)
    seen = it[-1][0].transform(it[0].transform(100 * new))
    for measure in MEASURES.values():
        assert measure.serves(it) == measure.serves(it[-1][-1])
        if measure.serves(it):
            expected = measure.function(it[-1][-1], seen)
            assert measure.function(it, 100 * new).tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("estimator", "names"),
    [
        (GMLVQ(), ["relsim", "boundary", "distance"]),
        (SVC(), ["pairwise"]),
        (LogisticRegression(), ["boundary"]),
    ],
    ids=name_of,
)
def test_the_one_model_that_is_calibrated_can_be_measured(estimator, names):
    X, y, new, _ = blobs()
    it = fitted(estimator)
    calibrated = [
        CalibratedClassifierCV(FrozenEstimator(it)).fit(X, y),
        CalibratedClassifierCV(clone(estimator), ensemble=False).fit(X, y),
    ]
    for name in names:
        expected = measure_certainty(it, new, name)
        for each in calibrated:
            assert measure_certainty(each, new, name) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("estimator", "name"),
    [(GLVQ(), "relsim"), (GLVQ(), "distance"), (SVC(), "pairwise"), (LinearSVC(), "boundary")],
)
def test_models_of_several_folds_are_refused(estimator, name):
    it = CalibratedClassifierCV(estimator, ensemble=True, cv=3).fit(*blobs()[:2])
    with pytest.raises(InputError) as caught:
        measure_certainty(it, blobs()[2], name)
    assert str(caught.value) == (
        f"certainty={name!r} needs {MEASURES[name].needs}, got CalibratedClassifierCV; "
        f"{use(POSTERIORS)}"
    )


@pytest.mark.parametrize(
    "certainty",
    [
        lambda it, X: it.predict_proba(X).min(axis=1),
        lambda it, X: it.predict_proba(X).min(axis=1).tolist(),
        lambda it, X: [p > 0.2 for p in it.predict_proba(X).min(axis=1)],
    ],
)
def test_any_function_of_estimator_and_samples_is_a_measure(certainty):
    it, X = fitted(GaussianNB()), blobs()[2]
    values = measure_certainty(it, X, certainty)
    assert values.dtype == np.float64
    assert values.tolist() == list(certainty(it, X))


def test_the_functions_of_the_registry_are_callables_like_any_other():
    it, X = fitted(GLVQ()), blobs()[2]
    for name in PROTOTYPES:
        by_name = measure_certainty(it, X, name)
        assert measure_certainty(it, X, MEASURES[name].function).tolist() == by_name.tolist()


def test_infinite_certainty_is_a_value_like_any_other():
    values = measure_certainty(None, [[1], [2]], lambda it, X: [np.inf, -np.inf])
    assert values.tolist() == [np.inf, -np.inf]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0], "certainty must return one number for each of 2 samples, got 1"),
        ([1.0, 2.0, 3.0], "certainty must return one number for each of 2 samples, got 3"),
        ([1.0, np.nan], "certainty must hold no missing value, got nan at index 1"),
        ([[1.0, 2.0], [3.0, 4.0]], r"certainty must be one-dimensional, got shape \(2, 2\)"),
        (["high", "low"], "certainty must be numbers, got 'high'"),
        (0.5, "certainty must be a list or an array, got a float"),
        (None, "certainty must be a list or an array, got a NoneType"),
    ],
)
def test_a_function_that_returns_something_else_is_reported_so(values, message):
    with pytest.raises(InputError, match=f"^{message}$"):
        measure_certainty(None, [[1.0], [2.0]], lambda it, X: values)


@pytest.mark.parametrize("certainty", ["confidence", "RelSim", "", None, 0.5, ["conf"]])
def test_an_unknown_measure_is_refused_with_the_known_ones(certainty):
    with pytest.raises(InputError) as caught:
        measure_certainty(fitted(GLVQ()), blobs()[2], certainty)
    names = ", ".join(map(repr, ["auto", *MEASURES]))
    assert str(caught.value) == (
        f"certainty must be one of {names} or a callable, got {certainty!r}"
    )


@pytest.mark.parametrize(
    ("estimator", "name", "message"),
    [
        (
            GaussianNB(),
            "relsim",
            f"certainty='relsim' needs a prototype model, got GaussianNB; {use(POSTERIORS)}",
        ),
        (
            GLVQ(),
            "conf",
            f"certainty='conf' needs a classifier with predict_proba, got GLVQ; {use(PROTOTYPES)}",
        ),
        (
            KNeighborsClassifier(),
            "boundary",
            "certainty='boundary' needs a prototype model or a linear classifier, got "
            f"KNeighborsClassifier; {use(POSTERIORS)}",
        ),
        (
            NEITHER,
            "pairwise",
            "certainty='pairwise' needs an SVC or NuSVC, got NearestMean; pass a callable",
        ),
        (
            GaussianNB(),
            "trust",
            "certainty='trust' needs the samples that the classifier was fitted to, got "
            "GaussianNB; pass TrustScore().fit(X, y, estimator) with these samples",
        ),
        (
            NEITHER,
            "auto",
            "certainty='auto' finds neither predict_proba nor decision_function in "
            "NearestMean; use 'trust', or pass a function of (estimator, X)",
        ),
    ],
    ids=lambda value: name_of(value) if hasattr(value, "fit") else str(value)[:10],
)
def test_a_measure_that_cannot_be_had_is_refused_with_what_can(estimator, name, message):
    with pytest.raises(InputError) as caught:
        measure_certainty(clone(estimator).fit(*blobs()[:2]), blobs()[2], name)
    assert str(caught.value) == message


@pytest.mark.parametrize("certainty", ["auto", *(name for name in MEASURES if name != "trust")])
def test_an_estimator_that_is_not_fitted_is_refused(certainty):
    estimator = RSLVQ() if certainty != "pairwise" else SVC()
    for each in (estimator, make_pipeline(StandardScaler(), estimator), FrozenEstimator(estimator)):
        with pytest.raises(NotFittedError):
            measure_certainty(each, blobs()[2], certainty)
