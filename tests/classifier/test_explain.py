"""An explanation says what the classifier did, and its terms add up to the decision."""

import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_digits, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC

from abstain import InputError, RejectOptionClassifier, RejectRate, models
from abstain.classifier.explain import decide_and_explain, explanation_table
from tests.reference.models import distance

NAMES = ["setosa", "versicolor", "virginica"]
every_model = pytest.mark.parametrize("name", models.__all__)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X, np.array(NAMES)[y]


def roots(model):
    """Ω of each prototype."""
    n_prototypes, n_features = model.prototypes_.shape
    if hasattr(model, "omegas_"):
        return model.omegas_
    if hasattr(model, "omega_"):
        return [model.omega_] * n_prototypes
    return [np.diag(getattr(model, "scales_", np.ones(n_features)))] * n_prototypes


@pytest.mark.filterwarnings("ignore:cv=None finds no error:UserWarning")
@every_model
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_contributions_add_up_to_the_difference_of_the_two_distances(name, missing, iris):
    X, y = iris[0].to_numpy().copy(), iris[1]
    X[np.random.default_rng(0).random(X.shape) < missing] = np.nan
    present = ~np.isnan(X).all(axis=1)
    X, y = X[present], y[present]
    clf = RejectOptionClassifier(getattr(models, name)(2, random_state=0)).fit(X, y)
    model, table = clf.estimator_, clf.explain(X, n_features=4)
    order = {f"feature {index}": index for index in range(4)}
    for x, row in zip(X[::7], table.gather_every(7).iter_rows(named=True), strict=True):
        distances = [distance(x, *at) for at in zip(model.prototypes_, roots(model), strict=True)]
        own = model.prototype_labels_ == row["label"]
        plus, minus = np.min(np.array(distances)[own]), np.min(np.array(distances)[~own])
        assert row["rival"] == model.prototype_labels_[~own][np.argmin(np.array(distances)[~own])]
        shares = np.zeros(4)
        shares[[order[feature] for feature in row["features"]]] = row["contributions"]
        assert np.abs(shares).sum() == pytest.approx(1)
        sizes = np.abs(row["contributions"])
        assert (np.diff(sizes) <= 0).all()
        # The terms were divided by the sum of their sizes.
        away = [
            np.nan_to_num(x - model.prototypes_[np.argmin(np.where(which, distances, np.inf))])
            for which in (own, ~own)
        ]
        inner = [
            roots(model)[np.argmin(np.where(which, distances, np.inf))] for which in (own, ~own)
        ]
        terms = [d * (omega.T @ (omega @ d)) for d, omega in zip(away, inner, strict=True)]
        size = np.abs(terms[1] - terms[0]).sum()
        assert shares.sum() * size == pytest.approx(minus - plus, rel=1e-6, abs=1e-9)
        assert shares[np.isnan(x)] == pytest.approx(0)


# With Euclidean distances, the terms are plain: (x − w⁻)² − (x − w⁺)² of each feature.
def test_contributions_of_a_euclidean_model_are_differences_of_squares(iris):
    X, y = iris[0].to_numpy(), iris[1]
    clf = RejectOptionClassifier(models.GLVQ()).fit(X, y)
    model, table = clf.estimator_, clf.explain(X, n_features=4)
    place = dict(zip(NAMES, model.prototypes_, strict=True))
    for x, row in zip(X, table.iter_rows(named=True), strict=True):
        terms = (x - place[row["rival"]]) ** 2 - (x - place[row["label"]]) ** 2
        terms /= np.abs(terms).sum()
        order = [int(feature.split()[-1]) for feature in row["features"]]
        assert row["contributions"] == pytest.approx(terms[order])


def test_the_table_says_what_the_classifier_does(iris):
    X, y = iris
    clf = RejectOptionClassifier(make_pipeline(StandardScaler(), models.GMLVQ())).fit(X, y)
    table = clf.explain(X)
    assert isinstance(table, pl.DataFrame)
    assert table.height == len(X)
    assert table["label"].to_list() == clf.predict(X).tolist()
    assert np.array_equal(table["rejected"], clf.reject(X))
    assert np.array_equal(table["certainty"], clf.certainties(X))
    assert np.array_equal(table["threshold"], clf.thresholds_[clf.apply(X)])
    assert table["cell"].to_list() == clf.cells_[clf.apply(X)].tolist()
    assert (table["label"] != table["rival"]).all()
    assert np.array_equal(table["kind"].is_not_null(), table["rejected"])
    # Names come from the frame, through the steps before the model.
    assert set(table["features"].explode()) <= set(X.columns)
    assert table["features"].list.len().to_list() == [3] * len(X)


