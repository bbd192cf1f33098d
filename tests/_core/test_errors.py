"""Messages name arguments in Python and options on the command line."""

import pickle

import pytest

from abstain import Accuracy, InputError
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


def test_plain_text_stays_as_it_is():
    error = InputError("t.csv is empty")
    assert str(error) == in_options(error.message) == "t.csv is empty"
    assert error.argument is None


def test_an_error_keeps_its_parts_when_it_comes_from_another_process():
    with pytest.raises(InputError) as caught:
        Accuracy(5).check()
    error = pickle.loads(pickle.dumps(caught.value))
    assert str(error) == str(caught.value)
    assert in_options(error.message) == "--accuracy must be a number in (0, 1], got 5; 5 % is 0.05"
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
