"""A figure shows what was run, and nothing else."""

import pytest

from abstain.study import figures
from abstain.study.curves import Curves, Way
from tests.study.records import flat_curve

LABELS = ["global", "local"]


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
        (both("tecator", "gmlvq") + both("tecator-raw", "gmlvq"), ["benchmark.png", "tecator.png"]),
        (both("tecator-raw", "gmlvq"), ["tecator.png"]),
    ],
)
def test_there_is_a_figure_for_whatever_was_run(tmp_path, ways, expected):
    files = figures.draw_figures(Curves(records_of(*ways)), tmp_path)
    assert files == [tmp_path / name for name in expected]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(expected)
    for file in files:
        assert file.read_bytes().startswith(b"\x89PNG")
        before = file.read_bytes()
        figures.draw_figures(Curves(records_of(*ways)), tmp_path)
        assert file.read_bytes() == before


def labels(ax):
    return [line.get_label() for line in ax.lines if not line.get_label().startswith("_")]


def test_where_a_curve_ends_at_once_there_is_a_dot_and_what_goes_on_out_of_fold():
    ways = both("steroid", "gmlvq")
    later = ways[1]._replace(source="out of fold")
    for last, expected in ((0.0, [*LABELS, "local, set out of fold"]), (0.3, LABELS)):
        records = [flat_curve(way, 0, split, 0.8, last=last) for way in ways for split in range(5)]
        records += [flat_curve(later, 0, split, 0.7, last=0.5) for split in range(5)]
        (ax,) = figures._curves(Curves(records), ["steroid"], True).axes
        assert labels(ax) == expected
        assert ax.get_xlim()[1] == pytest.approx(max(0.1, last if expected == LABELS else 0.5))
        dots = [line for line in ax.lines if line.get_marker() == "o"]
        assert [dot.get_ydata()[0] for dot in dots[:2]] == pytest.approx([0.8, 0.8])


def test_a_panel_shows_global_and_local_the_svm_and_bayes_with_their_bands():
    sets, models = ["gaussian", "pearl"], ["rslvq", "lgmlvq"]
    ways = [way for name in sets for model in models for way in both(name, model)]
    ways += [Way(name, model) for name in sets for model in ("svm", "bayes")]
    figure = figures._curves(Curves(records_of(*ways)), sets)
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
