"""What cannot be saved or loaded is refused in one line, by name; nothing else is changed."""

import functools
import os
import pickle
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
import sklearn
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.cluster import Birch
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PowerTransformer, StandardScaler
from sklearn.svm import SVC

import abstain
from abstain import (
    GLVQ,
    GMLVQ,
    InputError,
    RejectOptionClassifier,
    RejectRate,
    load,
    save,
)
from abstain.saving import container
from abstain.saving.codec import KNOWN
from abstain.saving.persisting import VERSIONS
from tests.saving.checks import X, Y, refused, round_trip, same_answers, same_bits
from tests.saving.forging import file_of, forge, parts_of

ROOT = Path(__file__).parents[2]

# --- what is saved ------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [GMLVQ(), RejectOptionClassifier(GMLVQ()), SVC()], ids=str)
def test_an_unfitted_estimator_is_refused(estimator, path):
    name = type(estimator).__name__
    refused(save, estimator, path, match=f"clf must be fitted to be saved, got a {name} that is")
    assert not path.exists()


def test_a_fit_that_was_broken_off_is_refused(path):
    clf = RejectOptionClassifier(GaussianNB(), certainty=lambda model, X: np.ones(3))
    with pytest.raises(InputError, match="certainty must return one number"):
        clf.fit(X, Y)
    refused(save, clf, path, match="clf must be fitted")


@pytest.mark.parametrize("thing", [GMLVQ, "GMLVQ", None, {"a": 1}, np.zeros(3)], ids=repr)
def test_what_is_no_estimator_is_refused(thing, path):
    refused(save, thing, path, match="clf must be a fitted classifier, got")


def test_what_a_file_cannot_hold_is_refused_by_name(path):
    model = make_pipeline(Birch(), GaussianNB()).fit(X, Y)
    refused(save, model, path, match=r"cannot save Pipeline: Birch\.\w+ is a _CFNode, which a")
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, cv=3).fit(X, Y)
    refused(save, search, path, match="a GridSearchCV cannot be saved; save its best_estimator_")
    sparse = KNeighborsClassifier().fit(scipy.sparse.csr_array(np.where(X > 0, X, 0)), Y)
    refused(save, sparse, path, match=r"KNeighborsClassifier\._fit_X must be finite numbers")
    kernels = SVC(kernel="precomputed").fit(X @ X.T, Y)
    refused(save, kernels, path, match=r"SVC\.kernel must be one of linear, poly, rbf, sigmoid")
    by_category = HistGradientBoostingClassifier(max_iter=3, categorical_features=[0])
    by_category.fit(np.column_stack([X[:, 0] > 0, X]), Y)
    refused(save, by_category, path, match=r"HistGradientBoostingClassifier\._preprocessor must be")
    assert not path.exists()


def test_attributes_that_no_fit_sets_are_refused(path):
    model = GaussianNB().fit(X, Y)
    model.note = "seen by the doctor"
    refused(save, model, path, match="GaussianNB has the attribute 'note', which abstain does not")
    model = Shift().fit(X, Y)
    model.itself = [model]
    refused(save, model, path, match="estimators in it are nested more than 9 levels deep")
    model.itself = loop = []
    loop.append(loop)
    refused(save, model, path, match="Shift.itself refers back to itself, or is nested too deeply")


@pytest.mark.parametrize(
    "forged", [np.zeros((1,) * 5), np.zeros(3, np.longdouble), np.array(["x" * 10_000])]
)
def test_arrays_that_a_file_cannot_hold_are_refused_when_saving(forged, path):
    model = Shift().fit(X, Y)
    model.shift_ = forged
    refused(save, model, path, match=r"cannot save Shift: Shift\.shift_ is an array of .* cannot")


def test_a_failing_save_keeps_what_was_there(clf, path, monkeypatch):
    save(clf, path)
    before = path.read_bytes()
    refused(save, GMLVQ(), path, match="fitted")

    def refuse(source, target):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.replace", refuse)
        refused(save, clf, path, match="cannot write .*: No space left on device; make room")
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    save(clf.retarget(RejectRate(0.4)), path)
    assert load(path).target == RejectRate(0.4)


def test_paths(clf, tmp_path):
    save(clf, str(tmp_path / "text"))
    same_answers(clf, load(str(tmp_path / "text")))
    refused(save, clf, tmp_path, match="cannot write .*: it is a folder; name a file in it")
    refused(save, clf, tmp_path / "no" / "where", match="cannot write .*: there is no folder")
    refused(load, tmp_path, match="cannot load .*: it is a folder; name a file in it")
    refused(load, tmp_path / "nothing", match="cannot load .*nothing: there is no such file")
    for call in (functools.partial(save, clf), load):
        refused(call, None, match="path must be the path of a file, got None")


