"""Columns that help are taken, others are left out with a word, and labels name classes."""

import re
from datetime import date, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

from abstain import InputError
from abstain.tables import TableColumns
from abstain.tables.features import choose_features, lost_labels, read_labels
from abstain.tables.values import BadValueError

N = 60
NUMBERS = [0.5 * (i % 17) for i in range(N)]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (NUMBERS, "numeric"),
        ([str(number) for number in NUMBERS], "numeric"),
        ([1, 0] * 30, "numeric"),
        (["yes", "no"] * 30, "categorical"),
        ([True, False] * 30, "categorical"),
        (["a", None, "b"] * 20, "categorical"),
        (["3", "?", "4"] * 20, "numeric"),
        ([float("nan"), 1.0, 2.0] * 20, "numeric"),
        (list(np.random.default_rng(0).permutation(N)), "numeric"),
    ],
)
def test_kinds(values, kind):
    features = choose_features(pl.DataFrame({"x": values}, strict=False))
    assert getattr(features, kind) == ["x"]
    assert not features.left_out


@pytest.mark.parametrize(
    ("name", "values", "why"),
    [
        ("x", [None] * N, "is empty"),
        ("x", ["?"] * N, "is empty"),
        ("x", [7] * N, "throughout"),
        ("x", ["a", None] * 30, "throughout"),
        ("x", [f"patient {i}" for i in range(N)], "60 different values"),
        ("x", list(range(N)), "numbers the rows"),
        ("patient_id", [37 * i % 1009 for i in range(N)], "numbers the rows"),
        ("x", [f"2024-01-{i % 28 + 1:02d}" for i in range(N)], "dates"),
        ("x", [f"{i % 28 + 1}.3.2024 12:30" for i in range(N)], "dates"),
        ("x", [date(2024, 1, i % 28 + 1) for i in range(N)], "dates"),
        *(
            ("x", [form.format(i % 28 + 1) for i in range(N)], "dates")
            for form in (
                *("{} May 2024", "{}-Mar-24", "Oct {}, 2024", "Tue, {}. Mär 2024 12:30"),
                *("{} de mayo de 2024", "2024-Dec-{}", "{}. Dezember 2024", "{}th of August 2024"),
            )
        ),
        ("x", ["Jan 2024", "Feb 2024", "März 2024"] * 20, "dates"),
    ],
)
def test_what_is_left_out(name, values, why):
    frame = pl.DataFrame({name: values, "good": NUMBERS}, strict=False)
    features = choose_features(frame)
    assert why in features.left_out[name]
    assert features.numeric == ["good"]
    kept = choose_features(frame, keep=[name])
    assert (name in [*kept.numeric, *kept.categorical]) == (why != "is empty")


def test_columns_of_answers_are_left_out_together():
    added = ["row", "answer", "withheld", "certainty", "threshold", "correct_proba", "reason"]
    frame = pl.DataFrame({"x": NUMBERS} | dict.fromkeys(added, NUMBERS))
    features = choose_features(frame)
    assert features.numeric == ["x"]
    assert list(features.left_out) == added
    assert choose_features(frame, keep=["certainty"]).numeric == ["x", "certainty"]
    assert choose_features(frame.drop("threshold")).numeric[:3] == ["x", "row", "answer"]


def test_drop_and_categorical():
    frame = pl.DataFrame({"a": NUMBERS, "b": NUMBERS, "zip": [1, 2, 3] * 20})
    features = choose_features(frame, drop=["a"], categorical=["zip"])
    assert (features.numeric, features.categorical) == (["b"], ["zip"])
    assert features.left_out == {"a": "as asked"}


# What was asked for is to be unasked; what is empty cannot be kept.
@pytest.mark.parametrize(
    ("value", "drop", "remedy"),
    [
        (1, [], "use one anyway by keep"),
        (1, ["y"], "name fewer in drop, or use one anyway by keep"),
        (1, ["x", "y"], "name fewer in drop"),
        ("?", [], "give more columns"),
    ],
)
def test_no_column_left(value, drop, remedy):
    with pytest.raises(InputError, match=r"no column is left.*'x'") as caught:
        choose_features(pl.DataFrame({"x": [value] * N, "y": [value] * N}), drop=drop)
    assert str(caught.value).endswith(f"; {remedy}")


@pytest.mark.parametrize("values", [[*map(str, NUMBERS[1:]), "oops"], [[1], [2]] * 30])
def test_a_dropped_column_is_not_judged(values):
    frame = pl.DataFrame({"good": NUMBERS, "it's": values})
    with pytest.raises(InputError, match=r"""leave it out: drop=\["it's"\]$"""):
        choose_features(frame)
    assert choose_features(frame, drop=["it's"]).left_out == {"it's": "as asked"}


