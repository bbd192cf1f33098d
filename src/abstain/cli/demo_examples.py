"""The examples of `abstain demo`.

- Tumours: from a table to a certified accuracy and a report. The 569 tumours of scikit-learn's
  breast cancer data, as two CSV files: 400 to fit and certify on, 169 new ones.
- Pearl necklace: a threshold for each prototype. Clusters of different widths, each with a
  prototype, under one metric: the same certainty means something else near each prototype.
- Digits: a threshold for each predicted class of another classifier. The posteriors of naive Bayes
  on handwritten digits are badly calibrated, differently so for each digit. All digits are
  predicted out of fold; thresholds are set on a random half of these and applied to the other half.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from abstain import __version__
from abstain._core.files import atomic_files
from abstain.classifier import RejectOptionClassifier
from abstain.datasets import make_pearl_necklace
from abstain.fronts import pareto_front
from abstain.metrics import AveragedCurve, average_curves
from abstain.models import GMLVQ
from abstain.saving import save
from abstain.tables import FitOptions, fit_table, labelled_samples, open_table
from abstain.tables.score_fronts import choose, output_files, write_choice
from abstain.tables.scores import ScoreColumns, read_scores
from abstain.targets import Accuracy, RejectRate, operating_point


@dataclass(frozen=True)
class Answers:
    """The share of samples that are rejected, and the share of the others that are right."""

    reject_rate: float
    accuracy: float


# --- tumours ------------------------------------------------------------------------------------

ACCURACY, CONFIDENCE = 0.95, 0.95
N_TUMOURS_KNOWN = 400
LABEL = "diagnosis"


@dataclass(frozen=True, eq=False)
class Tumours:
    """Answers to new tumours, without rejects (`accuracy`) and with certified thresholds."""

    asked: float
    confidence: float
    n_known: int
    n_new: int
    accuracy: float
    coverage: float
    accuracy_of_answers: float
    report: Path | None
    files: list[Path]


def certify_tumours(folder: Path) -> Tumours:
    """Fit a model, certify its accuracy, answer new tumours, and write a report."""
    known, new = _write_tumours(folder)
    model = folder / "model.abstain"
    target = Accuracy(ACCURACY, confidence=CONFIDENCE)
    clf = fit_table(open_table(known), FitOptions(LABEL, target=target)).clf
    save(clf, model)
    samples = labelled_samples(clf, open_table(new))
    right, accepted = clf.predict(samples.X) == samples.y, ~clf.reject(samples.X)
    report = _write_report(clf, samples, folder / "report.html")
    return Tumours(
        ACCURACY,
        CONFIDENCE,
        N_TUMOURS_KNOWN,
        len(right),
        float(right.mean()),
        float(accepted.mean()),
        float(right[accepted].mean()),
        report,
        [known, new, model, *([] if report is None else [report])],
    )


def _write_tumours(folder: Path) -> tuple[Path, Path]:
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    order = np.random.default_rng(0).permutation(len(data.target))
    frame = pl.DataFrame(data.data[order], schema=[str(name) for name in data.feature_names])
    frame = frame.with_columns(pl.Series(LABEL, data.target_names[data.target[order]]))
    files = folder / "tumours.csv", folder / "new-tumours.csv"
    parts = frame[:N_TUMOURS_KNOWN], frame[N_TUMOURS_KNOWN:]
    with atomic_files(*files) as drafts:
        for part, draft in zip(parts, drafts, strict=True):
            part.write_csv(draft)
    return files


def _write_report(clf: Any, samples: Any, file: Path) -> Path | None:
    if not (find_spec("plotly") and find_spec("jinja2")):  # an extra
        return None
    from abstain.report import write_report

    write_report(
        clf, samples.X, samples.y, file, title="Breast tumours", sample_names=samples.names
    )
    return file


# --- pearl necklace -----------------------------------------------------------------------------

NECKLACE_REJECT_RATE = 0.05
N_PEARLS_KNOWN, N_PEARLS_NEW = 1000, 10_000


@dataclass(frozen=True)
class Necklace:
    """Answers to new samples, with one threshold and with one for each prototype."""

    n_new: int
    accuracy: float
    one_threshold: Answers
    per_prototype: Answers


def compare_on_necklace() -> Necklace:
    """Fit a model, and apply both kinds of thresholds to new samples."""
    known = make_pearl_necklace(N_PEARLS_KNOWN, random_state=0)
    X, y = make_pearl_necklace(N_PEARLS_NEW, random_state=1)
    answers = []
    for cells in ("global", "prototype"):
        clf = RejectOptionClassifier(
            GMLVQ(n_prototypes_per_class=1, random_state=0),
            cells=cells,
            target=RejectRate(NECKLACE_REJECT_RATE),
        ).fit(*known)
        right, rejected = clf.predict(X) == y, clf.reject(X)
        answers.append(Answers(float(rejected.mean()), float(right[~rejected].mean())))
    return Necklace(N_PEARLS_NEW, float(np.mean(right)), *answers)


# --- digits -------------------------------------------------------------------------------------

METHOD = "pooled"  # the default of `abstain front` and `RejectOptionClassifier`
DIGITS_REJECT_RATE = 0.2
N_HALVINGS = 20
GRID = np.linspace(0.0, 0.45, 91)


@dataclass(frozen=True, eq=False)
class Digits:
    """Answers on halves that set no threshold: means over the halvings."""

    n_samples: int
    accuracy: float
    one_threshold: Answers
    per_digit: Answers
    files: list[Path]


def compare_on_digits(folder: Path) -> Digits:
    """Apply both kinds of thresholds, and write scores, front, thresholds and picture."""
    digits, predicted, certainty = _predict_digits()
    correct = predicted == digits
    one_threshold, global_curve = _halve(certainty, correct, np.zeros_like(predicted))
    per_digit, local_curve = _halve(certainty, correct, predicted)
    scores = folder / "scores.csv"
    with atomic_files(scores) as (draft,):
        pl.DataFrame({"certainty": certainty, "digit": digits, "predicted": predicted}).write_csv(
            draft
        )
    files = [scores, *_write_front(scores)]
    if find_spec("matplotlib"):  # an extra
        files.append(_draw(global_curve, local_curve, folder / "curve.png"))
    return Digits(len(digits), float(correct.mean()), one_threshold, per_digit, files)


def _predict_digits() -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return labels, out-of-fold predictions and their posteriors."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import cross_val_predict
    from sklearn.naive_bayes import GaussianNB

    images, digits = load_digits(return_X_y=True)
    posteriors = cross_val_predict(GaussianNB(), images, digits, cv=10, method="predict_proba")
    return digits, posteriors.argmax(axis=1), posteriors.max(axis=1)


def _halve(
    certainty: NDArray[np.float64], correct: NDArray[np.bool_], cells: NDArray[np.int64]
) -> tuple[Answers, AveragedCurve]:
    """Set thresholds on random halves and apply them to the others."""
    at_target, curves = [], []
    rng, n_samples = np.random.default_rng(0), len(certainty)
    for _ in range(N_HALVINGS):
        half, other = np.split(rng.permutation(n_samples), [n_samples // 2])
        front = pareto_front(certainty[half], correct[half], cells[half], method=METHOD)
        point = operating_point(front, RejectRate(DIGITS_REJECT_RATE))
        test = certainty[other], correct[other], np.searchsorted(front.cells, cells[other])
        at_target.append(_apply(point.thresholds[np.newaxis], *test))
        curves.append(_one_row_per_rate(*_apply(front.thresholds, *test)))
    accuracy, reject_rate = np.mean(at_target, axis=0)[:, 0]
    return Answers(float(reject_rate), float(accuracy)), average_curves(curves, GRID)


def _apply(
    thresholds: NDArray[np.float64],
    certainty: NDArray[np.float64],
    correct: NDArray[np.bool_],
    columns: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return accuracy and reject rate for each row of thresholds that accepts any sample."""
    accepted = certainty >= thresholds[:, columns]
    accepted = accepted[accepted.any(axis=1)]
    return (accepted & correct).sum(axis=1) / accepted.sum(axis=1), 1 - accepted.mean(axis=1)


