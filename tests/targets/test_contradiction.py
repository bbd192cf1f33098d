"""Laws of the test of a certificate: exact, one-sided, and divided among all that are tested."""

from dataclasses import replace
from fractions import Fraction
from math import comb

import numpy as np
import pytest

from abstain.targets import Guarantee
from abstain.targets.contradiction import LEVEL, check_guarantees


def certified(accuracy=0.9, name="the accuracy"):
    return Guarantee(accuracy, 0.95, 200, 150, 5, 0.93, 7, name)


def slow_p(accepted, errors, accuracy):
    """P(Bin(accepted, 1 − accuracy) ≥ errors), as a fraction."""
    right = Fraction(accuracy)
    terms = (
        comb(accepted, k) * (1 - right) ** k * right ** (accepted - k)
        for k in range(errors, accepted + 1)
    )
    return float(sum(terms, Fraction()))


@pytest.mark.parametrize("accuracy", [0.5, 0.9, 0.97, 0.999])
@pytest.mark.parametrize(
    ("accepted", "errors"), [(1, 0), (1, 1), (30, 0), (30, 3), (200, 40), (200, 200)]
)
def test_p_is_the_exact_tail(accepted, errors, accuracy):
    counts = {"the accuracy": (accepted, errors)}
    (test,) = check_guarantees([certified(accuracy)], counts)
    assert test.p_value == pytest.approx(slow_p(accepted, errors, accuracy), rel=1e-9)
    assert test.is_contradicted == (test.p_value < LEVEL)


def test_the_level_is_divided_among_all_that_are_tested():
    names = [f"the recall of {label!r}" for label in "abcd"]
    guarantees = [certified(0.9, name) for name in names]
    counts = dict.fromkeys(names[:3], (100, 16))  # p is 0.04
    tests = check_guarantees(guarantees, counts, {})
    assert [test.n_tests for test in tests] == [3, 3, 3, 0]
    assert [test.verdict for test in tests] == ["not contradicted"] * 3 + ["not tested"]
    assert check_guarantees(guarantees[:1], counts)[0].verdict == "contradicted"


def test_what_is_not_tested_says_why_and_takes_no_part():
    guarantees = [certified(), certified(0.8, "the recall of 'a'")]
    counts = {"the accuracy": (100, 40), "the recall of 'a'": (50, 50)}
    first, second = check_guarantees(guarantees, counts, {"the recall of 'a'": "it is so"})
    assert (first.verdict, first.n_tests) == ("contradicted", 1)
    assert (second.verdict, second.p_value, second.why_not) == ("not tested", None, "it is so")
    (nothing,) = check_guarantees([certified()], {"the accuracy": (0, 0)})
    assert nothing.verdict == "not tested"
    assert "none of the samples" in nothing.why_not


# Both certificates just hold: that any is contradicted has a probability of at most 5%.
def test_true_certificates_are_rarely_contradicted():
    rng, n_lives = np.random.default_rng(0), 4000
    guarantees = [certified(0.9), certified(0.8, "the recall of 'a'")]
    false = 0
    for first, second in zip(
        rng.binomial(300, 0.1, n_lives), rng.binomial(80, 0.2, n_lives), strict=True
    ):
        counts = {"the accuracy": (300, int(first)), "the recall of 'a'": (80, int(second))}
        false += any(test.is_contradicted for test in check_guarantees(guarantees, counts))
    assert false / n_lives <= LEVEL + 3 * np.sqrt(LEVEL * (1 - LEVEL) / n_lives)


def test_what_was_tested_is_a_sentence_with_the_outliers():
    tested = Guarantee(0.9, 0.95, 1396, 1297, 6, 0.93, 7)
    assert tested.what_was_tested == (
        "of 1,396 held-out samples, 1,297 were answered, 6 of them wrong"
    )
    assert replace(tested, n_outliers=4, counted="groups").what_was_tested == (
        "of 1,396 held-out groups, without 4 outliers, 1,297 were answered, 6 of them wrong"
    )
    repeated = replace(tested, counted="distinct samples", n_left_out=20)
    assert repeated.what_was_tested == (
        "of 1,396 held-out distinct samples (20 more are equal to others), 1,297 were answered, "
        "6 of them wrong"
    )
    recall = replace(repeated, name="the recall of 'ill'")  # of one class, of all classes equal
    assert "equal" not in recall.what_was_tested
