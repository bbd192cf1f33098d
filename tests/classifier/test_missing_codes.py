"""Numbers that may stand for a missing value are pointed out once, with the remedy."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from abstain import RejectOptionClassifier
from abstain.classifier.missing_codes import MissingCode, missing_codes

SAYS = "is -999 in 40 rows: if that means a missing value, replace it by NaN"


def samples():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4))
    y = X[:, 0] + 0.3 * rng.normal(size=600) > 0
    X[:40, 2] = -999
    return X, y


def fit(X, y, *steps):
    model = make_pipeline(*steps, LogisticRegression())
    return RejectOptionClassifier(model, outliers=None, random_state=0).fit(X, y)


@pytest.mark.parametrize("kind", ["numpy", "pandas", "polars"])
def test_features_with_a_code_are_named(kind):
    X, y = samples()
    name = "feature 2"
    if kind != "numpy":
        library = pytest.importorskip(kind, reason=f"pip install {kind}")
        X, name = library.DataFrame(dict(zip("abcd", X.T, strict=True))), "'c'"
    with pytest.warns(UserWarning, match=f"^{name} {SAYS}$") as caught:
        fit(X, y)
    assert len(caught) == 1


def test_nothing_is_said_without_codes_or_of_codes_that_a_step_knows():
    X, y = samples()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit(X, y, SimpleImputer(missing_values=-999))
        model = make_pipeline(SimpleImputer(missing_values=-999), GaussianNB()).fit(X[60:], y[60:])
        RejectOptionClassifier(FrozenEstimator(model), outliers=None).fit(X[:60], y[:60])
        fit(np.where(X == -999, np.nan, X), y, SimpleImputer())
        fit(csr_array(np.maximum(X, 0)), y)


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([1, 2, 5, -999], [(-999, 1)]),
        ([1, 2, 5, 99, 99, np.nan], [(99, 2)]),
        ([1, 2, 50, -9, -9, 88, 88], []),
        ([1, 2, 5, 99], []),  # once, it may be anything
        ([-1, -1, 0, 1], []),
        ([-1, 1, 1], []),
        ([1, 2, -999.5, -999.5], []),
        ([np.nan, np.nan], []),
        ([np.inf, 1, 2, -99, -99], [(-99, 2)]),
        ([], []),
    ],
)
def test_codes_are_far_from_all_others(values, codes):
    assert missing_codes(np.array(values, dtype=float)) == [MissingCode(*each) for each in codes]
