"""Which of a study's results are published, and how are they read?

``python -m tools.publish_study build/study docs/results`` copies the tables and figures of a
finished study, and writes a page of them. The page says nothing that the tables do not.
"""

import json
import math
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from abstain._core.files import atomic_files

FIGURES = {
    "artificial.png": "Artificial sets: test curves with global and local thresholds, the SVM and "
    "the Bayes rule, each above its standard deviation over the runs in points of accuracy",
    "contours.png": "What the Bayes rule, Conf and RelSim make of the plane: dark is unsure. The "
    "noise of the Gaussian clusters fills a box, beyond which the Bayes rule is sure",
    "greedy.png": "Exact and greedy thresholds on the training part, above the lead of exact ones "
    "in points of accuracy",
    "benchmark.png": "Benchmark sets; a dot is the accuracy without rejects. Curves end where "
    "fewer than 80% of the runs reject so many",
    "tecator.png": "Tecator: z-scored, raw, and second differences of the spectra. Thresholds are "
    "set on errors in the training part: where the models make hardly any, nothing is rejected, "
    "and there is a dot in place of a curve",
    "medical.png": "Medical sets, GMLVQ; thresholds set out of fold where it separates the "
    "training part",
}
TABLES = ["claims.csv", "summary.csv", "tests.csv", "beyond.csv", "guarantees.csv"]
VERDICTS = ["holds", "differs", "inconclusive"]
PAGE = "README.md"
# The model whose cells are smaller than classes.
MANY_CELLS = "glvq-5"

Row = dict[str, Any]


def publish(study: Path, folder: Path) -> None:
    """Copy what is published of a study, and write its page."""
    names = [*TABLES, *FIGURES, "configuration.json", "run.json"]
    missing = [name for name in names if not (study / name).is_file()]
    if missing:
        sys.exit(f"{study} is not finished: there is no {missing[0]}; run the study again")
    run = json.loads((study / "run.json").read_text())
    done, of = run["tasks"].split(" of ")
    if done != of:
        sys.exit(f"{study} is not finished: {run['tasks']} tasks; run the study again")
    text = page(study)
    folder.mkdir(parents=True, exist_ok=True)
    with atomic_files(*(folder / name for name in [*names, PAGE])) as (*drafts, last):
        for name, draft in zip(names, drafts, strict=True):
            shutil.copyfile(study / name, draft)
        last.write_text(text, encoding="utf-8")


def page(folder: Path) -> str:
    """Return the page of the results that lie in a folder."""
    run = json.loads((folder / "run.json").read_text())
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
    parts = [
        "# The paper's study, run again",
        f"Made on {run['date']} by `make study` in {run['seconds'] / 60:.0f} minutes, "
        f"{run['jobs']} tasks at once, which took {run['processor_seconds'] / 60:.0f} minutes of "
        f"processor time; Python {run['python']}, {versions}. "
        "[What it means](../study.md), and [how it was set up](configuration.json).",
        "## Claims of the paper",
        _verdicts(_read(folder, "claims.csv")),
        *_claims(_read(folder, "claims.csv")),
        "## Accuracy on test data",
        "Means over the runs, in percent, with no rejects and with 5, 10 and 20%; of models with "
        "cells first one threshold, then exact local ones, then pooled ones. A dash where fewer "
        "than 80% of the curves go so far. Do not compare 10 runs with 100 by eye: [paired "
        "tests](tests.csv) compare the same runs. The areas under the risk-coverage curve (AURC) "
        "and its generalised form (AUGRC), of one threshold, times 1,000: the less, the better. "
        "[All ways to set thresholds](summary.csv).",
        _accuracies(_read(folder, "summary.csv")),
        "## What other thresholds change",
        "Points of accuracy on test data, the mean at 1 to 20% rejects as far as both curves go, "
        "with 95% intervals, and from where to where the mean end of the curves moves: what "
        "exact and pooled local thresholds change against one threshold, set on the training part "
        "or out of fold, and what it changes to set exact local ones out of fold. For GMLVQ, RSLVQ "
        "and two ensembles whose cells are the "
        "predicted classes ([all models](beyond.csv)).",
        _changes(_read(folder, "beyond.csv")),
        _against_one_threshold(_read(folder, "beyond.csv")),
        *_small_cells(_read(folder, "beyond.csv")),
        "## What became of an accuracy that was asked for",
        "GMLVQ with local thresholds: those that just reach the accuracy on the training part, "
        "those that reach it out of fold, and those that are certified with a confidence of 90%. "
        "A target is refused where no thresholds reach it, or too few samples certify it: then "
        "nothing is answered. Coverage is that of all runs, accuracy that of the answers "
        "([table](guarantees.csv)).",
        _guarantees(_read(folder, "guarantees.csv")),
        "## Figures",
        *(f"![{text}]({name})\n\n*{text}.*" for name, text in FIGURES.items()),
    ]
    return "\n\n".join(parts) + "\n"