def test_a_few_values_that_are_no_numbers():
    values = [str(number) for number in NUMBERS]
    values[10] = "<5"
    with pytest.raises(
        InputError, match=r"'<5' in row 12.*missing=\['<5'\]; .*categorical=\['x'\]"
    ):
        choose_features(pl.DataFrame({"x": values}))
    assert choose_features(pl.DataFrame({"x": values}), missing=["<5"]).numeric == ["x"]


# Scaling and distances square numbers.
@pytest.mark.parametrize("values", [[1.0, None, -1e151], ["1", "NA", "-1e151"], [1.0, 2, 1.7e308]])
def test_numbers_that_cannot_be_squared_are_refused(values):
    picker = TableColumns(["x"]).fit(pl.DataFrame({"x": [1e150, float("nan"), -1e150]}))
    with pytest.raises(
        InputError, match=r"'x' must hold numbers of at most 1e\+150, got .*1.* in row 4; div"
    ):
        picker.transform(pl.DataFrame({"x": values}))


LIMIT, ALONE = "write a number for such a limit, half of it for instance", "write the number alone"


def with_text(value, count, numbers=NUMBERS):
    return pl.DataFrame({"crp": [*map(str, numbers[count:]), *[value] * count], "good": NUMBERS})


# A limit or a remark says more than that a value is missing.
@pytest.mark.parametrize(
    ("value", "remedy"),
    [
        *(("<5.0", LIMIT), ("≥ 1,000", LIMIT), (">=8", LIMIT)),
        *(("62+", ALONE), ("~7.1", ALONE), ("3.2*", ALONE), ("low", "fix the file")),
    ],
)
def test_what_to_do_about_text_amid_numbers(value, remedy):
    remedy += f", or say that it means missing: missing=[{value!r}]"
    with pytest.raises(InputError, match=re.escape(f"row 61; {remedy}; or")):
        choose_features(with_text(value, 1))
    features = choose_features(with_text(value, 10))
    assert features.categorical == ["crp"]
    assert re.match(
        r"'crp' is taken as \d+ categories, though 83% of its values are", features.notes[0]
    )
    assert features.notes[0].endswith(f"like {value!r}: {remedy}")
    names = choose_features(with_text(value, 10, [i / 7 for i in range(N)]))
    assert names.left_out["crp"].endswith(f"like {value!r}: {remedy}")


def test_text_amid_numbers_may_be_meant():
    assert not choose_features(with_text("<5", 10), categorical=["crp"]).notes
    assert not choose_features(with_text("<5", 31)).notes
    assert choose_features(with_text("<5", 10), missing=["<5"]).numeric == ["crp", "good"]


@pytest.mark.parametrize("values", [[[1], [2]], [b"a", b"b"], [timedelta(1), timedelta(2)]])
def test_labels_that_name_nothing(values):
    with pytest.raises(
        InputError, match=r"'x' must hold numbers or text, got values of type .*label"
    ):
        read_labels(pl.Series("x", values * 30))


def test_nested_columns_are_refused():
    with pytest.raises(InputError, match=r"drop=\['x'\]"):
        choose_features(pl.DataFrame({"x": [[1], [2]] * 30}))


# Whatever is in it, a reason is short.
@pytest.mark.parametrize(
    ("value", "kind"),
    [([1, 2], "list"), ({"a": 1}, "struct"), (b"a", "binary"), (timedelta(1), "duration")],
)
def test_a_strange_value_throughout_is_reported_by_its_type(value, kind):
    features = choose_features(pl.DataFrame({"x": [value] * N, "good": NUMBERS}))
    assert features.left_out["x"] == f"is the same {kind} throughout"


@pytest.mark.parametrize(
    ("first", "is_reported"),
    [
        (["°C", "bar", ""], True),
        (["°C", "bar", "mm"], True),
        (["°C", "5", "mm"], False),
        (["oops", "", ""], False),
    ],
)
def test_a_row_of_units_is_reported(first, is_reported):
    names, numbers = ["a", "b", "c"], [str(number) for number in NUMBERS]
    columns = {name: [unit, *numbers] for name, unit in zip(names, first, strict=True)}
    frame = pl.DataFrame({"kind": ["-", *["x", "y"] * 30], **columns})
    with pytest.raises(InputError) as caught:
        choose_features(frame)
    message = "row 2 seems to hold units ('°C' of 'a', 'bar' of 'b'); remove that line"
    assert (str(caught.value) == message) == is_reported
    assert ("missing=" in str(caught.value)) != is_reported


# An identifier need not be another in every row: patients come twice.
def test_whole_numbers_named_as_an_identifier():
    numbers = [*range(1000, 1090), *range(1000, 1010)]
    frame = pl.DataFrame({"Patient ID": numbers, "count": numbers, "x": [0.5, 1.5] * 50})
    features = choose_features(frame)
    assert features.numeric == ["count", "x"]
    assert features.left_out == {"Patient ID": "numbers the rows"}
    rare = pl.DataFrame({"ward no": [1, 2, 3, 4] * 25, "x": [0.5, 1.5] * 50})
    assert choose_features(rare).numeric == ["ward no", "x"]


