"""Laws of targets as options: every target of the package is one, and has a phrase."""

from inspect import signature

import pytest

from abstain import Accuracy, InputError, RejectCost, RejectRate, pareto_front
from abstain.cli.fit import fit
from abstain.cli.front import front
from abstain.cli.targets import TARGETS, chosen_target, target_in_words
from abstain.targets.base import exported_targets

TARGETS_BY_NAME = {
    "accuracy": Accuracy(0.9),
    "reject_rate": RejectRate(0.9),
    "reject_cost": RejectCost(0.9),
}


def test_every_exported_target_is_an_option():
    assert sorted(option.class_name for option in TARGETS.values()) == sorted(exported_targets())


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("method", ["exact", "pooled"])
def test_an_option_gives_its_target_and_a_phrase_with_its_value(name, method):
    others = dict.fromkeys(TARGETS)
    target = chosen_target(**others | {name: 0.9})
    assert target == TARGETS_BY_NAME[name]
    front = pareto_front([0.1, 0.2], [False, True], method=method)
    assert "0.9" in target_in_words(target, front)


def test_at_most_one_target_is_served_and_none_is_none():
    assert chosen_target(accuracy=None, reject_rate=None) is None
    with pytest.raises(InputError, match="got --accuracy and --reject-rate; drop one"):
        chosen_target(accuracy=0.9, reject_rate=0.1)
    with pytest.raises(InputError, match="give --accuracy as well"):
        chosen_target(0.95, reject_rate=0.1)


def test_a_target_of_another_package_is_shown_as_python_does():
    class Everything:
        def __repr__(self):
            return "Everything()"

    assert target_in_words(Everything(), pareto_front([0.1], [True])) == "Everything()"


@pytest.mark.parametrize("command", [fit, front])
def test_commands_take_every_target(command):
    assert set(TARGETS) <= set(signature(command).parameters)
