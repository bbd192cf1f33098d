"""What do files hold of the classifiers of scikit-learn?"""

from itertools import pairwise
from typing import Any

import numpy as np

from abstain.saving.kinds import (
    CLASSES,
    CLASSIFIER,
    FEATURES,
    POSITIVE,
    Kind,
    Sizes,
    anything_plain,
    array,
    flag,
    in_c_order,
    listed,
    nothing,
    number,
    optional,
    real,
    sequence,
    size,
    strings,
    text,
    whole,
    word,
)
from abstain.saving.known import KnownClass


def _with_classes(name: str) -> Kind:
    """Return the kind of a fitted object of a class that has the same number of classes."""

    def fits(value: Any, sizes: Sizes) -> bool:
        k = len(getattr(value, "classes_", ()))
        return type(value).__name__ == name and k > 0 and sizes.setdefault("k", k) == k

    return Kind(f"a {name} of k classes", fits)


def _tree(n_classes: str) -> Kind:
    """Return the kind of the nodes of a tree with as many features, and classes or 1."""

    def fits(value: Any, sizes: Sizes) -> bool:
        is_tree = type(value).__name__ == "Tree" and value.n_features == sizes["d"]
        return bool(is_tree and value.n_classes[0] == sizes.get(n_classes, 1))

    return Kind(f"a tree of d features and {n_classes} classes", fits)


def _fitted_tree(name: str, n_classes: str) -> Kind:
    """Return the kind of a tree in an ensemble, whose scores scikit-learn adds unchecked."""
    tree = _tree(n_classes)
    return Kind(
        f"a fitted {name} ({tree.words})",
        lambda value, sizes: (
            type(value).__name__ == name and tree.fits(getattr(value, "tree_", None), sizes)
        ),
    )


def _is_boosting_tree(value: Any, sizes: Sizes) -> bool:
    if type(value).__name__ != "TreePredictor":
        return False
    features = value.nodes["feature_idx"][value.nodes["is_leaf"] == 0]
    return bool(((features >= 0) & (features < sizes["d"])).all())


def _holds_shares(tree: Any) -> bool:
    return bool(tree.value.min() >= 0 and np.allclose(tree.value.sum(axis=2), 1))


def _is_flat_for_two(obj: Any, sizes: Sizes) -> bool:
    return obj.coef_.ndim == 2 or sizes["k"] == 2


def _is_chain(obj: Any, sizes: Sizes) -> bool:
    """Return whether the layers of a network lead from the features to the scores."""
    widths = [sizes["d"], *(len(each) for each in obj.intercepts_)]
    return (
        [matrix.shape for matrix in obj.coefs_] == list(pairwise(widths))
        and widths[-1] == sizes["scores"]
        and obj.n_layers_ == len(widths)
        and obj.out_activation_ == ("logistic" if sizes["scores"] == 1 else "softmax")
        and obj._label_binarizer.classes_.tolist() == obj.classes_.tolist()
    )


def _finish_svc(obj: Any) -> None:
    """Set the public coefficients, which have the opposite sign for two classes."""
    is_negative = len(obj.classes_) == 2
    obj.intercept_ = -1 * obj._intercept_ if is_negative else obj._intercept_.copy()
    obj.dual_coef_ = -obj._dual_coef_ if is_negative else obj._dual_coef_


def _are_support_vectors(obj: Any, sizes: Sizes) -> bool:
    n_vectors = int(obj._n_support.sum(dtype=np.int64))
    return n_vectors == sizes["v"] and len(obj._probA) == len(obj._probB)


def _finish_neighbours(obj: Any) -> None:
    """Fit the samples again, which builds the same search tree."""
    names = getattr(obj, "feature_names_in_", None)
    obj.fit(obj._fit_X, obj.classes_[obj._y])
    if names is not None:
        obj.feature_names_in_ = names


def _are_rotations(obj: Any, sizes: Sizes) -> bool:
    widths = [rotation.shape[1] for rotation in obj.rotations_]
    return [len(scaling) for scaling in obj.scalings_] == widths


def _finish_forest(obj: Any) -> None:
    obj.estimator_, obj._sample_weight = obj.estimator, None


def _finish_stages(obj: Any) -> None:
    obj._loss = obj._get_loss(sample_weight=None)
    obj._rng = np.random.RandomState()


