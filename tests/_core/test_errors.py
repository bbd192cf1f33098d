"""Messages name arguments in Python and options on the command line."""

import pickle
from math import nan

import pytest
from sklearn.naive_bayes import GaussianNB

from abstain import (
    GMLVQ,
    Accuracy,
    InputError,
    RejectOptionClassifier,
    RejectRate,
    pareto_front,
)
from abstain._core.errors import Argument, Message, with_remedy
from abstain.cli.common import in_options
from abstain.tables.values import BadValueError


def test_an_error_about_an_argument_carries_its_parts_and_renders_them_twice():
    remedy = Message("give fewer, ", Argument("cv", 3))
    error = InputError(
        argument="test_size", value=0.9, requirement="leaves no class", remedy=remedy
    )
    assert (error.argument, error.value, error.requirement) == ("test_size", 0.9, "leaves no class")
    assert str(error) == "test_size=0.9 leaves no class; give fewer, cv=3"
    assert in_options(error.message) == "--test-size 0.9 leaves no class; give fewer, --cv 3"


def test_what_an_argument_must_be_is_followed_by_the_value_received():
    error = InputError(argument="cv", value=None, requirement="must be an integer")
    assert str(error) == "cv must be an integer, got None"
    assert in_options(error.message) == "--cv must be an integer, got None"


X, Y = [[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"]


def rejecting(**settings):
    return RejectOptionClassifier(GaussianNB(), **settings).fit(X, Y)


@pytest.mark.parametrize(
    ("call", "argument", "value"),
    [
        (lambda: pareto_front([0.2, nan], [True, False]), "certainty", nan),
        (lambda: pareto_front([0.2, "much"], [True, False]), "certainty", "much"),
        (lambda: pareto_front([0.2, 0.1], [True, 2]), "correct", 2),
        (lambda: pareto_front(0.2, [True]), "certainty", 0.2),
        (lambda: pareto_front([], []), "certainty", ...),
        (lambda: pareto_front([0.2], [True], method="x"), "method", "x"),
        (lambda: GMLVQ(max_iter=-1).fit(X, Y), "max_iter", -1),
        (lambda: GMLVQ(n_components=2).fit(X, Y), "n_components", 2),
        (lambda: GMLVQ(3).fit(X, Y), "n_prototypes_per_class", 3),
        (lambda: GMLVQ(class_weight={"a": 1, "c": 1}).fit(X, Y), "class_weight", "c"),
        (lambda: GMLVQ().fit(X, ["a", "a", "b", None]), "y", None),
        (lambda: GMLVQ().fit([[0.0], [nan], [4.0], [5.0]], Y), "X", ...),
        (lambda: rejecting(cv=1), "cv", 1),
        (lambda: rejecting(certainty="foo"), "certainty", "foo"),
        (lambda: rejecting(cells="foo"), "cells", "foo"),
        (lambda: rejecting(method="x"), "method", "x"),
        (lambda: rejecting(target=0.9), "target", 0.9),
        (lambda: rejecting(target=RejectRate(7)), "rate", 7),
        (lambda: rejecting(min_cell_size=0), "min_cell_size", 0),
        (lambda: rejecting(test_size=2), "test_size", 2),
        (lambda: rejecting(reject_label="a"), "reject_label", "a"),
        (lambda: RejectOptionClassifier("GMLVQ").fit(X, Y), "estimator", "GMLVQ"),
        (lambda: RejectOptionClassifier(GMLVQ()).fit(X, ["a"] * 4), "y", ...),
    ],
)
def test_shared_checks_say_which_argument_is_wrong(call, argument, value):
    with pytest.raises(InputError) as caught:
        call()
    error = caught.value
    assert error.argument == argument
    assert error.value == value or (error.value != error.value and value is nan)
    assert error.requirement.startswith("must ")
    assert str(error).startswith(f"{argument} {error.requirement}, got ")
    assert str(error).endswith(error.remedy)


def test_what_was_received_can_be_described_in_other_words():
    error = InputError(
        argument="X", value=nan, requirement="must be numbers", got="nan in row 3", remedy="drop it"
    )
    assert str(error) == "X must be numbers, got nan in row 3; drop it"


def test_plain_text_stays_as_it_is():
    error = InputError("t.csv is empty")
    assert str(error) == in_options(error.message) == "t.csv is empty"
    assert error.argument is None


def test_an_error_keeps_its_parts_when_it_comes_from_another_process():
    with pytest.raises(InputError) as caught:
        Accuracy(5).check()
    error = pickle.loads(pickle.dumps(caught.value))
    assert str(error) == str(caught.value)
    assert in_options(error.message) == "--accuracy must be a number in (0, 1], got 5; 5% is 0.05"
    assert (error.argument, error.value) == ("accuracy", 5)


def test_an_error_about_a_value_comes_from_another_process_as_it_was():
    error = BadValueError("age", 6, "<5", " of t.csv", like="$7")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is BadValueError
    assert (copy.row, copy.value, copy.message) == (6, "<5", error.message)
    assert "--missing '<5'" in in_options(copy.message)


def test_a_longer_remedy_leaves_the_parts():
    error = InputError(argument="cv", value=9, requirement="is too many", remedy="use fewer")
    longer = with_remedy(error, ", or ", Argument("cells", "global"))
    assert str(longer) == "cv=9 is too many; use fewer, or cells='global'"
    assert (longer.argument, longer.value) == ("cv", 9)
    assert longer.remedy == "use fewer, or cells='global'"


@pytest.mark.parametrize(
    ("argument", "option"),
    [
        (Argument("reject_rate"), "--reject-rate"),
        (Argument("cells", "leaf"), "--cells leaf"),
        (Argument("drop", ["a b", "c"]), "--drop 'a b' --drop c"),
        (Argument("separator", "\t"), "--separator tab"),
        (Argument("cv", "training"), "--cv 0"),
        (Argument("rate", 2), "--reject-rate 2"),
        (Argument("y_true"), "--y-true"),
        (Argument("held_out", None), "held_out=None"),  # no command has such an option
    ],
)
def test_arguments_become_options(argument, option):
    assert in_options(Message(argument)) == option
