"""What is certified for samples that belong together, by benchmarks/dependence.py."""

from tools.numbers.writing import find, record, table

RECORD = record("dependence")
FITS, BY_CHANCE = RECORD["fits"], RECORD["by_chance"]
# With the remedies, and without.
REMEDIES = ("groups", "equal ones once")
WITH, WITHOUT = (
    [row for row in FITS if (row["way"] in REMEDIES) == is_with] for is_with in (True, False)
)


def fits() -> str:
    """Write how often what is certified is false, and how much is answered."""
    names = ("missed", "coverage", "refused", "contradiction")
    lines = [
        [row["data"], row["way"], *(f"{100 * row[name]:.1f}%" for name in names)] for row in FITS
    ]
    return table(["data", "way", "false", "answered", "refused", "contradiction"], lines, 2)


def nameless() -> str:
    """Write how often groups that nothing names are noticed."""
    lines = [[row["data"], f"{100 * row['noticed']:.0f}%"] for row in RECORD["nameless"]]
    return table(["rows", "noticed"], lines)


def of(data: str, way: str, name: str = "missed") -> str:
    """Return a share of the fits in percent."""
    return f"{100 * find(FITS, data=data, way=way)[name]:.0f}"


PATIENTS = "60 patients × 20 rows"
SEEDS, LOOKS = "600 rows, 10.5% of labels wrong", "the first of ten seeds"
VALUES = {
    "fits": fits(),
    "nameless": nameless(),
    "allowed": f"{100 * RECORD['allowed']:.1f}",
    "runs": f"{FITS[0]['runs']}",
    "patients": of(PATIENTS, "rows, in any order"),
    "twice": of("600 rows, 2 times each", "all counted"),
    "five_times": of("600 rows, 5 times each", "all counted"),
    "by_nature": of("600 rows of wisconsin", "all counted", "coverage"),
    "by_nature_once": of("600 rows of wisconsin", "equal ones once", "coverage"),
    "one_seed": of(SEEDS, "one seed"),
    "ten_seeds": of(SEEDS, LOOKS),
    "found_in_order": of(PATIENTS, "rows, in the order of patients", "contradiction"),
    "most_false": f"{100 * max(row['missed'] for row in WITH):.1f}",
    "n_by_chance": f"{sum(row['runs'] for row in BY_CHANCE):,}",
    "chance": f"{sum(round(row['runs'] * row['contradiction']) for row in BY_CHANCE)}",
}
