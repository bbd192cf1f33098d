"""Does a damaged table end in a result or in one line, in each command that reads one?"""

import gzip
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl

from abstain import InputError, RejectRate, pareto_front
from abstain.tables import FitOptions, answer_table, fit_table, labelled_samples, open_table
from abstain.tables.evaluation import evaluate_samples
from abstain.tables.score_fronts import choose, output_files, write_choice
from abstain.tables.scores import ScoreColumns, read_scores
from fuzz.damage import damaged
from fuzz.running import Rng, check_refusal, run_cases

LABEL = "ill"


def make_table(n_rows: int = 40) -> pl.DataFrame:
    """Return a table with numbers, kinds, gaps, a score and a label."""
    rng = np.random.default_rng(0)
    ill = np.arange(n_rows) % 2 == 0
    gaps = pl.Series(rng.random(n_rows) < 0.1)
    return pl.DataFrame(
        {
            "Größe": (rng.normal(size=n_rows) + ill).round(3),
            "price": [f"${number}" for number in rng.integers(1, 2000, n_rows)],
            "organ": np.where(rng.random(n_rows) < 0.5, "Leber", "Niere, links"),
            LABEL: np.where(ill, "yes", "no"),
            "certainty": rng.random(n_rows).round(4),
            "ok": rng.random(n_rows) < 0.8,
        }
    ).with_columns(pl.when(gaps).then(None).otherwise("Größe").alias("Größe"))


@cache
def valid_files() -> dict[str, bytes]:
    """Return the same table in every format."""
    frame, files = make_table(), {}
    for name, separator in {"t.csv": ",", "t.tsv": "\t", "semicolons.csv": ";"}.items():
        files[name] = frame.write_csv(separator=separator).encode()
    files["latin.csv"] = files["t.csv"].decode().encode("cp1252")
    files["wide.csv"] = files["t.csv"].decode().encode("utf-16")
    files["t.csv.gz"] = gzip.compress(files["t.csv"], mtime=0)
    buffer = BytesIO()
    frame.write_parquet(buffer)
    files["t.parquet"] = buffer.getvalue()
    return files


@cache
def classifier() -> Any:
    """Return a classifier that is fitted to the table."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "t.csv")
        path.write_bytes(valid_files()["t.csv"])
        return fit_table(open_table(path), FitOptions(LABEL, model="glvq", cv=2)).clf


def fit(path: Path, out: Path) -> None:
    """Do what abstain fit does, but for the file."""
    fit_table(open_table(path), FitOptions(LABEL, model="naive-bayes", cv=2))


def predict(path: Path, out: Path) -> None:
    """Do what abstain predict does."""
    answer_table(classifier(), open_table(path, block_size=1000), out / "answers.csv")
    assert [each.name for each in out.iterdir()] == ["answers.csv"]


def report(path: Path, out: Path) -> None:
    """Do what abstain report does, but for the page."""
    evaluate_samples(classifier(), labelled_samples(classifier(), open_table(path)))


def front(path: Path, out: Path) -> None:
    """Do what abstain front does."""
    scores = read_scores([path], ScoreColumns("certainty", correct="ok", cell="organ"))
    pareto = pareto_front(scores.certainty, scores.correct, scores.cells)
    choice = choose(scores, pareto, RejectRate(0.1))
    write_choice(choice, output_files(out / "front.csv", path), "0")


COMMANDS = [fit, predict, report, front]


def case(rng: Rng, folder: Path) -> str:
    """Have a command read a damaged table."""
    names = list(valid_files())
    name = names[int(rng.integers(len(names)))]
    content = valid_files()[name]
    if name.endswith(".gz") and rng.random() < 0.7:  # what is inside is damaged
        content = gzip.compress(damaged(valid_files()["t.csv"], rng), mtime=0)
    else:
        content = damaged(content, rng, list(valid_files().values()))
    path, out = folder / name, folder / "out"
    path.write_bytes(content)
    out.mkdir()
    command = COMMANDS[int(rng.integers(len(COMMANDS)))]
    try:
        command(path, out)
        outcome = "done"
    except InputError as error:
        check_refusal(error)
        assert not list(out.iterdir()), "a refused table left an output"
        outcome = "refused"
    assert path.read_bytes() == content, "the table was changed"
    assert sorted(each.name for each in folder.iterdir()) == sorted([name, "out"])
    return outcome


if __name__ == "__main__":
    run_cases("tables", case, runs=2000)