# --- functions: a file names them, and load is given them ---------------------------------------


def own_rule(estimator, X):
    return np.abs(X[:, 0]) > 1


class Rule:
    def __call__(self, estimator, X):
        return X[:, 0] > 0.5


@pytest.mark.parametrize("argument", ["certainty", "cells"])
@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("<lambda>", lambda model, X: X[:, 0] > 1),
        ("own_rule", own_rule),
        ("partial", functools.partial(own_rule)),
        ("Rule", Rule()),
        ("__call__", Rule().__call__),
    ],
    ids=["lambda", "function", "partial", "object", "method"],
)
def test_functions_of_the_users_own_are_given_to_load(argument, name, rule, path):
    clf = RejectOptionClassifier(GaussianNB(), **{argument: rule}).fit(X, Y)
    save(clf, path)
    match = rf"it names functions, which no file holds: {name}; load it in Python, with functions="
    refused(load, path, match=match)
    refused(load, path, match=match, functions={"another": rule})
    same_answers(clf, load(path, functions={name: rule}))


def test_functions_of_transformers_are_given_to_load(path):
    model = make_pipeline(FunctionTransformer(np.tanh), GaussianNB()).fit(X, Y)
    save(model, path)
    refused(load, path, match="it names functions, which no file holds: tanh")
    assert same_bits(load(path, functions={"tanh": np.tanh}).predict(X), model.predict(X))


def test_two_functions_of_one_name_are_refused(path):
    clf = RejectOptionClassifier(
        GaussianNB(), certainty=lambda m, X: X[:, 0], cells=lambda m, X: X > 9
    )
    clf.cells = lambda m, X: X[:, 0] > 0
    clf.fit(X, Y)
    refused(save, clf, path, match="two functions in it are called '<lambda>'")


@pytest.mark.parametrize("functions", [[own_rule], "own_rule", {"own_rule": 3}, 7], ids="lsdi")
def test_what_are_no_functions(functions, clf, path):
    save(clf, path)
    match = "functions must be a dict of names and functions, got"
    refused(load, path, match=match, functions=functions)


@pytest.mark.parametrize(
    ("parameter", "model"),
    [
        ("KNeighborsClassifier.metric", KNeighborsClassifier(metric=lambda a, b: abs(a - b).sum())),
        ("KNeighborsClassifier.weights", KNeighborsClassifier(weights=lambda distances: distances)),
        ("SVC.kernel", SVC(kernel=lambda a, b: a @ b.T)),
        (
            "ColumnTransformer.transformers",
            make_pipeline(
                make_column_transformer((StandardScaler(), make_column_selector())), GLVQ()
            ),
        ),
    ],
    ids=["metric", "weights", "kernel", "columns"],
)
def test_functions_elsewhere_are_refused_when_saving(parameter, model, path):
    if "Column" in parameter:
        pandas = pytest.importorskip("pandas")
        model.fit(pandas.DataFrame(X), Y)
    else:
        model.fit(X, Y)
    refused(save, model, path, match=f"cannot save .*: {re.escape(parameter)} must be")


# --- classes: known, or trusted by name ----------------------------------------------------------


