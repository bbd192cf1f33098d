"""Which setting is chosen, and what does it bring?"""

import json
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from settings.fitting import Outcome
from settings.samples import N_FOLDS, Array
from settings.tried import BEFORE, FACTORS, VALUES, Factors, Setting, distance, key, part

# What counts as a difference, and how seldom a fit may warn.
N_ERRORS, LEAST_GAIN, MOST_WARNED = 2.0, 0.001, 0.05


class Result(NamedTuple):
    """How a model does in one setting: the outcomes of each fold of each set."""

    model: str
    setting: Setting
    outcomes: list[list[Outcome]]

    def each(self, field: str) -> list[Array]:
        """Return one field of the outcomes, an array for each set."""
        return [np.array([getattr(fit, field) for fit in fits]) for fits in self.outcomes]

    def mean(self, field: str) -> Array:
        """Return the mean of a field over the folds of each set."""
        return np.array([values.mean() for values in self.each(field)])

    def stuck(self) -> list[int]:
        """Return how many fits of each set warn although they have iterations left."""
        most = self.setting["max_iter"]
        return [sum(fit.warned and fit.n_iter < most for fit in fits) for fits in self.outcomes]


Table = dict[str, dict[str, Result]]


def tabulate(results: list[Result], factors: Factors) -> Table:
    """Return the results of each model by the values of the factors that are compared."""
    table: Table = {model: {} for model in FACTORS}
    for result in results:
        table[result.model][key(part(result.setting, factors[result.model]))] = result
    return table


def gain(result: Result, base: Result) -> Array:
    """Return by how much the accuracy on each set is higher."""
    return np.asarray(result.mean("accuracy") - base.mean("accuracy"))


def error(gains: Array) -> float:
    """Return the standard error of the mean over sets."""
    return float(gains.std(ddof=1) / np.sqrt(len(gains)))


def is_significant(gains: Array) -> bool:
    return bool(gains.mean() > max(N_ERRORS * error(gains), LEAST_GAIN))


def good(gains: dict[str, Array]) -> list[str]:
    """Return the settings that the best one is not significantly better than."""
    best = max(gains.values(), key=lambda values: float(values.mean()))
    return [at for at, values in gains.items() if not is_significant(best - values)]


def good_for(table: Table, model: str, factors: list[str], rows: Array) -> list[Setting]:
    """Return the settings that are good for a model on some sets, the least changes first."""
    base = table[model][key(part(BEFORE, factors))]
    gains = {at: gain(result, base)[rows] for at, result in table[model].items()}
    first = sorted(
        good(gains), key=lambda at: (*distance(json.loads(at)), -float(gains[at].mean()))
    )
    return [json.loads(at) for at in first]


def choose(table: Table, factors: Factors, rows: Array) -> dict[str, Setting]:
    """Return what each model is given, judged by some sets."""
    return {model: good_for(table, model, names, rows)[0] for model, names in factors.items()}


def choose_one(table: Table, rows: Array) -> Setting | None:
    """Return the setting with the least changes that is good for all models, if there is one."""
    goods = {model: good_for(table, model, names, rows) for model, names in FACTORS.items()}
    names = sorted({name for of_model in FACTORS.values() for name in of_model})
    combinations = product(*(VALUES[name] for name in names))
    settings = sorted((dict(zip(names, at, strict=True)) for at in combinations), key=distance)
    for setting in settings:
        if all(part(setting, FACTORS[model]) in goods[model] for model in FACTORS):
            return setting
    return None


def choose_max_iter(table: Table, tols: dict[str, Setting], rows: Array) -> int:
    """Return the smallest max_iter with which models seldom warn and are as accurate."""
    most = VALUES["max_iter"][-1]

    def is_enough(model: str, max_iter: int) -> bool:
        at = {
            limit: table[model].get(key({"max_iter": limit, **tols[model]}))
            for limit in (max_iter, most)
        }
        result, longest = at[max_iter], at[most]
        if result is None or longest is None:
            return False
        warned = result.mean("warned")[rows].mean()
        return bool(warned <= MOST_WARNED) and not is_significant(gain(longest, result)[rows])

    enough = (limit for limit in VALUES["max_iter"] if all(is_enough(m, limit) for m in table))
    return int(next(enough, most))


def summary(result: Result, base: Result, rows: Array) -> dict[str, float]:
    """Return the figures of a setting over some sets, against those of another."""
    gains = gain(result, base)[rows]
    pairs = zip(result.each("time"), base.each("time"), strict=True)
    times = np.array([np.log(one / other).mean() for one, other in pairs])[rows]
    return {
        "accuracy": float(result.mean("accuracy")[rows].mean()),
        "gain": float(gains.mean()),
        "error": error(gains),
        "least_gain": float(gains.min()),
        "warned": float(result.mean("warned")[rows].mean()),
        "time": float(np.exp(times.mean())),
    }


def fold_errors(result: Result, base: Result) -> list[float]:
    """Return the standard error of the gain on each set, for folds that share what they train on.

    After Nadeau and Bengio: (1/k + test/train) in place of 1/k.
    """
    pairs = zip(result.each("accuracy"), base.each("accuracy"), strict=True)
    share = 1 / (N_FOLDS - 1)
    return [float(np.sqrt((1 / len(a) + share) * (a - b).var(ddof=1))) for a, b in pairs]


def record(result: Result, base: Result, halves: dict[str, Array]) -> dict[str, Any]:
    """Return one line of the results: a setting, over each half and on each set."""
    return {
        "model": result.model,
        **result.setting,
        **{half: summary(result, base, rows) for half, rows in halves.items()},
        "accuracies": result.mean("accuracy").tolist(),
        "fold_errors": fold_errors(result, base),
        "fits_warned": [int(fits.sum()) for fits in result.each("warned")],
        "fits_stuck": result.stuck(),
    }


def leave_one_out(table: Table) -> dict[str, Any]:
    """Return what is chosen without each set, and what each model gains on the set left out."""
    n_sets = len(table["GLVQ"][key(part(BEFORE, ["beta"]))].outcomes)
    chosen = [choose(table, FACTORS, np.delete(np.arange(n_sets), i)) for i in range(n_sets)]
    gains = {}
    for model, of_model in table.items():
        base = of_model[key(part(BEFORE, FACTORS[model]))]
        gain_of_choice = [gain(of_model[key(choice[model])], base) for choice in chosen]
        gains[model] = np.array(gain_of_choice).diagonal()
    return {
        "chosen": chosen,
        "gain": {model: float(values.mean()) for model, values in gains.items()},
        "error": {model: error(values) for model, values in gains.items()},
    }
