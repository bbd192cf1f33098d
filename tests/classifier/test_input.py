"""Bad input gets one line that names the argument, the value received and the remedy."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from abstain import GMLVQ, Accuracy, InputError, RejectCost, RejectOptionClassifier, RejectRate

X, Y = load_iris(return_X_y=True)
X = X[:, :2]


def refused(match, **settings):
    estimator = settings.pop("estimator", GaussianNB())
    y = settings.pop("y", Y)
    with pytest.raises(ValueError, match=match) as caught:
        RejectOptionClassifier(estimator, **({"outliers": None} | settings)).fit(X, y)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("target", "match"),
    [
        (RejectRate(1.5), r"rate must be a number in \[0, 1\], got 1.5"),
        (RejectRate(-0.1), r"rate must be a number in \[0, 1\], got -0.1"),
        (Accuracy(0), r"accuracy must be a number in \(0, 1\], got 0"),
        (Accuracy(99), r"accuracy must be .* got 99; 99% is 0.99"),
        (RejectCost(1.0), r"cost must be a number in \(0, 1\), got 1.0"),
        (Accuracy(0.9, confidence=1.0), r"confidence must be a number in \(0, 1\), got 1.0"),
        (Accuracy(0.9, confidence=95), r"confidence must be .* got 95; 95% is 0.95"),
        (Accuracy(1.0, confidence=0.9), "accuracy must be below 1 to be certified, got 1"),
        (Accuracy(1.0), "accuracy=1.0 cannot be reached: the most on these 150 samples is"),
        (Accuracy, "target must be an instance of Accuracy, .* such as Accuracy"),
        ("accuracy", "target must be an instance of Accuracy, .* got 'accuracy'"),
        (np.ones((2, 2)), "target must be an instance of Accuracy, .* got array"),
        (0.9, "target must be an instance of Accuracy, .* got 0.9"),
    ],
    ids=repr,
)
def test_targets_out_of_reach(target, match):
    # A callable certainty that says nothing: no threshold is better than none.
    refused(match, target=target, cells="global", certainty=lambda model, X: np.ones(len(X)))


def test_a_calibration_set_too_small_for_the_guarantee_says_how_many_it_takes():
    # log(0.05) / log(0.99) = 298.07…
    match = r"at least 299 samples that test it, .* got 75; they certify 0\.\d+ at most"
    target = Accuracy(0.99, confidence=0.95)
    refused(match, target=target, independent_rows=True)
    refused("got 30; they certify", target=target, test_size=0.2, independent_rows=True)
    # Many of these samples are equal.
    refused("at least 299 distinct samples that test it, .* got 64; they certify", target=target)


def test_a_test_size_that_leaves_nothing_to_fit_with():
    refused(
        r"test_size=0.999 leaves 0 samples of 0 class to fit the classifier with, of 150",
        target=Accuracy(0.5, confidence=0.5),
        test_size=0.999,
    )


@pytest.mark.parametrize("test_size", [0, 1.0, 50, True, "half", np.ones(2)], ids=str)
def test_a_test_size_out_of_range(test_size):
    refused(r"test_size must be 'auto' or a number in \(0, 1\), got", test_size=test_size)


@pytest.mark.parametrize("cv", ["train", "prefit", 0, 1, True, 2.5])
def test_a_cv_that_names_nothing(cv):
    refused(f"cv must be a number of folds from 2 on, .* got {cv!r}", cv=cv)


def test_a_splitter_without_splits():
    refused("cv must yield at least one split, got none", cv=[])


def test_an_accuracy_that_the_test_samples_do_not_support_says_what_they_do():
    refused(
        r"accuracy=0.95 with confidence=0.9 cannot be certified: of 75 test samples \d+ are "
        r"accepted by the first thresholds that are tested, \d+ of them wrong; they certify "
        r"0\.\d+ at most.*; cells='global' may help: one threshold fits less noise than 3",
        target=Accuracy(0.95, confidence=0.9),
        certainty=lambda model, X: np.ones(len(X)),
        method="exact",
        independent_rows=True,
        random_state=0,
    )


@pytest.mark.parametrize(
    ("certainty", "match"),
    [
        ("relsin", "certainty must be one of 'auto', 'relsim', .* or a callable, got 'relsin'"),
        (3, "certainty must be one of .* got 3"),
        (np.ones(150), r"certainty must be one of .* got array\(\[1., 1., .*\.\.\."),
        ("relsim", "certainty='relsim' needs a prototype model, got GaussianNB; use 'conf'"),
        ("pairwise", "certainty='pairwise' needs an SVC or NuSVC, got GaussianNB"),
        (lambda model, X: np.ones(7), "certainty must return one number for each of 30 samples"),
        (lambda model, X: np.ones((len(X), 2)), "certainty must be one-dimensional, got shape"),
        (
            lambda model, X: np.where(np.arange(len(X)) == 3, np.nan, 1),
            "certainty must hold no missing value, got nan at index 3",
        ),
        (lambda model, X: ["high"] * len(X), "certainty must be numbers, got 'high'"),
    ],
)
def test_certainty_that_cannot_be_had(certainty, match):
    refused(match, certainty=certainty)


class Silent(ClassifierMixin, BaseEstimator):
    """Answers, and tells nothing else."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_a_classifier_that_tells_nothing_of_its_certainty():
    refused(
        "certainty='auto' finds neither .* in Silent; use 'trust', or pass a function",
        estimator=Silent(),
    )