def _finish_boosting(obj: Any) -> None:
    from sklearn.ensemble._hist_gradient_boosting.binning import _BinMapper
    from sklearn.preprocessing import LabelEncoder

    obj._label_encoder = LabelEncoder().fit(obj.classes_)
    obj._loss = obj._get_loss(sample_weight=None)
    mapper = obj._bin_mapper = _BinMapper()
    mapper.is_categorical_ = np.zeros(obj.n_features_in_, dtype=np.uint8)
    mapper.bin_thresholds_ = []
    obj._n_features = obj.n_features_in_
    obj._preprocessor = obj.is_categorical_ = obj._is_categorical_remapped = None
    obj._feature_subsample_rng = np.random.default_rng(obj._random_seed)


# --- classes ------------------------------------------------------------------------------------

LINEAR = CLASSIFIER | {"coef_": real("scores d"), "intercept_": real("scores")}
shares = real("k", low=0, high=1).where("with sum 1", lambda value: abs(value.sum() - 1) < 1e-6)
# One number per pair of classes, or none without probability=True.
pair_weights = real("0", dtype="float64") | real("pairs", dtype="float64")
regression_tree = _fitted_tree("DecisionTreeRegressor", "1")
METRICS = (
    *("minkowski", "euclidean", "manhattan", "chebyshev", "cosine", "l1", "l2", "cityblock"),
    *("canberra", "braycurtis", "hamming", "nan_euclidean"),
)
TREE = {"n_outputs_": size("1"), "max_features_": size(low=1)}