@pytest.mark.parametrize(
    "estimator",
    [LogisticRegression(max_iter=1000), RandomForestClassifier(20, max_depth=3), LinearSVC()],
    ids=lambda estimator: type(estimator).__name__,
)
def test_the_rival_of_any_classifier_is_its_second_choice(estimator, iris):
    X, y = iris
    clf = RejectOptionClassifier(estimator, target=RejectRate(0.2), random_state=0).fit(X, y)
    table = clf.explain(X)
    method = "predict_proba" if hasattr(clf, "predict_proba") else "decision_function"
    scores = getattr(clf.estimator_, method)(X)
    second = clf.classes_[np.argsort(scores, axis=1)[:, -2]]
    decided = np.sort(scores, axis=1)
    clear = decided[:, -2] > decided[:, -3]  # no tie for the second place
    assert np.array_equal(np.array(table["rival"])[clear], second[clear])
    assert table["features"].null_count() == len(X)
    assert set(table["kind"].drop_nulls()) == {"ambiguous"}


@pytest.mark.parametrize("shape", ["ovr", "ovo"])
@pytest.mark.parametrize("load", [load_iris, load_digits])
def test_the_rival_of_a_support_vector_machine_is_that_of_its_smallest_margin(shape, load):
    X, y = load(return_X_y=True)
    clf = RejectOptionClassifier(SVC(decision_function_shape=shape), cells="global", cv=2)
    table = clf.fit(X, y).explain(X)
    pairs = SVC(decision_function_shape="ovo").fit(X, y)
    margins, names = pairs.decision_function(X), list(combinations(pairs.classes_, 2))
    for x, row in zip(margins[::9], table.gather_every(9).iter_rows(named=True), strict=True):
        of_winner = {
            second if first == row["label"] else first: margin if first == row["label"] else -margin
            for margin, (first, second) in zip(x, names, strict=True)
            if row["label"] in (first, second)
        }
        assert row["certainty"] == pytest.approx(of_winner[row["rival"]])
        assert of_winner[row["rival"]] == min(of_winner.values())


def test_of_two_classes_the_rival_is_the_other(iris):
    X, y = iris[0][iris[1] != "setosa"], iris[1][iris[1] != "setosa"]
    table = RejectOptionClassifier(LinearSVC()).fit(X, y).explain(X)
    assert [set(pair) for pair in table.select("label", "rival").iter_rows()] == [
        {"versicolor", "virginica"}
    ] * len(X)


def test_an_outlier_is_reported_from_an_ambiguous_sample(iris):
    X, y = iris[0].to_numpy(), iris[1]
    clf = RejectOptionClassifier(models.GLVQ(), target=RejectRate(0.2), cells="global").fit(X, y)
    first, second = clf.estimator_.prototypes_[[1, 2]]
    between = (first + second) / 2
    # Away from both at right angles: as far from the one as from the other.
    across = np.linalg.svd((second - first)[np.newaxis])[2][-1]
    table = clf.explain(np.stack([between, between + 50 * across]))
    assert table["rejected"].to_list() == [True, True]
    assert table["kind"].to_list() == ["ambiguous", "outlier"]
    assert table["unusual"].to_list()[0] is None
    # Of samples that are all rejected, the outliers are those with a small p-value.
    X = np.concatenate([X, X[::10] + np.array([0, 0, 9, 0])])
    everything = clf.retarget(RejectRate(1.0)).explain(X)
    assert everything["rejected"].all()
    p_values = clf.outlier_p_values(X)
    assert everything["outlier_p_value"].to_list() == p_values.tolist()
    is_outlier = p_values <= 0.01
    assert (everything["kind"] == "outlier").to_list() == is_outlier.tolist()
    assert everything["unusual"].is_not_null().to_list() == is_outlier.tolist()
    assert is_outlier[150:].all()
    assert is_outlier[:150].mean() <= 0.02
    assert all(features[0] == "feature 2" for features in everything["unusual"].to_list()[150:])
    X = iris[0].to_numpy()
    by_distance = clf.set_params(certainty="distance", cells="auto", target__rate=0.5).fit(X, y)
    assert set(by_distance.explain(X)["kind"].drop_nulls()) == {"outlier"}


