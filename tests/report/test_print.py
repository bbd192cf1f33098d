"""What is printed: whole, and without what only a screen can do."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from abstain import GMLVQ, RejectOptionClassifier, RejectRate
from tests.report.browsing import WHY_NOT
from tests.report.problems import noisy

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT)),
]

# A4 between its margins, in pixels; letter paper is wider.
PAGE_WIDTH = 703


def of_classes(n_classes, names, n_samples=1500, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_samples)
    X = np.random.default_rng(0).normal(size=(n_classes, 8))[y]
    X += 0.5 * rng.normal(size=X.shape)
    return X, np.array([names(number) for number in range(n_classes)])[y]


def with_gaps(n_samples, seed):
    X, y = noisy(n_samples, ("absent", "present"), seed=seed)
    return np.where(np.random.default_rng(seed).random(X.shape) < 0.1, np.nan, X), y


CASES = {
    "binary, missing values": (
        lambda: RejectOptionClassifier(GMLVQ(random_state=0), target=RejectRate(0.4), cv=3),
        lambda seed: with_gaps(400, seed),
    ),
    "26 classes": (
        lambda: RejectOptionClassifier(GaussianNB(), target=RejectRate(0.2)),
        lambda seed: of_classes(26, lambda number: chr(ord("A") + number), seed=seed),
    ),
    "45 classes with long names": (
        lambda: RejectOptionClassifier(GaussianNB(), target=RejectRate(0.2)),
        lambda seed: of_classes(45, lambda n: f"adenocarcinoma_of_the_colon_{n}", seed=seed),
    ),
}


@pytest.fixture(params=CASES)
def printed(request, opened):
    """A report as it is laid out for paper."""
    make, draw = CASES[request.param]
    page = opened(make().fit(*draw(0)), draw(1), scheme="dark")
    page.run("dispatchEvent(new Event('beforeprint'))")
    features = [{"name": "prefers-color-scheme", "value": "dark"}]
    emulated = {"media": "print", "features": features}
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", emulated)
    size = {"width": PAGE_WIDTH, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    return page


def test_paper_shows_all_that_the_point_does_and_no_controls(printed):
    too_wide = """
        const parts = "header *, main *:not(svg *), main svg text, footer *";
        return [...document.querySelectorAll(parts)].filter((each) => {
            const { left, right, width } = each.getBoundingClientRect();
            return width && (left < -1 || right > arguments[0] + 1);
        }).map((each) => each.outerHTML.slice(0, 99))"""
    assert printed.run(too_wide, PAGE_WIDTH) == []
    assert printed.run("return document.documentElement.scrollWidth") <= PAGE_WIDTH
    for shown in ("#badge", "#reject-rate", ".tiles", "#answered", "#curve", "#rejected-table"):
        assert printed.element(shown).is_displayed(), shown
    controls = """
        return [...document.querySelectorAll("button:not([data-term]), th button, input, select")]
            .filter((each) => each.offsetParent).map(({ id }) => id)"""
    assert printed.run(controls) == []
    # Nothing is hidden behind a scroll bar, and heads are repeated on each page.
    hidden = """
        return [...document.querySelectorAll(".scroll")].filter((each) => each.offsetParent)
            .map((each) => [getComputedStyle(each).overflow, getComputedStyle(each).maxHeight])"""
    assert {tuple(each) for each in printed.run(hidden)} == {("visible", "none")}
    heads = """
        return [...document.querySelectorAll("thead, thead th")].filter((each) => each.offsetParent)
            .map((each) => [getComputedStyle(each).display, getComputedStyle(each).position])"""
    heads = {tuple(each) for each in printed.run(heads)}
    assert heads == {("table-header-group", "static"), ("table-cell", "static")}
    # Browsers leave buttons out of repeated heads: their texts stand beside them.
    titles = """
        return [...document.querySelectorAll("th:has(button)")].filter((each) => each.offsetParent)
            .map((each) => [each.textContent.replace(/ [▲▼]$/, ""), each.dataset.title])"""
    titles = printed.run(titles)
    assert len(titles) > 20
    assert all(text == title for text, title in titles)
    ink = printed.run("return document.getElementById('curve')._fullLayout.font.color")
    assert ink == "#16202a"  # black on white, whatever the screen


def test_all_rows_are_printed_or_it_is_said_how_many_are(printed):
    for kind in ("wrong", "rejected"):
        said = printed.text(f"#{kind}-found")
        n_rows = int(said.split()[0].replace(",", ""))
        n_shown = len(printed.texts(f"#{kind}-table tbody tr"))
        assert n_shown == min(n_rows, 100)
        assert ("The first 100 are printed" in said) == (n_rows > 100)
    # A matrix too wide for paper is left out, and that is said.
    n_classes = len(printed.texts("#confusion tbody tr"))
    assert printed.element("#confusion").is_displayed() == (n_classes <= 30)
    assert len(printed.texts(".paper-only")) == (n_classes > 30)
    # Afterwards, the page is what it was.
    printed.run("dispatchEvent(new Event('afterprint'))")
    assert len(printed.texts("#rejected-table tbody tr")) == 25


def test_after_printing_figures_are_as_wide_as_before(opened, gmlvq, samples):
    page = opened(gmlvq, samples)
    widths = """[...document.querySelectorAll(".js-plotly-plot")].map(
        (each) => each._fullLayout.width).join()"""
    before = page.run(f"return {widths}")
    page.driver.execute_cdp_cmd("Page.printToPDF", {})
    page.wait(f"{widths} == '{before}'")
