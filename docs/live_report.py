"""The report that the landing page shows, of this version."""

from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import GMLVQ, Accuracy, RejectOptionClassifier
from abstain.report import write_report


def write_live_report(file: Path) -> None:
    """Certify an accuracy on some breast tumours, and report on the others."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = y.map({0: "malignant", 1: "benign"})
    X, X_new, y, y_new = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
    model = make_pipeline(StandardScaler(), GMLVQ(random_state=0))
    target = Accuracy(0.98, confidence=0.9)
    clf = RejectOptionClassifier(model, target=target, random_state=0).fit(X, y)
    write_report(clf, X_new, y_new, file, title="Breast tumours")
