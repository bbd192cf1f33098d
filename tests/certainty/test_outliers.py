"""Samples unlike the known ones are found, and those like them are not, at the rate promised."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.datasets import load_digits, load_iris, load_wine

from abstain.certainty.outlier_scores import MAX_TOGETHER
from abstain.certainty.outliers import (
    FEWEST_SCREENED,
    MAX_DENSE,
    MAX_KNOWN,
    MIN_KNOWN,
    fit_outlier_detector,
)
from tests.reference import outliers as reference

RATES = [0.001, 0.01, 0.05, 0.2, 0.5]


def detector_of(X, rate=0.01):
    detector, _ = fit_outlier_detector(X, rate)
    assert detector is not None
    return detector


# ------------------------------------------------------------------------- data

SPECIAL = [0.0, -0.0, 1.0, -999.0, 1e6, 1e-6, 7.25]


@st.composite
def known_samples(draw, missing=True, infinite=False):
    """Samples with ties, constants, offsets, different units, missing and infinite values."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, m = draw(st.integers(MIN_KNOWN, 80)), draw(st.integers(1, 6))
    X = np.empty((n, m))
    for i in range(m):
        kind = draw(st.sampled_from(["normal", "heavy", "ties", "binary", "constant", "skewed"]))
        if kind == "normal":
            X[:, i] = rng.normal(size=n)
        elif kind == "heavy":
            X[:, i] = rng.standard_t(2, size=n)
        elif kind == "ties":
            X[:, i] = rng.integers(0, 4, size=n)
        elif kind == "binary":
            X[:, i] = rng.random(n) < 0.05
        elif kind == "constant":
            X[:, i] = draw(st.sampled_from(SPECIAL))
        else:
            X[:, i] = rng.exponential(size=n) ** 2
        if kind != "constant":
            unit = draw(st.sampled_from([1e-3, 1.0, 1e4]))
            X[:, i] = unit * (X[:, i] + draw(st.sampled_from([0.0, 0.0, -3.0, 40.0])))
    if infinite and draw(st.integers(0, 4)) == 0:
        X[rng.integers(n), rng.integers(m)] = draw(st.sampled_from([np.inf, -np.inf, 1e300]))
    if missing and draw(st.booleans()):
        X[rng.random(X.shape) < draw(st.sampled_from([0.02, 0.3]))] = np.nan
    return X


