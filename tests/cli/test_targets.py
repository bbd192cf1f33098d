"""Laws of targets as options: every target of the package is one, and has a phrase."""

from inspect import signature

import pytest

from abstain import (
    Accuracy,
    AllOf,
    ExpectedCost,
    InputError,
    Precision,
    Recall,
    RejectCost,
    RejectRate,
    pareto_front,
)
from abstain.cli.fit import fit
from abstain.cli.front import front
from abstain.cli.targets import TARGETS, chosen_target, target_in_words, target_options
from abstain.targets.base import exported_targets

# What is given to each option, and the target that it becomes.
COSTS = {("ill", "well"): 0.9, ("well", "ill"): 2.0}
GIVEN = {
    "accuracy": ({"accuracy": 0.9}, Accuracy(0.9)),
    "recall": ({"recall": ["ill=0.9"]}, Recall("ill", 0.9)),
    "precision": ({"precision": ["ill=0.9"]}, Precision("ill", 0.9)),
    "reject_rate": ({"reject_rate": 0.9}, RejectRate(0.9)),
    "reject_cost": ({"reject_cost": 0.9}, RejectCost(0.9)),
    "cost": (
        {"cost": ["ill:well=0.9", "well:ill=2"], "reject_cost": 0.5},
        ExpectedCost(COSTS, reject=0.5),
    ),
}


@pytest.mark.parametrize(
    "target",
    [
        *(target for _, target in GIVEN.values()),
        Accuracy(0.9, confidence=0.95, groups="site"),
        AllOf(Accuracy(0.9, 0.95), Recall("ill", 0.8, 0.95), Precision("well", 0.7, 0.95)),
        AllOf(Recall("ill", 0.8), Recall("a=b", 0.7)),
    ],
    ids=repr,
)
def test_the_options_of_a_target_make_it(target):
    options = {name.replace("-", "_"): value for name, value in target_options(target).items()}
    assert chosen_target(**options) == target


def test_a_target_without_options_has_none():
    assert target_options(ExpectedCost([[0, 1], [2, 0]], reject=0.5)) is None
    assert target_options(ExpectedCost({("a:b", "c"): 1, ("c", "a:b"): 1}, reject=0.5)) is None
    assert target_options(Accuracy(0.9, groups=["a", "b"])) is None


# Several shares at once are AllOf, which has no option of its own.
def test_every_exported_target_is_an_option():
    options = [option.class_name for option in TARGETS.values()]
    assert sorted([*options, "AllOf"]) == sorted(exported_targets())
    assert set(GIVEN) == set(TARGETS)


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("method", ["exact", "pooled"])
def test_an_option_gives_its_target_and_a_phrase_with_its_value(name, method):
    options, expected = GIVEN[name]
    target = chosen_target(**dict.fromkeys(TARGETS) | options)
    assert target == expected
    front = pareto_front([0.1, 0.2], [False, True], method=method)
    phrase = target_in_words(target, front)
    assert "0.9" in phrase
    assert TARGETS[name].needs_classes == ("'ill'" in phrase)


def test_only_one_kind_of_target_is_served_and_none_is_none():
    assert chosen_target(accuracy=None, reject_rate=None, recall=[]) is None
    with pytest.raises(InputError, match="got --accuracy and --reject-rate; drop one"):
        chosen_target(accuracy=0.9, reject_rate=0.1)
    with pytest.raises(InputError, match="got --recall and --reject-rate; drop one"):
        chosen_target(recall=["ill=0.9"], reject_rate=0.1)
    with pytest.raises(InputError, match="give --accuracy as well, or --recall or --precision"):
        chosen_target(0.95)
    with pytest.raises(InputError, match="give --accuracy as well"):
        chosen_target(group_by="site", recall=["ill=0.9"])
    with pytest.raises(InputError, match="give --reject-cost as well"):
        chosen_target(cost=["ill:well=9"])


