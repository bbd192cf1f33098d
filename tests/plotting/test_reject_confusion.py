"""The figure holds the matrix of the metric, and writes it down."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import InputError, RejectOptionClassifier, RejectRate
from abstain.metrics import confusion_matrix_with_rejects
from abstain.plotting import RejectConfusionDisplay

pytest.importorskip("matplotlib", reason="pip install '.[plot]' to test figures")


@pytest.fixture(scope="module")
def iris():
    data = load_iris()
    return data.data[:, :2], data.target_names[data.target]


def written(display):
    return [[text.get_text() for text in row] for row in display.text_]


# With a reject_label too, and behind a transformer, each sample is where clf.reject puts it.
@pytest.mark.parametrize("reject_label", [None, "ask me"])
@pytest.mark.parametrize("normalize", [None, "true", "all"])
def test_from_estimator_counts_what_reject_and_predict_say(iris, reject_label, normalize):
    X, y = iris
    clf = RejectOptionClassifier(GaussianNB(), target=RejectRate(0.3), reject_label=reject_label)
    pipeline = make_pipeline(StandardScaler(), clf).fit(X, y)
    scaled = pipeline[0].transform(X)
    expected = confusion_matrix_with_rejects(
        y, pipeline[-1].estimator_.predict(scaled), pipeline[-1].reject(scaled)
    )
    display = RejectConfusionDisplay.from_estimator(pipeline, X, y, normalize=normalize)
    assert display.confusion_matrix.tolist() == expected.tolist()
    assert display.confusion_matrix.sum(axis=1).tolist() == [50, 50, 50]
    assert display.confusion_matrix[:, -1].sum() > 0
    assert display.values.sum() == pytest.approx({None: 150, "true": 3, "all": 1}[normalize])
    assert display.im_.get_array().tolist() == display.values[:, :-1].tolist()
    assert display.reject_im_.get_array().tolist() == display.values[:, -1:].tolist()


def test_counts_stand_under_shares_and_formats_are_kept():
    matrix = [[8, 1, 1], [0, 15, 5]]
    plain = RejectConfusionDisplay(confusion_matrix=matrix).plot()
    assert written(plain) == [["8", "1", "1"], ["0", "15", "5"]]
    shares = RejectConfusionDisplay(confusion_matrix=matrix, normalize="true")
    assert written(shares.plot())[1] == ["0%\n(0)", "75%\n(15)", "25%\n(5)"]
    without = shares.plot(include_counts=False, values_format=".2f")
    assert written(without)[0] == ["0.80", "0.10", "0.10"]
    assert shares.plot(include_values=False).text_ is None
    weighted = RejectConfusionDisplay(confusion_matrix=np.array(matrix) / 2).plot()
    assert written(weighted)[0] == ["4", "0.5", "0.5"]


def test_classes_are_named_in_the_order_of_the_labels():
    display = RejectConfusionDisplay.from_predictions(
        [0, 1, 1],
        [0, 0, 1],
        [False, True, False],
        labels=[1, 0],
        display_labels=["ill", "well"],
        reject_name="second opinion",
    )
    names = [label.get_text() for label in display.ax_.get_xticklabels()]
    assert names == ["ill", "well", "second opinion"]
    assert display.confusion_matrix.tolist() == [[1, 0, 1], [0, 1, 0]]


# A number must stand out from its cell, in grey as in colour.
@pytest.mark.parametrize("cmap", ["Blues", "Greys", "viridis"])
def test_numbers_can_be_read_on_their_cells(cmap):
    from matplotlib.colors import to_rgb

    display = RejectConfusionDisplay(confusion_matrix=[[9, 1, 0], [5, 3, 7]]).plot(cmap=cmap)
    for text, value in zip(display.text_.flat, display.values.flat, strict=True):
        cell = np.dot(display.im_.cmap(display.im_.norm(value))[:3], [0.3, 0.59, 0.11])
        assert abs(np.dot(to_rgb(text.get_color()), [0.3, 0.59, 0.11]) - cell) > 0.35


def many_classes():
    n_classes = 26
    matrix = np.random.default_rng(0).integers(0, 9, (n_classes, n_classes + 1))
    matrix[3] = 0
    matrix[3, 3] = 100  # "100%"
    return {"confusion_matrix": matrix, "display_labels": [f"class {i}" for i in range(n_classes)]}


# A number that is wider than its cell is covered by its neighbours: "100%" would read "00".
@pytest.mark.parametrize(("normalize", "values_format"), [("true", None), ("all", ".1%")])
@pytest.mark.parametrize("is_given", [False, True])
def test_numbers_of_many_classes_fit_into_their_cells(is_given, normalize, values_format):
    from matplotlib import pyplot as plt

    ax = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")[1][0] if is_given else None
    display = RejectConfusionDisplay(**many_classes(), normalize=normalize)
    display.plot(ax=ax, values_format=values_format)
    display.figure_.draw_without_rendering()
    corners = display.ax_.transData.transform([(0, 0), (1, 1)])
    width, height = np.abs(np.diff(corners, axis=0))[0]
    boxes = [text.get_window_extent() for text in display.text_.flat]
    assert max(box.width for box in boxes) < width
    assert max(box.height for box in boxes) < height
    if is_given:
        assert display.figure_.get_size_inches().tolist() == [9, 4]
    else:  # a new figure is large enough for numbers that can be read
        assert display.text_[0, 0].get_fontsize() > 6
    plt.close("all")


# Cells are squares; the layout leaves room for the names of classes and axes, however often the
# figure is drawn.
@pytest.mark.parametrize("n_classes", [3, 8, 9, 10])
def test_labels_stay_inside_the_figure(n_classes):
    matrix = np.ones((n_classes, n_classes + 1), dtype=int)
    display = RejectConfusionDisplay(confusion_matrix=matrix, normalize="true").plot()
    for _ in range(3):
        display.figure_.draw_without_rendering()
    assert display.figure_.get_tightbbox().x0 >= 0


def test_what_is_no_matrix_with_rejects_is_refused():
    with pytest.raises(InputError, match=r"^confusion_matrix must have one column more .*\(2, 2\)"):
        RejectConfusionDisplay(confusion_matrix=[[1, 2], [3, 4]])
    with pytest.raises(InputError, match=r"^display_labels must name each of the 2 classes"):
        RejectConfusionDisplay(confusion_matrix=[[1, 2, 3], [3, 4, 5]], display_labels=["a"])
    with pytest.raises(InputError, match=r"^normalize must be None, 'true' or 'all', got 'pred'$"):
        RejectConfusionDisplay(confusion_matrix=[[1, 2, 3], [3, 4, 5]], normalize="pred")


def test_a_classifier_without_a_reject_option_is_refused(iris):
    with pytest.raises(InputError, match=r"^estimator must be a fitted RejectOption.*GaussianNB"):
        RejectConfusionDisplay.from_estimator(GaussianNB().fit(*iris), *iris)
