"""A headless Chromium that opens reports from disk, and says what went wrong in them."""

import codecs
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

__all__ = ["WHY_NOT", "Page", "contrast", "downloaded", "luminance", "open_browser"]

CHROMIUM = next(filter(None, map(shutil.which, ["chromium", "chromium-browser"])), None)
DRIVER = shutil.which("chromedriver")
WHY_NOT = (
    None
    if CHROMIUM and DRIVER
    else "no Chromium with its driver is installed: apt-get install chromium chromium-driver"
)

# As root there is no sandbox; and nothing is to be looked up on any network.
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--window-size=1200,900",
]


@contextmanager
def open_browser(downloads: Path | None = None) -> Iterator[Any]:
    """Start a browser with a profile of its own, and end it."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = str(CHROMIUM)
        for flag in [*FLAGS, f"--user-data-dir={profile}"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        try:
            if downloads is not None:
                driver.execute_cdp_cmd(
                    "Browser.setDownloadBehavior",
                    {"behavior": "allow", "downloadPath": str(downloads)},
                )
            yield driver
        finally:
            driver.quit()


class Page:
    """A report in a browser."""

    def __init__(
        self, driver: Any, file: Path, *, scheme: str = "light", width: int | None = None
    ) -> None:
        self.driver = driver
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        if width is None:
            driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        else:
            size = {"width": width, "height": 844, "deviceScaleFactor": 2, "mobile": True}
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        driver.get_log("browser")  # forgets what earlier pages said
        driver.get(Path(file).as_uri())
        self.wait("document.body.dataset.ready === 'yes'")

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def wait(self, condition: str) -> None:
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.driver, 60).until(lambda _: self.run(f"return {condition}"))

    def element(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def click(self, selector: str) -> None:
        # A person scrolls there first; what sticks to the top must not lie over it.
        self.run("arguments[0].scrollIntoView({block: 'center'})", self.element(selector))
        self.element(selector).click()

    def text(self, selector: str) -> str:
        return str(self.run("return document.querySelector(arguments[0]).textContent", selector))

    def value(self, selector: str) -> float:
        """Return the number itself behind what is written for people."""
        value = self.run("return document.querySelector(arguments[0]).dataset.value", selector)
        return float(value)

    def values(self, selector: str) -> list[list[float]]:
        """Return the numbers of a table, line by line."""
        script = """
            return [...document.querySelectorAll(arguments[0] + " tbody tr")].map(
                line => [...line.querySelectorAll("td[data-value]")].map(cell => cell.dataset.value)
            )"""
        return [[float(value) for value in line] for line in self.run(script, selector)]

    def texts(self, selector: str) -> list[str]:
        script = """
            return [...document.querySelectorAll(arguments[0])].map(each => each.textContent)"""
        return list(self.run(script, selector))

    def move_to(self, place: int) -> None:
        """Move the slider to a row."""
        self.run("slider.move(arguments[0])", int(place))

    def drag_to(self, rate: float) -> None:
        """Drag the slider, as far as the page can tell."""
        script = """
            const input = document.getElementById("slider");
            input.value = arguments[0];
            input.dispatchEvent(new Event("input", {bubbles: true}));"""
        self.run(script, float(rate))

    def complaints(self) -> list[str]:
        """Return what the console says, and the page itself."""
        said = [entry["message"] for entry in self.driver.get_log("browser")]
        return said + ([self.text("#trouble")] if self.text("#trouble") else [])


def downloaded(folder: Path, name: str) -> str:
    """Return a file once it is there; each is removed after it was read."""
    file, deadline = folder / name, time.monotonic() + 30
    while not file.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    content = file.read_bytes()
    file.unlink()
    # Spreadsheets need the mark to read UTF-8, and readers of JSON refuse it.
    assert content.startswith(codecs.BOM_UTF8) == name.endswith(".csv")
    return content.decode("utf-8-sig")


def luminance(colour: str) -> float:
    """Return how bright a colour of a page is, from 0 to 1 (WCAG)."""
    inside = colour[colour.index("(") + 1 : -1]
    if inside.startswith("srgb "):  # a mixed colour
        channels = [float(part) for part in inside.split()[1:4]]
    else:
        channels = [int(part) / 255 for part in inside.split(",")[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(ink: str, behind: str) -> float:
    """Return the contrast of two colours of a page: from 1, if they are equal, to 21 (WCAG)."""
    bright, dark = sorted([luminance(ink), luminance(behind)], reverse=True)
    return (bright + 0.05) / (dark + 0.05)
