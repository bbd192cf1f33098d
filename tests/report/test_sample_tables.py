"""The tables of samples: wrong answers and rejected samples, their values, and links to them."""

import csv
from copy import copy

import numpy as np
import pandas as pd
import pytest

from abstain import GLVQ, InputError, RejectOptionClassifier, RejectRate
from abstain.classifier.explain import explanation_table
from abstain.report.content import find_content
from tests.report.browsing import WHY_NOT, downloaded
from tests.report.problems import at_row, noisy

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT)),
]

CERTAINTY = "#rejected-table thead th:nth-child(9) button"


def column(page, kind, title):
    """Return what a table shows in a column."""
    heads = [text.rstrip(" ▲▼") for text in page.texts(f"#{kind}-table thead th")]
    at = heads.index(title) + 1
    return page.texts(f"#{kind}-table tbody tr:not(.values) td:nth-child({at})")


def test_five_thousand_rejected_samples_are_sorted_searched_and_saved(
    opened, stripes, many, folder
):
    X, y = many
    content = find_content(stripes, X, y, None, None)
    on = content["rows"]["on_samples"]
    place = int(np.argmax(np.array(on["accepted"]) <= len(y) - 5000))
    there = at_row(stripes, content["rows"]["row"][place])
    table = explanation_table(there, X, 3, at_any_threshold=True)
    rejected = np.flatnonzero(there.reject(X))
    assert len(rejected) >= 5000
    page = opened(stripes, many)
    page.move_to(place)
    assert page.text("#rejected-found") == f"{len(rejected):,} rejected."
    assert len(page.texts("#rejected-table tbody tr")) == 25
    assert page.text("#rejected-page") == f"Page 1 of {-(-len(rejected) // 25)}"

    page.click(CERTAINTY)  # certainty
    page.click("#rejected-csv")
    lines = list(csv.DictReader(downloaded(folder, "rejected.csv").splitlines()))
    saved = [float(line["certainty"]) for line in lines]
    assert saved == sorted(there.certainties(X)[rejected].tolist())
    assert sorted(int(line["sample"]) for line in lines) == rejected.tolist()
    for line in lines[::97]:
        explained = table.row(int(line["sample"]), named=True)
        assert (line["withheld answer"], line["rival"]) == (explained["label"], explained["rival"])
        assert line["reason"] == explained["reason"]
        assert line["true class"] == y[int(line["sample"])]
        assert float(line["threshold"]) == explained["threshold"]
        to_acceptance = explained["threshold"] - explained["certainty"]
        if explained["kind"] == "outlier":  # whatever the threshold, it is not accepted
            to_acceptance = np.inf
        assert float(line["to acceptance"]) == to_acceptance

    page.click(CERTAINTY)
    assert (
        page.run("return document.querySelector('#rejected-table [aria-sort]').ariaSort")
        == "descending"
    )
    page.click("#rejected-csv")
    again = list(csv.DictReader(downloaded(folder, "rejected.csv").splitlines()))
    assert [float(line["certainty"]) for line in again] == saved[::-1]
    shown = page.texts("#rejected-table tbody td:nth-child(1)")
    assert shown == [line["sample"] for line in again[:25]]
    page.click("#rejected-next")
    shown = page.texts("#rejected-table tbody td:nth-child(1)")
    assert shown == [line["sample"] for line in again[25:50]]


def test_the_search_finds_samples_by_their_words(opened, gmlvq, samples, folder):
    X, y = samples
    names = [f"patient {number:03}" for number in range(len(y))]
    clf = copy(gmlvq).retarget(RejectRate(0.3))
    rejected = np.flatnonzero(clf.reject(X))
    page = opened(clf, samples, sample_names=names)
    page.element("#rejected-search").send_keys(f"PATIENT {rejected[3]:03}")
    assert page.texts("#rejected-table tbody td:nth-child(1)") == [names[rejected[3]]]
    assert page.text("#rejected-found") == f"{len(rejected)} rejected; 1 found."
    page.click("#rejected-csv")
    assert len(downloaded(folder, "rejected.csv").splitlines()) == 2
    page.element("#rejected-search").clear()
    page.element("#rejected-search").send_keys("no such thing")
    assert page.texts("#rejected-table tbody tr") == []
    assert not page.element("#rejected-csv").is_enabled()
    page.move_to(0)
    n_outliers = np.count_nonzero(clf.decide(X).outlier)
    assert page.text("#rejected-found") == f"{n_outliers} rejected; 0 found."


def test_details_that_are_left_out_are_counted(opened, exact):
    samples = noisy(21_000, seed=1)
    clf = copy(exact).set_thresholds({"thresholds": ["inf"] * len(exact.thresholds_)})
    page = opened(clf, samples)
    page.move_to(page.run("return slider.rates.length - 1"))
    assert page.text("#rejected-found").startswith("21,000 rejected")
    n_wrong = np.count_nonzero((clf.predict(samples[0]) != samples[1]) & ~clf.reject(samples[0]))
    said = f"20,000 of 21,000 samples: of all {n_wrong:,} wrong answers at the classifier’s own"
    assert said in page.text("#detailed")
    assert "400 of 21,000 samples are drawn" in page.text("main")
    assert "The slider starts at the classifier’s own thresholds" in page.text("main")


