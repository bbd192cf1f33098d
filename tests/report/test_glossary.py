"""Each term is defined once, and its definition is shown on hover, focus and tap."""

import numpy as np
import pytest

from abstain import Accuracy
from tests.report.browsing import WHY_NOT
from tests.report.problems import fitted_gmlvq

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT)),
]

SHOWN = """
    const box = document.getElementById("definition");
    return box.hidden ? null : box.textContent"""


@pytest.fixture(scope="module")
def certified():
    target = Accuracy(0.7, confidence=0.9, groups=np.arange(400) % 2)
    return fitted_gmlvq(target=target, random_state=0)


def definition(page, term):
    return page.text(f"#term-{term}")


def test_each_term_is_defined_once_and_used(opened, gmlvq, certified, samples):
    for clf, groups in ((gmlvq, None), (certified, np.arange(len(samples[1])) % 2)):
        page = opened(clf, samples, groups=groups)
        ids = page.run("return [...document.querySelectorAll('#glossary dd')].map(({id}) => id)")
        used = page.run(
            """
            return [...document.querySelectorAll("[data-term]")].map(
                (each) => [each.dataset.term, each.getAttribute("aria-describedby")])"""
        )
        assert len(ids) == len(set(ids)) > 10
        assert {term for term, _ in used} == set(ids)
        assert all(term == described for term, described in used)
        assert all(text.endswith(".") for text in page.texts("#glossary dd"))


def test_a_pointer_a_focus_and_a_tap_show_a_definition(opened, gmlvq, samples):
    from selenium.webdriver import ActionChains, Keys

    page = opened(gmlvq, samples)
    act = lambda: ActionChains(page.driver, duration=20)  # noqa: E731
    rate = page.element("[data-term=term-reject-rate]")
    act().move_to_element(rate).perform()
    assert page.run(SHOWN) == definition(page, "reject-rate")
    act().move_to_element(page.element("#definition")).perform()
    assert page.run(SHOWN) is not None  # it can be read with the pointer on it
    act().move_to_element(page.element("h1")).perform()
    assert page.run(SHOWN) is None
    for _ in range(9):
        act().send_keys(Keys.TAB).perform()
        if page.run("return document.activeElement.dataset.term === 'term-reject-rate'"):
            break
    assert page.run(SHOWN) == definition(page, "reject-rate")
    act().send_keys(Keys.ESCAPE).perform()
    assert page.run(SHOWN) is None
    # The head of a column that can be sorted shows what it means, too.
    page.click("#rejected-table [data-term=term-certainty]")
    assert page.run(SHOWN) == definition(page, "certainty")
    phone = opened(gmlvq, samples, width=390)
    phone.click("#cells [data-term=term-threshold]")
    assert phone.run(SHOWN) == definition(phone, "threshold")
    box = "return document.getElementById('definition').getBoundingClientRect().toJSON()"
    assert phone.run(box)["left"] >= 0
    assert phone.run(box)["right"] <= 390
