"""A table means the same however it is written, and what cannot be read is an error of one line."""

import gzip
import math
import re
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstain import InputError
from abstain.tables.reading import RowBlock, TableFile, find_column, open_table, read_table
from abstain.tables.text_format import TextFormat, detect_format
from abstain.tables.values import MISSING, as_categories, as_numbers, without_missing

PLAIN = "size,kind\n1.5,a\n-2.25,b\n"
SEPARATORS = [",", ";", "\t", "|"]


@pytest.fixture
def write(tmp_path):
    def call(text, name="t.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        return path

    return call


def rows(path, block_size=1 << 20, **options):
    table = open_table(path, block_size=block_size, **options)
    return pl.concat([block.frame(frozenset(table.names)) for block in table.blocks()])


# --- formats ------------------------------------------------------------------------------------


@pytest.mark.parametrize("separator", SEPARATORS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_separators_and_line_ends(write, separator, end):
    path = write(PLAIN.replace(",", separator).replace("\n", end))
    assert detect_format(path).separator == separator
    assert rows(path)["size"].to_list() == [1.5, -2.25]
    assert rows(path)["kind"].to_list() == ["a", "b"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "latin-1", "utf-16"])
def test_encodings(write, encoding):
    table = open_table(write("Größe,Straße\n1.5,Köln\n", encoding=encoding))
    assert table.names == ["Größe", "Straße"]
    assert read_table(table)["Straße"].to_list() == ["Köln"]


def test_an_encoding_can_be_given(write):
    path = write("имя,x\nя,1\n", encoding="cp1251")
    assert open_table(path, encoding="cp1251").names == ["имя", "x"]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "txt"])
def test_gzip(write, suffix):
    path = write(gzip.compress(PLAIN.encode()), f"t.{suffix}.gz")
    assert rows(path)["size"].to_list() == [1.5, -2.25]


@pytest.mark.parametrize(
    ("text", "separator", "decimal"),
    [
        ("a;b\n1,5;2\n", ";", ","),
        ("a;b\n1.5;2\n", ";", "."),
        ("a;b\n1.234,5;2,0\n", ";", ","),
        ("a|b\n1,5|x, y\n", "|", ","),
        ("a,b\n1,2\n3,4\n", ",", "."),
        ("a;b c\n1;2\n", ";", ","),
        ('a;"b;c"\n1;2\n', ";", ","),
        ("a\n1\n", ",", "."),
        ("a;b\n4.282;58\n950;31\n", ";", "."),
        ("a;b\n4.282;1,75\n950;31\n1.200;2\n", ";", ","),
        ('note;x\n"a, b, c";1,5\n"d, e";2,5\n', ";", ","),
    ],
)
def test_the_format_is_found_out(write, text, separator, decimal):
    assert detect_format(write(text)) == TextFormat(separator, decimal)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"separator": "x"}, "separator"),
        ({"decimal": "x"}, "decimal"),
        ({"encoding": "x"}, "encoding"),
        ({"separator": ",", "decimal": ","}, "separator"),
        ({"encoding": "ascii"}, "encoding"),
        ({"encoding": "utf-16"}, "not utf-16 text .*byte order mark.*another encoding"),
        *(
            ({"encoding": name}, "must be a text encoding")
            for name in ("base64", "rot13", "zlib", "undefined")
        ),
    ],
)
def test_formats_that_are_none(write, options, word):
    with pytest.raises(InputError, match=word):
        open_table(write("größe,b\n1,2\n"), **options)


def test_wide_text_without_a_mark_is_reported_by_name(write):
    path = write("größe,b\n1,2\n".encode("utf-16le"))
    with pytest.raises(InputError, match=r"not utf-16 text .*give encoding='utf-16le'"):
        open_table(path, encoding="utf-16")
    assert open_table(path, encoding="utf-16le").names == ["größe", "b"]


def test_a_misread_header_is_quoted_in_short(write):
    table = open_table(write("a,b\n" + "1,2\n" * 10_000), encoding="utf-16be")
    with pytest.raises(InputError, match="label='b' is not a column") as caught:
        find_column("label", "b", table)
    assert len(str(caught.value)) < 300


def test_an_error_with_a_hint_keeps_its_parts(write):
    table = open_table(write("a;b\n1;2\n"), separator=",")
    with pytest.raises(InputError, match="label='b' is not a column") as caught:
        find_column("label", "b", table)
    assert (caught.value.argument, caught.value.value) == ("label", "b")
    assert caught.value.requirement.startswith("is not a column")
    assert "separator=';' fits t.csv better" in caught.value.remedy


