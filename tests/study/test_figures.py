"""A figure shows what was run, and nothing else."""

import pytest

from abstain.study import figures
from abstain.study.curves import Curves, Way
from tests.study.records import flat_curve


def records_of(*ways):
    return [
        flat_curve(way, 0, split, 0.8 + 0.01 * number, last=0.4)
        for number, way in enumerate(ways)
        for split in range(3)
    ]


def both(name, model):
    return [Way(name, model), Way(name, model, "local")]


def trained(name, model):
    exact = Way(name, model, "local", part="training")
    return [exact, exact._replace(method="greedy")]


@pytest.mark.parametrize(
    ("ways", "expected"),
    [
        (both("haberman", "gmlvq"), ["benchmark.png"]),
        ([*both("steroid", "gmlvq"), Way("steroid", "svm")], ["medical.png"]),
        ([Way("haberman", "svm")], []),
        ([Way("haberman", "forest")], []),
        ([], []),
        (
            [
                way
                for model in ("gmlvq", "lgmlvq")
                for way in both("tecator", model) + trained("tecator", model)
            ],
            ["greedy.png", "benchmark.png"],
        ),
    ],
)
def test_there_is_a_figure_for_whatever_was_run(tmp_path, ways, expected):
    files = figures.draw_figures(records_of(*ways), tmp_path)
    assert files == [tmp_path / name for name in expected]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(expected)
    for file in files:
        assert file.read_bytes().startswith(b"\x89PNG")
        before = file.read_bytes()
        figures.draw_figures(records_of(*ways), tmp_path)
        assert file.read_bytes() == before


def test_a_panel_shows_global_and_local_the_svm_and_bayes_with_their_bands():
    sets, models = ["gaussian", "pearl"], ["rslvq", "lgmlvq"]
    ways = [way for name in sets for model in models for way in both(name, model)]
    ways += [Way(name, model) for name in sets for model in ("svm", "bayes")]
    figure = figures._curves(Curves(records_of(*ways)), "artificial")
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == [
        "Gaussian clusters: RSLVQ",
        "Gaussian clusters: LGMLVQ",
        "Pearl necklace: RSLVQ",
        "Pearl necklace: LGMLVQ",
    ]
    for ax in figure.axes:
        assert [line.get_label() for line in ax.lines] == ["global", "local", "SVM", "Bayes"]
        assert len(ax.collections) == 4
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.texts] == ["global", "local", "SVM", "Bayes"]
