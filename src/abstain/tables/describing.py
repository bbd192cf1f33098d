"""What is told of a fit, of the answers to a table and of a report, to scripts above all?

JSON knows no infinite numbers: a threshold that rejects none of a cell is written "-inf", one that
rejects all of it "inf", and an accuracy that is undefined because all is rejected is null.
"""

from __future__ import annotations  # signatures then show the names of types

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abstain.tables.answering import Answered
    from abstain.tables.fitting import Fitted, LabelledSamples
    from abstain.tables.judging import Judged

__all__ = ["answered_as_json", "fitted_as_json", "reported_as_json", "reported_in_words"]


def fitted_as_json(fitted: Fitted, version: str) -> str:
    r"""Return what came of a fit as a JSON document.

    Parameters
    ----------
    fitted : Fitted
        From `fit_table`.
    version : str
        The version of abstain that made it.

    Returns
    -------
    document : str
        An object; its "thresholds" and "cells" are what `abstain predict --thresholds` takes. The
        last of them is that of all other cells.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from abstain.tables import Wishes, fit_table, open_table
    >>> with TemporaryDirectory() as folder:
    ...     lines = ["a,kind", *["0.1,x", "0.2,x", "1.1,y", "1.2,y"] * 10]
    ...     _ = Path(folder, "t.csv").write_text("\n".join(lines))
    ...     fitted = fit_table(open_table(Path(folder, "t.csv")), Wishes("kind"))
    >>> json.loads(fitted_as_json(fitted, "1.0"))["cells"]
    ['0', '1', None]
    """
    clf, point = fitted.clf, fitted.clf.operating_point_
    document = {
        "abstain": version,
        "model": fitted.learner.name,
        "label": fitted.label,
        "classes": fitted.class_counts,
        "n_rows": fitted.n_rows,
        "n_unlabelled": fitted.n_unlabelled,
        "n_empty": fitted.n_empty,
        "numeric": fitted.features.numeric,
        "categorical": fitted.features.categorical,
        "left_out": fitted.features.left_out,
        "written_like": {
            name: notation.example for name, notation in fitted.features.written.items()
        },
        "target": {type(clf.target).__name__: vars(clf.target)},
        "n_samples": point.n_samples,
        "n_errors": point.n_errors,
        "true_rejects": point.true_rejects,
        "false_rejects": point.false_rejects,
        "reject_rate": point.reject_rate,
        "coverage": point.coverage,
        "accuracy": None if math.isnan(point.accuracy) else point.accuracy,
        "guarantee": None if point.guarantee is None else asdict(point.guarantee),
        "cells": [None if cell is None else str(cell) for cell in clf.cells_.tolist()],
        "thresholds": [_finite(value) for value in clf.thresholds_.tolist()],
        "notes": fitted.notes,
    }
    return json.dumps(document, indent=2, allow_nan=False)


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


def answered_as_json(answered: Answered, out: Path | None, version: str) -> str:
    """Return what came of a table as a JSON document.

    Parameters
    ----------
    answered : Answered
        From `answer_table`.
    out : Path or None
        Where the answers lie.
    version : str
        The version of abstain that made them.

    Returns
    -------
    document : str
        An object in several lines of ASCII.

    Examples
    --------
    >>> from abstain.tables import Answered
    >>> answered = Answered(3, 1, 0, {"a": 2, "b": 0}, ["answer", "certainty"])
    >>> json.loads(answered_as_json(answered, None, "1.0"))["n_rejected"]
    1
    """
    document: dict[str, Any] = {
        "abstain": version,
        **asdict(answered),
        "out": None if out is None else str(out),
    }
    return json.dumps(document, indent=2, allow_nan=False)


def reported_as_json(samples: LabelledSamples, judged: Judged, out: Path, version: str) -> str:
    """Return what a report was made of as a JSON document.

    Parameters
    ----------
    samples : LabelledSamples
        From `labelled_samples`.
    judged : Judged
        From `judge`.
    out : Path
        Where the page lies.
    version : str
        The version of abstain that made it.

    Returns
    -------
    document : str
        An object in several lines of ASCII.

    Examples
    --------
    >>> from abstain.tables import Judged, LabelledSamples
    >>> samples = LabelledSamples(None, ["a", "b", "c"], [], 0.0, 1)
    >>> document = reported_as_json(samples, Judged(1, 1, 1), Path("report.html"), "1.0")
    >>> json.loads(document)["n_of_unknown_classes"], json.loads(document)["accuracy"]
    (1, 0.5)
    """
    document = {
        "abstain": version,
        "n_rows": len(samples.y),
        "n_answered": judged.n_answered,
        "n_right": judged.n_right,
        "n_wrong": judged.n_wrong,
        "n_rejected": judged.n_rejected,
        "accuracy": judged.accuracy,
        "n_of_unknown_classes": samples.n_unknown,
        "share_known": samples.share_known,
        "out": str(out),
    }
    return json.dumps(document, indent=2, allow_nan=False)


def reported_in_words(samples: LabelledSamples, judged: Judged, out: Path) -> str:
    """Return what a report was made of, and what to keep in mind when it is read.

    Parameters
    ----------
    samples : LabelledSamples
        From `labelled_samples`.
    judged : Judged
        From `judge`.
    out : Path
        Where the page lies.

    Returns
    -------
    words : str
        A few lines.

    Examples
    --------
    >>> from abstain.tables import Judged, LabelledSamples
    >>> samples = LabelledSamples(None, ["a"] * 9, [], 1.0, 0)
    >>> print(reported_in_words(samples, Judged(6, 2, 1), Path("r.html")))
    9 rows with a known class: 8 answered, 1 rejected.
    Of the answers 6 are right and 2 wrong: accuracy 75.00%.
    The model was fitted to 100% of these rows: on others it will do worse.
    Open r.html in a browser.
    """
    rows = "1 row" if len(samples.y) == 1 else f"{len(samples.y):,} rows"
    lines = [
        f"{rows} with a known class: {judged.n_answered:,} answered, "
        f"{judged.n_rejected:,} rejected."
    ]
    if judged.accuracy is not None:
        # Rounded as on the page; but only what is all right is 100%.
        percent = min(round(100 * judged.accuracy, 2), 99.99) if judged.n_wrong else 100
        lines.append(
            f"Of the answers {judged.n_right:,} {'is' if judged.n_right == 1 else 'are'} right "
            f"and {judged.n_wrong:,} wrong: accuracy {percent:.2f}%."
        )
    if samples.n_unknown:
        are = "is of a class" if samples.n_unknown == 1 else "are of classes"
        lines.append(
            f"{samples.n_unknown:,} of the rows {are} that the model does not know: any answer "
            "to such a row is wrong."
        )
    if samples.share_known:
        share = f"{samples.share_known:.0%}"
        lines.append(f"The model was fitted to {share} of these rows: on others it will do worse.")
    return "\n".join([*lines, f"Open {out} in a browser."])