numbers = st.floats(allow_nan=False, allow_infinity=False, width=32) | st.none()


@given(
    st.lists(st.tuples(numbers, numbers), min_size=1, max_size=20),
    st.sampled_from([";", "\t", "|"]),
    st.integers(1, 200),
)
def test_decimal_commas_are_numbers(tmp_path_factory, pairs, separator, block_size):
    def written(value):
        return "" if value is None else repr(value).replace(".", ",")

    path = tmp_path_factory.mktemp("commas") / "t.csv"
    lines = [separator.join(map(written, pair)) for pair in [*pairs, (0.5, 0.5)]]
    path.write_text("\n".join([separator.join("ab"), *lines]))
    frame = rows(path, block_size, separator=separator, decimal=",")
    assert frame.rows() == [*pairs, (0.5, 0.5)]


def test_a_point_in_a_table_with_commas_is_not_guessed():
    column = pl.Series(["1,5", "0.5", "1.234,5", "1.234", "12.345.678"])
    assert as_numbers(column, ",").to_list() == [1.5, 0.5, 1234.5, None, None]


# --- values -------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["", " ", *MISSING])
def test_missing_values(write, word):
    path = write(f"a,b\n1,x\n{word},{word}\n2,y\n")
    frame = rows(path)
    assert frame["a"].to_list() in ([1.0, None, 2.0], [1.0, math.nan, 2.0]) or math.isnan(
        frame["a"][1]
    )
    assert without_missing(frame["b"]).to_list() == ["x", None, "y"]


def test_missing_values_of_ones_own(write):
    assert rows(write("a,b\n1,x\n-9,y\n"), missing=["-9"])["a"].to_list() == [1.0, None]


def test_blanks_around_numbers(write):
    assert rows(write("a, b\n 1 , x \n2,y\n"))["a"].to_list() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([1, 2], ["1", "2"]),
        ([1.0, 2.0], ["1", "2"]),
        ([1.5, math.nan], ["1.5", None]),
        ([1e300, -0.0], ["1e+300", "0"]),
        ([True, None], ["true", None]),
        ([" a ", "?"], ["a", None]),
    ],
)
def test_categories_are_text(values, names):
    assert as_categories(pl.Series(values)).to_list() == names


# --- records ------------------------------------------------------------------------------------

FIELDS = st.text(st.sampled_from('ab ,;"\n1.'), max_size=6)


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


@given(st.lists(st.tuples(FIELDS, FIELDS), min_size=1, max_size=12), st.integers(1, 60))
def test_quotes_and_blocks_change_nothing(tmp_path_factory, pairs, block_size):
    path = tmp_path_factory.mktemp("quotes") / "t.csv"
    lines = [",".join(map(quoted, pair)) for pair in pairs]
    path.write_bytes("\n".join(["left,right", *lines, ""]).encode())
    table = open_table(path, separator=",", block_size=block_size)
    assert [(a or "", b or "") for a, b in read_table(table).rows()] == pairs
    records = []
    for block in table.blocks():
        assert block.frame().height == len(block.records())
        records += block.records().to_list()
    assert records == lines


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("block_size", [4, 1 << 20])
def test_blank_lines_are_no_rows(write, end, block_size):
    path = write("\n\na,b\n\n1,x\n\n\n2,\n,\n\n".replace("\n", end))
    table = open_table(path, block_size=block_size)
    assert read_table(table).rows() == [("1", "x"), ("2", None), (None, None)]
    records = [r for block in table.blocks() if block.frame().height for r in block.records()]
    assert records == ["1,x", "2,", ","]


def test_blank_lines_before_full_rows_keep_records_beside_their_rows(write):
    table = open_table(write("a,b\n\n1,x\n2,y\n"))
    (block,) = table.blocks()
    assert (block.frame().height, block.records().to_list()) == (2, ["1,x", "2,y"])
    assert table.numeric == {"a"}


def test_blank_lines_in_one_column(write):
    assert read_table(open_table(write("a\n\n1\n\n2\n")))["a"].to_list() == ["1", "2"]


@pytest.mark.parametrize("block_size", [8, 1 << 20])
@pytest.mark.parametrize(
    ("row", "count"), [("5", 1), ("5,6,7", 3), ('"5,6"', 1)], ids=["short", "long", "quoted"]
)
def test_ragged_rows_are_named(write, block_size, row, count):
    path = write(f"a,b\n1,2\n3,4\n{row}\n8,9\n")
    with pytest.raises(InputError, match=rf"{count} fields in row 4 and 2 in the header"):
        read_table(open_table(path, block_size=block_size))


