"""Laws of score files: a table means the same in every format, and what cannot be used is named."""

import gzip

import numpy as np
import polars as pl
import pytest

from abstain import InputError
from abstain.tables.reading import TextOptions
from abstain.tables.scores import ScoreColumns
from abstain.tables.scores import read_scores as read_all_scores

COLUMNS = ScoreColumns("c", correct="ok", cell="region")
TABLE = pl.DataFrame(
    {
        "id": [1, 2, 3, 4, 5, 6],
        "c": [0.1, 0.4, 0.5, 0.2, 0.3, 0.9],
        "ok": [False, True, False, True, False, True],
        "region": ["left", "left", "left", "right", "right", "right"],
    }
)


def read_scores(path, columns):
    return read_all_scores([path], columns)


def write(path, table=TABLE):
    """Write a table in the format of the path's suffix."""
    if path.suffix in (".parquet", ".pq"):
        table.write_parquet(path)
    else:
        separator = "\t" if ".tsv" in path.name else ","
        text = table.write_csv(separator=separator).encode()
        path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def text_file(tmp_path, text, name="scores.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(tmp_path, columns, **values):
    """Read a Parquet file of the given typed columns."""
    return read_scores(write(tmp_path / "typed.parquet", pl.DataFrame(values)), columns)


# --- what a file says ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["s.csv", "S.CSV", "s.tsv", "s.txt", "s.csv.gz", "s.tsv.gz", "s.parquet", "s.pq"]
)
def test_a_table_means_the_same_in_every_format(tmp_path, name):
    scores = read_scores(write(tmp_path / name), COLUMNS)
    assert scores.certainty.tolist() == TABLE["c"].to_list()
    assert scores.correct.tolist() == TABLE["ok"].to_list()
    assert [scores.labels[cell] for cell in scores.cells] == TABLE["region"].to_list()


TEXT = "c,ok,region\n0.25,1,größe\n0.5,0,größe\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("decimal", [".", ","])
def test_separators_encodings_and_decimal_marks_are_detected(
    tmp_path, encoding, separator, decimal
):
    text = TEXT.replace(",", separator)
    if decimal == "," == separator:
        text = text.replace("0.25", '"0,25"').replace("0.5", '"0,5"')
    elif decimal == ",":
        text = text.replace(".", ",")
    scores = read_scores(text_file(tmp_path, text.encode(encoding)), COLUMNS)
    assert scores.certainty.tolist() == [0.25, 0.5]
    assert scores.correct.tolist() == [True, False]
    assert scores.labels == ["größe"]


def test_a_format_can_be_given(tmp_path):
    path = text_file(tmp_path, TEXT.replace(",", "|").encode("utf-16le"))
    with pytest.raises(InputError, match="give encoding='utf-16le'"):
        read_scores(path, COLUMNS)
    options = TextOptions(separator="|", encoding="utf-16le")
    assert read_all_scores([path], COLUMNS, options).labels == ["größe"]


def test_only_the_columns_that_are_read_need_valid_names(tmp_path):
    path = text_file(tmp_path, "c,ok,region,x,x,^y$,\n0.5,1,a,1,2,3,4\n")
    assert read_scores(path, COLUMNS).certainty.tolist() == [0.5]


def test_columns_may_be_named_by_numbers(tmp_path):
    columns = ScoreColumns("1", correct="2")
    assert read_scores(text_file(tmp_path, "1,2\n0.5,1\n"), columns).certainty.tolist() == [0.5]
    with pytest.raises(InputError, match="has no header"):
        read_scores(text_file(tmp_path, "0.5,1\n0.4,1\n"), columns)


def test_rows_of_nothing_but_separators_are_not_rows(tmp_path):
    path = text_file(tmp_path, "id,c,ok,region\n1,0.5,1,a\n,,,\n2,0.25,0,a\n,,,\n")
    assert read_scores(path, COLUMNS).certainty.tolist() == [0.5, 0.25]


@pytest.mark.parametrize("name", ["a[1].csv", "a*.csv", "ünï cöde.csv", "a[1].parquet"])
def test_a_name_is_no_pattern(tmp_path, name):
    assert len(read_scores(write(tmp_path / name), COLUMNS).certainty) == TABLE.height


@pytest.mark.parametrize(
    "text",
    [
        "c;ok;region\n0.5;true;a\n0.25;0;a\n",
        "c\tok\tregion\r\n0.5\ttrue\ta\r\n0.25\t0\ta\r\n",
        "\ufeffc,ok,region\n0.5,TRUE,a\n0.25,False,a",
        '"c","ok","region"\n"0.5","1.0","a"\n"0.25","0.0","a"\n',
        "c,ok,region\n 0.5 , True , a \n+.25,false,a\n",
        "\n\nc,ok,region\n0.5,true,a\n\n0.25,false,a\n\n,,\n",
    ],
    ids=["semicolons", "tabs", "byte order mark", "quotes", "blanks", "blank lines"],
)
def test_dialects(tmp_path, text):
    scores = read_scores(text_file(tmp_path, text), COLUMNS)
    assert scores.certainty.tolist() == [0.5, 0.25]
    assert scores.correct.tolist() == [True, False]
    assert (scores.labels, scores.cells.tolist()) == (["a"], [0, 0])


