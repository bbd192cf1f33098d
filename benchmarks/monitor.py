"""How rare are false alarms of a monitor, and how soon does it see that a promise is broken?

- false_alarms: lives in which the promised accuracy holds, with and without restarts, with the
  truth of all answers and of a random share;
- delays: answers until the alarm after the error rate has risen, from the start or after a good
  past, beside MAPIE's monitor and the detectors of change of river. The parameter of a detector is
  bisected until it has the promised share of false alarms, in lives in which the promise just
  holds, and again in lives with a good error rate;
- bets: what the best single bet needs, which knows nothing of restarts, and what one pays at the
  start for restarts that gain after a good past;
- harmless: the error rate rises but stays below what was promised. A detector of change reports
  the change; the promise still holds.

``python benchmarks/monitor.py`` prints the tables and writes ``docs/benchmarks/monitor.json``, in
about half an hour on one core. Rows that are done are kept in ``build/``: a run that was stopped
goes on where it was. With ``--quick`` there are few lives, and nothing is written.
"""

import argparse
from functools import partial
from math import log, sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from environments import ask, python_with
from keeping import KeptRows
from measuring import show, write_record
from numpy.typing import NDArray

from abstain._core.files import atomic_files
from abstain.monitor.evidence import (
    ODDS_WEIGHTS,
    RATE_WEIGHTS,
    RATES,
    add_outcomes,
    log_ratios,
    no_evidence,
)

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "benchmarks"
CACHE = ROOT / "build" / "benchmarks" / "monitor"
PACKAGES = ["numpy", "scipy"]

OURS, WITHOUT = "RiskMonitor", "RiskMonitor without restarts"
MAPIE, LATE_DDM = "MAPIE", "DDM with warm_start=100"
IN_GOOD_PAST = ", good past"
LEVEL = 0.05
TARGET = 1 / LEVEL
ACCURACY = 0.9
LIFE = 5000
N_LIVES = 10_000
# Of delays: up to 1,000 answers before the change, and more; of detectors; of MAPIE.
SIZES = {"lives": N_LIVES, "delays": 6000, "late": 2000, "null": 1000, "river": 300, "mapie": 50}
QUICK = {"lives": 500, "delays": 100, "late": 100, "null": 100, "river": 20, "mapie": 5}
GOOD_ERROR = 0.05
# The weights of the evidence were chosen with the first five, from the start and after 1,000
# answers.
ERRORS = [0.15, 0.2, 0.3, 0.12, 0.17, 0.25, 0.4]
CHOSEN_WITH = ERRORS[:5]
PASTS = [0, 1000, 10_000]
SHARES = [0.6, 0.75, 0.85, 0.95]  # of the capital, which bets from the first answer on
ODDS = [1.3, 1.45, 1.6, 1.7, 1.8, 1.9, 2.0, 2.2, 2.5, 3.0, 3.5, 5.0, 8.0]
# Answers after the change.
N_AFTER = {0.12: 3000, 0.15: 3000, 0.17: 2000, 0.02: 2000}
MOST_AFTER = 1200
OTHER_PROMISES = [(0.99, 0.02), (0.99, 0.05), (0.7, 0.4), (0.7, 0.6)]
HARMLESS = (0.02, 1000, 0.08, 5000)
# From slow to sensitive, delta or drift_threshold; and after how many answers it may alarm.
RANGES = {"ADWIN": (1e-6, 0.99), "DDM": (100.0, 1.0), LATE_DDM: (100.0, 1.0)}
WARM_STARTS = {"ADWIN": 0, "DDM": 30, LATE_DDM: 100}
MOST_STEPS = 12

# A bound from all answers, as MAPIE's, is later the longer the past, and slow to compute.
MOST_OF_ALL = 1000

Row = dict[str, Any]
Peer = tuple[str, float]


class Bets(NamedTuple):
    """Factors of the capital of each alternative, rates of restarts, and their weights."""

    right: NDArray[np.float64]
    wrong: NDArray[np.float64]
    rates: NDArray[np.float64]
    weights: NDArray[np.float64]


Bools = NDArray[np.bool_]
Counts = NDArray[np.int64]


def code() -> list[Path]:
    """Return the code that is measured and the code that measures it."""
    peers = [*HERE.glob("monitoring/*.py"), *HERE.glob("monitoring/requirements/*.txt")]
    return [Path(__file__), *peers, ROOT / "src" / "abstain" / "monitor" / "evidence.py"]


# --- this library ---------------------------------------------------------------------------------


