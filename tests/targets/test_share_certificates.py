"""What an error names instead of a certificate can be had."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from abstain import Accuracy, AllOf, InputError, Precision, Recall, RejectOptionClassifier
from abstain.classifier.proportions import new_proportions
from abstain.targets.outcomes import Outcomes
from tests.examples import examples

CLASSES = np.array(["ill", "well"])


def outcomes(rng, n_samples, top, slope, share, prior=None):
    """Draw samples that teach and that test; surer answers are wrong less often."""
    certainty = rng.random(n_samples).round(3)
    answered = (rng.random(n_samples) > share).astype(int)
    wrong = rng.random(n_samples) < top * np.exp(-slope * certainty)
    truth = np.where(wrong, 1 - answered, answered)
    rows = np.arange(n_samples)
    known = Outcomes(certainty, answered, answered, truth, CLASSES, rows)
    if prior is None or len(np.unique(truth)) < 2:
        return known, known
    labels = CLASSES[truth]
    proportions = new_proportions({"ill": prior}, CLASSES, labels, None)
    weights = proportions.calibrated(labels, None, "pooled").weights_of(labels)
    drawn = proportions.draw(labels, np.random.RandomState(0))
    return replace(known, weights=weights), replace(known, drawn=drawn)


@st.composite
def populations(draw):
    """Draw samples that teach and samples that test, of one population."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n_samples, prior = draw(st.integers(60, 600)), draw(st.sampled_from([None, None, 0.2]))
    about = rng.uniform(0.1, 0.5), rng.uniform(1, 5), rng.uniform(0.2, 0.8), prior
    return outcomes(rng, n_samples, *about)[0], outcomes(rng, n_samples, *about)[1]


KINDS = {
    "recall": lambda level, n: Recall("ill", level, confidence=0.9),
    "precision": lambda level, n: Precision("ill", level, confidence=0.9),
    "groups": lambda level, n: Accuracy(level, confidence=0.9, groups=np.arange(n) % 3),
    "several": lambda level, n: AllOf(
        Accuracy(0.8, confidence=0.9), Recall("ill", level, confidence=0.8)
    ),
    "one plain": lambda level, n: AllOf(Accuracy(0.7), Precision("ill", level, confidence=0.9)),
    "groups and a class": lambda level, n: AllOf(
        Recall("ill", 0.8, confidence=0.9),
        Accuracy(level, confidence=0.9, groups=np.arange(n) % 2),
    ),
}
NAMED = re.compile(r"they certify (0\.\d+)")


def lowered(target, message, level):
    """Return the target with another level of the part that the message is about."""
    if isinstance(target, AllOf):
        kinds = {"the accuracy": Accuracy, "the recall": Recall, "the precision": Precision}
        (kind,) = [kind for name, kind in kinds.items() if message.startswith(name)]
        parts = [
            lowered(part, message, level) if isinstance(part, kind) else part
            for part in target.targets
        ]
        return AllOf(*parts)
    (name,) = [name for name in ("accuracy", "recall", "precision") if hasattr(target, name)]
    return replace(target, **{name: level})


def refusal(target, learn, test):
    """Return why a target is not certified; None if it is."""
    try:
        target._solve(learn, "pooled", test)
    except InputError as error:
        return str(error)
    return None


@pytest.mark.parametrize("kind", KINDS)
@examples(0.2)
@given(populations(), st.sampled_from([0.85, 0.92, 0.95, 0.99]))
def test_the_level_that_is_named_is_certified_and_no_higher_one(kind, samples, level):
    target = KINDS[kind](level, len(samples[0]))
    message = refusal(target, *samples)
    if message is None or "cannot be certified" not in message:
        return
    named = NAMED.search(message)
    if named is None:
        assert "they certify no level" in message
        assert all(refusal(lowered(target, message, each), *samples) for each in (0.7, 0.3, 0.01))
        return
    instead = float(named[1])
    assert refusal(lowered(target, message, instead), *samples) is None
    asked = float(re.search(r" of (0\.\d+) with", message)[1])
    if instead + 0.001 < asked:
        above = lowered(target, message, round(instead + 0.001, 3))
        assert refusal(above, *samples) is not None


X, CODES = make_classification(900, 6, weights=[0.7], flip_y=0.1, class_sep=0.7, random_state=0)
Y = CLASSES[1 - CODES]


@pytest.mark.parametrize("is_frozen", [True, False])
@pytest.mark.parametrize("prior", [None, {"ill": 0.15}])
@pytest.mark.parametrize("kind", KINDS)
def test_it_can_be_had_from_a_classifier_too(kind, prior, is_frozen):
    model = LogisticRegression()
    model = FrozenEstimator(model.fit(X[:200], Y[:200])) if is_frozen else model
    samples = X[200:], Y[200:]
    target = KINDS[kind](0.985, 700)
    clf = RejectOptionClassifier(model, target=target, class_prior=prior, cv=3, random_state=0)
    with pytest.raises(InputError, match="cannot be certified") as caught:
        clf.fit(*samples)
    message = str(caught.value)
    named = NAMED.search(message)
    if named is None:
        assert "they certify no level" in message
        return
    lower = lowered(target, message, float(named[1]))
    with pytest.warns(UserWarning, match="2 targets have been tested on the same samples"):
        moved = clf.retarget(lower).operating_point_
    assert min(each.bound - each.accuracy for each in moved.guarantees) >= 0
    assert repr(clf.set_params(target=lower).fit(*samples).operating_point_) == repr(moved)


def drawn(n_samples, seed):
    return outcomes(np.random.default_rng(seed), n_samples, 0.3, 2, 0.5)[0]


def test_all_parts_that_fail_are_named():
    learn, test = drawn(400, 0), drawn(400, 1)
    target = AllOf(*(Precision(label, 0.97, confidence=0.9) for label in CLASSES.tolist()))
    message = refusal(target, learn, test)
    assert re.match("the precision of '(ill|well)' of 0.97 with confidence=0.9 cannot", message)
    assert re.search("be certified, nor can the precision of '(ill|well)': of 400 test", message)
    assert "; they certify no level at all beside the other targets: ask for less" in message


def test_groups_have_one_level():
    groups = np.where(np.arange(400) % 2 == 0, "north", "south")
    message = refusal(Accuracy(0.88, 0.9, groups), drawn(400, 0), drawn(400, 1))
    assert re.search(r"; they certify 0\.\d+ in every group: request no more, ideally", message)
    assert re.search(r"hold out about [\d,]+ samples of group '(north|south)' \(it", message)


def test_the_number_of_samples_that_is_named_usually_suffices():
    n_tried = n_enough = 0
    target = Precision("ill", 0.89, confidence=0.9)
    for seed in range(60):
        message = refusal(target, drawn(400, 2 * seed), drawn(400, 2 * seed + 1))
        more = message and re.search(r"hold out about ([\d,]+) answers 'ill'", message)
        if more:
            n_samples = 2 * int(more[1].replace(",", ""))  # half of the answers are "ill"
            again = drawn(n_samples, 1000 + seed), drawn(n_samples, 2000 + seed)
            n_tried += 1
            n_enough += refusal(target, *again) is None
    assert n_tried > 10
    assert n_enough > 0.75 * n_tried


def test_few_samples_of_a_class_are_no_fault_of_the_classifier():
    learn, test = drawn(400, 0), drawn(3, 1)
    message = refusal(Recall("ill", 0.9, confidence=0.95), learn, test)
    assert re.search(r"or hold out .*samples of class 'ill' \(it takes 29 accepted ones", message)
