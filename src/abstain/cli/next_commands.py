"""Which commands come next, in a form that can be copied?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from abstain.cli.common import quote_for_shell
from abstain.cli.targets import target_options

# Parameters of a classifier with the options and the defaults of `abstain fit`.
_OF_FIT = {
    "cells": ("cells", "auto"),
    "certainty": ("certainty", "auto"),
    "method": ("method", "pooled"),
    "outliers": ("outliers", 0.01),
    "test_size": ("test-size", "auto"),
    "cv": ("cv", 5),
    "random_state": ("seed", 0),
}


def command(name: str, paths: Sequence[Path | str], options: Mapping[str, Any]) -> str:
    """Return a command; options of None are left out, those of True have no value.

    >>> command("fit", ["my rows.csv"], {"out": "m.abstain", "recall": ["ill=1"], "seed": None})
    "abstain fit 'my rows.csv' --out m.abstain --recall 'ill=1'"
    """
    texts = [
        f"--{option}" if value is True else f"--{option} {quote_for_shell(value, None)}"
        for option, values in options.items()
        for value in (values if isinstance(values, list | tuple) else [values])
        if value is not None
    ]
    return " ".join(["abstain", name, *(quote_for_shell(path, None) for path in paths), *texts])


def beside(model: Path, what: str) -> Path:
    """Return the name of another model beside a model.

    >>> beside(Path("m.abstain"), "refitted").name
    'm-refitted.abstain'
    """
    return model.with_name(f"{model.stem}-{what}{model.suffix}")


def recalibrate_command(
    model: Path, table: Path | None, options: Mapping[str, Any] | None = None
) -> str:
    """Return the command that sets the thresholds of a model again.

    A table that cannot set them is None; ``options`` of None are left out.

    >>> recalibrate_command(Path("m.abstain"), Path("my rows.csv"), {"label": "ill"})
    "abstain recalibrate m.abstain 'my rows.csv' --out m-recalibrated.abstain --label ill"
    """
    given = {} if table is None else options or {}
    out = {"out": beside(model, "recalibrated")}
    return command("recalibrate", [model, table or "recent.csv"], {**out, **given})


def refit_command(
    clf: Any, model: Path, tables: Sequence[Path], label: str, sheet: str | None = None
) -> str | None:
    """Return the command that fits such a classifier to tables; None if no options make it.

    Columns that were named by options are not known: those that the classifier needs are used if
    one of the tables has no others.
    """
    from abstain.tables.models import MODELS

    kind = type(clf.estimator_.steps[-1][1]) if hasattr(clf.estimator_, "steps") else None
    names = [spec.name for spec in MODELS.values() if type(spec.make()) is kind]
    target = target_options(clf._target())
    if not names or target is None:
        return None
    options = {"label": label, "sheet": sheet, "model": names[0], **target}
    for name, (option, default) in _OF_FIT.items():
        value = getattr(clf, name)
        if value != default:
            options[option] = 0 if value in (None, "training") else value
    if clf.independent_rows:
        options["independent-rows"] = True
    if clf.class_prior is not None:
        options["class-prior"] = [f"{each}={share}" for each, share in clf.class_prior.items()]
    return command("fit", tables, {**options, "out": beside(model, "refitted")})
