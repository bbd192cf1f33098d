"""Is the estimated probability that an answer is right what it says, on new samples?

Eleven sets and five classifiers with a reject option as it is by default. At most 1,000 samples of
a set, drawn at random, are fitted; up to 5,000 of the others test. ``predict_correct_proba`` is
compared with whether the answers are right by its Brier score and its log loss, beside

- the posterior of the answer, where the classifier has posteriors, and
- an isotonic regression of correctness on certainty, one for all cells, on the same out-of-fold
  answers.

All are clipped to [1e-6, 1 − 1e-6]. Draws of a set are paired: differences have the standard error
of their mean over the draws. Ten bins with as many of the test samples of all draws each compare
the mean probability with the share that is right, with a standard error over the draws.

``python benchmarks/reliability.py`` writes ``docs/benchmarks/reliability.json``, from which ``make
numbers`` takes the tables of ``docs/probability.md``, and draws ``docs/images/reliability.png``, in
a few minutes on one thread. What is done is kept in ``build/``: a run that was stopped goes on
where it was.
"""

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from keeping import KeptRows
from measuring import show, write_record
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from abstain import GMLVQ, RejectOptionClassifier
from abstain._core.files import atomic_files
from abstain.datasets import make_pearl_necklace
from abstain.metrics import reliability_curve

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"
CACHE = ROOT / "build" / "benchmarks" / "reliability"
IMAGE = ROOT / "docs" / "images" / "reliability.png"

N_DRAWS, N_TRAIN, N_TEST, N_BINS, CLIP = 10, 1000, 5000, 10, 1e-6
CLASSIFIERS: dict[str, Any] = {
    "logistic regression": LogisticRegression(max_iter=500),
    "GMLVQ": GMLVQ(1),
    "random forest": RandomForestClassifier(random_state=0),
    "naive Bayes": GaussianNB(),
    "nearest neighbours": KNeighborsClassifier(),
}
BUNDLED: dict[str, Any] = {"breast cancer": load_breast_cancer, "digits": load_digits}
FILES = ["covtype", "electricity", "gas_drift", "haberman", "segment", "weather", "wisconsin"]
DRAWN: dict[str, Callable[[int, int], Any]] = {
    "four classes": lambda n, seed: make_classification(
        n, n_informative=8, n_classes=4, flip_y=0.1, random_state=seed
    ),
    "pearl necklace": lambda n, seed: make_pearl_necklace(n, random_state=seed),
}
FOLDS = [5, 10, 20, 50]
SETS = sorted([*BUNDLED, *FILES, *DRAWN])
PROBABILITIES = ["estimated", "posterior", "isotonic"]

Array = NDArray[Any]
Floats = NDArray[np.float64]
Row = dict[str, Any]


@cache
def load(name: str, data: Path) -> tuple[Array, Array]:
    """Return the samples and classes of a set; NaN is missing."""
    if name in BUNDLED:
        samples, labels = BUNDLED[name](return_X_y=True)
        return samples, labels
    import polars as pl

    (file,) = data.glob(f"{name}.csv*")
    table = pl.read_csv(file)
    return table.drop("target").cast(pl.Float64).to_numpy(), table["target"].to_numpy()


