"""Files that were made to do harm: refused in one line, nothing run, nothing written.

Each file has a true checksum, as anyone can compute one.
"""

import functools
import sys

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.tree._tree import NODE_DTYPE, Tree

from abstain import (
    GMLVQ,
    RSLVQ,
    Accuracy,
    AllOf,
    ExpectedCost,
    InputError,
    Precision,
    Recall,
    RejectOptionClassifier,
    load,
    save,
)
from abstain.saving import container
from abstain.saving.kinds import check_attributes
from abstain.saving.persisting import VERSIONS
from abstain.saving.reject_option import REJECT_OPTION
from tests.saving.checks import CLASSES, X, Y, refused
from tests.saving.forging import (
    file_of,
    forge,
    new_array,
    object_of,
    parts_of,
    read_array,
    sealed,
)


def write(path, model, arrays=(), content=b""):
    path.write_bytes(file_of({**VERSIONS, "model": model, "arrays": list(arrays)}, content))


def an_object(name, params=None, state=None):
    return {"class": name, "params": params or {}, "state": state or {}}


# --- code ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "os.system",
        "builtins.eval",
        "functools.partial",
        "sklearn.metrics._scorer._Scorer",
        "sklearn.utils.Bunch",
        "sklearn.utils._bunch.Bunch",
        "sklearn.pipeline.Pipeline.fit",
        "abstain.saving.persisting.load",
        "abstain.load",
        "scipy.stats.rv_continuous",
        "numpy.memmap",
        "mischief.Target",
    ],
)
def test_names_of_other_things_are_not_even_imported(name, path, tmp_path, monkeypatch):
    (tmp_path / "mischief.py").write_text("raise SystemExit('code was run')")
    monkeypatch.syspath_prepend(tmp_path)
    write(path, an_object(name, {"args": {"tuple": ["touch harm"]}}))
    refused(load, path, match=f"it holds classes that abstain does not know: {name};")
    assert "mischief" not in sys.modules
    assert {file.name for file in tmp_path.iterdir()} <= {path.name, "mischief.py", "__pycache__"}


def test_a_function_that_writes_is_named_and_not_held(path, tmp_path):
    """The write at predict: a transformer whose function is a partial that writes a file."""
    harm = functools.partial(np.ndarray.tofile, np.zeros(3), tmp_path / "harm")
    model = make_pipeline(FunctionTransformer(), GMLVQ()).fit(X, Y)
    model[0].func = harm
    save(model, path)
    assert b"tofile" not in path.read_bytes()
    refused(load, path, match="it names functions, which no file holds: partial")
    assert not (tmp_path / "harm").exists()


def test_an_estimator_over_an_array_is_refused(path):
    """The write at load began with a FrozenEstimator whose estimator is an array of bytes."""
    frozen = an_object("sklearn.frozen.FrozenEstimator", {"estimator": {"array": 0}})
    write(path, frozen, [["|u1", [4], "C"]], b"harm")
    refused(load, path, match=r"FrozenEstimator\.estimator must be an estimator, got an array")


@pytest.mark.parametrize("name", ["__class__", "__sklearn_tags__", "predict", "__dict__", "fit"])
def test_no_attribute_takes_the_place_of_a_method(name, path):
    save(GaussianNB().fit(X, Y), path)
    forge(path, lambda description: description["model"]["state"].update({name: "x"}))
    refused(load, path, match=f"GaussianNB has the attribute '{name}', which abstain does not know")


@pytest.mark.parametrize("where", ["params", "state"])
def test_functions_are_refused_where_none_belongs(where, clf, path):
    save(clf, path)

    def put(description):
        key = "max_iter" if where == "params" else "prototypes_"
        description["model"]["state"]["estimator_"][where][key] = {"function": "eval"}

    forge(path, put)
    refused(load, path, match="it names functions, which no file holds: eval")
    match = r"GMLVQ\.(max_iter|prototypes_) must be"
    refused(load, path, match=match, functions={"eval": eval})


def test_nothing_is_kept_where_a_folder_would_be_written(path):
    model = make_pipeline(GMLVQ()).fit(X, Y)
    save(model, path)
    forge(path, lambda description: description["model"]["params"].update(memory="/tmp/harm"))
    refused(load, path, match=r"Pipeline\.memory must be None, got '/tmp/harm'")


