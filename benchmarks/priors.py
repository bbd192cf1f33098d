"""Do certificates hold for other class proportions than those of the samples?

A thousand studies of each of three populations that are known (those of ``shares.py``). A study
draws its samples by class, in other proportions than the population has: as many ill as well
patients, for example. Half of them teaches the thresholds, and the other half tests. With
``class_prior``, weights and a draw of the test samples follow the proportions of the population, as
in `RejectOptionClassifier`; without, the study is taken for the population. What is certified is
false if one of its shares is below its level in the population. A refusal answers nothing, and
certifies nothing that could be false.

``python benchmarks/priors.py`` prints the table and writes ``docs/benchmarks/priors.json``, in
about ten minutes on one core. A population that is done is kept in ``build/``: a run that was
stopped goes on with the next one. ``--quick`` takes 20 studies of each and writes nothing.
"""

import argparse
from dataclasses import replace
from functools import cache, partial
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from keeping import KeptRows
from measuring import show, write_record
from numpy.random import RandomState, default_rng
from numpy.typing import NDArray
from shares import part_of, population

from abstain import Accuracy, AllOf, InputError, Precision, Recall
from abstain.classifier.proportions import Proportions, class_shares
from abstain.targets.outcomes import Outcomes
from abstain.targets.share_paths import Share

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / "build" / "benchmarks" / "priors"
PACKAGES = ["numpy", "scipy"]
LEVEL = 0.1
N_RUNS, QUICK_RUNS = 1000, 20
# Every run, or every k-th: what is false without a prior shows in few runs.
WAYS = {"class_prior": 1, "no prior": 5}

Array = NDArray[Any]
Row = dict[str, Any]

# The samples of a study, the share of each class in it, and what is asked for: a class, its
# recall and its precision, an accuracy, and the accuracy of each group.
STUDIES: dict[str, tuple[int, list[float], tuple[int, float, float, float, float]]] = {
    "rare positives": (4000, [0.5, 0.5], (1, 0.90, 0.5, 0.96, 0.95)),
    "six classes": (4000, [1 / 6] * 6, (5, 0.85, 0.8, 0.93, 0.91)),
    "unequal groups": (4000, [0.8, 0.2], (1, 0.95, 0.93, 0.95, 0.86)),
}


def targets_of(name: str, groups: Array) -> dict[str, Any]:
    """Return the targets that are certified on a population."""
    label, recall, precision, accuracy, in_groups = STUDIES[name][2]
    confidence = 1 - LEVEL
    parts = Accuracy(accuracy, confidence), Recall(label, recall, confidence)
    return {
        f"Accuracy({accuracy:g})": parts[0],
        f"Precision({label}, {precision:g})": Precision(label, precision, confidence),
        f"AllOf(Accuracy({accuracy:g}), Recall({label}, {recall:g}))": AllOf(*parts),
        f"Accuracy({in_groups:g}, groups)": Accuracy(in_groups, confidence, groups),
    }


@cache
def proportions_of(name: str) -> Proportions:
    """Return the class proportions of a population."""
    everything = population(name).everything
    classes = np.arange(len(everything.classes))
    shares = class_shares(classes, everything.truth, None)
    return Proportions(classes, shares, np.ones(len(classes)))


@cache
def members_of(name: str) -> list[Array]:
    """Return the samples of each class of a population."""
    everything = population(name).everything
    return [np.flatnonzero(everything.truth == code) for code in range(len(everything.classes))]


def study_of(name: str, seed: int) -> tuple[Outcomes, Array]:
    """Return the samples of a study, and their groups."""
    known, (n_samples, shares, _) = population(name), STUDIES[name]
    generator = default_rng(seed)
    codes = generator.choice(len(shares), size=n_samples, p=shares)
    chosen = np.array([generator.choice(members_of(name)[code]) for code in codes])
    drawn = replace(part_of(known.everything, chosen), rows=np.arange(n_samples))
    return drawn, known.groups[chosen]


def certify(target: Any, way: str, drawn: Outcomes, name: str, seed: int) -> Array | None:
    """Return which samples of the population are accepted, or None if nothing is certified."""
    everything, n_learn = population(name).everything, len(drawn) // 2
    learn, test = part_of(drawn, slice(n_learn)), part_of(drawn, slice(n_learn, None))
    if way == "class_prior":
        proportions = proportions_of(name).calibrated(learn.truth, None, "pooled")
        learn = replace(learn, weights=proportions.weights_of(learn.truth))
        test = replace(test, drawn=proportions.draw(test.truth, RandomState(seed)))
    try:
        front, row, _ = target._solve(learn, "pooled", test)
    except InputError:
        return None
    thresholds = np.full(len(everything.classes), front.shared_thresholds(np.array([row]))[0])
    thresholds[front.cells] = front.thresholds_at(row)
    return np.asarray(everything.certainty >= thresholds[everything.cells])


@cache
def truth_of(name: str) -> dict[str, list[Share]]:
    """Return the shares of each target in the population."""
    known = population(name)
    targets = targets_of(name, known.groups)
    return {title: target._shares(known.everything) for title, target in targets.items()}


def margin(accepted: Array, truth: list[Share]) -> float:
    """Return by how much the worst share is above its level in the population."""
    return min(
        float((share.good & accepted).sum() / max(1, (share.counts & accepted).sum())) - share.level
        for share in truth
    )


def simulate(name: str, n_runs: int) -> Row:
    """Return how often what is certified on a population is false, and how much is answered."""
    results: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for seed in range(n_runs):
        drawn, groups = study_of(name, seed)
        for title, target in targets_of(name, groups).items():
            for way in [way for way, step in WAYS.items() if seed % step == 0]:
                accepted = certify(target, way, drawn, name, seed)
                outcome = (np.nan, 0.0)
                if accepted is not None:
                    outcome = margin(accepted, truth_of(name)[title]), float(accepted.mean())
                results.setdefault((title, way), []).append(outcome)
    rows = []
    for (title, way), outcomes in results.items():
        margins, coverage = np.array(outcomes).T
        is_certified = ~np.isnan(margins)
        rows.append(
            {
                "population": name,
                "samples": STUDIES[name][0],
                "target": title,
                "way": way,
                "runs": len(outcomes),
                "missed": float((margins < 0).mean()),
                "refused": float((~is_certified).mean()),
                "coverage": float(coverage.mean()),
                # Of the worst share, beyond its level, where something is certified.
                "margin": float(margins[is_certified].mean()) if is_certified.any() else None,
            }
        )
    return {"rows": rows}


def code() -> list[Path]:
    """Return the code that is measured and the code that measures it."""
    package = ROOT / "src" / "abstain"
    files = [*package.glob("fronts/*.py"), *package.glob("targets/*.py")]
    return [
        Path(__file__),
        Path(__file__).with_name("shares.py"),
        package / "classifier" / "proportions.py",
        *files,
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--fresh", action="store_true", help="simulate all populations again")
    parser.add_argument("--quick", action="store_true", help="20 studies, nothing is written")
    options = parser.parse_args()
    n_runs = QUICK_RUNS if options.quick else N_RUNS
    kept = KeptRows(CACHE, code, options.fresh)
    rows = [
        row
        for name in STUDIES
        for row in kept.row(name, str(n_runs), partial(simulate, name, n_runs))["rows"]
    ]
    show("certified", rows)
    if not options.quick:
        allowed = LEVEL + 3 * sqrt(LEVEL * (1 - LEVEL) / n_runs)
        write_record("priors.json", PACKAGES, level=LEVEL, allowed=allowed, certified=rows)


if __name__ == "__main__":
    main()
