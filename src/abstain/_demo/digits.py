"""What do thresholds for each predicted class do for a classifier that is not ours?

Naive Bayes reads the handwritten digits of scikit-learn. Its posteriors are badly calibrated, and
differently so for each digit: a case for thresholds of their own. Every digit is predicted out of
fold; thresholds are then set on a random half of the predictions, by the probability of being right
that these show, and tried on the other half, twenty times.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from abstain._files import whole_files
from abstain._score_files import ScoreColumns, choose, output_files, read_scores, write_choice
from abstain.fronts import ParetoFront, pareto_front
from abstain.metrics import AveragedCurve, average_curves
from abstain.targets import RejectRate, operating_point

__all__ = ["Digits", "Trial", "read_digits"]

# As `abstain front` and `RejectOptionClassifier` do by default.
METHOD = "pooled"
REJECT_RATE = 0.2
N_HALVINGS = 20
GRID = np.linspace(0.0, 0.45, 91)


@dataclass(frozen=True, eq=False)
class Digits:
    """What was found on halves that set no threshold.

    Attributes
    ----------
    n_samples : int
        Number of digits.
    accuracy : float
        Accuracy of the classifier if it must always answer.
    one_threshold, per_digit : Trial
        With one threshold for all, and with one for each predicted digit.
    files : list of Path
        What was written.
    """

    n_samples: int
    accuracy: float
    one_threshold: "Trial"
    per_digit: "Trial"
    files: list[Path]


@dataclass(frozen=True, eq=False)
class Trial:
    """Means over the halvings, at the target and along the curve."""

    accuracy: float
    reject_rate: float
    curve: AveragedCurve


@dataclass(frozen=True, eq=False)
class _Predictions:
    """The waist: three aligned arrays."""

    certainty: NDArray[np.float64]
    correct: NDArray[np.bool_]
    cells: NDArray[np.int64]


def read_digits(folder: Path, version: str) -> Digits:
    """Try both ways to reject, and write scores, front, thresholds and picture."""
    digits, predicted, certainty = _predictions()
    correct = predicted == digits
    one_threshold = _try_out(_Predictions(certainty, correct, np.zeros_like(predicted)))
    per_digit = _try_out(_Predictions(certainty, correct, predicted))

    scores = folder / "scores.csv"
    with whole_files(scores) as (draft,):
        pl.DataFrame({"certainty": certainty, "digit": digits, "predicted": predicted}).write_csv(
            draft
        )
    files = [scores, *_write_front(scores, version)]
    # matplotlib is an extra; without it there is everything but the picture.
    if find_spec("matplotlib"):
        files.append(_draw(one_threshold, per_digit, folder / "curve.png"))
    return Digits(len(digits), float(correct.mean()), one_threshold, per_digit, files)


def _predictions() -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return labels, out-of-fold predictions and their posteriors."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import cross_val_predict
    from sklearn.naive_bayes import GaussianNB

    images, digits = load_digits(return_X_y=True)
    posteriors = cross_val_predict(GaussianNB(), images, digits, cv=10, method="predict_proba")
    return digits, posteriors.argmax(axis=1), posteriors.max(axis=1)


def _try_out(predictions: _Predictions) -> Trial:
    """Set thresholds on random halves and apply them to the others."""
    at_target, curves = [], []
    for calibration, test in _halvings(len(predictions.certainty)):
        front = pareto_front(
            predictions.certainty[calibration],
            predictions.correct[calibration],
            predictions.cells[calibration],
            method=METHOD,
        )
        point = operating_point(front, RejectRate(REJECT_RATE))
        at_target.append(_apply(front, point.thresholds[np.newaxis], predictions, test))
        curves.append(_one_row_per_rate(*_apply(front, front.thresholds, predictions, test)))
    accuracy, reject_rate = np.mean(at_target, axis=0)[:, 0]
    return Trial(float(accuracy), float(reject_rate), average_curves(curves, GRID))


def _halvings(n_samples: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    rng = np.random.default_rng(0)
    for _ in range(N_HALVINGS):
        order = rng.permutation(n_samples)
        yield order[: n_samples // 2], order[n_samples // 2 :]


def _apply(
    front: ParetoFront,
    thresholds: NDArray[np.float64],
    predictions: _Predictions,
    test: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return accuracy and reject rate on the test samples for each row that accepts any."""
    columns = np.searchsorted(front.cells, predictions.cells[test])
    accepted = predictions.certainty[test] >= thresholds[:, columns]
    accepted = accepted[accepted.any(axis=1)]
    right = (accepted & predictions.correct[test]).sum(axis=1)
    return right / accepted.sum(axis=1), 1 - accepted.mean(axis=1)


def _one_row_per_rate(
    accuracies: NDArray[np.float64], reject_rates: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Average the rows that reject the same share of the test samples, in ascending order."""
    rates, group = np.unique(reject_rates, return_inverse=True)
    return np.bincount(group, weights=accuracies) / np.bincount(group), rates


def _write_front(scores: Path, version: str) -> tuple[Path, Path, Path]:
    """Do what ``abstain front`` does with a score file."""
    columns = ScoreColumns("certainty", y_true="digit", y_pred="predicted", cell="predicted")
    files = output_files(scores.with_name("front.csv"), scores)
    samples = read_scores(scores, columns)
    front = pareto_front(samples.certainty, samples.correct, samples.cells, method=METHOD)
    write_choice(choose(samples, front, "reject_rate", REJECT_RATE), files, version)
    return files


def _draw(one_threshold: Trial, per_digit: Trial, path: Path) -> Path:
    """Draw the mean curves with a band of one standard deviation over the halvings."""
    from matplotlib.figure import Figure

    from abstain.plotting import AccuracyRejectCurveDisplay

    figure = Figure(figsize=(7.0, 4.2), layout="constrained")
    ax = figure.subplots()
    for trial, name, colour, style in [
        (per_digit, "a threshold for each predicted digit", "#0072b2", "-"),
        (one_threshold, "one threshold for all", "#d55e00", "--"),
    ]:
        grid, mean, std, _ = trial.curve
        ax.fill_between(grid, mean - std, mean + std, color=colour, alpha=0.15, linewidth=0)
        display = AccuracyRejectCurveDisplay(accuracies=mean, reject_rates=grid, name=name)
        # A mean of steps is no step: draw it straight from point to point.
        display.plot(ax=ax, color=colour, linestyle=style, linewidth=2, drawstyle="default")
    ax.set(title="Naive Bayes on held-out digits (mean ± standard deviation)")
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    with whole_files(path) as (draft,):
        figure.savefig(draft, dpi=160)
    return path
