"""Detected outliers, false alarms and cost, by benchmarks/outliers.py."""

from itertools import pairwise
from math import nan
from statistics import fmean

from tools.numbers.writing import Row, find, record, table

RECORD = record("outliers")
OURS = "range and residual"
FALSE_ALARMS = "false alarms"
UNITS = ["unit × 12", "unit × 0.45", "°C as °F"]
# Faults of a single value that leave the range by more than a change of unit may.
FAR = ["-999", "beyond the range"]
UNSEEN = "a class never seen"
SHORT = {
    FALSE_ALARMS: "false alarms",
    "unit × 12": "× 12",
    "unit × 0.45": "× 0.45",
    "°C as °F": "°C as °F",
    "-999": "−999",
    "beyond the range": "beyond the range",
    "noise of two deviations": "noise",
    "values permuted": "permuted",
    UNSEEN: "unseen class",
}
CHOSEN_ON, CONFIRMING = RECORD["chosen_on"], RECORD["confirming"]
SCORES = {name: {row["score"]: row for row in rows} for name, rows in RECORD["by_score"].items()}
SETS = {row["set"]: row[OURS] for row in RECORD["by_set"]}
BAR = 0.9
ALARMS = RECORD["false_alarms"]
PRICE = [row for row in RECORD["price"] if row["samples"] >= RECORD["fewest"]]
COST = RECORD["cost"]
MOST_COST = 1.3


def share(fault: str, name: str, score: str = OURS) -> float:
    """Return which share of a fault is found on a set; NaN if there are too few samples."""
    n_found, n_all = find(RECORD["by_set"], set=name)[score].get(fault, (0, 0))
    return float(n_found / n_all) if n_all >= RECORD["fewest"] else nan


def percent(value: float, digits: int = 0) -> str:
    """Write a share."""
    return f"{100 * value:.{digits}f}%" if value == value else "—"


def by_score(group: str) -> str:
    """Write the mean share of each fault (columns) that each score (rows) finds."""
    lines = []
    for score, row in SCORES[group].items():
        cells = [score, *(percent(row[fault], int(fault == FALSE_ALARMS)) for fault in SHORT)]
        lines.append([f"**{cell}**" for cell in cells] if score == OURS else cells)
    return table(["score", *SHORT.values()], lines)


def by_set(names: list[str]) -> str:
    """Write the share of each fault (columns) that is found on each set (rows)."""
    lines = []
    for name in names:
        cells = [percent(share(fault, name), int(fault == FALSE_ALARMS)) for fault in SHORT]
        missed = [fault in UNITS and share(fault, name) < BAR for fault in SHORT]
        pairs = zip(cells, missed, strict=True)
        lines.append([name, *(f"**{cell}**" if is_low else cell for cell, is_low in pairs)])
    return table(["set", *SHORT.values()], lines)


def visible(fault: str) -> list[str]:
    """Return the sets with enough samples in which the fault leaves the range."""
    return [name for name in SETS if share(fault, name) == share(fault, name)]


def holding(fault: str) -> list[str]:
    """Return the sets on which at least nine in ten of such samples are found."""
    return [name for name in visible(fault) if share(fault, name) >= BAR]


def of_all(fault: str) -> float:
    """Return the share over the samples of all sets."""
    counts = [SETS[name][fault] for name in visible(fault)]
    return float(sum(n_found for n_found, _ in counts) / sum(n_all for _, n_all in counts))


def units() -> str:
    """Write on how many sets each change of unit is found."""
    lines = [
        [
            SHORT[fault],
            percent(of_all(fault)),
            f"{len(holding(fault))} of {len(visible(fault))}",
        ]
        for fault in (*UNITS, *FAR)
    ]
    return table(["fault", "samples found", "sets with at least 90%"], lines)


def distances() -> str:
    """Write which share is found by how far a value leaves the range, over all sets."""
    edges = RECORD["distances"]
    ends = [f"{percent(start)} to {percent(end)}" for start, end in pairwise(edges)]
    ends.append(f"more than {percent(edges[-1])}")
    lines = []
    for index, end in enumerate([*ends, "a constant column"]):
        cells = [end]
        for fault in UNITS:
            n_found, n_all = counts_at(fault, index)
            cells.append(f"{percent(n_found / n_all)} of {n_all:,}" if n_all else "—")
        lines.append(cells)
    return table(["beyond the range by", *(SHORT[fault] for fault in UNITS)], lines)


