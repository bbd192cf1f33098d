"""What is loaded is what was saved, bit by bit; anything else is refused in one line."""

import copy
import functools
import json
import re
import subprocess
import sys
import zipfile
from hashlib import sha256
from pkgutil import resolve_name

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn
import skops.io
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import Birch, KMeans
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import abstain
from abstain import (
    GLVQ,
    GMLVQ,
    Accuracy,
    CoverageScorer,
    InputError,
    RejectCost,
    RejectOptionClassifier,
    RejectRate,
    aurc_scorer,
    load,
    models,
    save,
)
from abstain.cells import predicted_class
from abstain.certainty import posterior_margin
from abstain.saving import container
from abstain.saving.estimators import estimators_among
from abstain.saving.trusted import TRUSTED

X, CLASSES = make_classification(
    240, 5, n_informative=4, n_redundant=0, n_classes=3, flip_y=0.15, random_state=0
)
Y = np.array(["ash", "beech", "cedar"])[CLASSES]

OTHERS = [
    LogisticRegression(),
    RandomForestClassifier(n_estimators=5, max_depth=4),
    GradientBoostingClassifier(n_estimators=3),
    HistGradientBoostingClassifier(max_iter=5),
    SVC(),
    DecisionTreeClassifier(max_depth=4),
    KNeighborsClassifier(),
    KNeighborsClassifier(algorithm="ball_tree", p=3),
    GaussianNB(),
    MLPClassifier(hidden_layer_sizes=5, solver="lbfgs", max_iter=15000),
    NearestCentroid(),
    make_pipeline(StandardScaler(), GMLVQ()),
    FrozenEstimator(make_pipeline(StandardScaler(), SVC()).fit(X, Y)),
    CalibratedClassifierCV(SVC(), method="isotonic"),
    GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, scoring="accuracy", cv=3),
    GridSearchCV(make_pipeline(StandardScaler(), GLVQ()), {"glvq__tol": [1e-3, 1e-4]}, cv=KFold(3)),
]
EVERY = [*(getattr(models, name)() for name in models.__all__), *OTHERS]
every_estimator = pytest.mark.parametrize(
    "estimator", EVERY, ids=lambda estimator: type(estimator).__name__
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "classifier.abstain"


@pytest.fixture
def clf():
    return RejectOptionClassifier(GMLVQ(), target=RejectRate(0.2)).fit(X, Y)


def round_trip(clf, path, **settings):
    save(clf, path)
    return load(path, **settings)


def same_bits(one, other):
    one, other = np.asarray(one), np.asarray(other)
    if one.dtype.hasobject:
        return one.tolist() == other.tolist()
    return (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())


def same_answers(clf, loaded, X=X):
    assert same_bits(loaded.thresholds_, clf.thresholds_)
    assert same_bits(loaded.cells_, clf.cells_)
    for method in ("predict", "certainties", "apply", "reject"):
        assert same_bits(getattr(loaded, method)(X), getattr(clf, method)(X))
    assert loaded.explain(X).equals(clf.explain(X))


def refused(call, *args, match, **settings):
    with pytest.raises(InputError, match=match) as caught:
        call(*args, **settings)
    assert "\n" not in str(caught.value)


# ------------------------------------------------------------------------- round trips


@every_estimator
def test_thresholds_predictions_and_explanations_are_bit_equal(estimator, path):
    clf = RejectOptionClassifier(estimator, target=RejectRate(0.2), random_state=0).fit(X, Y)
    same_answers(clf, round_trip(clf, path))


@pytest.mark.parametrize("name", models.__all__)
def test_models_can_be_saved_on_their_own(name, path):
    model = getattr(models, name)().fit(X, Y)
    loaded = round_trip(model, path)
    assert same_bits(loaded.distances(X), model.distances(X))
    assert same_bits(loaded.predict(X), model.predict(X))
    assert str(loaded.get_params()) == str(model.get_params())


def test_pipelines_and_searches_around_the_classifier(path):
    pipeline = make_pipeline(StandardScaler(), RejectOptionClassifier(GMLVQ())).fit(X, Y)
    loaded = round_trip(pipeline, path)
    same_answers(pipeline[-1], loaded[-1])
    assert same_bits(loaded.predict(X), pipeline.predict(X))
    search = GridSearchCV(
        RejectOptionClassifier(GLVQ()),
        {"target": [RejectRate(0.1), Accuracy(0.8), RejectCost(0.3)], "min_cell_size": [1, 30]},
        scoring={"aurc": aurc_scorer, "coverage": CoverageScorer(0.9)},
        refit="coverage",
    ).fit(X, Y)
    loaded = round_trip(search, path)
    same_answers(search.best_estimator_, loaded.best_estimator_)
    assert loaded.best_params_ == search.best_params_


@pytest.mark.parametrize("method", ["exact", "greedy", "hull"])
@pytest.mark.parametrize("first", [RejectRate(0.1), Accuracy(0.6, confidence=0.8)], ids=repr)
def test_retargeting_what_was_loaded_is_retargeting_what_was_saved(method, first, path):
    clf = RejectOptionClassifier(GMLVQ(), method=method, target=first, random_state=0).fit(X, Y)
    loaded = round_trip(clf, path)
    assert loaded.operating_point_.guarantee == clf.operating_point_.guarantee
    assert same_bits(loaded.front_.thresholds, clf.front_.thresholds)
    for target in (RejectRate(0.3), Accuracy(0.7), RejectCost(0.2), first):
        same_answers(clf.retarget(target), loaded.retarget(target))
        assert loaded.operating_point_.guarantee == clf.operating_point_.guarantee


def test_a_guarantee_can_be_had_after_loading_only_if_samples_were_held_out(clf, path):
    loaded = round_trip(clf, path)
    target = Accuracy(0.6, confidence=0.8)
    refused(loaded.retarget, target, match="needs held-out samples")


@pytest.mark.parametrize(
    "labels",
    [
        np.array([-1, 0, 1], dtype=np.int8),
        np.array([1, 2, 3], dtype=np.uint64),
        np.array([0.0, 1.0, 2.0]),
        np.array([False, True, True]),
        np.array(["ä", "b", "c"], dtype=object),
    ],
    ids=repr,
)
def test_labels_of_many_kinds(labels, path):
    clf = RejectOptionClassifier(GLVQ()).fit(X, labels[CLASSES])
    loaded = round_trip(clf, path)
    assert loaded.classes_.dtype == clf.classes_.dtype
    assert same_bits(loaded.predict(X), clf.predict(X))


# Keys become text in the file; bool("False") is True.
@pytest.mark.parametrize(
    "labels", [[False, True, True], [3, 1, 2], ["x", "", "false"], [np.True_, np.False_, np.False_]]
)
def test_dictionaries_by_label(labels, path):
    counts, weights = ({label: i for i, label in enumerate(labels, s)} for s in (1, 2))
    y = np.array(labels)[CLASSES]
    model = GLVQ(n_prototypes_per_class=counts, class_weight=weights).fit(X, y)
    loaded = round_trip(model, path)
    assert loaded.n_prototypes_per_class == counts
    assert loaded.class_weight == weights
    assert list(map(type, loaded.class_weight)) == list(map(type, weights))


@pytest.mark.parametrize(
    "settings",
    [
        {"cells": KMeans(3, random_state=0).fit(X)},
        {"cells": predicted_class, "certainty": posterior_margin},
        {"cv": KFold(3, shuffle=True, random_state=np.random.RandomState(0)), "reject_label": "?"},
        {"cv": [(np.arange(120), np.arange(120, 240)), (np.arange(120, 240), np.arange(120))]},
        {"cells": "global", "certainty": "margin", "reject_label": "ask a doctor", "n_jobs": 1},
    ],
    ids=lambda settings: " ".join(settings),
)
def test_settings_of_many_kinds(settings, path):
    clf = RejectOptionClassifier(GaussianNB(), **settings).fit(X, Y)
    same_answers(clf, round_trip(clf, path))


def test_frames_with_categories(path):
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["sort"] = pd.Categorical(np.where(X[:, 0] > 0, "new", "old"))
    columns = make_column_transformer((StandardScaler(), ["a", "b"]), (OneHotEncoder(), ["sort"]))
    for estimator in (
        HistGradientBoostingClassifier(max_iter=3),
        make_pipeline(columns, LogisticRegression()),
    ):
        clf = RejectOptionClassifier(estimator).fit(frame, pd.Series(Y))
        loaded = round_trip(clf, path)
        same_answers(clf, loaded, frame)
        assert loaded.feature_names_in_.tolist() == [*"abcde", "sort"]


@pytest.mark.parametrize("kind", [scipy.sparse.csr_matrix, scipy.sparse.csr_array])
@pytest.mark.parametrize("estimator", [SVC(), KNeighborsClassifier()], ids=str)
def test_sparse_samples(kind, estimator, path):
    samples = kind(np.where(X > 0, X, 0))
    clf = RejectOptionClassifier(estimator).fit(samples, Y)
    same_answers(clf, round_trip(clf, path), samples)


def test_metadata_requests_and_early_stopping_refer_back_to_their_estimator(path):
    boosting = HistGradientBoostingClassifier(max_iter=5, early_stopping=True, scoring="accuracy")
    clf = RejectOptionClassifier(boosting, random_state=0).fit(X, Y)
    same_answers(clf, round_trip(clf, path))
    with sklearn.config_context(enable_metadata_routing=True):
        inner = LogisticRegression().set_fit_request(sample_weight=True)
        clf = RejectOptionClassifier(inner).fit(X, Y, sample_weight=np.ones(len(X)))
        loaded = round_trip(clf, path)
        same_answers(clf, loaded)
        assert loaded.estimator._metadata_request.owner == "LogisticRegression"
        # What was saved is as it was.
        assert clf.estimator._metadata_request.owner is inner
        weights = CLASSES + 1
        same_answers(*(clone(one).fit(X, Y, sample_weight=weights) for one in (clf, loaded)))


def test_a_fresh_interpreter_gives_the_same_answers(clf, path):
    save(clf, path)
    np.save(path.with_suffix(".npy"), X)
    program = (
        "import abstain, numpy, sys; clf = abstain.load(sys.argv[1]); X = numpy.load(sys.argv[2]); "
        "print(clf.certainties(X).tobytes().hex(), clf.reject(X).tobytes().hex())"
    )
    arguments = [sys.executable, "-c", program, path, path.with_suffix(".npy")]
    answers = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout.split()
    expected = clf.certainties(X), clf.reject(X)
    assert answers == [answer.tobytes().hex() for answer in expected]


# ---------------------------------------------------------------------- what is saved


@pytest.mark.parametrize("estimator", [GMLVQ(), RejectOptionClassifier(GMLVQ()), SVC()], ids=str)
def test_an_unfitted_estimator_is_refused(estimator, path):
    name = type(estimator).__name__
    refused(save, estimator, path, match=f"clf must be fitted to be saved, got a {name} that is")
    assert not path.exists()


def test_a_fit_that_was_broken_off_is_refused(path):
    clf = RejectOptionClassifier(
        GaussianNB(), target=Accuracy(1.0), certainty=lambda model, X: np.ones(len(X))
    )
    with pytest.raises(InputError, match="cannot be reached"):
        clf.fit(X, Y)
    refused(save, clf, path, match="clf must be fitted")


@pytest.mark.parametrize("thing", [GMLVQ, "GMLVQ", None, {"a": 1}, np.zeros(3)], ids=repr)
def test_what_is_no_estimator_is_refused(thing, path):
    refused(save, thing, path, match="clf must be a fitted classifier, got")


def own_rule(estimator, X):
    return np.abs(X[:, 0]) > 1


class Rule:
    """A rule of the user's own that can be saved: a type with state."""

    def __init__(self, at):
        self.at = at

    def __call__(self, estimator, X):
        return X[:, 0] > self.at


@pytest.mark.parametrize("argument", ["certainty", "cells"])
@pytest.mark.parametrize(
    "rule",
    [lambda model, X: X[:, 0] > 1, own_rule, functools.partial(own_rule), Rule(1.0).__call__],
    ids=["lambda", "function", "partial", "method"],
)
def test_functions_of_the_users_own_are_refused_when_saving(argument, rule, path):
    clf = RejectOptionClassifier(GaussianNB(), **{argument: rule}).fit(X, Y)
    match = f"{argument} must be a name such as .* to be saved, got .*: a file holds no code"
    refused(save, clf, path, match=match)
    refused(save, make_pipeline(clf), path, match=match)


def test_rules_of_the_users_own_types_can_be_trusted(path):
    clf = RejectOptionClassifier(GaussianNB(), certainty=Rule(0.5), cells=Rule(0.1)).fit(X, Y)
    save(clf, path)
    refused(load, path, match=rf"does not know: {Rule.__module__}\.Rule; .* in trusted")
    same_answers(clf, load(path, trusted=[Rule]))


def test_functions_that_cannot_be_found_again_are_refused_when_saving(path):
    model = make_pipeline(FunctionTransformer(lambda X: X), GaussianNB()).fit(X, Y)
    refused(save, model, path, match=r"cannot save Pipeline: .*<lambda> cannot be found by its")


def test_what_cannot_be_saved_says_so(path):
    model = make_pipeline(Birch(), GaussianNB()).fit(X, Y)
    refused(save, model, path, match="cannot save Pipeline: Objects of type Birch are not")
    model = GaussianNB().fit(X, Y)
    model.itself = model
    refused(save, model, path, match="cannot save GaussianNB: something in it refers back to")
    model.itself = {1: "one", "1": "text"}
    refused(save, model, path, match="has keys that read alike, such as 1 and '1'")
    model.itself = {(1, 2): "a tuple"}
    refused(save, model, path, match="cannot save GaussianNB: keys must be str")


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


# ------------------------------------------------------------------------------ damage


def test_every_truncated_file_is_refused(clf, path):
    save(clf, path)
    whole = path.read_bytes()
    for size in [*range(0, len(whole), 97), len(whole) - 1]:
        path.write_bytes(whole[:size])
        match = "it is truncated or was changed" if size > 42 else "it is not a file that abstain"
        refused(load, path, match=f"cannot load {re.escape(str(path))}: {match}")


def test_every_flipped_bit_is_found(clf, path):
    save(clf, path)
    whole = path.read_bytes()
    for at in [*range(0, len(whole), 53), *range(len(whole) - 80, len(whole))]:
        flipped = bytearray(whole)
        flipped[at] ^= 1 << at % 8
        path.write_bytes(flipped)
        refused(load, path, match="it is truncated or was changed|it is not a file that abstain")


def test_more_at_the_end_is_found(clf, path):
    save(clf, path)
    path.write_bytes(path.read_bytes() + b"\n")
    refused(load, path, match="it is truncated or was changed")


def rewrite(path, change, *, with_digest=True):
    """Write a file again with other members, as somebody would who knows how it is made."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
        comment = archive.comment
    change(members)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        archive.comment = comment
    if with_digest:
        content = path.read_bytes()[:-64]
        path.write_bytes(content + sha256(content).hexdigest().encode())


def test_an_exchanged_member_is_found(clf, path):
    save(clf, path)

    def exchange(members):
        one, other = [name for name in members if name.endswith(".npy")][:2]
        members[one], members[other] = members[other], members[one]

    rewrite(path, exchange, with_digest=False)
    refused(load, path, match="it is truncated or was changed after it was saved")


def test_other_files_are_told_from_ours(clf, path):
    for content in (b"", b"PK", b"certainty,correct\n", b"PK\x03\x04" + bytes(80)):
        path.write_bytes(content)
        refused(load, path, match="it is not a file that abstain.save has written")
    skops.io.dump(clf, path)
    refused(load, path, match="it is not a file that abstain.save has written")


def test_a_file_whose_description_makes_no_sense(clf, path):
    for broken in (b"{", b"[]", b'{"protocol": 2}', b'{"__loader__": "ListNode"}'):
        save(clf, path)
        rewrite(path, lambda members, broken=broken: members.update({"schema.json": broken}))
        refused(load, path, match=r"cannot load .*: it cannot be read \(\w+: ")
    save(clf, path)
    rewrite(path, lambda members: members.update({"abstain.json": b"7"}))
    refused(load, path, match="cannot load .*: it cannot be read")


# ---------------------------------------------------------------------------- versions


def with_header(path, **changed):
    def change(members):
        members["abstain.json"] = json.dumps(json.loads(members["abstain.json"]) | changed)

    rewrite(path, change)


def test_the_versions_are_in_the_file(clf, path):
    save(clf, path)
    with zipfile.ZipFile(path) as archive:
        assert json.loads(archive.read("abstain.json")) == {
            "format": 1,
            "abstain": abstain.__version__,
            "scikit-learn": sklearn.__version__,
            "numpy": np.__version__,
        }


def test_another_format_says_who_wrote_it_and_what_to_do(clf, path):
    save(clf, path)
    with_header(path, format=0, abstain="0.0.1")
    refused(
        load,
        path,
        match=r"abstain 0\.0\.1 wrote it in format 0, and abstain .* reads format 1; fit and save "
        r"again, or load it with abstain 0\.0\.1",
    )
    with_header(path, format=2, abstain="9.0")
    refused(load, path, match=r"abstain 9\.0 wrote it in format 2, .*; update abstain, or load")


@pytest.mark.parametrize("package", ["abstain", "scikit-learn"])
def test_another_version_of_the_same_format_warns_and_names_both(package, clf, path):
    clf = RejectOptionClassifier(GaussianNB()).fit(X, Y)
    save(clf, path)
    with_header(path, **{package: "0.0.1"})
    here = re.escape(container.VERSIONS[package])
    with pytest.warns(UserWarning, match=rf"saved with {package} 0\.0\.1, .* {package} {here};"):
        same_answers(clf, load(path))


def test_estimators_of_another_version_are_warned_about_once(path):
    clf = RejectOptionClassifier(GaussianNB()).fit(X, Y)
    save(clf, path)

    def age(members):
        now = json.dumps(json.dumps(sklearn.__version__)).encode()
        assert now in members["schema.json"]
        members["schema.json"] = members["schema.json"].replace(now, rb'"\"1.0\""')

    rewrite(path, age)
    with_header(path, **{"scikit-learn": "1.0"})
    with pytest.warns(UserWarning, match=r"saved with scikit-learn 1\.0") as caught:
        same_answers(clf, load(path))
    assert len(caught) == 1
    assert caught[0].filename == __file__


# ----------------------------------------------------------------------------- trusted


class Shift(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        self.shift_ = X.mean(axis=0)
        return self

    def transform(self, X):
        return X - self.shift_


@pytest.mark.parametrize("trusted", [Shift, [Shift], f"{Shift.__module__}.Shift"], ids=str)
def test_unknown_types_are_refused_by_name_unless_they_are_trusted(trusted, path):
    clf = RejectOptionClassifier(make_pipeline(Shift(), GMLVQ())).fit(X, Y)
    save(clf, path)
    refused(load, path, match=rf"does not know: {Shift.__module__}\.Shift; if you know them and")
    refused(load, path, match="does not know", trusted=["Shift", "numpy.load"])
    same_answers(clf, load(path, trusted=trusted))


@pytest.mark.parametrize("trusted", [True, None, 3, [None], [3]], ids=repr)
def test_what_cannot_be_trusted(trusted, clf, path):
    save(clf, path)
    refused(load, path, match="trusted must be types or their full names", trusted=trusted)


def nodes(schema):
    if isinstance(schema, dict):
        yield schema
        schema = schema.values()
    if not isinstance(schema, str):
        for value in schema if hasattr(schema, "__iter__") else ():
            yield from nodes(value)


def forge(path, change):
    """Change the description of the classifier."""

    def change_schema(members):
        schema = json.loads(members["schema.json"])
        change(schema)
        members["schema.json"] = json.dumps(schema)

    rewrite(path, change_schema)


@pytest.mark.parametrize("thresholds", [[0.5], [np.nan] * 3])
def test_thresholds_that_cannot_decide_are_refused(thresholds, clf, path):
    clf = copy.deepcopy(clf)
    clf.thresholds_ = np.array(thresholds)
    save(clf, path)
    refused(load, path, match="a RejectOptionClassifier in it points outside of what it holds")


def test_unknown_modules_are_not_even_imported(clf, path, tmp_path, monkeypatch):
    (tmp_path / "mischief.py").write_text("raise SystemExit('code was run')")
    monkeypatch.syspath_prepend(tmp_path)
    save(clf, path)

    def change(schema):
        schema["content"]["content"]["target"] = {
            "__class__": "Target",
            "__module__": "mischief",
            "__loader__": "ObjectNode",
        }

    forge(path, change)
    refused(load, path, match="does not know: mischief.Target;")
    assert "mischief" not in sys.modules


@pytest.mark.parametrize(
    ("module", "name", "loader"),
    [
        ("os", "system", "FunctionNode"),
        ("builtins", "eval", "TypeNode"),
        ("os", "system", "ConstructorFromReduceNode"),
        ("abstain.models.gmlvq.GMLVQ", "fit", "FunctionNode"),
        ("abstain.saving.persisting", "load", "FunctionNode"),
        ("scipy.stats._distn_infrastructure", "rv_continuous_frozen", "ObjectNode"),
    ],
)
def test_trust_is_by_full_name_only(module, name, loader, clf, path):
    save(clf, path)
    content = {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode"}
    node = {"__class__": name, "__module__": module, "__loader__": loader}
    forge(
        path,
        lambda schema: schema["content"]["content"].update(
            target=node | {"content": content | {"content": []}}
        ),
    )
    refused(load, path, match=rf"does not know: {module}\.{name};")


# Functions on the list may be held, by a scorer for instance. To be called is another matter.
def test_nothing_that_is_trusted_is_called(clf, path):
    save(clf, path)
    metric = {"__class__": "accuracy_score", "__module__": "sklearn.metrics._classification"}
    arguments = {"__class__": "tuple", "__module__": "builtins", "__loader__": "TupleNode"}
    call = metric | {"__loader__": "ConstructorFromReduceNode"}

    def construct(schema):
        call["content"] = arguments | {"content": []}
        schema["content"]["content"]["target"] = call

    forge(path, construct)
    refused(load, path, match="it would call sklearn.metrics._classification.accuracy_score")
    save(clf, path)

    def as_key(schema):
        keys = next(node for node in nodes(schema) if "key_types" in node)["key_types"]
        keys["content"][0] = metric | {"__loader__": "FunctionNode"}

    forge(path, as_key)
    refused(load, path, match="it would call sklearn.metrics._classification.accuracy_score")


@pytest.mark.parametrize(
    ("field", "value"), [("left_child", 10**6), ("right_child", 0), ("feature", 5), ("feature", -3)]
)
@pytest.mark.parametrize(
    "estimator", [DecisionTreeClassifier(max_depth=3), RandomForestClassifier(3)], ids=str
)
def test_trees_that_point_outside_of_themselves_are_refused(field, value, estimator, path):
    model = estimator.fit(X, Y)
    tree = model.tree_ if hasattr(model, "tree_") else model.estimators_[1].tree_
    state = tree.__getstate__()
    state["nodes"] = state["nodes"].copy()
    state["nodes"][field][0] = value
    tree.__setstate__(state)
    save(model, path)
    refused(load, path, match="cannot load .*: a Tree in it points outside of what it holds")


@pytest.mark.parametrize("node_count", ["0", "1", "-1"])
def test_trees_with_fewer_nodes_than_they_point_to_are_refused(node_count, path):
    save(DecisionTreeClassifier(max_depth=3).fit(X, Y), path)

    def change(schema):
        (state,) = (node for node in nodes(schema) if "node_count" in node)
        state["node_count"]["content"] = node_count

    forge(path, change)
    refused(load, path, match="a Tree in it points outside of what it holds|it cannot be read")


def test_trees_that_expect_more_features_than_are_checked_are_refused(path):
    model = RandomForestClassifier(3).fit(X, Y)
    model.estimators_[1] = DecisionTreeClassifier().fit(np.hstack([X, X]), Y)
    save(model, path)
    refused(load, path, match="a RandomForestClassifier in it points outside")
    model = DecisionTreeClassifier().fit(np.hstack([X, X]), Y)
    model.n_features_in_ = 5
    save(model, path)
    refused(load, path, match="a DecisionTreeClassifier in it points outside")


@pytest.mark.parametrize(
    ("field", "value", "match"),
    [("left", 10**6, "TreePredictor"), ("right", 0, "TreePredictor"), ("feature_idx", 5, "Hist")],
)
def test_boosted_trees_are_looked_through(field, value, match, path):
    model = HistGradientBoostingClassifier(max_iter=3).fit(X, Y)
    model._predictors[1][0].nodes[field][0] = value
    save(model, path)
    refused(load, path, match=f"a {match}.* in it points outside of what it holds")


@pytest.mark.parametrize("at", [1, 2, 6])
@pytest.mark.parametrize("algorithm", ["kd_tree", "ball_tree"])
def test_search_trees_are_looked_through(at, algorithm, path):
    model = KNeighborsClassifier(algorithm=algorithm).fit(X, Y)
    state = list(model._tree.__getstate__())
    state[at] = state[at].copy() if at < 3 else state[at] + 2
    if at == 1:
        state[at][7] = 10**6
    if at == 2:
        state[at]["idx_end"][0] = 10**6
    model._tree.__setstate__(tuple(state))
    save(model, path)
    refused(load, path, match="a (KDTree|BallTree) in it points outside of what it holds")


def test_sparse_matrices_are_looked_through(path):
    model = KNeighborsClassifier().fit(scipy.sparse.csr_array(np.where(X > 0, X, 0)), Y)
    model._fit_X.indices[3] = 10**6
    save(model, path)
    refused(load, path, match="a csr_array in it points outside of what it holds")


def test_everything_on_the_list_exists():
    # Names that are gone would be taken by whoever comes next.
    assert [name for name in sorted(TRUSTED) if not callable(resolve_name(name))] == []


# --- estimators of scikit-learn -----------------------------------------------------------------


def test_what_skops_lists_is_found_one_by_one():
    listed = frozenset(skops.io._trusted_types.SKLEARN_ESTIMATOR_TYPE_NAMES)
    assert len(listed) > 150
    assert estimators_among(listed) == listed


@pytest.mark.parametrize(
    "name",
    [
        "sklearn.base.BaseEstimator",
        "sklearn.base.ClassifierMixin",
        "sklearn.base.clone",
        "sklearn.calibration._CalibratedClassifier",
        "sklearn.ensemble._forest.BaseForest",
        "sklearn.metrics._scorer._Scorer",
        "sklearn.no_such_module.Thing",
        "sklearn.svm.NoSuchThing",
        "sklearn.tests.test_base.MyEstimator",
        "sklearn..svm.SVC",
        "sklearn_of_others.Classifier",
        "os.system",
    ],
)
def test_nothing_else_is(name):
    assert estimators_among([name]) == frozenset()


_LOADED_QUICKLY = """
import sys
import numpy as np
import sklearn.utils
from abstain.saving.estimators import import_skops_without_its_list
listing = sklearn.utils.all_estimators
import_skops_without_its_list()
assert sklearn.utils.all_estimators is listing
from abstain import load
clf = load(sys.argv[1])
print(clf.predict(np.load(sys.argv[2])).tolist(), "sklearn.mixture" in sys.modules)
"""


def test_without_the_list_the_same_is_loaded(path, tmp_path):
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    clf = RejectOptionClassifier(pipeline).fit(X, CLASSES)
    save(clf, path)
    np.save(tmp_path / "X.npy", X)
    done = subprocess.run(
        [sys.executable, "-c", _LOADED_QUICKLY, path, tmp_path / "X.npy"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == f"{clf.predict(X).tolist()} False"
