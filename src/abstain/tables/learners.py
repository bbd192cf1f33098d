"""Which classifiers are known by name, and what must happen to a table before they see it?

Numbers are scaled, names of kinds become one column each. Missing numbers stay missing where a
classifier can live with that, as the LVQ models do, and become the median where not; a missing kind
is a kind of its own, and one that is rare or has never been seen is "another".
"""

from __future__ import annotations  # signatures then show the names of types

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from sklearn.pipeline import Pipeline

from abstain._core.checks import InputError, shown
from abstain.tables.columns import TableColumns
from abstain.tables.features import Features

__all__ = ["LEARNERS", "Learner", "learner_named", "make_pipeline_for"]

# At most so many columns for the kinds of one column; those of fewer rows are "another".
MOST_KINDS, ROWS_A_KIND = 30, 5


@dataclass(frozen=True)
class Learner:
    """A classifier that can be asked for by name.

    Parameters
    ----------
    name : str
        What it is called by.
    make : callable
        Returns the classifier, not fitted.
    title : str
        What it is, in a few words.
    keeps_missing : bool, default=False
        Whether it can live with missing numbers.
    is_slow_on_many : bool, default=False
        Whether its time grows faster than the rows.

    Examples
    --------
    >>> LEARNERS["gmlvq"].make()
    GMLVQ()
    """

    name: str
    make: Callable[[], Any]
    title: str
    keeps_missing: bool = False
    is_slow_on_many: bool = False


def _of(module: str, name: str, **settings: Any) -> Callable[[], Any]:
    """Return what makes a classifier, whose module is imported only then."""
    return lambda: getattr(import_module(module), name)(**settings)


def _ours(name: str, title: str) -> Learner:
    return Learner(name.lower(), _of("abstain.models", name), title, keeps_missing=True)


LEARNERS = {
    learner.name: learner
    for learner in (
        _ours("GLVQ", "prototypes"),
        _ours("GRLVQ", "prototypes and relevances of the features"),
        _ours("GMLVQ", "prototypes and a relevance matrix"),
        _ours("LGMLVQ", "prototypes, each with a matrix of its own"),
        _ours("RSLVQ", "prototypes with posteriors"),
        _ours("MRSLVQ", "prototypes with posteriors and a matrix"),
        _ours("LMRSLVQ", "prototypes with posteriors, each with a matrix of its own"),
        Learner(
            "logistic",
            _of("sklearn.linear_model", "LogisticRegression", max_iter=1000),
            "logistic regression",
        ),
        Learner("svm", _of("sklearn.svm", "SVC"), "support vector machine", is_slow_on_many=True),
        Learner(
            "knn",
            _of("sklearn.neighbors", "KNeighborsClassifier"),
            "nearest neighbours",
            is_slow_on_many=True,
        ),
        Learner(
            "tree",
            _of("sklearn.tree", "DecisionTreeClassifier", min_samples_leaf=10),
            "decision tree",
        ),
        Learner(
            "forest",
            _of("sklearn.ensemble", "RandomForestClassifier", n_estimators=200),
            "random forest",
        ),
        Learner(
            "boosting",
            _of("sklearn.ensemble", "HistGradientBoostingClassifier"),
            "gradient boosting",
            keeps_missing=True,
        ),
        Learner("naive-bayes", _of("sklearn.naive_bayes", "GaussianNB"), "naive Bayes"),
        Learner(
            "lda",
            _of("sklearn.discriminant_analysis", "LinearDiscriminantAnalysis"),
            "linear discriminant analysis",
        ),
        Learner(
            "mlp",
            # Not early_stopping: it fails on classes that are text before scikit-learn 1.9, and on
            # small tables it ends too soon. The tolerance takes about as long.
            _of("sklearn.neural_network", "MLPClassifier", tol=1e-3, max_iter=500),
            "neural network",
        ),
    )
}


def learner_named(name: str) -> Learner:
    """Return the classifier of a name.

    Parameters
    ----------
    name : str
        One of `LEARNERS`, in any case.

    Returns
    -------
    learner : Learner
        What is known of it.

    Raises
    ------
    InputError
        If there is none; the message lists those that there are.

    Examples
    --------
    >>> learner_named("GMLVQ").title
    'prototypes and a relevance matrix'
    """
    key = name.strip().lower().replace("_", "-").replace(" ", "-")
    if key not in LEARNERS:
        alike = difflib.get_close_matches(key, LEARNERS, n=1)
        hint = f"did you mean {alike[0]!r}? " if alike else ""
        raise InputError(f"--model: {hint}known are {', '.join(LEARNERS)}; got {shown(name)}")
    return LEARNERS[key]


def make_pipeline_for(
    learner: Learner, features: Features, label: str | None = None, missing: tuple[str, ...] = ()
) -> Pipeline:
    """Return a pipeline from the rows of a table to the classifier.

    Parameters
    ----------
    learner : Learner
        The classifier.
    features : Features
        The columns that it looks at.
    label : str, default=None
        The column that names the classes, kept for those who compare.
    missing : tuple of str, default=()
        Texts that stand for a missing value, beside the usual ones.

    Returns
    -------
    pipeline : sklearn.pipeline.Pipeline
        Not fitted.

    Examples
    --------
    >>> from abstain.tables.features import Features
    >>> pipeline = make_pipeline_for(LEARNERS["knn"], Features(["age"], ["sex"]))
    >>> list(pipeline.named_steps)
    ['columns', 'encoding', 'model']
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    scaled: Any = StandardScaler()
    if not learner.keeps_missing:
        imputer = SimpleImputer(strategy="median", keep_empty_features=True)
        scaled = Pipeline([("imputing", imputer), ("scaling", scaled)])
    kinds = OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        min_frequency=ROWS_A_KIND,
        max_categories=MOST_KINDS,
        sparse_output=False,
    )
    # By their places: scikit-learn before 1.9 finds no names in a frame of polars 2.
    places = list(range(len(features.numeric) + len(features.categorical)))
    numeric, categorical = places[: len(features.numeric)], places[len(features.numeric) :]
    parts = [("numbers", scaled, numeric), ("kinds", kinds, categorical)]
    encoding = ColumnTransformer(
        [part for part in parts if part[2]], verbose_feature_names_out=False
    )
    columns = TableColumns(
        features.numeric,
        features.categorical,
        label=label,
        missing=list(missing),
        written={name: notation.as_list() for name, notation in features.written.items()},
    )
    return Pipeline([("columns", columns), ("encoding", encoding), ("model", learner.make())])
