"""Which models can be fitted to a table by name, and how are the columns encoded for them?

Numbers are scaled, categories one-hot encoded. Missing numbers stay missing for models that accept
them, and become the median for others. A missing category is a category of its own; rare and unseen
ones are merged.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import astuple, dataclass
from importlib import import_module
from typing import Any

from sklearn.pipeline import Pipeline

from abstain._core.errors import InputError
from abstain.tables.columns import TableColumns
from abstain.tables.features import Features

# Maximum number of columns that encode one column; categories with fewer rows are merged.
_MOST_CATEGORIES, _ROWS_PER_CATEGORY = 30, 5


@dataclass(frozen=True)
class ModelSpec:
    """A model with a name: what makes it, and how it copes with missing values and many rows."""

    name: str
    make: Callable[[], Any]
    title: str
    keeps_missing: bool = False
    is_slow_on_many: bool = False


def _of(module: str, name: str, **settings: Any) -> Callable[[], Any]:
    """Return a function that imports and makes a classifier."""
    return lambda: getattr(import_module(module), name)(**settings)


def _lvq(name: str, title: str) -> ModelSpec:
    return ModelSpec(name.lower(), _of("abstain.models", name), title, keeps_missing=True)


MODELS = {
    spec.name: spec
    for spec in (
        _lvq("GLVQ", "prototypes"),
        _lvq("GRLVQ", "prototypes and relevances of the features"),
        _lvq("GMLVQ", "prototypes and a relevance matrix"),
        _lvq("LGMLVQ", "prototypes, each with a matrix of its own"),
        _lvq("RSLVQ", "prototypes with posteriors"),
        _lvq("MRSLVQ", "prototypes with posteriors and a matrix"),
        _lvq("LMRSLVQ", "prototypes with posteriors, each with a matrix of its own"),
        ModelSpec(
            "logistic",
            _of("sklearn.linear_model", "LogisticRegression", max_iter=1000),
            "logistic regression",
        ),
        ModelSpec("svm", _of("sklearn.svm", "SVC"), "support vector machine", is_slow_on_many=True),
        ModelSpec(
            "knn",
            _of("sklearn.neighbors", "KNeighborsClassifier"),
            "nearest neighbours",
            is_slow_on_many=True,
        ),
        ModelSpec(
            "tree",
            _of("sklearn.tree", "DecisionTreeClassifier", min_samples_leaf=10),
            "decision tree",
        ),
        ModelSpec(
            "forest",
            _of("sklearn.ensemble", "RandomForestClassifier", n_estimators=200),
            "random forest",
        ),
        ModelSpec(
            "boosting",
            _of("sklearn.ensemble", "HistGradientBoostingClassifier"),
            "gradient boosting",
            keeps_missing=True,
        ),
        ModelSpec("naive-bayes", _of("sklearn.naive_bayes", "GaussianNB"), "naive Bayes"),
        ModelSpec(
            "lda",
            _of("sklearn.discriminant_analysis", "LinearDiscriminantAnalysis"),
            "linear discriminant analysis",
        ),
        ModelSpec(
            "mlp",
            # Not early_stopping: it fails on text classes before scikit-learn 1.9, and stops too
            # soon on small tables. The tolerance takes about as long.
            _of("sklearn.neural_network", "MLPClassifier", tol=1e-3, max_iter=500),
            "neural network",
        ),
    )
}


def find_model(name: str) -> ModelSpec:
    """Return the model with a name, in any case.

    >>> find_model("GMLVQ").title
    'prototypes and a relevance matrix'
    """
    key = name.strip().lower().replace("_", "-").replace(" ", "-")
    if key not in MODELS:
        alike = difflib.get_close_matches(key, MODELS, n=1)
        raise InputError(
            argument="model",
            value=name,
            requirement=f"must be one of {', '.join(MODELS)}",
            remedy=f"did you mean {alike[0]!r}?" if alike else "",
        )
    return MODELS[key]


def make_pipeline(
    model: ModelSpec, features: Features, label: str | None = None, missing: tuple[str, ...] = ()
) -> Pipeline:
    """Return a pipeline from the rows of a table to the model, not fitted."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    scaled: Any = StandardScaler()
    if not model.keeps_missing:
        imputer = SimpleImputer(strategy="median", keep_empty_features=True)
        scaled = Pipeline([("imputing", imputer), ("scaling", scaled)])
    categories = OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        min_frequency=_ROWS_PER_CATEGORY,
        max_categories=_MOST_CATEGORIES,
        sparse_output=False,
    )
    # By position: scikit-learn before 1.9 finds no names in a frame of polars 2.
    positions = list(range(len(features.numeric) + len(features.categorical)))
    numeric, categorical = positions[: len(features.numeric)], positions[len(features.numeric) :]
    steps = [("numbers", scaled, numeric), ("kinds", categories, categorical)]
    encoding = ColumnTransformer(
        [step for step in steps if step[2]], verbose_feature_names_out=False
    )
    columns = TableColumns(
        features.numeric,
        features.categorical,
        label=label,
        missing=list(missing),
        written={name: list(astuple(notation)) for name, notation in features.written.items()},
    )
    return Pipeline([("columns", columns), ("encoding", encoding), ("model", model.make())])
