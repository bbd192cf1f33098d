import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import accuracy_score, precision_score, recall_score

from abstain import InputError
from abstain.metrics import (
    accuracy_reject_curve,
    average_curves,
    precision_reject_curve,
    recall_reject_curve,
)
from tests.metrics.strategies import law, samples

INF = np.inf


def test_accuracies_of_a_small_example():
    # Certainty 0.9: right; 0.8: one right, one wrong; 0.5: right; 0.3: wrong.
    # Accepting all: 3/5. From 0.5 on: 3/4. From 0.8 on: 2/3. 0.9 alone: 1/1.
    accuracies, reject_rates, thresholds = accuracy_reject_curve(
        [1, 0, 1, 1, 0], [1, 0, 0, 1, 1], [0.9, 0.8, 0.8, 0.5, 0.3]
    )
    assert accuracies.tolist() == [3 / 5, 3 / 4, 2 / 3, 1]
    assert reject_rates.tolist() == [0, 1 / 5, 2 / 5, 4 / 5]
    assert thresholds.tolist() == [-INF, 0.5, 0.8, 0.9]


def test_weighted_accuracies_of_a_small_example():
    # All: (1 + 4) / 10. Certainty 2 and 3: 4/9. Certainty 3: 4/4.
    accuracies, reject_rates, thresholds = accuracy_reject_curve(
        list("aaa"), list("aba"), [1, 2, 3], sample_weight=[1, 5, 4]
    )
    assert accuracies.tolist() == [5 / 10, 4 / 9, 1]
    assert reject_rates.tolist() == [0, 1 / 10, 6 / 10]
    assert thresholds.tolist() == [-INF, 2, 3]


def test_infinite_certainties_are_groups_like_any_other():
    accuracies, reject_rates, thresholds = accuracy_reject_curve(
        [1, 1, 1, 1], [0, 0, 0, 1], [-INF, -INF, 0, INF]
    )
    assert thresholds.tolist() == [-INF, 0, INF]
    assert reject_rates.tolist() == [0, 1 / 2, 3 / 4]
    assert accuracies.tolist() == [1 / 4, 1 / 2, 1]


def test_one_group_gives_one_row():
    accuracies, reject_rates, thresholds = accuracy_reject_curve([1, 1], [1, 0], [7, 7])
    assert (accuracies.tolist(), reject_rates.tolist(), thresholds.tolist()) == ([0.5], [0], [-INF])


@law
@given(s=samples())
def test_rows_ascend_and_can_be_averaged(s):
    curve = accuracy_reject_curve(s.y_true, s.y_pred, s.certainty, sample_weight=s.weights)
    accuracies, reject_rates, thresholds = curve
    assert reject_rates[0] == 0
    assert reject_rates[-1] < 1
    assert (np.diff(reject_rates) > 0).all()
    assert (thresholds[1:] > thresholds[:-1]).all()
    assert average_curves([curve], reject_rates).mean.tolist() == accuracies.tolist()


@law
@given(s=samples())
def test_each_row_is_scikit_learns_metric_of_the_accepted_samples(s):
    counted = s.take(s.weights > 0)
    arguments = counted.y_true, counted.y_pred, counted.certainty
    weighted = {"sample_weight": counted.weights}
    positive = {"pos_label": s.pos_label, **weighted}
    accuracies, _, thresholds = accuracy_reject_curve(*arguments, **weighted)
    precisions, _, _ = precision_reject_curve(*arguments, **positive)
    recalls, _, _ = recall_reject_curve(*arguments, **positive)
    of_one_label = {"labels": [s.pos_label], "average": None, "zero_division": np.nan}
    for row, threshold in enumerate(thresholds):
        kept = counted.take(~(counted.certainty < threshold))
        both, weights = (kept.y_true, kept.y_pred), kept.weights
        precision = precision_score(*both, sample_weight=weights, **of_one_label)
        recall = recall_score(*both, sample_weight=weights, **of_one_label)
        assert accuracies[row] == pytest.approx(accuracy_score(*both, sample_weight=weights))
        assert precisions[row] == pytest.approx(precision[0], nan_ok=True)
        assert recalls[row] == pytest.approx(recall[0], nan_ok=True)


def test_precision_and_recall_are_missing_where_nothing_is_positive():
    # The surest sample is positive and called negative, the next the other way round.
    labels, predictions, certainty = [1, 0, 1], [0, 1, 1], [3, 2, 1]
    precisions, _, _ = precision_reject_curve(labels, predictions, certainty)
    recalls, _, _ = recall_reject_curve(labels, predictions, certainty)
    np.testing.assert_array_equal(precisions, [1 / 2, 0, np.nan])
    np.testing.assert_array_equal(recalls, [1 / 2, 0, 0])
    recalls, _, _ = recall_reject_curve(predictions, labels, certainty)
    np.testing.assert_array_equal(recalls, [1 / 2, 0, np.nan])


def test_no_positive_prediction_at_all_is_missing_on_every_row():
    precisions, _, _ = precision_reject_curve([1, 0], [0, 0], [1, 2])
    assert np.isnan(precisions).all()


@pytest.mark.parametrize("curve", [precision_reject_curve, recall_reject_curve])
def test_a_positive_label_must_occur(curve):
    with pytest.raises(InputError, match=r"^pos_label .* got 1; the labels are 'no', 'yes'$"):
        curve(["no", "no"], ["no", "yes"], [1, 2])
    with pytest.raises(InputError, match=r"got 'x'; the labels are 0, .*, 9 and 2 more$"):
        curve(range(12), range(12), range(12), pos_label="x")
    with pytest.raises(InputError, match=r"got 'x'; the labels are 1, 'a'$"):
        curve(["a", 1], ["a", 1], [1, 2], pos_label="x")
    with pytest.raises(InputError, match=r"^pos_label must be one label, got \[1\]$"):
        curve([1, 0], [1, 0], [1, 2], pos_label=[1])
    # Weight zero: as if the only "yes" were not there.
    with pytest.raises(InputError, match=r"got 'yes'; the labels are 'no'$"):
        curve(["no", "yes"], ["no", "no"], [1, 2], pos_label="yes", sample_weight=[1, 0])
