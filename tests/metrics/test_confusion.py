"""Every sample is counted once: accepted ones as scikit-learn counts them, the others last."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix

from abstain import InputError
from abstain.metrics import confusion_matrix_with_rejects

samples = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans(), st.integers(0, 3)), min_size=1
)


@given(samples)
def test_accepted_samples_are_counted_as_without_rejects(rows):
    y_true, y_pred, rejected, _ = map(np.array, zip(*rows, strict=True))
    matrix = confusion_matrix_with_rejects(y_true, y_pred, rejected, labels=range(4))
    assert matrix.dtype.kind == "i"
    assert matrix.sum(axis=1).tolist() == np.bincount(y_true, minlength=4).tolist()
    assert matrix[:, -1].tolist() == np.bincount(y_true[rejected], minlength=4).tolist()
    accepted = ~rejected
    if accepted.any():
        expected = confusion_matrix(y_true[accepted], y_pred[accepted], labels=range(4))
        assert matrix[:, :-1].tolist() == expected.tolist()


@given(samples)
def test_a_weight_counts_as_so_many_rows(rows):
    y_true, y_pred, rejected, weights = map(np.array, zip(*rows, strict=True))
    if not weights.any():
        weights[0] = 1
    weighted = confusion_matrix_with_rejects(
        y_true, y_pred, rejected, labels=range(4), sample_weight=weights
    )
    repeated = (np.repeat(part, weights) for part in (y_true, y_pred, rejected))
    assert weighted.tolist() == confusion_matrix_with_rejects(*repeated, labels=range(4)).tolist()


@given(samples)
def test_shares_sum_to_one(rows):
    y_true, y_pred, rejected, _ = zip(*rows, strict=True)
    of_class, of_all = (
        confusion_matrix_with_rejects(
            list(y_true), list(y_pred), list(rejected), labels=range(4), normalize=normalize
        )
        for normalize in ("true", "all")
    )
    occurs = [float(label in y_true) for label in range(4)]
    assert of_class.sum(axis=1) == pytest.approx(occurs)
    assert of_all.sum() == pytest.approx(1)


# What a classifier with a reject_label predicts is no class.
def test_the_label_of_rejects_is_no_class():
    matrix = confusion_matrix_with_rejects(
        ["b", "a", "b"], ["b", "ask", "ask"], [False, True, True]
    )
    assert matrix.tolist() == [[0, 0, 1], [0, 1, 1]]


def test_labels_give_the_order():
    matrix = confusion_matrix_with_rejects([0, 1, 1], [0, 0, 1], [False] * 3, labels=[1, 0])
    assert matrix.tolist() == [[1, 1, 0], [0, 1, 0]]


def test_labels_of_several_kinds_can_be_counted():
    matrix = confusion_matrix_with_rejects([1, "a"], [1, "a"], [False, True])
    assert matrix.tolist() == [[1, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"normalize": "pred"}, "^normalize must be None, 'true' or 'all', got 'pred'$"),
        ({"labels": [0, 0]}, r"^labels must name each class once, got \[0, 0\]$"),
        ({"labels": [0]}, "^y_true must hold classes of labels, got 1 at index 1; add it there$"),
        ({"labels": [0, 1], "y_pred": [0, 1, 2]}, "^y_pred .*, got 2 at index 2; add it there$"),
        ({"rejected": [0, 1, 2]}, "^rejected must be boolean .*got 2 at index 2$"),
        ({"rejected": [0, 1]}, "y_true has 3, y_pred has 3, rejected has 2"),
    ],
)
def test_what_cannot_be_counted_is_refused(changed, message):
    given = {"y_true": [0, 1, 1], "y_pred": [0, 0, 1], "rejected": [True, False, False]}
    with pytest.raises(InputError, match=message):
        confusion_matrix_with_rejects(**{**given, **changed})
