"""Models that learn from streams, by benchmarks/incremental.py."""

from tools.numbers.writing import distinct, find, record, table

RECORD = record("incremental")
STREAMS = RECORD["streams"]
SETS = distinct(row["set"] for row in STREAMS)
ARMS = distinct(row["arm"] for row in STREAMS)
TITLES = {
    "GMLVQ.fit, every 1,024": "GMLVQ, fitted again",
    "SGDClassifier.partial_fit": "SGDClassifier",
    "river HoeffdingTreeClassifier": "Hoeffding tree",
}


def title(arm: str) -> str:
    """Return the short name of an arm."""
    return TITLES.get(arm, arm.removesuffix(".partial_fit"))


def streams() -> str:
    """Write the accuracy of each arm on each set."""
    lines = [
        [title(arm), *(f"{find(STREAMS, set=name, arm=arm)['accuracy']:.3f}" for name in SETS)]
        for arm in ARMS
    ]
    heads = [
        name + ("" if find(STREAMS, set=name, arm=ARMS[0])["chosen"] else " *") for name in SETS
    ]
    return table(["", *heads], lines)


def stationary() -> str:
    """Write how far streams stay behind fits."""
    lines = [
        [
            row["model"],
            row["per class"],
            f"{100 * row['behind']:.1f}",
            f"{100 * row['at most']:.1f}",
            f"{row['prototypes of fits']:.1f}",
            f"{row['of streams']:.1f}",
        ]
        for row in RECORD["stationary"]
    ]
    head = ["model", "per class", "points behind", "at most", "prototypes, fit", "stream"]
    return table(head, lines, 2)


def swapped() -> str:
    """Write after how many samples models have learned swapped classes."""
    models = [row["model"] for row in RECORD["swapped"]]
    return table(
        ["", *models], [["samples", *(f"{row['samples']:,}" for row in RECORD["swapped"])]]
    )


def together() -> str:
    """Write the accuracy of a static and an incremental model, and of both."""
    arms = ["offline", "online", "both"]
    lines = [[row["set"], *(f"{row[arm]:.3f}" for arm in arms)] for row in RECORD["together"]]
    return table(["", *arms], lines)


def times() -> str:
    """Write the processor time per sample."""
    names = [name for name in RECORD["times"][0] if name != "model"]
    lines = [
        [row["model"], *(f"{row[name]:.{0 if row[name] >= 10 else 1}f}" for name in names)]
        for row in RECORD["times"]
    ]
    return table(["", *names], lines)


VALUES = {
    "streams": streams(),
    "stationary": stationary(),
    "swapped": swapped(),
    "times": times(),
    "together": together(),
    "behind": f"{100 * max(row['behind'] for row in RECORD['stationary']):.1f}",
    "swap_samples": f"{max(row['samples'] for row in RECORD['swapped']):,}",
}
