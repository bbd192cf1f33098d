"""How does MAPIE choose a threshold?

``MultiClassificationLTTController`` certifies, by learn-then-test, a threshold on the largest
posterior, out of a grid of 100. Of what it can certify, the precision of each class is its own for
many classes; this asks more than an accuracy. The accuracy among the samples that are answered is
none of its risks (its ``accuracy`` counts a reject as an error), but can be written as one. By
default the threshold of the best risk is chosen; the fewest rejects have to be asked for.
"""

# mypy: disable-error-code="import-not-found"

from typing import Any

from rejectors.methods import Method

PACKAGES = ["MAPIE", "scikit-learn", "scipy", "numpy"]


def accuracy_by_holm(classifier: Any, X: Any, y: Any, target: float, confidence: float) -> Any:
    # user code
    import numpy as np
    from mapie.risk_control import BinaryRisk, MultiClassificationLTTController, abstention_rate

    accuracy_of_answers = BinaryRisk(
        risk_occurrence=lambda y_true, y_pred: y_pred == y_true,
        risk_condition=lambda y_true, y_pred: ~np.isnan(y_pred),
        higher_is_better=True,
    )
    controller = MultiClassificationLTTController(
        classifier.predict_proba,
        risks=[accuracy_of_answers],
        target_level=[target],
        confidence_level=confidence,
        best_predict_param_choice=abstention_rate,
        classes=classifier.classes_,
    )
    controller.calibrate(X, y)
    # until here
    return controller


def accuracy_by_split(classifier: Any, X: Any, y: Any, target: float, confidence: float) -> Any:
    # user code
    import numpy as np
    from mapie.risk_control import BinaryRisk, MultiClassificationLTTController, abstention_rate
    from sklearn.model_selection import train_test_split

    accuracy_of_answers = BinaryRisk(
        risk_occurrence=lambda y_true, y_pred: y_pred == y_true,
        risk_condition=lambda y_true, y_pred: ~np.isnan(y_pred),
        higher_is_better=True,
    )
    controller = MultiClassificationLTTController(
        classifier.predict_proba,
        risks=[accuracy_of_answers],
        target_level=[target],
        confidence_level=confidence,
        best_predict_param_choice=abstention_rate,
        classes=classifier.classes_,
        fwer_method="split_fixed_sequence",
    )
    X_learn, X_test, y_learn, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    controller.learn_fixed_sequence_order(X_learn, y_learn, binary=True)
    controller.calibrate(X_test, y_test)
    # until here
    return controller


def precision_of_classes(classifier: Any, X: Any, y: Any, target: float, confidence: float) -> Any:
    # user code
    from mapie.risk_control import MultiClassificationLTTController, abstention_rate
    from mapie.risk_control.risks import build_precision_ovr

    controller = MultiClassificationLTTController(
        classifier.predict_proba,
        risks=build_precision_ovr(classifier.classes_),
        target_level=[target] * len(classifier.classes_),
        confidence_level=confidence,
        best_predict_param_choice=abstention_rate,
        classes=classifier.classes_,
    )
    controller.calibrate(X, y)
    # until here
    return controller


def answer(controller: Any, X: Any) -> tuple[Any, Any]:
    import numpy as np

    # user code
    labels = controller.predict(X)
    accepted = ~np.isnan(labels)
    # until here
    return labels, accepted


METHODS = {
    "accuracy as own risk, Holm": Method(
        accuracy_by_holm, answer, certifies="accuracy of the answers"
    ),
    "accuracy as own risk, split sequence": Method(
        accuracy_by_split, answer, certifies="accuracy of the answers"
    ),
    "precision of each class, Holm": Method(
        precision_of_classes, answer, certifies="precision of every class"
    ),
}
