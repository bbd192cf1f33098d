"""A sheet means the same as the CSV that it would be saved as, and no text in it is computed."""

import sys
from datetime import date, datetime, time, timedelta

import polars as pl
import pytest

from abstain import InputError
from abstain.tables import answer_frame, answer_table, open_table, read_table
from abstain.tables.workbooks import MOST_ROWS, check_height, open_sheet
from tests.tables.conftest import make_patients

xlsxwriter = pytest.importorskip("xlsxwriter", reason="pip install '.[excel]' to test Excel")
pytest.importorskip("fastexcel", reason="pip install '.[excel]' to test Excel")


def write_sheets(path, sheets, start=0):
    """Write sheets of rows as Excel would; None is an empty cell."""
    with xlsxwriter.Workbook(path) as book:
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        clock = book.add_format({"num_format": "hh:mm:ss"})
        lasting = book.add_format({"num_format": "[h]:mm"})
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for at, row in enumerate(rows, start):
                for column, value in enumerate(row):
                    if isinstance(value, str):
                        sheet.write_string(at, column, value)
                    elif isinstance(value, timedelta):
                        sheet.write_datetime(at, column, value, lasting)
                    elif isinstance(value, time):
                        sheet.write_datetime(at, column, value, clock)
                    elif isinstance(value, date):
                        sheet.write_datetime(at, column, value, day)
                    elif value is not None:
                        sheet.write(at, column, value)
    return path


def sheet_of(frame):
    return [frame.columns, *frame.rows()]


def test_a_sheet_is_read_as_its_csv(tmp_path, patients):
    write_sheets(tmp_path / "p.xlsx", {"patients": sheet_of(patients)})
    patients.write_csv(tmp_path / "p.csv")
    sheet, text = open_table(tmp_path / "p.xlsx"), open_table(tmp_path / "p.csv")
    assert (sheet.names, sheet.numeric) == (text.names, text.numeric)
    as_numbers = pl.col("Größe").cast(pl.Float64)
    assert (
        read_table(sheet).with_columns(as_numbers).equals(read_table(text).with_columns(as_numbers))
    )


@pytest.mark.parametrize(
    ("values", "read"),
    [
        ([1, 2.0, None, 3], ["1", "2", None, "3"]),
        ([0.5, 1.0, None], ["0.5", "1.0", None]),
        ([1e-20, 0.1], ["1e-20", "0.1"]),
        ([True, False, None], ["true", "false", None]),
        ([date(2024, 1, 31), None, date(1999, 12, 1)], ["2024-01-31", None, "1999-12-01"]),
        ([datetime(2024, 1, 31, 4, 5), None], ["2024-01-31 04:05:00", None]),
        ([time(4, 5), time(16, 0)], ["04:05:00", "16:00:00"]),
        ([timedelta(hours=36)], ["1.5"]),
        (["007", "=1+1", 'a,"b"\nc'], ["007", "=1+1", 'a,"b"\nc']),
        ([5, "<5", 7.25], ["5", "<5", "7.25"]),
        ([*range(300), "late"], [*map(str, range(300)), "late"]),
    ],
    ids=lambda values: type(values[0]).__name__,
)
def test_cells_become_text_that_says_what_they_hold(tmp_path, values, read):
    rows = [["id", "x"], *([n, value] for n, value in enumerate(values))]
    path = write_sheets(tmp_path / "t.xlsx", {"one": rows})
    assert read_table(open_table(path))["x"].to_list() == read


def test_cells_of_several_types_are_read_as_text(tmp_path):
    rows = [["id", "x"], [1, date(2024, 1, 31)], [2, timedelta(hours=36)], [3, 2.5]]
    path = write_sheets(tmp_path / "t.xlsx", {"one": rows})
    assert read_table(open_table(path))["x"].null_count() == 0


# Nothing is computed: a formula is the value that the spreadsheet has saved.
def test_formulas_are_their_saved_values(tmp_path):
    with xlsxwriter.Workbook(tmp_path / "t.xlsx") as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["a", "b", "c"])
        for row in (1, 2):
            sheet.write_number(row, 0, row)
            sheet.write_formula(row, 1, f"=A{row + 1}+40", None, 40 + row)
            sheet.write_formula(row, 2, "=NA()", None, "#N/A")
    frame = read_table(open_table(tmp_path / "t.xlsx"))
    assert frame["b"].to_list() == ["41", "42"]
    assert frame["c"].to_list() == [None, None]


def test_empty_rows_within_a_sheet_are_rows_and_empty_ends_are_none(tmp_path):
    nothing = [None] * 5
    rows = [["a", "", "b"], [1, 2, 3], nothing, [4, None, 6, None, " "], nothing, nothing]
    write_sheets(tmp_path / "t.xlsx", {"one": [*rows[:3], [4, None, 6]]})
    table = open_table(tmp_path / "t.xlsx")
    assert table.names == ["a", "unnamed 2", "b"]
    assert read_table(table).rows() == [("1", "2", "3"), (None,) * 3, ("4", None, "6")]


def test_the_first_sheet_is_read_unless_another_is_named(tmp_path):
    sheets = {"old": [["a"], [1]], "new rows": [["b"], [2]], "empty": []}
    path = write_sheets(tmp_path / "t.xlsx", sheets)
    assert open_table(path).names == ["a"]
    assert open_table(path, sheet="new rows").names == ["b"]
    with pytest.raises(InputError, match=r"sheet='new row' is not a sheet .* mean 'new rows'\?"):
        open_table(path, sheet="new row")
    with pytest.raises(InputError, match=r"sheet 'empty' of .* is empty; its first row must name"):
        open_table(path, sheet="empty")
    (tmp_path / "t.csv").write_text("a\n1\n")
    with pytest.raises(InputError, match=r"is for workbooks, which .*t\.csv is not; leave it out"):
        open_table(tmp_path / "t.csv", sheet="old")


