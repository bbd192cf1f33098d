"""What decisions cost, and what is certified of classes and groups.

By benchmarks/costs.py and benchmarks/shares.py.
"""

from tools.numbers.writing import Row, distinct, find, find_all, record, signed, table

RECORD, SHARES = record("costs"), record("shares")
NAMES = {
    "abstain": "abstain",
    "by_hand": "NumPy, by hand",
    "scikit_learn": "scikit-learn",
    "mapie": "MAPIE",
}
SETS = list(RECORD["prices"])
SHORT = {"LogisticRegression": "LR", "HistGradientBoosting": "HGB"}
BY_HAND = tuple(RECORD["by_hand"])
METHODS = distinct((row["library"], row["method"]) for row in RECORD["methods"])


def of_method(library: str, method: str, **wanted: str) -> list[Row]:
    """Return the results of a method, one for each set and classifier."""
    return find_all(RECORD["methods"], library=library, method=method, **wanted)


def prices() -> str:
    """Write what errors and rejects cost on each set."""
    names = ["missed", "false_alarm", "reject"]
    lines = [[name, *(f"{RECORD['prices'][name][key]:g}" for key in names)] for name in SETS]
    draws = [find(of_method(*BY_HAND, classifier="LogisticRegression"), set=name) for name in SETS]
    lines = [[*line, str(row["draws"])] for line, row in zip(lines, draws, strict=True)]
    return table(["set", "missed", "false alarm", "reject", "draws"], lines)


def costs(classifier: str) -> str:
    """Write the cost of each method, the share it answers, and whether it certifies anything."""
    lines = []
    for library, method in METHODS:
        rows = of_method(library, method, classifier=classifier)
        cells = [f"{row['cost']:.3f} ({100 * row['coverage']:.0f})" for row in rows]
        certified = "yes" if rows[0]["certifies"] else "no"
        lines.append([NAMES[library], method, certified, *cells, str(rows[0]["lines"])])
    return table(["library", "method", "certified", *SETS, "lines"], lines, 3)


# Methods that are compared with the pair by hand, draw by draw.
COMPARED = [(library, method) for library, method in METHODS if library == "abstain"]
CHOW = ("by_hand", "Chow's rule, raw posteriors")
COMPARED.append(CHOW)


def differences() -> str:
    """Write how much more methods cost than the pair by hand, in thousandths."""
    lines = []
    for library, method in COMPARED:
        for classifier, short in SHORT.items():
            rows = of_method(library, method, classifier=classifier)
            cells = [
                f"{signed(1000 * row['difference'], 1)} ± {1000 * row['standard_error']:.1f}"
                for row in rows
            ]
            lines.append([method, short, *cells])
    return table(["method", "classifier", *SETS], lines, 2)


def verdicts(library: str, method: str) -> tuple[int, int]:
    """Return on how many sets and classifiers a method costs significantly less, and more."""
    rows = of_method(library, method)
    less = sum(row["difference"] < -2 * row["standard_error"] for row in rows)
    return less, sum(row["difference"] > 2 * row["standard_error"] for row in rows)


def wins(library: str, method: str) -> list[tuple[str, str]]:
    """Return the sets and classifiers on which a method costs less than the default."""
    pairs = zip(of_method(library, method), of_method("abstain", "default"), strict=True)
    return [
        (row["set"], SHORT[row["classifier"]])
        for row, default in pairs
        if row["cost"] < default["cost"]
    ]


def cheapest() -> dict[tuple[str, str], tuple[str, str]]:
    """Return the method of least cost on each set with each classifier."""
    least = {}
    for name in SETS:
        for classifier, short in SHORT.items():
            rows = find_all(RECORD["methods"], set=name, classifier=classifier)
            best = min(rows, key=lambda row: float(row["cost"]))
            least[name, short] = (best["library"], best["method"])
    return least


LARGE, FEW = ["fraud", "electricity", "weather"], ["breast cancer", "cleveland"]
WITHOUT_REJECTS = [
    row["cost"] / (row["cost"] - row["difference"])
    for name in LARGE
    for row in find_all(RECORD["methods"], library="scikit_learn", set=name)
]

# --- shares -------------------------------------------------------------------------------------

OURS = [row for row in SHARES["certified"] if row["way"].startswith("abstain")]
WAYS = distinct(row["way"] for row in SHARES["certified"])
CASES = distinct((row["population"], row["target"]) for row in SHARES["certified"])


def best_of(population: str, target: str, way: str) -> Row:
    """Return the row of a way; of two kinds of thresholds, the one that certifies more."""
    rows = find_all(SHARES["certified"], population=population, target=target, way=way)
    return max(rows, key=lambda row: float(row["coverage"]))


def certified() -> str:
    """Write how often what is certified is false, and how much is certified."""
    lines = []
    for population, target in CASES:
        rows = [best_of(population, target, way) for way in WAYS]
        coverages = [f"{100 * row['coverage']:.1f}" for row in rows]
        missed = f"{100 * max(row['missed'] for row in rows if row in OURS):.1f}"
        lines.append([population, f"`{target}`", f"{rows[0]['samples']:,}", missed, *coverages])
    return table(["population", "target", "samples", "false", *WAYS], lines, 2)


def share_of(kind: str) -> list[float]:
    """Return the coverages of a kind of ways, for the recall of one of six classes."""
    (case,) = [case for case in CASES if case[0] == "six classes" and case[1].startswith("Recall")]
    return [float(best_of(case[0], case[1], way)["coverage"]) for way in WAYS if kind in way]


RARE_BOTH = find_all(OURS, population="rare positives", target=CASES[1][1])[0]
FRAUD = {
    short: find(of_method("abstain", "default"), set="fraud", classifier=name)
    for name, short in SHORT.items()
}

VALUES = {
    "prices": prices(),
    "costs_lr": costs("LogisticRegression"),
    "costs_hgb": costs("HistGradientBoosting"),
    "differences": differences(),
    "certified": certified(),
    "allowed": f"{100 * SHARES['allowed']:.1f}",
    "most_false": f"{100 * max(row['missed'] for row in OURS):.1f}",
    "six_recall": f"{100 * min(share_of('abstain')):.0f}",
    "six_recall_by_hand": f"{100 * max(share_of('by hand')):.0f}",
    "refused": f"{100 * RARE_BOTH['refused']:.0f}",
    "less": f"{verdicts('abstain', 'default')[0]}",
    "more": f"{verdicts('abstain', 'default')[1]}",
    "lower": f"{sum(row['difference'] < 0 for row in of_method('abstain', 'default'))}",
    "chow_more": f"{verdicts(*CHOW)[1]}",
    "chow_wins": f"{len(wins(*CHOW))}",
    **{
        f"least_{name}": f"{list(cheapest().values()).count(('abstain', method))}"
        for name, method in [
            ("default", "default"),
            ("exact", "exact"),
            ("predicted", "predicted answers"),
        ]
    },
    "without_rejects": f"{100 * max(WITHOUT_REJECTS) - 100:.0f}",
    "problems": f"{len(of_method('abstain', 'default'))}",
    "lines": f"{of_method('abstain', 'default')[0]['lines']}",
    "lines_by_hand": f"{of_method(*BY_HAND)[0]['lines']}",
    **{
        f"fraud_{short.lower()}": signed(1000 * row["difference"], 1)
        for short, row in FRAUD.items()
    },
    **{
        f"fraud_{short.lower()}_error": f"{1000 * row['standard_error']:.1f}"
        for short, row in FRAUD.items()
    },
}
