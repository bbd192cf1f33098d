"""Which settings are tried?"""

import json
from itertools import product
from typing import Any

Setting = dict[str, Any]
Factors = dict[str, list[str]]

# What the defaults were before, and what else is tried.
BEFORE = {"beta": 5.0, "regularization": 0.01, "bandwidth": 0.05, "max_iter": 200, "tol": 1e-5}
VALUES: dict[str, list[Any]] = {
    "beta": [None, 2.0, 5.0, 10.0, 20.0, 40.0],
    "regularization": [0.0, 1e-3, 1e-2, 1e-1],
    "bandwidth": [0.01, 0.03, 0.05, 0.1, 0.3],
    "max_iter": [50, 100, 200, 500, 1000],
    "tol": [1e-4, 1e-5, 1e-6],
}
FACTORS: dict[str, list[str]] = {
    "GLVQ": ["beta"],
    "GRLVQ": ["beta", "regularization"],
    "GMLVQ": ["beta", "regularization"],
    "LGMLVQ": ["beta", "regularization"],
    "RSLVQ": ["bandwidth"],
    "MRSLVQ": ["bandwidth", "regularization"],
    "LMRSLVQ": ["bandwidth", "regularization"],
}
FIT = ["max_iter", "tol"]


def key(setting: Setting) -> str:
    return json.dumps(setting, sort_keys=True)


def part(setting: Setting, names: list[str]) -> Setting:
    return {name: setting[name] for name in names}


def distance(setting: Setting) -> tuple[int, int]:
    """Return how many defaults a setting changes, and by how many values they move in all."""
    moves = [
        abs(VALUES[name].index(value) - VALUES[name].index(BEFORE[name]))
        for name, value in setting.items()
    ]
    return sum(move > 0 for move in moves), sum(moves)


def first_settings() -> dict[str, list[Setting]]:
    """Return what is tried in the cost: every Φ with every regularization, bandwidths apart."""
    settings: dict[str, list[Setting]] = {}
    for model, names in FACTORS.items():
        grid = product(*(VALUES[name] for name in names))
        tried = [dict(zip(names, values, strict=True)) for values in grid]
        if "bandwidth" in names:
            tried = [setting for setting in tried if distance(setting)[0] <= 1]
        settings[model] = [{**setting, **part(BEFORE, FIT)} for setting in tried]
    return settings


def second_settings(chosen: dict[str, Setting]) -> dict[str, list[Setting]]:
    """Return, around what was chosen, the grid of when a fit stops."""
    pairs = [
        {"max_iter": max_iter, "tol": tol}
        for max_iter, tol in product(VALUES["max_iter"], VALUES["tol"])
        if tol == BEFORE["tol"] or max_iter in (BEFORE["max_iter"], VALUES["max_iter"][-1])
    ]
    return {model: [{**own, **pair} for pair in pairs] for model, own in chosen.items()}
