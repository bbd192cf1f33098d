"""What is shown, in which order, and where does it lie?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from abstain._checks import InputError
from abstain._demo.digits import Digits, read_digits
from abstain._demo.necklace import Necklace, string_pearls
from abstain._demo.tumours import Tumours, judge_tumours

__all__ = ["Demo", "run_demo"]


@dataclass(frozen=True, eq=False)
class Demo:
    """What the demonstration found.

    Attributes
    ----------
    tumours : Tumours
        A table, a model, a certified accuracy and a report.
    necklace : Necklace
        What thresholds of their own do for prototypes that differ.
    digits : Digits
        The same for a classifier of others, from a file of scores.
    files : list of Path
        What was written.
    """

    tumours: Tumours
    necklace: Necklace
    digits: Digits
    files: list[Path]

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers that matter, and the files, for scripts."""
        tumours, necklace, digits = vars(self.tumours), asdict(self.necklace), self.digits
        trials = {"one_threshold": digits.one_threshold, "per_digit": digits.per_digit}
        report = self.tumours.report
        return {
            "tumours": {
                name: value for name, value in tumours.items() if name not in ("report", "files")
            },
            "necklace": necklace,
            "digits": {
                "n_samples": digits.n_samples,
                "accuracy": digits.accuracy,
                **{
                    name: {"accuracy": trial.accuracy, "reject_rate": trial.reject_rate}
                    for name, trial in trials.items()
                },
            },
            "report": None if report is None else str(report),
            "files": [str(file) for file in self.files],
        }


def run_demo(
    folder: Path, version: str, watch: Callable[[int, int], None] = lambda done, total: None
) -> Demo:
    """Compute the demonstration and write its files.

    Parameters
    ----------
    folder : Path
        Where the files shall lie; made if it is not there.
    version : str
        The version of abstain that makes them.
    watch : callable, default=nothing
        Told how many parts are done, and of how many.

    Returns
    -------
    demo : Demo
        The numbers that matter, and the files.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot make the folder {folder}: {error.strerror}; choose another name"
        ) from error
    watch(0, 3)
    tumours = judge_tumours(folder)
    watch(1, 3)
    necklace = string_pearls()
    watch(2, 3)
    digits = read_digits(folder, version)
    watch(3, 3)
    return Demo(tumours, necklace, digits, [*tumours.files, *digits.files])
