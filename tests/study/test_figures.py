"""A figure shows what was run, and nothing else."""

from contextlib import nullcontext

import numpy as np
import pytest

from abstain.study import figures
from abstain.study.curves import Curves, Setting
from tests.study.records import flat_curve

LABELS = ["global", "local"]


def records_of(*settings):
    return [
        flat_curve(setting, 0, split, 0.8 + 0.01 * number, last=0.4)
        for number, setting in enumerate(settings)
        for split in range(3)
    ]


def both(name, model):
    return [Setting(name, model), Setting(name, model, "local")]


def trained(name, model):
    exact = Setting(name, model, "local", part="training")
    return [exact, exact._replace(method="greedy")]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (both("haberman", "gmlvq"), ["benchmark.png"]),
        ([*both("steroid", "gmlvq"), Setting("steroid", "svm")], ["medical.png"]),
        ([Setting("haberman", "svm")], []),
        ([Setting("haberman", "forest")], []),
        ([], []),
        (
            [
                setting
                for model in ("gmlvq", "lgmlvq")
                for setting in both("tecator", model) + trained("tecator", model)
            ],
            ["greedy.png", "benchmark.png"],
        ),
        (both("tecator", "gmlvq") + both("tecator-raw", "gmlvq"), ["benchmark.png", "tecator.png"]),
        (both("tecator-raw", "gmlvq"), ["tecator.png"]),
    ],
)
def test_there_is_a_figure_for_whatever_was_run(tmp_path, settings, expected):
    files = figures.draw_figures(Curves(records_of(*settings)), tmp_path)
    assert files == [tmp_path / name for name in expected]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(expected)
    for file in files:
        assert file.read_bytes().startswith(b"\x89PNG")
        before = file.read_bytes()
        figures.draw_figures(Curves(records_of(*settings)), tmp_path)
        assert file.read_bytes() == before


def labels(ax):
    return [line.get_label() for line in ax.lines if not line.get_label().startswith("_")]


# Where the training part is separated, thresholds set on it reject next to nothing.
@pytest.mark.parametrize(("name", "is_separable"), [("steroid", True), ("wisconsin", False)])
def test_thresholds_are_those_out_of_fold_where_the_training_part_is_separated(name, is_separable):
    settings = both(name, "gmlvq")
    out_of_fold = [
        setting._replace(source="out of fold") for setting in (*settings, Setting(name, "svm"))
    ]
    figure = figures._curves(
        Curves(records_of(*settings, Setting(name, "svm"), *out_of_fold)), [name], True
    )
    ax, _ = figure.axes  # and the strip below
    assert labels(ax) == [*LABELS, "SVM"]
    # In the order of the records: 0.80 to 0.82 by the training part, 0.83 to 0.85 out of fold.
    first = [line.get_ydata()[0] for line in ax.lines if len(line.get_ydata()) > 1]
    assert first == pytest.approx([0.83, 0.84, 0.85] if is_separable else [0.8, 0.81, 0.82])
    assert ("out of fold" in ax.get_title()) == is_separable


def panels(figure):
    return [ax for ax in figure.axes if ax.get_title()]


def test_a_panel_shows_global_and_local_the_svm_and_bayes_above_their_deviations():
    sets, models = ["gaussian", "pearl"], ["rslvq", "lgmlvq"]
    settings = [setting for name in sets for model in models for setting in both(name, model)]
    settings += [Setting(name, model) for name in sets for model in ("svm", "bayes")]
    figure = figures._curves(Curves(records_of(*settings)), sets)
    assert [ax.get_title() for ax in panels(figure)] == [
        "Gaussian clusters:\nRSLVQ",
        "Gaussian clusters:\nLGMLVQ",
        "Pearl necklace:\nRSLVQ",
        "Pearl necklace:\nLGMLVQ",
    ]
    for ax in panels(figure):
        assert labels(ax) == ["global", "local", "SVM", "Bayes"]
        assert len(ax.collections) == 0  # bands of several curves cannot be told apart
    strips = [ax for ax in figure.axes if not ax.get_title()]
    assert [len(ax.lines) for ax in strips] == [4] * 4
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.texts] == ["global", "local", "SVM", "Bayes"]