# --- bombs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("description", "match"),
    [
        (b"[" * 50_000 + b"]" * 50_000, "its description is nested too deeply"),
        (b'{"model":' + b"[" * 400 + b"]" * 400 + b"}", "was changed after it was saved"),
        (b'{"model":[' + b"0," * 2_000_000 + b"0]}", "has 2,000,00. values; at most 1,000,000"),
        (b'{"a":1,"a":2}', "its description names something twice"),
        (b'{"a":' + b"9" * 5000 + b"}", "a number of more than 64 bits"),
        (b'{"a":NaN}', "its description holds NaN, which is not JSON"),
        (b'{"a":1e400}', "its description was changed after it was saved"),
        (b"{", "its description is not JSON"),
        (b"[]", "its description is not a JSON object"),
        (b"\xff\xfe", "its description is not JSON"),
        (b"", "its description is not JSON"),
    ],
    ids=lambda part: part[:12],
)
def test_descriptions_that_explode_or_make_no_sense(description, match, path):
    path.write_bytes(file_of(description))
    refused(load, path, match=match)


def test_values_that_are_nested_deeply(path):
    node = []
    for _ in range(400):
        node = [node]
    write(path, node)
    refused(load, path, match="its description is nested too deeply")


@pytest.mark.parametrize("length", [2**63, 2**64 - 1, 10**9, 41])
def test_a_description_longer_than_its_file(length, path):
    path.write_bytes(sealed(length.to_bytes(8, "little") + b"{}" * 20))
    refused(load, path, match="its description is longer than a description can be|is not JSON")


@pytest.mark.parametrize(
    "header",
    [
        ["<f8", [10**9, 10**9], "C"],
        ["<f8", [2**40, 2**40], "C"],
        ["<f8", [10**12], "C"],
        ["<f8", [-1], "C"],
        ["<f8", [True], "C"],
        ["<f8", [1.0], "C"],
        ["<f8", [1] * 40, "C"],
        ["|O", [1], "C"],
        ["<M8[ns]", [1], "C"],
        ["<f8,<f8", [1], "C"],
        ["<U99999999", [1], "C"],
        ["<f8", [1], "K"],
        ["<f8", [1]],
        "<f8",
        None,
    ],
    ids=str,
)
def test_arrays_larger_than_their_file_or_of_other_types(header, path):
    write(path, {"array": 0}, [header], bytes(8))
    refused(load, path, match="its arrays take .* bytes, and it has 8|its list of arrays is not")


def test_an_array_can_be_had_once(path):
    header, content = [["<f8", [2], "C"]], bytes(16)
    write(path, [{"array": 0}, {"array": 0}], header, content)
    refused(load, path, match="it refers to array 0 twice")
    for index in (1, -1, "0", 0.0, None, True):
        write(path, {"array": index}, header, content)
        refused(load, path, match="it refers to array .*, which it does not hold")


def test_truth_values_and_text_that_numpy_would_stumble_over(path):
    write(path, {"array": 0}, [["|b1", [4], "C"]], b"\x00\x01\x02\xff")
    refused(load, path, match="an array of truth values in it holds something else")
    write(path, {"array": 0}, [["<U1", [1], "C"]], b"\xff\xff\xff\x7f")
    refused(load, path, match="text in it holds something else than characters")


def test_a_file_that_is_too_large_is_not_read(path, monkeypatch):
    with open(path, "wb") as file:  # which takes no room on the disk
        file.truncate(container.MAX_FILE_BYTES + 1)
    refused(load, path, match="it has 4,294,967,297 bytes; at most 4,294,967,296 are read")


@pytest.mark.parametrize(
    "node",
    [
        {},
        {"unknown": 1},
        {"tuple": 3},
        {"dict": [[1]]},
        {"dict": [[[], 1]]},
        {"dict": [["a", 1], ["a", 2]]},
        {"dict": 5},
        {"float": "1"},
        {"dtype": "f8,f8"},
        {"dtype": 3},
        {"type": "eval"},
        {"slice": [1]},
        {"slice": [[], 1, 1]},
        {"random_state": [1, 2, 3, 4]},
        {"requests": [1]},
        {"requests": {"dict": [["__class__", {"dict": [["a", "b"]]}]]}},
        {"objects": [1, 2], "shape": [3]},
        {"objects": [1, 2], "shape": [-2]},
        {"objects": [1, 2], "shape": 2},
        {"tree": {"dict": []}},
        {"boosting_tree": 1},
        {"function": 3},
        {"class": 3, "params": {}, "state": {}},
        {"class": "abstain.GLVQ", "params": [], "state": {}},
        an_object("abstain.GLVQ", {"no_such_parameter": 1}),
        an_object("abstain.RejectRate", {"rate": {"class": 1}}),
        an_object("abstain.RejectRate", {}),
        an_object("sklearn.model_selection.KFold", {"n_splits": 1}),
    ],
    ids=str,
)
def test_values_that_are_none(node, path):
    write(path, node)
    refused(load, path, match=r"cannot load .*: (?!.*was changed|.*truncated)")


