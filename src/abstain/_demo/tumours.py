"""From a table of tumours to a certified accuracy, and to a page on which to choose another.

The 569 tumours of scikit-learn's breast cancer data, as two CSV files: 400 to fit and certify by,
169 that nobody has looked at.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from abstain._files import whole_files
from abstain.saving import save
from abstain.tables import Wishes, fit_table, labelled_samples, open_table
from abstain.targets import Accuracy

__all__ = ["Tumours", "judge_tumours"]

ACCURACY, CONFIDENCE = 0.95, 0.95
N_KNOWN = 400
LABEL = "diagnosis"


@dataclass(frozen=True, eq=False)
class Tumours:
    """What became of the new tumours.

    Attributes
    ----------
    asked, confidence : float
        The accuracy that was asked for, and how surely.
    n_known, n_new : int
        Tumours that thresholds were set and certified by, and others.
    accuracy : float
        Share of the new ones that the model gets right if it must always answer.
    coverage, accuracy_of_answers : float
        Share of them that it answers, and that of these answers which are right.
    report : Path or None
        The page; None without what it needs.
    files : list of Path
        What was written.
    """

    asked: float
    confidence: float
    n_known: int
    n_new: int
    accuracy: float
    coverage: float
    accuracy_of_answers: float
    report: Path | None
    files: list[Path]


def judge_tumours(folder: Path) -> Tumours:
    """Fit, certify, answer new tumours, and write a page about them."""
    known, new = _write_tables(folder)
    model = folder / "model.abstain"
    target = Accuracy(ACCURACY, confidence=CONFIDENCE)
    clf = fit_table(open_table(known), Wishes(LABEL, target=target)).clf
    save(clf, model)
    samples = labelled_samples(clf, open_table(new))
    right, accepted = clf.predict(samples.X) == samples.y, ~clf.reject(samples.X)
    report = _write_report(clf, samples, folder / "report.html")
    return Tumours(
        ACCURACY,
        CONFIDENCE,
        N_KNOWN,
        len(right),
        float(right.mean()),
        float(accepted.mean()),
        float(right[accepted].mean()),
        report,
        [known, new, model, *([] if report is None else [report])],
    )


def _write_tables(folder: Path) -> tuple[Path, Path]:
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    order = np.random.default_rng(0).permutation(len(data.target))
    frame = pl.DataFrame(data.data[order], schema=[str(name) for name in data.feature_names])
    frame = frame.with_columns(pl.Series(LABEL, data.target_names[data.target[order]]))
    files = folder / "tumours.csv", folder / "new-tumours.csv"
    with whole_files(*files) as drafts:
        for part, draft in zip((frame[:N_KNOWN], frame[N_KNOWN:]), drafts, strict=True):
            part.write_csv(draft)
    return files


def _write_report(clf: Any, samples: Any, file: Path) -> Path | None:
    # jinja2 and plotly are an extra; without them there is everything but the page.
    if not (find_spec("plotly") and find_spec("jinja2")):
        return None
    from abstain.report import write_report

    write_report(
        clf, samples.X, samples.y, file, title="Breast tumours", sample_names=samples.names
    )
    return file
