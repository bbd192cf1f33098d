"""Do certified recalls and accuracies of groups hold, and how much is certified?

A thousand fits on each of three populations that are known: what is certified is false if one of
its shares is below its level in the population. As in `RejectOptionClassifier`, half of the samples
teaches the thresholds and the other half tests, or, if the classifier is given, 80% test. A
refusal answers nothing, and certifies nothing that could be false.

By hand, one threshold is lowered along a fixed grid of quantiles until the exact binomial test of
one of the m parts fails, each at δ / m. It is a threshold on all answers, or, where a recall is
asked for, on the answers that name another class. It learns nothing, so that all samples can test
if the classifier is given; if it was fitted to the first half, the second half is left. "Grid"
tests all points of a grid of 20, each at δ / 20 m, and takes the lowest that passes.

``python benchmarks/shares.py`` prints the table and writes ``docs/benchmarks/shares.json``, in
about five minutes on one core. A population that is done is kept in ``build/``: a run that was
stopped goes on with the next one. ``--quick`` takes 20 fits of each and writes nothing.
"""

import argparse
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from keeping import KeptRows
from measuring import show, write_record
from numpy.random import Generator, default_rng
from numpy.typing import NDArray
from scipy.special import bdtr

from abstain import Accuracy, AllOf, InputError, Recall
from abstain.targets.guarantee import needed_answers
from abstain.targets.outcomes import Outcomes
from abstain.targets.share_paths import Share

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / "build" / "benchmarks" / "shares"
PACKAGES = ["numpy", "scipy"]
LEVEL = 0.1
N_POPULATION = 100_000
N_RUNS, QUICK_RUNS = 1000, 20
N_STEPS, N_GRID = 50, 20

Array = NDArray[Any]
Row = dict[str, Any]


# --- populations --------------------------------------------------------------------------------


class Population(NamedTuple):
    """Answers to all samples, the group of each, and how many samples a fit draws."""

    everything: Outcomes
    groups: Array
    n_samples: int

    def draw(self, seed: int) -> tuple[Outcomes, Array]:
        """Return the samples of one fit, and their groups."""
        chosen = default_rng(seed).integers(len(self.groups), size=self.n_samples)
        drawn = replace(part_of(self.everything, chosen), rows=np.arange(self.n_samples))
        return drawn, self.groups[chosen]


def part_of(outcomes: Outcomes, chosen: Array | slice) -> Outcomes:
    """Return some of the samples."""
    return Outcomes(
        outcomes.certainty[chosen],
        outcomes.cells[chosen],
        outcomes.answers[chosen],
        outcomes.truth[chosen],
        outcomes.classes,
        None if outcomes.rows is None else outcomes.rows[chosen],
    )


def _answers_of(posteriors: Array, truth: Array, costs: Array) -> Outcomes:
    """Return the answers of least cost; each answer is a cell."""
    answers = (posteriors @ costs).argmin(axis=1)
    certainty = posteriors[np.arange(len(truth)), answers]
    return Outcomes(certainty, answers, answers, truth, np.arange(len(costs)))


def _normal(x: Array, means: Array, spread: float) -> Array:
    """Return the likelihood of each class (columns), but for a factor."""
    return np.asarray(np.exp(-((x[:, np.newaxis] - means) ** 2).sum(axis=2) / (2 * spread**2)))


def rare_positives(generator: Generator) -> tuple[Outcomes, Array]:
    """4% positives; a missed one costs 5 times a false alarm; two sites, one of them noisier."""
    truth = (generator.random(N_POPULATION) < 0.04).astype(int)
    sites = (generator.random(N_POPULATION) < 0.3).astype(int)
    noise = generator.normal(size=(N_POPULATION, 1)) * np.array([1.0, 1.15])[sites, np.newaxis]
    likelihoods = _normal(2.5 * truth[:, np.newaxis] + noise, np.array([[0.0], [2.5]]), 1.0)
    posteriors = likelihoods * [0.96, 0.04]
    posteriors /= posteriors.sum(axis=1, keepdims=True)
    return _answers_of(posteriors, truth, np.array([[0, 1], [5, 0]])), sites


def six_classes(generator: Generator) -> tuple[Outcomes, Array]:
    """Six clusters on a circle, of different sizes and spreads; three sites, one with noise."""
    priors = np.array([0.3, 0.25, 0.15, 0.12, 0.1, 0.08])
    truth = generator.choice(6, size=N_POPULATION, p=priors)
    sites = generator.choice(3, size=N_POPULATION, p=[0.5, 0.3, 0.2])
    angles = np.arange(6) * np.pi / 3
    means = 3 * np.column_stack([np.cos(angles), np.sin(angles)])
    spreads = np.linspace(0.7, 1.3, 6)[truth] * np.array([1.0, 1.0, 1.2])[sites]
    x = means[truth] + spreads[:, np.newaxis] * generator.normal(size=(N_POPULATION, 2))
    posteriors = _normal(x, means, 1.0) * priors
    posteriors /= posteriors.sum(axis=1, keepdims=True)
    return _answers_of(posteriors, truth, 1.0 - np.eye(6)), sites