# --- impossible contents --------------------------------------------------------------------------


def state_of(path, name):
    return object_of(parts_of(path)[0], name)["state"]


@pytest.mark.parametrize(
    ("attribute", "forged"),
    [
        ("_n_support", [80, 80, 10_000]),
        ("_n_support", [-1, 80, 80]),
        ("_n_support", [80, 80]),
        ("_n_support", [80, 80, 80, 80]),
        ("support_", [0]),
        ("_dual_coef_", np.zeros((2, 3))),
        ("_dual_coef_", np.zeros((1, 3))),
        ("_intercept_", np.zeros(1)),
        ("_probA", np.zeros(1)),
        ("support_vectors_", np.zeros((3, 5))),
        ("support_vectors_", np.zeros((3, 4))),
        ("classes_", np.array(["ash", "beech"])),
    ],
    ids=str,
)
def test_support_vectors_that_do_not_belong_together(attribute, forged, path):
    save(SVC().fit(X, Y), path)
    reference = state_of(path, "SVC")[attribute]
    new_array(path, reference, np.asarray(forged, dtype=read_array(path, reference).dtype))
    refused(load, path, match="SVC")


def test_parameters_that_the_class_would_refuse(path):
    save(SVC().fit(X, Y), path)
    forge(path, lambda description: description["model"]["params"].update(degree=-1))
    refused(load, path, match="The 'degree' parameter of SVC must be")


def forge_first_node(path, tree, dtype, column, value):
    """Change an entry of the first node of a tree, which lies in a matrix with others like it."""
    kind = dtype[column].str
    alike = [name for name in dtype.names if dtype[name].str == kind]
    reference = dict(tree["nodes"]["dict"])[kind]
    matrix = read_array(path, reference)
    matrix[alike.index(column), 0] = value
    new_array(path, reference, matrix)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("left_child", 10**6),
        ("left_child", 0),
        ("right_child", 0),
        ("right_child", 1),
        ("right_child", -5),
        ("feature", 5),
        ("feature", -3),
        ("missing_go_to_left", 7),
    ],
)
@pytest.mark.parametrize(
    "estimator", [DecisionTreeClassifier(max_depth=3), RandomForestClassifier(3)], ids=str
)
def test_trees_that_point_outside_of_themselves(column, value, estimator, path):
    save(estimator.fit(X, Y), path)
    tree = dict(state_of(path, "DecisionTreeClassifier")["tree_"]["tree"]["dict"])
    forge_first_node(path, tree, NODE_DTYPE, column, value)
    refused(load, path, match="a tree in it is not sound: it points outside of what it holds")


@pytest.mark.parametrize(
    ("column", "value"), [("left", 10**6), ("right", 0), ("feature_idx", 5), ("is_categorical", 1)]
)
def test_boosted_trees_that_point_outside_of_themselves(column, value, path):
    save(HistGradientBoostingClassifier(max_iter=3).fit(X, Y), path)
    tree = state_of(path, "HistGradientBoostingClassifier")["_predictors"][1][0]["boosting_tree"]
    forge_first_node(path, dict(tree["dict"]), PREDICTOR_RECORD_DTYPE, column, value)
    refused(load, path, match="not sound|must be .* a tree of d features")


def test_trees_of_other_sizes_than_their_forest(path):
    model = RandomForestClassifier(3).fit(X, Y)
    model.estimators_[1] = DecisionTreeClassifier().fit(np.hstack([X, X]), Y)
    refused(save, model, path, match=r"RandomForestClassifier\.estimators_ must be .*a tree of")
    model = DecisionTreeClassifier().fit(np.hstack([X, X]), Y)
    model.n_features_in_ = 5
    refused(save, model, path, match=r"DecisionTreeClassifier\.tree_ must be a tree of d features")


def test_more_trees_for_each_stage_than_there_are_scores(path):
    model = GradientBoostingClassifier(n_estimators=3).fit(X, Y)
    model.estimators_ = np.hstack([model.estimators_, model.estimators_])
    refused(save, model, path, match=r"GradientBoostingClassifier\.estimators_ must be .* tree")


