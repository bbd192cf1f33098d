"""Which monitors watch a model, and how is what they have seen kept between runs?

The state of a watch is a JSON file. It belongs to one model with its thresholds and to one promise,
and knows by hashes which tables it has counted.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from abstain._core.errors import Argument, InputError, shown
from abstain._core.files import atomic_files, check_regular_file
from abstain.monitor import DriftMonitor, RiskMonitor
from abstain.monitor.risk import promised_accuracy

KIND, VERSION = "abstain watch", 1


@dataclass(eq=False)
class Watch:
    """The monitors of one model, and what they have seen.

    Made by `new_watch` or `load_watch`.

    Parameters
    ----------
    model : str
        A hash of the classifier and its thresholds.
    risk : RiskMonitor
        Whether the promised accuracy holds.
    drift : DriftMonitor or None
        Whether certainty and rejects are still what they were.
    history : list of (int, float)
        The number of answers and the evidence after each table, and at the alarm.
    tables : list of str
        A hash of each table that was counted.

    Examples
    --------
    >>> from abstain import Accuracy, RejectOptionClassifier
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from abstain.tables import new_watch
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = RejectOptionClassifier(GaussianNB(), target=Accuracy(0.95)).fit(X, y)
    >>> new_watch(clf).risk.accuracy
    0.95
    """

    model: str
    risk: RiskMonitor
    drift: DriftMonitor | None
    history: list[tuple[int, float]] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)


def new_watch(clf: Any, accuracy: float | None = None, confidence: float = 0.95) -> Watch:
    """Return a watch that has seen nothing.

    Parameters
    ----------
    clf : RejectOptionClassifier
        The classifier that answers.
    accuracy : float, default=None
        The least accuracy of the answers; None is what the target of the classifier promises.
    confidence : float, default=0.95
        One minus the highest probability of a false alarm.

    Returns
    -------
    watch : Watch
        For `watch_table` and `watch_audit`.

    Examples
    --------
    >>> from abstain import Accuracy, RejectOptionClassifier
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from abstain.tables import new_watch
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = RejectOptionClassifier(GaussianNB(), target=Accuracy(0.95)).fit(X, y)
    >>> new_watch(clf, accuracy=0.9).risk.is_alarm
    False
    """
    risk = RiskMonitor(_promise(clf) if accuracy is None else accuracy, confidence=confidence)
    return Watch(fingerprint(clf), risk, _drift_monitor(clf, confidence))


def _promise(clf: Any) -> float:
    try:
        return promised_accuracy(clf)
    except InputError:
        raise InputError(
            "the target of the model promises no accuracy to watch; give ",
            Argument("accuracy", 0.95),
            " or another one",
        ) from None


def _drift_monitor(clf: Any, confidence: float) -> DriftMonitor | None:
    """Return a monitor of drift; None without calibration data that new rows can be like."""
    if clf._sets_on_training():
        return None
    try:
        return DriftMonitor.from_classifier(clf, confidence=confidence)
    except InputError:
        return None


def fingerprint(clf: Any) -> str:
    """Return a hash of a classifier and its thresholds, as far as answers depend on them."""
    names = [clf.classes_.tolist(), clf.cells_.tolist()]
    digest = blake2b(json.dumps(names, default=str).encode(), digest_size=16)
    known, detector = getattr(clf, "calibration_", None), clf._outlier_detector
    numbers = [
        clf.thresholds_,
        *([] if known is None else [known.certainty]),
        *([] if detector is None else [[detector.rate], detector.known_scores]),
    ]
    for each in numbers:
        digest.update(np.ascontiguousarray(each, dtype="<f8").tobytes())
    return digest.hexdigest()


def load_watch(path: Path, new: Watch) -> Watch:
    """Return the watch of a state file.

    Parameters
    ----------
    path : Path
        From `save_watch`.
    new : Watch
        From `new_watch`: the state must be of the same model and promise.

    Returns
    -------
    watch : Watch
        With all that it has seen.

    Raises
    ------
    InputError
        If the file is no state, or one of another model or promise.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from abstain import Accuracy, RejectOptionClassifier
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from abstain.tables import load_watch, new_watch, save_watch
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = RejectOptionClassifier(GaussianNB(), target=Accuracy(0.95)).fit(X, y)
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "watch.json")
    ...     save_watch(new_watch(clf), path)
    ...     load_watch(path, new_watch(clf)).risk.n_labelled
    0
    """
    check_regular_file(path)
    try:
        watch = _read(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, InputError) else f"it is no JSON ({error})"
        raise InputError(
            f"cannot load {path}: {reason}; move it away to start a new watch"
        ) from None
    if watch.model != new.model:
        raise InputError(
            argument="state",
            value=str(path),
            requirement="is of another model, or of other thresholds",
            remedy="name another file, in which the watch of this model starts",
        )
    for name in ("accuracy", "confidence"):
        theirs, asked = getattr(watch.risk, name), getattr(new.risk, name)
        if theirs != asked:
            raise InputError(
                *(
                    Argument("state", str(path)),
                    f" watches with {name} {theirs:g}, not {asked:g}; ",
                ),
                *("give ", Argument(name, theirs), ", or name another file"),
            )
    if watch.drift is None:
        watch.drift = new.drift
    return watch


def _read(state: Any) -> Watch:
    if not isinstance(state, dict) or state.get("kind") != KIND:
        raise InputError("it is no state of a watch")
    if state.get("version") != VERSION:
        raise InputError(f"it must be of version {VERSION}, got {shown(state.get('version'))}")
    model, tables, history = (state.get(name) for name in ("model", "tables", "history"))
    is_whole = (
        isinstance(model, str)
        and _is_list_of(tables, lambda each: isinstance(each, str))
        and _is_list_of(history, _is_point)
    )
    if not is_whole:
        raise InputError("it is damaged")
    drift = state.get("drift")
    return Watch(
        str(model),
        RiskMonitor.from_dict(state.get("risk")),  # type: ignore[arg-type]
        None if drift is None else DriftMonitor.from_dict(drift),
        [(answers, evidence) for answers, evidence in history],  # type: ignore[union-attr]
        list(tables),  # type: ignore[arg-type]
    )


def _is_list_of(values: Any, is_valid: Callable[[Any], bool]) -> bool:
    return isinstance(values, list) and all(map(is_valid, values))


def _is_point(value: Any) -> bool:
    """Return whether a value is a number of answers and the evidence after them."""
    return (
        isinstance(value, list)
        and [*map(type, value)] == [int, float]
        and 0 <= value[0] < 2**63
        and 0 <= value[1] < np.inf
    )


def save_watch(watch: Watch, path: Path) -> None:
    """Write the state of a watch to a JSON file, which appears whole or not at all.

    Parameters
    ----------
    watch : Watch
        What was seen so far.
    path : Path
        The file, for `load_watch`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from abstain import Accuracy, RejectOptionClassifier
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from abstain.tables import new_watch, save_watch
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = RejectOptionClassifier(GaussianNB(), target=Accuracy(0.95)).fit(X, y)
    >>> with TemporaryDirectory() as folder:
    ...     save_watch(new_watch(clf), Path(folder, "watch.json"))
    """
    state = {
        "kind": KIND,
        "version": VERSION,
        "model": watch.model,
        "risk": watch.risk.to_dict(),
        "drift": None if watch.drift is None else watch.drift.to_dict(),
        "history": watch.history,
        "tables": watch.tables,
    }
    with atomic_files(path) as (draft,):
        draft.write_text(json.dumps(state) + "\n", encoding="utf-8")
