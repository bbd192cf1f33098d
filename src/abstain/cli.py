"""What can be done from the command line?

Commands hold no logic: each reads its options, calls the library and shows the result. Whatever
is heavy is imported inside them, so that `abstain --help` answers at once.
"""

import inspect
import json
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from abstain import InputError, __version__
from abstain._text import one_line, printable

__all__ = ["app", "main"]


# Newer versions of typer carry their own click: this is the base class in either case.
_UsageError: Any = typer.BadParameter.__mro__[1]


@contextmanager
def _told_in_one_line() -> Iterator[None]:
    """Tell of unusable input in one line, of Ctrl-C in one word, and leave with the right code."""
    try:
        yield
    except InputError as error:
        _leave(f"error: {error}", 2)
    except _UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            raise
        said = " ".join(error.format_message().split())
        where = "abstain" if error.ctx is None else error.ctx.command_path
        remedy = "" if ";" in said or "--help" in said else f"; see {where} --help"
        _leave(f"error: {said.removesuffix('.')}{remedy}", 2)
    except KeyboardInterrupt:
        _leave("interrupted", 130)
    except BrokenPipeError:  # whoever read has read enough
        raise
    except OSError as error:
        if type(error).__module__.startswith("distributed"):
            _leave(f"error: the connection to the cluster was lost: {error}; start again", 2)
        if error.filename is not None:
            _leave(f"error: {error.filename}: {error.strerror}; check the path", 2)
        with suppress(OSError):  # what is still to be printed goes nowhere
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _leave(f"error: cannot print the result: {error.strerror or error}; print it elsewhere", 1)


def _leave(said: str, code: int) -> NoReturn:
    _tell(said)
    raise typer.Exit(code) from None


def _tell(said: str) -> None:
    """Tell something besides the result, in one line."""
    typer.echo(one_line(said), err=True)


def _print_json(document: str) -> None:
    # All else that a terminal might obey is written out in JSON already.
    typer.echo(document.replace("\x7f", "\\u007f"))


class _QuietErrors(TyperGroup):
    """A command line whose errors are one line each, and whose help is as wide as the terminal."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        if command is not None and command.help:
            # The lines of a docstring are not those of a terminal; a blank one parts paragraphs.
            paragraphs = inspect.cleandoc(command.help).split("\n\n")
            command.help = "\n\n".join(" ".join(each.split()) for each in paragraphs)
        return command

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        with _told_in_one_line():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: Any) -> Any:
        with _told_in_one_line():
            return super().invoke(ctx)


app = typer.Typer(
    cls=_QuietErrors,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Classifiers that know when not to answer.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"abstain {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Take the options that come before a command."""


class Method(StrEnum):
    """How a front is found."""

    pooled = "pooled"
    exact = "exact"
    hull = "hull"
    greedy = "greedy"


_DEFAULT_TARGET = ("reject_rate", 0.1)


def _target(
    accuracy: float | None, reject_rate: float | None, reject_cost: float | None
) -> tuple[str, float]:
    """Return the one target that was given, checked before any long work, or the default."""
    from abstain._score_files import TARGETS

    asked = {"accuracy": accuracy, "reject_rate": reject_rate, "reject_cost": reject_cost}
    given = {name: value for name, value in asked.items() if value is not None}
    options = ["--" + name.replace("_", "-") for name in given]
    if len(given) > 1:
        raise InputError(f"only one target can be served, got {' and '.join(options)}; drop one")
    for name, value in given.items():
        try:
            TARGETS[name](value).check()
        except InputError as error:
            raise InputError(f"{options[0]}: {error}") from None
    return next(iter(given.items()), _DEFAULT_TARGET)


# The parts of a long list of options, in `abstain front --help`.
_COLUMNS, _TARGETS, _OUTPUT = "Columns", "Target (one of them; reject rate 0.1 if none)", "Output"


Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Have a Dask cluster do it: the address of its scheduler, such as "
        "tcp://10.0.0.1:8786, or local for worker processes on this machine. Whoever reaches a "
        "scheduler can run code on its workers and here: trust it, and its network.",
    ),
]


