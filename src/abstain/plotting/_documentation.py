"""The documentation that the Displays share.

Many parameters mean the same in several Displays. `documented_display` completes the docstrings of
a Display with the texts below. The class names its constructors, each example starts with the
imports of the names that it uses, and `plot` has the example of the class.
"""

import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from abstain._core.documentation import documented

Display = TypeVar("Display", bound=type[Any])

PARAMETERS = """
estimator : estimator
    A fitted `RejectOptionClassifier`, alone, at the end of a ``Pipeline`` or inside a search.
X : array-like of shape (n_samples, n_features)
    Samples, as the estimator takes them.
y : array-like of shape (n_samples,)
    Their classes.
y=None : array-like of shape (n_samples,)
    Their classes; None draws them in grey.
y_true, y_pred : array-like of shape (n_samples,)
    True and predicted labels.
certainty : array-like of shape (n_samples,)
    How sure each prediction is; higher is surer.
certainty=None : str or callable
    Measure of certainty, as `RejectOptionClassifier` takes it, for one threshold; None
    uses the front of a reject option, else "auto".
sample_weight : array-like of shape (n_samples,)
    Weights of the samples.
front : ParetoFront
    Any front; what is drawn are its calibration samples.
cv_results : dict
    What scikit-learn's ``cross_validate`` returns with ``return_estimator=True``, for an
    estimator that :meth:`from_estimator` takes. If ``X`` and ``y`` are parameters here, they are
    those of ``cross_validate``, with ``return_indices=True``.
feature_names : sequence of str of length n_features
    Names of the features.
feature_names=None : sequence of str of length n_features
    Names of the features as they reach the model; None uses the names that it was fitted
    with, or those that the steps before it return.
top : int or None
    Number of features that are shown, the most relevant ones; None shows all.
axes : "directions", "prototypes" or pair of features
    The plane, as in `PrototypeDisplay`: through the mean of the prototypes or, for a model
    without prototypes, two features by name or number, with the others at their mean.
grid_resolution : int
    Number of positions along each direction at which the classifier is evaluated.
grid : tuple of two array-like of shape (n_columns,) and (n_rows,)
    Horizontal and vertical positions at which the classifier was evaluated.
axis_names : tuple of two str
    Names of the two directions.
classes : array-like of shape (n_classes,)
    All classes, in the order of their colours and markers.
samples : array-like of shape (n_samples, 2)
    Positions of the samples in the plane. Of more than 5000 samples, 5000 are drawn, chosen
    at random but always the same.
labels : array-like of shape (n_samples,)
    Classes of the samples; None draws them in grey.
prototypes : array-like of shape (n_prototypes, 2)
    Positions of the prototypes, if there are any.
prototype_labels : array-like of shape (n_prototypes,)
    Classes of the prototypes.
name : str
    Name of the curve in the legend; None in :meth:`plot` uses that of the display.
rows : array-like of shape (n_points,)
    Row of the front behind each point, if any.
normalize : {None, "true", "all"}
    What is shown: counts, shares of each true class, or shares of all samples.
n_bins : int
    Number of bins of the probability.
strategy : {"quantile", "uniform"}
    Whether the bins have about equal numbers of samples, or equal width.
confidence : float
    Confidence of the interval of each bin.
display_labels : array-like of shape (n_classes,)
    Names of the classes, in the order of rows and columns; None uses the labels.
colorbar : bool
    Whether to draw a colour bar.
legend : bool
    Whether to draw a legend; one is enough for panels side by side.
ax : matplotlib Axes
    Where to draw; None makes a new figure.
**kwargs : dict
    Passed to :meth:`plot`.
"""

# What examples import, but for the Display.
MODULES = {
    "abstain": ["GMLVQ", "GRLVQ", "RejectOptionClassifier", "RejectRate", "pareto_front"],
    "sklearn.datasets": ["load_digits", "load_iris"],
    "sklearn.model_selection": ["cross_validate"],
    "sklearn.naive_bayes": ["GaussianNB"],
}


def documented_display(kwargs: str) -> Callable[[Display], Display]:
    """Complete the docstrings of a Display whose `plot` passes ``kwargs`` to this function."""
    passed = f"{PARAMETERS}**kwargs : dict\n    Passed to matplotlib's {kwargs}."

    def complete(display: Display) -> Display:
        if display.__doc__ is None:  # Python was started with -OO
            return display
        constructors = [key for key in vars(display) if key.startswith("from_")]
        summary, _, rest = inspect.cleandoc(display.__doc__).partition("\n\n")
        usage = f"Make one with {_listed(constructors, 'or', ':meth:`{}`')}; :meth:`plot` draws it"
        display.__doc__ = f"{summary}\n\n{usage} again.\n\n{rest}"
        example = rest.partition("Examples\n--------\n")[2]
        display.plot.__doc__ = f"{inspect.getdoc(display.plot)}\n\nExamples\n--------\n{example}"
        attributes = [key for key in display.__annotations__ if key.endswith("_")]
        drawn = f"Itself, with {_listed(['ax_', 'figure_', *attributes], 'and', '``{}``')}."
        made = "The arrays, and the figure ``figure_``."
        _complete(display, display, PARAMETERS)
        _complete(display, display.plot, passed, drawn)
        for key in constructors:
            _complete(display, getattr(display, key).__func__, PARAMETERS, made)
        return display

    return complete


def _complete(display: Any, function: Any, parameters: str, returns: str = "") -> None:
    """Complete the docstring of a Display or of a method of it."""
    modules = {**MODULES, "abstain.plotting": [display.__name__]}
    words = set(re.findall(r"\w+", function.__doc__.partition("Examples\n")[2]))
    used = {module: words.intersection(names) for module, names in sorted(modules.items())}
    setup = "".join(
        f">>> from {module} import {', '.join(sorted(names))}\n"
        for module, names in used.items()
        if names
    )
    if returns:
        returns = f"display : {display.__name__}\n    {returns}"
    documented(parameters, returns=returns, setup=setup)(function)


def _listed(names: Iterable[str], last: str, form: str) -> str:
    *first, end = map(form.format, names)
    return f"{', '.join(first)} {last} {end}" if first else end
