"""A site is found faulty exactly where it is."""

import pytest

from tools.check_site import faults


def write(folder, **pages):
    for name, body in pages.items():
        (folder / f"{name}.html").write_text(f"<html><body>{body}</body></html>")
    return folder


def test_a_whole_site_has_no_fault(tmp_path):
    (tmp_path / "a b.png").write_bytes(b"")
    write(
        tmp_path,
        index="<a href='other.html#there'>x</a> <a href='https://example.org/x'>y</a> <a href='#'>"
        "top</a> <code>np.<b>float64</b>(x)</code> <script>'np.int64(1)'</script> a &lt; b "
        "<img src='a%20b.png'> <img src='data:image/png;base64,AA=='>",
        other="<p id='there'></p><link rel='canonical' href='https://example.org/'>",
    )
    assert faults(tmp_path) == []


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("<a href='gone.html'>x</a>", "index.html: names a missing file gone.html"),
        ("<a href='index.html#gone'>x</a>", "index.html: names a missing place index.html#gone"),
        ("<a href='#gone'>x</a>", "index.html: names a missing place #gone"),
        ("<img src='gone.png'>", "index.html: names a missing file gone.png"),
        (
            "<script src='https://example.org/x.js'></script>",
            "index.html: fetches from elsewhere https://example.org/x.js",
        ),
        (
            "<link rel='stylesheet' href='//example.org/x.css'>",
            "index.html: fetches from elsewhere //example.org/x.css",
        ),
        *(
            (f"<pre>{text.replace('<', '&lt;')}</pre>", f"index.html: shows the object {text}")
            for text in (
                "<abstain.fronts.front.ParetoFront object at 0x7f2a>",
                "<matplotlib.lines.Line2D object at 0x7f2a>",
                "<function mean",
                "<Axes: xlabel='x'",
                "np.float64(0.2)",
                "np.str_('a')",
                "np.True_",
            )
        ),
    ],
)
def test_a_fault_is_named(tmp_path, body, fault):
    assert faults(write(tmp_path, index=body)) == [fault]


def test_a_folder_without_pages_is_no_site(tmp_path):
    assert faults(tmp_path) == [f"{tmp_path} holds no page"]