def many_settings():
    names = ["gaussian", "pearl", "segment", "tecator", "haberman", "coil20", "tecator-raw"]
    names += ["steroid", "wisconsin", "cleveland", "gastric"]
    for name in names:
        yield Setting(name, "svm")
        for model in ("rslvq", "gmlvq", "lgmlvq"):
            yield from both(name, model) + trained(name, model)


# A page of the documentation is about 750 pixels wide.
def test_letters_can_be_read_at_the_width_of_a_page_and_none_leaves_the_figure(
    tmp_path, monkeypatch
):
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    drawn = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: drawn.append(figure))
    monkeypatch.setattr(figures, "atomic_files", lambda file: nullcontext((file,)))
    figures.draw_figures(Curves(records_of(*many_settings())), tmp_path)
    assert len(drawn) == 6
    for figure in drawn:
        figure.draw_without_rendering()
        width, _ = figure.get_size_inches()
        frame = figure.bbox
        for ax in (ax for ax in figure.axes if ax.get_visible()):
            texts = [ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts]
            for text in [*texts, *ax.get_xticklabels()]:
                assert text.get_fontsize() * 750 / 72 / width >= 9  # in pixels
            for text in filter(Text.get_text, texts):
                box = text.get_window_extent()
                assert -1 <= box.x0 <= box.x1 <= frame.x1 + 1
        legends = [legend.get_window_extent() for legend in figure.legends]
        assert all(box.x0 >= 0 and box.x1 <= frame.x1 for box in legends)


# Where no run rejects anything, an empty panel would look like a fault.
@pytest.mark.parametrize(
    ("ends", "lacking"),
    [
        ({"global": 0.0, "local": 0.0, "SVM": 0.0}, "global, local or SVM"),
        ({"global": 0.4, "local": 0.0, "SVM": 0.4}, "local"),
        ({"global": 0.0, "local": 0.0, "SVM": 0.4}, "global or local"),
        ({"global": 0.4, "local": 0.4, "SVM": 0.4}, None),
    ],
)
def test_a_panel_says_which_curve_is_lacking_and_why(ends, lacking):
    settings = [*both("tecator-raw", "gmlvq"), Setting("tecator-raw", "svm")]
    records = [
        flat_curve(setting, 0, split, 0.9, last=last)
        for setting, last in zip(settings, ends.values(), strict=True)
        for split in range(3)
    ]
    panel, strip = figures._curves(Curves(records), ["tecator-raw"]).axes
    said = f"no {lacking} curve: nothing is rejected in 100% of the runs"
    texts = [" ".join(text.get_text().split()) for text in panel.texts]
    assert texts == [said] * (lacking is not None)
    assert [float(line.get_ydata()[0]) for line in panel.lines] == pytest.approx([0.9] * 6)
    assert strip.get_visible() == any(ends.values())


def test_below_exact_and_greedy_curves_is_the_lead_of_exact_ones():
    settings = [setting for model in ("gmlvq", "lgmlvq") for setting in trained("pearl", model)]
    settings += [setting for model in ("gmlvq", "lgmlvq") for setting in both("pearl", model)]
    figure = figures._greedy(Curves(records_of(*settings)))
    leads = [ax.lines[0].get_ydata()[0] for ax in figure.axes if not ax.get_title()]
    assert leads == pytest.approx([-1, -1])  # by the order of the records


@pytest.mark.parametrize(
    ("prototypes", "notes"),
    [
        (None, []),
        ([[0.5, 0.5], [0.0, 1.0]], []),
        ([[0.5, 0.5], [0.5, 1.1]], ["1 of 2 prototypes lie outside"]),
        ([[-0.1, 0.5], [2.0, 2.0]], ["2 of 2 prototypes lie outside"]),
    ],
)
def test_a_plane_says_how_many_prototypes_lie_beyond_its_edges(prototypes, notes):
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    ax.set(xlim=(0, 1), ylim=(0, 1))
    figures._count_outside(ax, None if prototypes is None else np.array(prototypes))
    assert [text.get_text() for text in ax.texts] == notes