def unequal_groups(generator: Generator) -> tuple[Outcomes, Array]:
    """Two classes; four groups, the smallest of which is answered worst."""
    truth = generator.integers(2, size=N_POPULATION)
    groups = generator.choice(4, size=N_POPULATION, p=[0.4, 0.3, 0.2, 0.1])
    spreads = np.array([0.9, 1.0, 1.15, 1.35])[groups]
    x = 2.4 * truth + spreads * generator.normal(size=N_POPULATION)
    likelihoods = _normal(x[:, np.newaxis], np.array([[0.0], [2.4]]), 1.0)
    posteriors = likelihoods / likelihoods.sum(axis=1, keepdims=True)
    return _answers_of(posteriors, truth, 1.0 - np.eye(2)), groups


POPULATIONS: dict[str, tuple[Callable[[Generator], tuple[Outcomes, Array]], int]] = {
    "rare positives": (rare_positives, 6000),
    "six classes": (six_classes, 4000),
    "unequal groups": (unequal_groups, 4000),
}


@cache
def population(name: str) -> Population:
    """Return the same population for every fit."""
    make, n_samples = POPULATIONS[name]
    return Population(*make(default_rng(0)), n_samples)


# What is asked for: a class, its recall, an accuracy beside it, and the accuracy of each group.
ASKED = {
    "rare positives": (1, 0.90, 0.94, 0.97),
    "six classes": (5, 0.85, 0.93, 0.92),
    "unequal groups": (1, 0.95, 0.95, 0.88),
}


def targets_of(name: str, groups: Array) -> dict[str, Any]:
    """Return the targets that are certified on a population."""
    label, recall, accuracy, in_groups = ASKED[name]
    confidence = 1 - LEVEL
    both = Accuracy(accuracy, confidence), Recall(label, recall, confidence)
    return {
        f"Recall({label}, {recall:g})": both[1],
        f"AllOf(Accuracy({accuracy:g}), Recall({label}, {recall:g}))": AllOf(*both),
        f"Accuracy({in_groups:g}, groups)": Accuracy(in_groups, confidence, groups),
    }


@cache
def truth_of(name: str) -> dict[str, list[Share]]:
    """Return the shares of each target in the population."""
    known = population(name)
    return {
        title: target._shares(known.everything)
        for title, target in targets_of(name, known.groups).items()
    }


# --- procedures ---------------------------------------------------------------------------------

# A procedure returns which samples of the population it accepts, or None if nothing is certified.


def by_abstain(target: Any, drawn: Outcomes, n_learn: int, everything: Outcomes) -> Array | None:
    """Certify as `RejectOptionClassifier` does; the first samples teach, the others test."""
    learn, test = part_of(drawn, slice(n_learn)), part_of(drawn, slice(n_learn, None))
    try:
        front, row, _ = target._solve(learn, "pooled", test)
    except InputError:
        return None
    thresholds = np.full(len(everything.classes), front.shared_thresholds(np.array([row]))[0])
    thresholds[front.cells] = front.thresholds_at(row)
    return np.asarray(everything.certainty >= thresholds[everything.cells])


Rule = Callable[[list[Share], Array, Array], float | None]


def movable_of(shares: list[Share]) -> dict[str, Array]:
    """Return the answers that a threshold may be set for: all, or those that lower a recall."""
    names_another = np.all([share.may_be_bad for share in shares], axis=0)
    every = {"all answers": np.ones_like(names_another)}
    if names_another.all():
        return every
    others = {"answers of other classes": names_another}
    return others if len(shares) == 1 else every | others


def _passes(shares: list[Share], accepted: Array, level: float) -> bool:
    """Return whether each share passes its test."""
    return all(
        (share.counts & accepted).any()
        and bdtr((share.bad & accepted).sum(), (share.counts & accepted).sum(), 1 - share.level)
        <= level
        for share in shares
    )


