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


def before(name: str) -> float:
    """Return the largest share of lives with an alarm before the change, in percent."""
    return 100 * max(float(row["before"]) for row in find_all(RECORD["delays"], monitor=name))


OTHERS = [row for row in RECORD["delays"] if row["accuracy"] != ACCURACY]
PARAMETERS = {row["monitor"]: row for row in RECORD["parameters"]}

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
    "adwin": f"{PARAMETERS['ADWIN']['parameter']:g}",
    "adwin_before": f"{before('ADWIN'):.0f}",
    "ddm_before": f"{before('DDM'):.0f}",
    "own_before": f"{before(OURS):.1f}",
    "ddm": f"{PARAMETERS['DDM']['parameter']:g}",
}