@pytest.mark.parametrize(
    ("cells", "match"),
    [
        ("leafs", "cells must be one of 'auto', 'global', .* a callable, got 'leafs'"),
        (None, "cells must be one of .* got None"),
        (np.ones(150), r"cells must be one of .* got array\(\[1., 1., .*\.\.\."),
        ("leaf", "cells='leaf' needs a decision tree, got GaussianNB; use 'class'"),
        ("prototype", "cells='prototype' needs a prototype model, got GaussianNB"),
        (lambda model, X: [1, 2], "cells must return one label for each of 30 samples, got 2"),
        (lambda model, X: X, "cells must be one-dimensional, got shape"),
        (lambda model, X: [None] * len(X), "cells must hold no missing"),
    ],
)
def test_cells_that_cannot_be_had(cells, match):
    refused(match, cells=cells)


@pytest.mark.parametrize(
    ("estimator", "match"),
    [
        (GaussianNB, "estimator must be a classifier, such as GMLVQ"),
        ("GMLVQ", "estimator must be a classifier, such as GMLVQ"),
        (LinearRegression(), "estimator must be a classifier, got a LinearRegression"),
        (StandardScaler(), "estimator must be a classifier, got a StandardScaler"),
        (make_pipeline(StandardScaler(), LinearRegression()), "got a Pipeline"),
    ],
    ids=str,
)
def test_estimators_that_are_no_classifiers(estimator, match):
    refused(match, estimator=estimator)


def test_a_frozen_estimator_that_is_not_fitted():
    with pytest.raises(NotFittedError):
        RejectOptionClassifier(FrozenEstimator(GaussianNB())).fit(X, Y)


