"""The first screen: four tiles, a badge that says what is certified, and a slider on the axis."""

from copy import copy, deepcopy

import numpy as np
import pytest

from abstain import Accuracy, AllOf, Recall, RejectRate
from abstain.report.content import find_content
from tests.report.browsing import WHY_NOT
from tests.report.problems import fitted_gmlvq, noisy

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT)),
]


@pytest.fixture(scope="module")
def certified():
    return fitted_gmlvq(target=Accuracy(0.7, confidence=0.9), random_state=3)


def words(page, selector):
    return " ".join(page.text(selector).split())


def meaning(page):
    """Return what is said of the badge, and is visible."""
    script = """
        return [...document.querySelectorAll("#badge-meaning > *")]
            .filter(each => each.offsetParent).map(each => each.textContent)"""
    (text,) = page.run(script)
    return " ".join(text.split())


def test_tiles_count_what_is_answered_right_wrong_and_given_up(opened, gmlvq, samples):
    X, y = samples
    clf = copy(gmlvq).retarget(RejectRate(0.2))
    page = opened(clf, samples)
    right, rejected = clf.estimator_.predict(X) == y, clf.reject(X)
    counts = {
        "answered": np.count_nonzero(~rejected),
        "right": np.count_nonzero(right & ~rejected),
        "wrong": np.count_nonzero(~right & ~rejected),
        "lost": np.count_nonzero(right & rejected),
    }
    assert {name: page.value(f"#{name}") for name in counts} == counts
    n_answered = counts["answered"]
    assert page.value("#answered-share") == n_answered / len(y)
    assert page.value("#right-share") == counts["right"] / n_answered
    assert page.value("#wrong-share") == pytest.approx(counts["wrong"] / n_answered)
    assert page.value("#lost-share") == counts["lost"] / right.sum()
    assert page.value("#reject-rate") == rejected.mean()
    assert page.text("#rejected-count") == f"{rejected.sum()} of {len(y)}"


@pytest.mark.parametrize(("width", "height"), [(None, 800), (390, 844)])
def test_the_first_screen_has_tiles_badge_slider_and_curve(
    width, height, opened, certified, samples
):
    page = opened(certified, samples, width=width)
    tops = page.run(
        """
        return ["#answered", "#lost", "#badge", "#slider", "#badge-meaning", "#curve"].map(
            (each) => document.querySelector(each).getBoundingClientRect().top)"""
    )
    assert tops == sorted(tops)
    # Half of the curve at least is in sight.
    curve = page.element("#curve").size["height"]
    assert tops[-1] + curve / 2 < height


def test_the_badge_is_certified_at_the_thresholds_that_were_tested_alone(
    opened, certified, samples
):
    page = opened(certified, samples)
    held = certified.operating_point_.guarantee
    start = page.run("return slider.place")
    assert page.text("#badge") == "Certified"
    said = meaning(page)
    assert said.startswith("The accuracy is at least 70% on new samples")
    assert "with confidence 90%" in said
    assert f"of {held.n_samples} held-out samples, {held.accepted} were answered" in said
    assert "do not contradict it" in said
    for place in {0, start + 3} - {start}:
        page.move_to(place)
        assert page.text("#badge") == "Void"
        assert "not for these" in meaning(page)
    assert "Void" in page.run("return document.getElementById('slider').ariaValueText")
    page.click("#reset")
    assert (page.text("#badge"), meaning(page)) == ("Certified", said)
    assert "Certified" in page.text("#status")


def test_several_certificates_are_one_badge(opened, samples):
    target = AllOf(Accuracy(0.5, confidence=0.8), Recall("a", 0.5, confidence=0.8))
    page = opened(fitted_gmlvq(target=target, random_state=0), samples)
    assert page.text("#badge") == "Certified"
    assert meaning(page).startswith("2 certificates hold together")
    assert "the accuracy is at least 50%, the recall of 'a' is at least 50%." in meaning(page)