@pytest.mark.parametrize("forged", [np.zeros((3, 4)), np.zeros((2, 5)), np.full((3, 5), np.nan)])
def test_cluster_centres_of_another_shape(forged, path):
    clf = RejectOptionClassifier(GaussianNB(), cells=KMeans(3, n_init=1).fit(X)).fit(X, Y)
    save(clf, path)
    new_array(path, state_of(path, "KMeans")["cluster_centers_"], forged)
    refused(load, path, match="KMeans")


@pytest.mark.parametrize(
    ("attribute", "forged"),
    [("_y", [9] * 240), ("_y", [0] * 3), ("_fit_X", np.zeros((240, 3))), ("classes_", ["a"])],
)
def test_neighbours_of_other_shapes(attribute, forged, path):
    save(KNeighborsClassifier().fit(X, Y), path)
    reference = state_of(path, "KNeighborsClassifier")[attribute]
    new_array(path, reference, np.asarray(forged))
    refused(load, path, match="KNeighborsClassifier")


@pytest.mark.parametrize("thresholds", [[0.5], [np.nan] * 4], ids=str)
def test_thresholds_that_cannot_decide(thresholds, clf, path):
    save(clf, path)
    reference = state_of(path, "RejectOptionClassifier")["thresholds_"]
    new_array(path, reference, np.array(thresholds))
    refused(load, path, match="RejectOptionClassifier")


def test_a_front_follows_from_its_samples(clf, path):
    """No file can claim a better front than its calibration samples have."""
    save(clf, path)
    assert b"true_rejects" in path.read_bytes()  # of the operating point
    assert b"backtrace" not in path.read_bytes()
    loaded = load(path)
    assert loaded.front_.true_rejects.tolist() == clf.front_.true_rejects.tolist()
    assert loaded.front_.gap.tolist() == clf.front_.gap.tolist()


def test_a_frozen_estimator_inside_a_frozen_estimator_has_an_end(path):
    model = GaussianNB().fit(X, Y)
    for _ in range(150):
        model = FrozenEstimator(model)
    refused(save, model, path, match="estimators in it are nested more than 9 levels deep")
    save(GaussianNB().fit(X, Y), path)

    def nest(description):
        for _ in range(45):
            steps = [{"tuple": ["a", description["model"]]}]
            description["model"] = an_object("sklearn.pipeline.Pipeline", {"steps": steps})

    forge(path, nest)
    refused(load, path, match="estimators in it are nested more than 9 levels deep")


# --- found by reading the loader ------------------------------------------------------------------


def encoder(path, **settings):
    columns = np.array([[0.0], [1.0], [2.0]] * 6 + [[3.0]])
    model = OneHotEncoder(sparse_output=False, **settings).fit(columns)
    save(model, path)
    return model, columns


def test_columns_of_an_encoder_follow_from_its_categories(path):
    model, columns = encoder(path)
    forge(path, lambda file: file["model"]["state"].update(_n_features_outs=[1]))
    refused(load, path, match="OneHotEncoder has the attribute '_n_features_outs', which abstain")
    for settings in ({}, {"drop": "first"}, {"min_frequency": 2}, {"max_categories": 2}):
        model, columns = encoder(path, **settings)
        assert load(path).transform(columns).tolist() == model.transform(columns).tolist()


@pytest.mark.parametrize("forged", [[5.0, 1.0, 2.0, 3.0], [0.0, 0.0, 1.0, 2.0], [np.nan] * 4])
def test_categories_out_of_order(forged, path):
    encoder(path)
    new_array(path, state_of(path, "OneHotEncoder")["categories_"][0], np.array(forged))
    refused(load, path, match=r"categories_ must be .*, distinct and in order")


@pytest.mark.parametrize("forged", [[0, 1, 2, 9], [0, 1, 2, 2], [3, 3, 3, 3]], ids=str)
def test_rare_categories_of_others(forged, path):
    encoder(path, min_frequency=2)
    reference = state_of(path, "OneHotEncoder")["_default_to_infrequent_mappings"][0]
    new_array(path, reference, np.array(forged))
    refused(load, path, match="its rare categories do not belong to its categories")


@pytest.mark.parametrize("kind", [{"type": "str_"}, {"dtype": "|O"}, {"dtype": "<U9999"}, "f8"])
def test_an_encoder_writes_numbers(kind, path):
    encoder(path)
    forge(path, lambda file: file["model"]["params"].update(dtype=kind))
    refused(load, path, match="OneHotEncoder.dtype must be a type of numbers|is not valid")