def first_alarms(
    wrong: Bools, bets: Bets, limit: float = 1 - ACCURACY, n_known: Counts | None = None
) -> Counts:
    """Return the number of answers at the first alarm of each life, 0 if there is none.

    As the library, with the capital of many lives as numbers instead of logarithms.
    """
    alarms, lives = np.zeros(len(wrong), np.int64), np.arange(len(wrong))
    ends = np.full(len(wrong), wrong.shape[1]) if n_known is None else n_known
    capital = np.zeros((len(wrong), *bets.weights.shape))
    value, factor = np.ones(len(wrong)), np.ones(len(wrong))
    for step, is_wrong in enumerate(wrong.T):
        is_wrong, rest = is_wrong[lives], bets.rates ** (step + 1)
        capital += (1 - bets.rates) * bets.rates**step
        capital *= np.where(is_wrong[:, np.newaxis], bets.wrong, bets.right)[..., np.newaxis]
        after = capital.reshape(len(lives), -1) @ bets.weights.ravel()
        after = factor * (after + bets.weights.sum(axis=0) @ rest)
        # An error would have led above the target: what is above it is had without one.
        most = (value - limit * TARGET) / (1 - limit)
        is_over = ~is_wrong & (after < most)
        factor = np.where(is_over, factor * most / after, factor)
        value = np.where(is_over, most, after)
        is_alarm = value >= TARGET * (1 - 1e-9)
        alarms[lives[is_alarm]] = step + 1
        left = ~is_alarm & (step + 1 < ends[lives])
        if not left.all():
            lives, capital = lives[left], capital[left]
            value, factor = value[left], factor[left]
        if not len(lives):
            break
    return alarms


