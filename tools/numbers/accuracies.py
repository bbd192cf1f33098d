"""How accurate the models are beside scikit-learn's, by benchmarks/accuracies.py."""

from statistics import fmean

from tools.numbers.writing import distinct, find, find_all, record, table

STUDY = record("accuracies")
ROWS, SETS = STUDY["accuracies"], STUDY["sets"]


def accuracies(is_ours: bool) -> str:
    """Write the accuracy of each model on each set with half the width of its interval."""
    names = distinct(row["model"] for row in find_all(ROWS, is_ours=is_ours))
    lines = []
    for about in SETS:
        rows = [find(ROWS, set=about["set"], model=name) for name in names]
        cells = [f"{row['accuracy']:.3f} ± {row['high'] - row['accuracy']:.3f}" for row in rows]
        lines.append([about["set"], about["half"], *cells])
    means = [f"{mean(name):.3f}" for name in names]
    return table(["set", "half", *names], [*lines, ["mean", "report", *means]], 2)


def mean(model: str) -> float:
    """Return the mean accuracy over the sets of report."""
    names = [about["set"] for about in find_all(SETS, half="report")]
    return fmean(find(ROWS, set=name, model=model)["accuracy"] for name in names)


VALUES = {"ours": accuracies(True), "others": accuracies(False), "n_sets": f"{len(SETS)}"}
