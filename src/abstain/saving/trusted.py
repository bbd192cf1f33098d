"""Which types may a file hold without being asked about?

skops knows scikit-learn's estimators, NumPy's arrays and Python's containers. Added here, each by
its full name, are this package's own types and what fitted classifiers of scikit-learn hold beyond
skops' list. None of them does anything when it is made but to keep what it is given; trees, which
skops distrusts because their nodes may point anywhere, are looked through in `soundness`.

Left out on purpose: distributions of SciPy (a search over them), which compile text that they
hold; bound methods and operators; B-splines; distances that hold a matrix.
"""

__all__ = ["FUNCTIONS", "TRUSTED"]


def _full_names(names_by_module: dict[str, str]) -> frozenset[str]:
    return frozenset(
        f"{module}.{name}" for module, names in names_by_module.items() for name in names.split()
    )


_OURS = {
    "abstain.classifier.calibration": "Calibration Rules",
    "abstain.classifier.reject_option": "RejectOptionClassifier",
    "abstain.classifier.scoring": "CoverageScorer",
    "abstain.fronts.candidates": "Bounds",
    "abstain.fronts.envelope": "Envelope",
    "abstain.fronts.exact": "ExactBacktrace",
    "abstain.fronts.front": "ParetoFront",
    "abstain.fronts.greedy": "GreedyBacktrace Move",
    "abstain.fronts.held_out": "HeldOut",
    "abstain.fronts.hull": "HullBacktrace",
    "abstain.fronts.staircases": "Staircases",
    "abstain.models.glvq": "GLVQ",
    "abstain.models.gmlvq": "GMLVQ",
    "abstain.models.grlvq": "GRLVQ",
    "abstain.models.lgmlvq": "LGMLVQ",
    "abstain.models.lmrslvq": "LMRSLVQ",
    "abstain.models.mrslvq": "MRSLVQ",
    "abstain.models.rslvq": "RSLVQ",
    "abstain.tables.columns": "TableColumns",
    "abstain.targets.choosing": "Accuracy RejectCost RejectRate",
    "abstain.targets.guarantee": "Guarantee",
    "abstain.targets.operating": "OperatingPoint",
}

_THEIRS = {
    "functools": "partial",  # around check_array, in boosting with categories
    "numpy": "dtype",
    "scipy.sparse._csr": "csr_array csr_matrix",
    "sklearn.calibration": "_CalibratedClassifier _SigmoidCalibration _TemperatureScaling",
    "sklearn.compose._column_transformer": "make_column_selector",
    "sklearn.ensemble._hist_gradient_boosting.predictor": "TreePredictor",
    "sklearn.gaussian_process._gpc": "_BinaryGaussianProcessClassifierLaplace",
    "sklearn.gaussian_process.kernels": (
        "ConstantKernel DotProduct Matern Product RBF RationalQuadratic Sum WhiteKernel"
    ),
    "sklearn.metrics._dist_metrics": (
        "BrayCurtisDistance64 CanberraDistance64 ChebyshevDistance64 EuclideanDistance64 "
        "HammingDistance64 JaccardDistance64 ManhattanDistance64 MinkowskiDistance64"
    ),
    "sklearn.metrics._scorer": "_CurveScorer _MultimetricScorer _PassthroughScorer _Scorer",
    "sklearn.model_selection._split": (
        "GroupKFold GroupShuffleSplit KFold LeaveOneGroupOut LeaveOneOut LeavePGroupsOut LeavePOut "
        "PredefinedSplit RepeatedKFold RepeatedStratifiedKFold ShuffleSplit StratifiedGroupKFold "
        "StratifiedKFold StratifiedShuffleSplit TimeSeriesSplit _CVIterableWrapper"
    ),
    "sklearn.neighbors._ball_tree": "BallTree",
    "sklearn.neighbors._kd_tree": "KDTree",
    "sklearn.neural_network._stochastic_optimizers": "AdamOptimizer SGDOptimizer",
    "sklearn.tree._tree": "Tree",
    "sklearn.utils._bunch": "Bunch",
    "sklearn.utils._metadata_requests": "MetadataRequest MethodMetadataRequest",
}

_FUNCTIONS = {
    "abstain.cells": "global_cell leaf predicted_class prototype_cell",
    "abstain.certainty.decision_margin": "decision_margin",
    "abstain.certainty.distance_to_boundary": "distance_to_boundary",
    "abstain.certainty.max_posterior": "max_posterior",
    "abstain.certainty.pairwise_margin": "pairwise_margin",
    "abstain.certainty.posterior_margin": "posterior_margin",
    "abstain.certainty.prototype_distance": "prototype_distance",
    "abstain.certainty.relative_similarity": "relative_similarity",
    "abstain.classifier.scoring": "augrc_scorer aurc_scorer",
    "sklearn.feature_selection._mutual_info": "mutual_info_classif",
    "sklearn.feature_selection._univariate_selection": "chi2 f_classif",
    "sklearn.metrics._classification": (
        "accuracy_score balanced_accuracy_score brier_score_loss cohen_kappa_score f1_score "
        "fbeta_score jaccard_score log_loss matthews_corrcoef precision_score recall_score "
        "zero_one_loss"
    ),
    "sklearn.metrics._ranking": "average_precision_score roc_auc_score top_k_accuracy_score",
    "sklearn.utils.validation": "check_array",
}

# Functions are held, by scorers for instance, and never called while a file is loaded.
FUNCTIONS = _full_names(_FUNCTIONS)
TRUSTED = _full_names(_OURS) | _full_names(_THEIRS) | FUNCTIONS