def _one_row_per_rate(
    accuracies: NDArray[np.float64], reject_rates: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Average the rows that reject the same share of the test samples, in ascending order."""
    rates, group = np.unique(reject_rates, return_inverse=True)
    return np.bincount(group, weights=accuracies) / np.bincount(group), rates


def _write_front(scores: Path) -> tuple[Path, Path, Path]:
    """Write what `abstain front` writes for a score file."""
    columns = ScoreColumns("certainty", y_true="digit", y_pred="predicted", cell="predicted")
    files = output_files(scores.with_name("front.csv"), scores)
    samples = read_scores([scores], columns)
    front = pareto_front(samples.certainty, samples.correct, samples.cells, method=METHOD)
    choice = choose(samples, front, RejectRate(DIGITS_REJECT_RATE))
    write_choice(choice, files, __version__)
    return files


def _draw(global_curve: AveragedCurve, local_curve: AveragedCurve, path: Path) -> Path:
    """Draw the mean curves with a band of one standard deviation over the halvings."""
    from matplotlib.figure import Figure

    from abstain.plotting import AccuracyRejectCurveDisplay

    figure = Figure(figsize=(7.0, 4.2), layout="constrained")
    ax = figure.subplots()
    for curve, name, colour, style in [
        (local_curve, "a threshold for each predicted digit", "#0072b2", "-"),
        (global_curve, "one threshold for all", "#d55e00", "--"),
    ]:
        grid, mean, std, _ = curve
        ax.fill_between(grid, mean - std, mean + std, color=colour, alpha=0.15, linewidth=0)
        display = AccuracyRejectCurveDisplay(accuracies=mean, reject_rates=grid, name=name)
        # A mean of step functions is drawn straight from point to point.
        display.plot(ax=ax, color=colour, linestyle=style, linewidth=2, drawstyle="default")
    ax.set(title="Naive Bayes on held-out digits (mean ± standard deviation)")
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    with atomic_files(path) as (draft,):
        figure.savefig(draft, dpi=160)
    return path