@pytest.mark.parametrize("metric", ["mahalanobis", "seuclidean", "haversine", "precomputed"])
def test_distances_with_parameters_of_their_own(metric, path):
    save(KNeighborsClassifier(algorithm="brute").fit(X, Y), path)
    forge(path, lambda file: file["model"]["params"].update(metric=metric))
    refused(load, path, match=r"KNeighborsClassifier\.metric must be one of")
    save(KNeighborsClassifier(algorithm="brute").fit(X, Y), path)
    forge(path, lambda file: file["model"]["params"].update(metric_params={"dict": []}))
    refused(load, path, match=r"KNeighborsClassifier\.metric_params must be None")


def test_keys_of_dictionaries_are_numbers_or_text(path):
    write(path, {"dict": [[{"tuple": [1, 2]}, 3]]})
    refused(load, path, match="a dictionary in it has keys that are neither numbers nor text")


def test_halves_of_characters(path):
    write(path, "\ud800")
    refused(load, path, match="text in it holds something else than characters")
    write(path, {"array": 0}, [["<U1", [1], "C"]], b"\x00\xd8\x00\x00")
    refused(load, path, match="text in it holds something else than characters")


def test_messages_hold_no_control_characters(path):
    write(path, an_object("\x1b]0;harm\x07"))
    refused(load, path, match=r"does not know: \\x1b\]0;harm\\x07")
    write(path, {"function": "\x1b[2J"})
    refused(load, path, match=r"\\x1b\[2J")
    path.write_bytes(file_of({**VERSIONS, "abstain": "\x1b[2J", "model": 1}))
    refused(load, path, match="it does not say which versions wrote it")


def test_more_jobs_than_cores_are_as_many_as_there_are_cores(path):
    save(RandomForestClassifier(3).fit(X, Y), path)
    forge(path, lambda file: file["model"]["params"].update(n_jobs=10**6))
    assert load(path).n_jobs == -1


def test_a_tree_has_a_depth_that_samples_can_pass(path):
    n_nodes = 2 * 20_000 + 1
    inner = np.arange(0, n_nodes - 1, 2)
    nodes = np.zeros(n_nodes, dtype=NODE_DTYPE)
    nodes["left_child"], nodes["right_child"], nodes["feature"] = -1, -1, -2
    nodes["left_child"][inner], nodes["right_child"][inner] = inner + 1, inner + 2
    nodes["feature"][inner] = 0
    tree = Tree(5, np.array([3]), 1)
    values = np.full((n_nodes, 1, 3), 1 / 3)
    state = {"max_depth": 1, "node_count": n_nodes, "nodes": nodes, "values": values}
    tree.__setstate__(state)
    model = DecisionTreeClassifier(max_depth=1).fit(X, Y)
    model.tree_ = tree
    save(model, path)
    refused(load, path, match="a tree in it is deeper than 10,000 levels; set max_depth")
    tree.__setstate__(state | {"max_depth": 20_000})
    refused(save, model, path, match="a tree in it is deeper than 10,000 levels; set max_depth")


def test_leaves_hold_shares(path):
    save(DecisionTreeClassifier(max_depth=3).fit(X, Y), path)
    tree = dict(state_of(path, "DecisionTreeClassifier")["tree_"]["tree"]["dict"])
    new_array(path, tree["values"], -7 * read_array(path, tree["values"]))
    refused(load, path, match=r"tree_ must be .*, whose leaves hold shares of classes")


@pytest.mark.parametrize(
    ("model", "attribute", "forged"),
    [
        (GaussianNB(), "var_", np.zeros((3, 5))),
        (GaussianNB(), "class_prior_", np.ones(3)),
        (RSLVQ(), "sigma2_", np.zeros(3)),
        (GMLVQ(), "omega_", np.zeros((5, 5))),
        (GMLVQ(), "omega_", np.zeros((0, 5))),
        (GMLVQ(), "prototypes_", np.full((3, 5), np.inf)),
        (GaussianNB(), "classes_", np.array(["a", "a", "b"])),
        (GaussianNB(), "classes_", np.zeros(0)),
        (GaussianNB(), "classes_", np.array(["a", "b", "c" * 1001])),
    ],
    ids=lambda part: getattr(part, "shape", str(part)),
)
def test_numbers_that_would_be_divided_by(model, attribute, forged, path):
    save(model.fit(X, Y), path)
    name = type(model).__name__
    new_array(path, state_of(path, name)[attribute], forged)
    refused(load, path, match=rf"{name}\.{attribute} must be")