def _meant(paths: list[Path]) -> list[Path]:
    """Return the files that were named, or that a pattern in quotes stands for."""
    if len(paths) == 1 and os.path.exists(paths[0]):
        return paths
    from abstain._paths import files_meant

    return files_meant(paths)


@app.command()
def front(
    scores: Annotated[
        list[Path],
        typer.Argument(
            help="CSV, TSV or Parquet, one row per sample; several files are one table."
        ),
    ],
    certainty: Annotated[
        str, typer.Option(help="How sure it was; higher is surer.", rich_help_panel=_COLUMNS)
    ],
    correct: Annotated[
        str | None,
        typer.Option(help="Was it right: true/false or 1/0.", rich_help_panel=_COLUMNS),
    ] = None,
    y_true: Annotated[
        str | None,
        typer.Option(help="Instead of --correct: the class …", rich_help_panel=_COLUMNS),
    ] = None,
    y_pred: Annotated[
        str | None, typer.Option(help="… and the predicted class.", rich_help_panel=_COLUMNS)
    ] = None,
    cell: Annotated[
        str | None,
        typer.Option(help="Region with its own threshold.", rich_help_panel=_COLUMNS),
    ] = None,
    accuracy: Annotated[
        float | None,
        typer.Option(help="At least this, with fewest rejects.", rich_help_panel=_TARGETS),
    ] = None,
    reject_rate: Annotated[
        float | None,
        typer.Option(help="At most this, most accurately.", rich_help_panel=_TARGETS),
    ] = None,
    reject_cost: Annotated[
        float | None,
        typer.Option(help="Least cost, an error costing 1.", rich_help_panel=_TARGETS),
    ] = None,
    method: Annotated[
        Method,
        typer.Option(
            help="pooled: made for new samples; exact: the best on these samples, or hull and "
            "greedy, which approximate it."
        ),
    ] = Method.pooled,
    cluster: Cluster = None,
    out: Annotated[
        Path | None,
        typer.Option(help="front.csv, .tsv or .parquet.", rich_help_panel=_OUTPUT),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print the JSON document only.", rich_help_panel=_OUTPUT),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print no summary.", rich_help_panel=_OUTPUT)
    ] = False,
) -> None:
    """Find reject thresholds for a file of scores.

    A sample is rejected if its certainty is below the threshold of its cell.
    The target chooses one row of a front.

    The pooled front is made for new samples. It estimates how probable it is
    that an answer is right, given its certainty and its cell; a row rejects all
    answers below one limit on that probability, so that later rows raise every
    threshold or leave it. The exact front holds, for every number of errors
    caught, the fewest right answers that are lost with them: no thresholds are
    better on these samples, but on new ones they repeat the noise of these.

    --out front.csv holds all rows: true rejects (errors caught), false rejects
    (right answers lost), reject rate, coverage, accuracy, expected_accuracy (by
    the estimated probabilities; pooled only), gap (at most how many false rejects
    fewer would do on these samples) and is_pareto (no other row is better in both
    counts). front.thresholds.csv and front.json beside it hold the thresholds
    of the chosen row and, if pooled, the estimated probability at each. In JSON, a
    threshold that rejects none of a cell is the string "-inf", one that rejects
    all of it (but samples of certainty inf) "inf".

    With --cluster, each file is read whole by one worker and stays with it, in
    memory or on its disk; only names of cells, errors and counts leave it. All
    machines must see the files under the same names. The result is the same.

    All counts are of these samples; keep some back to see what the thresholds
    do on others.
    """
    target, value = _target(accuracy, reject_rate, reject_cost)
    from abstain import _score_files as score_files
    from abstain import _screens as screens
    from abstain import pareto_front

    columns = score_files.ScoreColumns(certainty, correct, y_true, y_pred, cell)
    paths = _meant(scores)
    files = score_files.output_files(out, *paths) if out else None
    with screens.stages(quiet) as begin:
        if cluster is not None:
            asked = (target, value)
            choice = _front_on_cluster(cluster, paths, columns, method, asked, begin)
        else:
            if len(paths) == 1:
                begin(f"reading {paths[0].name}")
                samples = score_files.read_scores(paths[0], columns)
            else:
                watch = begin(f"reading {len(paths):,} files")
                samples = score_files.read_all_scores(paths, columns, watch)
            begin(f"computing the {method} front of {len(samples.certainty):,} samples")
            found = pareto_front(samples.certainty, samples.correct, samples.cells, method=method)
            begin("choosing the thresholds")
            choice = score_files.choose(samples, found, target, value)
        if files:
            begin(f"writing {files[0].name}")
            score_files.write_choice(choice, files, __version__)
    if as_json:
        _print_json(score_files.choice_as_json(choice, __version__))
    elif not quiet:
        by_default = accuracy is reject_rate is reject_cost is None
        screens.show(screens.front_screen(choice, paths, files, by_default=by_default))


