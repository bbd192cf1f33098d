"""How are random cases run, and what must hold of each?

Whatever a file holds, reading it ends in a result or in an `InputError` of one line, of fewer than
1,000 letters, none of which a terminal would obey. It changes no input, leaves no half output, and
takes bounded time and memory. A case is known by the seed and its number; the file of
one that breaks a law is kept in build/fuzz.
"""

import argparse
import resource
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from abstain import InputError

__all__ = ["Rng", "check_refusal", "run_cases"]

Rng = np.random.Generator
# A case gets a generator and an empty folder, and returns its outcome; a broken law raises.
Case = Callable[[Rng, Path], str]

KEPT = Path("build/fuzz")
# Of one case, far above what any takes.
SECONDS, MEGABYTES = 20, 1000


def run_cases(name: str, case: Case, runs: int) -> None:
    """Run cases as the command line says, and exit with 1 if one breaks a law."""
    parser = argparse.ArgumentParser(description=f"Damage {name} at random.")
    parser.add_argument("--runs", type=int, default=runs, help="number of cases")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _give_up)
    start, outcomes, broken = time.monotonic(), Counter[str](), 0
    for number in range(options.first, options.first + options.runs):
        with TemporaryDirectory(prefix="abstain-fuzz-") as place:
            outcome = _run(case, np.random.default_rng([options.seed, number]), Path(place))
            if isinstance(outcome, str):
                outcomes[outcome] += 1
                continue
            broken += 1
            _report(name, options.seed, number, outcome, Path(place))
    counts = ", ".join(f"{count:,} {outcome}" for outcome, count in sorted(outcomes.items()))
    seconds = time.monotonic() - start
    print(f"{name}, seed {options.seed}: {counts}; {broken} broken, {seconds:.0f} s")
    sys.exit(1 if broken else 0)


def _run(case: Case, rng: Rng, folder: Path) -> str | BaseException:
    before = _megabytes()
    signal.alarm(SECONDS)
    try:
        outcome = case(rng, folder)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a panic of polars is no Exception
        return error
    finally:
        signal.alarm(0)
    grown = _megabytes() - before
    return outcome if grown < MEGABYTES else MemoryError(f"it took {grown:.0f} MB")


def _give_up(*_: Any) -> None:
    raise TimeoutError(f"it took more than {SECONDS} seconds")


def _megabytes() -> float:
    """Return the largest memory that this process has had."""
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def _report(name: str, seed: int, number: int, error: BaseException, folder: Path) -> None:
    print(f"{name}, seed {seed}, case {number} breaks a law:")
    traceback.print_exception(error, limit=-6, file=sys.stdout)
    kept = KEPT / f"{name}-{seed}-{number}"
    kept.mkdir(parents=True, exist_ok=True)
    for file in folder.iterdir():
        if file.is_file():
            (kept / file.name).write_bytes(file.read_bytes())


def check_refusal(error: InputError) -> None:
    """Refuse a message that is not one line, that a terminal would obey, or that is too long."""
    message = str(error)
    assert message.isprintable(), f"not printable: {message!r}"
    assert len(message) < 1000, f"{len(message)} letters: {message}"
