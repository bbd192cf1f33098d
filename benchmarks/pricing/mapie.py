"""What do MAPIE's thresholds cost?

MAPIE takes no costs. What comes closest is to certify for each answer the precision from which on
it costs less than a reject. Its control of several risks at once chooses two thresholds on the
posterior out of a grid of quantiles, with the fewest rejects. Its control of class-specific risks
chooses one threshold on the largest posterior. Half of the samples fit the classifier, the other
half calibrates.
"""

# mypy: disable-error-code="import-not-found"

from typing import Any

from rejectors.methods import Method

from pricing.problems import Prices

PACKAGES = ["MAPIE", "scikit-learn", "numpy"]


def precisions(classifier: Any, X: Any, y: Any, prices: Prices) -> Any:
    missed, false_alarm, reject = prices
    # user code
    import numpy as np
    from mapie.risk_control import BinaryClassificationController
    from sklearn.model_selection import train_test_split

    def decide(X: Any, low: float, high: float) -> Any:
        posteriors = classifier.predict_proba(X)[:, 1]
        return np.where(posteriors >= high, 1.0, np.where(posteriors < low, 0.0, np.nan))

    X_fit, X_test, y_fit, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    classifier.fit(X_fit, y_fit)
    shares = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99]
    cuts = np.quantile(classifier.predict_proba(X_test)[:, 1], shares)
    controller = BinaryClassificationController(
        decide,
        risk=["negative_predictive_value", "positive_predictive_value"],
        target_level=[1 - reject / missed, 1 - reject / false_alarm],
        confidence_level=0.9,
        best_predict_param_choice="abstention_rate",
        list_predict_params=np.array([(low, high) for low in cuts for high in cuts if low <= high]),
    )
    controller.calibrate(X_test, y_test)
    # until here
    return controller


def class_specific(classifier: Any, X: Any, y: Any, prices: Prices) -> Any:
    missed, false_alarm, reject = prices
    # user code
    from mapie.risk_control import MultiClassificationLTTController
    from mapie.risk_control.risks import build_precision_ovr
    from sklearn.model_selection import train_test_split

    X_fit, X_test, y_fit, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    classifier.fit(X_fit, y_fit)
    controller = MultiClassificationLTTController(
        classifier.predict_proba,
        risks=build_precision_ovr([0, 1]),
        target_level=[1 - reject / missed, 1 - reject / false_alarm],
        confidence_level=0.9,
        classes=classifier.classes_,
    )
    controller.calibrate(X_test, y_test)
    # until here
    return controller


def answer(controller: Any, X: Any) -> tuple[Any, Any]:
    import numpy as np

    # user code
    labels = controller.predict(X)
    accepted = ~np.isnan(labels)
    # until here
    return labels, accepted


CERTIFIED = "precision of both answers, confidence 0.9"
METHODS = {
    "precision of both answers": Method(precisions, answer, certifies=CERTIFIED),
    "class-specific precision": Method(class_specific, answer, certifies=CERTIFIED),
}
