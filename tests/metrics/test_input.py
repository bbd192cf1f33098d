"""What every metric refuses, and how it says so."""

import numpy as np
import pytest

from abstain import InputError, metrics

NAN = float("nan")


class NotAvailable:
    """Like pandas.NA: equal to nothing, and not even unequal."""

    def __eq__(self, other):
        return self

    __ne__ = __eq__
    __hash__ = None

    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")

    def __repr__(self):
        return "<NA>"


BY_CERTAINTY = [
    metrics.accuracy_reject_curve,
    metrics.precision_reject_curve,
    metrics.recall_reject_curve,
    metrics.aurc_score,
    metrics.eaurc_score,
    metrics.augrc_score,
]
BY_REJECTS = [metrics.classification_quality, metrics.rejection_quality]
ALL = [*BY_CERTAINTY, *BY_REJECTS]
WEIGHTED = [metric for metric in ALL if metric is not metrics.eaurc_score]

each_metric = pytest.mark.parametrize("metric", ALL)


@each_metric
@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1, NAN], "nan at index 1"),
        ([None, 1], "None at index 0"),
        (np.array([1, NAN], dtype=object), "nan at index 1"),
        # NumPy would turn these lists into text, "nan" and "None" included.
        (["a", NAN], "nan at index 1"),
        (("a", None), "None at index 1"),
        ([b"a", NAN], "nan at index 1"),
        (np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"), "NaT at index 1"),
        (np.array(["a", NotAvailable()], dtype=object), "<NA> at index 1"),
    ],
)
def test_missing_labels_are_refused(metric, labels, message):
    complete = ["a", "b"]
    for y_true, y_pred, name in [(labels, complete, "y_true"), (complete, labels, "y_pred")]:
        with pytest.raises(InputError, match=f"^{name} must hold no missing value, got {message}$"):
            metric(y_true, y_pred, [0, 1])


@each_metric
def test_arrays_of_unequal_length_are_refused(metric):
    with pytest.raises(InputError, match=r"y_true has 2, y_pred has 3, \w+ has 2"):
        metric([1, 0], [1, 0, 1], [0, 1])
    with pytest.raises(InputError, match=r"y_true has 2, y_pred has 2, \w+ has 1"):
        metric([1, 0], [1, 0], [0])


@each_metric
def test_empty_and_two_dimensional_labels_are_refused(metric):
    with pytest.raises(InputError, match="y_true must hold at least one sample, got 0"):
        metric([], [], [1])
    with pytest.raises(InputError, match=r"y_pred must be one-dimensional, got shape \(2, 1\)"):
        metric([1, 0], [[1], [0]], [0, 1])


@each_metric
@pytest.mark.parametrize(
    ("y_true", "y_pred", "message"),
    [
        (["1", "0"], [1, 0], r"text as y_true does \('1'\), got numbers \(1\)"),
        ([1, 0], ["1", "0"], r"numbers as y_true does \(1\), got text \('1'\)"),
        ([b"1", b"0"], ["1", "0"], r"bytes as y_true does \(b'1'\), got text \('1'\)"),
    ],
)
def test_labels_that_can_never_be_equal_are_refused(metric, y_true, y_pred, message):
    with pytest.raises(InputError, match=f"^y_pred must hold {message}$"):
        metric(y_true, y_pred, [0, 1])


def test_a_list_of_numbers_and_text_keeps_them_apart():
    # 1 is not "1", whatever NumPy makes of such a list.
    quality = metrics.classification_quality(["a", 1, "1"], ["a", "1", 1], [False] * 3)
    assert quality == 1 / 3


@pytest.mark.parametrize("metric", BY_CERTAINTY)
def test_a_certainty_must_be_a_number(metric):
    with pytest.raises(
        InputError, match="certainty must hold no missing value, got nan at index 1"
    ):
        metric([1, 0], [1, 0], [0.5, NAN])
    with pytest.raises(InputError, match="certainty must be numbers, got 'sure'"):
        metric([1, 0], [1, 0], ["0.5", "sure"])


@pytest.mark.parametrize("metric", BY_REJECTS)
def test_rejects_must_be_boolean(metric):
    with pytest.raises(InputError, match=r"rejected must be boolean .* got 0.5 at index 1"):
        metric([1, 0], [1, 0], [1, 0.5])


@pytest.mark.parametrize("metric", WEIGHTED)
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -2], "must be finite and not negative, got -2.0 at index 1"),
        ([np.inf, 1], "must be finite and not negative, got inf at index 0"),
        ([1, NAN], "must hold no missing value, got nan at index 1"),
        ([0, 0], "must hold at least one positive weight, got only zeros"),
        (["1", "much"], "must be numbers, got 'much'"),
        (2.0, r"must be a list or an array, got a float"),
    ],
)
def test_impossible_weights_are_refused(metric, weights, message):
    with pytest.raises(InputError, match=f"^sample_weight {message}$"):
        metric([1, 0], [1, 0], [0, 1], sample_weight=weights)


@pytest.mark.parametrize(
    ("arguments", "argument", "value"),
    [
        (([1, None], [1, 0], [0, 1]), "y_true", None),
        (([1, 0], ["1", "0"], [0, 1]), "y_pred", "1"),
        (([1, 0], [1, 0], [0, 1], [1, -2]), "sample_weight", -2.0),
        (([1, 0], [1, 0], [0, 1], [0, 0]), "sample_weight", 0.0),
    ],
)
def test_an_error_has_the_argument_the_value_and_the_requirement(arguments, argument, value):
    columns, weights = arguments[:3], arguments[3] if len(arguments) > 3 else None
    with pytest.raises(InputError) as caught:
        metrics.aurc_score(*columns, sample_weight=weights)
    error = caught.value
    assert (error.argument, error.value) == (argument, value)
    assert error.requirement.startswith("must ")


@pytest.mark.parametrize("metric", WEIGHTED)
def test_weights_must_be_as_many_as_samples(metric):
    with pytest.raises(InputError, match=r"y_pred has 2, .* sample_weight has 3"):
        metric([1, 0], [1, 0], [0, 1], sample_weight=[1, 1, 1])


@each_metric
def test_input_is_left_as_it_was(metric):
    columns = [np.array([1, 0, 1]), np.array([1, 1, 0]), np.array([0.0, 1.0, 1.0])]
    before = [column.copy() for column in columns]
    metric(*columns)
    for column, copy in zip(columns, before, strict=True):
        np.testing.assert_array_equal(column, copy)