def in_parts(wrong: Bools, bets: Bets, limit: float, n_known: Counts | None = None) -> Counts:
    """Return the first alarms, of so few lives at a time that they fit the cache."""
    parts = np.array_split(np.arange(len(wrong)), max(1, len(wrong) // 500))
    every = np.full(len(wrong), wrong.shape[1]) if n_known is None else n_known
    return np.concatenate([first_alarms(wrong[some], bets, limit, every[some]) for some in parts])


def bets_of_library(limit: float, shares: Any = RATE_WEIGHTS, rates: Any = RATES) -> Bets:
    """Return the bets of the library, with other shares of the capital for the restarts."""
    right, wrong = (np.exp(each) for each in log_ratios(limit))
    return Bets(right, wrong, np.asarray(rates), np.outer(ODDS_WEIGHTS, shares))


def alarms_of(wrong: Bools, limit: float, n_known: Counts | None = None) -> dict[str, Counts]:
    """Return the first alarm of each life, with and without restarts."""
    ours, without = bets_of_library(limit), bets_of_library(limit, [1.0], [0.0])
    return {
        OURS: in_parts(wrong, ours, limit, n_known),
        WITHOUT: in_parts(wrong, without, limit, n_known),
    }


def check_alarms() -> None:
    """Refuse to measure if the library has other alarms."""
    wrong = draw(300, GOOD_ERROR, 700, 0.2, 20)
    start = no_evidence(1 - ACCURACY, (len(wrong),))
    reached = add_outcomes(start, wrong, log_target=log(TARGET))[1] >= log(TARGET) - 1e-9
    expected = np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, 0)
    np.testing.assert_array_equal(alarms_of(wrong, 1 - ACCURACY)[OURS], expected)


def of_single_bets(error: float, n_lives: int) -> Row:
    """Return the median delay of the best bet on one error rate, from the first answer on."""
    limit, n_after = 1 - ACCURACY, N_AFTER.get(error, MOST_AFTER)
    wrong, medians = draw(0, GOOD_ERROR, n_after, error, n_lives), {}
    for odds in ODDS:
        rate = odds * limit / (odds * limit + 1 - limit)
        right, with_error = np.array([(1 - rate) / (1 - limit)]), np.array([rate / limit])
        bet = Bets(right, with_error, np.array([0.0]), np.ones((1, 1)))
        medians[odds] = delays("", in_parts(wrong, bet, limit), 0, n_after)["median"] or np.inf
    best = min(medians, key=lambda odds: medians[odds])
    return {"error": error, "odds": best, "median": medians[best], "lives": n_lives}


def of_shares(past: int, error: float, n_lives: int) -> Row:
    """Return the median delay for several shares of the capital that bet from the start on."""
    limit, n_after = 1 - ACCURACY, N_AFTER.get(error, MOST_AFTER)
    wrong = draw(past, GOOD_ERROR, n_after, error, n_lives)
    waiting = RATE_WEIGHTS[1:] / RATE_WEIGHTS[1:].sum()
    medians = {}
    for share in SHARES:
        bets = bets_of_library(limit, np.append(share, (1 - share) * waiting))
        medians[f"{share:g}"] = delays("", in_parts(wrong, bets, limit), past, n_after)["median"]
    return {"past": past, "error": error, "lives": n_lives} | medians


def false_alarms(error: float, audit: float, n_lives: int) -> Row:
    """Return how many lives have an alarm although the accuracy is what was promised."""
    limit, rng = 1 - ACCURACY, np.random.default_rng([round(1000 * error), round(100 * audit)])
    counts = dict.fromkeys((OURS, WITHOUT), 0)
    for size in [min(500, n_lives)] * max(1, n_lives // 500):
        n_known = rng.binomial(LIFE, audit, size)
        wrong = rng.random((size, int(n_known.max()))) < error
        for name, alarms in alarms_of(wrong, limit, n_known).items():
            counts[name] += int((alarms > 0).sum())
    return {name: count / n_lives for name, count in counts.items()}


# --- other libraries ------------------------------------------------------------------------------


def ask_peer(name: str, wrong: Bools, folder: Path, parameter: float) -> tuple[Counts, str]:
    """Return the first alarm of each life by another monitor (0 if none), and its version."""
    with atomic_files(folder / "lives.npz") as (draft,), draft.open("wb") as file:
        np.savez(file, wrong=wrong)
    file_name = str(folder / "lives.npz")
    if name == MAPIE:
        python = python_with(HERE / "rejectors" / "requirements" / "mapie.txt")
        answer = ask(python, ["monitoring.mapie", file_name, str(parameter), str(LEVEL)], None)
    else:
        python = python_with(HERE / "monitoring" / "requirements" / "river.txt")
        warm_start = str(WARM_STARTS[name])
        detector = "ADWIN" if name == "ADWIN" else "DDM"
        arguments = ["monitoring.river", file_name, detector, str(parameter), warm_start]
        answer = ask(python, arguments, None)
    alarms = np.array([alarm or 0 for alarm in answer[-1]["alarms"]])
    return alarms, str(answer[-1]["version"])


def choose_parameter(name: str, error: float, folder: Path, n_lives: int) -> Row:
    """Return the parameter with the promised share of false alarms at a constant error rate.

    If none has it, the slowest: it has more than the promised share.
    """
    lives, others = (
        np.random.default_rng([seed, round(1000 * error)]).random((n_lives, LIFE)) < error
        for seed in (7, 8)
    )
    tolerance = sqrt(LEVEL * (1 - LEVEL) / n_lives)

    def share_of(wrong: Bools, parameter: float) -> float:
        return float((ask_peer(name, wrong, folder, parameter)[0] > 0).mean())

    slow, sensitive = RANGES[name]
    parameter, share = slow, share_of(lives, slow)
    if share <= LEVEL:
        for _ in range(MOST_STEPS):
            parameter = sqrt(slow * sensitive)
            share = share_of(lives, parameter)
            if abs(share - LEVEL) < tolerance / 2:
                break
            slow, sensitive = (slow, parameter) if share > LEVEL else (parameter, sensitive)
    return {
        "monitor": name,
        "error": error,
        "parameter": parameter,
        "lives": n_lives,
        "false_alarms": share,
        "false_alarms_elsewhere": share_of(others, parameter),
        "is_reached": abs(share - LEVEL) < tolerance,
    }


# --- both -----------------------------------------------------------------------------------------


def draw(past: int, before: float, n_after: int, after: float, n_lives: int) -> Bools:
    """Return which answers are wrong: a good past, then another error rate."""
    rng = np.random.default_rng([past, round(1000 * after), n_lives])
    rates = np.repeat([before, after], [past, n_after])
    return rng.random((n_lives, past + n_after)) < rates


def delays(name: str, alarms: Counts, past: int, n_after: int) -> Row:
    """Return the delays of lives without an alarm before the change; null if beyond the end."""
    early = (alarms > 0) & (alarms <= past)
    waits = np.where(alarms[~early] > 0, alarms[~early] - past, n_after + 1.0)
    waits = waits if len(waits) else np.array([n_after + 1.0])
    quartiles = np.quantile(waits, [0.25, 0.5, 0.75], method="higher")
    lower, median, upper = (float(each) if each <= n_after else None for each in quartiles)
    detected = float((waits <= n_after).mean())
    return {
        "monitor": name,
        "lives": len(alarms),
        "median": median,
        "lower_quartile": lower,
        "upper_quartile": upper,
        "detected": detected,
        "before": float(early.mean()),
    }


def of_change(
    accuracy: float, past: int, error: float, peers: dict[str, Peer], sizes: Row, folder: Path
) -> Row:
    """Return the delays of all monitors after one change."""
    n_after = N_AFTER.get(error, MOST_AFTER)
    n_lives = sizes["delays" if past <= MOST_OF_ALL else "late"]
    wrong = draw(past, GOOD_ERROR, n_after, error, n_lives)
    rows = [
        delays(name, alarms, past, n_after)
        for name, alarms in alarms_of(wrong, 1 - accuracy).items()
    ]
    for name, (kind, parameter) in peers.items():
        lives = wrong[: sizes["mapie" if kind == MAPIE else "river"]]
        alarms, _ = ask_peer(kind, lives, folder, parameter)
        rows.append(delays(name, alarms, past, n_after))
    return {"rows": [{"accuracy": accuracy, "past": past, "error": error} | row for row in rows]}


def of_harmless(peers: dict[str, Peer], sizes: Row, folder: Path) -> Row:
    """Return how often each monitor raises an alarm while the promise holds."""
    before, past, after, n_after = HARMLESS
    wrong = draw(past, before, n_after, after, sizes["late"])
    shares = {name: (alarms > 0).mean() for name, alarms in alarms_of(wrong, 1 - ACCURACY).items()}
    versions = {}
    for name, (kind, parameter) in peers.items():
        alarms, versions[kind] = ask_peer(kind, wrong[: sizes["mapie"]], folder, parameter)
        shares[name] = (alarms > 0).mean()
    rows = [{"monitor": name, "alarms": float(share)} for name, share in shares.items()]
    return {"rows": rows, "versions": versions}


def detectors_of(chosen: list[Row]) -> dict[str, Peer]:
    """Return the detectors with as many false alarms as promised, by names and error rates."""
    detectors = {}
    for row in chosen:
        name, is_good = row["monitor"], row["error"] == GOOD_ERROR
        if row["is_reached"] and (name != LATE_DDM or is_good):
            title = name.split(" ")[0] + IN_GOOD_PAST * is_good
            detectors[title] = name, row["parameter"]
    return detectors


def changes() -> list[tuple[float, int, float]]:
    """Return the accuracies that are promised, the answers before the change, the rates after."""
    others = [(accuracy, 0, error) for accuracy, error in OTHER_PROMISES]
    return [(ACCURACY, past, error) for past in PASTS for error in ERRORS] + others


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--fresh", action="store_true", help="measure all rows again")
    parser.add_argument("--quick", action="store_true", help="few lives, nothing is written")
    options = parser.parse_args()
    kept = KeptRows(CACHE, code, options.fresh)
    check_alarms()
    sizes = QUICK if options.quick else SIZES
    size = str(sizes["lives"])
    good = 1 - ACCURACY, GOOD_ERROR
    chosen = [
        kept.row(
            f"parameter of {name} at {error:g}",
            size,
            partial(choose_parameter, name, error, kept.folder, sizes["null"]),
        )
        for error in good
        for name in RANGES
    ]
    detectors = detectors_of(chosen)
    rows: list[Row] = []
    for accuracy, past, error in changes():
        peers = {MAPIE: (MAPIE, 1 - accuracy)} if past <= MOST_OF_ALL else {}
        peers |= detectors if past else {}
        title = f"change to {error:g} after {past} at {accuracy:g}"
        make = partial(of_change, accuracy, past, error, peers, sizes, kept.folder)
        rows += kept.row(title, size, make)["rows"]
    single = [
        kept.row(f"single bets at {error:g}", size, partial(of_single_bets, error, sizes["delays"]))
        for error in sorted(ERRORS)
    ]
    shares = [
        kept.row(
            f"shares after {past} at {error:g}",
            size,
            partial(of_shares, past, error, sizes["late"]),
        )
        for past in PASTS[:2]
        for error in ERRORS[:3]
    ]
    every_peer = {MAPIE: (MAPIE, 1 - ACCURACY)} | detectors
    harmless = kept.row("harmless", size, partial(of_harmless, every_peer, sizes, kept.folder))
    null = [
        {"error": error, "audit": audit}
        | kept.row(
            f"false alarms at {error:g}, {audit:g} audited",
            size,
            partial(false_alarms, error, audit, sizes["lives"]),
        )
        for error in good
        for audit in (1.0, 0.05)
    ]
    show("false alarms", null)
    show("parameters", chosen)
    show("delays", rows)
    show("single bets", single)
    show("shares that bet from the start on", shares)
    show("harmless", harmless["rows"])
    if not options.quick:
        write_record(
            "monitor.json",
            PACKAGES,
            versions=harmless["versions"],
            accuracy=ACCURACY,
            level=LEVEL,
            lives=N_LIVES,
            life=LIFE,
            good_error=GOOD_ERROR,
            chosen_with=CHOSEN_WITH,
            harmless_change=HARMLESS,
            false_alarms=null,
            parameters=chosen,
            delays=rows,
            single_bets=single,
            shares=shares,
            harmless=harmless["rows"],
        )


if __name__ == "__main__":
    main()