def test_a_network_answers_with_its_own_classes(path):
    save(MLPClassifier(3, solver="lbfgs", max_iter=5000, alpha=10).fit(X, Y), path)
    classes = state_of(path, "LabelBinarizer")["classes_"]
    new_array(path, classes, np.array(["oak", "pine", "yew"]))
    refused(load, path, match="a MLPClassifier in it is not sound")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("n_errors", 10**6),
        ("true_rejects", 10**6),
        ("row", 10**6),
        ("thresholds", None),
        ("guarantee", {"dict": [["accuracy", "<script>"]]}),
    ],
)
def test_operating_points_are_of_their_thresholds_and_samples(key, value, clf, path):
    save(clf, path)

    def change(file):
        pairs = file["model"]["state"]["point"]["dict"]
        if value is None:
            # Those of the point, and those that decide, trade places.
            own, other = dict(pairs)["thresholds"], file["model"]["state"]["cells_"]
            own["array"], other["array"] = other["array"], own["array"]
        else:
            next(pair for pair in pairs if pair[0] == key)[1] = value

    forge(path, change)
    refused(load, path, match="RejectOptionClassifier")


def test_what_a_function_is_called_with_is_not_for_a_file_to_choose(path):
    model = make_pipeline(FunctionTransformer(np.tanh), GMLVQ()).fit(X, Y)
    save(model, path)

    def change(file):
        params = object_of(file, "FunctionTransformer")["params"]
        params["kw_args"] = {"dict": [["out", "harm"]]}

    forge(path, change)
    match = r"FunctionTransformer\.kw_args must be None"
    refused(load, path, match=match, functions={"tanh": np.tanh})


def check_part(name, part):
    """Check a part of a classifier with three thresholds."""
    kinds = {name: REJECT_OPTION.fitted[name]}
    check_attributes("RejectOptionClassifier", {name: part}, kinds, {"t": 3})


def steps(**changed):
    """Return the steps of two cells, as a classifier has them that was calibrated on Dask."""
    arrays = {
        "cells": [0, 1],
        "starts": [0, 2, 4],
        "true_rejects": [0, 2, 0, 1],
        "false_rejects": [0, 1, 0, 0],
    }
    made = {name: np.array(values) for name, values in arrays.items()}
    made["thresholds"] = np.array([-np.inf, 0.5, -np.inf, 0.7])
    return made | {"n_samples": 10, "n_errors": 3} | changed


@pytest.mark.parametrize(
    "changed",
    [
        {"cells": np.array([1, 0])},
        {"cells": np.array([0, 9])},
        {"cells": np.array([0, 1], dtype=np.uint64)},
        {"starts": np.array([0, 2, 9])},
        {"true_rejects": np.array([0, 2, 0, 10**8])},
        {"true_rejects": np.array([0, 2, 0, 2])},
        {"false_rejects": np.array([0, -1, 0, 0])},
        {"thresholds": np.array([-np.inf, 0.5, -np.inf, np.nan])},
        {"n_samples": 2},
        {"n_samples": 2**60},
    ],
    ids=str,
)
def test_steps_that_no_samples_have(changed):
    check_part("staircases", steps())
    refused(check_part, "staircases", steps(**changed), match=r"RejectOptionClassifier\.staircases")


def bins(**changed):
    """Return the counts of two cells in three bins, as a pooled front is made of on Dask."""
    return {
        "cells": np.array([0, 2]),
        "edges": np.array([0.1, 0.2, 0.3]),
        "right": np.array([[1, 2, 3], [0, 1, 1]]),
        "wrong": np.array([[1, 0, 0], [2, 1, 0]]),
        "is_lossless": True,
    } | changed


@pytest.mark.parametrize(
    "changed",
    [
        {"cells": np.array([2, 0])},
        {"cells": np.array([0, 3])},
        {"cells": np.zeros(0, np.int64)},
        {"edges": np.array([0.1, 0.3, 0.2])},
        {"edges": np.array([0.1, np.nan, 0.3])},
        {"edges": np.array([0.1, 0.2])},
        {"right": np.array([[1, 2, 3], [0, -1, 1]])},
        {"right": np.array([[1, 2, 3]])},
        {"right": np.full((2, 3), 1 << 52)},
        {"wrong": np.full((2, 3), 1 << 40)},
        {"right": np.zeros((2, 3), np.int64), "wrong": np.array([[1, 0, 0], [0, 0, 1]])},
        {"is_lossless": 1},
    ],
    ids=str,
)
def test_bins_that_no_samples_have(changed):
    check_part("bins", bins())
    refused(check_part, "bins", bins(**changed), match=r"RejectOptionClassifier\.bins")


