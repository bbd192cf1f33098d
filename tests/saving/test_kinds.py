"""Shapes are letters; what does not fit leaves no trace."""

import numpy as np
import pytest

from abstain.saving.kinds import array, listed, number, optional, real, sequence, size, whole


def test_a_letter_has_one_size():
    sizes = {}
    assert real("k d").fits(np.zeros((3, 2)), sizes)
    assert sizes == {"k": 3, "d": 2}
    assert not real("d").fits(np.zeros(3), sizes)
    assert size("d").fits(2, sizes)
    assert not listed(number(), "k").fits([1, 2], sizes)


@pytest.mark.parametrize(("k", "scores", "pairs"), [(2, 1, 1), (3, 3, 3), (5, 5, 10)])
def test_some_sizes_follow_from_others(k, scores, pairs):
    for letters, length in {"scores": scores, "pairs": pairs, "k-1": k - 1, "k+1": k + 1}.items():
        assert real(letters).fits(np.zeros(length), {"k": k})
        assert not real(letters).fits(np.zeros(length + 1), {"k": k})


def test_an_alternative_that_fails_sets_no_size():
    sizes = {}
    assert (real("c d") | real("d")).fits(np.zeros(4), sizes)
    assert not real("c e").fits(np.zeros((2, 0)), sizes)
    assert sizes == {"d": 4}


def test_letters_are_at_least_one_unless_their_size_is_known():
    assert not real("n").fits(np.zeros(0), {})
    assert real("*").fits(np.zeros(0), {})
    assert real("t-1").fits(np.zeros(0), {"t": 1})


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_are_finite_unless_others_are_allowed(value):
    values = np.array([value])
    assert not real("n").fits(values, {})
    assert real("n", nan=True).fits(values, {}) == np.isnan(value)
    assert real("n", infinite=True).fits(values, {}) == np.isinf(value)
    assert not number().fits(value, {})


def test_types_and_ends_are_exact():
    assert not whole("n", dtype="int32").fits(np.arange(3), {})
    assert whole("n", below="k").fits(np.arange(3), {"k": 3})
    assert not whole("n", below="k").fits(np.arange(3), {"k": 2})
    assert not whole("n", below="k").fits(np.arange(3), {})
    assert not array("n", "b", "truth values").fits(np.ones(3), {})
    assert not size().fits(True, {})


def test_a_narrower_kind_is_both():
    positive = whole("n").where("not 0", np.all)
    assert positive.fits(np.array([1, 2]), {})
    assert not positive.fits(np.array([1, 0]), {})
    assert not positive.fits([1, 2], {})
    assert optional(positive).fits(None, {})
    assert sequence(number(), positive).fits((0.5, np.array([1])), {})
    assert not sequence(number(), positive).fits((0.5,), {})
