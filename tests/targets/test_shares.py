"""Laws of shares: recall, precision, several targets at once, and groups."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from abstain import (
    Accuracy,
    AllOf,
    ExpectedCost,
    InputError,
    Precision,
    Recall,
    RejectOptionClassifier,
    load,
    save,
)
from abstain.targets.outcomes import Outcomes
from tests.examples import examples

CLASSES = np.array(["ill", "well"])


def answers(n_samples, seed, n_classes=2):
    """Draw answers whose cells are the classes answered, and surer answers that are wrong less."""
    rng = np.random.default_rng(seed)
    certainty = rng.random(n_samples).round(2)
    answered = rng.integers(0, n_classes, n_samples)
    wrong = rng.random(n_samples) < 0.5 * np.exp(-rng.uniform(1, 5) * certainty)
    truth = np.where(wrong, (answered + 1) % n_classes, answered)
    return Outcomes(certainty, answered, answered, truth, CLASSES[:n_classes])


def accepted(choice, outcomes):
    thresholds = np.full(int(outcomes.cells.max()) + 1, -np.inf)
    thresholds[choice.front.cells] = choice.front.thresholds_at(choice.row)
    return outcomes.certainty >= thresholds[outcomes.cells]


def n_rejects(target, outcomes):
    return int((~accepted(target._solve(outcomes, "pooled"), outcomes)).sum())


def solved(target, outcomes):
    """Return which answers a target accepts; None if it cannot be reached."""
    try:
        return accepted(target._solve(outcomes, "pooled"), outcomes)
    except InputError:
        return None


cases = st.builds(answers, st.integers(20, 300), st.integers(0, 10_000))
levels = st.floats(0.5, 0.99)


@given(cases, levels)
def test_a_recall_is_reached_among_the_answered_samples_of_the_class(outcomes, level):
    accepts = solved(Recall("ill", level), outcomes)
    if accepts is not None:
        ill = accepts & (outcomes.truth == 0)
        assert (outcomes.answers == 0)[ill].sum() >= level * ill.sum() - 1e-9
        # What is answered by the class itself cannot be missed.
        assert accepts[outcomes.answers == 0].all()


@given(cases, levels)
def test_a_precision_is_reached_among_the_answers_that_name_the_class(outcomes, level):
    accepts = solved(Precision("ill", level), outcomes)
    if accepts is not None:
        named = accepts & (outcomes.answers == 0)
        assert (outcomes.truth == 0)[named].sum() >= level * named.sum() - 1e-9
        assert accepts[outcomes.answers == 1].all()


@given(cases, levels, levels)
def test_all_of_several_targets_are_reached(outcomes, accuracy, recall):
    accepts = solved(AllOf(Accuracy(accuracy), Recall("well", recall)), outcomes)
    if accepts is not None:
        right, well = outcomes.correct, accepts & (outcomes.truth == 1)
        assert right[accepts].sum() >= accuracy * accepts.sum() - 1e-9
        assert right[well].sum() >= recall * well.sum() - 1e-9


@given(st.integers(0, 10_000), levels)
def test_a_part_without_confidence_is_reached_on_the_calibration_data(seed, level):
    learn, test = answers(400, seed), answers(400, seed)
    target = AllOf(Accuracy(0.6, confidence=0.8), Recall("ill", level))
    try:
        choice = target._solve(learn, "pooled", test)
    except InputError:
        return
    ill = accepted(choice, learn) & (learn.truth == 0)
    assert learn.correct[ill].sum() >= level * ill.sum() - 1e-9
    assert [each.name for each in choice.guarantees] == ["the accuracy"]


@pytest.mark.parametrize(
    "target_at",
    [
        lambda level: Recall("ill", level),
        lambda level: Precision("well", level),
        lambda level: AllOf(Accuracy(level), Recall("ill", 0.8)),
        lambda level: AllOf(Precision("ill", 0.8), Recall("ill", level)),
        lambda level: Accuracy(level, groups=np.arange(200) % 3),
        Accuracy,
    ],
)
@given(seed=st.integers(0, 10_000), two=st.lists(levels, min_size=2, max_size=2))
def test_a_stricter_target_never_rejects_less(target_at, seed, two):
    outcomes = answers(200, seed)
    loose, strict = (solved(target_at(level), outcomes) for level in sorted(two))
    if strict is not None:
        assert loose is not None
        assert loose.sum() >= strict.sum()


PARTS = [Accuracy(0.85), Recall("ill", 0.8), Precision("well", 0.9)]


@pytest.mark.parametrize(
    ("looser", "stricter"),
    [
        (PARTS[0], AllOf(PARTS[0], Recall("ill", 0.01))),
        (PARTS[1], AllOf(PARTS[1], PARTS[2])),
        (AllOf(*PARTS[:2]), AllOf(*PARTS)),
        (AllOf(*PARTS[1:]), AllOf(*PARTS)),
        (PARTS[0], Accuracy(0.85, groups=np.zeros(200))),
        (PARTS[0], Accuracy(0.85, groups=np.arange(200) % 3)),
    ],
    ids=repr,
)
@examples(0.25)
@given(seed=st.integers(0, 10_000))
def test_another_condition_never_lessens_the_rejects(looser, stricter, seed):
    outcomes = answers(200, seed)
    loose, strict = (solved(target, outcomes) for target in (looser, stricter))
    if strict is not None:
        assert loose is not None
        assert loose.sum() >= strict.sum()


@pytest.mark.parametrize("target", [Accuracy(0.85), Recall("ill", 0.85), Precision("ill", 0.85)])
@given(cases)
def test_all_of_one_is_that_one(target, outcomes):
    one, alone = solved(AllOf(target), outcomes), solved(target, outcomes)
    assert (one is None and alone is None) or np.array_equal(one, alone)


@given(cases, levels)
def test_in_one_group_the_accuracy_is_that_of_all(outcomes, level):
    one_group = np.zeros(len(outcomes), dtype=int)
    grouped = solved(Accuracy(level, groups=one_group), outcomes)
    if grouped is not None:
        assert outcomes.correct[grouped].mean() >= level - 1e-9


@given(st.integers(0, 10_000), levels)
def test_the_accuracy_is_reached_in_every_group(seed, level):
    outcomes = answers(300, seed)
    groups = np.random.default_rng(seed).integers(0, 3, 300)
    accepts = solved(Accuracy(level, groups=groups), outcomes)
    if accepts is not None:
        for group in range(3):
            members = accepts & (groups == group)
            assert outcomes.correct[members].sum() >= level * members.sum() - 1e-9


# --- in a classifier ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def data():
    return make_classification(3000, n_features=8, weights=[0.8], flip_y=0.02, random_state=0)


@pytest.fixture(scope="module")
def frozen(data):
    return FrozenEstimator(LogisticRegression().fit(data[0][:1000], data[1][:1000]))


def test_groups_come_as_an_array_a_function_or_a_column(data):
    pl = pytest.importorskip("polars")
    X, y = data
    frame = pl.DataFrame(X, schema=[f"x{i}" for i in range(8)]).with_columns(
        site=pl.Series(np.where(X[:, 0] > 0, 1.0, 0.0))
    )
    ways = [np.asarray(frame["site"]), lambda X: np.asarray(X["site"]), "site"]
    rejects = []
    for groups in ways:
        target = Accuracy(0.97, groups=groups)
        clf = RejectOptionClassifier(LogisticRegression(), target=target).fit(frame, y)
        rejects.append(clf.reject(frame))
    assert all(np.array_equal(rejects[0], other) for other in rejects)


def test_parts_of_a_target_are_cloned_and_compared(data):
    target = AllOf(Accuracy(0.9), Recall(1, 0.9))
    clf = clone(RejectOptionClassifier(LogisticRegression(), target=target))
    assert clf.target == target
    assert clf.target is not target
    assert repr(target) == (
        "AllOf(Accuracy(accuracy=0.9, confidence=None), "
        "Recall(label=1, recall=0.9, confidence=None))"
    )


@pytest.mark.parametrize("kind", ["array", "list", "polars"])
def test_a_part_with_groups_answers_and_survives_saving(data, tmp_path, kind):
    X, y = data
    labels = np.where(X[:, 0] > 0, "north", "south")
    pl = pytest.importorskip("polars")
    groups = {"array": labels, "list": labels.tolist(), "polars": pl.Series(labels)}[kind]
    target = AllOf(Accuracy(0.9, groups=groups), Precision(1, 0.8))
    clf = RejectOptionClassifier(LogisticRegression(), target=target).fit(X, y)
    answers = clf.predict(X)
    if kind != "polars":
        save(clf, tmp_path / "model.abstain")
        assert np.array_equal(load(tmp_path / "model.abstain").predict(X), answers)


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_a_sample_without_a_group_is_refused(data, missing):
    groups = np.array([missing] + [1.0] * 2999, dtype=object)
    clf = RejectOptionClassifier(LogisticRegression(), target=Accuracy(0.9, groups=groups))
    with pytest.raises(InputError, match=r"groups must name a group for each sample, got .*; give"):
        clf.fit(*data)


def test_a_part_that_is_changed_after_the_fit_is_noticed(data):
    target = AllOf(Accuracy(0.9), Recall(1, 0.9))
    clf = RejectOptionClassifier(LogisticRegression(), target=target).fit(*data)
    target.targets[1].recall = 0.95
    with pytest.raises(InputError, match="call retarget"):
        clf.predict(data[0])


def test_other_targets_are_reached_without_another_fit(data):
    X, y = data
    clf = RejectOptionClassifier(LogisticRegression()).fit(X, y)
    direct = RejectOptionClassifier(LogisticRegression(), target=Recall(1, 0.97)).fit(X, y)
    assert np.array_equal(clf.retarget(Recall(1, 0.97)).thresholds_, direct.thresholds_)


def test_what_is_certified_is_listed(data, frozen):
    X, y = data
    target = AllOf(Accuracy(0.95, confidence=0.9), Recall(1, 0.9, confidence=0.9))
    clf = RejectOptionClassifier(frozen, target=target, random_state=0).fit(X[1000:], y[1000:])
    point = clf.operating_point_
    assert [each.name for each in point.guarantees] == ["the accuracy", "the recall of 1"]
    assert [each.accuracy for each in point.guarantees] == [0.95, 0.9]
    assert all(each.bound >= each.accuracy for each in point.guarantees)
    assert point.guarantee == point.guarantees[0]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (Recall("ill", 0.9), r"label must be a class of the classifier \(\[0, 1\]\), got 'ill'"),
        (Recall(1, 90), r"recall must be a number in \(0, 1\), got 90; 90% is 0.9"),
        (Recall(1, 1, confidence=0.9), "recall must be below 1, got 1; no number of samples"),
        (Precision(1, 0.9, confidence=2), r"confidence must be a number in \(0, 1\), got 2"),
        (AllOf(), "AllOf needs at least one target, got none"),
        (AllOf(0.9), "targets must be Accuracy, Recall or Precision, got 0.9"),
        (
            Accuracy(0.9, groups=[1, 2]),
            "groups must have one label for each of 3,000 samples, got 2",
        ),
        (
            Accuracy(0.9, groups=np.arange(3000) < 3),
            "groups must have at least 10 samples each, got 3 in group True; merge it",
        ),
        (
            Accuracy(0.9, groups="site"),
            "groups must name a column of X, or be an array or a function",
        ),
        (
            Recall(1, 0.999, confidence=0.99),
            "the recall of 1 of 0.999 with confidence=0.99 cannot be certified: .* of class 1",
        ),
    ],
)
def test_what_cannot_be_had_is_said_in_one_line(data, target, message):
    clf = RejectOptionClassifier(LogisticRegression(), target=target)
    with pytest.raises(InputError, match=message) as caught:
        clf.fit(*data)
    assert "\n" not in str(caught.value)


def test_a_front_does_not_know_classes_or_groups():
    costs = ExpectedCost([[0, 1], [1, 0]], 0.2)
    for target in (Recall(1, 0.9), Precision(1, 0.9), Accuracy(0.9, groups=[1]), costs):
        with pytest.raises(InputError, match="fit a RejectOptionClassifier with"):
            target.choose(None)


def test_a_method_without_probabilities_is_refused(data):
    clf = RejectOptionClassifier(LogisticRegression(), target=Recall(1, 0.9), method="exact")
    with pytest.raises(InputError, match="method must be 'pooled' for Recall"):
        clf.fit(*data)


@pytest.mark.parametrize("groups", ["site", lambda X: X[:, 0] > 0])
def test_groups_that_need_the_samples_need_a_fit(data, groups):
    clf = RejectOptionClassifier(LogisticRegression()).fit(*data)
    with pytest.raises(InputError, match="groups must be labels of the samples given to fit"):
        clf.retarget(Accuracy(0.9, groups=groups))
