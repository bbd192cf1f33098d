"""The law of the terminal: what comes from data is shown there, and never obeyed."""

import shutil
import subprocess

import numpy as np
import polars as pl
import pytest

from abstain import InputError
from abstain._core.errors import shown
from abstain._core.text import one_line, printable
from abstain.cli.common import quote_for_shell
from abstain.tables.scores import ScoreColumns, read_scores

# Clears the screen (twice), goes back, rings, turns the direction of writing, is markup to rich.
EVIL = "\x1b[2J\x9b2J\r\b\a\x7f\u202eab\u2066[red]:smile:"


@pytest.fixture
def run(run, monkeypatch):
    """Run the command on a wide terminal: all that it prints is printable."""
    monkeypatch.setenv("COLUMNS", "200")

    def call(*arguments):
        code, printed, message = run(*arguments)
        for line in (printed + message).split("\n"):
            assert line.isprintable()
        return code, printed, message

    return call


def make_table(n=60):
    rng = np.random.default_rng(0)
    ill = np.arange(n) % 2 == 0
    return pl.DataFrame(
        {
            f"size{EVIL}": rng.normal(size=n) + 2 * ill,
            f"kind{EVIL}": np.where(rng.random(n) < 0.5, f"one{EVIL}", f"two{EVIL}"),
            f"same{EVIL}": [f"same{EVIL}"] * n,
            f"class{EVIL}": np.where(ill, f"ill{EVIL}", f"well{EVIL}"),
        }
    )


# Text with such letters between quotes is a table like any other.
def test_commands_write_out_what_a_terminal_would_obey(run, tmp_path):
    table, model = tmp_path / f"t{EVIL}.csv", tmp_path / f"m{EVIL}.abstain"
    make_table().write_csv(table)
    label, answers = f"class{EVIL}", tmp_path / f"a{EVIL}.csv"
    asked = ["fit", table, "--label", label, "--out", model, "--model", "glvq", "--cv", "2"]
    code, printed, _ = run(*asked)
    assert code == 0
    assert r"ill\x1b[2J\x9b2J\r\x08\x07\x7f\u202eab\u2066[red]:smile:" in printed
    assert run(*asked, "--json")[0] == 0
    for more in ([], ["--json"]):
        assert run("predict", model, table, "--out", answers, *more)[0] == 0
        assert run("predict", model, table, answers, "--out", tmp_path / EVIL, *more)[0] == 0
        assert run("report", model, table, "--out", tmp_path / f"r{EVIL}.html", *more)[0] == 0
        watched = ["monitor", model, answers, "--accuracy", "0.999"]
        assert run(*watched, "--out", tmp_path / f"c{EVIL}.png", *more)[0] in (0, 1)
        assert run("monitor", model, table, "--accuracy", "0.2", *more)[0] == 0
        new = ["--on-fit-rows", "--out", tmp_path / f"n{EVIL}.abstain"]
        assert run("recalibrate", model, table, *new, *more)[0] == 0


