"""How reject options compare with other libraries, by benchmarks/rejection.py."""

from tools.numbers.writing import Row, distinct, find, find_all, record, signed, table

RECORD = record("rejection")
NAMES = {
    "abstain": "abstain",
    "sweep": "NumPy, by hand",
    "scikit_fallback": "scikit-fallback",
    "mapie": "MAPIE",
}
SHORT = {"LogisticRegression": "LR", "RandomForest": "RF"}
HEADS = [f"{row['set']}, {SHORT[row['classifier']]}" for row in RECORD["problems"]]


def of_method(library: str, method: str) -> list[Row]:
    """Return the results of a method, one for each data set and classifier."""
    return find_all(RECORD["thresholds"], library=library, method=method)


def span(values: list[float], scale: float = 1) -> str:
    """Write the least and the largest value."""
    return "–".join(distinct(f"{scale * end:,.0f}" for end in (min(values), max(values))))


def methods(out_of_fold: bool, certifies: bool) -> str:
    """Write what share each method answers, and how often it is clearly below the target."""
    lines = []
    for library, method in distinct(
        (row["library"], row["method"])
        for row in find_all(RECORD["thresholds"], out_of_fold=out_of_fold)
        if bool(row["certifies"]) == certifies
    ):
        rows = of_method(library, method)
        cells = [f"{100 * row['coverage']:.0f} ({100 * row['clearly_below']:.0f})" for row in rows]
        draws, seconds = ([row[name] for row in rows] for name in ("draws", "seconds"))
        counts = [span(draws), span(seconds, 1000), str(rows[0]["lines"])]
        lines.append([NAMES[library], method, *cells, *counts])
    return table(["library", "method", *HEADS, "draws", "ms", "lines"], lines, 2)


def gains() -> str:
    """Write how much more the defaults answer than code by hand, on the same draws."""
    lines = []
    for method in distinct(row["method"] for row in RECORD["by_hand"]):
        rows = find_all(RECORD["by_hand"], method=method)
        cells = [
            f"{signed(100 * row['gain'], 1)} ± {100 * row['standard_error']:.1f}" for row in rows
        ]
        lines.append([method, rows[0]["by_hand"], *cells])
    return table(["abstain", "by hand", *HEADS], lines, 2)


def costs() -> str:
    """Write what thresholds out of fold cost beside the predictions alone."""
    rows = RECORD["out_of_fold"]
    lines = []
    for name in distinct(row["classifier"] for row in rows):
        ratios = [row["ratio"] for row in find_all(rows, classifier=name)]
        lines.append([name, *(f"{ratio:.2f}" for ratio in ratios)])
    return table(["", *distinct(row["set"] for row in rows)], lines)


def clearly_below(library: str, method: str) -> int:
    """Return in how many draws a method is clearly below the target."""
    rows = of_method(library, method)
    return sum(round(row["clearly_below"] * row["draws"]) for row in rows)


def coverage(library: str, method: str) -> float:
    """Return the mean share of answers of a method."""
    rows = of_method(library, method)
    return float(sum(row["coverage"] for row in rows) / len(rows))


# Certified methods that the text compares, from the one that answers most to that which does least.
CERTIFIED = {
    "default": ("abstain", "default, confidence"),
    "by_hand": ("sweep", "fixed sequence, all test"),
    "half": ("sweep", "fixed sequence, half tests"),
    "mapie": ("mapie", "accuracy as own risk, split sequence"),
    "exact": ("abstain", "exact, confidence"),
}
CAUTIOUS = find(
    of_method("abstain", "default, cv=5"), set="segment", classifier="LogisticRegression"
)

VALUES = {
    "fitted": methods(out_of_fold=False, certifies=False),
    "fitted_certified": methods(out_of_fold=False, certifies=True),
    "out_of_fold": methods(out_of_fold=True, certifies=False),
    "out_of_fold_certified": methods(out_of_fold=True, certifies=True),
    "gains": gains(),
    "costs": costs(),
    "draws": f"{sum(row['draws'] for row in of_method('abstain', 'default')):,}",
    "below_default": f"{clearly_below('abstain', 'default')}",
    "below_by_hand": f"{clearly_below('sweep', 'one threshold')}",
    "below_exact": f"{clearly_below('abstain', 'exact')}",
    **{f"certified_{name}": f"{100 * coverage(*way):.0f}" for name, way in CERTIFIED.items()},
    "cautious": f"{100 * CAUTIOUS['accuracy']:.1f}",
}