def test_a_front_has_one_source(clf):
    """Of two, one would be used and the other checked."""
    state = REJECT_OPTION.state(clf)
    REJECT_OPTION.check(clf, state)
    for more in ({"bins": bins()}, {"calibration": None}):
        with pytest.raises(InputError, match="calibration samples, steps or bins, and only one"):
            REJECT_OPTION.check(clf, state | more)


# --- targets, and what they need of the samples ---------------------------------------------------

PRICES = {(true, answer): 2 for true in "abc" for answer in "abc" if true != answer}
NAN, INFINITE = {"float": "nan"}, {"float": "inf"}
A_RATE = an_object("abstain.RejectRate", {"rate": 0.5})
A_COST = an_object("abstain.ExpectedCost", {"costs": [[0, 1], [1, 0]], "reject": 0.5})
NO_TARGETS = an_object("abstain.AllOf", {"targets": []})


def pairs(*changed):
    """Return how a file holds costs of pairs, some of them changed."""
    return {"pairs": [["a", "b", 2], ["b", "a", 2], *changed]}


@pytest.mark.parametrize(
    ("target", "parameter", "forged"),
    [
        *(
            (ExpectedCost(PRICES, 0.5), "costs", forged)
            for forged in [
                *(
                    -1,
                    7,
                    "text",
                    None,
                    [],
                    [[0, 1], [1]],
                    [[0, 1, 1], [1, 0, 1]],
                    [[0, "1"], [1, 0]],
                ),
                *([[0, -1], [1, 0]], [[0, NAN], [1, 0]], [[0, INFINITE], [1, 0]]),
                *(pairs(["a", "a", -1]), pairs(["a", "a", NAN]), pairs(["a", "a", "2"])),
                *(pairs(["a", "b", 3]), pairs(["a", "c", 3]), pairs([NAN, NAN, 3])),
                *(pairs([[], [], 3]), pairs([A_RATE, "a", 3]), pairs(["a"]), {"pairs": 3}),
                *({"dict": []}, {"dict": [["a", 1]]}, {"dict": [[{"tuple": ["a", "b"]}, 1]]}),
                {"function": "eval"},
            ]
        ),
        *(
            (ExpectedCost(PRICES, 0.5), "reject", forged)
            for forged in [
                *(-1, NAN, INFINITE, "0.5", None, [[1, 1, 1]], [1, -1, 1], [1, NAN, 1], A_RATE),
                *({"dict": [["a", -1]]}, {"dict": [["a", "1"]]}, {"dict": [[NAN, 1]]}),
            ]
        ),
        *((ExpectedCost(PRICES, 0.5), "answers", forged) for forged in ("cheapest", None, [], 1)),
        *((Recall("a", 0.5), "label", forged) for forged in (None, NAN, [], "x" * 1001, A_RATE)),
        *((Recall("a", 0.5), "recall", forged) for forged in (0, 2, -1, NAN, "0.5", None, [0.5])),
        *((Precision("a", 0.5), "precision", forged) for forged in (0, 2, NAN, "0.5", None, True)),
        *((Precision("a", 0.5), "confidence", forged) for forged in (0, 1, NAN, "0.5", True)),
        *((Accuracy(0.5), "accuracy", forged) for forged in (0, 2, NAN, "0.5", None, [0.5])),
        *((Accuracy(0.5), "groups", forged) for forged in (7, [None], [[1]], ["x" * 1001], A_RATE)),
        *(
            (AllOf(Accuracy(0.5)), "targets", forged)
            for forged in (None, [], 3, [3], [A_RATE], [A_COST], [NO_TARGETS], A_RATE, ["Accuracy"])
        ),
    ],
    ids=lambda part: f"{part}"[:40],
)
def test_targets_that_cannot_be(target, parameter, forged, path):
    y = np.array(["a", "b", "c"])[CLASSES]
    save(RejectOptionClassifier(GaussianNB(), target=target).fit(X, y), path)
    name = type(target).__name__
    forge(path, lambda file: object_of(file, name)["params"].update({parameter: forged}))
    match = r"cannot load (?!.*it cannot be read)"
    refused(load, path, match=match, functions={"eval": eval})


def test_pairs_of_equal_hashes_have_too_many_labels(path):
    """A dict of tuples with equal hashes takes forever; no two of them can share a label."""
    write(path, {"pairs": [[label, label + 5000, 1] for label in range(2000)]})
    refused(load, path, match="a dictionary in it has keys that are not all pairs")


@pytest.fixture(scope="module")
def certified():
    target = AllOf(Accuracy(0.5, confidence=0.7), Recall("ash", 0.5, confidence=0.7))
    return RejectOptionClassifier(GaussianNB(), target=target, random_state=0).fit(X, Y)


