"""`abstain demo`: three examples that need no download, with a report to open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from abstain import InputError
from abstain._core.text import printable
from abstain.cli import terminal
from abstain.cli.common import AsJson, Quiet, print_json
from abstain.cli.terminal import percent

if TYPE_CHECKING:
    from abstain.cli.demo_examples import Answers, Digits, Necklace, Tumours


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("abstain-demo"),
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Certify an accuracy, compare thresholds, and write a report to open."""
    with terminal.progress("running the examples", quiet, lines=False) as watch:
        results = run_demo(out, watch)
    if as_json:
        print_json(results.as_dict())
    elif not quiet:
        terminal.show(demo_screen(results))
        if results.tumours.report is not None:
            typer.echo(f"Open {printable(results.tumours.report)} in a browser.")
        typer.echo(f"The results are in {printable(out)}")


@dataclass(frozen=True, eq=False)
class Demo:
    """The results of the examples, and the files written."""

    tumours: Tumours
    necklace: Necklace
    digits: Digits
    files: list[Path]

    def as_dict(self) -> dict[str, Any]:
        """Return the results as JSON holds them."""
        tumours = {
            name: value
            for name, value in vars(self.tumours).items()
            if name not in ("report", "files")
        }
        digits, report = self.digits, self.tumours.report
        ways = {"one_threshold": digits.one_threshold, "per_digit": digits.per_digit}
        return {
            "tumours": tumours,
            "necklace": asdict(self.necklace),
            "digits": {
                "n_samples": digits.n_samples,
                "accuracy": digits.accuracy,
                **{
                    name: {"accuracy": way.accuracy, "reject_rate": way.reject_rate}
                    for name, way in ways.items()
                },
            },
            "report": None if report is None else str(report),
            "files": [str(file) for file in self.files],
        }


def run_demo(folder: Path, watch: Callable[[int, int], None] = lambda done, total: None) -> Demo:
    """Run the examples and write their files."""
    from abstain.cli.demo_examples import certify_tumours, compare_on_digits, compare_on_necklace

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot create the folder {folder}: {error.strerror}; choose another name"
        ) from error
    watch(0, 3)
    tumours = certify_tumours(folder)
    watch(1, 3)
    necklace = compare_on_necklace()
    watch(2, 3)
    digits = compare_on_digits(folder)
    watch(3, 3)
    return Demo(tumours, necklace, digits, [*tumours.files, *digits.files])


def demo_screen(demo: Demo) -> RenderableType:
    """Return the summary of the examples."""
    tumours, necklace, digits = demo.tumours, demo.necklace, demo.digits
    names = ", ".join(printable(file.name) for file in demo.files)
    extras = [
        f"For {what} as well: pip install '.[{extra}]', in a copy of the project"
        for what, extra, is_there in [
            ("the report", "report", tumours.report is not None),
            ("a picture", "plot", any(file.suffix == ".png" for file in demo.files)),
        ]
        if not is_there
    ]
    return Group(
        Text("A certified accuracy", "bold"),
        Text(
            f"GMLVQ is fitted to one half of {tumours.n_known} breast tumours and certified on the "
            f"other: at least {tumours.asked:.0%} of its answers to new ones are right, with "
            f"{tumours.confidence:.0%} confidence. On {tumours.n_new} new ones:"
        ),
        _shares(
            ("accuracy without rejects", percent(tumours.accuracy)),
            ("answered", percent(tumours.coverage)),
            ("accuracy of the answers", percent(tumours.accuracy_of_answers)),
        ),
        Text("\nA threshold for each prototype", "bold"),
        Text(
            "GMLVQ on the pearl necklace, whose clusters differ in width: 5% of "
            f"{necklace.n_new:,} new samples are to be rejected, those least likely to be right."
        ),
        _comparison(
            necklace.accuracy,
            ("one threshold for all", necklace.one_threshold),
            ("a threshold for each prototype", necklace.per_prototype),
        ),
        Text("\nA threshold for each predicted class", "bold"),
        Text(
            f"Naive Bayes on {digits.n_samples:,} handwritten digits: thresholds for 20% rejects, "
            "set on one half and applied to the other; means over 20 random splits."
        ),
        _comparison(
            digits.accuracy,
            ("one threshold for all", digits.one_threshold),
            ("a threshold for each predicted digit", digits.per_digit),
        ),
        Text("\n" + "\n".join([f"Written: {names}", *extras])),
    )


def _shares(*rows: tuple[str, str]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 2), show_header=False)
    table.add_column()
    table.add_column(justify="right", style="bold")
    for row in rows:
        table.add_row(*row)
    return table


def _comparison(accuracy: float, *ways: tuple[str, Answers]) -> Table:
    """Return the reject rate and accuracy without rejects and with each kind of thresholds."""
    table = Table(box=None, padding=(0, 2, 0, 2), header_style="cyan")
    table.add_column("")
    table.add_column("\nreject rate", justify="right")
    table.add_column("accuracy of\nthe answers", justify="right")
    table.add_row("always answer", percent(0.0), percent(accuracy))
    for name, way in ways:
        table.add_row(name, percent(way.reject_rate), Text(percent(way.accuracy), "bold"))
    return table
