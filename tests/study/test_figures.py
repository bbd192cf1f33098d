"""A figure shows what was run, and nothing else."""

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
    (ax,) = figure.axes
    assert labels(ax) == [*LABELS, "SVM"]
    # In the order of the records: 0.80 to 0.82 by the training part, 0.83 to 0.85 out of fold.
    first = [line.get_ydata()[0] for line in ax.lines if len(line.get_ydata()) > 1]
    assert first == pytest.approx([0.83, 0.84, 0.85] if is_separable else [0.8, 0.81, 0.82])
    assert ("out of fold" in ax.get_title()) == is_separable


def test_a_panel_shows_global_and_local_the_svm_and_bayes_with_their_bands():
    sets, models = ["gaussian", "pearl"], ["rslvq", "lgmlvq"]
    settings = [setting for name in sets for model in models for setting in both(name, model)]
    settings += [Setting(name, model) for name in sets for model in ("svm", "bayes")]
    figure = figures._curves(Curves(records_of(*settings)), sets)
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == [
        "Gaussian clusters: RSLVQ",
        "Gaussian clusters: LGMLVQ",
        "Pearl necklace: RSLVQ",
        "Pearl necklace: LGMLVQ",
    ]
    for ax in figure.axes:
        assert labels(ax) == ["global", "local", "SVM", "Bayes"]
        assert len(ax.collections) == 4
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.texts] == ["global", "local", "SVM", "Bayes"]