@pytest.mark.parametrize(
    ("y", "match"),
    [
        (np.zeros(150), r"y must hold at least two classes, got 1 class \[0.0\] in 150 samples"),
        ([None, *["a"] * 149], "y must hold no missing label, got None at index 0"),
        ([np.nan, *[1.0] * 149], "y must hold no missing label, got nan at index 0"),
        (np.linspace(0, 1, 150), "continuous"),
        (Y[:100], "inconsistent numbers of samples"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_labels_that_cannot_be_learned(y, match):
    refused(match, y=y)


@pytest.mark.parametrize("size", [0, -1, 2.5, "many", True])
def test_cell_sizes(size):
    refused(f"min_cell_size must be a positive integer, got {size!r}", min_cell_size=size)


def test_other_settings():
    refused("method must be one of 'exact', .* got 'fast'", method="fast")
    refused(r"reject_cost must be a number in \[0, 1\], got 2", reject_cost=2)


@pytest.mark.parametrize("method", ["predict", "reject", "certainties", "apply", "explain"])
def test_nothing_is_answered_before_fit(method):
    with pytest.raises(NotFittedError, match="RejectOptionClassifier"):
        getattr(RejectOptionClassifier(GMLVQ()), method)(X)
    with pytest.raises(NotFittedError):
        RejectOptionClassifier(GMLVQ()).retarget(RejectRate(0.1))


def test_methods_that_the_classifier_does_not_have():
    clf = RejectOptionClassifier(RidgeClassifier()).fit(X, Y)
    assert not hasattr(clf, "predict_proba")
    assert clf.decision_function(X).shape == (150, 3)
    assert not hasattr(RejectOptionClassifier(GaussianNB()), "decision_function")


def test_a_guarantee_cannot_be_had_later_without_held_out_samples():
    clf = RejectOptionClassifier(GaussianNB()).fit(X, Y)
    before = clf.thresholds_.copy()
    with pytest.raises(InputError, match=r"needs samples that only test it, .* such a target"):
        clf.retarget(Accuracy(0.9, confidence=0.9))
    with pytest.raises(InputError, match="rate must be"):
        clf.retarget(RejectRate(7))
    with pytest.raises(InputError, match="target must be"):
        clf.retarget(0.9)
    assert np.array_equal(clf.thresholds_, before)
    assert clf.target is None


def test_a_classifier_that_knows_its_samples_by_heart():
    tree = DecisionTreeClassifier(random_state=0)
    rows = np.unique(X, axis=0, return_index=True)[1]  # all different, so that none is wrong
    with pytest.warns(UserWarning, match="cv='training' finds no error .*; set cv"):
        RejectOptionClassifier(tree, cv="training").fit(X[rows], Y[rows])
    assert RejectOptionClassifier(tree, cv=3).fit(X[rows], Y[rows]).front_.n_errors > 0


def test_an_accuracy_that_training_data_cannot_certify_suggests_other_data():
    refused(
        "cannot be certified: .* or set cv",
        estimator=DecisionTreeClassifier(random_state=0),
        cv="training",
        target=Accuracy(0.93, confidence=0.95),
        random_state=0,
    )


def test_folds_that_are_listed_do_not_fit_a_part_of_the_data():
    refused(
        r"cv must be a number of folds or a splitter where .*confidence=0.9\) holds samples out",
        cv=list(KFold(3).split(X)),
        target=Accuracy(0.5, confidence=0.9),
    )


def test_groups_that_do_not_fit_the_samples():
    def refused_groups(match, groups, **settings):
        with pytest.raises(InputError, match=match) as caught:
            RejectOptionClassifier(GaussianNB(), **settings).fit(X, Y, groups=groups)
        assert "\n" not in str(caught.value)

    groups = np.arange(len(Y)) % 50
    refused_groups("groups must have one label for each of 150 samples, got 149", groups[1:])
    missing = np.where(groups == 7, np.nan, groups)
    refused_groups("groups must name a group for each sample, got nan at index 7; give", missing)
    refused_groups("cv must keep each group in one fold, got KFold.*; give", groups, cv=KFold(3))
    folds = list(KFold(3).split(X))
    refused_groups("cv must keep each group in one fold, got .*; give a number", groups, cv=folds)
    refused_groups("groups must leave samples of two classes .*, got 1 group", np.zeros(150))
    refused_groups("groups must leave samples of two classes", np.minimum(Y, 1))
    refused_groups("independent_rows must be False with groups", groups, independent_rows=True)
    refused("independent_rows must be True or False, got 1", independent_rows=1)


def test_labels_that_a_frozen_classifier_does_not_know():
    model = FrozenEstimator(GaussianNB().fit(X, np.array(["a", "b", "c"])[Y]))
    with pytest.raises(InputError, match=r"y must hold classes of the estimator \(\['a', 'b', 'c'"):
        RejectOptionClassifier(model).fit(X, np.array(["A", "B", "C"])[Y])


# What cannot be meant is said before the fit, which may take long.
@pytest.mark.parametrize(
    "settings", [{"certainty": "relsin"}, {"cells": "leafs"}, {"cells": GMLVQ}]
)
def test_names_are_checked_before_anything_is_fitted(settings):
    class Slow(GaussianNB):
        def fit(self, X, y):
            raise AssertionError

    with pytest.raises(InputError, match="must be one of"):
        RejectOptionClassifier(Slow(), **settings).fit(X, Y)
