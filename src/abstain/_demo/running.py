"""What is shown, in which order, and where does it lie?"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass
from pathlib import Path

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


def run_demo(folder: Path, version: str) -> Demo:
    """Compute the demonstration and write its files.

    Parameters
    ----------
    folder : Path
        Where the files shall lie; made if it is not there.
    version : str
        The version of abstain that makes them.

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
    tumours = judge_tumours(folder)
    necklace = string_pearls()
    digits = read_digits(folder, version)
    return Demo(tumours, necklace, digits, [*tumours.files, *digits.files])
