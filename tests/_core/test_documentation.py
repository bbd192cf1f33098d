"""Shared texts complete a docstring; its own texts stay."""

import inspect

import pytest

from abstain._core.documentation import documented

PARAMETERS = """
X : array-like
    Samples.
y, z : array-like
    Their classes, twice.
n_bins : int
    Number of bins.
n_bins=None : int
    Number of bins; None chooses it.
**kwargs : dict
    Passed on.
"""


def lines(function):
    return inspect.getdoc(function).splitlines()


def test_entries_are_in_the_order_of_the_signature_and_have_defaults():
    @documented(PARAMETERS)
    def count(n_bins, y, z, X="all", **kwargs):
        """Count samples."""

    assert lines(count) == [
        "Count samples.",
        "",
        "Parameters",
        "----------",
        "n_bins : int",
        "    Number of bins.",
        "y, z : array-like",
        "    Their classes, twice.",
        'X : array-like, default="all"',
        "    Samples.",
        "**kwargs : dict",
        "    Passed on.",
    ]


def test_a_default_that_the_entry_states_is_that_of_the_documentation():
    @documented("watch : callable, default=nothing\n    Called now and then.")
    def count(watch=print):
        """Count samples."""

    assert lines(count)[-2] == "watch : callable, default=nothing"


def test_a_parameter_that_is_none_by_default_may_have_an_entry_of_its_own():
    @documented(PARAMETERS)
    def count(n_bins=None):
        """Count samples."""

    assert lines(count)[-2:] == [
        "n_bins : int, default=None",
        "    Number of bins; None chooses it.",
    ]


def test_own_entries_and_sections_stay():
    @documented(PARAMETERS, returns="n : int\n    Number.", setup=">>> import math\n")
    def count(X, n_bins=None):
        """Count samples.

        Parameters
        ----------
        n_bins : int, default=7
            As few as possible.

        Notes
        -----
        By hand.

        Examples
        --------
        >>> math.pi
        """

    titles = ["Parameters", "Returns", "Notes", "Examples"]
    assert [line for line in lines(count) if line in titles] == titles
    assert "n_bins : int, default=7\n    As few as possible." in count.__doc__
    assert "Returns\n-------\nn : int\n    Number.\n\nNotes" in count.__doc__
    assert count.__doc__.endswith(">>> import math\n>>> math.pi")


def test_attributes_of_a_class_follow_its_parameters():
    @documented(PARAMETERS, attributes="n_ : int\n    Number.")
    class Counter:
        """Counts samples."""

        def __init__(self, X):
            pass

    assert Counter.__doc__.endswith("    Samples.\n\nAttributes\n----------\nn_ : int\n    Number.")


def test_a_parameter_without_any_text_is_refused():
    with pytest.raises(KeyError, match="weight"):

        @documented(PARAMETERS)
        def count(weight):
            """Count samples."""


def test_python_without_docstrings_has_nothing_to_complete():
    def count(X):
        pass

    assert documented(PARAMETERS)(count).__doc__ is None
