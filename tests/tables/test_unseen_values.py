"""Values that a fit has never seen are counted, column by column."""

import polars as pl
import pytest

from abstain.tables.columns import find_unseen, values_of_fit

FITTED = pl.DataFrame({"a": [0.0, 2.0, None], "kind": ["x", "y", None], "none": [None, None, None]})


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ({"a": [0.0, 1.0, 2.0, None], "kind": ["x", "y", "x", None]}, {}),
        ({"a": [-0.1, 2.1, 1.0], "kind": ["x", "x", "x"]}, {"a": (2, -0.1)}),
        ({"a": [None, None], "kind": ["z", "X"]}, {"kind": (2, "z")}),
        ({"a": [9.0], "kind": [None]}, {"a": (1, 9.0)}),
    ],
)
def test_unseen_values_are_counted(new, expected):
    frame = pl.DataFrame(new, schema={"a": pl.Float64, "kind": pl.String})
    assert find_unseen(values_of_fit(FITTED), frame) == expected


def test_a_column_that_was_empty_tells_nothing():
    assert "none" not in values_of_fit(FITTED)
    assert not find_unseen(values_of_fit(FITTED), FITTED.with_columns(none=pl.lit(1.0)))


def test_values_are_taken_as_the_model_takes_them():
    known = values_of_fit(pl.DataFrame({"a": [0.0, 2.0], "flag": ["true", "false"]}))
    typed = pl.DataFrame({"a": [1, 3], "flag": [True, None]})
    assert find_unseen(known, typed) == {"a": (1, 3.0)}
    text = pl.DataFrame({"a": ["1", "NA"], "flag": ["True", "k.A."]})
    assert find_unseen(known, text, ["k.A."]) == {}


def test_the_fit_itself_holds_no_unseen_value():
    assert not find_unseen(values_of_fit(FITTED), FITTED)
