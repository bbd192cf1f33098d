"""What thresholds per cell gain on new data, by benchmarks/local_thresholds.py."""

from tools.numbers.writing import Row, distinct, find, find_all, record, signed, table

STUDY = record("local_thresholds")
SIZES = distinct(row["size"] for row in STUDY["by_method"])
COLUMNS = [f"{size:,}" for size in SIZES]
BY_METHOD = find_all(STUDY["by_method"], sets="all")
BY_ACCURACY = find_all(STUDY["by_accuracy"], sets="all")
BY_PRICE = find_all(STUDY["by_price"], sets="all")
# In points. Smaller losses are not worth a line.
LEAST_LOSS = 0.02


def gain(figures: list[float]) -> str:
    """Write a gain with its standard error."""
    return f"{signed(figures[0])} ± {figures[1]:.2f}"


def is_worse(figures: list[float]) -> bool:
    """Tell a loss of more than two standard errors and a fiftieth of a point."""
    mean, error = figures
    return mean < -max(2 * error, LEAST_LOSS)


def methods() -> str:
    """Write what each method gains over one threshold."""
    lines = []
    for name in distinct(row["method"] for row in BY_METHOD):
        rows = find_all(BY_METHOD, method=name)
        mark = "**" if name == "pooled" else ""
        cells = [
            f"{signed(row['gain'][0])}; {signed(row['worst']['gain'][0])}, "
            f"{signed(row['best']['gain'][0])}"
            for row in rows
        ]
        lines.append([f"{mark}{cell}{mark}" for cell in [name, *cells]])
    return table(["gain: mean; worst, best", *COLUMNS], lines)


def leads() -> str:
    """Write how far pooled is ahead of the next best method, on two groups of sets."""
    lines = []
    for sets, title in [("confirming", "no part in the choice"), ("chosen on", "chosen on")]:
        cells = []
        for size in SIZES:
            others = [
                row["pooled_leads_by"]
                for row in find_all(STUDY["by_method"], sets=sets, size=size)
                if row["method"] != "pooled"
            ]
            lead, error = min(others)
            cells.append(f"{lead:.3f} ± {error:.3f}")
        lines.append([title, *cells])
    return table(["sets", *COLUMNS], lines)


def losses() -> str:
    """Write the gains of the pairs on which pooled is worse at some size; what is so is bold."""
    lines = []
    for name, classifier in distinct((row["set"], row["classifier"]) for row in STUDY["pairs"]):
        rows = find_all(STUDY["pairs"], set=name, classifier=classifier)
        gains = {row["size"]: row["gains"]["pooled"] for row in rows}
        if any(map(is_worse, gains.values())):
            cells = [gain(gains[size]) if size in gains else "" for size in SIZES]
            bold = [size in gains and is_worse(gains[size]) for size in SIZES]
            marked = [f"**{cell}**" if b else cell for cell, b in zip(cells, bold, strict=True)]
            lines.append([name, classifier, *marked])
    return table(["worse on", "classifier", *COLUMNS], lines, 2)


def behind() -> str:
    """Write where another method is clearly ahead of pooled."""
    lines = [
        [f"{row['size']:,}", row["set"], row["classifier"], row["method"], gain(row["ahead"])]
        for row in STUDY["behind"]
    ]
    return table(["behind with", "set", "classifier", "ahead", "by"], lines, 4)


def accuracies() -> str:
    """Write how often an accuracy is missed, and how many samples are answered."""
    lines = []
    for way in distinct(row["way"] for row in BY_ACCURACY):
        rows = find_all(BY_ACCURACY, way=way)
        shares = [f"{100 * row['missed'][0]:.1f}%; {100 * row['answered'][0]:.1f}%" for row in rows]
        lines.append([way, *shares])
    return table(["missed; answered", *COLUMNS], lines)


def misses_more() -> str:
    """Write how much more often pooled misses than the others do."""
    lines = []
    for way in ("one threshold", "one threshold, pooled"):
        rows = [row["pooled_misses_more"] for row in find_all(BY_ACCURACY, way=way)]
        lines.append([way, *(f"{signed(100 * m, 1)} ± {100 * e:.1f}" for m, e in rows)])
    return table(["pooled misses more often than, points", *COLUMNS], lines)


