"""Is ``n_prototypes_per_class="auto"`` a good default, and would ``class_weight="balanced"`` be?

22 data sets in alphabetical order are dealt out in turn: every other one is to choose on, the rest
are to report on and decide nothing. At most 2,000 rows of each and three of five stratified folds,
for LGMLVQ 1,000 rows and two folds; z-scored in the fold, one thread. Times are processor times of
`fit`, as a multiple of that with one prototype per class in the same fold.

1. How "auto" grows, and the regularization with it, on the sets of choice: what a file of constants
   says stays unless another value gains significantly, by the rule of ``benchmarks/defaults.py``.
2. Fixed numbers of prototypes per class and "auto", beside scikit-learn's ``SVC()``; GLVQ and RSLVQ
   on the sets of report only.
3. Weights of classes, on sets whose classes differ in size.

``python benchmarks/auto_prototypes.py`` writes ``docs/benchmarks/auto_prototypes.json``. Rows that
are done are kept in ``build/``: a run that was stopped goes on where it was. ``--quick`` takes
four small sets, prints the record and writes nothing.
"""

import argparse
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from keeping import KeptRows
from measuring import show, write_record
from settings.choosing import error, is_significant
from settings.samples import Fold, fewer, load
from settings.shapes import SHAPES
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from abstain import models
from abstain.certainty import relative_similarity
from abstain.metrics import aurc_score
from abstain.models import insertion

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"
CACHE = ROOT / "build" / "benchmarks" / "auto_prototypes"

SETS = sorted(
    [
        *("breast cancer", "digits", "iris", "wine", "gaussian clusters", "pearl necklace"),
        *("cleveland", "coil20", "covtype", "electricity", "gas_drift", "gastric_nmr"),
        *("haberman", "segment", "tecator", "weather", "wisconsin"),
        *(name for name in SHAPES if name != "rare"),
    ]
)
UNEQUAL = ["covtype", "gastric_nmr", "haberman", "rare", "rare digits", "weather", "wisconsin"]
QUICK = ["checkerboard", "haberman", "iris", "moons"]
LOCAL = ["LGMLVQ", "SVC, fewer rows"]
# Models with a matrix for each prototype take ten times as long: they get fewer rows and folds.
MOST_ROWS, MOST_LOCAL_ROWS, N_FOLDS, N_LOCAL_FOLDS, N_COMPONENTS = 2000, 1000, 3, 2, 30

# What is tried on the sets of choice: constants of `insertion`, and parameters.
TRIED: dict[str, dict[str, Any]] = {
    "": {},
    "GROWTH 2": {"GROWTH": 2.0},
    "ITERATIONS 30": {"ITERATIONS": 30},
    "N_ERRORS 0": {"N_ERRORS": 0.0},
    "regularization 0.1": {"regularization": 0.1},
}
CONSTANTS = {
    name: getattr(insertion, name) for names in TRIED.values() for name in names if name.isupper()
}
# The numbers of prototypes per class that are compared.
NUMBERS: dict[str, list[Any]] = {
    "GMLVQ": [1, 3, 5, 10, "auto"],
    "LGMLVQ": [1, 3, "auto"],
    "RSLVQ": [1, "auto"],
    "GLVQ": [1, "auto"],
}

Array = Any
Row = dict[str, Any]


def samples_of(name: str, data: Path) -> tuple[Array, Array]:
    """Return at most so many samples of a set, and their labels."""
    if name in SHAPES:
        return SHAPES[name](MOST_ROWS, np.random.default_rng(0))
    if name == "rare digits":  # the eights, of which a few are left, against all others
        samples, labels = load("digits", data)
        eights = np.flatnonzero(labels == 8)
        kept = np.delete(np.arange(len(labels)), eights[33:])
        return samples[kept], (labels[kept] == 8).astype(int)
    samples, labels = load(name, data)
    if name == "gas_drift":
        samples = samples[:, 1:]  # the first column numbers the batches
    return fewer(samples, labels, MOST_ROWS)


def folds_of(name: str, data: Path, is_local: bool) -> Iterator[Fold]:
    """Yield some of the five folds of a set, z-scored."""
    samples, labels = samples_of(name, data)
    if is_local:
        samples, labels = fewer(samples, labels, MOST_LOCAL_ROWS)
    splitter = StratifiedKFold(5, shuffle=True, random_state=0)
    splits = islice(splitter.split(samples, labels), N_LOCAL_FOLDS if is_local else N_FOLDS)
    for train, test in splits:
        steps = [PCA(N_COMPONENTS, random_state=0)] if name in ("coil20", "gas_drift") else []
        scaler = make_pipeline(*steps, StandardScaler()).fit(samples[train])
        train_and_test = scaler.transform(samples[train]), labels[train]
        yield Fold(*train_and_test, scaler.transform(samples[test]), labels[test])


def make(model: str, number: Any, setting: dict[str, Any], labels: Array) -> Any:
    """Return a model, not yet fitted; constants are set in the module."""
    for name, value in CONSTANTS.items():
        setattr(insertion, name, setting.get(name, value))
    parameters = {name: value for name, value in setting.items() if name not in CONSTANTS}
    if number != "auto":
        number = {label: min(number, size) for label, size in Counter(labels.tolist()).items()}
    return getattr(models, model)(number, **parameters, random_state=0)


