"""The numbers in the documentation are those of the records."""

import pytest

from tools.numbers import exact_front
from tools.render_numbers import MARK, ROOT, pages, render

PAGES = [page for page in pages() if MARK.search(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_has_the_numbers_on_record(page):
    text = page.read_text(encoding="utf-8")
    assert text == render(text), "run `make numbers`"


def test_numbers_and_tables_are_replaced_and_nothing_else():
    times, largest = (exact_front.VALUES[name] for name in ("times", "most_of_one_row"))
    for old in ("", "\n| old |\n| --- |"):
        text = (
            f"Before\n\n<!-- exact_front.times -->{old}\n\nafter −1,000<!-- exact_front.{{}} -->%."
        )
        rendered = render(text.format("most_of_one_row"))
        assert rendered == (
            f"Before\n\n<!-- exact_front.times -->\n{times}\n\n"
            f"after {largest}<!-- exact_front.most_of_one_row -->%."
        )
        assert render(rendered) == rendered


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("word<!-- exact_front.times -->", "must follow a number or stand above a table"),
        ("7<!-- exact_front.unknown -->", "must name one of"),
    ],
)
def test_a_mark_that_means_nothing_is_an_error(text, said):
    with pytest.raises(ValueError, match=said):
        render(text)
