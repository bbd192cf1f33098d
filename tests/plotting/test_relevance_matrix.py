"""The matrix is that of the model, ordered by the relevances on its diagonal."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import InputError, RejectOptionClassifier
from abstain.models import GLVQ, GMLVQ, LGMLVQ, MRSLVQ
from abstain.plotting import RelevanceMatrixDisplay

pytest.importorskip("matplotlib", reason="pip install '.[plot]' to test figures")


@pytest.fixture(scope="module")
def iris():
    return load_iris(as_frame=True, return_X_y=True)


@pytest.mark.parametrize(
    "model", [GMLVQ(), MRSLVQ(), GMLVQ(n_components=2, random_state=0)], ids=str
)
def test_the_matrix_weighs_as_the_model_does(model, iris):
    X, y = iris
    fitted = make_pipeline(StandardScaler(), model).fit(X, y)
    display = RelevanceMatrixDisplay.from_estimator(fitted)
    assert display.matrix.diagonal() == pytest.approx(fitted[-1].relevances_)
    assert display.feature_names == list(X.columns)
    # Squared distances are what the matrix makes of deviations, up to one factor.
    scaled = np.asarray(fitted[:-1].transform(X))
    deviations = scaled - fitted[-1].prototypes_[0]
    ours = np.einsum("ni,ij,nj->n", deviations, display.matrix, deviations)
    theirs = fitted[-1].distances(scaled)[:, 0]
    assert np.allclose(ours / ours[0], theirs / theirs[0])


def test_it_is_drawn_from_the_most_relevant_feature_on(iris):
    display = RelevanceMatrixDisplay.from_estimator(GMLVQ().fit(*iris))
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert names == [display.feature_names[feature] for feature in display.order]
    assert names == [text.get_text() for text in display.ax_.get_xticklabels()]
    drawn = display.mesh_.get_array()
    assert np.array_equal(drawn, display.matrix[np.ix_(display.order, display.order)])
    assert np.all(np.diff(drawn.diagonal()) <= 0)
    low, high = display.mesh_.get_clim()
    assert low == -high  # 0 is in the middle of the colours
    (hatched,) = [drawn for drawn in display.ax_.collections if drawn.get_hatch()]
    assert 0 < len(hatched.get_paths()) == np.count_nonzero(display.matrix < 0)


def test_each_prototype_has_its_own_and_all_have_a_mean(iris):
    fitted = LGMLVQ().fit(*iris)
    own = [RelevanceMatrixDisplay.from_estimator(fitted, prototype=index) for index in range(3)]
    for index, display in enumerate(own):
        assert display.matrix.diagonal() == pytest.approx(fitted.relevances_[index])
    mean = RelevanceMatrixDisplay.from_estimator(fitted)
    assert np.allclose(mean.matrix, np.mean([display.matrix for display in own], axis=0))


def test_it_is_found_inside_a_reject_option_and_what_is_left_out_is_reported():
    data = load_breast_cancer(as_frame=True)
    clf = RejectOptionClassifier(make_pipeline(StandardScaler(), GMLVQ()))
    display = RelevanceMatrixDisplay.from_estimator(clf.fit(data.data, data.target), top=5)
    left = 100 * (1 - display.matrix.diagonal()[display.order[:5]].sum())
    assert display.ax_.get_xlabel() == f"25 more features weigh {left:.1f}% on the diagonal"
    assert display.mesh_.get_array().shape == (5, 5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"matrix": [[1, 0]]}, r"matrix must be square, got shape \(1, 2\)"),
        ({"matrix": [[0.0]]}, "matrix must have a positive trace, got 0"),
        ({"matrix": np.eye(3)}, "name each of the 3 features, got 2 names"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        RelevanceMatrixDisplay(**{"feature_names": ["a", "b"], **arguments})


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (GLVQ(), {}, "must be a model that learns a matrix, got a GLVQ; use GMLVQ"),
        (GMLVQ(), {"prototype": 1}, "prototype must be None for a model with one matrix"),
        (LGMLVQ(), {"prototype": 3}, "prototype must be an integer from 0 to 2, got 3"),
        (LGMLVQ(), {"prototype": True}, "prototype must be an integer from 0 to 2, got True"),
        (GMLVQ(), {"top": 0}, "top must be a positive integer, or None to show all, got 0"),
    ],
)
def test_what_cannot_be_drawn_is_refused(model, options, message, iris):
    with pytest.raises(InputError, match=message):
        RelevanceMatrixDisplay.from_estimator(model.fit(*iris), **options)
