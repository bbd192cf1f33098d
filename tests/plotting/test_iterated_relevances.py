"""The parts of each bar are the iterations, and add up to the cumulative relevance."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from abstain import InputError
from abstain.models import GMLVQ
from abstain.models.relevances import iterated_relevances
from abstain.plotting import IteratedRelevancesDisplay

pytest.importorskip("matplotlib", reason="pip install 'abstain[plot]' to test figures")


@pytest.fixture(scope="module")
def found():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return iterated_relevances(GMLVQ(), X, y, n_directions=1, random_state=0)


@pytest.mark.parametrize("n_iterations", [1, 2, None])
def test_the_parts_of_a_bar_add_up_to_the_cumulative_relevance(found, n_iterations):
    display = IteratedRelevancesDisplay.from_iterated_relevances(found, n_iterations=n_iterations)
    n_drawn = n_iterations or found.n_iterations
    assert len(display.bars_) == n_drawn > 0
    widths = np.array([[bar.get_width() for bar in part] for part in display.bars_])
    total = found.cumulative_relevances[n_drawn - 1]
    assert widths.sum(axis=0) == pytest.approx(np.sort(total)[::-1])
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert names == [found.feature_names[feature] for feature in np.argsort(-total)]
    # Each part begins where the one before it ends.
    starts = np.array([[bar.get_x() for bar in part] for part in display.bars_])
    assert starts == pytest.approx(widths.cumsum(axis=0) - widths)


def test_the_legend_tells_how_accurate_each_iteration_is(found):
    display = IteratedRelevancesDisplay.from_iterated_relevances(found)
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    first = f"0: {100 * found.accuracies[0]:.0f}% ({100 * found.chances[0]:.0f}%)"
    assert texts[0] == first
    assert len(texts) == found.n_iterations


def test_what_cannot_be_drawn_is_refused():
    noise = np.random.RandomState(1).normal(size=(40, 2))
    nothing = iterated_relevances(GMLVQ(), noise, np.arange(40) % 2, random_state=0)
    assert nothing.n_iterations == 0
    with pytest.raises(InputError, match="no direction predicts better than chance"):
        IteratedRelevancesDisplay.from_iterated_relevances(nothing)
    with pytest.raises(InputError, match="same iterations"):
        IteratedRelevancesDisplay(
            relevances=[[1.0]], accuracies=[0.9, 0.8], chances=[0.5], feature_names=["a"]
        )
    with pytest.raises(InputError, match="n_iterations must be a positive integer"):
        IteratedRelevancesDisplay(
            relevances=[[1.0]], accuracies=[0.9], chances=[0.5], feature_names=["a"]
        ).plot(n_iterations=0)
