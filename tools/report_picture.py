"""What does a report look like?

Makes the report of breast tumours, opens it in a headless Chromium and takes the picture of its
first screen: ``python -m tools.report_picture docs/images/report.png``.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from abstain._core.files import atomic_files
from abstain.report import write_report
from tests.report.browsing import WHY_NOT, Page, open_browser
from tests.report.problems import breast_tumours


def take_picture(picture: Path) -> None:
    """Write the picture of a report."""
    with TemporaryDirectory() as folder, open_browser() as driver:
        file = Path(folder, "report.html")
        clf, X, y = breast_tumours()
        write_report(clf, X, y, file, title="Breast tumours")
        driver.set_window_size(1000, 1000)
        page = Page(driver, file)
        page.wait("document.querySelector('#curve .scatterlayer')")
        with atomic_files(picture) as (draft,):
            draft.write_bytes(driver.get_screenshot_as_png())


if __name__ == "__main__":
    if WHY_NOT:
        sys.exit(str(WHY_NOT))
    take_picture(Path(sys.argv[1]))