class Shift(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        self.shift_ = X.mean(axis=0)
        return self

    def transform(self, X):
        return X - self.shift_


@pytest.mark.parametrize("trusted", [Shift, [Shift], f"{Shift.__module__}.Shift"], ids=str)
def test_unknown_classes_are_refused_by_name_unless_they_are_trusted(trusted, path):
    clf = RejectOptionClassifier(make_pipeline(Shift(), GMLVQ())).fit(X, Y)
    save(clf, path)
    refused(load, path, match=rf"does not know: {Shift.__module__}\.Shift; if you know them and")
    refused(load, path, match="does not know", trusted=[PowerTransformer])
    same_answers(clf, load(path, trusted=trusted))


def test_other_classes_of_scikit_learn_can_be_trusted(path):
    model = make_pipeline(PowerTransformer(), GLVQ()).fit(X, Y)
    save(model, path)
    refused(load, path, match=r"does not know: sklearn\.preprocessing\.PowerTransformer;")
    for trusted in (PowerTransformer, "sklearn.preprocessing.PowerTransformer"):
        assert same_bits(load(path, trusted=trusted).predict(X), model.predict(X))


@pytest.mark.parametrize("trusted", [True, None, 3, [None], ["Shift"], ["os.system"]], ids=repr)
def test_what_cannot_be_trusted(trusted, clf, path):
    save(clf, path)
    refused(load, path, match="trusted must be classes or their full names", trusted=trusted)


def test_classes_that_cannot_be_found_again_are_refused_when_saving(path):
    class Local(Shift):
        pass

    model = make_pipeline(Local(), GaussianNB()).fit(X, Y)
    refused(save, model, path, match=r"Local cannot be found by its name; define it at the top")


def test_everything_known_exists_under_its_name():
    for name, known in KNOWN.items():
        if hasattr(sklearn.calibration, "_TemperatureScaling") or "Temperature" not in name:
            assert known.type.__name__ == name.rpartition(".")[2]


def test_the_guide_lists_what_can_be_loaded():
    page = (ROOT / "docs" / "guide" / "saving.md").read_text(encoding="utf-8")
    listed = re.findall(r"`([A-Z]\w+)`", page.split("## Which classes")[1].split("Others, and")[0])
    known = {name.rpartition(".")[2] for name in KNOWN}
    assert len(listed) == len(set(listed)) > 25
    assert set(listed) <= known


# --- damage --------------------------------------------------------------------------------------


def test_every_truncated_file_is_refused(clf, path):
    save(clf, path)
    whole = path.read_bytes()
    for size in [*range(0, len(whole), 97), len(whole) - 1]:
        path.write_bytes(whole[:size])
        refused(load, path, match=f"cannot load {re.escape(str(path))}: it is (truncated|not a )")


def test_every_flipped_bit_is_found(clf, path):
    save(clf, path)
    whole = path.read_bytes()
    for at in [*range(100), *range(0, len(whole), 53)]:
        flipped = bytearray(whole)
        flipped[at] ^= 1 << at % 8
        path.write_bytes(flipped)
        refused(load, path, match="truncated or was changed|not a file that abstain|newer abstain")


def test_more_at_the_end_is_found(clf, path):
    save(clf, path)
    path.write_bytes(path.read_bytes() + b"\n")
    refused(load, path, match="it is truncated or was changed")


def test_other_files_are_recognized(path):
    for content in (b"", b"abs", b"certainty,correct\n", bytes(80)):
        path.write_bytes(content)
        refused(load, path, match="it is not a file that abstain.save has written")


def test_a_pickle_is_recognized(path):
    path.write_bytes(pickle.dumps(GLVQ()))
    refused(load, path, match="it is a pickle, which can run code when it is loaded; fit again")


def test_files_of_version_0_1_are_recognized(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("abstain.json", '{"format": 1, "abstain": "0.1.0"}')
        archive.writestr("schema.json", "{}")
    refused(load, path, match=r"it is a zip archive, as skops and early builds .*save again")


def test_what_is_no_regular_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for device in (tmp_path / "pipe", "/dev/zero", "/dev/null"):
        refused(load, device, match="it is not a regular file; write the model to one first")


# --- versions ------------------------------------------------------------------------------------


def test_the_versions_are_in_the_file(clf, path):
    save(clf, path)
    description, _ = parts_of(path)
    versions = abstain.__version__, sklearn.__version__, np.__version__
    assert tuple(description[name] for name in ("abstain", "scikit-learn", "numpy")) == versions


def test_a_newer_format_says_what_to_do(clf, path):
    save(clf, path)
    path.write_bytes(path.read_bytes().replace(b"abstain model 2", b"abstain model 3", 1))
    refused(load, path, match="a newer abstain wrote it, in another format; update abstain")


@pytest.mark.parametrize("package", ["abstain", "scikit-learn"])
def test_another_version_of_the_same_format_warns_and_names_both(package, clf, path):
    save(clf, path)
    forge(path, lambda description: description.update({package: "0.0.1"}))
    here = re.escape(VERSIONS[package])
    with pytest.warns(UserWarning, match=rf"saved with {package} 0\.0\.1, .* {package} {here};"):
        same_answers(clf, load(path))


def test_limits_are_checked_when_saving(clf, path, monkeypatch):
    monkeypatch.setattr(container, "MAX_VALUES", 100)
    refused(save, clf, path, match="it has more than 100 values outside of arrays")
    assert not path.exists()


def test_what_is_fitted_is_loaded(path):
    path.write_bytes(file_of({**VERSIONS, "numpy": "2", "model": [1, 2], "arrays": []}))
    refused(load, path, match="it holds no fitted classifier but a list")
    model = GLVQ().fit(X, Y)
    save(model, path)
    forge(path, lambda description: description["model"].update(state={}))
    # Its arrays are still there, and nothing refers to them.
    refused(load, path, match="it holds arrays that nothing refers to")
    assert round_trip(model, path).n_features_in_ == 5