def _front_on_cluster(
    where: str, paths: list[Path], columns: Any, method: str, target: tuple[str, float], begin: Any
) -> Any:
    """Have a cluster read score files, and find their front and its row for a target."""
    from abstain import pareto_front
    from abstain._cluster import cluster
    from abstain._files import check_regular_file
    from abstain._patience import told_if_workers_die
    from abstain._score_files.on_cluster import choose_on_cluster, read_on_cluster
    from abstain._screens import counted

    for path in paths:
        check_regular_file(path)
    begin(f"asking the cluster {where}")
    with cluster(where) as client, told_if_workers_die(client, where):
        watch = begin(f"reading {counted(len(paths), 'file')}")
        scores = read_on_cluster(client, paths, columns, watch)
        begin(f"computing the {method} front of {int(scores.certainty.shape[0]):,} samples")
        found = pareto_front(scores.certainty, scores.correct, scores.cells, method=method)
        begin("choosing the thresholds")
        return choose_on_cluster(scores, found, *target)


class Cells(StrEnum):
    """Which samples share a threshold."""

    auto = "auto"
    all = "global"
    by_class = "class"
    prototype = "prototype"
    leaf = "leaf"


class Certainty(StrEnum):
    """How sure a classifier is."""

    auto = "auto"
    relsim = "relsim"
    conf = "conf"
    logit = "logit"
    margin = "margin"
    entropy = "entropy"
    boundary = "boundary"
    distance = "distance"
    pairwise = "pairwise"
    decision = "decision"
    trust = "trust"


_FORMAT, _FITTING = "How the text is written (found out if not given)", "Fitting"

Separator = Annotated[
    str | None, typer.Option(help="Between fields: , ; tab |", rich_help_panel=_FORMAT)
]
Decimal = Annotated[
    str | None, typer.Option(help="Before a fraction: . or ,", rich_help_panel=_FORMAT)
]
Encoding = Annotated[
    str | None, typer.Option(help="Such as utf-8 or cp1252.", rich_help_panel=_FORMAT)
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        help="What stands for a missing value, beside NA, ? and the like; may be repeated.",
        rich_help_panel=_FORMAT,
    ),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print the JSON document only.", rich_help_panel=_OUTPUT)
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print no summary.", rich_help_panel=_OUTPUT)
]


# Tables of fewer blocks are done in a second.
_BLOCKS_TO_WATCH = 4


def _model_names(incomplete: str) -> list[str]:
    from abstain.tables import LEARNERS

    return [name for name in LEARNERS if name.startswith(incomplete.lower())]