def test_types_may_change_late(tmp_path):
    # Schema inference from the first lines would make integers of both columns.
    rows = "1,1,7\n" * 20_000 + "0.5,false,x\n"
    scores = read_scores(text_file(tmp_path, "c,ok,region\n" + rows), COLUMNS)
    assert scores.certainty[-2:].tolist() == [1.0, 0.5]
    assert scores.correct[-2:].tolist() == [True, False]
    assert scores.labels == ["7", "x"]


def test_infinite_certainty_is_a_value(tmp_path):
    scores = read_scores(text_file(tmp_path, "c,ok\ninf,1\n-inf,0\n"), ScoreColumns("c", "ok"))
    assert scores.certainty.tolist() == [np.inf, -np.inf]


def test_without_cells_there_is_one(tmp_path):
    scores = read_scores(write(tmp_path / "s.csv"), ScoreColumns("c", correct="ok"))
    assert (scores.labels, set(scores.cells.tolist())) == (["all"], {0})


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (["10", "9", "-1", "9"], [-1, 9, 10]),
        (["1.0", "2.0", "1", "1"], [1, 2]),
        (["007", "7", "7", "7"], ["007", "7"]),
        (["1.5", "x", "x", "x"], ["1.5", "x"]),
        (["nan", "x", "x", "x"], ["nan", "x"]),
        ([2, 1, 2, 1], [1, 2]),
        ([2.0, 1.0, 2.0, 1.0], [1, 2]),
        ([True, False, True, False], ["false", "true"]),
        ([2**63 - 1, 2**63 - 2, 0, 0], [0, 2**63 - 2, 2**63 - 1]),
        (["99999999999999999999", "1", "1", "1"], ["1", "99999999999999999999"]),
    ],
)
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_labels_of_cells(tmp_path, cells, labels, suffix):
    table = pl.DataFrame({"c": [0.1, 0.2, 0.3, 0.4], "ok": [0, 1, 0, 1], "region": cells})
    scores = read_scores(write(tmp_path / f"s{suffix}", table), COLUMNS)
    assert scores.labels == labels
    assert len(set(scores.cells.tolist())) == len(labels)


def test_cells_may_be_categories_and_dates(tmp_path):
    samples = {"c": [0.1, 0.2, 0.3], "ok": [0, 1, 0]}
    category = pl.Series(["b", "a", "b"], dtype=pl.Categorical)
    assert read(tmp_path, COLUMNS, **samples, region=category).labels == ["a", "b"]
    date = pl.Series(["2026-01-02", "2026-01-01", "2026-01-02"]).str.to_date()
    assert read(tmp_path, COLUMNS, **samples, region=date).labels == ["2026-01-01", "2026-01-02"]


@pytest.mark.parametrize(
    ("true", "pred", "correct"),
    [
        (["a", "b", "b"], ["a", "a", "b"], [True, False, True]),
        ([1, 2, 3], [1.0, 2.5, 3.0], [True, False, True]),
        ([1, 2, 3], ["1", "2", "x"], [True, True, False]),
        ([1.0, 2.0, 0.5], ["1", "02", "0.50"], [True, True, True]),
        ([2**62, 2**62], [2**62 + 1, 2**62], [False, True]),
        ([True, False], [True, True], [True, False]),
        (["nan", "b", "b"], ["nan", "nan", "b"], [True, False, True]),
    ],
)
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_classes_are_compared_by_meaning(tmp_path, true, pred, correct, suffix):
    table = pl.DataFrame({"c": np.arange(len(true)), "t": true, "p": pred})
    columns = ScoreColumns("c", y_true="t", y_pred="p")
    assert read_scores(write(tmp_path / f"s{suffix}", table), columns).correct.tolist() == correct


def test_the_cell_may_be_the_predicted_class(tmp_path):
    columns = ScoreColumns("c", y_true="t", y_pred="p", cell="p")
    scores = read(tmp_path, columns, c=[0.1, 0.2, 0.3], t=[1, 2, 1], p=[1, 2, 2])
    assert scores.labels == [1, 2]
    assert scores.correct.tolist() == [True, True, False]


