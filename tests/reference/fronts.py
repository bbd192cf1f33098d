"""Slow, obvious oracles for the fronts: exhaustive search and the paper's two algorithms."""

from itertools import product
from math import inf

import numpy as np


def cell_options(certainty, correct):
    """Return every (true rejects, false rejects) of one cell, over all thresholds worth trying."""
    thresholds = [-inf, *sorted(set(certainty)), inf]
    return {
        (
            sum(r < threshold and not ok for r, ok in zip(certainty, correct, strict=True)),
            sum(r < threshold and ok for r, ok in zip(certainty, correct, strict=True)),
        )
        for threshold in thresholds
    }


def exhaustive_front(certainty, correct, cells):
    """Return {true rejects: fewest false rejects} by trying every combination of thresholds."""
    members = {cell: [i for i, c in enumerate(cells) if c == cell] for cell in set(cells)}
    options = [
        cell_options([certainty[i] for i in rows], [correct[i] for i in rows])
        for rows in members.values()
    ]
    front = {}
    for choice in product(*options):
        true_rejects = sum(true for true, _ in choice)
        false_rejects = sum(false for _, false in choice)
        front[true_rejects] = min(false_rejects, front.get(true_rejects, inf))
    return dict(sorted(front.items()))


def true_rejects_by_budget(certainty: list[float], correct: list[bool]) -> list[int]:
    """Return [E(0), E(1), …]: the most true rejects of one cell with at most n false rejects.

    The list ends with the first n that allows all the true rejects there can be.
    """
    options = cell_options(certainty, correct)
    most = max(true for true, _ in options)
    budgets: list[int] = []
    while not budgets or budgets[-1] < most:
        n = len(budgets)
        budgets.append(max(true for true, false in options if false <= n))
    return budgets


def paper_dynamic_program(E: list[list[int]]) -> list[float]:
    """Algorithm 1 of the paper: the most true rejects for exactly n false rejects, by n.

    ``E[j][i]`` is |E^j_θj(i)|; threshold i of cell j has i false rejects. Transcribed with the
    paper's names and loops, without its back-trace. -inf marks what cannot be had.
    """
    n_false = sum(len(cell) - 1 for cell in E)
    xi = len(E)
    h = sum(cell[0] for cell in E)
    opt: list[list[float]] = [[-inf] * (xi + 1) for _ in range(n_false + 1)]
    opt[0] = [float(h)] * (xi + 1)
    for n in range(1, n_false + 1):
        for j in range(1, xi + 1):
            opt[n][j] = opt[n][j - 1]
            for i in range(1, min(n, len(E[j - 1]) - 1) + 1):
                gain = E[j - 1][i] - E[j - 1][0]
                opt[n][j] = max(opt[n][j], opt[n - i][j - 1] + gain)
    return [opt[n][xi] for n in range(n_false + 1)]


def paper_greedy(E):
    """Algorithm 2 of the paper, corrected: [(budget of false rejects, true rejects), …].

    ``E[j]`` lists the most true rejects of cell j by its budget. One unit of budget after the
    other. It departs from the printed lines in these: I(I_GAIN) is set to n + 1, not n; a gain
    beyond the end of a list is -1, below any other; the REPEAT loop ends with a gain that is unique
    *and* larger than the tied one, and takes the first that gained at all if none comes.
    """

    def gain(j, start, width):
        return E[j][start + width] - E[j][start] if start + width < len(E[j]) else -1

    cells = range(len(E))
    budgets, n = [0] * len(E), 0
    free = caught = sum(cell[0] for cell in E)
    path = [(0, caught)]
    while caught < sum(cell[-1] for cell in E):
        local = [gain(j, budgets[j], 1) for j in cells]
        alone = [gain(j, 0, n + 1) for j in cells]
        if max(alone) > max(local) + caught - free:
            budgets = [0] * len(E)
            budgets[alone.index(max(alone))] = n + 1
            n += 1
        else:
            cell, width = _widen(gain, budgets, cells, max(len(e) for e in E))
            budgets[cell] += width
            n += width
        caught = sum(E[j][budgets[j]] for j in cells)
        path.append((n, caught))
    return path


def _widen(gain, budgets, cells, longest):
    unbroken, tied = None, 0
    for width in range(1, longest + 1):
        gains = [gain(j, budgets[j], width) for j in cells]
        best = max(gains)
        if best > tied and gains.count(best) == 1:
            return gains.index(best), width
        if width == 1:
            tied = best
        if best > 0 and unbroken is None:
            unbroken = gains.index(best), width
    return unbroken


def rejected_counts(certainty, correct, cells, labels, thresholds):
    """Return (true rejects, false rejects) of applying one threshold per cell to the data."""
    threshold = dict(zip(labels, thresholds, strict=True))
    rejected = np.array([r < threshold[c] for r, c in zip(certainty, cells, strict=True)])
    correct = np.asarray(correct)
    return int((rejected & ~correct).sum()), int((rejected & correct).sum())