def fit_and_test(estimator: Any, fold: Fold) -> Row:
    """Return how one fit went; its time is in seconds."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.process_time()
        estimator.fit(fold.train, fold.train_labels)
        seconds = time.process_time() - start
    predicted = estimator.predict(fold.test)
    outcome = {
        "accuracy": float(np.mean(predicted == fold.test_labels)),
        "balanced_accuracy": float(balanced_accuracy_score(fold.test_labels, predicted)),
        "seconds": seconds,
        "missed": any("no training sample is predicted" in str(each.message) for each in caught),
    }
    if hasattr(estimator, "prototypes_"):
        certainty = relative_similarity(estimator, fold.test)
        outcome["aurc"] = float(aurc_score(fold.test_labels, predicted, certainty))
        outcome["prototypes"] = len(estimator.prototypes_)
        outcome["warned"] = any(issubclass(each.category, ConvergenceWarning) for each in caught)
    return outcome


def measure(name: str, data: Path, model: str, number: Any, setting: dict[str, Any]) -> Row:
    """Return the means over the folds of one set; the time as a multiple of one prototype's."""
    outcomes = []
    for fold in folds_at(name, data, model in LOCAL):
        if model.startswith("SVC"):
            outcomes.append(fit_and_test(make_pipeline(SimpleImputer(), SVC()), fold))
            continue
        one = fit_and_test(make(model, 1, {}, fold.train_labels), fold)
        outcome = fit_and_test(make(model, number, setting, fold.train_labels), fold)
        share = outcome["prototypes"] / len(fold.train_labels)
        n_classes = len(np.unique(fold.train_labels))
        outcomes.append(
            outcome
            | {
                "log_time": float(np.log(outcome["seconds"] / one["seconds"])),
                "share": share,
                "per_class": outcome["prototypes"] / n_classes,
                "beyond_cap": outcome["prototypes"] > max(n_classes, 0.02 * len(fold.train_labels)),
            }
        )
    return {key: float(np.mean([each[key] for each in outcomes])) for key in outcomes[0]} | {
        "folds": [each["accuracy"] for each in outcomes]
    }


@cache
def folds_at(name: str, data: Path, is_local: bool) -> list[Fold]:
    return list(folds_of(name, data, is_local))


def tried(settings: list[Row]) -> list[Row]:
    """Return what each setting of GMLVQ gains over "auto" as it is."""
    rows = {setting: [row for row in settings if row["setting"] == setting] for setting in TRIED}
    accuracy = {at: np.array([row["accuracy"] for row in rows[at]]) for at in TRIED}
    gains = {at: values - accuracy[""] for at, values in accuracy.items()}
    return [
        {
            "setting": setting,
            "gain": float(gains[setting].mean()),
            "error": error(gains[setting]),
            "is_significant": is_significant(gains[setting]),
            "per_class": float(np.mean([row["per_class"] for row in rows[setting]])),
            "time": float(np.exp(np.mean([row["log_time"] for row in rows[setting]]))),
        }
        for setting in TRIED
    ]


def collect(kept: KeptRows, data: Path, sets: list[str], unequal: list[str]) -> dict[str, Any]:
    """Measure everything."""

    def row(name: str, model: str, number: Any, setting: str, parameters: dict[str, Any]) -> Row:
        title = f"{name}: {model} {number} {setting}"
        about = {"set": name, "model": model, "number": number, "setting": setting}
        return about | kept.row(
            title, str(MOST_ROWS), lambda: measure(name, data, model, number, parameters)
        )

    numbers = [
        row(name, model, None, "", {}) for model in ("SVC", "SVC, fewer rows") for name in sets
    ]
    numbers += [
        row(name, model, number, "", {})
        for model in ("GMLVQ", "LGMLVQ")
        for name in sets
        for number in NUMBERS[model]
    ]
    numbers += [
        row(name, "LGMLVQ", number, "regularization 0.1", {"regularization": 0.1})
        for name in sets
        for number in (1, "auto")
    ]
    weights = [
        row(name, model, number, f"class_weight {weight}", {"class_weight": weight})
        for model, of_model in (("GMLVQ", (1, "auto")), ("LGMLVQ", (1,)))
        for name in unequal
        for number in of_model
        for weight in (None, "balanced")
    ]
    settings = [
        row(name, "GMLVQ", "auto", setting, parameters)
        for name in sets[::2]
        for setting, parameters in TRIED.items()
    ]
    numbers += [
        row(name, model, number, "", {})
        for model in ("GLVQ", "RSLVQ")
        for name in sets[1::2]
        for number in NUMBERS[model]
    ]
    about = []
    for number, name in enumerate(sets):
        samples, labels = samples_of(name, data)
        about.append(
            {
                "set": name,
                "half": "report" if number % 2 else "choice",
                "rows": len(labels),
                "features": N_COMPONENTS if name in ("coil20", "gas_drift") else samples.shape[1],
                "classes": len(np.unique(labels)),
            }
        )
    return {
        "sets": about,
        "tried": tried(settings),
        "settings": settings,
        "numbers": numbers,
        "weights": weights,
    }


def measured_code() -> Iterator[Path]:
    yield Path(__file__)
    yield Path(__file__).parent / "settings" / "shapes.py"
    yield from (ROOT / "src" / "abstain" / "models").glob("*.py")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="four small sets, write nothing")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of segment.csv and others")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", "The least populated class")
    sets, unequal = (QUICK, ["rare"]) if arguments.quick else (SETS, UNEQUAL)
    kept = KeptRows(CACHE, measured_code)
    try:
        with threadpool_limits(1):
            figures = collect(kept, arguments.data, sets, unequal)
    except KeyboardInterrupt:
        sys.exit("stopped: the same command goes on from here")
    if arguments.quick:
        show("what is tried", figures["tried"])
    else:
        write_record("auto_prototypes.json", ["numpy", "scikit-learn"], **rounded(figures))


def rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return round(value, 5) if isinstance(value, float) else value


if __name__ == "__main__":
    main()
