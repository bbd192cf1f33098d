"""How often a certified accuracy holds, and how much is certified, by benchmarks/guarantee.py."""

from tools.numbers.writing import distinct, find, record, table

RECORD = record("guarantee")
OURS, TAUGHT = "abstain, calibration samples alone", "abstain, taught out of fold"
SPLIT = "abstain, cells='global', test_size=0.9"


def validity() -> str:
    """Write how often the promise was broken."""
    lines = []
    for row in RECORD["validity"]:
        shares = [f"{100 * row[name]:.1f}%" for name in ("missed", "coverage", "refused")]
        lines.append([row["population"], row["way"], f"{row['samples']:,}", *shares])
    head = ["population", "classifier", "samples", "missed", "samples answered", "refused"]
    return table(head, lines, 2)


def coverages(part: str = "comparison") -> dict[str, dict[int, float]]:
    """Return the certified coverage of each procedure at each size."""
    by_procedure: dict[str, dict[int, float]] = {}
    for row in RECORD[part]:
        by_procedure.setdefault(row["procedure"], {})[row["samples"]] = row["coverage"]
    return by_procedure


SIZES = sorted(coverages()[OURS])


def comparison() -> str:
    """Write the certified coverage of each procedure (rows) at each size (columns)."""
    lines = [
        [name, *(f"{by_size[size]:.3f}" if size in by_size else "" for size in SIZES)]
        for name, by_size in coverages().items()
    ]
    return table(["procedure", *(f"{size:,}" for size in SIZES)], lines)


def best_of_others(part: str, size: int) -> float:
    """Return the largest coverage that another procedure certifies."""
    return max(
        by_size[size]
        for name, by_size in coverages(part).items()
        if size in by_size and not name.startswith(("abstain", "oracle"))
    )


def ratios() -> str:
    """Write how many times as much as the best other procedure the library certifies."""
    lines = [
        [
            name,
            *(f"{coverages(part)[OURS][size] / best_of_others(part, size):.2f}" for size in SIZES),
        ]
        for name, part in [("all", "comparison"), ("no constant chosen on them", "fresh_sets")]
    ]
    return table(["sets", *(f"{size:,}" for size in SIZES)], lines)


def shares() -> str:
    """Write the certified coverage by the share held out."""
    rows = RECORD["shares"]
    held_out = distinct(row["share"] for row in rows)
    lines = []
    for use, size in distinct((row["use"], row["samples"]) for row in rows):
        of_size = [find(rows, use=use, samples=size, share=share) for share in held_out]
        lines.append([use, f"{size:,}", *(f"{row['coverage']:.3f}" for row in of_size)])
    return table(["sets", "rows", *(f"{share:g}" for share in held_out)], lines)


def pairs() -> str:
    """Write two pairs on which another procedure certifies more than calibration samples alone."""
    lines = []
    for name in ("gas_drift, GaussianNB", "pearl necklace, GMLVQ"):
        row = find(RECORD["pairs"], pair=name, samples=500)
        lines.append([name, *(f"{row[column]:.2f}" for column in (OURS, "of_best", TAUGHT))])
    return table(["500 samples of", OURS, "best other", TAUGHT], lines)


MISSED = [100 * row["missed"] for row in RECORD["validity"]]
COSTS = [coverages()[OURS][size] - coverages()[SPLIT][size] for size in SIZES]

VALUES = {
    "validity": validity(),
    "comparison": comparison(),
    "ratios": ratios(),
    "shares": shares(),
    "pairs": pairs(),
    "allowed": f"{100 * RECORD['allowed']:.1f}",
    "least_missed": f"{min(MISSED):.1f}",
    "most_missed": f"{max(MISSED):.1f}",
    "most_missed_beside": f"{100 * max(row['missed'] for row in RECORD['comparison']):.1f}",
    "least_cost": f"{min(COSTS):.3f}",
    "most_cost": f"{max(COSTS):.3f}",
}
