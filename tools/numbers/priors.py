"""What is certified for other class proportions than the samples have, by benchmarks/priors.py."""

from tools.numbers.writing import distinct, find, record, table

RECORD = record("priors")
CASES = distinct((row["population"], row["target"]) for row in RECORD["certified"])
WITH_PRIOR, WITHOUT = (
    [row for row in RECORD["certified"] if row["way"] == way] for way in ("class_prior", "no prior")
)


def certified() -> str:
    """Write how often what is certified is false, and how much is answered."""
    lines = []
    for population, target in CASES:
        cells = []
        for rows in (WITH_PRIOR, WITHOUT):
            row = find(rows, population=population, target=target)
            cells += [f"{100 * row[name]:.1f}" for name in ("missed", "refused", "coverage")]
        lines.append([population, f"`{target}`", *cells])
    heads = ["false", "refused", "answered"]
    return table(
        ["population", "target", *heads, *(f"{head}, no prior" for head in heads)], lines, 2
    )


VALUES = {
    "certified": certified(),
    "allowed": f"{100 * RECORD['allowed']:.1f}",
    "most_false": f"{100 * max(row['missed'] for row in WITH_PRIOR):.1f}",
    "most_false_without": f"{100 * max(row['missed'] for row in WITHOUT):.0f}",
    "n_false_without": f"{sum(row['missed'] > RECORD['allowed'] for row in WITHOUT)}",
    "most_refused": f"{100 * max(row['refused'] for row in WITH_PRIOR):.0f}",
    "n_cases": f"{len(CASES)}",
}
