"""Whether new data do what is expected of them, by benchmarks/expected.py."""

from typing import Any

from tools.numbers.writing import distinct, find_all, record, signed, table

RECORD = record("expected")
ROWS = RECORD["rows"]
SIZES = distinct(row["size"] for row in ROWS)
OF_ALL, CERTIFIED = "all", "certified"
FITS = sum(row["fits"] for row in ROWS)


def differences(sets: str) -> str:
    """Write how far accuracies are above those on new rows, and how often intervals hold."""
    lines = []
    for row in find_all(ROWS, sets=sets):
        told, expected = (
            f"{signed(row[name][0], 1)} ± {row[name][1]:.1f}"
            for name in ("accuracy_told", "accuracy_expected")
        )
        covered = f"{100 * row['accuracy_covered']:.0f}%"
        lines.append(
            [f"{row['size']:,}", row["target"], f"{row['fits']:,}", told, expected, covered]
        )
    head = ["rows", "target", "fits", "chosen − new", "expected − new", "interval holds"]
    return table(head, lines, 2)


def means(name: str, size: int, **wanted: Any) -> float:
    """Return the mean over fits without certificates."""
    rows = [row for row in find_all(ROWS, size=size, **wanted) if row["target"] != CERTIFIED]
    values = [row[name][0] if isinstance(row[name], list) else row[name] for row in rows]
    n_fits = [row["fits"] for row in rows]
    return float(sum(n * value for n, value in zip(n_fits, values, strict=True)) / sum(n_fits))


def by_size() -> str:
    """Write the means over targets without certificates, by size."""
    lines = [
        [
            f"{size:,}",
            *(signed(means(f"accuracy_{each}", size), 1) for each in ("told", "expected")),
            f"{100 * means('accuracy_covered', size):.0f}%",
            *(signed(means(f"answered_{each}", size), 1) for each in ("told", "expected")),
            f"{100 * means('answered_covered', size):.0f}%",
        ]
        for size in SIZES
    ]
    head = ["rows", "accuracy: chosen − new", "expected − new", "interval holds"]
    head += ["answered: chosen − new", "expected − new", "interval holds"]
    return table(head, lines)


COVERED = [100 * means("accuracy_covered", size) for size in SIZES]

VALUES = {
    "least_covered": f"{min(COVERED):.0f}",
    "most_covered": f"{max(COVERED):.0f}",
    "by_size": by_size(),
    "confirming": differences("confirming"),
    "chosen_on": differences("chosen on"),
    "fits": f"{FITS:,}",
    "draws": str(RECORD["draws"]),
    "sets": str(len(RECORD["chosen_on"]) + len(RECORD["confirming"])),
    "confirming_sets": str(len(RECORD["confirming"])),
    **{f"told_{size}": f"{means('accuracy_told', size):.1f}" for size in SIZES},
    **{f"ratio_{size}": f"{means('share_of_fit', size):.1f}" for size in SIZES},
}
