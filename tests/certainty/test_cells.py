"""Every rule assigns each sample to the cell that it promises, and says whom it cannot serve."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import DBSCAN, KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from abstain import InputError
from abstain.cells import (
    RULES,
    auto_rule,
    find_cells,
    global_cell,
    leaf,
    predicted_class,
    prototype_cell,
)
from abstain.certainty.cells import means_the_same
from abstain.models import GLVQ, GMLVQ, GRLVQ, LGMLVQ, LMRSLVQ, MRSLVQ, RSLVQ
from tests.certainty.samples import CHANGES, blobs, changed, fitted, name_of

ALWAYS = ["global", "class"]
TREE = DecisionTreeClassifier(max_depth=4, random_state=0)
# Each estimator, with the rules that can be had of it; the last is the one that suits it best.
SERVED = [
    *[(model(), [*ALWAYS, "prototype"]) for model in (GLVQ, GRLVQ, GMLVQ, LGMLVQ)],
    *[(model(), [*ALWAYS, "prototype"]) for model in (RSLVQ, MRSLVQ, LMRSLVQ)],
    (TREE, [*ALWAYS, "leaf"]),
    (ExtraTreeClassifier(max_depth=4, random_state=0), [*ALWAYS, "leaf"]),
    (RandomForestClassifier(5, random_state=0), ALWAYS),  # a leaf in each tree
    (LogisticRegression(max_iter=1000), ALWAYS),
    (GaussianNB(), ALWAYS),
    (KNeighborsClassifier(), ALWAYS),
    (SVC(), ALWAYS),
]
PAIRS = [
    pytest.param(estimator, RULES[name], id=f"{name}-{type(estimator).__name__}")
    for estimator, names in SERVED
    for name in names
]
every_pair = pytest.mark.parametrize(("estimator", "rule"), PAIRS)


def test_the_registry_knows_each_rule_by_its_name():
    assert [rule.name for rule in RULES.values()] == list(RULES)
    functions = [rule.function for rule in RULES.values()]
    assert functions == [global_cell, predicted_class, prototype_cell, leaf]
    assert all(rule.survives <= set(CHANGES) for rule in RULES.values())


@pytest.mark.parametrize(("estimator", "names"), SERVED, ids=name_of)
def test_a_rule_works_just_where_it_says_that_it_serves(estimator, names):
    it, X = fitted(estimator), blobs()[2]
    for name, rule in RULES.items():
        assert rule.serves(it) == (name in names)
        if name in names:
            assert find_cells(it, X, name).tolist() == rule.function(it, X).tolist()
            assert find_cells(it, X, name).shape == (len(X),)
        else:
            with pytest.raises(InputError) as caught:
                find_cells(it, X, name)
            assert str(caught.value) == (
                f"cells={name!r} needs {rule.needs}, got {name_of(it)}; use 'class'"
            )


@pytest.mark.parametrize(("estimator", "names"), SERVED, ids=name_of)
def test_auto_takes_the_finest_rule_of_an_estimator(estimator, names):
    it, X = fitted(estimator), blobs()[2]
    assert auto_rule(it) is RULES[names[-1]]
    assert find_cells(it, X).tolist() == auto_rule(it).function(it, X).tolist()


@pytest.mark.parametrize("estimator", [each for each, _ in SERVED], ids=name_of)
def test_one_cell_for_all_or_one_for_each_predicted_class(estimator):
    it, X = fitted(estimator), blobs()[2]
    assert find_cells(it, X, "global").tolist() == [0] * len(X)
    assert find_cells(it, X, "class").tolist() == it.predict(X).tolist()


@pytest.mark.parametrize("model", [GLVQ, GMLVQ, LGMLVQ, RSLVQ])
def test_the_cell_of_a_prototype_is_where_it_is_the_closest(model):
    it, X = fitted(model({"sure": 2, "maybe": 3}, random_state=0)), blobs()[2].copy()
    X[::7, 1] = np.nan
    cells = find_cells(it, X, "prototype")
    assert cells.tolist() == [row.index(min(row)) for row in it.distances(X).tolist()]
    assert find_cells(it, it.prototypes_, "prototype").tolist() == [0, 1, 2, 3, 4, 5]


def test_the_cell_of_a_leaf_is_where_the_questions_of_the_tree_lead():
    it, X = fitted(TREE), blobs()[2]
    nodes = it.tree_
    expected = []
    for x in X.astype(np.float32):
        node = 0
        while nodes.children_left[node] != nodes.children_right[node]:
            goes_left = x[nodes.feature[node]] <= nodes.threshold[node]
            node = (nodes.children_left if goes_left else nodes.children_right)[node]
        expected.append(node)
    assert find_cells(it, X, "leaf").tolist() == expected


MINDS = {
    "shift": SVC,  # gamma="scale" is taken from all values together
    "rotation": SVC | GRLVQ | DecisionTreeClassifier | RandomForestClassifier | GaussianNB,
    "scale": LogisticRegression,
}


# Of samples so close to a border that rounding, or the end of a search, decides, there are few.
@pytest.mark.parametrize(
    ("estimator", "rule", "change"),
    [
        pytest.param(estimator, RULES[name], change, id=f"{name}-{change}-{name_of(estimator)}")
        for estimator, names in SERVED
        for name in names
        for change in sorted(RULES[name].survives)
        if name == "global" or not isinstance(estimator, MINDS[change])
    ],
)
def test_cells_survive_the_changes_of_the_registry(estimator, rule, change):
    new = blobs()[2]
    before = rule.function(fitted(estimator), new)
    after = rule.function(fitted(estimator, change=change), changed(new, (), change)[0])
    assert (before == after).mean() > 0.98


def test_leaves_do_not_survive_a_rotation():
    new = blobs()[2]
    before = find_cells(fitted(TREE), new, "leaf")
    after = find_cells(fitted(TREE, change="rotation"), changed(new, (), "rotation")[0], "leaf")
    together = [cells[:, np.newaxis] == cells for cells in (before, after)]
    assert (together[0] != together[1]).mean() > 0.05


@every_pair
def test_neither_the_order_nor_other_samples_matter(estimator, rule):
    it, X = fitted(estimator), blobs()[2]
    cells = rule.function(it, X)
    order = np.random.default_rng(0).permutation(len(X))
    assert rule.function(it, X[order]).tolist() == cells[order].tolist()
    assert [rule.function(it, X[[row]])[0] for row in range(10)] == cells[:10].tolist()
    assert rule.function(it, X[:3].tolist()).tolist() == cells[:3].tolist()


@pytest.mark.parametrize(
    "wrap",
    [
        FrozenEstimator,
        lambda it: make_pipeline("passthrough", FrozenEstimator(it)).fit(*blobs()[:2]),
        lambda it: GridSearchCV(it, {}, cv=2).fit(*blobs()[:2]),
        lambda it: CalibratedClassifierCV(FrozenEstimator(it)).fit(*blobs()[:2]),
        lambda it: CalibratedClassifierCV(it, ensemble=False).fit(*blobs()[:2]),
    ],
)
@pytest.mark.parametrize(("estimator", "name"), [(GMLVQ(), "prototype"), (TREE, "leaf")])
def test_rules_see_through_wrappers(estimator, name, wrap):
    it, X = fitted(estimator), blobs()[2]
    wrapped = wrap(it)
    assert auto_rule(wrapped) is RULES[name]
    assert find_cells(wrapped, X).tolist() == find_cells(it, X).tolist()


@pytest.mark.parametrize(("estimator", "name"), [(GMLVQ(2), "prototype"), (TREE, "leaf")])
def test_the_model_of_a_pipeline_sees_what_the_steps_make_of_samples(estimator, name):
    X, y, new, _ = blobs()
    it = make_pipeline(StandardScaler(), clone(estimator)).fit(100 * X, y)
    expected = it[-1].apply(it[0].transform(100 * new))
    assert find_cells(it, 100 * new).tolist() == expected.tolist()
    assert find_cells(it, 100 * new, name).tolist() == expected.tolist()


def test_models_of_several_folds_have_no_cells_of_their_own():
    it = CalibratedClassifierCV(GLVQ(), ensemble=True, cv=3).fit(*blobs()[:2])
    assert auto_rule(it) is RULES["class"]
    message = "^cells='prototype' needs a prototype model, got CalibratedClassifierCV; use 'class'$"
    with pytest.raises(InputError, match=message):
        find_cells(it, blobs()[2], "prototype")


@pytest.mark.parametrize("make", [lambda it: it, FrozenEstimator, lambda it: make_pipeline(it)])
def test_the_clusters_of_a_fitted_clusterer_are_cells(make):
    X, _, new, _ = blobs()
    clusterer = make(KMeans(4, random_state=0).fit(X))
    cells = find_cells(fitted(GLVQ()), new, clusterer)
    assert cells.tolist() == clusterer.predict(new).tolist()
    assert len(set(cells.tolist())) == 4


def test_another_classifier_can_draw_the_cells():
    new = blobs()[2]
    cells = find_cells(fitted(GLVQ()), new, fitted(GaussianNB()))
    assert cells.tolist() == fitted(GaussianNB()).predict(new).tolist()


@pytest.mark.parametrize("clusterer", [KMeans(4), make_pipeline(StandardScaler(), KMeans(4))])
def test_a_clusterer_that_is_not_fitted_is_refused(clusterer):
    with pytest.raises(NotFittedError):
        find_cells(fitted(GLVQ()), blobs()[2], clusterer)


@pytest.mark.parametrize(
    "cells",
    [
        lambda it, X: it.predict(X) == "sure",
        lambda it, X: ["left" if x[0] < 0 else "right" for x in X],
        lambda it, X: [int(x[0] // 1) for x in X],
        prototype_cell,
    ],
)
def test_any_function_of_estimator_and_samples_is_a_rule(cells):
    it, X = fitted(GLVQ()), blobs()[2]
    assert find_cells(it, X, cells).tolist() == list(cells(it, X))


def test_labels_of_several_kinds_stay_what_they_are():
    assert find_cells(None, [[0], [0]], lambda it, X: ["1", 1]).tolist() == ["1", 1]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1], "cells must return one label for each of 2 samples, got 1"),
        ([1, 2, 3], "cells must return one label for each of 2 samples, got 3"),
        ([[1, 2], [3, 4]], r"cells must be one-dimensional, got shape \(2, 2\)"),
        ("left", "cells must be a list or an array, got a str"),
        (None, "cells must be a list or an array, got a NoneType"),
        ([1.0, np.nan], "cells must hold no missing value, got nan at index 1"),
        (["left", None], "cells must hold no missing value, got None at index 1"),
    ],
)
def test_a_function_that_returns_something_else_is_reported_so(labels, message):
    with pytest.raises(InputError, match=f"^{message}$"):
        find_cells(None, [[1.0], [2.0]], lambda it, X: labels)


@pytest.mark.parametrize("cells", ["voronoi", "Class", "", None, 3, ["class"], KMeans, DBSCAN()])
def test_an_unknown_rule_is_refused_with_the_known_ones(cells):
    with pytest.raises(InputError) as caught:
        find_cells(fitted(GLVQ()), blobs()[2], cells)
    assert str(caught.value) == (
        "cells must be one of 'auto', 'global', 'class', 'prototype', 'leaf', a clusterer "
        f"or a callable, got {cells!r}"
    )


@pytest.mark.parametrize("cells", ["auto", "class", "prototype"])
def test_an_estimator_that_is_not_fitted_is_refused(cells):
    for each in (GLVQ(), make_pipeline(StandardScaler(), GLVQ()), FrozenEstimator(GLVQ())):
        with pytest.raises(NotFittedError):
            find_cells(each, blobs()[2], cells)


# Two estimators that were fitted on parts of the data: is the cell 3 of one that of the other?
@pytest.mark.parametrize(
    ("cells", "estimator", "expected"),
    [
        ("auto", GLVQ(), True),
        ("prototype", GLVQ(), True),
        ("prototype", make_pipeline(StandardScaler(), GMLVQ()), True),
        ("auto", GLVQ(2, random_state=0), False),
        ("prototype", GLVQ({"sure": 2}, random_state=0), False),
        ("class", GLVQ(2, random_state=0), True),
        ("global", GLVQ(2, random_state=0), True),
        ("auto", TREE, False),
        ("leaf", make_pipeline(StandardScaler(), TREE), False),
        ("class", TREE, True),
        ("auto", LogisticRegression(), True),
        (KMeans(2), TREE, True),
        (lambda it, X: it.predict(X), TREE, False),
    ],
    ids=lambda value: value if isinstance(value, str) else name_of(value),
)
def test_cells_mean_the_same_to_estimators_of_parts_of_the_data(cells, estimator, expected):
    X, y, *_ = blobs()
    first, second = (clone(estimator).fit(X[part::2], y[part::2]) for part in (0, 1))
    assert means_the_same(cells, first, second) is expected


def test_prototypes_of_different_classes_do_not_mean_the_same():
    X, y, *_ = blobs()
    few = y != "likely"
    assert not means_the_same("prototype", GLVQ().fit(X, y), GLVQ().fit(X[few], y[few]))
