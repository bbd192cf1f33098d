"""Records as a study writes them, made by hand."""

import numpy as np

from abstain.study.curves import Setting

N = 1000


def curve(setting, repeat, split, accepted, errors, n):
    return {
        "kind": "curve",
        "repeat": repeat,
        "split": split,
        **setting._asdict(),
        "n": n,
        "accepted": list(accepted),
        "errors": list(errors),
    }


def flat_curve(setting, repeat, split, accuracy, *, plain=None, last=0.95):
    """Return a curve of one accuracy, from no rejects to ``last``; ``plain``: that of no rejects.

    Counts of errors need not be whole here.
    """
    accepted = np.round(N * (1 - np.linspace(0, last, 20)))
    accuracies = np.full(20, accuracy)
    accuracies[0] = accuracy if plain is None else plain
    return curve(setting, repeat, split, accepted, accepted * (1 - accuracies), N)


def fit(name, model, repeat, split, n_parts):
    return {
        "kind": "fit",
        "set": name,
        "model": model,
        "repeat": repeat,
        "split": split,
        "n_parts": n_parts,
        "aurc": 0.1,
        "augrc": 0.05,
    }


SOME_SETTING = Setting("haberman", "gmlvq")
