"""Answers while data drift, by benchmarks/drift.py."""

from tools.numbers.writing import Row, distinct, find, find_all, record, table

RECORD = record("drift")
ROWS = RECORD["rows"]
SETS = distinct(row["set"] for row in ROWS)
ARMS = distinct(row["arm"] for row in ROWS)
AS_FITTED, OUTLIERS, RECALIBRATED, AGAIN, NEWEST = ARMS
TITLES = {
    AS_FITTED: "as fitted",
    OUTLIERS: "outliers rejected",
    RECALIBRATED: "… and recalibrated",
    AGAIN: "… and fitted again",
    NEWEST: "… and fitted again, newest rows calibrate",
}


def row_of(name: str, arm: str) -> Row:
    """Return what happened on a set with an arm."""
    return find(ROWS, set=name, arm=arm)


def percent(share: float, digits: int = 1) -> str:
    """Write a share."""
    return f"{100 * share:.{digits}f}%"


def first_alarms(row: Row) -> list[int]:
    """Return after how many rows since the fit the first alarm comes, in runs that have one."""
    start = row["by_chunk"]["start"][0]
    return [alarms[0] - start for alarms in row["alarms"] if alarms]


def written_alarms(row: Row) -> str:
    """Write after how many rows the first alarm comes."""
    if row["arm"] in (AS_FITTED, OUTLIERS):
        return "—"
    first = first_alarms(row)
    span = f"{min(first):,}" if min(first) == max(first) else f"{min(first):,} to {max(first):,}"
    missing = len(row["alarms"]) - len(first)
    return f"{span} ({missing} of {len(row['alarms'])} none)" if missing else span


def number_of_alarms(row: Row) -> str:
    """Write how many alarms a run has on average."""
    if row["arm"] in (AS_FITTED, OUTLIERS):
        return "—"
    return f"{sum(map(len, row['alarms'])) / len(row['alarms']):.1f}"


def arms(name: str) -> str:
    """Write what happened on a set with each arm."""
    lines = [
        [
            TITLES[row["arm"]],
            percent(row["accuracy"]),
            percent(row["answered"]),
            percent(row["outliers"]),
            f"{row['chunks_below']} of {row['chunks']}",
            number_of_alarms(row),
            written_alarms(row),
        ]
        for row in find_all(ROWS, set=name)
    ]
    head = ["", "accuracy", "answered", "outliers", "chunks below", "alarms", "first alarm after"]
    return table(head, lines)


def outliers_by_chunk(name: str) -> list[float]:
    """Return the share of outliers in each chunk."""
    return list(row_of(name, OUTLIERS)["by_chunk"]["outliers"])


def answered_and_right(row: Row) -> tuple[float, float]:
    """Return how many rows are answered, and how many of them are right."""
    chunks, answered, right = row["by_chunk"], 0.0, 0.0
    columns = (chunks[name] for name in ("start", "end", "answered", "accuracy"))
    for start, end, share, accuracy in zip(*columns, strict=True):
        answered += (end - start) * share
        right += (end - start) * share * (accuracy or 0.0)
    return answered, right


def refused_right(name: str) -> float:
    """Return which share is right of the rows that are answered only if none is an outlier."""
    as_fitted, others = (answered_and_right(row_of(name, arm)) for arm in (AS_FITTED, OUTLIERS))
    return (as_fitted[1] - others[1]) / (as_fitted[0] - others[0])


VALUES = {name: arms(name) for name in SETS} | {
    "electricity_refused": f"{100 * refused_right('electricity'):.0f}",
    "weather_refused": f"{100 * refused_right('weather'):.0f}",
    "seeds": str(RECORD["seeds"]),
    "most_outliers": f"{100 * max(outliers_by_chunk('electricity')):.0f}",
    "gas_first_alarm": str(max(first_alarms(row_of("gas_drift", RECALIBRATED)))),
}
