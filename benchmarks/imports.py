"""How long does a process take to start, beside one that imports scikit-learn?

Processor time of whole processes, the best of rounds in which all take their turn, in the
environment of ``benchmarks/predict.py``: `import abstain` and its names, what `abstain predict`
needs of other packages to answer with a saved model, and the command itself on a table of ten rows.

``python benchmarks/imports.py`` prints the times and writes ``docs/benchmarks/imports.json``.
"""

import argparse
import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import predict
from measuring import show, write_record

ROUNDS = 5
PROGRAMS = {
    "import sklearn": "import sklearn",
    "import abstain": "import abstain",
    "pareto_front": "from abstain import pareto_front",
    "GMLVQ": "from abstain import GMLVQ",
    "RejectOptionClassifier": "from abstain import RejectOptionClassifier",
    "needed by predict": "import polars, typer, sklearn.compose",
}


def processor_seconds(command: list[str]) -> float:
    """Return the processor time of a process."""
    process = subprocess.Popen([str(predict.PYTHON), *command])
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed")
    return usage.ru_utime + usage.ru_stime


def measure(folder: Path, rounds: int) -> dict[str, float]:
    """Return the processor time of each program."""
    predict.write_tables(folder, predict.N_TRAIN, predict.COLUMNS[0])
    model, some, out = (str(folder / name) for name in ("model.abstain", "some.csv", "out.csv"))
    predict.abstain("fit", folder / "train.csv", "--label", "class", "--out", model)
    commands = {name: ["-c", program] for name, program in PROGRAMS.items()}
    commands["abstain predict"] = ["-m", "abstain", "predict", model, some, "--out", out, "--quiet"]
    best = dict.fromkeys(commands, float("inf"))
    for _ in range(rounds):
        for name, command in commands.items():
            best[name] = min(best[name], processor_seconds(command))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="with fewer, nothing is written")
    rounds = parser.parse_args().rounds
    predict.install()
    with TemporaryDirectory() as name:
        best = measure(Path(name), rounds)
    times = best["import sklearn"]
    rows = [
        {"program": name, "processor_seconds": best[name], "times_sklearn": best[name] / times}
        for name in best
    ]
    show("Processor time of a process", rows)
    if rounds >= ROUNDS:
        write_record("imports.json", ["scikit-learn", "polars", "typer"], programs=rows)


if __name__ == "__main__":
    main()
