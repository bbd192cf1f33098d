"""Where does a report come from: which files, how many samples, which versions, and when?"""

from __future__ import annotations  # signatures then show the names of types

import os
from datetime import UTC, datetime
from pathlib import Path

import numpy

from abstain._core.errors import InputError
from abstain.classifier import RejectOptionClassifier
from abstain.saving.persisting import VERSIONS

File = str | os.PathLike[str] | None


def origin_of(
    clf: RejectOptionClassifier,
    model: str,
    n_calibration: float,
    n_samples: int,
    model_file: File,
    data_file: File,
) -> dict[str, str]:
    """Return what stands at the foot of a report, line by line."""
    versions = {**VERSIONS, "numpy": numpy.__version__}
    of_fit = [] if clf._n_given is None else [_counted(clf._n_given)]
    of_fit.append(f"thresholds set on {_counted(round(n_calibration))}")
    return {
        "Written": _today(),
        "Model": f"{model} with a reject option{_from(model_file)}",
        "Last fit or recalibration": "; ".join(of_fit),
        "Report": _counted(n_samples) + _from(data_file),
        "Versions": ", ".join(f"{name} {version}" for name, version in versions.items()),
    }


def _counted(number: int) -> str:
    return f"{number:,} sample{'' if number == 1 else 's'}"


def _from(file: File) -> str:
    return "" if file is None else f", {Path(file).name}"


def _today() -> str:
    """Return the date, or the one that builds of equal files set (SOURCE_DATE_EPOCH)."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        now = datetime.now(UTC) if given is None else datetime.fromtimestamp(int(given), UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise InputError(
            argument="SOURCE_DATE_EPOCH",
            value=given,
            requirement="must be a number of seconds since 1970",
            remedy="set it to one, or remove it",
        ) from error
    return now.date().isoformat()
