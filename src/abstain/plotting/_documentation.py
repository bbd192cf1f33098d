"""The documentation that the Displays share.

Many parameters mean the same in several Displays. `documented` completes the docstrings of a
Display. A parameter that a docstring does not describe is described by the text below, in the order
of the signature, and so is what a method returns. The class names its constructors, and each
example starts with the import of the Display; `plot` has the example of the class.
"""

import inspect
import json
import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Display = TypeVar("Display", bound=type[Any])

# The type and the description of each parameter; the default is that of the signature.
PARAMETERS = {
    # What is drawn
    "estimator": (
        "estimator",
        """A fitted `RejectOptionClassifier`, alone, at the end of a ``Pipeline`` or inside a
    search.""",
    ),
    "X": ("array-like of shape (n_samples, n_features)", "Samples, as the estimator takes them."),
    "y": ("array-like of shape (n_samples,)", "Their classes."),
    "y=None": ("array-like of shape (n_samples,)", "Their classes; None draws them in grey."),
    "y_true, y_pred": ("array-like of shape (n_samples,)", "True and predicted labels."),
    "certainty": (
        "array-like of shape (n_samples,)",
        "How sure each prediction is; higher is surer.",
    ),
    "certainty=None": (
        "str or callable",
        """Measure of certainty, as `RejectOptionClassifier` takes it, for one threshold; None
    uses the front of a reject option, else "auto".""",
    ),
    "sample_weight": ("array-like of shape (n_samples,)", "Weights of the samples."),
    "front": ("ParetoFront", "Any front; what is drawn are its calibration samples."),
    "cv_results": (
        "dict",
        """What scikit-learn's ``cross_validate`` returns with ``return_estimator=True``, for an
    estimator that :meth:`from_estimator` takes. If ``X`` and ``y`` are parameters here, they are
    those of ``cross_validate``, with ``return_indices=True``.""",
    ),
    # Features and planes
    "feature_names": ("sequence of str of length n_features", "Names of the features."),
    "feature_names=None": (
        "sequence of str of length n_features",
        """Names of the features as they reach the model; None uses the names that it was fitted
    with, or those that the steps before it return.""",
    ),
    "top": (
        "int or None",
        "Number of features that are shown, the most relevant ones; None shows all.",
    ),
    "axes": (
        '"directions", "prototypes" or pair of features',
        """The plane, as in `PrototypeDisplay`: through the mean of the prototypes or, for a model
    without prototypes, two features by name or number, with the others at their mean.""",
    ),
    "grid_resolution": (
        "int",
        "Number of positions along each direction at which the classifier is evaluated.",
    ),
    "grid": (
        "tuple of two array-like of shape (n_columns,) and (n_rows,)",
        "Horizontal and vertical positions at which the classifier was evaluated.",
    ),
    "axis_names": ("tuple of two str", "Names of the two directions."),
    "classes": (
        "array-like of shape (n_classes,)",
        "All classes, in the order of their colours and markers.",
    ),
    "samples": (
        "array-like of shape (n_samples, 2)",
        """Positions of the samples in the plane. Of more than 5000 samples, 5000 are drawn, chosen
    at random but always the same.""",
    ),
    "labels": (
        "array-like of shape (n_samples,)",
        "Classes of the samples; None draws them in grey.",
    ),
    "prototypes": (
        "array-like of shape (n_prototypes, 2)",
        "Positions of the prototypes, if there are any.",
    ),
    "prototype_labels": ("array-like of shape (n_prototypes,)", "Classes of the prototypes."),
    # Drawing
    "name": (
        "str",
        "Name of the curve in the legend; None in :meth:`plot` uses that of the display.",
    ),
    "rows": ("array-like of shape (n_points,)", "Row of the front behind each point, if any."),
    "normalize": (
        '{None, "true", "all"}',
        "What is shown: counts, shares of each true class, or shares of all samples.",
    ),
    "n_bins": ("int", "Number of bins of the probability."),
    "strategy": (
        '{"quantile", "uniform"}',
        "Whether the bins have about equal numbers of samples, or equal width.",
    ),
    "confidence": ("float", "Confidence of the interval of each bin."),
    "display_labels": (
        "array-like of shape (n_classes,)",
        "Names of the classes, in the order of rows and columns; None uses the labels.",
    ),
    "colorbar": ("bool", "Whether to draw a colour bar."),
    "legend": ("bool", "Whether to draw a legend; one is enough for panels side by side."),
    "ax": ("matplotlib Axes", "Where to draw; None makes a new figure."),
    "kwargs": ("dict", "Passed to :meth:`plot`."),
}

