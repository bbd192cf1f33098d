"""A browser for the tests of a folder, classifiers, and samples that they have not seen."""

import pytest

from abstain.report import write_report
from tests.report.browsing import Page, open_browser
from tests.report.problems import fitted_gmlvq, fitted_stripes, noisy


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="module")
def driver(folder):
    with open_browser(downloads=folder) as driver:
        yield driver


@pytest.fixture
def opened(driver, folder):
    """Open reports; in the end none of them may have complained, nor asked the network."""
    pages = []

    def open_report(clf, samples, *, scheme="light", width=None, **settings):
        write_report(clf, *samples, folder / "report.html", **settings)
        pages.append(Page(driver, folder / "report.html", scheme=scheme, width=width))
        return pages[-1]

    yield open_report
    for page in pages:
        assert page.complaints() == []
        asked = page.run("return performance.getEntriesByType('resource').map(each => each.name)")
        assert [name for name in asked if not name.startswith(("blob:", "data:"))] == []


@pytest.fixture(scope="module")
def gmlvq():
    return fitted_gmlvq(cv=3)


@pytest.fixture(scope="module")
def exact():
    return fitted_gmlvq(cv=3, method="exact")


@pytest.fixture(scope="module")
def stripes():
    return fitted_stripes()


@pytest.fixture(scope="module")
def samples():
    return noisy(300, seed=1)


@pytest.fixture(scope="module")
def many():
    return noisy(12_000, seed=1)
