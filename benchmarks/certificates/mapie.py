"""What do MAPIE's controllers certify?

``python -m certificates.mapie FOLDER CONFIDENCE``, in an environment that has MAPIE, prints a line
of JSON for every file in the folder, size and method: the threshold that each draw certifies, or
null. A file holds certainties, whether the answers are right, the target, and for
each size the rows of every draw.

Certainties are mapped to [0.5, 1] by their rank among the answers out of fold: then they are
posteriors of "right" beside "wrong", and a grid of hundredths is that of their quantiles, which
suits overconfident classifiers better than MAPIE's default on their own posteriors. The accuracy
among the samples that are answered is none of MAPIE's risks, but can be written as one.
"""

# mypy: disable-error-code="import-not-found"

import contextlib
import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

N_STARTS, GRID = 5, 0.5 + np.arange(100) / 200
# The order is learned with ten p-values per decade, from that of a very safe threshold on. MAPIE's
# default, forty per decade from 1e-25 on, is twenty times as slow.
BETAS = np.logspace(-6, 0, 61)


def posterior(X: Any) -> Any:
    """Return the posteriors of class 0, a right answer, and class 1, a wrong one."""
    certainty = np.asarray(X)[:, 0]
    return np.column_stack([certainty, 1 - certainty])


def controller(target: float, confidence: float, grid: Any = GRID, **settings: Any) -> Any:
    from mapie.risk_control import BinaryRisk, MultiClassificationLTTController, abstention_rate

    accuracy_of_answers = BinaryRisk(
        risk_occurrence=lambda y_true, y_pred: y_pred == y_true,
        risk_condition=lambda y_true, y_pred: ~np.isnan(y_pred),
        higher_is_better=True,
    )
    return MultiClassificationLTTController(
        posterior,
        risks=[accuracy_of_answers],
        target_level=[target],
        confidence_level=confidence,
        best_predict_param_choice=abstention_rate,
        list_predict_params=grid,
        classes=np.arange(2),
        **settings,
    )


def holm(X: Any, y: Any, target: float, confidence: float) -> Any:
    return controller(target, confidence).calibrate(X, y)


def fixed_sequence(X: Any, y: Any, target: float, confidence: float) -> Any:
    from mapie.risk_control.fwer_control import FWERFixedSequenceTesting

    procedure = FWERFixedSequenceTesting(n_starts=N_STARTS)
    control = controller(target, confidence, GRID[::-1].copy(), fwer_method=procedure)
    return control.calibrate(X, y)


def split_fixed_sequence(X: Any, y: Any, target: float, confidence: float) -> Any:
    control = controller(target, confidence, fwer_method="split_fixed_sequence")
    half = len(y) // 2
    control.learn_fixed_sequence_order(X[:half], y[:half], beta_grid=BETAS, binary=True)
    return control.calibrate(X[half:], y[half:])


METHODS: dict[str, Callable[..., Any]] = {
    "MAPIE, Holm": holm,
    "MAPIE, fixed sequence of five starts": fixed_sequence,
    "MAPIE, split fixed sequence": split_fixed_sequence,
}


def thresholds(method: Callable[..., Any], arrays: Any, draws: str, confidence: float) -> list[Any]:
    """Return the threshold that each draw certifies, or None."""
    chosen = []
    for rows in arrays[draws]:
        X, y = arrays["certainty"][rows, np.newaxis], np.where(arrays["correct"][rows], 0, 1)
        threshold = method(X, y, float(arrays["target"]), confidence).best_predict_param
        chosen.append(None if threshold is None else float(threshold))
    return chosen


def main() -> None:
    folder, confidence = Path(sys.argv[1]), float(sys.argv[2])
    warnings.simplefilter("ignore")
    for file in sorted(folder.glob("*.npz")):
        with np.load(file) as loaded:
            arrays = dict(loaded)
        for draws in arrays.keys() - {"certainty", "correct", "target"}:
            for name, method in METHODS.items():
                with contextlib.redirect_stdout(sys.stderr):
                    chosen = thresholds(method, arrays, draws, confidence)
                line = {"pool": file.stem, "size": int(draws), "method": name}
                print(json.dumps(line | {"thresholds": chosen}), flush=True)


if __name__ == "__main__":
    main()
