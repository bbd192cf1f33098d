"""How much is certified, by which procedure, at which size?

Every procedure gets the same draws. A refusal counts as a coverage of 0. Pairs of a set and a
classifier take part where the pool has at least twice as many rows as are drawn, and where one
threshold that knows the population could reach the target with `LEAST_ORACLE` of the samples.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from environments import ask, python_with
from numpy.random import default_rng

from abstain import Accuracy
from certificates import library, peers
from certificates.pools import Answers, Array, Pool

HERE = Path(__file__).resolve().parent
REQUIREMENTS = HERE.parent / "rejectors" / "requirements" / "mapie.txt"

SIZES, MAPIE_SIZES = [200, 300, 500, 700, 1000, 2000], [200, 500, 1000, 2000]
LEVEL, N_DRAWS, LEAST_ORACLE = 0.1, 20, 0.05
PROCEDURES = library.PROCEDURES | peers.PROCEDURES
OURS, TAUGHT = "abstain, calibration samples alone", "abstain, taught out of fold"

Row = dict[str, Any]


def takes_part(pool: Pool, size: int) -> bool:
    """Tell whether something can be certified, and samples of this size can be drawn."""
    return len(pool.everything.correct) >= 2 * size and pool.oracle() >= LEAST_ORACLE


def outcomes(pool: Pool, size: int, n_draws: int) -> Iterator[Row]:
    """Yield what each procedure certifies on the draws of one size."""
    target = Accuracy(pool.target, confidence=1 - LEVEL)
    draws = [pool.draw(size, seed) for seed in range(n_draws)]
    for name, procedure in PROCEDURES.items():
        outcomes = [
            pool.outcome(procedure(pool, drawn, target, default_rng(seed)))
            for seed, drawn in enumerate(draws)
        ]
        yield _row(pool, size, name, outcomes)
    yield _row(pool, size, "oracle, one threshold", [(pool.oracle(), False)] * n_draws)


def _row(pool: Pool, size: int, name: str, outcomes: list[tuple[float, bool]]) -> Row:
    coverages, misses = zip(*outcomes, strict=True)
    return {
        "pool": pool.name,
        "is_fresh": pool.is_fresh,
        "samples": size,
        "procedure": name,
        "coverages": list(coverages),
        "misses": list(misses),
    }


# --- MAPIE, in an environment of its own --------------------------------------------------------


def _ranked(certainty: Array, known: Array) -> Array:
    """Return 0.5, and half the share of known certainties that are not above each one."""
    share = np.searchsorted(np.sort(known), certainty, side="right") / (len(known) + 1)
    return np.asarray(0.5 + share / 2)


def outcomes_of_mapie(pools: list[Pool], n_draws: int, folder: Path) -> list[Row]:
    """Return what MAPIE certifies on the same draws."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.glob("*.npz"):
        file.unlink()
    for pool in pools:
        draws = {
            str(size): np.stack([pool.rows(size, seed) for seed in range(n_draws)])
            for size in MAPIE_SIZES
            if takes_part(pool, size)
        }
        ranked = _ranked(pool.everything.certainty, pool.out_of_fold.certainty)
        if draws:
            known = {"certainty": ranked, "correct": pool.everything.correct}
            arrays: dict[str, Any] = known | {"target": np.array(pool.target)} | draws
            np.savez(folder / f"{pool.name}.npz", **arrays)
    arguments = ["certificates.mapie", str(folder), str(1 - LEVEL)]
    by_name = {pool.name: pool for pool in pools}
    return [
        _row(
            by_name[line["pool"]],
            line["size"],
            line["method"],
            [_outcome_of_rank(by_name[line["pool"]], rank) for rank in line["thresholds"]],
        )
        for line in ask(python_with(REQUIREMENTS), arguments, None)
    ]


def _outcome_of_rank(pool: Pool, threshold: float | None) -> tuple[float, bool]:
    """Return the outcome of a threshold on ranks."""
    if threshold is None:
        return pool.outcome(None)
    ranked = _ranked(pool.everything.certainty, pool.out_of_fold.certainty)
    by_rank = pool._replace(everything=Answers(ranked, *pool.everything[1:]))
    return by_rank.outcome(np.full(pool.n_cells, threshold))


# --- summaries ----------------------------------------------------------------------------------


def summaries(rows: list[Row], fresh_only: bool = False) -> list[Row]:
    """Return the mean over pairs for every procedure and size, and how it compares with ours."""
    means = []
    for size in sorted({row["samples"] for row in rows}):
        some = [row for row in rows if row["samples"] == size and row["is_fresh"] >= fresh_only]
        ours = {row["pool"]: row for row in some if row["procedure"] == OURS}
        for name in dict.fromkeys(row["procedure"] for row in some):
            own = [row for row in some if row["procedure"] == name]
            coverage = np.array([row["coverages"] for row in own])
            gap = coverage - np.array([ours[row["pool"]]["coverages"] for row in own])
            means.append(
                {
                    "samples": size,
                    "procedure": name,
                    "pairs": len(own),
                    "coverage": float(coverage.mean()),
                    "difference": float(gap.mean()),
                    "error_over_draws": float(
                        np.sqrt((gap.var(axis=1, ddof=1) / gap.shape[1]).sum()) / len(own)
                    ),
                    "missed": float(np.mean([row["misses"] for row in own])),
                    "refused": float((coverage == 0).mean()),
                }
            )
    return means


def by_pair(rows: list[Row]) -> list[Row]:
    """Return the mean coverages of each pair: ours, and the best of the other procedures."""
    pairs = []
    for pool, size in dict.fromkeys((row["pool"], row["samples"]) for row in rows):
        coverages = {
            row["procedure"]: float(np.mean(row["coverages"]))
            for row in rows
            if (row["pool"], row["samples"]) == (pool, size)
        }
        others = [name for name in coverages if name in peers.PROCEDURES]
        best = max(others, key=coverages.__getitem__)
        own = {name: coverages[name] for name in (OURS, TAUGHT)}
        pairs.append(
            {"pair": pool, "samples": size, **own, "best": best, "of_best": coverages[best]}
        )
    return pairs
