"""Does a certified accuracy hold, and how much is certified beside other procedures?

- validity: a thousand fits on populations whose truth is known;
- comparison and mapie: certified coverage beside other procedures, on the answers of four
  classifiers to real and artificial sets, with the same draws for all;
- shares: what share to hold out where the classifier is fitted with the same rows.

``python benchmarks/guarantee.py`` prints the tables and writes ``docs/benchmarks/guarantee.json``,
in about twenty minutes on one core. A part that is done is kept in ``build/``: a run that was
stopped goes on with the next part. ``--quick`` takes a few runs of everything and writes nothing.
"""

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from certificates import comparing, shares, validity  # noqa: E402
from certificates.pools import SETS, Pool, pools_of  # noqa: E402
from measuring import show, write_record  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.progress import track  # noqa: E402

from abstain._core.files import atomic_files  # noqa: E402

DATA = Path(os.environ.get("ABSTAIN_DATA_HOME", ROOT.parent / "shared" / "data"))
CACHE = ROOT / "build" / "benchmarks" / "guarantee"
PACKAGES = ["numpy", "scipy", "scikit-learn"]
N_RUNS, QUICK_RUNS = 1000, 10
QUICK_SETS, QUICK_DRAWS = ["segment", "gaussian clusters"], 3

Row = dict[str, Any]
STDERR = Console(stderr=True)


def fingerprint() -> str:
    """Return what changes with the package and with how it is measured."""
    package, own = ROOT / "src" / "abstain", Path(__file__).resolve().parent / "certificates"
    folders = [package / name for name in ("classifier", "fronts", "targets")]
    files = [file for folder in [*folders, own] for file in folder.glob("*.py")]
    digest = hashlib.sha256()
    for file in [*sorted(files), ROOT / "tests" / "reference" / "guarantee.py"]:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def load_pools(is_quick: bool) -> list[Pool]:
    return [
        pool
        for name in track(QUICK_SETS if is_quick else SETS, "classifiers", console=STDERR)
        for pool in pools_of(name, DATA, CACHE / "pools")
    ]


def simulate(is_quick: bool) -> list[Row]:
    return validity.simulate(QUICK_RUNS if is_quick else N_RUNS, n_jobs=2)


def compare(is_quick: bool) -> list[Row]:
    return [
        row
        for pool in track(load_pools(is_quick), "procedures", console=STDERR)
        for size in comparing.SIZES
        if comparing.takes_part(pool, size)
        for row in comparing.outcomes(pool, size, QUICK_DRAWS if is_quick else comparing.N_DRAWS)
    ]


def ask_mapie(is_quick: bool) -> list[Row]:
    n_draws = QUICK_DRAWS if is_quick else comparing.N_DRAWS
    return comparing.outcomes_of_mapie(load_pools(is_quick), n_draws, CACHE / "mapie")


def try_shares(is_quick: bool) -> list[Row]:
    sizes = shares.SIZES[:1] if is_quick else shares.SIZES
    names = QUICK_SETS[1:] if is_quick else [*shares.CHOSEN_ON, *shares.TRIED_ON]
    return [
        row
        for size in sizes
        for seed in range(1 if is_quick else shares.N_SEEDS)
        for name in track(names, f"shares of {size}", console=STDERR)
        for row in shares.try_shares(name, size, seed, DATA)
    ]


PARTS: dict[str, Callable[[bool], list[Row]]] = {
    "validity": simulate,
    "comparison": compare,
    "mapie": ask_mapie,
    "shares": try_shares,
}


def rows_of(part: str, is_quick: bool) -> list[Row]:
    """Return the rows of a part, from an earlier run if that did it with the same code."""
    file = CACHE / f"{part}-{fingerprint()}.json"
    if not is_quick and file.exists():
        rows: list[Row] = json.loads(file.read_text())
        return rows
    rows = PARTS[part](is_quick)
    if not is_quick:
        file.parent.mkdir(parents=True, exist_ok=True)
        with atomic_files(file) as (draft,):
            draft.write_text(json.dumps(rows))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="a few runs; nothing is written")
    parser.add_argument("--part", choices=list(PARTS), help="only this one; nothing is written")
    options = parser.parse_args()
    wanted = [options.part] if options.part else list(PARTS)
    rows = {part: rows_of(part, options.quick) for part in wanted}
    figures: dict[str, list[Row]] = {}
    if "validity" in rows:
        figures["validity"] = rows["validity"]
    if "comparison" in rows:
        all_rows = rows["comparison"] + rows.get("mapie", [])
        figures["comparison"] = comparing.summaries(all_rows)
        figures["fresh_sets"] = comparing.summaries(all_rows, fresh_only=True)
        figures["pairs"] = comparing.by_pair(rows["comparison"])
    if "shares" in rows:
        figures["shares"] = shares.summaries(rows["shares"])
    for title, table in figures.items():
        show(title, table)
    if not options.quick and not options.part:
        write_record(
            "guarantee.json",
            PACKAGES,
            accuracy=validity.ACCURACY,
            level=validity.LEVEL,
            allowed=validity.allowed(N_RUNS),
            draws=comparing.N_DRAWS,
            **figures,
        )


if __name__ == "__main__":
    main()