def test_a_cell_without_a_threshold_of_its_own_is_null(iris):
    X, y = iris
    clf = RejectOptionClassifier(models.GLVQ(), method="exact", min_cell_size=10_000).fit(X, y)
    assert clf.explain(X)["cell"].null_count() == len(X)


@pytest.mark.parametrize("n_features", [0, -1, 1.5, "all"])
def test_how_many_features_to_name(n_features, iris):
    clf = RejectOptionClassifier(models.GLVQ()).fit(*iris)
    with pytest.raises(InputError, match="n_features must be a positive integer, got"):
        clf.explain(iris[0], n_features=n_features)
    assert clf.explain(iris[0], n_features=99)["features"].list.len().max() == 4


def test_frames_without_a_name_for_each_feature_are_numbered(iris):
    X, y = iris
    clf = RejectOptionClassifier(models.GLVQ()).fit(pd.DataFrame(X.to_numpy()), y)
    assert set(clf.explain(pd.DataFrame(X.to_numpy()))["features"].explode()) <= {
        f"feature {index}" for index in range(4)
    }


class Weighted(models.GRLVQ):
    """A model of one's own: all there is to it stands here."""

    _metric_name = "weights_"


# Whatever a model calls its metric, that is the metric.
@pytest.mark.filterwarnings("ignore:cv=None finds no error:UserWarning")
def test_a_new_model_is_explained_and_measured_in_its_own_metric(iris):
    X, y = iris
    ours, theirs = (
        RejectOptionClassifier(model(), certainty="boundary").fit(X, y)
        for model in (Weighted, models.GRLVQ)
    )
    assert np.array_equal(ours.certainties(X), theirs.certainties(X))
    assert ours.explain(X).equals(theirs.explain(X))
    assert hasattr(ours.estimator_, "weights_")


@pytest.mark.filterwarnings("ignore:cv=None finds no error:UserWarning")
@pytest.mark.parametrize("dtype", ["Float64", "Float32"])
@pytest.mark.parametrize("certainty", ["relsim", "boundary"])
def test_missing_values_of_pandas_are_missing(dtype, certainty, iris):
    X, y = iris
    frame = X.astype(dtype)
    frame.iloc[3, 2] = pd.NA
    plain = frame.to_numpy(dtype=float, na_value=np.nan)
    clf = RejectOptionClassifier(models.GMLVQ(), certainty=certainty).fit(frame, y)
    as_array = RejectOptionClassifier(models.GMLVQ(), certainty=certainty).fit(plain, y)
    assert clf.certainties(frame[:9]) == pytest.approx(as_array.certainties(plain[:9]), rel=1e-4)
    shares = (clf.explain(frame[:9])["contributions"], as_array.explain(plain[:9])["contributions"])
    assert np.array(shares[0].to_list()) == pytest.approx(np.array(shares[1].to_list()), abs=1e-3)


# As in clf.explain(X[clf.reject(X)]), when none is rejected.
@pytest.mark.filterwarnings("ignore:cv=None finds no error:UserWarning")
@pytest.mark.parametrize("model", [models.GMLVQ(), LogisticRegression(max_iter=1000)])
def test_no_sample_has_an_empty_table_of_the_same_columns(model, iris):
    X, y = iris
    clf = RejectOptionClassifier(make_pipeline(StandardScaler(), model)).fit(X, y)
    table, some = clf.explain(X[:0]), clf.explain(X[:3])
    assert len(table) == 0
    assert table.columns == some.columns
    assert len(pl.concat([table, some], how="vertical_relaxed")) == 3


# --- sentences ------------------------------------------------------------------------------------


def test_a_sentence_names_the_columns_of_the_frame_and_their_values(iris):
    X, y = iris
    clf = RejectOptionClassifier(
        make_pipeline(StandardScaler(), models.GMLVQ()), target=RejectRate(0.2)
    ).fit(X, y)
    rejected = X[clf.reject(X)].reset_index(drop=True)
    far = rejected.head(1).assign(**{"petal length (cm)": 380.0})
    for samples, name in [
        (far, "petal length (cm)"),
        (pl.from_pandas(far), "petal length (cm)"),
        (far.to_numpy(), "petal length (cm)"),
    ]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of scikit-learn, on an array without names
            (reason,) = clf.explain(samples)["reason"]
        assert reason == f"unlike anything seen: {name} 380"
    table = clf.explain(rejected)
    for row in table.filter(pl.col("kind") == "ambiguous").iter_rows(named=True):
        start = f"between {row['label']} and {row['rival']}: {row['features'][0]}"
        assert row["reason"].startswith(start)
        n_named = 1 + row["reason"].count(" and ", len(start)) + row["reason"].count(", ")
        shares = np.abs(row["contributions"])
        assert shares[:n_named].sum() >= 0.5 or n_named == 3
        assert shares[: n_named - 1].sum() < 0.5