@app.command()
def fit(
    table: Annotated[Path, typer.Argument(help="CSV, TSV or Parquet, one row per sample.")],
    label: Annotated[
        str, typer.Option(help="The column that names the class.", rich_help_panel=_COLUMNS)
    ],
    out: Annotated[Path, typer.Option(help="The model, such as model.abstain.")],
    model: Annotated[
        str,
        typer.Option(
            help="glvq, grlvq, gmlvq, lgmlvq, rslvq, mrslvq, lmrslvq, logistic, svm, knn, tree, "
            "forest, boosting, naive-bayes, lda or mlp.",
            rich_help_panel=_FITTING,
            autocompletion=_model_names,
        ),
    ] = "gmlvq",
    accuracy: Annotated[
        float | None,
        typer.Option(help="At least this, with fewest rejects.", rich_help_panel=_TARGETS),
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(help="How sure --accuracy must be on new rows.", rich_help_panel=_TARGETS),
    ] = None,
    reject_rate: Annotated[
        float | None,
        typer.Option(help="At most this, most accurately.", rich_help_panel=_TARGETS),
    ] = None,
    reject_cost: Annotated[
        float | None,
        typer.Option(help="Least cost, an error costing 1.", rich_help_panel=_TARGETS),
    ] = None,
    test_size: Annotated[
        float | None,
        typer.Option(
            help="Share of the rows that only test --confidence; half if not given.",
            rich_help_panel=_TARGETS,
        ),
    ] = None,
    cells: Annotated[
        Cells, typer.Option(help="Which rows share a threshold.", rich_help_panel=_FITTING)
    ] = Cells.auto,
    certainty: Annotated[
        Certainty, typer.Option(help="How sure the model is.", rich_help_panel=_FITTING)
    ] = Certainty.auto,
    method: Annotated[
        Method,
        typer.Option(
            help="How thresholds are found. pooled: made for new rows; exact: the best on the "
            "rows that set them, or hull and greedy, which approximate it.",
            rich_help_panel=_FITTING,
        ),
    ] = Method.pooled,
    cv: Annotated[
        int,
        typer.Option(
            help="Folds, so that thresholds are set on rows the model had not seen; 0: on those "
            "it was fitted on.",
            rich_help_panel=_FITTING,
        ),
    ] = 5,
    seed: Annotated[
        int,
        typer.Option(min=0, help="Decides what is drawn at random.", rich_help_panel=_FITTING),
    ] = 0,
    drop: Annotated[
        list[str] | None,
        typer.Option(help="A column to leave out; may be repeated.", rich_help_panel=_COLUMNS),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            help="A column to take though it seems of no use; may be repeated.",
            rich_help_panel=_COLUMNS,
        ),
    ] = None,
    categorical: Annotated[
        list[str] | None,
        typer.Option(
            help="A column whose numbers name kinds; may be repeated.", rich_help_panel=_COLUMNS
        ),
    ] = None,
    separator: Separator = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    missing: Missing = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Fit a model that may decline to answer to a table.

    Numbers, which may be written like $1,200 or 45 %, are scaled; text with few
    values and truth values are encoded; missing values stay missing for the LVQ
    models and boosting, and become the median for others. Columns that cannot help
    on new rows, such as identifiers and dates, are left out, and the summary says
    so. All of it is saved with the model.

    Accuracy and rejects are told for rows that the model had not seen, by
    cross-validation. With --confidence, a part of the rows is held out, and the
    accuracy is certified on it for new rows of the same kind.
    """
    asked = _table_target(accuracy, confidence, reject_rate, reject_cost)
    _check_test_size(test_size, confidence)
    from abstain import _screens as screens
    from abstain.saving import save
    from abstain.tables import Wishes, check_model_output, fit_table, fitted_as_json, open_table

    _check_keeps_inputs([out], [table])
    check_model_output(out)
    wishes = Wishes(
        label,
        model=model,
        target=asked,
        cells=str(cells),
        certainty=str(certainty),
        method=str(method),
        cv=cv,
        test_size=test_size,
        seed=seed,
        drop=drop or [],
        keep=keep or [],
        categorical=categorical or [],
    )
    with screens.progress(f"fitting {model} to {table}", quiet, lines=False) as watch:
        source = open_table(table, separator, decimal, encoding, missing or [])
        fitted = fit_table(source, wishes, watch, (lambda said: None) if quiet else _note)
        save(fitted.clf, out)
    if as_json:
        _print_json(fitted_as_json(fitted, __version__))
    elif not quiet:
        screens.show(screens.fit_screen(fitted, table, out))


def _note(said: str) -> None:
    _tell(f"note: {said}")


def _table_target(
    accuracy: float | None,
    confidence: float | None,
    reject_rate: float | None,
    reject_cost: float | None,
) -> Any:
    """Return the target that was given, checked before any long work."""
    from abstain import Accuracy
    from abstain._score_files import TARGETS

    name, value = _target(accuracy, reject_rate, reject_cost)
    if confidence is None:
        return TARGETS[name](value)
    if name != "accuracy":
        raise InputError("--confidence belongs to an accuracy; give --accuracy as well")
    asked = Accuracy(value, confidence=confidence)
    try:
        asked.check()
    except InputError as error:
        raise InputError(f"--{error}") from None
    return asked


def _check_test_size(test_size: float | None, confidence: float | None) -> None:
    from abstain._checks import check_fraction

    if test_size is None:
        return
    if confidence is None:
        raise InputError("--test-size belongs to a confidence; give --confidence as well")
    try:
        check_fraction("test_size", test_size)
    except InputError as error:
        raise InputError(f"--{error}".replace("test_size", "test-size")) from None


@contextmanager
def _told_of_model(model: Path) -> Iterator[None]:
    """Tell in one line where a model fails: a file may hold one that no fit would make."""
    try:
        yield
    except (InputError, OSError, typer.Exit, _UsageError):
        raise
    except Exception as error:
        said = f"{model} cannot answer these rows ({type(error).__name__}: {error})"
        _leave(f"error: {one_line(said)}; fit and save it again", 1)


def _load(model: Path) -> Any:
    from abstain.saving import load

    return load(model)


@app.command()
def predict(
    model: Annotated[Path, typer.Argument(help="From abstain fit.")],
    table: Annotated[
        list[Path], typer.Argument(help="CSV, TSV or Parquet, one row per sample; or several.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="answers.csv, .tsv or .parquet; a folder for several tables, or with --cluster.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    thresholds: Annotated[
        Path | None, typer.Option(help="JSON with thresholds to use instead of the model's.")
    ] = None,
    cluster: Cluster = None,
    reject_mark: Annotated[
        str, typer.Option(help="What stands where no answer is given.", rich_help_panel=_OUTPUT)
    ] = "rejected",
    separator: Separator = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    missing: Missing = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Answer the rows of a table, or say why not.

    All rows and columns come out in their order, as they were, with four more:
    the answer, which is a class or the mark of a rejected row; the certainty;
    correct_proba, the estimated probability that the answer is right, also where
    it is withheld; and, for rejected rows, the reason. The table may be larger
    than memory.

    Without --out, rows are only counted.

    Of several tables, each gets a file of answers of the same name and format
    in the folder --out. If one cannot be answered, the others still are.

    With --cluster, each table is answered by one worker. All machines must see
    the tables and the folder under the same names.
    """
    from abstain import tables

    paths = _meant(table)
    if cluster is not None or len(paths) > 1:
        from abstain.tables.several import Reading

        reading = Reading(separator, decimal, encoding, tuple(missing or []))
        with _told_of_model(model):
            _predict_many(
                model, paths, out, thresholds, cluster, reading, reject_mark, as_json, quiet
            )
        return
    (path,) = paths
    source = tables.open_table(path, separator, decimal, encoding, missing or [])
    if out is not None:
        _check_keeps_inputs([out], paths, model, thresholds)
        tables.check_output(out, source)
    _check_model_files(model, thresholds)
    is_short = source.n_blocks < _BLOCKS_TO_WATCH
    # While the rest is imported, and the model loaded.
    with _told_of_model(model), tables.ReadAhead(source) as ahead:
        from abstain import _screens as screens

        with screens.progress(f"answering {path}", quiet or is_short) as watch:
            clf = _load_with(model, thresholds)
            answered = tables.answer_table(clf, ahead, out, mark=reject_mark, watch=watch)
    if as_json:
        _print_json(tables.answered_as_json(answered, out, __version__))
    elif not quiet:
        screens.show(screens.predict_screen(answered, path, out))


