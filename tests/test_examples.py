"""The examples run as they stand, and what they print is what a computation of its own finds."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import StratifiedKFold, cross_validate, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import RejectOptionClassifier, RejectRate
from abstain.models import GMLVQ

pytestmark = pytest.mark.slow
pytest.importorskip("matplotlib", reason="pip install '.[plot]' to run the examples")

# Those that are told where to write. All others take no options and run when `make docs` builds the
# gallery, where an error or a warning ends the build.
EXAMPLES = sorted(
    script
    for script in (Path(__file__).resolve().parent.parent / "examples").rglob("*.py")
    if '"--out"' in script.read_text(encoding="utf-8")
)


def run(script, *arguments, folder):
    return subprocess.run(
        [sys.executable, "-W", "error", str(script), *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """What each example prints, and the folder that it was told to write to."""
    printed_by = {}
    for script in EXAMPLES:
        folder = tmp_path_factory.mktemp(script.stem)
        done = run(script, "--out", folder / "made by it", folder=folder)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        printed_by[script.stem] = done.stdout, folder
    return printed_by


def test_there_are_examples():
    names = {script.stem for script in EXAMPLES}
    assert {"breast_cancer_relevances", "pictures_of_rejects"} <= names


@pytest.mark.parametrize("name", [script.stem for script in EXAMPLES])
def test_an_example_writes_whole_figures_where_it_is_reported(name, outputs):
    from matplotlib.image import imread

    _, folder = outputs[name]
    assert [path.name for path in folder.iterdir()] == ["made by it"]
    files = list((folder / "made by it").iterdir())
    assert files
    for path in files:
        assert not path.name.startswith(".")
        assert imread(path).std() > 0.05  # can be read to the end, and is not blank


@pytest.fixture(scope="module")
def cancer():
    data = load_breast_cancer()
    return data.data, data.target_names[data.target], data.feature_names


@pytest.fixture(scope="module")
def validated(cancer):
    X, y, _ = cancer
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    pipeline = make_pipeline(StandardScaler(), GMLVQ(1))
    return cross_validate(pipeline, X, y, cv=folds, return_estimator=True)


@pytest.fixture
def printed(outputs):
    return outputs["breast_cancer_relevances"][0]


def test_the_features_of_breast_cancer_are_those_that_weigh_most(cancer, printed):
    X, y, names = cancer
    relevances = GMLVQ(1).fit(StandardScaler().fit_transform(X), y).relevances_
    order = (-relevances).argsort()[:10]
    rows = re.findall(r"^([a-z ]+?) +([\d.]+)% +(\d+)% folds$", printed, re.MULTILINE)
    assert [name for name, _, _ in rows] == names[order].tolist()
    assert [weight for _, weight, _ in rows] == [f"{100 * relevances[i]:.1f}" for i in order]


def test_the_shares_of_folds_are_counted(cancer, validated, printed):
    _, _, names = cancer
    relevances = [fitted[-1].relevances_ for fitted in validated["estimator"]]
    tops = [set(names[(-weights).argsort()[:5]]) for weights in relevances]
    rows = re.findall(r"^([a-z ]+?) +[\d.]+% +(\d+)% folds$", printed, re.MULTILINE)
    assert len(rows) == 10
    for name, share in rows:
        assert int(share) == 10 * sum(name in top for top in tops)


def test_the_accuracy_on_breast_cancer_is_that_of_ten_folds(validated, printed):
    accuracies = validated["test_score"]
    assert f"10 folds: {accuracies.mean():.3f} ± {accuracies.std():.3f}" in printed
    kept = dict(re.findall(r"^(all 30|\d+) +(0\.\d+)$", printed, re.MULTILINE))
    assert list(kept) == ["1", "2", "3", "5", "10", "20", "all 30"]
    assert kept["all 30"] == f"{accuracies.mean():.3f}"


# Features are chosen in the training part of each fold.
def test_the_accuracy_with_few_features_is_not_flattered(cancer, validated, printed):
    X, y, _ = cancer
    scores = []
    folds = StratifiedKFold(10, shuffle=True, random_state=0).split(X, y)
    for (train, test), whole in zip(folds, validated["estimator"], strict=True):
        kept = (-whole[-1].relevances_).argsort()[:2]
        fitted = make_pipeline(StandardScaler(), GMLVQ(1)).fit(X[np.ix_(train, kept)], y[train])
        scores.append(fitted.score(X[np.ix_(test, kept)], y[test]))
    assert re.search(rf"^2 +{np.mean(scores):.3f}$", printed, re.MULTILINE)


def test_the_figures_of_breast_cancer_lie_where_it_says(outputs):
    printed, folder = outputs["breast_cancer_relevances"]
    written = sorted(path.name for path in (folder / "made by it").iterdir())
    assert written == ["prototypes.png", "relevances.png"]
    assert printed.splitlines()[-1] == f"The figures lie in {folder / 'made by it'}"


# Counted by certainty and thresholds, without `reject` and without the Display.
def test_what_is_reported_rejects_is_counted(outputs):
    X, y = load_digits(n_class=6, return_X_y=True)
    X, X_new, y, y_new = train_test_split(X / 16, y, test_size=0.5, stratify=y, random_state=0)
    model = GMLVQ(1, n_components=2, random_state=0)
    settings = {"target": RejectRate(0.1), "cv": 5, "outliers": None, "random_state": 0}
    clf = RejectOptionClassifier(model, **settings).fit(X, y)
    limits = clf.thresholds_[clf.estimator_.apply(X_new)]
    accepted = clf.certainties(X_new) >= limits
    right = clf.estimator_.predict(X_new) == y_new
    printed = outputs["pictures_of_rejects"][0]
    assert f"right on all 542 new digits: {right.mean():.1%}\n" in printed
    told = f"right on the {accepted.mean():.1%} that are answered: {right[accepted].mean():.1%}\n"
    assert told in printed
    of_each = " ".join(str(count) for count in np.bincount(y_new[~accepted], minlength=6))
    assert f"rejected of each digit: {of_each}\n" in printed


# The mean texture is hidden by the worst texture.
def test_an_example_says_which_relevances_can_be_trusted(tmp_path):
    script = Path(__file__).parent.parent / "examples/models/trusted_relevances.py"
    done = run(script, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    low, _, hidden = done.stdout.partition("hidden by others")
    assert "mean texture" in low.partition("below it in 95% of the fits:")[2].splitlines()[1]
    assert re.search(r"mean texture .*worst texture \(0\.9", hidden)
    # The most relevant feature of the last table is so in nearly all halves.
    first = hidden.partition("halves ")[2].splitlines()[1]
    assert int(re.search(r"(\d+)%$", first)[1]) >= 80
