"""Classes and their confusion: shares with limits, and a heat map whose rejects stay in sight."""

from copy import copy

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from abstain import RejectOptionClassifier, RejectRate
from abstain.metrics import class_report
from tests.report.browsing import WHY_NOT

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT)),
]

LETTERS = [chr(ord("A") + number) for number in range(26)]


def letters(n_samples, seed):
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(0).normal(size=(26, 8))
    y = rng.integers(0, 26, n_samples)
    return centres[y] + 0.5 * rng.normal(size=(n_samples, 8)), np.array(LETTERS)[y]


@pytest.fixture(scope="module")
def of_letters():
    return RejectOptionClassifier(GaussianNB(), target=RejectRate(0.2)).fit(*letters(2000, 1))


def test_recall_precision_and_answered_share_have_limits(opened, gmlvq, samples):
    X, y = samples
    clf = copy(gmlvq).retarget(RejectRate(0.2))
    page = opened(clf, samples)
    report = class_report(y, clf.predict(X), clf.reject(X))
    shown = page.run(
        """
        return [...document.querySelectorAll("#by-class tbody tr")].map(
            (line) => [...line.querySelectorAll(".interval")].map(
                ({ dataset }) => [dataset.low, dataset.value, dataset.high].map(Number)))"""
    )
    expected = [
        [report.recall_low, report.recall, report.recall_high],
        [report.precision_low, report.precision, report.precision_high],
    ]
    shown = np.array(shown)
    assert shown[:, :2] == pytest.approx(np.transpose(expected, (2, 0, 1)), abs=1e-9)
    low, share, high = shown[:, 2].T
    assert share == pytest.approx(report.answered / report.samples)
    assert np.all(low < share)
    assert np.all(share <= high)


def colours(page, selector):
    script = """
        return [...document.querySelectorAll(arguments[0])].map(
            (each) => [Number(each.dataset.value), getComputedStyle(each).backgroundColor])"""
    return page.run(script, selector)


def test_a_heat_map_is_the_stronger_the_larger_the_share(opened, of_letters):
    page = opened(of_letters, letters(2000, 2))
    for kind in ("right", "wrong", "rejects"):
        filled = {colour for value, colour in colours(page, f"#confusion td.{kind}") if value}
        empty = {colour for value, colour in colours(page, f"#confusion td.{kind}") if not value}
        assert len(filled) > 3 or kind == "right"
        assert filled.isdisjoint(empty)
    texts = page.texts("#confusion tbody td:not([data-value='0'])")
    assert all(texts)
    assert not any(page.texts("#confusion tbody td[data-value='0']"))  # many classes: no zeros
    assert page.text("#confused").startswith("Most frequent wrong answers: ")


@pytest.mark.parametrize("width", [None, 390])
def test_the_rejected_column_is_always_in_sight(width, opened, of_letters):
    page = opened(of_letters, letters(2000, 2), width=width)
    places = """
        const box = document.querySelector(".scroll:has(#confusion)");
        box.scrollLeft = arguments[0];
        const inside = ({ left, right }) => {
            const outer = box.getBoundingClientRect();
            return left >= outer.left - 1 && right <= outer.right + 1;
        };
        return ["tbody tr:nth-child(9) th", "tbody tr:nth-child(9) .rejects", "thead .rejects"]
            .map((each) => inside(box.querySelector(each).getBoundingClientRect()))"""
    for at in (0, 300, 10_000):
        assert page.run(places, at) == [True, True, True]
    # Between the names and the rejects, there is room for the columns of some classes.
    room = page.run(
        """
        const line = document.querySelector("#confusion tbody tr");
        const left = line.querySelector("th").getBoundingClientRect().right;
        return line.querySelector(".rejects").getBoundingClientRect().left - left"""
    )
    assert room > 200
    assert page.run("return document.documentElement.scrollWidth") <= (width or 1200)
