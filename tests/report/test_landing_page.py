"""The frame on the landing page of the documentation shows the first screen of its report whole."""

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from tests.report.browsing import WHY_NOT, Page

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT)),
]
DOCS = Path(__file__).parents[2] / "docs"


# Widths that the theme leaves to the frame in windows of 1280 and 390 pixels.
def test_the_frame_is_as_high_as_the_curve_is_low(driver, folder):
    spec = spec_from_file_location("live_report", DOCS / "live_report.py")
    live = module_from_spec(spec)
    spec.loader.exec_module(live)
    live.write_live_report(folder / "live.html")
    style = (DOCS / "_static/abstain.css").read_text("utf-8")
    heights = [int(each) for each in re.findall(r"iframe\.report \{[^}]*height: (\d+)px", style)]
    for width, height in zip((894, 356), heights, strict=True):
        page = Page(driver, folder / "live.html", width=width)
        script = "return document.getElementById('curve').getBoundingClientRect().bottom"
        assert height - 40 < page.run(script) < height
        assert page.complaints() == []