def test_workbooks_that_are_none(tmp_path):
    (tmp_path / "t.xlsx").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=r"t\.xlsx cannot be read as an Excel workbook: .*\.xlsx$"):
        open_table(tmp_path / "t.xlsx")
    path = write_sheets(tmp_path / "t.xlsx", {"one": [["a", "a"], [1, 2]]})
    with pytest.raises(InputError, match=r"names 2 columns 'a'; give each a name of its own"):
        open_table(path)
    path.rename(tmp_path / "t.csv")
    with pytest.raises(InputError, match=r"give a workbook a name that ends with \.xlsx"):
        open_table(tmp_path / "t.csv")
    (tmp_path / "t.xls").write_bytes(b"\xd0\xcf\x11\xe0")
    with pytest.raises(InputError, match=r"another format; save it as \.xlsx or CSV"):
        open_table(tmp_path / "t.xls")


@pytest.mark.parametrize("package", ["fastexcel", "xlsxwriter"])
def test_the_extra_is_named_where_it_is_missing(tmp_path, monkeypatch, fitted, patients, package):
    path = write_sheets(tmp_path / "t.xlsx", {"one": sheet_of(patients)})
    (tmp_path / "t.csv").write_text("a\n1\n")
    monkeypatch.setitem(sys.modules, package, None)
    said = rf"{package}, which is not installed: pip install '.\[excel\]', in a copy"
    with pytest.raises(InputError, match=said):
        answer_table(fitted.clf, open_table(path), tmp_path / "out.xlsx")
    assert not (tmp_path / "out.xlsx").exists()


@pytest.mark.parametrize("source", ["csv", "xlsx", "parquet"])
def test_answers_are_written_to_a_sheet(tmp_path, fitted, source):
    patients = make_patients(60, seed=3).with_columns(
        note=pl.lit("=1+1"), link=pl.lit("http://a.b")
    )
    path, out = tmp_path / f"new.{source}", tmp_path / "out.xlsx"
    if source == "xlsx":
        write_sheets(path, {"new": sheet_of(patients)})
    else:
        getattr(patients, f"write_{source}")(path)
    counts = answer_table(fitted.clf, open_table(path, block_size=1000), out)
    rows = read_table(open_table(out))
    assert rows.columns == [*patients.columns, *counts.columns]
    expected = answer_frame(fitted.clf, patients)
    assert rows["answer"].to_list() == expected["answer"].to_list()
    assert rows["reason"].fill_null("").to_list() == expected["reason"].to_list()
    assert rows["note"].unique().to_list() == ["=1+1"]  # text, not what it would compute
    numbers = rows["Größe"].cast(pl.Float64)
    assert numbers.to_list() == patients["Größe"].to_list()
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []


def test_answers_to_a_sheet_are_written_as_text_for_a_spreadsheet(tmp_path, fitted, patients):
    write_sheets(tmp_path / "new.xlsx", {"new": sheet_of(patients)})
    answer_table(fitted.clf, open_table(tmp_path / "new.xlsx"), tmp_path / "out.csv")
    written = (tmp_path / "out.csv").read_bytes()
    assert written.startswith(b"\xef\xbb\xbfPatient,")  # which tells a spreadsheet that it is UTF-8
    assert pl.read_csv(tmp_path / "out.csv").select(patients.columns).equals(patients)


def test_what_a_sheet_cannot_hold(tmp_path):
    check_height(tmp_path / "t.xlsx", MOST_ROWS - 1)
    with pytest.raises(InputError, match="at most 1,048,575 rows below its header; give "):
        check_height(tmp_path / "t.xlsx", MOST_ROWS)
    path = tmp_path / "t.xlsx"
    with open_sheet(path, path, ["a", "b"], "one") as sheet:
        sheet.write(pl.DataFrame({"a": ["x" * 40_000], "b": [float("inf")]}))
    assert len(read_table(open_table(tmp_path / "t.xlsx"))["a"][0]) == 32_767


def test_rows_of_answers_in_a_workbook_are_numbered(tmp_path, fitted):
    make_patients(30).write_csv(tmp_path / "new.csv")
    table = open_table(tmp_path / "new.csv", block_size=500)
    answer_table(fitted.clf, table, tmp_path / "out.xlsx")
    assert pl.read_excel(tmp_path / "out.xlsx")["row"].to_list() == [*range(2, 32)]


# Of a workbook whose first sheet is a title page, the other sheets are named.
@pytest.mark.parametrize("rows", [[["hello"], ["world"]], [["Report", None], [1, 2]], [[1, 2]], []])
def test_a_wrong_sheet_is_named_with_the_others(tmp_path, fitted, rows):
    sheets = {"about": rows, "new rows": sheet_of(make_patients(5)), "old": [["a"], [1]]}
    path = write_sheets(tmp_path / "t.xlsx", sheets)
    named = r"; sheet 'about' was read, and there is also 'new rows', 'old': give sheet='new rows'"
    with pytest.raises(InputError, match=named) as caught:
        answer_table(fitted.clf, open_table(path), None)
    assert "tab or |" not in str(caught.value)
    answer_table(fitted.clf, open_table(path, sheet="new rows"), None)
    alone = write_sheets(tmp_path / "alone.xlsx", {"about": [["hello"], ["world"]]})
    with pytest.raises(InputError, match=r"lacks columns that the model needs: .*hello'\)$"):
        answer_table(fitted.clf, open_table(alone), None)
