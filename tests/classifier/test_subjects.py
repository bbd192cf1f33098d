"""Frames with a column of subjects: a fit points it out, and certifies nothing on it."""

import re
import warnings

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from abstain import Accuracy, InputError, RejectOptionClassifier, RejectRate

SEEMS = "column 'patient' seems to name subjects of several rows each (60 in 600 rows)"
CERTIFIED = Accuracy(0.7, confidence=0.8)


@pytest.fixture(params=["pandas", "polars"])
def frame(request):
    """A frame of 60 patients with 10 rows each."""
    library = pytest.importorskip(request.param, reason=f"pip install {request.param}")
    rng = np.random.default_rng(0)
    features = {"age": rng.normal(size=600), "weight": rng.normal(size=600)}
    return library.DataFrame(features | {"patient": [f"P{row % 60:03}" for row in range(600)]})


def classes(frame):
    noise = np.random.default_rng(1).normal(scale=0.4, size=600)
    return np.where(frame["age"].to_numpy() + noise > 0, "ill", "well")


def classifier(target, **parameters):
    columns = make_column_transformer(("passthrough", ["age", "weight"]))
    model = make_pipeline(columns, LogisticRegression())
    return RejectOptionClassifier(model, target=target, outliers=None, random_state=0, **parameters)


def test_a_column_of_subjects_is_pointed_out(frame):
    says = f"{SEEMS}; give its values as groups to keep the rows of each in one fold"
    with pytest.warns(UserWarning, match=f"^{re.escape(says)}$"):
        classifier(RejectRate(0.1)).fit(frame, classes(frame))


def test_a_certificate_on_subjects_is_refused(frame):
    with pytest.raises(InputError) as error:
        classifier(CERTIFIED).fit(frame, classes(frame))
    assert str(error.value) == (
        f"{SEEMS}, and a certificate counts on independent rows; give its values as groups to test "
        "one row of each, or independent_rows if rows do not belong together"
    )


@pytest.mark.parametrize("target", [RejectRate(0.1), CERTIFIED])
def test_groups_or_a_word_of_the_caller_settle_it(frame, target):
    y = classes(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        classifier(target).fit(frame, y, groups=frame["patient"])
        classifier(target, independent_rows=True).fit(frame, y)
        classifier(target).fit(frame[["age", "weight"]], y)


def test_columns_without_names_or_of_one_name_are_no_subjects():
    pandas = pytest.importorskip("pandas", reason="pip install pandas")
    X = np.column_stack([np.random.default_rng(0).normal(size=200), np.arange(200) % 40])
    y = X[:, 0] > 0
    clf = RejectOptionClassifier(LogisticRegression(), target=CERTIFIED, independent_rows=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf.fit(X, y)
        clf.fit(pandas.DataFrame(X), y)
