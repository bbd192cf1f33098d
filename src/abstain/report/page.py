"""How does a fitted classifier become one HTML file that opens from disk, with no network?

The page holds its style, its script, plotly's and the content. The last two are compressed, so
that a report is less than half as large, and are unpacked by the browser. What is packed cannot
end a script early, whatever a class or a feature is called; the few words outside of it are
escaped by jinja2, and the script writes text only as text.
"""

from __future__ import annotations  # signatures then show the names of types

import base64
import gzip
import json
import os
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from abstain._core.checks import InputError
from abstain._core.estimators import pass_through, unwrap
from abstain._core.files import check_can_write, whole_files
from abstain.classifier import RejectOptionClassifier
from abstain.report.content import N_PARTS, find_content

__all__ = ["render_report", "write_report"]


def write_report(
    clf: Any,
    X: Any,
    y: Any,
    file: str | os.PathLike[str],
    *,
    title: str | None = None,
    feature_names: Sequence[Any] | None = None,
    sample_names: Sequence[Any] | None = None,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> None:
    """Write a page on which the operating point of a classifier can be chosen.

    The page shows accuracy against reject rate with a slider over the front, what each point does
    to the samples given, what they bear out, the cells, the rejected samples and their reasons, and
    exports thresholds for :meth:`RejectOptionClassifier.set_thresholds`. It is one file, needs
    no network, and appears whole or not at all.

    Parameters
    ----------
    clf : estimator
        A fitted :class:`RejectOptionClassifier`, or a fitted pipeline or search that ends in one.
    X : array-like of shape (n_samples, n_features)
        Samples; others than the classifier was fitted on tell more.
    y : array-like of shape (n_samples,)
        Their classes.
    file : str or path-like
        Where the page shall lie, such as "report.html".
    title : str, default=None
        What stands above it; None names the classifier.
    feature_names : sequence of str, default=None
        Names of the features as they reach the model; None takes those that it was fitted with.
    sample_names : sequence of str of length n_samples, default=None
        What the samples are called; None takes the index of a frame, or counts from 0.
    watch : callable, default=nothing
        Told how many parts of the work are done, and of how many.

    Raises
    ------
    InputError
        If the classifier has no reject option, if names or labels do not fit, if jinja2 or plotly
        is missing, or if the file cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from abstain import GMLVQ, RejectOptionClassifier
    >>> from abstain.report import write_report
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = RejectOptionClassifier(GMLVQ()).fit(X, y)
    >>> with TemporaryDirectory() as folder:
    ...     write_report(clf, X, y, Path(folder, "report.html"))
    ...     Path(folder, "report.html").stat().st_size < 6_000_000
    True
    """
    target = Path(file)
    check_can_write(target)
    page = render_report(
        clf, X, y, title=title, feature_names=feature_names, sample_names=sample_names, watch=watch
    )
    with whole_files(target) as (draft,):
        draft.write_text(page, encoding="utf-8")


def render_report(
    clf: Any,
    X: Any,
    y: Any,
    *,
    title: str | None = None,
    feature_names: Sequence[Any] | None = None,
    sample_names: Sequence[Any] | None = None,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> str:
    """Return the page that `write_report` writes.

    Parameters
    ----------
    clf : estimator
        A fitted :class:`RejectOptionClassifier`, or a fitted pipeline or search that ends in one.
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Their classes.
    title : str, default=None
        What stands above it; None names the classifier.
    feature_names : sequence of str, default=None
        Names of the features as they reach the model.
    sample_names : sequence of str of length n_samples, default=None
        What the samples are called.
    watch : callable, default=nothing
        Told how many parts of the work are done, and of how many.

    Returns
    -------
    page : str
        HTML.

    Examples
    --------
    >>> from abstain import RejectOptionClassifier
    >>> from abstain.report import render_report
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> page = render_report(RejectOptionClassifier(GaussianNB()).fit(X, y), X, y, title="Iris")
    >>> "<title>Iris</title>" in page
    True
    """
    steps, inner = unwrap(clf, until=RejectOptionClassifier)
    if not isinstance(inner, RejectOptionClassifier):
        raise InputError(
            f"clf must have a reject option, got a {type(inner).__name__}; wrap it in a "
            "RejectOptionClassifier"
        )
    check_is_fitted(inner, "thresholds_")
    jinja2 = _jinja2()
    plotly = _packed_plotly()
    seen = pass_through(steps, X)
    n_parts = N_PARTS + 1
    watch(0, n_parts)
    content = find_content(
        inner, seen, y, feature_names, sample_names, lambda done: watch(done, n_parts)
    )
    model = type(unwrap(inner.estimator_)[1]).__name__
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    page: str = environment.from_string(_text("page.html.jinja")).render(
        title=f"{model} with a reject option" if title is None else str(title),
        model=model,
        content=content,
        style=_text("report.css"),
        script=_text("report.js"),
        plotly=plotly,
        packed=_pack(json.dumps(content, allow_nan=False, separators=(",", ":"))),
    )
    watch(n_parts, n_parts)
    return page


def _jinja2() -> Any:
    try:
        import jinja2
    except ImportError:
        raise _missing("jinja2") from None
    return jinja2


@cache
def _packed_plotly() -> str:
    try:
        from plotly.offline import get_plotlyjs
    except ImportError:
        raise _missing("plotly") from None
    return _pack(get_plotlyjs())


def _missing(package: str) -> InputError:
    return InputError(
        f"reports need {package}, which is not installed: pip install 'abstain[report]'"
    )


def _text(name: str) -> str:
    return files("abstain.report").joinpath(name).read_text(encoding="utf-8")


def _pack(text: str) -> str:
    """Return text compressed, in letters that mean nothing to HTML; the same whenever it is."""
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()
