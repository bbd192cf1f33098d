"""Numbers that carry a sign, a unit or marks between thousands mean what plain ones mean."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstain import InputError, load, save
from abstain.cli.fit_screen import fit_screen
from abstain.cli.terminal import show
from abstain.tables import (
    FitOptions,
    answer_frame,
    answer_table,
    fit_table,
    labelled_samples,
    open_table,
)
from abstain.tables.columns import columns_of_model
from abstain.tables.features import choose_features
from abstain.tables.values import Notation, find_notation, is_ambiguous


@pytest.mark.parametrize(
    ("decimal", "values", "numbers"),
    [
        (".", ["$1,200", "$900", "$15,300.50"], [1200, 900, 15300.5]),
        (",", ["$1,200", "$900"], [1200, 900]),
        (".", ["-$5", "$-7", "$3"], [-5, -7, 3]),
        (".", ["USD 5", "USD 1,000"], [5, 1000]),
        (",", ["1.234,50 €", "7,00 €"], [1234.5, 7]),
        (".", ["1.234,50 €", "7,00 €"], [1234.5, 7]),
        (",", ["1 234,50\u00a0€", "7,00\u00a0€"], [1234.5, 7]),
        (",", ["1.200 €", "900 €"], [1200, 900]),
        (".", ["45 %", "7%", "3.5 %"], [45, 7, 3.5]),
        (".", ["12 kg", "13.5kg"], [12, 13.5]),
        (".", ["1.234 kg", "2.5 kg"], [1.234, 2.5]),
        (".", ["36.6 °C", "37 °C"], [36.6, 37]),
        (".", ["45 years", "3 years"], [45, 3]),
        (".", ["1,234", "5,678", "999"], [1234, 5678, 999]),
        (".", ["1,5", "2,25"], [1.5, 2.25]),
        (",", ["1.234", "900", "1.234.567"], [1234, 900, 1234567]),
        (".", ["1'234.50", "1\u2019000"], [1234.5, 1000]),
        (".", ["1 234", "12 345", "7"], [1234, 12345, 7]),
        (".", ["\u22125", "3"], [-5, 3]),
        (".", ["(1,200.50)", "3.00"], [-1200.5, 3]),
        (".", ["($1,200.50)", "$3.00", "(7)"], [-1200.5, 3, -7]),
    ],
)
def test_what_numbers_carry_is_found(decimal, values, numbers):
    column = pl.Series("x", values)
    notation = find_notation(column, decimal)
    assert notation.numbers(column).to_list() == numbers
    assert not is_ambiguous(notation, column)
    assert notation.numbers(pl.Series([notation.example])).item() in numbers
    assert notation.numbers(column).name == "x"


@pytest.mark.parametrize(
    "values",
    [
        ["4wd", "2wd"],
        ["Q1", "Q2"],
        ["P001", "P002"],
        ["1a", "2a"],
        ["12:30", "13:20"],
        ["10-20", "30-40"],
        ["< 5", "< 6"],
        ["1.2.3", "1.2.4"],
        ["170 123 456", "171 123 456"],
        ["$5", "€5"],
        ["5 kg", "5 lb"],
        ["1,23,4", "5,6,7"],
        ["a", "b"],
        [],
    ],
)
def test_names_are_no_numbers(values):
    assert find_notation(pl.Series(values, dtype=pl.String)) is None


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        (["1.234", "5.678"], [1234, 5678]),
        (["4.282", *["950"] * 19], [4282, *[950] * 19]),
        (["1.200 kg", "900 kg"], [1200, 900]),
        (["1.234", "0.5"], [1.234, 0.5]),
    ],
)
def test_where_commas_stand_before_fractions_points_stand_before_thousands(values, numbers):
    column = pl.Series("x", values)
    features = choose_features(pl.DataFrame({"x": column}), decimal=",")
    assert features.numeric == ["x"]
    assert features.written["x"].numbers(column).to_list() == numbers


# What a column shows may be against what its table shows.
def test_a_point_that_may_be_either_is_not_guessed():
    column = pl.Series("x", ["1.234", "5.678", "1,5"] * 20)
    assert is_ambiguous(find_notation(column, "."), column)
    features = choose_features(pl.DataFrame({"x": column, "good": [0.5, 1.5] * 30}))
    assert features.numeric == ["good"]
    assert "thousands or a fraction" in features.left_out["x"]
    assert "decimal=" not in features.left_out["x"]


def test_a_number_is_quoted_as_it_stands_in_the_file():
    assert find_notation(pl.Series(["(20.90)", "3"])).example == "(20.90)"


@pytest.mark.parametrize(
    ("other", "options", "numbers"),
    [("58", {}, [4.282, 950]), ("58", {"decimal": ","}, [950, 4282]), ("1,75", {}, [950, 4282])],
)
def test_a_point_is_taken_as_the_table_says_or_doubted(tmp_path, other, options, numbers):
    path = tmp_path / "t.csv"
    rows = [f"4.282;{other};hoch", "950;31;tief", f"955;{other};tief"] * 10
    path.write_text("\n".join(["Umsatz;x;y", *rows]))
    fitted = fit_table(open_table(path, **options), FitOptions("y", model="naive-bayes"))
    assert columns_of_model(fitted.clf).known_values_["Umsatz"] == [
        numbers[0],
        max(955, numbers[1]),
    ]
    is_reported = "Umsatz" in fitted.features.written
    doubt = "'Umsatz': '4.282' is taken as a fraction; if it is thousands, give decimal=','"
    assert is_reported != (doubt in fitted.notes)
    assert is_reported == (numbers[1] == 4282)


@given(
    st.lists(st.integers(-(10**9), 10**9), min_size=2),
    st.sampled_from(["{:,}", "${:,}", "{:,} kg", "{:,.2f} %", "EUR {:,.1f}"]),
)
def test_thousands_are_read_back(values, form):
    column = pl.Series([form.format(value) for value in values])
    notation = find_notation(column)
    if notation is not None:  # None: too few of them have marks
        assert notation.numbers(column).to_list() == [float(value) for value in values]
    else:
        assert form == "{:,}"


def test_what_is_missing_stays_missing():
    column = pl.Series(["$5", "?", None, "", "none", "7"])
    assert Notation("$").numbers(column, ["none"]).to_list() == [5, None, None, None, None, 7]


def goods(n=200, seed=0):
    rng = np.random.default_rng(seed)
    is_dear = rng.random(n) < 0.5
    return pl.DataFrame(
        {
            "price": (1000 * rng.lognormal(size=n) + 900 * is_dear).round(2),
            "weight": (rng.normal(size=n) + 10 + is_dear).round(1),
            "kind": np.where(is_dear, "dear", "cheap"),
        }
    )


def decorated(frame):
    return frame.with_columns(
        pl.Series("price", [f"${price:,.2f}" for price in frame["price"]]),
        pl.Series("weight", [f"{weight} kg" for weight in frame["weight"]]),
    )


@pytest.fixture
def tables(tmp_path):
    for name, frame in {"old": goods(), "new": goods(60, seed=1)}.items():
        frame.write_csv(tmp_path / f"{name}.csv")
        decorated(frame).write_csv(tmp_path / f"{name}-decorated.csv")
    return tmp_path


def answers(clf, path, out):
    counts = answer_table(clf, open_table(path, block_size=300), out)
    return counts, pl.read_parquet(out).select("answer", "certainty", "reason")


def test_decorated_tables_are_answered_as_plain_ones(tables):
    plain = fit_table(open_table(tables / "old.csv"), FitOptions("kind", model="glvq")).clf
    fitted = fit_table(open_table(tables / "old-decorated.csv"), FitOptions("kind", model="glvq"))
    assert fitted.features.numeric == ["price", "weight"]
    save(fitted.clf, tables / "model.abstain")
    clf = load(tables / "model.abstain")
    expected = answers(plain, tables / "new.csv", tables / "out.parquet")
    for name in ("new-decorated.csv", "new.csv"):
        answered, table = answers(clf, tables / name, tables / "out.parquet")
        assert answered == expected[0]
        assert table.equals(expected[1])
    frame = goods(60, seed=1)
    in_memory = answer_frame(clf, frame)
    assert answer_frame(clf, decorated(frame)).equals(in_memory)
    samples = labelled_samples(clf, open_table(tables / "new-decorated.csv"))
    assert samples.X.equals(frame.select("price", "weight"))


def test_marks_of_the_fit_count_whatever_the_table_is_like(tables):
    frame = decorated(goods()).with_columns(pl.col("price").str.strip_prefix("$"))
    frame.write_csv(tables / "grouped.csv")
    clf = fit_table(open_table(tables / "grouped.csv"), FitOptions("kind", model="glvq")).clf
    # Read by itself, a table with semicolons has decimal commas: 12,345 would be twelve.
    (tables / "new.csv").write_text("price;weight\n12,345;11\n1,234;10\n")
    (tables / "same.csv").write_text("price,weight\n12345,11\n1234,10\n")
    both = [
        answers(clf, tables / name, tables / "o.parquet")[1] for name in ("new.csv", "same.csv")
    ]
    assert both[0]["answer"].equals(both[1]["answer"])


def test_a_value_that_is_written_otherwise_is_named(tables):
    clf = fit_table(open_table(tables / "old-decorated.csv"), FitOptions("kind", model="glvq")).clf
    (tables / "bad.csv").write_text('price,weight\n"$1,200",7 kg\n€5,7 kg\n')
    with pytest.raises(InputError, match=r"written like '\$.*', got '€5' in row 3 of"):
        answers(clf, tables / "bad.csv", tables / "out.parquet")
    with pytest.raises(InputError, match="got '7 lb' in row 2"):
        answer_frame(clf, pl.DataFrame({"price": ["$5"], "weight": ["7 lb"]}))
    frame = decorated(goods())
    frame[3, "price"] = "on request"
    with pytest.raises(InputError, match=r"'on request' in row 5; .*categorical=\['price'\]"):
        choose_features(frame)


def test_columns_named_as_kinds_stay_so():
    frame = decorated(goods())
    features = choose_features(frame, categorical=["weight"], drop=["kind"])
    assert (features.numeric, features.categorical) == (["price"], ["weight"])


def test_models_that_were_saved_without_notations_go_on(tables):
    clf = fit_table(open_table(tables / "old.csv"), FitOptions("kind", model="glvq")).clf
    expected = answers(clf, tables / "new.csv", tables / "out.parquet")[1]
    del columns_of_model(clf).__dict__["written"]
    assert answers(clf, tables / "new.csv", tables / "out.parquet")[1].equals(expected)


def test_the_summary_says_how_numbers_were_read(tables, capsys):
    fitted = fit_table(open_table(tables / "old-decorated.csv"), FitOptions("kind", model="glvq"))
    show(fit_screen(fitted, tables / "old.csv", tables / "m.abstain"))
    shown = capsys.readouterr().out
    price, weight = (fitted.features.written[name].example for name in ("price", "weight"))
    number = float(price.strip("$").replace(",", ""))
    assert f"price: numbers written like {price}, taken as {number:.15g}" in shown
    document = json.loads(json.dumps(fitted.as_dict()))
    assert document["written_like"] == {
        "price": price,
        "weight": weight,
    }