CLASSIFIERS = (
    KnownClass("sklearn.linear_model.LogisticRegression", LINEAR, n_iter_=whole("*")),
    KnownClass("sklearn.svm.LinearSVC", LINEAR, n_iter_=size()),
    KnownClass(
        "sklearn.linear_model.RidgeClassifier",
        FEATURES,
        _label_binarizer=_with_classes("LabelBinarizer"),
        classes_=optional(CLASSES["classes_"]),
        coef_=real("scores d") | real("d"),
        intercept_=real("scores") | number(),
        n_iter_=optional(anything_plain),
        solver_=optional(text),
        relations={"more than two classes need a row of weights each": _is_flat_for_two},
    ),
    KnownClass(
        "sklearn.naive_bayes.GaussianNB",
        CLASSIFIER,
        theta_=real("k d"),
        var_=real("k d", low=POSITIVE),
        class_count_=real("k", low=0),
        class_prior_=shares,
        epsilon_=number(low=0),
    ),
    KnownClass(
        "sklearn.discriminant_analysis.LinearDiscriminantAnalysis",
        LINEAR,
        priors_=real("k", low=0),
        means_=real("k d"),
        xbar_=optional(real("d")),
        scalings_=optional(real("d *")),
        explained_variance_ratio_=optional(real("*", nan=True)),
        covariance_=optional(real("d d")),
        _max_components=size(),
        _n_features_out=optional(size()),
    ),
    KnownClass(
        "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis",
        CLASSIFIER,
        priors_=real("k", low=0),
        means_=real("k d"),
        scalings_=listed(real("*"), "k"),
        rotations_=listed(real("d *"), "k"),
        covariance_=optional(listed(real("d d"), "k")),
        relations={"its scalings and rotations do not belong together": _are_rotations},
    ),
    KnownClass(
        "sklearn.neural_network.MLPClassifier",
        CLASSIFIER,
        coefs_=listed(real("* *")),
        intercepts_=listed(real("*")),
        n_layers_=size(low=2),
        n_outputs_=size("scores"),
        out_activation_=word("logistic", "softmax"),
        _label_binarizer=_with_classes("LabelBinarizer"),
        n_iter_=size(),
        t_=number(low=0),
        loss_=number(),
        loss_curve_=optional(listed(number())),
        best_loss_=optional(number(high=np.inf)),
        validation_scores_=optional(listed(number())),
        best_validation_score_=optional(number()),
        dropped="_optimizer _random_state _best_coefs _best_intercepts _no_improvement_count "
        "_coef_indptr _intercept_indptr",
        relations={"its layers do not fit one another": _is_chain},
    ),
    KnownClass(
        "sklearn.svm.SVC",
        CLASSIFIER,
        _sparse=Kind("False", lambda value, sizes: value is False),
        class_weight_=real("k"),
        _effective_probability=optional(flag),
        _gamma=number(low=0),
        shape_fit_=sequence(size("n"), size("d")),
        support_=whole("v", below="n", dtype="int32"),
        support_vectors_=in_c_order(real("v d", dtype="float64")),
        _n_support=whole("k", dtype="int32"),
        _dual_coef_=in_c_order(real("k-1 v", dtype="float64")),
        _intercept_=real("pairs", dtype="float64"),
        _probA=pair_weights,
        _probB=pair_weights,
        fit_status_=size(),
        _num_iter=whole("*"),
        n_iter_=whole("*"),
        params={"kernel": word("linear", "poly", "rbf", "sigmoid")},
        dropped="intercept_ dual_coef_",
        finish=_finish_svc,
        relations={"its support vectors and counts do not belong together": _are_support_vectors},
    ),
    KnownClass(
        "sklearn.neighbors.KNeighborsClassifier",
        CLASSIFIER,
        _fit_X=real("n d", nan=True),
        _y=whole("n", below="k"),
        params={
            "weights": optional(word("uniform", "distance")),
            # Other metrics take parameters, which would have to be checked against the samples.
            "metric": word(*METRICS),
            "metric_params": nothing,
        },
        dropped="effective_metric_ effective_metric_params_ n_samples_fit_ outputs_2d_ _fit_method "
        "_tree",
        finish=_finish_neighbours,
    ),
    KnownClass(
        "sklearn.neighbors.NearestCentroid",
        CLASSIFIER,
        centroids_=real("k d"),
        class_prior_=optional(real("k", low=0)),
        true_classes_=optional(CLASSES["classes_"]),
        deviations_=optional(real("k d")),
        within_class_std_dev_=optional(real("d", low=0)),
    ),
    KnownClass(
        "sklearn.dummy.DummyClassifier",
        CLASSES,
        n_features_in_=optional(size()),
        feature_names_in_=optional(strings("*")),
        n_classes_=size("k"),
        n_outputs_=size("1"),
        class_prior_=shares,
        _strategy=word("prior"),
        sparse_output_=flag,
        params={"strategy": word("prior"), "constant": nothing},
    ),
    KnownClass("sklearn.tree.DecisionTreeRegressor", FEATURES | TREE, tree_=_tree("1")),
    *(
        KnownClass(
            f"sklearn.tree.{tree}",
            CLASSIFIER | TREE,
            n_classes_=size("k"),
            tree_=_tree("k").where("whose leaves hold shares of classes", _holds_shares),
        )
        for tree in ("DecisionTreeClassifier", "ExtraTreeClassifier")
    ),
    *(
        KnownClass(
            f"sklearn.ensemble.{forest}",
            CLASSIFIER,
            n_classes_=size("k"),
            n_outputs_=size("1"),
            estimators_=listed(_fitted_tree(tree, "k")).where("at least one", len),
            _n_samples=optional(size()),
            _n_samples_bootstrap=optional(size()),
            oob_score_=optional(number()),
            oob_decision_function_=optional(real("* k", nan=True)),
            dropped="estimator_ _sample_weight",
            finish=_finish_forest,
        )
        for forest, tree in (
            ("RandomForestClassifier", "DecisionTreeClassifier"),
            ("ExtraTreesClassifier", "ExtraTreeClassifier"),
        )
    ),
    KnownClass(
        "sklearn.ensemble.HistGradientBoostingClassifier",
        CLASSIFIER,
        n_trees_per_iteration_=size("scores"),
        _baseline_prediction=real("1 scores"),
        _predictors=listed(listed(Kind("a tree of d features", _is_boosting_tree), "scores")),
        _random_seed=optional(size()),
        do_early_stopping_=flag,
        _use_validation_data=flag,
        train_score_=real("*"),
        validation_score_=real("*"),
        _preprocessor=nothing,
        params={"loss": word("log_loss")},
        dropped="_label_encoder _loss _bin_mapper _n_features _scorer _raw_predict is_categorical_ "
        "_is_categorical_remapped _feature_subsample_rng",
        finish=_finish_boosting,
    ),
    KnownClass(
        "sklearn.ensemble.GradientBoostingClassifier",
        CLASSIFIER,
        n_classes_=size("k"),
        n_trees_per_iteration_=size("scores"),
        max_features_=size(low=1),
        init_=_with_classes("DummyClassifier"),
        n_estimators_=size("s", low=1),
        estimators_=array(
            "s scores",
            "O",
            regression_tree.words,
            lambda value, sizes: all(
                regression_tree.fits(e, sizes) for e in value.ravel().tolist()
            ),
        ),
        train_score_=real("*"),
        oob_improvement_=optional(real("*")),
        oob_scores_=optional(real("*")),
        oob_score_=optional(number()),
        params={"init": nothing, "loss": word("log_loss", "exponential")},
        dropped="_loss _rng",
        finish=_finish_stages,
    ),
)
