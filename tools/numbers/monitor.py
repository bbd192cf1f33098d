"""False alarms and delays of monitors, by benchmarks/monitor.py."""

from math import sqrt

from tools.numbers.writing import Row, distinct, find, find_all, record, table

RECORD = record("monitor")
OURS, WITHOUT, MAPIE = "RiskMonitor", "RiskMonitor without restarts", "MAPIE"
LEVEL, LIVES, ACCURACY = RECORD["level"], RECORD["lives"], RECORD["accuracy"]
# What chance allows of a share that is at most the level.
ALLOWED = LEVEL + 3 * sqrt(LEVEL * (1 - LEVEL) / LIVES)
FALSE_ALARMS = [row[name] for row in RECORD["false_alarms"] for name in (OURS, WITHOUT)]


def after(past: int, accuracy: float = ACCURACY) -> list[Row]:
    """Return the delays after a past of this many answers, the smallest change first."""
    rows = find_all(RECORD["delays"], past=past, accuracy=accuracy)
    return sorted(rows, key=lambda row: float(row["error"]))


def percent(share: float, digits: int = 1) -> str:
    """Write a share."""
    return f"{100 * share:.{digits}f}%"


def false_alarms() -> str:
    """Write how many lives have an alarm while the promise holds."""
    lines = [
        [f"{row['error']:.2f}", percent(row["audit"], 0), percent(row[OURS]), percent(row[WITHOUT])]
        for row in RECORD["false_alarms"]
    ]
    return table(["error rate", "truth known for", "false alarms", "without restarts"], lines, 2)


def written(row: Row) -> str:
    """Write a median delay, or how many lives have an alarm if it is beyond the last answer."""
    if row["median"] is None:
        return f"({percent(row['detected'], 0)} detected)"
    return f"{row['median']:,.0f}"


def delays(rows: list[Row], first: str = "error") -> str:
    """Write the median delay of each monitor (columns) after each change (rows)."""
    monitors = distinct(row["monitor"] for row in rows)
    keys = distinct((row["accuracy"], row["error"]) for row in rows)
    lines = [
        [
            f"{error:.2f}" if first == "error" else f"{accuracy:.2f}, {error:.2f}",
            *(
                written(find(rows, monitor=name, accuracy=accuracy, error=error))
                for name in monitors
            ),
        ]
        for accuracy, error in keys
    ]
    head = "error rate" if first == "error" else "accuracy, error rate"
    return table([head, *monitors], lines)


def harmless() -> str:
    """Write how many lives have an alarm though the promise holds."""
    lines = [[row["monitor"], percent(row["alarms"], 0)] for row in RECORD["harmless"]]
    return table(["monitor", "alarms"], lines)


def ratios(past: int, other: str) -> list[float]:
    """Return how many times as long as this library another monitor takes, where both detect."""
    rows = after(past)
    pairs = [
        (find(rows, monitor=OURS, error=error), find(rows, monitor=other, error=error))
        for error in distinct(row["error"] for row in rows)
    ]
    return [
        other["median"] / own["median"] for own, other in pairs if own["median"] and other["median"]
    ]


def before(name: str, past: int) -> float:
    """Return the share of lives with an alarm before the change, the mean over all changes."""
    rows = find_all(RECORD["delays"], monitor=name, past=past)
    return sum(float(row["before"]) for row in rows) / len(rows)


def detectors() -> str:
    """Write the parameter of each detector, and its false alarms where it was chosen and later."""
    lines = [
        [
            row["monitor"],
            f"{row['error']:.2f}",
            f"{row['parameter']:.3g}",
            percent(row["false_alarms"]),
            percent(row["false_alarms_elsewhere"]),
            *(percent(before(DETECTORS[key], past)) for past in (1000, 10_000)),
        ]
        for key, row in PARAMETERS.items()
        if key in DETECTORS
    ]
    first = ["detector", "error rate", "parameter", "false alarms", "in other lives"]
    return table([*first, "before the change, 1,000", "10,000"], lines, 2)


def single_bets() -> str:
    """Write what the best single bet needs, beside this library."""
    lines = [
        [
            f"{row['error']:.2f}",
            f"{row['odds']:g}",
            f"{row['median']:,.0f}",
            written(find(after(0), monitor=OURS, error=row["error"])),
        ]
        for row in RECORD["single_bets"]
    ]
    return table(["error rate", "best odds", "single bet", OURS], lines)


def shares() -> str:
    """Write the delays for several shares of the capital that bet from the start on."""
    names = [name for name in RECORD["shares"][0] if name not in ("past", "error", "lives")]
    lines = [
        [f"{row['past']:,}", f"{row['error']:.2f}", *(f"{row[name]:,.0f}" for name in names)]
        for row in RECORD["shares"]
    ]
    return table(
        ["good past", "error rate", *(percent(float(name), 0) for name in names)], lines, 2
    )


OTHERS = [row for row in RECORD["delays"] if row["accuracy"] != ACCURACY]
PARAMETERS = {(row["monitor"], row["error"]): row for row in RECORD["parameters"]}
JUST, GOOD = 1 - ACCURACY, RECORD["good_error"]
LATE_DDM = "DDM with warm_start=100"
# Their names in the tables.
DETECTORS = {
    ("ADWIN", JUST): "ADWIN",
    ("DDM", JUST): "DDM",
    ("ADWIN", GOOD): "ADWIN, good past",
    (LATE_DDM, GOOD): "DDM, good past",
}

VALUES = {
    "false_alarms": false_alarms(),
    "from_start": delays(after(0)),
    "after_1000": delays(after(1000)),
    "after_10000": delays(after(10_000)),
    "other_promises": delays(OTHERS, "accuracy"),
    "harmless": harmless(),
    "lives": f"{LIVES:,}",
    "life": f"{RECORD['life']:,}",
    "most_false": f"{100 * max(FALSE_ALARMS):.1f}",
    "allowed": f"{100 * ALLOWED:.1f}",
    "least_ratio": f"{min(ratios(0, MAPIE)):.1f}",
    "most_ratio": f"{max(ratios(0, MAPIE)):.1f}",
    "detectors": detectors(),
    "single_bets": single_bets(),
    "shares": shares(),
    "own_before": f"{100 * before(OURS, 10_000):.1f}",
    "null_lives": f"{PARAMETERS['ADWIN', JUST]['lives']:,}",
    "ddm_slowest": f"{100 * PARAMETERS['DDM', GOOD]['false_alarms']:.0f}",
}
