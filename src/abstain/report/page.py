"""Write the report of a fitted classifier as one HTML file that needs no network.

The page holds its style, its script, plotly's script and the content. The last two are compressed,
which halves the size of the file, and are decompressed by the browser. Compressed text cannot end a
script early, whatever the name of a class or a feature. The few names outside of it are escaped by
jinja2, and the script sets text only as text.
"""

from __future__ import annotations  # signatures then show the names of types

import base64
import gzip
import json
import os
import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from abstain._core.documentation import documented
from abstain._core.errors import InputError, import_optional
from abstain._core.estimators import pass_through, unwrap
from abstain._core.files import atomic_files, check_can_write
from abstain.classifier import RejectOptionClassifier
from abstain.report.content import N_STEPS, find_content
from abstain.report.glossary import glossary_of
from abstain.report.origin import File, origin_of

# The scripts of the page, in their order; they share one scope.
SCRIPTS = (
    *("text", "glossary", "outcomes", "tables", "heatmap", "sample_tables"),
    *("drawing", "point", "curve", "plane", "charts", "page"),
)

# More classes than this make a confusion matrix that is wider than paper.
MOST_PRINTED_CLASSES = 30

PARAMETERS = """
clf : estimator
    A fitted :class:`RejectOptionClassifier`, or a fitted pipeline or search that ends in one.
X : array-like of shape (n_samples, n_features)
    Samples, preferably others than the classifier was fitted on.
y : array-like of shape (n_samples,)
    Their classes.
file : str or path-like
    The file to write, such as "report.html".
title : str
    Title of the page; None names the classifier.
feature_names : sequence of str
    Names of the features as they reach the model; None uses those that it was fitted with.
sample_names : sequence of str of length n_samples
    Names of the samples; None uses the index of a frame, or counts from 0.
sample_rows : array-like of int of shape (n_samples,)
    The row of its file in which each sample stands, such as a spreadsheet shows it.
model_file, data_file : str or path-like
    The files of the classifier and of the samples, whose names stand at the foot of the page.
groups : array-like of shape (n_samples,)
    The group of each sample, such as a site; the page then shows what each group gets, with a
    condition on groups such as ``Accuracy(0.9, groups=…)`` and without it. A series names them.
watch : callable, default=nothing
    Called with the number of finished steps and the number of all steps.
"""


@documented(PARAMETERS)
def write_report(
    clf: Any,
    X: Any,
    y: Any,
    file: str | os.PathLike[str],
    *,
    title: str | None = None,
    feature_names: Sequence[Any] | None = None,
    sample_names: Sequence[Any] | None = None,
    sample_rows: ArrayLike | None = None,
    model_file: File = None,
    data_file: File = None,
    groups: ArrayLike | None = None,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> None:
    """Write a page on which the operating point of a classifier can be chosen.

    The page shows accuracy against reject rate with a slider over the front and, for each point,
    its outcomes on the given samples, an accuracy that they support, the cells, and the rejected
    samples with reasons. It exports thresholds for :meth:`RejectOptionClassifier.set_thresholds`.
    It is one file and needs no network. The file is only written if it is complete. Equal calls
    write equal files on the same day, or at any time if SOURCE_DATE_EPOCH is set.

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
        *(clf, X, y),
        title=title,
        feature_names=feature_names,
        sample_names=sample_names,
        sample_rows=sample_rows,
        model_file=model_file,
        data_file=data_file,
        groups=groups,
        watch=watch,
    )
    with atomic_files(target) as (draft,):
        draft.write_text(page, encoding="utf-8")


@documented(PARAMETERS)
def render_report(
    clf: Any,
    X: Any,
    y: Any,
    *,
    title: str | None = None,
    feature_names: Sequence[Any] | None = None,
    sample_names: Sequence[Any] | None = None,
    sample_rows: ArrayLike | None = None,
    model_file: File = None,
    data_file: File = None,
    groups: ArrayLike | None = None,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> str:
    """Return the page that `write_report` writes.

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
    jinja2 = import_optional("jinja2", "reports need", "'.[report]'")
    plotly = _compressed_plotly()
    n_steps = N_STEPS + 1
    watch(0, n_steps)
    content = find_content(
        inner,
        pass_through(steps, X),
        y,
        feature_names,
        sample_names,
        lambda done: watch(done, n_steps),
        groups,
        sample_rows,
    )
    model = type(unwrap(inner.estimator_)[1]).__name__
    n_calibration, n_samples = content["calibration"]["n"], content["samples"]["n"]
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["slug"] = lambda name: re.sub(r"\W+", "-", name)
    page: str = environment.from_string(_text("page.html.jinja")).render(
        title=f"{model} with a reject option" if title is None else str(title),
        model=model,
        content=content,
        glossary=glossary_of(content),
        origin=origin_of(inner, model, n_calibration, n_samples, model_file, data_file),
        most_printed=MOST_PRINTED_CLASSES,
        style=_text("report.css"),
        script="\n".join(_text(f"scripts/{name}.js") for name in SCRIPTS),
        plotly_base64=plotly,
        content_base64=_compress(json.dumps(content, allow_nan=False, separators=(",", ":"))),
    )
    watch(n_steps, n_steps)
    return page


@cache
def _compressed_plotly() -> str:
    plotly = import_optional("plotly.offline", "reports need", "'.[report]'")
    return _compress(plotly.get_plotlyjs())


def _text(name: str) -> str:
    return files("abstain.report").joinpath(name).read_text(encoding="utf-8")


def _compress(text: str) -> str:
    """Return text compressed, in base64; equal texts give equal results."""
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()
