"""Whether an estimated probability is what it says, by benchmarks/reliability.py."""

from tools.numbers.writing import Row, find, record, table

RECORD = record("reliability")
WAYS = ["estimated", "posterior", "isotonic"]


def scores(rows: list[Row], key: str) -> str:
    """Write Brier score and log loss of each way to estimate the probability."""
    head = [key, f"Brier: {WAYS[0]}", *WAYS[1:], f"log loss: {WAYS[0]}", *WAYS[1:]]
    lines = []
    for row in rows:
        values = [row[score].get(way) for score in ("brier", "log_loss") for way in WAYS]
        lines.append([row[key], *("" if value is None else f"{value:.3f}" for value in values)])
    return table(head, lines)


def verdict(beside: str) -> dict[str, str]:
    """Return in how many pairs the log loss is better and worse than that of another way."""
    row = find(RECORD["verdicts"], beside=beside, score="log_loss")
    return {f"{name}_than_{beside}": f"{row[name]}" for name in ("better", "worse", "pairs")}


def tenth(name: str, end: int) -> dict[str, str]:
    """Return what the least or the most certain tenth of a set comes to, with a random forest."""
    row = find(RECORD["rows"], set=name, classifier="random forest")["estimated_bins"][end]
    name = name.replace(" ", "_")
    return {
        f"{name}_right": f"{100 * row['accuracy']:.0f}",
        f"{name}_probability": f"{row['mean_probability']:.2f}",
    }


ERRORS = RECORD["all"]["calibration_error"]
HABERMAN = find(RECORD["by_set"], set="haberman")["calibration_error"]

VALUES = {
    "by_set": scores(RECORD["by_set"], "set"),
    "by_classifier": scores(RECORD["by_classifier"], "classifier"),
    **verdict("posterior"),
    **verdict("isotonic"),
    "error": f"{100 * ERRORS['estimated']:.1f}",
    "error_of_posterior": f"{100 * ERRORS['posterior']:.1f}",
    "error_on_haberman": f"{100 * HABERMAN['estimated']:.1f}",
    **{
        f"cv_{cv}": f"{100 * RECORD['folds']['cv'][cv][0]:.1f}".replace("-", "−")
        for cv in ("5", "20", "50")
    },
    **tenth("electricity", 0),
    **tenth("four classes", -1),
}
