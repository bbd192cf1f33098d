"""Messages about columns suggest the names that are most like the one given."""

import pytest

from abstain._core.checks import list_columns

NAMES = ["id", "age", "Diagnosis (final)", "diagnosis_code", "site", "weight", "height", "sex", "t"]


@pytest.mark.parametrize(
    ("given", "suggested"),
    [
        ("AGE", "'age'"),  # case does not count
        ("wieght", "'weight'"),
        ("diagnosis code", "'diagnosis_code'"),  # nor do spaces and signs
        ("diagnosis", "'diagnosis_code' or 'Diagnosis (final)'"),
        ("final", "'Diagnosis (final)'"),
        ("se", "'sex'"),
        ("weight_in_kg", "'weight'"),
    ],
)
def test_the_closest_columns_are_suggested(given, suggested):
    assert list_columns(given, NAMES) == f"did you mean {suggested}? it has 9 columns"
    listed = ", ".join(map(repr, NAMES[1:]))
    expected = f"did you mean {suggested}? its columns are {listed}"
    assert list_columns(given, NAMES[1:]) == expected


@pytest.mark.parametrize("given", ["outcome", "i", "", "é", "label" * 1000])
def test_columns_that_are_unlike_are_not_suggested(given):
    assert list_columns(given, NAMES).startswith("the first of its 9 columns are 'id', 'age', ")
    assert list_columns(given, NAMES[1:]).startswith("its columns are 'age', ")
