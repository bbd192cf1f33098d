"""How rare are false alarms of a monitor, and how soon does it see that a promise is broken?

- false_alarms: lives in which the promised accuracy holds, with and without restarts, with the
  truth of all answers and of a random share;
- delays: answers until the alarm after the error rate has risen, from the start or after a good
  past, beside MAPIE's monitor and the detectors of change of river. The parameter of a detector is
  the most sensitive one with at most the promised share of false alarms;
- harmless: the error rate rises but stays below what was promised. A detector of change reports
  the change; the promise still holds.

``python benchmarks/monitor.py`` prints the tables and writes ``docs/benchmarks/monitor.json``, in
about twenty minutes on one core. Rows that are done are kept in ``build/``: a run that was stopped
goes on where it was. With ``--quick`` there are few lives, and nothing is written.
"""

import argparse
from functools import partial
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from environments import ask, python_with
from keeping import KeptRows
from measuring import show, write_record
from numpy.typing import NDArray
from scipy.special import logsumexp

from abstain._core.files import atomic_files
from abstain.monitor.evidence import ODDS_WEIGHTS, add_outcomes, log_ratios, no_evidence

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "benchmarks"
CACHE = ROOT / "build" / "benchmarks" / "monitor"
PACKAGES = ["numpy", "scipy"]

LEVEL = 0.05
ACCURACY = 0.9
LIFE = 5000
N_LIVES, N_DELAYS, N_PEERS = 10_000, 500, 100
GOOD_ERROR = 0.05
# The weights of the evidence were chosen with the first five, from the start and after 1,000
# answers.
ERRORS = [0.15, 0.2, 0.3, 0.12, 0.17, 0.25, 0.4]
CHOSEN_WITH = ERRORS[:5]
PASTS = [0, 1000, 10_000]
# Answers after the change.
N_AFTER = {0.12: 3000, 0.15: 3000, 0.17: 2000, 0.02: 2000}
MOST_AFTER = 1200
OTHER_PROMISES = [(0.99, 0.02), (0.99, 0.05), (0.7, 0.4), (0.7, 0.6)]
HARMLESS = (0.02, 1000, 0.08, 5000)
# From sensitive to slow; the first with few enough false alarms is taken.
PARAMETERS = {
    "ADWIN": [0.5, 0.3, 0.1, 0.05, 0.02, 0.01, 0.002, 0.0005, 0.0001],
    "DDM": [3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 15.0, 20.0],
}
OURS, WITHOUT = "RiskMonitor", "RiskMonitor without restarts"
MAPIE = "MAPIE"

Row = dict[str, Any]
Bools = NDArray[np.bool_]
Counts = NDArray[np.int64]


def code() -> list[Path]:
    """Return the code that is measured and the code that measures it."""
    peers = [*HERE.glob("monitoring/*.py"), *HERE.glob("monitoring/requirements/*.txt")]
    return [Path(__file__), *peers, *(ROOT / "src" / "abstain" / "monitor").glob("*.py")]


# --- this library ---------------------------------------------------------------------------------


def first_alarms(paths: NDArray[np.float64], n_known: Counts | None = None) -> Counts:
    """Return the number of answers at the first alarm of each life, 0 if there is none."""
    reached = paths >= -log(LEVEL)
    if n_known is not None:
        reached &= np.arange(paths.shape[1]) < n_known[:, np.newaxis]
    return np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, 0)


def without_restarts(wrong: Bools, limit: float) -> NDArray[np.float64]:
    """Return the log evidence of bets that all start at the first answer, by its closed form."""
    right, error = log_ratios(limit)
    errors = wrong.cumsum(axis=1)[..., np.newaxis]
    answers = np.arange(1, wrong.shape[1] + 1)[:, np.newaxis]
    logs = errors * error + (answers - errors) * right + np.log(ODDS_WEIGHTS)
    return np.asarray(logsumexp(logs, axis=-1))