# A heading with its line of dashes; the start of an entry within a section.
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
ENTRY = re.compile(r"^(?=\S)", re.MULTILINE)


def documented(kwargs: str) -> Callable[[Display], Display]:
    """Complete the docstrings of a Display whose `plot` passes ``kwargs`` to this function."""

    def complete(display: Display) -> Display:
        if display.__doc__ is None:  # Python was started with -OO
            return display
        name, sections = display.__name__, _sections(display)
        methods = {
            key: getattr(method, "__func__", method)
            for key, method in vars(display).items()
            if key == "plot" or key.startswith("from_")
        }
        made = "The arrays, and the figure ``figure_``."
        attributes = [key for key in display.__annotations__ if key[-1] == "_"]
        drawn = f"Itself, with {_listed(['ax_', 'figure_', *attributes])}."
        constructors = _listed((key for key in methods if key != "plot"), "or", ":meth:`{}`")
        summary, *rest = sections[""].strip().split("\n\n")
        usage = f"Make one with {constructors}; :meth:`plot` draws it again."
        display.__doc__ = _completed(
            display, {**sections, "": "\n\n".join([summary, usage, *rest])}, name
        )
        for key, method in methods.items():
            own = _sections(method)
            if key == "plot":
                passed = f"**kwargs : dict\n    Passed to matplotlib's {kwargs}."
                own["Parameters"] = f"{own.get('Parameters', '')}\n{passed}"
                own["Examples"] = sections.get("Examples", "")
            method.__doc__ = _completed(method, own, name, drawn if key == "plot" else made)
        return display

    return complete


def _listed(names: Iterable[str], last: str = "and", form: str = "``{}``") -> str:
    *first, end = map(form.format, names)
    return f"{', '.join(first)} {last} {end}" if first else end


def _sections(documented: Any) -> dict[str, str]:
    """Return the sections of a docstring by title; that of the summary is empty."""
    parts = SECTION.split(inspect.getdoc(documented) or "")
    return dict(zip(["", *parts[1::2]], parts[::2], strict=True))


def _completed(documented: Any, sections: dict[str, str], display: str, returned: str = "") -> str:
    """Return a docstring of a Display with all its sections."""
    own = {}
    for entry in ENTRY.split(sections.pop("Parameters", "")):
        names = entry.partition(" : ")[0].split(",")
        own.update({name.strip("* "): entry.rstrip() for name in names})
    entries = [
        own.get(parameter.name) or _shared_entry(parameter)
        for parameter in inspect.signature(documented).parameters.values()
        if parameter.name not in ("self", "cls")
    ]
    first = {"": sections.pop(""), "Parameters": "\n".join(dict.fromkeys(entries))}
    if returned:
        first["Returns"] = f"display : {display}\n    {returned}"
    imported = f">>> from abstain.plotting import {display}\n"
    sections["Examples"] = imported + sections.get("Examples", "")
    return "\n\n".join(
        f"{title}\n{'-' * len(title)}\n{text}".strip() for title, text in (first | sections).items()
    )


def _shared_entry(parameter: inspect.Parameter) -> str:
    default = parameter.default
    key = next(names for names in PARAMETERS if parameter.name in names.split(", "))
    names = f"**{key}" if parameter.kind is inspect.Parameter.VAR_KEYWORD else key
    type_, description = PARAMETERS.get(f"{key}={default}", PARAMETERS[key])
    if default is not inspect.Parameter.empty:
        shown = json.dumps(default) if isinstance(default, str) else repr(default)
        type_ = f"{type_}, default={shown}"
    return f"{names} : {type_}\n    {description}"
