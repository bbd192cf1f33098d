"""Do all Displays stay legible with few and many classes, long names, an outlier, missing values?

``python -m tools.draw_displays build/displays`` draws each Display of `abstain.plotting` for each
case below into a folder, to be looked at; tests hold the same figures to laws.
"""

import sys
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.impute import SimpleImputer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import GMLVQ, LGMLVQ, RejectOptionClassifier, RejectRate, plotting

N_FEATURES, PER_CLASS = 6, 40
FEATURES = [
    *["age", "body mass index", "systolic blood pressure at admission"],
    *["C-reactive protein", "haemoglobin", "leucocytes"],
]
LONG_NAMES = [
    *["adenocarcinoma", "benign hyperplasia", "squamous cell carcinoma", "chronic prostatitis"],
    *["no finding", "urothelial carcinoma in situ", "intraepithelial neoplasia"],
]


FIT_AGAIN = {
    "IteratedRelevancesDisplay": {"n_directions": 1, "max_iterations": 2, "cv": 3},
    "RelevanceStabilityDisplay": {"n_resamples": 10},
}
PLANES = {"CertaintyContourDisplay", "PrototypeDisplay", "RejectRegionDisplay"}


class Case(NamedTuple):
    """Samples and their classes, of which the first half is for fitting."""

    X: NDArray[np.float64]
    y: NDArray[Any]


def _case(
    n_classes: int, names: list[str] | None = None, *, outlier: bool = False, missing: float = 0.0
) -> Case:
    rng = np.random.default_rng(0)
    codes = np.tile(np.arange(n_classes), PER_CLASS)
    spread = 1.5 * n_classes**0.4
    centres = rng.normal(scale=spread, size=(n_classes, N_FEATURES))
    X = centres[codes] + rng.normal(scale=1.3, size=(len(codes), N_FEATURES))
    if outlier:
        X[-1] += 60
    X[rng.random(X.shape) < missing] = np.nan
    return Case(X, np.array(names or [chr(ord("A") + code) for code in range(n_classes)])[codes])


def _numbered(n_classes: int) -> list[str]:
    return [f"{LONG_NAMES[code % 7]} {code // 7 + 1}" for code in range(n_classes)]


CASES = {
    "2-missing": lambda: _case(2, ["benign", "malignant"], missing=0.1),
    "7": lambda: _case(7),
    "7-long-outlier": lambda: _case(7, LONG_NAMES, outlier=True),
    "26": lambda: _case(26),
    "26-long-missing": lambda: _case(26, _numbered(26), outlier=True, missing=0.05),
}


@cache
def fitted(name: str, *, local: bool = False) -> tuple[Any, Case]:
    """Return a reject option that is fitted to half of a case, and the other half."""
    X, y = CASES[name]()
    half = len(y) // 2
    model = LGMLVQ(random_state=0) if local else GMLVQ(n_components=2, random_state=0)
    clf = RejectOptionClassifier(
        make_pipeline(StandardScaler(), model), target=RejectRate(0.2), random_state=0
    )
    return clf.fit(X[:half], y[:half]), Case(X[half:], y[half:])


def drawn(display: str, case: str) -> Iterator[tuple[str, Any]]:
    """Yield the ways to draw a Display for a case, with a title each."""
    clf, (X, y) = fitted(case)
    draw = getattr(plotting, display).from_estimator
    if display in ("RelevanceDisplay", "RelevanceMatrixDisplay"):
        yield "", draw(clf, feature_names=FEATURES)
        if display == "RelevanceDisplay":
            yield "local", draw(fitted(case, local=True)[0], feature_names=FEATURES)
    elif display in FIT_AGAIN:
        model = make_pipeline(SimpleImputer(), StandardScaler(), GMLVQ())
        options = FIT_AGAIN[display]
        yield "", draw(model, X, y, feature_names=FEATURES, random_state=0, **options)
    elif display == "RejectConfusionDisplay":
        yield "", draw(clf, X, y)
        yield "shares", draw(clf, X, y, normalize="true")
    elif display == "RiskMonitorDisplay":
        yield "", draw(clf, X, y, accuracy=0.9)
    elif display in PLANES:
        yield "", draw(clf, X, y, feature_names=FEATURES, grid_resolution=120)
    else:
        yield "", draw(clf, X, y)
        if not np.isnan(X).any() and display != "ReliabilityDisplay":
            (X_fit, y_fit), half = CASES[case](), len(y)
            yield "bayes", draw(GaussianNB().fit(X_fit[:half], y_fit[:half]), X, y)


def main(folder: Path) -> None:
    """Draw all Displays for all cases."""
    from matplotlib import pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore", UserWarning)
    for display in plotting.__all__:
        for case in CASES:
            for title, made in drawn(display, case):
                name = "-".join(filter(None, [display.removesuffix("Display"), case, title]))
                made.figure_.savefig(folder / f"{name}.png")
                plt.close("all")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