def test_the_badge_is_contradicted_by_samples(opened, certified, samples):
    X, y = samples
    wrong = np.where(np.arange(len(y)) % 2, certified.predict(X), "b")
    page = opened(certified, (X, wrong))
    assert page.text("#badge") == "Contradicted"
    accuracy = 1 - page.value("#wrong") / page.value("#answered")
    assert f"certified to be at least 70% with confidence 90%, and is {accuracy:.1%}" in meaning(
        page
    )
    assert "below 0.05" in meaning(page)
    page.move_to(page.run("return slider.place") + 3)
    assert page.text("#badge") == "Void"


def test_without_a_certificate_nothing_is_certified(opened, gmlvq, samples):
    page = opened(gmlvq, samples)
    for place in (0, 5):
        page.move_to(place)
        assert page.text("#badge") == "Not certified"
        assert "nothing is promised" in meaning(page)


def test_samples_that_set_the_thresholds_test_no_certificate(opened, certified, samples):
    clf = deepcopy(certified).recalibrate(*samples)
    page = opened(clf, samples)
    assert page.text("#badge") == "Certified"
    assert "do not test it: the thresholds were set or tested on these samples" in meaning(page)


@pytest.mark.parametrize("width", [None, 390])
def test_the_slider_stands_where_its_point_is_drawn(width, opened, gmlvq, samples):
    page = opened(gmlvq, samples, width=width)
    content = find_content(gmlvq, *samples, None, None)
    accepted = np.array(content["rows"]["on_samples"]["accepted"])
    for place in np.linspace(0, len(accepted) - 1, 5).astype(int).tolist():
        page.move_to(place)
        assert page.value("#reject-rate") == (300 - accepted[place]) / 300
        page.wait(f"document.getElementById('curve').data.at(-1).x[0] === slider.rates[{place}]")
        thumb, point = page.run(
            """
            const input = document.getElementById("slider");
            const box = input.getBoundingClientRect();
            const share = input.value / input.max;
            const plot = document.getElementById("curve");
            const { xaxis } = plot._fullLayout;
            const rate = plot.data.at(-1).x[0];
            const left = plot.getBoundingClientRect().left + xaxis._offset;
            return [box.left + 12 + share * (box.width - 24), left + xaxis.d2p(rate)];"""
        )
        assert thumb == pytest.approx(point, abs=1)
    ticks = page.run(
        """
        const centre = ({ left, width }) => left + width / 2;
        const of = (selector) => [...document.querySelectorAll(selector)]
            .map((each) => [each.textContent, centre(each.getBoundingClientRect())]);
        return [of("#ticks span"), of("#curve .xtick text")]"""
    )
    assert [name for name, _ in ticks[0]] == [name for name, _ in ticks[1]]
    assert [at for _, at in ticks[0]] == pytest.approx([at for _, at in ticks[1]], abs=1)


def test_a_dragged_slider_goes_to_the_closest_point(opened, exact, samples):
    page = opened(exact, samples)
    rates = np.array(page.run("return slider.rates"))
    for rate in np.linspace(0, rates.max(), 7):
        page.drag_to(rate)
        chosen = page.run("return slider.place")
        assert abs(rates[chosen] - rate) == pytest.approx(np.abs(rates - rate).min())
        assert page.run("return Number(slider.input.value)") == pytest.approx(rates[chosen])


# On other samples than those that set the thresholds, a later row may reject fewer.
def test_arrow_keys_go_through_all_points_in_the_order_of_rejects(opened, exact):
    from selenium.webdriver import Keys

    page = opened(exact, noisy(80, seed=1))
    rates = page.run("return slider.rates")
    assert rates != sorted(rates)
    element = page.element("#slider")
    element.send_keys(Keys.HOME)
    seen = [page.run("return slider.place")]
    for _ in rates[1:]:
        element.send_keys(Keys.ARROW_RIGHT)
        seen.append(page.run("return slider.place"))
    assert sorted(seen) == list(range(len(rates)))
    assert [rates[place] for place in seen] == sorted(rates)
    assert not page.element("#forth").is_enabled()