def fixed_sequence(shares: list[Share], certainty: Array, movable: Array) -> float | None:
    """Lower one threshold until a test fails, each part at δ / m."""
    level = LEVEL / len(shares)
    first = max(
        sqrt(needed_answers(share.level, 1 - level) / max(1, share.counts.sum()))
        for share in shares
    )
    certified = None
    for share in np.linspace(min(first, 1.0), 1, N_STEPS):
        threshold = float(np.quantile(certainty[movable], 1 - share))
        if not _passes(shares, ~movable | (certainty >= threshold), level):
            break
        certified = threshold
    return certified


def grid(shares: list[Share], certainty: Array, movable: Array) -> float | None:
    """Test all points of a grid, and return the lowest that passes."""
    level = LEVEL / len(shares) / N_GRID
    for share in np.linspace(1, 1 / N_GRID, N_GRID):
        threshold = float(np.quantile(certainty[movable], 1 - share))
        if _passes(shares, ~movable | (certainty >= threshold), level):
            return threshold
    return None


# The share of the samples that teaches: where the classifier is fitted here, and where it is given.
OURS = {"abstain, half tests": 0.5, "abstain, 80% test": 0.2}
RULES: dict[str, tuple[Rule, bool]] = {
    "by hand, second half": (fixed_sequence, False),
    "by hand, all samples": (fixed_sequence, True),
    "grid by hand, all samples": (grid, True),
}


def outcomes(name: str, seed: int) -> Row:
    """Return what each procedure certifies of each target in one fit."""
    known = population(name)
    everything = known.everything
    drawn, groups = known.draw(seed)
    half = part_of(drawn, slice(len(drawn) // 2, None))
    results: Row = {}
    for title, target in targets_of(name, groups).items():
        truth = truth_of(name)[title]
        results[title] = {}
        for way, share in OURS.items():
            accepted = by_abstain(target, drawn, round(share * len(drawn)), everything)
            results[title][way, "each cell"] = _outcome(accepted, truth)
        for way, (rule, takes_all) in RULES.items():
            some = drawn if takes_all else half
            shares = target._shares(some)
            for answers, movable in movable_of(shares).items():
                threshold = rule(shares, some.certainty, movable)
                accepted = None
                if threshold is not None:
                    fixed = ~movable_of(truth)[answers]
                    accepted = fixed | (everything.certainty >= threshold)
                results[title][way, answers] = _outcome(accepted, truth)
    return results


def _outcome(accepted: Array | None, truth: list[Share]) -> tuple[bool, float]:
    """Return whether a share is below its level in the population, and how much is accepted."""
    if accepted is None:
        return False, 0.0
    shares = [
        (share.good & accepted).sum() / max(1, (share.counts & accepted).sum()) for share in truth
    ]
    is_false = any(reached < share.level for reached, share in zip(shares, truth, strict=True))
    return bool(is_false), float(accepted.mean())


# --- the run ------------------------------------------------------------------------------------


def simulate(name: str, n_runs: int) -> Row:
    """Return how often each procedure is wrong on a population, and how much it certifies."""
    runs = [outcomes(name, seed) for seed in range(n_runs)]
    rows = []
    for title in runs[0]:
        ours = np.array([run[title][next(iter(OURS)), "each cell"][1] for run in runs])
        for way, answers in runs[0][title]:
            missed, coverage = np.array([run[title][way, answers] for run in runs]).T
            gaps = coverage - ours
            rows.append(
                {
                    "population": name,
                    "samples": POPULATIONS[name][1],
                    "target": title,
                    "way": way,
                    "threshold": answers,
                    "runs": n_runs,
                    "missed": float(missed.mean()),
                    "coverage": float(coverage.mean()),
                    "refused": float((coverage == 0).mean()),
                    "difference": float(gaps.mean()),
                    "standard_error": float(gaps.std(ddof=1) / sqrt(n_runs)),
                }
            )
    return {"rows": rows}


def code() -> list[Path]:
    """Return the code that is measured and the code that measures it."""
    package = ROOT / "src" / "abstain"
    files = [*package.glob("fronts/*.py"), *package.glob("targets/*.py")]
    return [Path(__file__), *files]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--fresh", action="store_true", help="simulate all populations again")
    parser.add_argument("--quick", action="store_true", help="20 fits, nothing is written")
    options = parser.parse_args()
    n_runs = QUICK_RUNS if options.quick else N_RUNS
    kept = KeptRows(CACHE, code, options.fresh)
    rows = [
        row
        for name in POPULATIONS
        for row in kept.row(name, str(n_runs), partial(simulate, name, n_runs))["rows"]
    ]
    show("certified", rows)
    if not options.quick:
        allowed = LEVEL + 3 * sqrt(LEVEL * (1 - LEVEL) / n_runs)
        write_record("shares.json", PACKAGES, level=LEVEL, allowed=allowed, certified=rows)


if __name__ == "__main__":
    main()