def test_front_writes_out_what_a_terminal_would_obey(run, tmp_path):
    scores, out = tmp_path / f"s{EVIL}.parquet", tmp_path / f"f{EVIL}.csv"
    rng = np.random.default_rng(0)
    names = {"c": f"c{EVIL}", "ok": f"ok{EVIL}", "cell": f"cell{EVIL}"}
    cells = rng.choice([EVIL, f"b{EVIL}"], 90)
    pl.DataFrame(
        {names["c"]: rng.random(90), names["ok"]: rng.random(90) < 0.8, names["cell"]: cells}
    ).write_parquet(scores)
    asked = ["--certainty", names["c"], "--correct", names["ok"], "--cell", names["cell"]]
    assert run("front", scores, *asked, "--out", out)[0] == 0
    assert run("front", scores, *asked, "--json")[0] == 0
    assert run("front", scores, "--certainty", f"other{EVIL}", "--correct", names["ok"])[0] == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["front", f"{EVIL}\n.csv", "--certainty", "c", "--correct", "ok"],
        ["front", f"{EVIL}*.csv", "--certainty", "c", "--correct", "ok"],
        ["fit", f"{EVIL}.csv", "--label", EVIL, "--out", "m.abstain"],
        ["fit", "t.csv", "--label", EVIL, "--out", "m.abstain"],
        ["fit", "t.csv", "--label", "y", "--out", f"{EVIL}/m.abstain"],
        ["fit", "t.csv", "--label", "y", "--out", "m.abstain", "--model", EVIL],
        ["fit", "t.csv", "--label", "y", "--out", "m.abstain", "--cells", EVIL],
        ["fit", "t.csv", "--label", "y", "--out", "m.abstain", f"--{EVIL}"],
        ["predict", EVIL, "t.csv"],
        ["report", EVIL, "t.csv"],
        ["monitor", EVIL, "t.csv"],
        ["monitor", "m.abstain", "t.csv", "--state", f"{EVIL}/s.json"],
        ["recalibrate", EVIL, "t.csv", "--out", "m.abstain"],
        ["recalibrate", "m.abstain", "t.csv", "--out", f"{EVIL}.csv"],
        ["study", "--only", EVIL],
        ["study", "--models", EVIL],
        [EVIL],
    ],
    ids=str,
)
def test_errors_write_out_what_a_terminal_would_obey(arguments, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,b\n")
    code, printed, message = run(*arguments)
    assert (code, printed) == (2, "")
    assert message.startswith("error: ")
    assert message.count("\n") == 1


@pytest.mark.parametrize("long", ["x" * 1_000_000, "\x1b" * 1_000_000, "a\u202e" * 500_000])
def test_errors_are_short_however_long_what_they_quote(long, run, tmp_path):
    table = tmp_path / "t.csv"
    asked = [table, "--label", "y", "--out", tmp_path / "m.abstain", "-q"]
    rows = "".join(f"{i},{'ab'[i % 2]}\n" for i in range(40))
    for text in (f"x,y\n{rows}{long},a\n", f"{long},z\n{rows}", f"{long},y\n{rows}?,a\nno,b\n"):
        table.write_text(text)
        code, _, message = run("fit", *asked)
        assert code == 2
        assert len(message) < 1010
    code, _, message = run("front", table, "--certainty", long, "--correct", "ok")
    assert code == 2
    assert len(message) < 1010


# Readers of others quote what they stumble over, raw and in full.
@pytest.mark.parametrize("amid", ["\0", "\x1b[2J", "x" * 100_000])
def test_what_a_reader_quotes_is_written_out_and_cut(amid, tmp_path):
    scores = tmp_path / "s.csv"
    scores.write_text(f'cell,c,ok\n"a, b{amid}"u,0.5,1\n"a, b",0.5,0\n' * 2)
    with pytest.raises(InputError, match="cannot be read: ") as caught:
        read_scores([scores], ScoreColumns("c", correct="ok", cell="cell"))
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 500


def test_a_line_keeps_its_beginning_and_its_end():
    said = "column 'x' " + 5000 * "y" + "; fix the file"
    line = one_line(said)
    assert len(line) == 1000
    assert line.startswith("column 'x'")
    assert line.endswith("; fix the file")
    assert one_line("two\nlines\x1b") == r"two lines\x1b"


def test_what_can_be_shown_stays_as_it_is():
    for text in ("größe", "日本語", "a  b", "naïve — “quoted”", "😀"):
        assert printable(text) == text
        assert shown(text) == repr(text)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash: install it to run this")
@pytest.mark.parametrize("value", ["it's", EVIL, "a\\b'\x1b", "\n", "\x85\u2028é", "$HOME $(x)"])
def test_a_shell_takes_a_suggested_value_for_the_value(value):
    typed = quote_for_shell(value)
    assert typed.isprintable()
    command = ["bash", "-c", f"printf %s {typed}"]
    done = subprocess.run(command, capture_output=True, env={"LC_ALL": "C.UTF-8"}, check=True)
    assert done.stdout.decode() == value