def _read(folder: Path, name: str) -> list[Row]:
    return pl.read_csv(folder / name, infer_schema_length=None).to_dicts()


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], n_texts: int = 1) -> str:
    rule = ["---"] * n_texts + ["---:"] * (len(header) - n_texts)
    return "\n".join(f"| {' | '.join(line)} |" for line in [header, rule, *rows])


def _verdicts(claims: list[Row]) -> str:
    """Return how many claims hold, by set."""
    sets = dict.fromkeys(row["dataset"] for row in claims)
    counts = Counter((row["dataset"], row["verdict"]) for row in claims)
    rows = [[name, *(str(counts[name, verdict] or "") for verdict in VERDICTS)] for name in sets]
    totals = Counter(row["verdict"] for row in claims)
    rows.append(["all", *(str(totals[verdict]) for verdict in VERDICTS)])
    return _table(["set", *VERDICTS], rows)


def _claims(claims: list[Row]) -> Iterable[str]:
    """Yield every claim with its number, those that do not hold first."""
    yield (
        "Every value has a 95% interval. A claim holds if all of that agrees with it, and differs "
        "if none of it does ([table](claims.csv))."
    )
    for verdict in ("differs", "inconclusive", "holds"):
        chosen = [row for row in claims if row["verdict"] == verdict]
        if chosen:
            yield f"### {verdict.capitalize()}"
            rows = [[row["dataset"], row["statement"], _interval(row, "value")] for row in chosen]
            yield _table(["set", "claim", "value"], rows, 2)


def _interval(row: Row, name: str, scale: float = 1.0, digits: int = 3) -> str:
    values = [row[column] for column in (name, "low", "high")]
    if any(value is None for value in values):
        return ""
    if row.get("statement", "").endswith("prototypes"):
        digits = 0
    if math.isnan(values[0]):
        return "–"
    value, low, high = (_rounded(scale * value, digits) for value in values)
    return f"{value} ({low} to {high})".replace("-", "−")


def _rounded(value: float, digits: int) -> str:
    """Return a number without the sign of a rounded 0."""
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def _accuracies(summary: list[Row]) -> str:
    usual = [
        row
        for row in summary
        if (row["source"], row["min_cell_size"]) == ("training", 1) and row["method"] != "greedy"
    ]
    by_model: dict[tuple[str, str], list[Row]] = {}
    for row in usual:
        by_model.setdefault((row["set"], row["model"]), []).append(row)
    header = ["set", "model", "runs", "0%", "5%", "10%", "20%", "AURC", "AUGRC"]
    rows = []
    for (name, model), ways in by_model.items():
        shared = ways[0]
        rows.append(
            [
                name,
                model,
                f"{shared['runs']:,}",
                _percent(shared["at_0"]),
                *(
                    _side_by_side([_percent(way[f"at_{rate}"]) for way in ways])
                    for rate in ("0.05", "0.1", "0.2")
                ),
                *(f"{1000 * shared[score]:.1f}" for score in ("aurc", "augrc")),
            ]
        )
    return _table(header, rows, 2)


