"""Nothing that axe-core finds keeps a person from reading the page, and figures can be read too."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from abstain import Accuracy, RejectOptionClassifier, RejectRate
from tests.report.browsing import WHY_NOT, contrast
from tests.report.problems import fitted_gmlvq
from tests.report.test_class_tables import letters

AXE = Path(__file__).parents[2] / "build/axe/node_modules/axe-core/axe.min.js"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT)),
]
needs_axe = pytest.mark.skipif(
    not AXE.exists(),
    reason="no axe-core: `npm install --prefix build/axe axe-core@4.12`, as `make test-slow` does",
)
LOOKS = [("light", None), ("dark", None), ("light", 390), ("dark", 390)]


def certified(samples):
    target = Accuracy(0.7, confidence=0.9, groups=np.arange(400) % 2)
    clf = fitted_gmlvq(target=target, random_state=0)
    return clf, samples, {"groups": np.arange(len(samples[1])) % 2}


def of_letters(samples):
    clf = RejectOptionClassifier(GaussianNB(), target=RejectRate(0.2)).fit(*letters(2000, 1))
    return clf, letters(500, 2), {}


def barriers(page):
    """Return what axe-core finds of the worst kinds."""
    page.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": AXE.read_text("utf-8")})
    script = """
        const done = arguments[arguments.length - 1];
        axe.run(document).then(({ violations, passes }) => done([
            passes.length,
            violations.filter(({ impact }) => impact === "serious" || impact === "critical")
                .map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
        ]), (error) => done([0, String(error)]))"""
    n_passed, found = page.driver.execute_async_script(script)
    assert n_passed > 20
    return found


@needs_axe
@pytest.mark.parametrize("make", [certified, of_letters])
@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_axe_finds_no_serious_barrier(make, scheme, width, opened, samples):
    clf, given, settings = make(samples)
    page = opened(clf, given, scheme=scheme, width=width, **settings)
    page.driver.set_script_timeout(120)
    assert barriers(page) == []
    # With the slider elsewhere, the values of a sample open and a definition shown.
    page.move_to(0)
    page.click("#wrong-table tbody a")
    page.run("document.querySelector('#cells .term').click()")
    assert barriers(page) == []


# What axe-core cannot tell: texts of figures, against what is drawn behind them.
@pytest.mark.parametrize("make", [certified, of_letters])
@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_texts_of_figures_can_be_read(make, scheme, width, opened, samples):
    clf, given, settings = make(samples)
    page = opened(clf, given, scheme=scheme, width=width, **settings)
    texts = page.run(
        """
        const paper = getComputedStyle(document.body).backgroundColor;
        return [...document.querySelectorAll("main svg text")].filter((each) => each.textContent)
            .map((each) => {
                const style = getComputedStyle(each);
                const bar = each.matches(".bartext-inside")
                    && each.closest(".point").querySelector("path");
                return [each.textContent, style.fill, bar ? getComputedStyle(bar).fill : paper,
                    Number(style.fillOpacity) * Number(style.opacity)];
            })"""
    )
    assert len(texts) > 20
    assert min(opacity for *_, opacity in texts) == 1
    low = [(text, round(contrast(ink, behind), 2)) for text, ink, behind, _ in texts]
    assert [each for each in low if each[1] < 4.5] == []
