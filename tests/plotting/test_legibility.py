"""What is drawn can be read: with 2, 7 and 26 classes, long names, an outlier, missing values."""

import warnings
from itertools import combinations

import numpy as np
import pytest

from abstain import plotting
from abstain.plotting import PrototypeDisplay, RejectOutcomesDisplay
from tools.draw_displays import CASES, PLANES, drawn

plt = pytest.importorskip("matplotlib.pyplot", reason="pip install '.[plot]' to test figures")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def texts_of(figure):
    """Return all texts that are seen; ticks beyond the ends of an axis are not."""
    for ax in figure.axes:
        yield from [ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts]
        for axis, (low, high) in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
            low, high = sorted([low, high])
            for tick in axis.get_major_ticks():
                if low <= tick.get_loc() <= high:
                    yield from [text for text in (tick.label1, tick.label2) if text.get_visible()]
        if ax.get_legend() is not None:
            yield from ax.get_legend().get_texts()


def corners(text):
    """Return the corners of a text, turned as it is."""
    box, degrees = text.get_window_extent(), text.get_rotation()
    text.set_rotation(0)
    width, height = text.get_window_extent().size
    text.set_rotation(degrees)
    angle = np.radians(degrees)
    along, up = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    # A line is higher than its letters.
    reach = [along * width / 2, 0.8 * up * height / 2]
    centre = np.mean(box.get_points(), axis=0)
    return centre + np.array([[1, 1], [1, -1], [-1, -1], [-1, 1]]) @ reach


def overlap(one, other):
    """Return whether two rectangles overlap: no side of one lies between them."""
    for rectangle in (one, other):
        for side in (rectangle[1] - rectangle[0], rectangle[2] - rectangle[1]):
            low, high = np.sort(one @ side)[[0, -1]], np.sort(other @ side)[[0, -1]]
            if low[1] <= high[0] or high[1] <= low[0]:
                return False
    return True


def faults(display):
    figure = display.figure_
    figure.canvas.draw()
    texts = [text for text in texts_of(figure) if text.get_text() and text.get_visible()]
    boxes = [text.get_window_extent() for text in texts]
    frame = figure.bbox
    for text, box in zip(texts, boxes, strict=True):
        if box.x0 < -1 or box.y0 < -1 or box.x1 > frame.x1 + 1 or box.y1 > frame.y1 + 1:
            yield f"{text.get_text()!r} leaves the figure"
    for (one, box), (other, beside) in combinations(zip(texts, boxes, strict=True), 2):
        if box.overlaps(beside) and overlap(corners(one), corners(other)):
            yield f"{one.get_text()!r} overlaps {other.get_text()!r}"
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            names = [tick.label1.get_text() for tick in axis.get_major_ticks()]
            are_numbers = any(name.strip("−-%").replace(".", "").isdigit() for name in names)
            if are_numbers and not axis.label.get_text() and not is_above(ax, axis):
                yield f"an axis of {names} has no name"


def is_above(ax, axis):
    """Return whether an axis shares its name with the one below it."""
    return axis.get_label_position() == "top"


@pytest.mark.parametrize("case", ["2-missing", "7-long-outlier", "26-long-missing"])
@pytest.mark.parametrize("name", plotting.__all__)
def test_texts_are_inside_the_figure_and_apart(name, case):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of a layout that has no room
        warnings.filterwarnings("ignore", "the regions hold for")
        for title, display in drawn(name, case):
            assert list(faults(display)) == [], title


@pytest.mark.parametrize("case", ["7-long-outlier", "26", "26-long-missing"])
@pytest.mark.parametrize("name", sorted(PLANES))
def test_each_class_has_a_look_of_its_own_in_a_legend_beside_the_plane(name, case):
    ((_, display),) = drawn(name, case)
    display.figure_.canvas.draw()
    legend = display.ax_.get_legend()
    classes = legend.legend_handles[: len(display.classes)]
    looks = {
        (handle.get_paths()[0].vertices.tobytes(), handle.get_facecolor().tobytes())
        for handle in classes
    }
    assert len(looks) == len(display.classes)
    names = [text.get_text() for text in legend.get_texts()]
    assert len(set(names)) == len(names)
    assert legend.get_window_extent().x0 >= display.ax_.get_window_extent().x1
    # Beside it, the plane keeps most of the figure.
    assert display.ax_.get_window_extent().width > 0.55 * display.figure_.bbox.width


# Short names are all written at their prototypes.
def test_26_short_names_stand_in_the_plane():
    ((_, display),) = drawn("PrototypeDisplay", "26")
    assert len({text.get_text() for text in display.ax_.texts}) >= 20


@pytest.mark.parametrize("name", sorted(PLANES))
def test_one_outlier_does_not_squeeze_the_others(name):
    ((_, display),) = drawn(name, "7-long-outlier")
    inside = display.samples[:-1]
    for positions, values in zip(display.grid, inside.T, strict=True):
        assert np.ptp(positions) < 1.2 * np.ptp(values)
    assert not (np.abs(display.samples[-1] - inside.mean(axis=0)) < 5).all()
    assert "1 sample lies beyond this figure" in display.ax_.get_xlabel()


# A twentieth of the samples is no outlier, however far it lies.
def test_a_small_group_far_off_is_shown():
    from abstain import GLVQ

    X = np.random.default_rng(0).normal(size=(200, 2))
    X[:10] += 100
    display = PrototypeDisplay.from_estimator(
        GLVQ().fit(X, np.arange(200) % 2), X, grid_resolution=10
    )
    assert all(positions[-1] > 100 for positions in display.grid)
    assert "beyond" not in display.ax_.get_xlabel()


@pytest.mark.parametrize("n_wrong", [0, 2, 20, 100])
def test_wrong_answers_are_seen_however_few(n_wrong):
    correct = np.arange(1000) >= n_wrong
    display = RejectOutcomesDisplay.from_predictions(
        np.ones(1000, int), correct.astype(int), np.linspace(0, 1, 1000)
    )
    shares = [display.right, display.falsely_rejected, display.wrong, display.truly_rejected]
    heights = [np.ptp(area.get_paths()[0].vertices[:, 1]) for area in display.areas_]
    assert heights == pytest.approx([1, 1, *[float(n_wrong > 0)] * 2])
    assert [area.get_hatch() is None for area in display.areas_] == [True, False, False, False]
    # The scales are those of the shares.
    _, panel = (np.arange(2) * 1.2).tolist()
    ticks = dict(zip(display.ax_.get_yticks(), tick_texts(display), strict=True))
    for place, text in ticks.items():
        total = sum(shares[2:] if place >= panel else shares[:2])[0]
        height = place - panel if place >= panel else place
        assert 100 * height * (total or 1) == pytest.approx(float(text.removesuffix("%")))


def tick_texts(display):
    return [text.get_text() for text in display.ax_.get_yticklabels()]


@pytest.mark.parametrize("case", sorted(CASES))
def test_every_case_has_what_it_is_named_for(case):
    X, y = CASES[case]()
    assert len(np.unique(y)) == int(case.partition("-")[0])
    assert np.isnan(X).any() == ("missing" in case)