def _side_by_side(values: list[str]) -> str:
    """Return the values of one threshold, of exact local ones and of pooled ones."""
    return ", ".join(value or "–" for value in values) if any(values) else ""


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}"


def _changes(beyond: list[Row]) -> str:
    models = ["gmlvq", "rslvq", "forest", "boosting"]
    sources = ("training", "out of fold")
    changes = [f"{method}, {source}" for source in sources for method in ("local", "pooled")]
    changes.append("out of fold, local")
    row_of = {(row["set"], row["model"], row["change"]): row for row in beyond}
    header = ["set", "model", *changes[:-1], "out of fold, not training"]
    rows = []
    for name in dict.fromkeys(row["set"] for row in beyond):
        for model in models:
            cells = [row_of.get((name, model, change)) for change in changes]
            if all(cells):
                shown = [_change(cell) for cell in cells if cell]
                rows.append([name, model, *shown])
    return _table(header, rows, 2)


def _against_one_threshold(beyond: list[Row]) -> str:
    """Return how often local thresholds are significantly better or worse than one threshold."""
    counts = []
    for name, change in (("Exact", "local, "), ("Pooled", "pooled, ")):
        rows = [
            row for row in beyond if row["change"].startswith(change) and row["low"] is not None
        ]
        better, worse = (sum(map(test, rows)) for test in (_is_better, _is_worse))
        counts.append(f"{name} thresholds per cell: {better} better, {worse} worse, of {len(rows)}")
    return (
        "Against one threshold, of all models and sets, with intervals that exclude zero: "
        f"{'. '.join(counts)}."
    )


def _is_better(row: Row) -> bool:
    return bool(row["low"] > 0)


def _is_worse(row: Row) -> bool:
    return bool(row["high"] < 0)


def _change(row: Row) -> str:
    ends = f"{100 * row['end_before']:.0f} → {100 * row['end']:.0f}%"
    difference = _interval(row, "difference", 100, 1)
    return f"{difference or '–'}; {ends}"


def _small_cells(beyond: list[Row]) -> Iterable[str]:
    """Yield what it changes that small cells share a threshold."""
    rules = [row for row in beyond if row["change"].startswith("min_cell_size")]
    usual = [row["difference"] or 0.0 for row in rules if row["model"] != MANY_CELLS]
    n_none = sum(difference == 0 for difference in usual)
    yield (
        "Where each class is a cell, it hardly matters that cells of fewer samples than 10, or 30, "
        f"share a threshold: it changes nothing in {n_none} of {len(usual)} cases. With five "
        "prototypes per class (GLVQ) cells are small. All set out of fold, in points: exact and "
        "pooled local thresholds against one threshold, and shared thresholds of small cells "
        "against exact local ones:"
    )
    row_of = {
        (row["set"], row["change"]): row
        for row in beyond
        if row["model"] == MANY_CELLS and row["change"].endswith("out of fold")
    }
    changes = [
        change
        for change in dict.fromkeys(change for _, change in row_of)
        if not change.startswith("out of fold")
    ]
    header = ["set", *(change.split(",")[0] for change in changes)]
    names = dict.fromkeys(name for name, _ in row_of)
    yield _table(header, [[n, *(_change(row_of[n, change]) for change in changes)] for n in names])


def _guarantees(guarantees: list[Row]) -> str:
    header = [
        "set",
        "asked for",
        "thresholds",
        "runs",
        "refused",
        "coverage",
        "answers",
        "accuracy",
    ]
    rows = [
        [
            row["set"],
            f"{100 * row['accuracy']:.0f}%",
            row["source"],
            f"{row['runs']:,}",
            f"{row['refused']:,}",
            _percent(row["coverage"]),
            f"{row['answers']:,}",
            _percent(row["reached"]),
        ]
        for row in guarantees
    ]
    return _table(header, rows, 3)


if __name__ == "__main__":
    publish(*map(Path, sys.argv[1:3]))