def alarms_of(wrong: Bools, limit: float, n_known: Counts | None = None) -> dict[str, Counts]:
    """Return the first alarm of each life, with and without restarts."""
    parts = []
    for some in np.array_split(np.arange(len(wrong)), max(1, len(wrong) // 100)):
        lives, known = wrong[some], None if n_known is None else n_known[some]
        _, paths = add_outcomes(no_evidence(limit, (len(lives),)), lives)
        parts.append(
            [first_alarms(paths, known), first_alarms(without_restarts(lives, limit), known)]
        )
    return dict(zip((OURS, WITHOUT), np.concatenate(parts, axis=1), strict=True))


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
        answer = ask(python, ["monitoring.river", file_name, name, str(parameter)], None)
    alarms = np.array([alarm or 0 for alarm in answer[-1]["alarms"]])
    return alarms, str(answer[-1]["version"])


def choose_parameter(name: str, folder: Path, n_lives: int) -> Row:
    """Return the most sensitive parameter with few enough false alarms."""
    wrong = np.random.default_rng(7).random((n_lives, LIFE)) < 1 - ACCURACY
    for parameter in PARAMETERS[name]:
        alarms, _ = ask_peer(name, wrong, folder, parameter)
        if (share := float((alarms > 0).mean())) <= LEVEL:
            break
    return {"monitor": name, "parameter": parameter, "false_alarms": share}


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
    accuracy: float, past: int, error: float, peers: dict[str, float], sizes: Row, folder: Path
) -> Row:
    """Return the delays of all monitors after one change."""
    n_after = N_AFTER.get(error, MOST_AFTER)
    wrong = draw(past, GOOD_ERROR, n_after, error, sizes["delays"])
    rows = [
        delays(name, alarms, past, n_after)
        for name, alarms in alarms_of(wrong, 1 - accuracy).items()
    ]
    for name, parameter in peers.items():
        alarms, _ = ask_peer(name, wrong[: sizes["peers"]], folder, parameter)
        rows.append(delays(name, alarms, past, n_after))
    return {"rows": [{"accuracy": accuracy, "past": past, "error": error} | row for row in rows]}


def of_harmless(peers: dict[str, float], sizes: Row, folder: Path) -> Row:
    """Return how often each monitor raises an alarm while the promise holds."""
    before, past, after, n_after = HARMLESS
    wrong = draw(past, before, n_after, after, sizes["delays"])
    shares = {name: (alarms > 0).mean() for name, alarms in alarms_of(wrong, 1 - ACCURACY).items()}
    versions = {}
    for name, parameter in peers.items():
        alarms, versions[name] = ask_peer(name, wrong[: sizes["peers"]], folder, parameter)
        shares[name] = (alarms > 0).mean()
    rows = [{"monitor": name, "alarms": float(share)} for name, share in shares.items()]
    return {"rows": rows, "versions": versions}


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
    quick = {"lives": 500, "delays": 100, "peers": 10}
    sizes = quick if options.quick else {"lives": N_LIVES, "delays": N_DELAYS, "peers": N_PEERS}
    size = str(sizes["lives"])
    chosen = [
        kept.row(
            f"parameter of {name}",
            size,
            partial(choose_parameter, name, kept.folder, 4 * sizes["peers"]),
        )
        for name in PARAMETERS
    ]
    detectors = {row["monitor"]: row["parameter"] for row in chosen}
    rows: list[Row] = []
    for accuracy, past, error in changes():
        # A bound from all answers, as MAPIE's, is later the longer the past, and slow to compute.
        peers = {MAPIE: 1 - accuracy} if past <= 1000 else {}
        peers |= detectors if past else {}
        title = f"change to {error:g} after {past} at {accuracy:g}"
        make = partial(of_change, accuracy, past, error, peers, sizes, kept.folder)
        rows += kept.row(title, size, make)["rows"]
    every_peer = {MAPIE: 1 - ACCURACY} | detectors
    harmless = kept.row("harmless", size, partial(of_harmless, every_peer, sizes, kept.folder))
    null = [
        {"error": error, "audit": audit}
        | kept.row(
            f"false alarms at {error:g}, {audit:g} audited",
            size,
            partial(false_alarms, error, audit, sizes["lives"]),
        )
        for error in (1 - ACCURACY, (1 - ACCURACY) / 2)
        for audit in (1.0, 0.05)
    ]
    show("false alarms", null)
    show("parameters", chosen)
    show("delays", rows)
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
            harmless=harmless["rows"],
        )


if __name__ == "__main__":
    main()
