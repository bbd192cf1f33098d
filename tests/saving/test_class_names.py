"""Files name public classes and no modules: moving code never breaks a saved model."""

import re
from importlib import import_module

import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import abstain
from abstain import GMLVQ, RSLVQ, Accuracy, RejectOptionClassifier, RejectRate, TrustScore, save
from abstain.saving.codec import KNOWN
from tests.saving.checks import X, Y

OWN = [name for name in KNOWN if name.startswith("abstain.")]
OTHERS = [name for name in KNOWN if not name.startswith("abstain.")]


@pytest.mark.parametrize("name", OWN)
def test_our_classes_have_the_names_by_which_users_import_them(name):
    module, _, attribute = name.rpartition(".")
    assert module in ("abstain", "abstain.classifier", "abstain.tables")
    assert isinstance(getattr(import_module(module), attribute), type)
    if module == "abstain":
        assert attribute in abstain.__all__


@pytest.mark.parametrize("name", OTHERS)
def test_classes_of_others_are_in_public_modules(name):
    module, _, attribute = name.rpartition(".")
    assert not any(part.startswith("_") for part in module.split("."))
    assert isinstance(getattr(import_module(module), attribute, type), type)  # not in all versions


def reject_option(estimator, **settings):
    return RejectOptionClassifier(estimator, cv=StratifiedKFold(3), random_state=0, **settings)


@pytest.mark.parametrize(
    "clf",
    [
        reject_option(make_pipeline(StandardScaler(), GMLVQ()), target=RejectRate(0.1)),
        reject_option(RSLVQ(), method="exact", target=Accuracy(0.7)),
        reject_option(RandomForestClassifier(3), cells=KMeans(2, random_state=0)),
        reject_option(CalibratedClassifierCV(GaussianNB(), method="isotonic")),
        reject_option(HistGradientBoostingClassifier(max_iter=2), certainty=TrustScore()),
        reject_option(LogisticRegression(), cells="class", certainty="margin"),
    ],
    ids=lambda clf: repr(clf.estimator)[:20],
)
def test_no_file_holds_the_path_of_a_module(clf, path):
    save(clf.fit(X, Y), path)
    names = re.findall(rb"\b(?:abstain|sklearn|numpy|scipy)(?:\.\w+)+", path.read_bytes())
    assert {name.decode() for name in names} <= KNOWN.keys()
    assert b"abstain.RejectOptionClassifier" in names