# To add an accuracy would ask for two kinds of targets.
@pytest.mark.parametrize("name", ["reject_rate", "reject_cost", "cost"])
def test_targets_that_are_not_certified_take_neither_confidence_nor_groups(name):
    options, _ = GIVEN[name]
    kind = "reject rates" if name == "reject_rate" else "costs"
    with pytest.raises(InputError, match=f"; drop --confidence: {kind} are not certified$"):
        chosen_target(0.95, **options)
    with pytest.raises(InputError, match=r"; drop --group-by$"):
        chosen_target(group_by="site", **options)


@pytest.mark.parametrize("confidence", [None, 0.9])
@pytest.mark.parametrize("method", ["exact", "pooled"])
def test_several_shares_are_reached_together_with_one_confidence(confidence, method):
    target = chosen_target(
        confidence,
        "site",
        accuracy=0.91,
        recall=["ill=0.92", "well, or so=0.93"],
        precision=["a=b=0.94"],
    )
    expected = AllOf(
        Accuracy(0.91, confidence, groups="site"),
        Recall("ill", 0.92, confidence),
        Recall("well, or so", 0.93, confidence),
        Precision("a=b", 0.94, confidence),
    )
    assert target == expected
    phrase = target_in_words(target, pareto_front([0.1, 0.2], [False, True], method=method))
    for part in ("0.91 in every group of 'site'", "'ill'", "0.92", "'well, or so'", "0.93", "0.94"):
        assert part in phrase
    assert phrase.count("rejects") == 1


@pytest.mark.parametrize("name", ["recall", "precision", "cost"])
@pytest.mark.parametrize(
    "text",
    ["", "=", "ill", "ill=", "=0.9", "ill=much", ":=0.5", "ill:=0.5", ":ill=0.5", "a:b:c=0.5"],
)
def test_malformed_shares_and_costs_are_refused(name, text):
    if name != "cost" and ":" in text:
        assert chosen_target(**{name: [text]}).label == text.removesuffix("=0.5")  # a class
        return
    others = {"reject_cost": 0.5} if name == "cost" else {}
    with pytest.raises(InputError, match=rf"must be (CLASS|TRUE).*, got '{text}'$"):
        chosen_target(**{name: [text]}, **others)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"recall": ["ill=98"]}, r"recall must be a number in \(0, 1\), got 98.0; 98% is 0.98"),
        ({"recall": ["ill=0.9", "ill=0.8"]}, "recall='ill=0.8' gives a second number; drop one"),
        ({"cost": ["a:b=1", "a:b=2"], "reject_cost": 1}, "costs='a:b=2' gives a second number"),
        ({"cost": ["a:b=-1"], "reject_cost": 1}, "finite number from 0 on, got 'a:b=-1'"),
        ({"cost": ["a:b=nan"], "reject_cost": 1}, "finite number from 0 on, got 'a:b=nan'"),
        ({"cost": ["a:b=inf"], "reject_cost": 1}, "finite number from 0 on, got 'a:b=inf'"),
        ({"reject_cost": 1.5}, "must be below 1, .*, got 1.5: nothing would be rejected; lower"),
        ({"reject_cost": -1}, r"must be a number in \(0, 1\), got -1"),
        ({"cost": ["a:b=1"], "reject_cost": -1}, "reject must be a finite number from 0 on"),
        ({"cost": ["c.csv", "a:b=1"], "reject_cost": 1}, "must be one table, or pairs of classes"),
    ],
)
def test_impossible_numbers_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        chosen_target(**options)


def test_many_costs_are_summed_up():
    costs = {(true, answer): 3.0 + true for true in range(4) for answer in range(4)}
    front = pareto_front([0.1, 0.2], [False, True])
    phrase = target_in_words(ExpectedCost(costs, reject=0.5), front)
    assert phrase == "least cost when errors cost from 3 to 6 and a reject costs 0.5"


def test_a_target_of_another_package_is_shown_as_python_does():
    class Everything:
        def __repr__(self):
            return "Everything()"

    assert target_in_words(Everything(), pareto_front([0.1], [True])) == "Everything()"


# A file of scores does not name the classes that a target is about.
def test_commands_take_every_target_that_they_can_serve():
    assert set(TARGETS) <= set(signature(fit).parameters)
    of_scores = {name for name, option in TARGETS.items() if not option.needs_classes}
    assert of_scores == set(TARGETS) & set(signature(front).parameters)
