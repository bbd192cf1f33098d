"""Does a damaged file of thresholds end in these thresholds or in one line?"""

import json
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.naive_bayes import GaussianNB

from abstain import InputError, RejectOptionClassifier, RejectRate, read_thresholds
from fuzz.damage import TOKENS, damaged
from fuzz.running import Rng, check_refusal, run_cases

VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 0.5, -0.5, 10**300, 10**400, float("nan"), float("inf"), 1e308),
    *("inf", "-inf", "0.5", "", "\x1b[2J", "x" * 5000, [], {}, [[]], [None], {"a": 1}),
]


@cache
def classifier() -> Any:
    """Return a classifier of three cells and one for all others."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    X = rng.normal(size=(200, 3)) + np.eye(3)[y]
    names = np.array(["a", "b", "c"])[y]
    return RejectOptionClassifier(GaussianNB(), target=RejectRate(0.2), cv=2).fit(X, names)


@cache
def document() -> dict[str, Any]:
    """Return what a report exports."""
    clf = classifier()
    point = clf.operating_point_
    return {
        "format": "abstain-thresholds-1",
        "thresholds": [v if np.isfinite(v) else str(v) for v in clf.thresholds_.tolist()],
        "cells": [None if cell is None else str(cell) for cell in clf.cells_.tolist()],
        "row": point.row,
        "reject_rate": point.reject_rate,
        "accuracy": point.accuracy,
    }


def changed(rng: Rng) -> bytes:
    """Return the document with some of its values or keys replaced."""
    content = json.loads(json.dumps(document()))
    for _ in range(int(rng.integers(1, 4))):
        keys = list(content)
        key = keys[int(rng.integers(len(keys)))]
        value = deepcopy(VALUES[int(rng.integers(len(VALUES)))])
        match int(rng.integers(5)):
            case 0:
                content[key] = value
            case 1 if isinstance(content[key], list) and content[key]:
                content[key][int(rng.integers(len(content[key])))] = value
            case 2 if len(content) > 1:
                del content[key]
            case 3:
                content[key[1:] or "x"] = content.pop(key)
            case _:
                token = TOKENS[int(rng.integers(len(TOKENS)))].decode("utf-8", "replace")
                content[token] = value
    return json.dumps(content).encode()


def case(rng: Rng, folder: Path) -> str:
    """Have a classifier take damaged thresholds."""
    content = changed(rng) if rng.random() < 0.5 else json.dumps(document()).encode()
    if rng.random() < 0.6:
        content = damaged(content, rng)
    path = folder / "thresholds.json"
    path.write_bytes(content)
    clf = classifier()
    before = clf.thresholds_.copy()
    try:
        given = read_thresholds(path)
        clf.set_thresholds(given)
    except InputError as error:
        check_refusal(error)
        assert np.array_equal(clf.thresholds_, before), "refused thresholds were taken"
        outcome = "refused"
    else:
        asked = [float(value) for value in given["thresholds"]]
        assert clf.thresholds_.tolist() == asked, "other thresholds were taken"
        clf.set_thresholds(before)
        outcome = "taken"
    assert path.read_bytes() == content, "the file was changed"
    return outcome


if __name__ == "__main__":
    run_cases("thresholds", case, runs=10_000)
