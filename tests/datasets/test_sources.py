"""What the sources publish becomes exactly the tidy files."""

import pytest

from abstain.datasets import sources
from abstain.datasets.real import read_tidy
from abstain.datasets.sources import SOURCES
from tests.datasets import published


# The bytes of an archive depend on the compressor; its pictures are compared after a download.
@pytest.mark.parametrize("name", [name for name in SOURCES if name != "coil20"])
def test_a_published_table_becomes_the_tidy_file_byte_by_byte(name, real_data):
    source = SOURCES[name]
    contents = source.convert(*getattr(published, name)(real_data))
    for (file, shape), content in zip(source.files.items(), contents, strict=True):
        assert content == (real_data / file).read_bytes()
        read_tidy(file, shape, content)


@pytest.mark.parametrize("name", ["haberman", "segment", "tecator", "wisconsin", "cleveland"])
def test_ends_of_lines_and_blank_lines_do_not_matter(name, real_data):
    source = SOURCES[name]
    raws = getattr(published, name)(real_data)
    changed = [b"\r\n" + raw.replace(b"\n", b"\r\n") + b"\r\n\r\n" for raw in raws]
    assert source.convert(*changed) == source.convert(*raws)


@pytest.mark.parametrize(
    ("published_as", "kept_as"),
    [("63.0", "63"), ("2.65350", "2.6535"), ("0.0", "0"), ("1e+05", "100000"), ("160844.7",) * 2]
    + [(missing, "") for missing in ("?", "NA", "")],
)
def test_numbers_are_written_the_shortest_way(published_as, kept_as):
    assert sources._number(published_as) == kept_as
