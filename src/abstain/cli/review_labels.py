"""What can be done with the labels of an expert? Commands that can be copied, and succeed.

New thresholds are tried before their command is offered: whether they can be set depends on the
target, and on what the rows say.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from abstain import InputError
from abstain._core.files import atomic_files
from abstain._core.text import printable
from abstain.cli.common import in_options
from abstain.cli.next_commands import command, recalibrate_command, refit_command
from abstain.cli.terminal import counted

if TYPE_CHECKING:
    import polars as pl

    from abstain.tables.review import Review


@dataclass(frozen=True, eq=False)
class ExpertLabels:
    """The labels of this list and of earlier ones, ``n_new`` of which are of this list.

    ``n_free`` of them may set thresholds.
    """

    path: Path
    rows: pl.DataFrame
    label: str
    n_new: int
    n_free: int


def gather_labels(clf: Any, result: Review, path: Path) -> ExpertLabels:
    """Return the labels of a list, with those that the file has already."""
    from abstain.tables.columns import columns_of_model
    from abstain.tables.labels import (
        collect_labels,
        expert_labels,
        label_column,
        may_set_thresholds,
    )

    labels = expert_labels(clf, result)
    rows = collect_labels(clf, labels, path)
    n_free = int(may_set_thresholds(rows).sum())
    return ExpertLabels(path, rows, label_column(columns_of_model(clf)), len(labels), n_free)


def write_labels(labels: ExpertLabels) -> None:
    """Write labels to their file, which appears whole or not at all."""
    from abstain.tables.labels import save_labels

    with atomic_files(labels.path) as (draft,):
        save_labels(labels.rows, draft)


def sheet_of_fit(path: Path, label: str) -> str | None:
    """Return the sheet with the label column; None for the first one, or a table without sheets."""
    from abstain.tables import open_table
    from abstain.tables.reading import find_column

    table = open_table(path)
    if table.sheet is not None and label not in table.names:
        for name in table.sheet.others:
            if label in open_table(path, sheet=name).names:
                return name
    find_column("label", label, table)
    return None


def offers(model: Path, result: Review, form: dict[str, Any]) -> list[Text]:
    """Return what can be done next with a list whose labels are not collected."""
    if not len(result.filled):
        return []
    paths = [model, result.path]
    return [
        Text(f"Next: {command('review', paths, {**form, 'labelled': 'labelled.csv'})}", "dim"),
        Text("collects the labels for a new fit, and new thresholds.", "dim"),
    ]


def offers_with_labels(
    clf: Any, model: Path, result: Review, labels: ExpertLabels, fitted_to: Path | None
) -> list[Text]:
    """Return commands that can be copied and succeed, or why there are none."""
    from abstain.targets.base import certifies

    lines = _about_thresholds(clf, model, result, labels)
    # A fit that certifies something, or is for other class proportions, leaves out the others.
    takes_all = not certifies(clf._target()) and clf.class_prior is None
    n_rows = len(labels.rows) if takes_all else labels.n_free
    if n_rows and fitted_to is None:
        lines.append(
            f"A new fit may use {n_rows:,} of them: --fitted-to, the table of the fit, prints its "
            "command."
        )
    elif n_rows and fitted_to is not None:
        sheet = sheet_of_fit(fitted_to, labels.label)
        refit = refit_command(clf, model, [fitted_to, labels.path], labels.label, sheet)
        lines.append(
            "A new fit may use them too, but no options of abstain fit make such a model."
            if refit is None
            else f"A new fit, to {n_rows:,} of them too: {refit}"
        )
    return [Text(printable(line), "dim") for line in lines]


def _about_thresholds(clf: Any, model: Path, result: Review, labels: ExpertLabels) -> list[str]:
    """Return the command that sets new thresholds, if it succeeds; else what it takes."""
    if not labels.n_free and not result.n_audited:
        return [
            "New thresholds need answered rows too, as rejected ones are unlike the rest: list "
            "some of them by --audit 0.05 of abstain predict."
        ]
    lines = []
    if result.n_sample_open:
        n_open = counted(result.n_sample_open, "more case")
        lines = [
            f"Before this list may set thresholds, {n_open} of its random sample of "
            f"{int(result.sample.sum()):,} must be answered."
        ]
    if not labels.n_free:
        return lines
    why_not = _why_no_thresholds(clf, result, labels)
    if why_not is not None:
        return [*lines, why_not]
    from abstain.monitor.certificates import certificates_of

    if (n_before := len(clf.calibration_.certainty)) > labels.n_free and not certificates_of(clf):
        lines.append(
            f"New thresholds would be set on {counted(labels.n_free, 'row')}, those in use were on "
            f"{n_before:,}: unless the data have changed, collect more lists in {labels.path} "
            "first."
        )
    return [*lines, f"Next: {recalibrate_command(model, labels.path, {'label': labels.label})}"]


def _why_no_thresholds(clf: Any, result: Review, labels: ExpertLabels) -> str | None:
    """Return why the labels set no new thresholds; None if they do: they are tried."""
    from abstain.tables import open_table, recalibrate_table
    from abstain.tables.recalibrating import rows_to_certify

    try:
        recalibrate_table(clf, open_table(labels.path), label=labels.label)
    except InputError as error:
        weights = result.rows["weight"]
        n_answered = weights.filter(result.rows["answer"].is_not_null()).sum()
        enough = rows_to_certify(clf, round(n_answered), round(weights.sum()))
        gathered = counted(labels.n_free, "row")
        if enough is None or labels.n_free >= enough.likely:
            return f"New thresholds cannot be set on the {gathered}: {in_options(error.message)}"
        return (
            f"New thresholds need about {enough.likely:,} rows of random samples, of which "
            f"{labels.n_free:,} {'is' if labels.n_free == 1 else 'are'} gathered in "
            f"{labels.path}. The next lists add theirs to it."
        )
    return None