def frame_of(X):
    return pd.DataFrame(X, columns=["age", "height", "weight", "<b>pulse</b>"])


def test_wrong_answers_are_listed_with_values_and_reasons(opened, samples, folder):
    X, y = frame_of(samples[0]), samples[1]
    X.iloc[::7, 1] = np.nan
    known, labels = noisy(400)
    clf = RejectOptionClassifier(GLVQ(random_state=0), target=RejectRate(0.1), cv=3)
    clf.fit(frame_of(known), labels)
    page = opened(clf, (X, y), sample_rows=np.arange(len(y)) + 2)
    decisions, reasons = (
        clf.decide(X),
        explanation_table(clf, X, 3, at_any_threshold=True)["reason"],
    )
    wrong = np.flatnonzero((clf.predict(X) != y) & ~decisions.rejected)
    assert page.text("#wrong-found") == f"{len(wrong)} answered wrongly."
    surest = wrong[np.argsort(-decisions.certainty[wrong], kind="stable")][:25]
    assert column(page, "wrong", "row") == [str(at + 2) for at in surest]
    assert column(page, "wrong", "true class") == y[surest].tolist()
    assert column(page, "wrong", "reason") == [reasons[int(at)] for at in surest]
    for at, text in zip(surest.tolist(), column(page, "wrong", "values"), strict=True):
        height = X.iloc[at]["height"]
        assert (
            f"height {'missing' if np.isnan(height) else f'{height:.4g}'.replace('-', '−')}" in text
        )
        assert "<b>pulse</b> " in text
    page.click("#wrong-csv")
    lines = list(csv.DictReader(downloaded(folder, "wrong.csv").splitlines()))
    assert [int(line["row"]) for line in lines[:25]] == (surest + 2).tolist()
    for line in lines:
        row = X.iloc[int(line["row"]) - 2]
        assert float(line["age"]) == pytest.approx(row["age"], rel=1e-5)
        assert (line["height"] == "") == np.isnan(row["height"])
    # What is rejected is in the other table.
    page.move_to(len(clf.front_) - 1)
    assert page.text("#wrong-found") == "0 answered wrongly."
    assert not page.element("#wrong-csv").is_enabled()


def test_a_link_opens_the_values_of_a_sample(opened, gmlvq, samples):
    clf = copy(gmlvq).retarget(RejectRate(0.3))
    page = opened(clf, samples)
    rejected = np.flatnonzero(clf.reject(samples[0]))
    last = int(rejected[-1])
    page.run(f"location.hash = '#sample-{last}'")
    page.wait("document.querySelector('#rejected-table .values')")
    assert page.run("return document.activeElement.id") == f"sample-{last}"
    assert page.run("return document.activeElement.ariaExpanded") == "true"
    values = page.texts("#rejected-table .values dd")
    expected = [f"{value:.4g}".replace("-", "−") for value in samples[0][last]]
    assert sorted(values) == sorted(expected)
    written = page.run("return [1234567, 12345.67, 0.1234567, -0.5, 1e-7, 63.0].map(shortValue)")
    assert written == ["1234567", "12346", "0.1235", "−0.5", "1e−7", "63"]
    box = page.run("return document.activeElement.getBoundingClientRect().top")
    assert 0 < box < 900
    page.click(f"#sample-{last}")
    assert page.texts("#rejected-table .values") == []
    links = page.run("return [...document.querySelectorAll('main a')].map(each => each.hash)")
    assert all(link.startswith("#sample-") for link in links)


@pytest.mark.parametrize("make", [np.asarray, lambda X: X.tolist()])
def test_values_are_those_that_were_given(make, gmlvq, samples):
    X, y = samples
    values = find_content(gmlvq, make(X), y, None, None)["details"]["values"]
    assert values["n_features"] == len(values["names"]) == 4
    shown = np.array(values["columns"])
    order = [int(name[-1]) for name in values["names"]]
    assert sorted(order) == list(range(4))
    assert shown == pytest.approx(X.T[order], rel=1e-5)


def test_of_too_many_values_those_of_the_most_relevant_features_are_shown(
    gmlvq, samples, monkeypatch
):
    monkeypatch.setattr("abstain.report.samples.MAX_VALUES", 2 * len(samples[1]))
    monkeypatch.setattr("abstain.report.samples.FEWEST_VALUES", 1)
    names = ["a", "b", "c", "d"]
    values = find_content(gmlvq, *samples, names, None)["details"]["values"]
    relevances = gmlvq.estimator_[-1].relevances_
    assert values["names"] == [names[at] for at in np.argsort(-relevances)[:2]]
    assert values["n_features"] == 4


def test_rows_of_samples_are_whole_numbers_one_per_sample(gmlvq, samples):
    for rows in ([1, 2], np.ones(len(samples[1]))):
        with pytest.raises(InputError, match="sample_rows must hold one whole number for each"):
            find_content(gmlvq, *samples, None, None, sample_rows=rows)