def test_blocks_are_reported_as_they_are_read(write):
    path = write("a,b\n" + "1,2\n" * 100)
    message = []
    read_table(open_table(path, block_size=100), lambda done, total: message.append((done, total)))
    assert [done for done, _ in message] == list(range(1, len(message) + 1))
    assert len(message) > 2
    assert message[-1][0] <= message[-1][1]


def test_a_column_may_turn_to_text_late(write):
    text = "a,b\n" + "1,2\n" * 100_000 + "x,2\n"
    table = open_table(write(text), block_size=1 << 16)
    frames = [block.frame() for block in table.blocks()]
    assert table.numeric == {"a", "b"}
    assert frames[0]["a"].dtype == pl.Float64
    assert frames[-1]["a"].dtype == pl.String
    assert read_table(table).height == 100_001


def test_parquet_is_read_in_blocks(tmp_path):
    frame = pl.DataFrame({"a": range(1000), "b": ["x"] * 1000})
    frame.write_parquet(tmp_path / "t.parquet")
    table = open_table(tmp_path / "t.parquet", block_size=1600)
    blocks = [block.frame() for block in table.blocks()]
    assert len(blocks) == table.n_blocks == 10
    assert pl.concat(blocks).equals(frame)


# --- what cannot be read ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.csv", "", "empty"),
        ("t.csv", "\n \n", "empty"),
        ("t.csv", "a,b\n", "no rows"),
        ("t.csv", "a,b,a\n1,2,3\n", "2 columns 'a'"),
        ("t.csv", "1,2\n3,4\n", "no header"),
        ("t.csv", "a,^b.*$\n3,4\n", "'^b.*$', which cannot be read under that name"),
        ("t.csv", "a,b\r1,2\r3,4\r", "carriage return alone"),
        ("t.csv", "sep=;\na;b\n1;2\n", "begins with 'sep='"),
        ("t.ods", "a", "is a spreadsheet of another format; save it as .xlsx or CSV"),
        ("t.doc", "a", "no known format"),
        ("t.csv", b"PAR1\x15\x04", "holds Parquet; give it a name that ends with .parquet"),
        ("t.csv", b"PK\x03\x04\x14", "give a workbook a name that ends with .xlsx"),
        ("t.csv", b"\x1f\x8b\x08", "is gzipped"),
        ("t.csv", "a,b\n1,2\n".encode("utf-16le"), "give encoding='utf-16le'"),
        ("t.csv", "a,b\n1,2\n".encode("utf-16be"), "give encoding='utf-16be'"),
        ("t.csv", '""abc"\nb\n1\n', "has quotes inside a field or without their pair; fix"),
        ("t.parquet", "PAR1", "cannot be read"),
        ("t.csv.gz", "a,b\n", "cannot be read"),
    ],
)
def test_files_that_are_no_tables(write, name, content, words):
    with pytest.raises(InputError, match=re.escape(words)) as caught:
        read_table(open_table(write(content, name)))
    assert "\n" not in str(caught.value)


def test_a_parquet_column_named_like_a_pattern(tmp_path):
    pl.DataFrame({"a": [1], "^a.*$": [2]}).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(InputError, match="does not begin with"):
        open_table(tmp_path / "t.parquet")


def test_no_file_and_a_folder(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        open_table(tmp_path / "t.csv")
    with pytest.raises(InputError, match="is a folder"):
        open_table(tmp_path)


def test_another_encoding_later_on(write):
    path = write(b"a,b\n" + b"1,x\n" * 100_000 + b"1,K\xf6ln\n")
    with pytest.raises(InputError, match="encoding"):
        read_table(open_table(path))
    table = open_table(path, encoding="cp1252")
    assert read_table(table)["b"][-1] == "Köln"


def test_a_quote_without_its_pair(write, monkeypatch):
    monkeypatch.setattr("abstain.tables.records._LONGEST_RECORD", 1000)
    with pytest.raises(InputError, match="quote without its pair"):
        read_table(open_table(write('a,b\n1,"x\n' + "1,2\n" * 5000), block_size=100))


def test_columns_without_a_name_get_one(write):
    table = open_table(write(",a\n0,1\n1,2\n"))
    assert table.names == ["unnamed 1", "a"]
    assert table.header == ",a"


def test_a_block_of_typed_rows_is_itself():
    frame = pl.DataFrame({"a": [1]})
    assert RowBlock(open_table_of(frame), frame).frame() is frame


def open_table_of(frame):
    return TableFile(Path("t.parquet"), frame.columns)
