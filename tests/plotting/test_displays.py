"""Laws of all Displays: arrays first, a figure where one is asked for, public attributes only."""

import ast
import inspect
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

import abstain
from abstain import GMLVQ, RejectOptionClassifier, RejectRate, load, plotting, save

pytest.importorskip("matplotlib", reason="pip install '.[plot]' to test figures")

NEED_NO_SAMPLES = {"RelevanceDisplay", "RelevanceMatrixDisplay"}
FIT_AGAIN = {
    "IteratedRelevancesDisplay": {"max_iterations": 2},
    "RelevanceStabilityDisplay": {"n_resamples": 4},
}
SHOW_A_PLANE = {"CertaintyContourDisplay", "PrototypeDisplay", "RejectRegionDisplay"}


@pytest.fixture(scope="module")
def fitted():
    X, y = load_iris(return_X_y=True)
    clf = RejectOptionClassifier(GMLVQ(n_components=2, random_state=0), target=RejectRate(0.2))
    return clf.fit(X, y), X, y


def made(name, fitted, **options):
    clf, X, y = fitted
    samples = () if name in NEED_NO_SAMPLES else (X, y)
    if name in SHOW_A_PLANE:
        options["grid_resolution"] = 40
    if name == "RiskMonitorDisplay":  # the target of the classifier is no accuracy
        options["accuracy"] = 0.9
    if name in FIT_AGAIN:
        options |= {"random_state": 0, **FIT_AGAIN[name]}
    return getattr(plotting, name).from_estimator(clf, *samples, **options)


every_display = pytest.mark.parametrize("name", plotting.__all__)


@every_display
def test_a_display_is_only_in_plotting(name):
    assert name not in abstain.__all__
    assert not hasattr(abstain, name)


# Displays work with any classifier, front or model that has the documented attributes.
@pytest.mark.parametrize(
    "module", sorted(Path(plotting.__file__).parent.glob("*.py")), ids=lambda path: path.stem
)
def test_displays_read_public_attributes_only(module):
    private = [
        f"{ast.unparse(node)} in line {node.lineno}"
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and node.attr != "_asdict"
        and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
    ]
    assert private == []


# Texts that Displays share are filled in when the module is imported.
@every_display
def test_help_describes_every_parameter_and_result(name):
    display = getattr(plotting, name)
    methods = [key for key in vars(display) if key == "plot" or key.startswith("from_")]
    for documented in (display, *(getattr(display, key) for key in methods)):
        text = inspect.getdoc(documented)
        section = text.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
        described = [line.partition(" : ")[0] for line in section.splitlines() if line[0] != " "]
        described = [name.strip("* ") for names in described for name in names.split(",")]
        parameters = inspect.signature(documented).parameters
        assert described == [name for name in parameters if name != "self"]
        assert f">>> from abstain.plotting import {name}\n" in text
        assert documented is display or f"Returns\n-------\ndisplay : {name}\n" in text


# Completion in an editor sees names, not **kwargs.
@pytest.mark.parametrize(
    ("name", "constructor"),
    [
        ("ReliabilityDisplay", "from_estimator"),
        ("RejectConfusionDisplay", "from_estimator"),
        ("RejectConfusionDisplay", "from_cv_results"),
    ],
)
def test_constructors_name_the_settings_of_from_predictions(name, constructor):
    def settings(method):
        parameters = inspect.signature(getattr(getattr(plotting, name), method)).parameters
        return [each for each in parameters.values() if each.kind is each.KEYWORD_ONLY]

    assert settings(constructor) == settings("from_predictions")


@every_display
def test_a_display_is_drawn_where_it_is_reported(name, fitted):
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, layout="constrained")
    display = made(name, fitted, ax=left)
    assert display.ax_ is left
    assert display.figure_ is figure
    assert display.plot(ax=right) is display
    assert display.ax_ is right
    figure.canvas.draw()
    assert display.plot().figure_ is not figure


@pytest.mark.parametrize("name", ["CertaintyContourDisplay", "RejectRegionDisplay"])
def test_panels_side_by_side_need_one_legend(name, fitted):
    assert made(name, fitted).ax_.get_legend() is not None
    assert made(name, fitted, legend=False).ax_.get_legend() is None


@every_display
def test_without_matplotlib_the_extra_is_named(name, fitted, monkeypatch):
    display = made(name, fitted)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install '.\[plot\]', in a copy"):
        display.plot()


# What a figure needs of a classifier is saved with it.
@every_display
def test_a_loaded_classifier_gives_the_same_figure(name, fitted, tmp_path):
    clf, X, y = fitted
    save(clf, tmp_path / "clf.abstain")
    again = made(name, (load(tmp_path / "clf.abstain"), X, y))
    for key, value in vars(made(name, fitted)).items():
        if isinstance(value, np.ndarray) and not key.endswith("_"):
            assert getattr(again, key).tolist() == value.tolist()