def check_state(clf, changed):
    REJECT_OPTION.check(clf, REJECT_OPTION.state(clf) | changed)


@pytest.mark.parametrize(
    "changed",
    [
        {"accuracy": 2},
        {"confidence": -1},
        {"bound": 1.5},
        {"bound": np.nan},
        {"errors": 10**6},
        {"accepted": 10**6},
        {"accepted": -1},
        {"name": None},
        {"name": 3},
        {"name": "\x1b[2J"},
        {"more": 3},
    ],
    ids=str,
)
def test_guarantees_that_no_samples_give(changed, certified):
    state = REJECT_OPTION.state(certified)
    first, second = state["point"]["guarantees"]
    forged = {"point": state["point"] | {"guarantees": [first, second | changed]}}
    refused(check_state, certified, forged, match=r"RejectOptionClassifier\.")


def test_guarantees_need_samples_that_test(certified):
    forged = {"held_out": None, "test": None}
    refused(check_state, certified, forged, match="operating point is not of its thresholds")
    refused(check_state, certified, {"held_out": None}, match="is not sound: its held-out samples")


@pytest.mark.parametrize("part", ["calibration", "test"])
@pytest.mark.parametrize(
    "change",
    [
        {"answers": lambda labels: labels[:-1]},
        {"answers": lambda labels: np.where(labels == "ash", "oak", labels)},
        {"answers": lambda labels: labels[::-1]},
        {"answers": lambda labels: np.arange(len(labels))},
        {"answers": lambda labels: None},
        {"truth": lambda labels: labels[::-1]},
        {"truth": lambda labels: np.full(len(labels), np.nan)},
        {"truth": lambda labels: None},
        {"rows": lambda rows: rows - 1000},
        {"rows": lambda rows: rows / 2},
        {"rows": lambda rows: rows[1:]},
        {"rows": lambda rows: None},
    ],
    ids=list,
)
def test_answers_are_right_where_samples_are(part, change, certified):
    state = REJECT_OPTION.state(certified)
    ((name, changed),) = change.items()
    forged = {part: state[part] | {name: changed(state[part][name])}}
    refused(check_state, certified, forged, match="RejectOptionClassifier")


@pytest.mark.parametrize(
    "posteriors", [np.ones((240, 2)), np.ones((9, 3)), np.full((240, 3), -1.0), np.ones(240)]
)
def test_posteriors_are_of_the_classes_and_samples(posteriors):
    target = ExpectedCost(1 - np.eye(3), reject=0.3)
    clf = RejectOptionClassifier(GaussianNB(), target=target).fit(X, Y)
    known = REJECT_OPTION.state(clf)["calibration"]
    check_state(clf, {"calibration": known})
    forged = {"calibration": known | {"posteriors": posteriors}}
    refused(check_state, clf, forged, match=r"calibration_\.posteriors must be finite numbers of")


@pytest.mark.parametrize(
    "forged",
    [
        {"predicted": np.full(240, "yew")},
        {"predicted": np.array(["ash"])},
        {"deciding_predicted": np.full(240, "yew")},
        {"certainties": np.ones((240, 2))},
        {"deciding_posteriors": np.full((240, 3), np.nan)},
        {"groups": np.arange(9)},
        {"groups": np.full(240, -1)},
    ],
    ids=list,
)
def test_what_other_costs_choose_by_is_of_the_classes_and_samples(forged):
    clf = RejectOptionClassifier(GaussianNB()).fit(X, Y)
    known = REJECT_OPTION.state(clf)["calibration"]
    refused(check_state, clf, {"calibration": known | forged}, match="RejectOptionClassifier")


def test_costs_of_other_classes_than_those_of_the_classifier(path):
    target = ExpectedCost((1 - np.eye(3)).tolist(), reject=0.3)
    save(RejectOptionClassifier(GaussianNB(), target=target).fit(X, Y), path)
    matrix = {"costs": [[0, 1], [1, 0]]}
    forge(path, lambda file: object_of(file, "ExpectedCost")["params"].update(matrix))
    refused(load, path, match="costs must have a row and a column for each of the classes")


def test_centres_lie_in_memory_as_their_clusterer_reads_them(path):
    clusters = KMeans(3, n_init=1).fit(X)
    clusters.cluster_centers_ = np.asfortranarray(clusters.cluster_centers_)
    clf = RejectOptionClassifier(GaussianNB()).fit(X, Y).set_params(cells=clusters)
    refused(save, clf, path, match=r"KMeans\.cluster_centers_ must be .*in C order")
