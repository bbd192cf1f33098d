"""How do the results read as the tables of the page?"""

from local.comparing import usual
from local.trying import CLASSIFIERS, SIZES, SOURCES, Record

WAYS = ["global", "local"]
LABELS = {"training": "training data", "cv": "cv=5", "held out": "held-out data"}
NECKLACE_LABELS = {"GMLVQ": "`GMLVQ()`", "GMLVQ, identity": "`GMLVQ(beta=None)`"}


def show(results: Record) -> None:
    """Print the tables of docs/local-thresholds.md."""
    show_necklaces(results["necklaces"])
    show_verdicts(results["pairs"])
    show_worse(results["pairs"])
    show_errors(results["by_errors"])
    show_sizes(results["by_size"])
    show_sets(results["sets"])


def show_necklaces(rows: list[Record]) -> None:
    """Print the accuracy at one coverage, and what local thresholds gain."""
    lines = []
    for row in rows:
        gain = row["gain"]
        low, high = (points(value, 2) for value in gain["range"])
        figures = [f"{row['accuracy']:.3f}", *(f"{row[at]['mean']:.3f}" for at in WAYS)]
        spread = f"{points(gain['mean'], 2)} ± {100 * gain['sd']:.2f}"
        names = [NECKLACE_LABELS[row["classifier"]], LABELS[row["source"]]]
        lines.append([*names, *figures, spread, f"{low} to {high}"])
    print_table(["necklace", "thresholds from", "no rejects", *WAYS, "gain", "range"], lines)


def show_verdicts(rows: list[Record]) -> None:
    """Print on how many sets local thresholds are noticeably better and worse."""
    lines = []
    for source in SOURCES:
        line = [LABELS[source]]
        for classifier in CLASSIFIERS:
            some = [row for row in usual(rows, source) if row["classifier"] == classifier]
            better, worse = (
                sum(row["area_verdict"] == kind for row in some) for kind in ("better", "worse")
            )
            line.append(f"{better}, {worse} of {len(some)}")
        lines.append(line)
    print_table(["better, worse", *CLASSIFIERS], lines)


def show_worse(rows: list[Record]) -> None:
    """Print where local thresholds are noticeably worse; what is noticeable is bold."""
    lines = []
    for source in SOURCES[1:]:
        for row in usual(rows, source):
            if "worse" in (row["area_verdict"], row["at_verdict"]):
                gains = [marked(row[field], row[f"{field}_verdict"]) for field in ("area", "at")]
                counts = [f"{row[field]:.0f}" for field in ("cells", "errors")]
                lines.append([LABELS[source], row["set"], row["classifier"], *counts, *gains])
    columns = ["set", "classifier", "cells", "errors", "whole curve", "at 90 %"]
    print_table(["worse with", *columns], lines)


def show_errors(rows: list[Record]) -> None:
    """Print how local thresholds fare by calibration errors a cell."""
    lines = []
    for row in rows:
        least, most = row["least"], row["most"]
        name = f"{least} or more" if most is None else f"{least} to {most}"
        counts = [str(row[field]) for field in ("comparisons", "better", "worse")]
        lines.append([name, *counts, points(row["area"])])
    print_table(["errors a cell", "comparisons", "better", "worse", "mean gain"], lines)


def show_sizes(rows: list[Record]) -> None:
    """Print what each min_cell_size gains with cv, and by how much it promises too much."""
    lines: dict[str, list[str]] = {}
    for row in rows:
        if row["source"] == "cv":
            of_one, of_own = (points(value) for value in row["promised_too_much"])
            line = lines.setdefault(row["classifier"], [of_one])
            line.append(f"{points(row['area'])}; {of_own}")
    print_table(
        ["min_cell_size", "global", *map(str, SIZES)],
        [[name, *line] for name, line in lines.items()],
    )


def show_sets(rows: list[Record]) -> None:
    """Print what the sets are like."""
    columns = ["features", "classes", "train", "held_out", "test", "repeats"]
    lines = [
        [row["name"], *("" if row[at] is None else f"{row[at]:,}" for at in columns)]
        for row in rows
    ]
    print_table(["set", *(name.replace("_", " ") for name in columns)], lines)


def marked(gain: list[float], judged: str) -> str:
    mean, error = gain
    shown = f"{points(mean)} ± {100 * error:.1f}"
    return shown if judged == "level" else f"**{shown}**"


def points(share: float, digits: int = 1) -> str:
    return f"{100 * share:+.{digits}f}".replace("-", "−")


def print_table(columns: list[str], rows: list[list[str]]) -> None:
    print(f"\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")
