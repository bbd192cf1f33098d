"""Is a folder of HTML pages whole, and does it stand without the network?

``python -m tools.check_site build/docs`` lists the links between pages that lead nowhere, the
pictures that are not there, whatever a browser would fetch from elsewhere to show a page, and the
texts of Python objects that nobody meant to show, such as ``<Axes: >`` or ``np.float64(0.2)``.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

# What a browser fetches by itself: (tag, attribute). A link is followed by the reader alone.
FETCHED = {
    ("audio", "src"),
    ("iframe", "src"),
    ("img", "src"),
    ("link", "href"),
    ("script", "src"),
    ("source", "src"),
    ("video", "src"),
}
# Links in the head that a browser does not follow to show the page.
NOT_FETCHED = {"author", "canonical", "help", "index", "next", "prev", "search", "top"}


# What Python prints of an object that is not meant to be read. Code is not taken for it: there, the
# parts of such a text are highlighted, and lie in elements of their own.
OBJECT = re.compile(
    r"<[^<>]* at 0x[0-9a-f]+>"
    r"|<(?:function|bound method|module|generator object|matplotlib|Axes|Figure|Axis)\b[^<>]*"
    r"|\bnp\.(?:bool|complex|datetime64|float|int|str_|uint)\w*\([^()]*\)"
    r"|\bnp\.(?:True|False)_"
)


class Reference(NamedTuple):
    """An address that a page names, and whether a browser fetches it to show the page."""

    address: str
    is_fetched: bool


class Page(HTMLParser):
    """The references of a page, the places in it that can be linked to, and leaked objects."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.references: list[Reference] = []
        self.anchors: set[str] = set()
        self.objects: list[str] = []
        self.feed(text)

    def handle_data(self, data: str) -> None:
        """Note the objects that a text shows; what a script holds is not shown."""
        if self.cdata_elem is None:
            self.objects.extend(OBJECT.findall(data))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what one tag refers to, and what it is called."""
        values = dict(attrs)
        self.anchors.update(filter(None, (values.get("id"), values.get("name"))))
        is_fetched = values.get("rel") not in NOT_FETCHED
        for name in ("src", "href"):
            address = values.get(name)
            if address:
                self.references.append(Reference(address, is_fetched and (tag, name) in FETCHED))


def faults(folder: Path) -> list[str]:
    """Return one line for every fault of the pages in a folder."""
    pages = {
        path: Page(path.read_text(encoding="utf-8"))
        for path in sorted(folder.rglob("*.html"))
        if "_static" not in path.parts  # templates of the theme
    }
    if not pages:
        return [f"{folder} holds no page"]
    leaked = [
        f"{path.relative_to(folder)}: shows the object {text}"
        for path, page in pages.items()
        for text in page.objects
    ]
    return leaked + [
        f"{path.relative_to(folder)}: {fault} {reference.address}"
        for path, page in pages.items()
        for reference in page.references
        if (fault := _fault(path, reference, pages))
    ]


def _fault(path: Path, reference: Reference, pages: dict[Path, Page]) -> str | None:
    """Return what is wrong with a reference, or None."""
    parts = urlsplit(reference.address)
    if parts.scheme == "data":
        return None
    if parts.scheme or parts.netloc:
        return "fetches from elsewhere" if reference.is_fetched else None
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.exists():
        return "names a missing file"
    if parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
        return "names a missing place"
    return None


if __name__ == "__main__":
    broken = faults(Path(sys.argv[1]).resolve())
    print(
        "\n".join(broken)
        or "every link leads somewhere, nothing is fetched from elsewhere, no object is shown"
    )
    sys.exit(bool(broken))