# --- what cannot be used ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "got none of them"),
        ({"y_true": "t"}, "got y_true"),
        ({"correct": "ok", "y_pred": "p"}, "got correct and y_pred"),
        ({"y_true": "y", "y_pred": "y"}, "y_true and y_pred must be different columns, got 'y'"),
        ({"correct": "c"}, "certainty and correct must be different columns, got 'c'"),
    ],
)
def test_refuses_roles(options, said):
    with pytest.raises(InputError, match=said):
        ScoreColumns("c", **options)


BAD_TEXT = {
    "empty file": ("", "is empty; its first line must name the columns"),
    "blank file": ("\n\n", "is empty"),
    "header only": ("c,ok,region\n", "has a header but no rows"),
    "no such column": ("c,okay,region\n1,1,a\n", "correct='ok' is not a column.*'c', 'okay', 'r"),
    "repeated column": ("c,ok,region,c\n1,1,a,1\n", "names 2 columns 'c'"),
    "too many fields": ("c,ok,region\n1,1,a,b,c\n", "5 fields in row 2 and 3 in the header"),
    "open quote": ('c,ok,region\n1,1,"a\n2,1,b\n', "has a quote without its pair; fix the file"),
    "latin-1, late": (
        b"c,ok,region\n" + b"1,1,a\n" * 50_000 + "1,1,größe\n".encode("latin-1"),
        "is not text in the encoding that was detected .*give encoding, such as cp1252",
    ),
    "null certainty": (
        "c,ok,region\n1,1,a\n,1,a\n",
        "certainty .*'c' .*missing.* nothing in row 3",
    ),
    "nan certainty": (
        "c,ok,region\n1,1,a\nNaN,1,a\n",
        "certainty .*'c' .*missing.* 'NaN' in row 3",
    ),
    "certainty of text": (
        "c,ok,region\n1,1,a\nhigh,1,a\n",
        "certainty .*numbers.* 'high' in row 3",
    ),
    "comma in a number": ("c;ok;region\n0,5;1;a\n1,000.5;1;a\n", "certainty .*numbers.* '0,5'"),
    "odd correct": (
        "c,ok,region\n1,1,a\n1,maybe,a\n",
        "correct .*'ok' .*true and false.* 'maybe' in row 3",
    ),
    "two as correct": ("c,ok,region\n1,2,a\n", "correct .* got '2' in row 2"),
    "null correct": ("c,ok,region\n1,1,a\n1,,a\n", "correct .*missing.* nothing in row 3"),
    "null cell": (
        "c,ok,region\n1,1,a\n1,1,\n",
        "cell column 'region' .*missing.* nothing in row 3",
    ),
    "empty cell": ('c,ok,region\n1,1,a\n1,1,""\n', "cell .*missing.* nothing in row 3"),
    "nan cell": ("c,ok,region\n1,1,1\n1,1,nan\n", "cell .*missing.* 'nan' in row 3"),
    "fractional cell": (
        "c,ok,region\n1,1,1\n1,1,2.5\n",
        "cell .*integers or names.* '2.5' in row 3",
    ),
    "short row": ("c,ok,region\n1,1,a\n1,1\n", "2 fields in row 3 and 3 in the header"),
    "a cell per row": (
        "c,ok,region\n" + "".join(f"1,1,{row}\n" for row in range(100)),
        "cell .*different value in each of 100 rows",
    ),
    "half a blank line": ("id,c,ok,region\n1,1,1,a\n2,,,\n", "missing.* row 3"),
}


@pytest.mark.parametrize(("text", "said"), BAD_TEXT.values(), ids=BAD_TEXT)
def test_refuses_text(tmp_path, text, said):
    with pytest.raises(InputError, match=said) as caught:
        read_scores(text_file(tmp_path, text), COLUMNS)
    assert "\n" not in str(caught.value)


def test_refuses_a_column_named_like_a_pattern(tmp_path):
    path = text_file(tmp_path, "^c$,ok,c\n1,1,2\n")
    with pytest.raises(InputError, match=r"column .* cannot be read under that name"):
        read_scores(path, ScoreColumns("^c$", correct="ok"))


@pytest.mark.parametrize(
    ("role", "values", "said"),
    [
        ("c", [0.5, float("nan")], "certainty .*missing.* nan in row 3"),
        ("c", [0.5, None], "certainty .*missing.* nothing in row 3"),
        ("c", [None, None], "certainty .*missing.* nothing in row 2"),
        ("c", [True, False], "certainty .*numbers.* True in row 2"),
        ("c", [[1.0], [2.0]], r"certainty .*numbers or text, got values of type List\(Float64\)"),
        ("ok", [0, 2], "correct .* got 2 in row 3"),
        ("ok", [True, None], "correct .*missing.* row 3"),
        ("ok", [0.5, 1.0], "correct .* got 0.5 in row 2"),
        ("region", [1.0, 2.5], "cell .*integers or names.* 2.5 in row 3"),
        ("region", [1.0, float("nan")], "cell .*missing.* nan in row 3"),
    ],
)
def test_refuses_typed_columns(tmp_path, role, values, said):
    good = {"c": [0.5, 0.6], "ok": [True, False], "region": ["a", "a"]}
    with pytest.raises(InputError, match=said):
        read(tmp_path, COLUMNS, **{**good, role: values})