def misses_by_classifier() -> str:
    """Write the same for one threshold that is chosen in the same way, by classifier."""
    lines = []
    for classifier in distinct(row["classifier"] for row in STUDY["by_classifier"]):
        rows = find_all(STUDY["by_classifier"], classifier=classifier, way="one threshold, pooled")
        differences = [row["pooled_misses_more"] for row in rows]
        lines.append(
            [classifier, *(f"{signed(100 * m, 1)} ± {100 * e:.1f}" for m, e in differences)]
        )
    return table(["pooled misses more often with, points", *COLUMNS], lines)


def prices() -> str:
    """Write what decisions cost, by how the row is chosen."""
    lines = []
    for way in distinct(row["way"] for row in BY_PRICE):
        rows = find_all(BY_PRICE, way=way)
        lines.append([way, *(f"{row['cost'][0]:.3f}" for row in rows)])
    seen = find_all(BY_PRICE, way="pooled, errors seen")
    cells = (f"{m:.3f} ± {e:.3f}" for m, e in (row["more_than_pooled"] for row in seen))
    return table(["cost", *COLUMNS], [*lines, ["errors seen − pooled", *cells]])


def sets() -> str:
    """Write what the sets are like, and what pooled gains on each."""
    lines = []
    for row in STUDY["sets"]:
        by_size = find_all(STUDY["by_set"], set=row["name"])
        gains = {of_size["size"]: gain(of_size["gains"]["pooled"]) for of_size in by_size}
        about = [f"{row[name]:,}" for name in ("features", "classes", "rest")]
        cells = [gains.get(size, "") for size in SIZES]
        lines.append([row["name"], "yes" if row["chosen_on"] else "no", *about, *cells])
    return table(["set", "chosen on", "features", "classes", "rows left", *COLUMNS], lines, 2)


def pooled_and_exact() -> str:
    """Write the table of the guide."""
    lines = []
    for size in SIZES:
        rows = [
            find(BY_METHOD, size=size, method=method) for method in ("pooled", "exact, cells of 10")
        ]
        cells = [f"{signed(row['gain'][0])}, {signed(row['worst']['gain'][0])}" for row in rows]
        lines.append([f"{size:,}", *cells])
    head = ["calibration samples", "pooled: mean, worst", "exact: mean, worst"]
    return table(head, lines)


def over_all(size: int, method: str = "pooled") -> Row:
    """Return what a method gains over all sets."""
    return find(BY_METHOD, size=size, method=method)


def missed(way: str) -> list[float]:
    """Return in which shares of the cases an accuracy is missed, in percent."""
    return [100 * row["missed"][0] for row in find_all(BY_ACCURACY, way=way)]


def worst(*sizes: int, method: str = "pooled") -> float:
    """Return what a method costs at most on a set and classifier, in points."""
    return -min(float(over_all(size, method)["worst"]["gain"][0]) for size in sizes)


def of_classifier(name: str) -> str:
    """Write what pooled gains with a classifier on average, with 600 samples."""
    rows = find_all(STUDY["pairs"], classifier=name, size=600)
    return f"{sum(row['gains']['pooled'][0] for row in rows) / len(rows):.1f}"


POOLED, EXACT = missed("pooled"), missed("exact, cells of 10")

VALUES = {
    "methods": methods(),
    "leads": leads(),
    "losses": losses(),
    "behind": behind(),
    "accuracies": accuracies(),
    "misses_more": misses_more(),
    "misses_by_classifier": misses_by_classifier(),
    "prices": prices(),
    "sets": sets(),
    "pooled_and_exact": pooled_and_exact(),
    "n_sets": f"{len(STUDY['sets'])}",
    "n_draws": f"{STUDY['settings']['draws']}",
    **{f"gain_{size}": f"{over_all(size)['gain'][0]:.2f}" for size in SIZES},
    **{f"pairs_{size}": f"{over_all(size)['pairs']}" for size in SIZES},
    "naive_bayes": of_classifier("naive Bayes"),
    "gmlvq": of_classifier("GMLVQ"),
    "logistic_regression": of_classifier("logistic regression"),
    "worst_600": f"{worst(600):.2f}",
    "worst": f"{worst(600, 2000):.2f}",
    "worst_exact": f"{worst(200, method='exact, cells of 10'):.1f}",
    "most_ahead": f"{max(row['ahead'][0] for row in STUDY['behind']):.1f}",
    "least_missed": f"{min(POOLED):.0f}",
    "most_missed": f"{max(POOLED):.0f}",
    "least_missed_exact": f"{min(EXACT):.0f}",
    "most_missed_exact": f"{max(EXACT):.0f}",
}
