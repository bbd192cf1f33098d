"""How accurate are our models and scikit-learn's classifiers, all with their defaults?

Ten stratified folds of the sets of ``benchmarks/auto_prototypes.py``: those of its half of report,
which chose nothing, and some of those of choice. At most 1,000 rows; z-scored in the fold, coil20
and gas_drift reduced to 30 principal components; one thread. Missing values are left to our models,
and replaced by means for the others. Intervals of 95% are those of the study: by Student's t, the
variance corrected for folds that share training samples, after Nadeau and Bengio.

``python benchmarks/accuracies.py`` writes ``docs/benchmarks/accuracies.json``. Rows that are done
are kept in ``build/``: a run that was stopped goes on where it was. ``--quick`` takes two small
sets, prints the record and writes nothing.
"""

import argparse
import sys
import warnings
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from auto_prototypes import DATA, N_COMPONENTS, ROOT, SETS, rounded, samples_of
from keeping import KeptRows
from measuring import show, write_record
from settings.samples import fewer
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from abstain import models
from abstain.study.curves import interval

CACHE = ROOT / "build" / "benchmarks" / "accuracies"
MOST_ROWS, N_FOLDS = 1000, 10
HALVES = {name: "report" if number % 2 else "choice" for number, name in enumerate(SETS)}
CHOSEN = [name for name, half in HALVES.items() if half == "report"]
CHOSEN += ["breast cancer", "cleveland", "segment"]
QUICK = ["iris", "cleveland"]

OURS = {name: getattr(models, name)(random_state=0) for name in models.__all__}
OTHERS = {
    type(each).__name__: make_pipeline(SimpleImputer(), each)
    for each in (
        SVC(),
        RandomForestClassifier(random_state=0),
        HistGradientBoostingClassifier(random_state=0),
        LogisticRegression(),
        KNeighborsClassifier(),
        NearestCentroid(),
    )
}

Row = dict[str, Any]


def accuracy(name: str, data: Path, classifier: Any) -> Row:
    """Return the mean accuracy over the folds of a set, with its interval."""
    samples, labels = rows_of(name, data)
    splits = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(samples, labels)
    runs = {}
    for number, (train, test) in enumerate(splits):
        steps = [PCA(N_COMPONENTS, random_state=0)] if name in ("coil20", "gas_drift") else []
        pipeline = make_pipeline(*steps, StandardScaler(), clone(classifier))
        fitted = pipeline.fit(samples[train], labels[train])
        runs[0, number] = float(fitted.score(samples[test], labels[test]))
    mean, low, high = interval(runs, independent_repeats=False)
    return {"accuracy": mean, "low": low, "high": high, "folds": list(runs.values())}


@cache
def rows_of(name: str, data: Path) -> tuple[Any, Any]:
    return fewer(*samples_of(name, data), MOST_ROWS)


def measured_code() -> Iterator[Path]:
    yield Path(__file__)
    yield from (ROOT / "src" / "abstain" / "models").glob("*.py")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="two small sets, write nothing")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of segment.csv and others")
    arguments = parser.parse_args()
    kept = KeptRows(CACHE, measured_code)
    rows, about = [], []
    try:
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name in QUICK if arguments.quick else CHOSEN:
                n_rows = len(rows_of(name, arguments.data)[1])
                about.append({"set": name, "half": HALVES[name], "rows": n_rows})
                for model, classifier in (OURS | OTHERS).items():
                    measure = partial(accuracy, name, arguments.data, classifier)
                    row = kept.row(f"{name}: {model}", str(MOST_ROWS), measure)
                    rows.append({"set": name, "model": model, "is_ours": model in OURS} | row)
    except KeyboardInterrupt:
        sys.exit("stopped: the same command goes on from here")
    if arguments.quick:
        show("accuracies", [{key: row[key] for key in list(row)[:6]} for row in rows])
    else:
        packages = ["numpy", "scikit-learn"]
        write_record("accuracies.json", packages, sets=about, accuracies=rounded(rows))


if __name__ == "__main__":
    main()