def counts_at(fault: str, index: int) -> tuple[int, int]:
    """Return how many samples are found at a distance, and of how many, over all sets."""
    pairs = [row["by distance"][fault][index] for row in RECORD["by_set"]]
    return sum(n_found for n_found, _ in pairs), sum(n_all for _, n_all in pairs)


def of_varying(fault: str) -> float:
    """Return the share over the samples of all sets, but for constant columns."""
    counts = [counts_at(fault, index) for index in range(len(RECORD["distances"]))]
    n_found, n_all = map(sum, zip(*counts, strict=True))
    return n_found / n_all


def verdict(row: Row) -> str:
    """Return where the share of false alarms lies beside its binomial interval."""
    if row["share"] > row["high"]:
        return "above"
    return "below" if row["share"] < row["low"] else "within"


def false_alarms() -> str:
    """Write the false alarms on each set beside their binomial interval."""
    lines = [
        [
            row["set"],
            f"{row['samples']:,}",
            percent(row["share"], 2),
            f"{percent(row['low'], 2)} to {percent(row['high'], 2)}",
            verdict(row),
        ]
        for row in ALARMS
    ]
    return table(["set", "new samples", "false alarms", "95% interval of 1%", "share is"], lines)


def duration(seconds: float) -> str:
    """Write a time in milliseconds."""
    return f"{1000 * seconds:,.2f} ms" if seconds < 0.01 else f"{1000 * seconds:,.0f} ms"


def cost() -> str:
    """Write how long answers take with and without outliers."""
    lines = [
        [
            row["classifier"],
            f"{row['rows']:,}",
            f"`{row['method']}`",
            duration(row["without"]),
            duration(row["seconds"]),
            f"{row['ratio']:.2f}",
        ]
        for row in COST
    ]
    head = ["classifier", "samples", "method", "without outliers", "with outliers", "times"]
    return table(head, lines)


def ratios(rows: int, method: str = "predict") -> list[float]:
    """Return how many times as long answers take with outliers."""
    return [row["ratio"] for row in COST if (row["rows"], row["method"]) == (rows, method)]


N_ALARMS = sum(row["alarms"] for row in ALARMS)
ONE, MANY = sorted({row["rows"] for row in COST})

VALUES = {
    "chosen": by_score("chosen on"),
    "confirming": by_score("confirming"),
    "chosen_sets": by_set(CHOSEN_ON),
    "confirming_sets": by_set(CONFIRMING),
    "units": units(),
    "distances": distances(),
    "false_alarms": false_alarms(),
    "cost": cost(),
    "n_chosen": str(len(CHOSEN_ON)),
    "n_confirming": str(len(CONFIRMING)),
    "known": f"{RECORD['known']:,}",
    "draws": str(RECORD["draws"]),
    "fewest": str(RECORD["fewest"]),
    "varying": percent(of_varying("unit × 0.45"))[:-1],
    "price_sets": str(len(PRICE)),
    "price_outside": percent(fmean(row["outside"] for row in PRICE), 1)[:-1],
    "price_most_outside": percent(max(row["outside"] for row in PRICE))[:-1],
    "price_over_outside": str(sum(row["outside"] > RECORD["rate"] for row in PRICE)),
    "price_over": str(sum(row["needed"] > RECORD["rate"] for row in PRICE)),
    "price_needed": percent(fmean(row["needed"] for row in PRICE), 1)[:-1],
    "within": str(sum(verdict(row) == "within" for row in ALARMS)),
    "below": str(sum(verdict(row) == "below" for row in ALARMS)),
    "above": str(sum(verdict(row) == "above" for row in ALARMS)),
    "all_alarms": f"{100 * N_ALARMS / sum(row['samples'] for row in ALARMS):.2f}",
    "most_of_many": f"{max(ratios(MANY)):.2f}",
    "least_of_many": f"{min(ratios(MANY)):.2f}",
    "most_of_one": f"{max(ratios(ONE)):.2f}",
    "least_of_one": f"{min(ratios(ONE)):.2f}",
}