def draws(name: str, data: Path) -> Iterator[list[Array]]:
    """Yield samples to fit and to test, and the classes of both, each class in proportion."""
    for seed in range(N_DRAWS):
        if name in DRAWN:
            samples, labels = DRAWN[name](N_TRAIN + N_TEST, seed)
        else:
            samples, labels = load(name, data)
        n_train = min(N_TRAIN, len(labels) // 2)
        n_test = min(N_TEST, len(labels) - n_train)
        yield train_test_split(
            samples,
            labels,
            train_size=n_train,
            test_size=n_test,
            stratify=labels,
            random_state=seed,
        )


def probabilities(clf: Any, X: Array) -> dict[str, Floats]:
    """Return what each way takes for the probability that the answers are right."""
    estimates = {"estimated": clf.predict_correct_proba(X)}
    if hasattr(clf.estimator_, "predict_proba"):
        estimates["posterior"] = clf.estimator_.predict_proba(X).max(axis=1)
    known = clf.calibration_
    isotonic = IsotonicRegression(out_of_bounds="clip")
    isotonic.fit(np.nan_to_num(known.certainty), known.correct)
    estimates["isotonic"] = isotonic.predict(np.nan_to_num(clf.certainties(X)))
    return {name: np.clip(values, CLIP, 1 - CLIP) for name, values in estimates.items()}


def measure(name: str, classifier: str, data: Path) -> Row:
    """Return how good the probabilities are on all draws of a set."""
    rights, estimates = [], []
    for X, X_test, y, y_test in draws(name, data):
        steps = [SimpleImputer()] if np.isnan(X).any() else []
        model = make_pipeline(*steps, StandardScaler(), CLASSIFIERS[classifier])
        clf = RejectOptionClassifier(model, outliers=None).fit(X, y)
        rights.append(clf.estimator_.predict(X_test) == y_test)
        estimates.append(probabilities(clf, X_test))
    row: Row = {
        "set": name,
        "classifier": classifier,
        "train": len(y),
        "test": len(y_test),
        "accuracy": float(np.mean(rights)),
    }
    for score, loss in (("brier", brier_score_loss), ("log_loss", of_two)):
        each = {
            way: np.array([loss(right, p[way]) for right, p in zip(rights, estimates, strict=True)])
            for way in estimates[0]
        }
        row[score] = {way: mean_and_error(values) for way, values in each.items()}
        row[f"{score}_less"] = {
            way: mean_and_error(values - each["estimated"])
            for way, values in each.items()
            if way != "estimated"
        }
    for way in estimates[0]:
        row[f"{way}_bins"] = bins(rights, [p[way] for p in estimates])
    gaps = [
        float(p["estimated"].mean() - right.mean())
        for right, p in zip(rights, estimates, strict=True)
    ]
    row["mean_less_accuracy"] = mean_and_error(np.array(gaps))
    return row


def measure_folds(data: Path) -> Row:
    """Return by how much probabilities are too high where scores grow with the training data.

    The scores of a logistic regression with a fixed penalty do. Those of the final classifier are
    larger than those of classifiers that were fitted without a fold.
    """
    row: Row = {"set": "pearl necklace", "classifier": "logistic regression", "cv": {}}
    for cv in FOLDS:
        gaps = []
        for X, X_test, y, y_test in draws(row["set"], data):
            model = make_pipeline(StandardScaler(), CLASSIFIERS[row["classifier"]])
            clf = RejectOptionClassifier(model, cv=cv, outliers=None).fit(X, y)
            accuracy = clf.estimator_.score(X_test, y_test)
            gaps.append(float(clf.predict_correct_proba(X_test).mean() - accuracy))
        row["cv"][str(cv)] = mean_and_error(np.array(gaps))
    return row


def of_two(right: Array, probability: Floats) -> float:
    return float(log_loss(right, probability, labels=[False, True]))


def mean_and_error(values: Floats) -> list[float]:
    """Return the mean over the draws and its standard error."""
    return [float(values.mean()), float(values.std(ddof=1) / len(values) ** 0.5)]


def bins(rights: list[Array], estimates: list[Floats]) -> list[Row]:
    """Return bins of the samples of all draws; the error of a gap is that over the draws."""
    right, probability = np.concatenate(rights), np.concatenate(estimates)
    curve = reliability_curve(right, probability, n_bins=N_BINS)
    ends = np.percentile(probability, np.linspace(0, 100, N_BINS + 1))[1:-1]
    bin_of = np.unique(np.searchsorted(ends, probability), return_inverse=True)[1]
    draw_of = np.repeat(np.arange(len(rights)), [len(some) for some in rights])
    rows = []
    for number, (mean, share, count) in enumerate(zip(*curve[:3], strict=True)):
        # What one draw adds to the difference of the two, beyond its share.
        beyond = (right - probability - (share - mean))[bin_of == number]
        sums = np.bincount(draw_of[bin_of == number], weights=beyond, minlength=len(rights))
        error = np.sqrt(len(rights) / (len(rights) - 1) * (sums**2).sum()) / count
        rows.append(
            {
                "mean_probability": float(mean),
                "accuracy": float(share),
                "count": int(count),
                "error": float(error),
            }
        )
    return rows


def calibration_error(rows: list[Row]) -> float:
    """Return the mean distance of probability and accuracy, weighted by the counts of the bins."""
    counts = [row["count"] for row in rows]
    gaps = [abs(row["accuracy"] - row["mean_probability"]) for row in rows]
    return float(np.average(gaps, weights=counts))


def summarise(rows: list[Row]) -> Row:
    """Return means over the pairs with posteriors, by set, by classifier and of all."""
    comparable = [row for row in rows if "posterior" in row["brier"]]
    return {
        "by_set": [
            {"set": name, **means([row for row in comparable if row["set"] == name])}
            for name in SETS
        ],
        "by_classifier": [
            {"classifier": name, **means([row for row in rows if row["classifier"] == name])}
            for name in CLASSIFIERS
        ],
        "all": means(comparable),
        "verdicts": verdicts(rows),
    }


def means(rows: list[Row]) -> Row:
    """Return mean scores of each way that all pairs have."""
    ways = [way for way in PROBABILITIES if all(way in row["brier"] for row in rows)]
    line: Row = {"pairs": len(rows)}
    for score in ("brier", "log_loss"):
        line[score] = {way: float(np.mean([row[score][way][0] for row in rows])) for way in ways}
    line["calibration_error"] = {
        way: float(np.mean([calibration_error(row[f"{way}_bins"]) for row in rows])) for way in ways
    }
    return line


def verdicts(rows: list[Row]) -> list[Row]:
    """Return in how many pairs the estimate differs by more than two standard errors."""
    lines = []
    for way in PROBABILITIES[1:]:
        for score in ("brier", "log_loss"):
            less = [row[f"{score}_less"][way] for row in rows if way in row[score]]
            line = {"beside": way, "score": score, "pairs": len(less)}
            line["better"] = sum(mean > 2 * error for mean, error in less)
            line["worse"] = sum(mean < -2 * error for mean, error in less)
            lines.append(line)
    return lines


def draw(rows: list[Row], path: Path) -> None:
    """Draw the reliability diagrams of all classifiers on each set."""
    from matplotlib.figure import Figure

    from abstain.plotting._drawing import CURVE_COLOURS

    figure = Figure(figsize=(11.0, 8.4), layout="constrained")
    panels = figure.subplots(3, 4)
    markers = ["o", "s", "^", "D", "v"]
    for ax, name in zip(panels.flat, SETS, strict=False):
        ax.plot([0, 1], [0, 1], color="0.6", linewidth=1, linestyle=":")
        some = [row for row in rows if row["set"] == name]
        for row, colour, marker in zip(some, CURVE_COLOURS, markers, strict=False):
            means, shares, errors = (
                [entry[key] for entry in row["estimated_bins"]]
                for key in ("mean_probability", "accuracy", "error")
            )
            ax.errorbar(
                means,
                shares,
                yerr=2 * np.array(errors),
                color=colour,
                marker=marker,
                markersize=4,
                linewidth=1,
                elinewidth=0.8,
                label=row["classifier"],
            )
        low = min(entry["accuracy"] for row in some for entry in row["estimated_bins"])
        low = max(0.0, np.floor(10 * low - 0.5) / 10)
        ax.set(title=name, xlim=(low, 1.01), ylim=(low, 1.01))
        ax.grid(alpha=0.3)
        ax.spines[["top", "right"]].set_visible(False)
    handles, labels = panels.flat[0].get_legend_handles_labels()
    for ax in panels.flat[len(SETS) :]:
        ax.axis("off")
        ax.legend(handles, labels, loc="center left", frameon=False)
    figure.supxlabel("estimated probability of being right, mean of a tenth of the test samples")
    figure.supylabel("share of them that is right, ± 2 standard errors over the draws")
    with atomic_files(path) as (draft,):
        figure.savefig(draft, dpi=120)


def print_tables(rows: list[Row], summary: Row) -> None:
    """Print all pairs, and how many differ."""
    lines = []
    for row in rows:
        line: Row = {"set".ljust(14): row["set"].ljust(14)}
        line["classifier".ljust(19)] = row["classifier"].ljust(19)
        for score in ("brier", "log_loss"):
            for way in PROBABILITIES:
                mean, error = row[score].get(way, (np.nan, np.nan))
                line[f"{score} {way}"] = f"{mean:.4f} ± {error:.4f}"
        mean, error = row["mean_less_accuracy"]
        line["mean - accuracy"] = f"{mean:+.4f} ± {error:.4f}"
        line["worst bin"] = f"{worst_bin(row):+.1f}"
        lines.append(line)
    show("mean over the draws ± standard error", lines)
    show("differences of more than two standard errors", summary["verdicts"])


def worst_bin(row: Row) -> float:
    """Return the largest gap of accuracy and probability in its standard errors.

    Where no answer of a bin is wrong, draws do not differ: the error is at least the binomial one.
    """
    gaps = []
    for entry in row["estimated_bins"]:
        p = entry["mean_probability"]
        error = max(entry["error"], (p * (1 - p) / entry["count"]) ** 0.5)
        gaps.append((entry["accuracy"] - p) / error)
    return float(max(gaps, key=abs))


def rounded(value: Any) -> Any:
    """Return the same with numbers that are no longer than they need be."""
    if isinstance(value, dict):
        return {name: rounded(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [rounded(entry) for entry in value]
    return round(value, 5) if isinstance(value, float) else value


def as_recorded(row: Row) -> Row:
    """Return a row with the bins of the estimate, and of the others what they come to."""
    told = {key: value for key, value in row.items() if not key.endswith("_bins")}
    told["calibration_error"] = {way: calibration_error(row[f"{way}_bins"]) for way in row["brier"]}
    return {**told, "estimated_bins": row["estimated_bins"]}


def measured_code() -> Iterator[Path]:
    package = ROOT / "src" / "abstain"
    for folder in ("certainty", "classifier", "fronts", "models"):
        yield from (package / folder).glob("*.py")
    yield package / "cells.py"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of segment.csv and others")
    parser.add_argument("--fresh", action="store_true", help="measure all rows again")
    arguments = parser.parse_args()
    data = arguments.data
    for name in FILES:
        if not list(data.glob(f"{name}.csv*")):
            parser.error(f"no {name}.csv in {data}: name its folder with --data")
    warnings.filterwarnings("ignore", category=ConvergenceWarning)
    kept = KeptRows(CACHE, measured_code, arguments.fresh)
    try:
        with threadpool_limits(1):
            rows = [
                kept.row(
                    f"{name}, {classifier}",
                    f"{N_DRAWS}-{N_TRAIN}-{N_TEST}",
                    partial(measure, name, classifier, data),
                )
                for name in SETS
                for classifier in CLASSIFIERS
            ]
            folds = kept.row("folds", f"{N_DRAWS}", partial(measure_folds, data))
    except KeyboardInterrupt:
        sys.exit("stopped: the same command goes on from here")
    summary = rounded(summarise(rows))
    print_tables(rows, summary)
    show("mean probability less accuracy, by folds", [folds])
    write_record(
        "reliability.json",
        ["numpy", "scikit-learn"],
        draws=N_DRAWS,
        clip=CLIP,
        **summary,
        folds=rounded(folds),
        rows=[rounded(as_recorded(row)) for row in rows],
    )
    draw(rows, IMAGE)


if __name__ == "__main__":
    main()