@st.composite
def new_samples(draw, X):
    """Known samples, and others with some values moved, missing, extreme or infinite."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    new = X[rng.integers(len(X), size=30)].copy()
    for row in range(10, 30):
        feature = rng.integers(X.shape[1])
        change = draw(st.sampled_from(["move", "code", "missing", "huge", "inf", "-inf", "end"]))
        own = X[:, feature][np.isfinite(X[:, feature])]
        new[row, feature] = {
            "move": new[row, feature] + 3 * rng.normal() * min(np.ptp(own), 1e100),
            "code": -999.0,
            "missing": np.nan,
            "huge": 1e300,
            "inf": np.inf,
            "-inf": -np.inf,
            "end": own.max() if len(own) else 0.0,
        }[change]
    return new


# ------------------------------------------------------------------------- p-values


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.sampled_from(RATES))
def test_outliers_are_the_samples_whose_p_value_is_at_most_the_rate(data, rate):
    X = data.draw(known_samples(infinite=True))
    detector, _ = fit_outlier_detector(X, rate)
    assume(detector is not None)
    new = np.vstack([X, data.draw(new_samples(X))])
    p_values = detector.p_values(new)
    assert ((p_values > 0) & (p_values <= 1)).all()
    np.testing.assert_array_equal(detector.are_outliers(new), p_values <= rate)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.sampled_from(RATES))
def test_samples_that_are_screened_out_are_no_outliers(data, rate):
    X = data.draw(known_samples(infinite=True))
    detector, _ = fit_outlier_detector(X, rate)
    assume(detector is not None)
    new = np.vstack([X, data.draw(new_samples(X))])
    # Residuals and values right at the limits, and all kinds of rows beside each other.
    new = np.vstack([new, at_the_limits(detector, new)])
    new = new[np.random.default_rng(0).integers(len(new), size=FEWEST_SCREENED + 777)]
    is_outlier = detector._decide(new)
    may_be = detector._screen.may_be_outliers(new)
    assert not (is_outlier & ~may_be).any()
    np.testing.assert_array_equal(detector.are_outliers(new), is_outlier)


def at_the_limits(detector, samples):
    """Return samples that are moved to the limit of the residual, and of the first feature."""
    known, (_, high, most) = detector.known, detector._limits
    finite = samples[np.isfinite(samples).all(axis=1)]
    e = known.scores(finite)[1][:, np.newaxis]
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        rays = known.mean + (finite - known.mean) * (most / e)
    ends = finite.copy()
    ends[:, 0] = high[0]
    moved = [each * (1 + step) for each in (rays, ends) for step in (-1e-7, -1e-9, 1e-9, 1e-7)]
    return np.vstack([rays, ends, *moved])


def test_nearly_all_samples_are_screened_out():
    for samples in (load_digits().data, load_wine().data, load_iris().data):
        detector = detector_of(samples[::2])
        new = np.resize(samples, (5 * FEWEST_SCREENED, samples.shape[1]))
        may_be, is_outlier = detector._screen.may_be_outliers(new), detector.are_outliers(new)
        assert (may_be & ~is_outlier).mean() < 0.03


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_each_sample_is_scored_by_itself(data):
    X = data.draw(known_samples())
    detector, _ = fit_outlier_detector(X, 0.05)
    assume(detector is not None)
    new = data.draw(new_samples(X))
    whole = detector.p_values(new)
    for row in range(len(new)):
        alone = detector.p_values(new[[row]])
        np.testing.assert_allclose(alone, whole[[row]], rtol=1e-9)
    np.testing.assert_array_equal(
        detector.are_outliers(new[::-1]), detector.are_outliers(new)[::-1]
    )


def test_no_p_value_is_zero_or_above_one():
    X = load_iris().data
    far = np.array([[1e300] * 4, [np.inf] * 4, [-np.inf, 0, 0, 0], [np.nan] * 4, [5.8, 3, 3.8, 1]])
    p_values = detector_of(X).p_values(far)
    assert (p_values > 0).all()
    assert (p_values[:3] < 1e-9).all()
    assert p_values[3] == 1.0  # nothing is known of it
    assert p_values[4] > 0.1


def test_the_p_value_falls_as_a_value_moves_away():
    X = load_iris().data
    moved = np.repeat(np.median(X, axis=0)[np.newaxis], 200, axis=0)
    moved[:, 2] += np.geomspace(0.1, 1e6, 200)
    p_values = detector_of(X).p_values(moved)
    assert (np.diff(p_values) <= 0).all()
    assert p_values[0] > 0.5
    assert p_values[-1] < 1e-9


# ------------------------------------------------------------------------- known samples


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.sampled_from(RATES))
def test_the_order_of_the_samples_changes_nothing(data, rate):
    X = data.draw(known_samples())
    order = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1))).permutation(len(X))
    detector, is_outlier = fit_outlier_detector(X, rate)
    assume(detector is not None)
    shuffled, is_shuffled_outlier = fit_outlier_detector(X[order], rate)
    new = data.draw(new_samples(X))
    np.testing.assert_allclose(shuffled.known_scores, detector.known_scores, rtol=1e-6, atol=1e-9)
    # Sums of numbers in another order differ in the last digits, and with them ties.
    scores = detector.scores(new)
    away = np.abs(np.subtract.outer(scores, detector.known_scores)).min(axis=1)
    clear = away > 1e-6 * (1 + scores)
    np.testing.assert_allclose(
        shuffled.p_values(new)[clear], detector.p_values(new)[clear], rtol=1e-5
    )
    assert is_shuffled_outlier.sum() == pytest.approx(is_outlier.sum(), abs=0.02 * len(X))


def test_the_order_of_a_large_set_changes_nothing():
    X = np.random.default_rng(0).normal(size=(MAX_KNOWN + 500, 2))
    order = np.random.default_rng(1).permutation(len(X))
    detector, is_outlier = fit_outlier_detector(X, 0.01)
    shuffled, is_shuffled_outlier = fit_outlier_detector(X[order], 0.01)
    assert len(detector.known_scores) == MAX_KNOWN
    np.testing.assert_allclose(shuffled.known_scores, detector.known_scores, rtol=1e-9)
    np.testing.assert_array_equal(is_shuffled_outlier, is_outlier[order])


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
def test_at_most_the_rate_of_the_known_samples_are_outliers(load, rate):
    X = load().data
    _, is_outlier = fit_outlier_detector(X, rate)
    assert is_outlier.shape == (len(X),)
    assert is_outlier.mean() <= rate
    assert is_outlier.mean() > 0.7 * rate - 2 / len(X)


# ------------------------------------------------------------------------- false alarms

CATEGORIES = {
    "one of 30": lambda rng, n: np.eye(30)[rng.integers(30, size=n)],
    "one of 2": lambda rng, n: np.eye(2)[rng.integers(2, size=n)],
    "six rare ones": lambda rng, n: (rng.random((n, 6)) < 0.03).astype(float),
    "many of few": lambda rng, n: np.eye(30)[np.minimum(rng.zipf(1.5, n), 30) - 1],
}


# All samples of a frequent category have the same score: they are outliers together, or none is.
@pytest.mark.parametrize("n", [150, 1000])
@pytest.mark.parametrize("kind", CATEGORIES)
def test_categories_that_are_known_are_no_outliers(kind, n):
    shares = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        detector, _ = fit_outlier_detector(CATEGORIES[kind](rng, n), 0.01)
        new = CATEGORIES[kind](rng, 1000)
        shares.append(0.0 if detector is None else detector.are_outliers(new).mean())
    assert np.mean(shares) <= 0.01 + 3 * max(np.std(shares) / np.sqrt(30), 0.001)
    assert max(shares) < 0.06


DRAWS = {
    "Gaussian": lambda rng, n: rng.normal(size=(n, 4)) @ np.triu(np.ones((4, 4))),
    "heavy-tailed": lambda rng, n: rng.standard_t(3, size=(n, 4)),
    "discrete": lambda rng, n: rng.integers(0, 5, size=(n, 4)).astype(float),
    "mixture": lambda rng, n: (
        rng.normal(size=(n, 4)) + 6 * rng.integers(0, 3, size=n)[:, np.newaxis] * [1, 0, 1, -1]
    ),
}


@pytest.mark.parametrize("rate", [0.01, 0.1])
@pytest.mark.parametrize("n_known", [30, 150, 1000])
@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_false_alarms_are_at_most_the_rate(draw, n_known, rate):
    rng = np.random.default_rng(n_known)
    rates = []
    for _ in range(60 if n_known == 1000 else 150):
        detector = detector_of(draw(rng, n_known), rate)
        rates.append(detector.are_outliers(draw(rng, 1000)).mean())
    error = np.std(rates) / np.sqrt(len(rates))
    assert np.mean(rates) <= rate + 3 * error
    # It is of use, too: a rate of nothing would keep the law.
    if n_known == 1000 and draw is not DRAWS["discrete"]:
        assert np.mean(rates) > 0.7 * rate


# With 118 known samples of 13 features, halves of few draws say little.
def test_false_alarms_on_a_small_set_are_at_most_the_rate_over_many_draws():
    X, rng = load_wine().data, np.random.default_rng(0)
    rates = []
    for _ in range(300):
        order = rng.permutation(len(X))
        detector = detector_of(X[order[:118]])
        rates.append(detector.are_outliers(X[order[118:]]).mean())
    assert np.mean(rates) <= 0.01 + 3 * np.std(rates) / np.sqrt(300)


# ------------------------------------------------------------------------- groups


def patients(rng, n_patients, n_rows, between):
    """Draw rows of patients; ``between`` is the share of the variance that is between patients."""
    groups = np.repeat(np.arange(n_patients), n_rows)
    own = rng.standard_t(3, size=(n_patients, 4))
    within = rng.normal(size=(len(groups), 4))
    return np.sqrt(between) * own[groups] + np.sqrt(1 - between) * within, groups


@pytest.mark.parametrize("between", [0.5, 0.9])
@pytest.mark.parametrize(("n_patients", "n_rows"), [(300, 4), (60, 20)])
def test_false_alarms_on_new_groups_are_at_most_the_rate(n_patients, n_rows, between):
    rng = np.random.default_rng(n_patients)
    rates = []
    for _ in range(60):
        X, groups = patients(rng, n_patients, n_rows, between)
        new, _ = patients(rng, 1000, 2, between)
        ungrouped, grouped = (fit_outlier_detector(X, 0.02, each)[0] for each in (None, groups))
        rates.append([each.are_outliers(new).mean() for each in (ungrouped, grouped)])
        far = np.vstack([new[:50] + 1000, new[:50] - 1000])
        assert grouped.are_outliers(far).all()
    # Rows of one patient that score each other take new patients for unusual.
    ungrouped, grouped = np.mean(rates, axis=0)
    assert ungrouped > 0.02
    assert grouped <= 0.02 + 3 * np.std(rates, axis=0)[1] / np.sqrt(60)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.sampled_from(RATES))
def test_groups_of_one_sample_change_nothing(data, rate):
    X = data.draw(known_samples())
    new = data.draw(new_samples(X))
    alone, is_outlier = fit_outlier_detector(X, rate)
    assume(alone is not None)
    rng = np.random.default_rng(0)
    # One group has no others that could score it.
    for groups in (rng.permutation(len(X)), np.zeros(len(X), dtype=np.int64)):
        grouped, is_grouped_outlier = fit_outlier_detector(X, rate, groups)
        np.testing.assert_array_equal(grouped.p_values(new), alone.p_values(new))
        np.testing.assert_array_equal(is_grouped_outlier, is_outlier)


@pytest.mark.parametrize("n_groups", [2, 3, 7])
def test_few_groups_have_one_score_each(n_groups):
    X = np.random.default_rng(0).normal(size=(20 * n_groups, 3))
    groups = np.arange(len(X)) % n_groups
    detector, is_outlier = fit_outlier_detector(X, 0.2, groups)
    assert len(detector.known_scores) == n_groups
    assert is_outlier.mean() <= 0.2
    assert detector.are_outliers(X + 1000).all()


# ------------------------------------------------------------------------- scores


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_scores_are_those_of_the_reference(data):
    X = data.draw(known_samples())
    assume(not np.isnan(X).all(axis=0).any())
    new = data.draw(new_samples(X))
    new[~np.isfinite(new) & ~np.isnan(new)] = 1e5
    new = np.clip(new, -1e7, 1e7)
    detector, _ = fit_outlier_detector(X, 0.05)
    assume(detector is not None)
    r, e = detector.known.scores(new)
    np.testing.assert_allclose(r, [reference.range_score(x, X) for x in new], rtol=1e-9)
    np.testing.assert_allclose(e, reference.residual_scores(new, X), rtol=1e-6, atol=1e-6)
    scores = np.fmax(r / detector.usual[0], e / detector.usual[1])
    # Scores that differ by rounding are equal.
    least, most = (
        [reference.p_value(score * factor, detector.known_scores.tolist()) for score in scores]
        for factor in (1 + 1e-8, 1 - 1e-8)
    )
    p_values = detector.p_values(new)
    assert (p_values >= np.array(least) * (1 - 1e-6)).all()
    assert (p_values <= np.array(most) * (1 + 1e-6)).all()


HALVES = [slice(0, 32), slice(32, 64)]


def test_scores_of_many_features_are_those_of_the_reference():
    X = load_digits().data[:100]
    new = load_digits().data[300:310] + np.random.default_rng(0).normal(size=(10, 64))
    r, e = detector_of(X).known.scores(new)
    np.testing.assert_allclose(r, [reference.range_score(x, X) for x in new], rtol=1e-9)
    # Features are compared with the other ones of their block.
    assert MAX_TOGETHER == 32
    halves = [reference.residual_scores(new[:, own], X[:, own]) for own in HALVES]
    np.testing.assert_allclose(e, np.max(halves, axis=0), rtol=1e-6)


# ------------------------------------------------------------------------- missing values


def correlated(rng, n_samples, n_features=6):
    return rng.normal(size=(n_samples, 1)) + 0.2 * rng.normal(size=(n_samples, n_features))


def test_a_missing_value_is_no_reason_to_reject():
    rng = np.random.default_rng(0)
    detector, new = detector_of(correlated(rng, 1000)), correlated(rng, 5000)
    new[np.arange(5000), rng.integers(6, size=5000)] = np.nan
    assert detector.are_outliers(new).mean() < 0.015


def test_a_missing_value_leaves_the_residuals_of_other_blocks():
    rng = np.random.default_rng(0)
    X = correlated(rng, 500, 2 * MAX_TOGETHER)
    odd = np.tile(correlated(rng, 1, 1), (3, 2 * MAX_TOGETHER))
    odd[:, -1] += 1.5
    odd[1, 0] = odd[2, -2] = np.nan
    assert detector_of(X).are_outliers(odd).tolist() == [True, True, False]


def test_features_that_are_often_missing_do_not_hide_the_others():
    rng = np.random.default_rng(0)
    X = correlated(rng, 500)
    X[rng.random(500) < 0.8, 0] = np.nan
    X[:, 1] = np.nan
    detector = detector_of(X)
    odd = np.array([[np.nan, np.nan, 1.0, 1.0, 1.0, -1.0]])
    assert detector.are_outliers(odd).all()
    assert [features[0] for features in detector.unusual_features(odd)] == [5]


# ------------------------------------------------------------------------- what is found


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_wrong_units_and_codes_are_found(load):
    X = load().data[::2]
    new = load().data[1::2]
    detector = detector_of(X)
    assert detector.are_outliers(new).mean() <= 0.05
    for feature in range(X.shape[1]):
        wrong = new.copy()
        wrong[:, feature] *= 12
        # Of features that may be near 0, such a unit changes little.
        far = wrong[:, feature] > 2 * X[:, feature].max()
        assert detector.are_outliers(wrong)[far].all()
        wrong[:, feature] = -999
        assert detector.are_outliers(wrong).all()
        for row in detector.unusual_features(wrong):
            assert row[0] == feature


def test_a_unit_of_all_samples_is_found_in_most_features():
    X = load_wine().data
    wrong = X * np.where(np.arange(X.shape[1]) == 0, 12, 1)  # alcohol: 11 to 15 percent
    assert detector_of(X).are_outliers(wrong).all()


def test_unusual_combinations_are_found_inside_the_ranges():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 1)) + 0.1 * rng.normal(size=(500, 3))
    odd = np.array([[1.5, 1.5, -1.5], [-1.5, 1.5, 1.5]])
    detector = detector_of(X)
    assert (detector.known.excess(odd) < 1).all()
    assert detector.are_outliers(odd).all()
    assert not detector.are_outliers(np.array([[1.5, 1.5, 1.5]])).any()
    assert [features[0] for features in detector.unusual_features(odd)] == [2, 0]


@pytest.mark.parametrize("feature", [0, 3, 5])
def test_a_wrong_value_inside_its_range_is_found_and_named(feature):
    rng = np.random.default_rng(feature)
    detector, new = detector_of(correlated(rng, 1000)), correlated(rng, 200)
    new[:, feature] += np.where(new[:, feature] > 0, -1.6, 1.6)
    assert (detector.known.excess(new) < 1).all(axis=1).mean() > 0.9
    assert detector.are_outliers(new).mean() > 0.98
    assert np.mean([named[0] == feature for named in detector.unusual_features(new)]) > 0.98


def test_noise_is_no_digit():
    X = load_digits().data
    noise = np.random.default_rng(0).permuted(X, axis=1)
    assert detector_of(X).are_outliers(noise).mean() > 0.9
    assert detector_of(X[::2]).are_outliers(X[1::2]).mean() < 0.03


def test_two_wrong_features_are_both_named_the_worst_first():
    X = load_iris().data
    wrong = np.median(X, axis=0)[np.newaxis].repeat(2, axis=0)
    wrong[0, [1, 3]] = [500, 40]
    wrong[1, [1, 3]] = [40, 500]
    assert [row.tolist() for row in detector_of(X).unusual_features(wrong)] == [[1, 3], [3, 1]]


@pytest.mark.parametrize("feature", range(4))
def test_the_column_that_was_changed_is_named(feature):
    X = load_iris().data
    rng = np.random.default_rng(feature)
    wrong = X[rng.integers(len(X), size=20)].copy()
    wrong[:, feature] = wrong[:, feature] * 12 + 100
    assert [row.tolist() for row in detector_of(X).unusual_features(wrong)] == [[feature]] * 20


# ------------------------------------------------------------------------- kinds of samples


def frames():
    X = load_iris().data
    table = {f"x{i}": X[:, i] for i in range(4)} | {"name": ["some text"] * len(X)}
    table["is_dry"] = [row % 2 == 0 for row in range(len(X))]
    return {"pandas": pd.DataFrame(table), "polars": pl.DataFrame(table)}


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_of_a_frame_the_numeric_columns_count(kind):
    X, frame = load_iris().data, frames()[kind]
    detector, is_outlier = fit_outlier_detector(frame, 0.05)
    of_array, is_outlier_of_array = fit_outlier_detector(X, 0.05)
    assert detector.columns == ["x0", "x1", "x2", "x3"]
    np.testing.assert_array_equal(is_outlier, is_outlier_of_array)
    np.testing.assert_array_equal(detector.p_values(frame), of_array.p_values(X))
    # Found by name, in whatever order they come.
    np.testing.assert_array_equal(
        detector.p_values(frame[["x3", "name", "x1", "x0", "x2"]]), of_array.p_values(X)
    )
    np.testing.assert_array_equal(detector.are_outliers(frame), of_array.are_outliers(X))


def test_missing_values_of_frames_are_those_of_arrays():
    X = load_iris().data.copy()
    X[::7, 2] = np.nan
    frame = pd.DataFrame(X, columns=list("abcd"))
    expected = detector_of(X).p_values(X)
    nullable = frame.astype("Float64")
    assert nullable["c"].isna().any()
    np.testing.assert_array_equal(detector_of(nullable).p_values(nullable), expected)
    lazy = pl.DataFrame({name: frame[name].to_numpy() for name in frame}).fill_nan(None)
    np.testing.assert_array_equal(detector_of(lazy).p_values(lazy), expected)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8, np.bool_])
def test_numbers_of_any_type_are_known(dtype):
    X = np.random.default_rng(0).integers(0, 2, size=(100, 5)).astype(dtype)
    p_values = detector_of(X).p_values(X)
    np.testing.assert_array_equal(p_values, detector_of(X.astype(float)).p_values(X.astype(float)))
    np.testing.assert_array_equal(detector_of(X.tolist()).p_values(X.tolist()), p_values)


@pytest.mark.parametrize(
    "X",
    [
        csr_matrix(np.random.default_rng(0).normal(size=(30, MAX_DENSE + 1))),
        ["a text"] * 100,
        np.array([["a", "b"]] * 100),
        pd.DataFrame({"a": ["x"] * 100}),
        pl.DataFrame({"a": ["x"] * 100}),
        np.zeros((100, 3, 3)),
        np.ones((100, 3)),  # which tell nothing of other values
        np.random.default_rng(0).normal(size=(MIN_KNOWN - 1, 3)),
    ],
    ids=["sparse", "texts", "names", "pandas", "polars", "images", "constant", "few"],
)
def test_where_nothing_can_be_compared_there_is_no_detector(X):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fit_outlier_detector(X, 0.01) == (None, None)


@pytest.mark.parametrize(
    "X",
    [
        np.repeat([[1.0, 2.0], [3.0, 4.0]], 30, axis=0),
        1e-200 * np.random.default_rng(0).normal(size=(60, 3)),
        1e200 * np.random.default_rng(0).normal(size=(60, 3)),
        np.where(np.arange(180).reshape(60, 3) == 31, np.inf, np.arange(180.0).reshape(60, 3)),
        np.where(np.arange(180).reshape(60, 3) == 31, -np.inf, np.arange(180.0).reshape(60, 3)),
        np.full((60, 2), np.nan),
        np.column_stack([np.arange(60.0), np.full(60, np.nan)]),
    ],
    ids=["two values", "tiny", "huge", "inf", "-inf", "missing", "a missing column"],
)
@pytest.mark.parametrize("rate", [0.01, 0.2])
def test_degenerate_samples_cause_neither_warnings_nor_errors(X, rate):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        detector, is_outlier = fit_outlier_detector(X, rate)
        if detector is None:
            assert is_outlier is None
            return
        assert is_outlier.mean() <= rate
        p_values = detector.p_values(X)
        assert ((p_values > 0) & (p_values <= 1)).all()
        np.testing.assert_array_equal(detector.are_outliers(X), p_values <= rate)


def test_a_column_of_durations_takes_no_detector_away():
    X = load_iris().data
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["stay"] = pd.to_timedelta(np.arange(len(X)), unit="h")
    detector = detector_of(frame)
    np.testing.assert_array_equal(detector.p_values(frame), detector_of(X).p_values(X))
