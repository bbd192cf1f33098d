"""Values that a fit has never seen are counted by column; rows of the fit are recognized."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstain.tables.columns import MOST_HASHES, hash_rows, rows_of_fit, share_known
from abstain.tables.unseen_values import describe_rows, find_unseen, values_of_fit

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
    assert counts_of(find_unseen(values_of_fit(FITTED), frame)) == expected


def counts_of(unseen):
    return {name: (column.n_rows, column.example) for name, column in unseen.items()}


def test_each_row_is_told_what_is_new_in_it():
    frame = pl.DataFrame({"a": [1.0, 430.0, None, -0.1], "kind": ["x", "y", "z", "z\x1b"]})
    texts = describe_rows(find_unseen(values_of_fit(FITTED), frame), 4).to_list()
    assert texts == [
        "",
        "not in the fit: a 430 (0 to 2)",
        "not in the fit: kind 'z' (new)",
        "not in the fit: a -0.1 (0 to 2); kind 'z\\x1b' (new)",
    ]


def test_a_column_that_was_empty_tells_nothing():
    assert "none" not in values_of_fit(FITTED)
    assert not find_unseen(values_of_fit(FITTED), FITTED.with_columns(none=pl.lit(1.0)))


def test_values_are_taken_as_the_model_takes_them():
    known = values_of_fit(pl.DataFrame({"a": [0.0, 2.0], "flag": ["true", "false"]}))
    typed = pl.DataFrame({"a": [1, 3], "flag": [True, None]})
    assert counts_of(find_unseen(known, typed)) == {"a": (1, 3.0)}
    text = pl.DataFrame({"a": ["1", "NA"], "flag": ["True", "k.A."]})
    assert find_unseen(known, text, ["k.A."]) == {}


def test_the_fit_itself_holds_no_unseen_value():
    assert not find_unseen(values_of_fit(FITTED), FITTED)


# --- rows of the fit ------------------------------------------------------------------------------


def make_rows(n, seed=0):
    rng = np.random.default_rng(seed)
    values = pl.DataFrame(rng.normal(size=(n, 3)), schema=["a", "b", "c"])
    kinds = [["x", "y", None][index] for index in rng.integers(0, 3, n)]
    return values.with_columns(kind=pl.Series(kinds, dtype=pl.String))


numbers = st.floats(allow_nan=False, allow_infinity=False) | st.none()


@given(st.lists(st.tuples(numbers, numbers, st.sampled_from(["x", "y", None])), min_size=2))
def test_equal_rows_have_equal_hashes_and_others_do_not(rows):
    schema = {"a": pl.Float64, "b": pl.Float64, "kind": pl.String}
    hashes = hash_rows(pl.DataFrame(rows, schema=schema, orient="row")).tolist()
    equal = {(a, b) for a in range(len(rows)) for b in range(len(rows)) if rows[a] == rows[b]}
    assert {
        (a, b) for a in range(len(rows)) for b in range(len(rows)) if hashes[a] == hashes[b]
    } == equal


@pytest.mark.parametrize("n", [200, 50_000])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_the_share_of_known_rows(n, share):
    fitted, others = make_rows(n), make_rows(n, seed=1)
    n_known = int(share * n)
    table = pl.concat([others.head(n - n_known), fitted.sample(n_known, seed=2)])
    known = share_known(rows_of_fit(fitted), table)
    assert known == pytest.approx(share, abs=0 if n < MOST_HASHES or share in (0, 1) else 0.03)


def test_what_is_kept_is_bounded():
    assert len(rows_of_fit(make_rows(50_000)).hashes) == MOST_HASHES
    assert len(rows_of_fit(make_rows(50)).hashes) == 50


# Of 4 x 4 kinds, all new rows are equal to old ones: that tells nothing.
def test_rows_that_are_alike_by_chance():
    rng = np.random.default_rng(0)
    old, new = (pl.DataFrame(rng.integers(0, 4, (100, 2)), schema=["a", "b"]) for _ in range(2))
    assert share_known(rows_of_fit(old), new) == 0.0
    assert share_known(rows_of_fit(old), old) == 0.0


def test_some_rows_that_repeat_others_are_no_hindrance():
    old = pl.concat([make_rows(90), make_rows(90).head(30)])
    assert share_known(rows_of_fit(old), old) == 1.0
    assert share_known(rows_of_fit(old), pl.concat([make_rows(70, seed=1), old.head(30)])) == 0.0


def test_a_few_known_rows_may_be_chance():
    fitted = make_rows(100)
    assert share_known(rows_of_fit(fitted), pl.concat([make_rows(95, seed=1), fitted[:5]])) == 0.0
