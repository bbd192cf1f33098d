"""A place for a model file, and a classifier to put there."""

import pytest

from abstain import GMLVQ, RejectOptionClassifier, RejectRate
from tests.saving.checks import X, Y


@pytest.fixture
def path(tmp_path):
    return tmp_path / "classifier.abstain"


@pytest.fixture
def clf():
    return RejectOptionClassifier(GMLVQ(), target=RejectRate(0.2)).fit(X, Y)