def _check_model_files(model: Path, thresholds: Path | None = None) -> None:
    """Refuse what cannot be read before anything is read for it."""
    from abstain._files import check_regular_file

    check_regular_file(model)
    if thresholds is not None:
        check_regular_file(thresholds)


def _check_keeps_inputs(
    outputs: list[Path],
    tables: list[Path],
    model: Path | None = None,
    thresholds: Path | None = None,
) -> None:
    """Refuse outputs that would replace what a command reads."""
    from abstain._files import check_keeps_inputs

    inputs = dict.fromkeys(tables, "the table")
    inputs |= {} if model is None else {model: "the model"}
    inputs |= {} if thresholds is None else {thresholds: "the thresholds file"}
    check_keeps_inputs(outputs, inputs)


def _load_with(model: Path, thresholds: Path | None) -> Any:
    clf = _load(model)
    if thresholds is not None:
        _retarget(clf, thresholds)
    return clf


def _predict_many(
    model: Path,
    paths: list[Path],
    out: Path | None,
    thresholds: Path | None,
    cluster: str | None,
    reading: Any,
    mark: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """Answer tables, here or on a cluster, and tell what came of them."""
    from abstain import _screens as screens
    from abstain.tables.several import (
        answer_tables,
        answered_tables_as_json,
        check_jobs,
        folder_for,
        plan_jobs,
    )

    _check_model_files(model, thresholds)
    jobs = plan_jobs(paths, out, reading)
    _check_keeps_inputs([job.out for job in jobs if job.out], paths, model, thresholds)
    clf = _load_with(model, thresholds)
    check_jobs(clf, jobs)
    is_short = sum(job.table.n_blocks for job in jobs) < _BLOCKS_TO_WATCH
    doing = f"answering {screens.counted(len(jobs), 'table')}" + (
        " in blocks" if cluster is None else ""
    )
    with folder_for(jobs), screens.progress(doing, quiet or is_short) as watch:
        if cluster is None:
            answered = answer_tables(clf, jobs, mark=mark, watch=watch)
        else:
            answered = _answered_on_cluster(cluster, clf, jobs, reading, mark, watch)
    if as_json:
        _print_json(answered_tables_as_json(answered, out, __version__))
    elif not quiet:
        screens.show(screens.predict_many_screen(answered, out))


def _answered_on_cluster(
    where: str, clf: Any, jobs: Any, reading: Any, mark: str, watch: Any
) -> Any:
    from abstain._cluster import cluster
    from abstain._patience import told_if_workers_die
    from abstain.tables.on_cluster import answer_on_cluster, scratch_beside

    with (
        scratch_beside(jobs) as scratch,
        cluster(where) as client,
        told_if_workers_die(client, where),
    ):
        return answer_on_cluster(client, clf, jobs, scratch, reading, mark=mark, watch=watch)


@app.command()
def report(
    model: Annotated[Path, typer.Argument(help="From abstain fit.")],
    table: Annotated[Path, typer.Argument(help="Rows whose class is known.")],
    out: Annotated[Path, typer.Option(help="The page.", rich_help_panel=_OUTPUT)] = Path(
        "report.html"
    ),
    title: Annotated[
        str | None, typer.Option(help="What stands above it.", rich_help_panel=_OUTPUT)
    ] = None,
    names: Annotated[
        str | None,
        typer.Option(help="The column that names the rows.", rich_help_panel=_OUTPUT),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(help="The column that names the classes; that of the fit if not given."),
    ] = None,
    separator: Separator = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    missing: Missing = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write a page on which the operating point of a model can be chosen.

    One HTML file that opens from disk: a slider along the accuracy-reject curve, what
    each point does to the rows of the table, what could be guaranteed, the cells and
    the rejected rows, with their reasons and the probability that the answer would be
    right. It exports the thresholds of the chosen point, which abstain predict
    --thresholds takes.

    Rows that the model was not fitted to tell more than those that it knows.
    """
    from abstain import _screens as screens
    from abstain._files import check_can_write

    _check_model_files(model)
    _check_keeps_inputs([out], [table], model)
    if out.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"cannot write {out}: it will be a page; give it a name with .html")
    check_can_write(out)
    with _told_of_model(model), screens.stages(quiet) as begin:
        begin(f"loading {model.name}")
        from abstain.report import write_report
        from abstain.tables import (
            judge,
            labelled_samples,
            open_table,
            reported_as_json,
            reported_in_words,
        )

        source = open_table(table, separator, decimal, encoding, missing or [])
        clf = _load(model)
        samples = labelled_samples(clf, source, names, label, begin(f"reading {table.name}"))
        write_report(
            clf,
            samples.X,
            samples.y,
            out,
            title=title or f"{table.name}, answered by {model.name}",
            sample_names=samples.names,
            watch=begin("making the page"),
        )
        judged = judge(clf, samples)
    if as_json:
        _print_json(reported_as_json(samples, judged, out, __version__))
    elif not quiet:
        for line in reported_in_words(samples, judged, out).split("\n"):
            typer.echo(printable(line))


def _retarget(clf: Any, thresholds: Path) -> None:
    """Move a classifier to thresholds that were chosen elsewhere."""
    from abstain.classifier import read_thresholds

    try:
        given = read_thresholds(thresholds)
    except InputError as error:
        raise InputError(f"--thresholds: {error}") from None
    try:
        clf.retarget(given)
    except InputError as error:
        raise InputError(f"--thresholds: {thresholds}: {error}") from None


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("abstain-demo"),
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Certify an accuracy, compare thresholds, and write a report to open."""
    from abstain import _screens as screens
    from abstain._demo import run_demo

    with screens.progress("fitting, certifying and trying out", quiet, lines=False) as watch:
        found = run_demo(out, __version__, watch)
    if as_json:
        _print_json(json.dumps({"abstain": __version__, **found.as_dict()}, indent=2))
    elif not quiet:
        screens.show(screens.demo_screen(found))
        if found.tumours.report is not None:
            typer.echo(f"Open {printable(found.tumours.report)} in a browser.")
        typer.echo(f"The result lies in {printable(out)}")


_GOES_ON = "the same command goes on from here"


def _names(text: str | None) -> list[str] | None:
    """Return the names in a list with commas between; a comma at its end names nothing."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


@app.command()
def study(
    quick: Annotated[bool, typer.Option("--quick", help="One repeat instead of ten.")] = False,
    only: Annotated[
        str | None, typer.Option(help="Some of the data sets, with commas between.")
    ] = None,
    models: Annotated[
        str | None, typer.Option(help="Some of the classifiers, with commas between.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Tasks that run at once; -1: one a core.")] = -1,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Run the tasks on a Dask cluster: the address of its scheduler, which has its own "
            "workers, or local for --jobs workers here."
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("abstain-study"),
    seed: Annotated[int, typer.Option(min=0, help="Decides what is drawn at random.")] = 0,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.")] = False,
) -> None:
    """Run the experiments of the paper again, and check every claim in its text.

    Ten-fold cross-validation, repeated ten times, of RSLVQ, GMLVQ, LGMLVQ, an
    SVM and, on artificial data, the Bayes rule, with global and local
    thresholds; 1,000 random splits of medical data. claims.csv tells which
    claims hold here. When stopped, the same command goes on from there.
    """
    from abstain import _screens as screens
    from abstain._signals import advised
    from abstain.study import make_plan, run_study

    if jobs == 0 or jobs < -1:
        raise InputError(f"--jobs must be a number of tasks, or -1 for one a core, got {jobs}")
    plan = make_plan(
        only=_names(only),
        models=_names(models),
        quick=quick,
        seed=seed,
    )
    try:
        with advised(_GOES_ON), screens.progress("running the study", quiet) as watch:
            found = run_study(plan, out, jobs, watch, __version__, cluster)
    except KeyboardInterrupt:
        _leave(f"interrupted: {_GOES_ON}", 130)
    if as_json:
        _print_json(json.dumps({"abstain": __version__, **found.as_dict()}, indent=2))
    elif not quiet:
        screens.show(screens.study_screen(found))


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Tell of a warning in one line, without the code that it comes from."""
    _tell(f"warning: {' '.join(str(message).split())}")


def main() -> None:
    """Run the command line, as a process of its own."""
    warnings.showwarning = _show_warning
    for stream in (sys.stdout, sys.stderr):
        # A label or an arrow that the terminal cannot encode is no reason to fail.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    app(prog_name="abstain")