@pytest.mark.parametrize(
    ("true", "pred", "said"),
    [
        (["a", None], ["a", "a"], "y_true column 't' .*missing.* row 3"),
        (["a", "a"], [None, "a"], "y_pred column 'p' .*missing.* row 2"),
        ([1.0, float("nan")], [1, 1], "y_true .*missing.* nan in row 3"),
        (["cat", "dog"], [0, 1], "'t' and .*'p' must name classes alike, got 'cat' and '0'"),
    ],
)
def test_refuses_classes(tmp_path, true, pred, said):
    columns = ScoreColumns("c", y_true="t", y_pred="p")
    with pytest.raises(InputError, match=said):
        read(tmp_path, columns, c=[0.5, 0.6], t=true, p=pred)


def test_all_wrong_is_no_error_if_the_classes_are_the_same(tmp_path):
    columns = ScoreColumns("c", y_true="t", y_pred="p")
    scores = read(tmp_path, columns, c=[0.5, 0.6], t=["a", "b"], p=["b", "a"])
    assert not scores.correct.any()


def test_refuses_paths(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "scores.ods").touch()
    for name, said in {
        "folder.csv": "is a folder; name a file in it",
        "missing.csv": "does not exist; check the path",
        "scores.ods": "is a spreadsheet of another format; save it as .xlsx or CSV",
    }.items():
        with pytest.raises(InputError, match=said):
            read_scores(tmp_path / name, COLUMNS)


@pytest.mark.parametrize("suffix", [".parquet", ".csv.gz"])
@pytest.mark.parametrize("kept", [0, 5, 0.5, 0.99])
def test_refuses_a_truncated_file(tmp_path, suffix, kept):
    path = write(tmp_path / f"s{suffix}", pl.concat([TABLE] * 1000))
    whole = path.read_bytes()
    path.write_bytes(whole[: kept if isinstance(kept, int) else int(kept * len(whole))])
    with pytest.raises(InputError, match=r"cannot be read: .*fix the file|is empty"):
        read_scores(path, COLUMNS)


def test_refuses_text_that_claims_to_be_parquet(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_scores(text_file(tmp_path, "c,ok,region\n1,1,a\n", "s.parquet"), COLUMNS)


def test_lists_the_columns_that_are_spelled_alike_or_the_first(tmp_path):
    names = [f"column {i}" for i in range(50)] + ["Certainty"]
    path = write(tmp_path / "s.csv", pl.DataFrame({name: [1] for name in names}))
    with pytest.raises(InputError, match="; did you mean 'Certainty'") as caught:
        read_scores(path, ScoreColumns("certainty", correct="ok"))
    assert "'column" not in str(caught.value)
    with pytest.raises(InputError, match="the first of its 51 columns are 'column 0', 'column 1'"):
        read_scores(path, ScoreColumns("probability", correct="ok"))


def test_a_long_value_is_cut_short(tmp_path):
    path = text_file(tmp_path, f"c,ok,region\n{'x' * 10_000},1,a\n")
    with pytest.raises(InputError, match=r"x\.\.\. in row 2") as caught:
        read_scores(path, COLUMNS)
    assert len(str(caught.value)) < 250 + len(str(path))


# A spreadsheet of many countries writes semicolons between fields, and commas in numbers.
def test_decimal_commas_are_read(tmp_path):
    path = tmp_path / "tabelle.csv"
    path.write_text("sicherheit;richtig\n0,25;1\n1;0\n-3,5e2;1\n", encoding="utf-8")
    scores = read_scores(path, ScoreColumns("sicherheit", correct="richtig"))
    assert scores.certainty.tolist() == [0.25, 1.0, -350.0]


# All wrong is no error of the file: one sample, or classes that are never predicted.
@pytest.mark.parametrize(
    ("true", "pred"), [(["cat"], ["dog"]), (["a", "a"], ["b", "b"]), ([1], [2])]
)
def test_all_answers_may_be_wrong(tmp_path, true, pred):
    path = tmp_path / "s.parquet"
    pl.DataFrame({"c": [0.5] * len(true), "t": true, "p": pred}).write_parquet(path)
    scores = read_scores(path, ScoreColumns("c", y_true="t", y_pred="p"))
    assert not scores.correct.any()


def test_a_few_samples_may_each_have_a_cell(tmp_path):
    scores = read_scores(text_file(tmp_path, "c,ok,region\n1,1,a\n1,1,b\n"), COLUMNS)
    assert scores.labels == ["a", "b"]