def test_categories_are_named_by_their_column():
    frame = pd.DataFrame({"organ": ["liver", "kidney"] * 30, "size": np.linspace(0, 1, 60)})
    y = np.where(frame["organ"] == "liver", "ill", "well")
    encode = ColumnTransformer([("kinds", OneHotEncoder(), ["organ"])], remainder="passthrough")
    encode.set_params(verbose_feature_names_out=False)
    clf = RejectOptionClassifier(make_pipeline(encode, models.GLVQ()), target=RejectRate(0.5))
    reasons = clf.fit(frame, y).explain(frame)["reason"].drop_nulls()
    assert len(reasons)
    assert reasons.str.contains(": organ decides$").all()


@pytest.mark.parametrize("estimator", [LogisticRegression(max_iter=1000), LinearSVC()])
def test_of_other_classifiers_the_sentence_has_the_probability(estimator, iris):
    X, y = iris
    clf = RejectOptionClassifier(estimator, target=RejectRate(0.2), random_state=0).fit(X, y)
    for row in clf.explain(X).filter("rejected").iter_rows(named=True):
        label, rival, probability = row["label"], row["rival"], row["correct_proba"]
        said = f"between {label} and {rival}: {label} is right with probability "
        assert row["reason"].startswith(said)
        share = float(row["reason"].removeprefix(said).removesuffix("%")) / 100
        assert abs(share - probability) <= 0.005


def test_a_cell_without_answers_says_so(iris):
    X, y = iris
    clf = RejectOptionClassifier(models.GLVQ(), target=RejectRate(0.2), random_state=0).fit(X, y)
    clf.set_thresholds([np.inf] * len(clf.thresholds_))
    table = clf.explain(X)
    ambiguous = table.filter(pl.col("kind") == "ambiguous")
    assert (ambiguous["reason"] == "no row of class " + ambiguous["label"] + " is answered").all()


# A report shows what would be rejected at another threshold.
def test_accepted_samples_have_a_reason_too_if_it_is_asked_for(iris):
    X, y = iris
    clf = RejectOptionClassifier(models.GLVQ(), target=RejectRate(0.2), random_state=0).fit(X, y)
    table, every = clf.explain(X), explanation_table(clf, X, 3, at_any_threshold=True)
    assert every["reason"].null_count() == 0
    own = table["rejected"]
    assert every.filter(own).equals(table.filter(own))


# The rows of a table are decided and explained from one look, which `explain` takes again.
@pytest.mark.parametrize("certainty", ["auto", "distance"])
@pytest.mark.parametrize(
    "estimator",
    [
        make_pipeline(StandardScaler(), models.GMLVQ(1, random_state=0)),
        models.RSLVQ(1, random_state=0),
        LogisticRegression(max_iter=1000),
        LinearSVC(),
        SVC(),
    ],
)
def test_one_look_gives_the_reasons_that_a_second_one_would(estimator, certainty, iris):
    if certainty == "distance" and not isinstance(estimator, models.RSLVQ):
        return
    X, y = iris
    clf = RejectOptionClassifier(
        estimator, certainty=certainty, target=RejectRate(0.3), random_state=0
    ).fit(X, y)
    new = X.copy()
    new.iloc[[3, 60], 1] = 430.0
    decisions, rejects = decide_and_explain(clf, new)
    for own, other in zip(decisions, clf.decide(new), strict=True):
        np.testing.assert_array_equal(own, other)
    assert rejects.rows.tolist() == np.flatnonzero(decisions.rejected).tolist()
    table = explanation_table(clf, new, 3, at_any_threshold=True).filter(pl.col("rejected"))
    assert rejects.sentences.each() == table["reason"].to_list()
    assert clf.classes_[rejects.rivals].tolist() == table["rival"].to_list()
    is_outlier = decisions.outlier[rejects.rows]
    assert is_outlier.sum() >= 2
    p_values = np.where(is_outlier, table["outlier_p_value"].to_numpy(), np.nan)
    np.testing.assert_allclose(rejects.p_values, p_values)
