"""What do the words of the library mean to someone who typed options?

Errors and warnings of a classifier speak of Python: of arguments, their values and the classes
behind them. Here they become the options of `abstain fit`.
"""

from __future__ import annotations  # signatures then show the names of types

import re

__all__ = ["in_options"]

_OPTIONS = "accuracy|confidence|test_size|cells|certainty|cv"
_ARGUMENT = re.compile(rf"\b({_OPTIONS})=('[^']*'|[\w.]+)")
_PHRASES = [
    (r"--cv training", "--cv 0"),
    # No model is written then.
    (r"; the classifier is fitted, rejects everything, and takes another target by retarget", ""),
    (r"\bset cv\b", "set --cv"),
    (r"\btest_size is\b", "--test-size is"),
    (r"\bsample(s?)\b", r"row\1"),
    (r"\b(is|are) accepted\b", r"\1 answered"),
    (r"\baccepted ones\b", "answered ones"),
    (r"\bsurer classifier\b", "surer --model"),
    (r", or calibrate a FrozenEstimator on other data", ""),
    (r"; use '(\w+)' or '(\w+)'", r"; use \1 or \2"),
    (r"; use '(\w+)'", r"; use \1"),
]


def in_options(said: str, model: str) -> str:
    """Return what the library has said about a model, in the words of the command line.

    Parameters
    ----------
    said : str
        The message of an error or a warning.
    model : str
        The name of the model, as it was asked for.

    Returns
    -------
    said : str
        The same with options for arguments.

    Examples
    --------
    >>> in_options("cells='leaf' needs a decision tree, got Pipeline; use 'class'", "gmlvq")
    '--cells leaf needs a decision tree, got gmlvq; use class'
    """
    said = _ARGUMENT.sub(_as_option, said).replace("got Pipeline", f"got {model}")
    for pattern, instead in _PHRASES:
        said = re.sub(pattern, instead, said)
    return said


def _as_option(found: re.Match[str]) -> str:
    name, value = found.groups()
    return f"--{name.replace('_', '-')} {value.strip(chr(39))}"