# What begins with 0 to be as long as others is no quantity: 01067 is not less than 20095.
@pytest.mark.parametrize("codes", [["01067", "04109", "20095"], ["00", "01", "02", "10"]])
def test_codes_are_categories(codes):
    features = choose_features(pl.DataFrame({"zip": codes * 15}))
    assert features.categorical == ["zip"]
    (note,) = features.notes
    assert re.match(
        rf"'zip' is taken as {len(codes)} categories, as its digits begin with 0; ", note
    )
    names = pl.DataFrame({"zip": [f"{i:05d}" for i in range(0, 90 * N, 90)], "good": NUMBERS})
    assert "different values" in choose_features(names).left_out["zip"]


@pytest.mark.parametrize(
    "numbers", [["0", "1"], ["0", "7", "12"], ["0.5", "0.7"], ["01", "10"], ["007", "08"]]
)
def test_numbers_that_begin_with_0_may_be_numbers(numbers):
    assert choose_features(pl.DataFrame({"x": numbers * 30})).numeric == ["x"]


# --- labels -------------------------------------------------------------------------------------


def test_labels_are_text():
    assert read_labels(pl.Series("y", [1.0, 0.0, 1.0, None])).to_list() == ["1", "0", "1", None]
    assert read_labels(pl.Series("y", ["sehr übel", "gut ", "gut", "?"])).to_list() == [
        *("sehr übel", "gut", "gut"),
        None,
    ]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (range(N), "another value in each of 60 rows.*label"),
        ([f"id {i}" for i in range(N)], "identifier"),
        ([f"id {i // 2 * (i % 3)}" for i in range(3 * N)], "different values in 180 rows"),
        ([i / 7 for i in range(N // 2)] * 2, "measurement"),
        (["a"] * N, "at least two classes, got only 'a'"),
        ([None] * N, "no value at all"),
    ],
)
def test_labels_that_are_none(values, words):
    with pytest.raises(InputError, match=words):
        read_labels(pl.Series("y", list(values)))


# A text that stands for a missing value may be the name of a class.
@pytest.mark.parametrize("text", ["-", "NA", "n/a"])
def test_a_class_that_is_taken_as_missing_is_named(text):
    labels = pl.Series("y", ["+", text, None, f" {text}"] * 10)
    message = f"label {text!r} is taken as missing in 20 of 40 rows; write another text"
    with pytest.raises(InputError, match=re.escape(f"got only '+'; {message}")):
        read_labels(labels)
    with pytest.raises(InputError, match="give rows of another class"):
        read_labels(labels, missing=[text])
    assert lost_labels(labels, least=0.5)
    assert not lost_labels(labels, least=0.51)


# --- the transformer ----------------------------------------------------------------------------


@pytest.fixture
def picker():
    return TableColumns(["age"], ["sex"], label="ill").fit(
        pl.DataFrame({"age": [1.0], "sex": ["f"]})
    )


def test_frames_of_all_kinds_mean_the_same(picker):
    expected = pl.DataFrame({"age": [41.5, None], "sex": ["f", None]})
    typed = pl.DataFrame({"sex": ["f", None], "more": [1, 2], "age": [41.5, None]})
    text = pl.DataFrame({"age": ["41.5", "NA"], "sex": ["f ", ""]})
    pandas = pd.DataFrame({"age": [41.5, np.nan], "sex": ["f", None]})
    array = np.array([[41.5, "f"], [None, None]], dtype=object)
    for frame in (typed, text, pandas, array):
        columns = picker.transform(frame).with_columns(pl.col("age").fill_nan(None))
        assert columns.equals(expected)
    assert picker.get_feature_names_out().tolist() == ["age", "sex"]
    assert clone(picker).label == "ill"


def test_columns_that_are_not_there(picker):
    with pytest.raises(InputError, match=r"needs column 'sex'.*'sexe'"):
        picker.transform(pl.DataFrame({"age": [1], "sexe": ["f"]}))
    with pytest.raises(InputError, match="array of 2 columns"):
        picker.transform(np.zeros((2, 3)))


@pytest.mark.parametrize("value", ["old", "inf"])
def test_values_that_are_no_numbers(picker, value):
    with pytest.raises(BadValueError, match="row 3") as caught:
        picker.transform(pl.DataFrame({"age": ["1", value], "sex": ["f", "m"]}))
    assert (caught.value.column, caught.value.row) == ("age", 1)
    assert caught.value.value == value
    assert caught.value.requirement.startswith("must hold numbers")
    assert "missing=" in caught.value.remedy


@pytest.mark.parametrize("n_before", [0, N])
def test_a_header_that_comes_again_is_reported(n_before):
    numbers = [str(number) for number in NUMBERS]
    frame = pl.DataFrame({name: [*numbers[:n_before], name, *numbers] for name in ("a", "b")})
    message = rf"row {n_before + 2}; the header seems to be repeated .* line$"
    with pytest.raises(InputError, match=message):
        choose_features(frame)
