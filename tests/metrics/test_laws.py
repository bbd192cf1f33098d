"""What holds for every metric, whatever it measures."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstain import metrics
from tests.metrics.strategies import INTEGER_WEIGHTS, Samples, law, rows, samples
from tests.reference import metrics as reference


def curve(name, *, positive):
    def compute(s, weights):
        options = {"pos_label": s.pos_label} if positive else {}
        return getattr(metrics, name)(
            s.y_true, s.y_pred, s.certainty, sample_weight=weights, **options
        )

    def expected(s, weights):
        options = [s.pos_label] if positive else []
        return getattr(reference, name)(s.y_true, s.y_pred, s.certainty, weights, *options)

    return pytest.param(compute, expected, id=name)


def score(name):
    return curve(name, positive=False)


def quality(name):
    def compute(s, weights):
        return getattr(metrics, name)(s.y_true, s.y_pred, s.rejected, sample_weight=weights)

    def expected(s, weights):
        return getattr(reference, name)(s.y_true, s.y_pred, s.rejected, weights)

    return pytest.param(compute, expected, id=name)


def unweighted(name):
    """Make rows of equal weight stand for a metric that takes no weights."""

    def compute(s, weights):
        return getattr(metrics, name)(s.y_true, s.y_pred, s.certainty)

    def expected(s, weights):
        return getattr(reference, name)(s.y_true, s.y_pred, s.certainty)

    return pytest.param(compute, expected, id=name)


CURVES = [
    curve("accuracy_reject_curve", positive=False),
    curve("precision_reject_curve", positive=True),
    curve("recall_reject_curve", positive=True),
]
WEIGHTED = [
    *CURVES,
    score("aurc_score"),
    score("augrc_score"),
    quality("classification_quality"),
    quality("rejection_quality"),
]
ALL = [*WEIGHTED, unweighted("eaurc_score")]

each_metric = pytest.mark.parametrize(("metric", "oracle"), ALL)
each_weighted_metric = pytest.mark.parametrize(("metric", "oracle"), WEIGHTED)


def assert_equal(actual, expected):
    for one, other in zip(np.atleast_2d(actual), np.atleast_2d(expected), strict=True):
        np.testing.assert_array_equal(one, other)


def assert_close(actual, expected, rtol=1e-12):
    for one, other in zip(np.atleast_2d(actual), np.atleast_2d(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=rtol, atol=1e-14)


@each_metric
@law
@given(s=samples())
def test_equals_its_definition_sample_by_sample(metric, oracle, s):
    assert_close(metric(s, s.weights), oracle(s, s.weights))


@each_metric
@law
@given(s=samples(), seed=st.integers(0, 2**16))
def test_the_order_of_the_rows_changes_nothing(metric, oracle, s, seed):
    # The label that counts as positive must not move with the rows: it is that of row 0.
    others = 1 + np.random.default_rng(seed).permutation(len(s.y_true) - 1)
    shuffled = s.take(np.append(0, others))
    assert_equal(metric(shuffled, shuffled.weights), metric(s, s.weights))


@each_metric
@law
@given(s=samples())
def test_what_labels_are_called_changes_nothing(metric, oracle, s):
    codes = {"ant": 1, "bee": 2, "cat": 10}
    as_numbers, as_objects = (
        s._replace(
            y_true=np.array([codes[label] for label in s.y_true], dtype=dtype),
            y_pred=np.array([codes[label] for label in s.y_pred], dtype=dtype),
        )
        for dtype in (np.int8, object)
    )
    assert_equal(metric(as_numbers, s.weights), metric(s, s.weights))
    assert_equal(metric(as_objects, s.weights), metric(s, s.weights))


@each_weighted_metric
@law
@given(s=samples())
def test_no_weights_are_equal_weights(metric, oracle, s):
    assert_equal(metric(s, None), metric(s, np.full(len(s.y_true), 0.5)))


@each_weighted_metric
@law
@given(s=samples(), extra=rows([0.0], min_size=1, max_size=5))
def test_samples_of_weight_zero_change_nothing(metric, oracle, s, extra):
    more = Samples(*(np.append(old, new) for old, new in zip(s, extra, strict=True)))
    assert_equal(metric(more, more.weights), metric(s, s.weights))


@each_weighted_metric
@law
@given(s=samples(weights=INTEGER_WEIGHTS))
def test_an_integer_weight_equals_so_many_rows(metric, oracle, s):
    repeated = s.take(np.repeat(np.arange(len(s.weights)), s.weights))
    assert_equal(metric(s, s.weights), metric(repeated, None))


@each_weighted_metric
@law
@given(s=samples(), factor=st.sampled_from([1 / 3, 1e-310, 5e307]))
def test_only_ratios_of_weights_count(metric, oracle, s, factor):
    # 1e-310 has few digits left and three times 5e307 is nearly the largest float.
    assert_close(metric(s, s.weights * factor), metric(s, s.weights), rtol=1e-9)


@pytest.mark.parametrize(
    ("metric", "oracle"),
    [score("aurc_score"), unweighted("eaurc_score"), score("augrc_score")],
)
@law
@given(s=samples())
def test_a_score_sees_only_the_order_of_the_certainties(metric, oracle, s):
    ranks = np.unique(s.certainty, return_inverse=True)[1]
    assert_equal(metric(s._replace(certainty=ranks), s.weights), metric(s, s.weights))


@pytest.mark.parametrize(("metric", "oracle"), CURVES)
@law
@given(s=samples())
def test_a_curve_keeps_its_shape_under_an_increasing_map(metric, oracle, s):
    mapped = s._replace(certainty=s.certainty**3 + 2 * s.certainty - 1)
    values, reject_rates, thresholds = metric(s, s.weights)
    expected = values, reject_rates, thresholds**3 + 2 * thresholds - 1
    assert_equal(metric(mapped, s.weights), expected)
