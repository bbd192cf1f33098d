"""The bands of the display are the intervals of the fits, by feature and most relevant first."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from abstain import InputError
from abstain.models import GLVQ, GRLVQ
from abstain.models.relevances import relevance_stability
from abstain.plotting import RelevanceStabilityDisplay

pytest.importorskip("matplotlib", reason="pip install 'abstain[plot]' to test figures")


@pytest.fixture(scope="module")
def stability():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return relevance_stability(GRLVQ(), X, y, n_resamples=8, random_state=0)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True, as_frame=True)


def test_bands_are_intervals_and_dots_are_means(stability):
    display = RelevanceStabilityDisplay.from_stability(stability, level=0.8, n_first=2)
    low, high = stability.interval(0.8)
    ends = np.array([path.vertices[:, 0] for path in display.bands_.get_paths()])
    assert ends == pytest.approx(np.column_stack([low, high])[display.order])
    dots = np.asarray(display.means_.get_offsets())
    assert dots[:, 0] == pytest.approx(np.sort(stability.mean)[::-1])
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert names == [stability.feature_names[feature] for feature in display.order]
    bottom, top = display.ax_.get_ylim()
    assert bottom > top  # rows count from the top
    (beside,) = [ax for ax in display.ax_.child_axes if "first" in ax.get_ylabel()]
    shares = [text.get_text() for text in beside.get_yticklabels()]
    frequency = stability.selection_frequency(2)[display.order]
    assert shares == [f"{100 * share:.0f}%" for share in frequency]


def test_an_estimator_is_drawn_like_what_the_function_returns(iris, stability):
    display = RelevanceStabilityDisplay.from_estimator(
        GRLVQ(), *iris, n_resamples=8, random_state=0, feature_names="abcd", top=2
    )
    assert np.array_equal(display.relevances, stability.relevances)
    assert display.feature_names == list("abcd")
    assert len(display.bands_.get_paths()) == 2
    assert "2 more features are not shown" in display.ax_.get_xlabel()
    assert "8 random halves" in display.ax_.get_xlabel()


def test_the_bootstrap_is_named(iris):
    display = RelevanceStabilityDisplay.from_estimator(
        GRLVQ(), *iris, n_resamples=2, resampling="bootstrap", random_state=0
    )
    assert "2 bootstrap samples" in display.ax_.get_xlabel()


def test_what_cannot_be_drawn_is_refused(iris):
    with pytest.raises(InputError, match="one row for each resample"):
        RelevanceStabilityDisplay(relevances=[0.5, 0.5], feature_names=["a", "b"])
    with pytest.raises(InputError, match="must name each of the 2 features"):
        RelevanceStabilityDisplay(relevances=[[0.5, 0.5]], feature_names=["a"])
    with pytest.raises(InputError, match="resampling must be one of"):
        RelevanceStabilityDisplay(relevances=[[1.0]], feature_names=["a"], resampling="thirds")
    with pytest.raises(InputError, match="got a GLVQ"):
        RelevanceStabilityDisplay.from_estimator(GLVQ(), *iris)
