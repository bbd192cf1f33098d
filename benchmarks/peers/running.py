"""How is a library run in an environment of its own, on one thread?

``build/peers/LIBRARY`` is made from the library's pinned requirements when it is missing or when
these have changed. The package itself, and scikit-learn, run in the environment of the caller.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
ENVIRONMENTS = HERE.parent.parent / "build" / "peers"
THREADS = ["OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR"]
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in THREADS} | {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
    "JAX_PLATFORMS": "cpu",
}
# A first fold that takes longer than this beyond the budget is given up.
PATIENCE_SECONDS = 120.0


class PeerError(Exception):
    """A library could not be installed or run; the message is one line that says why."""


class Task(NamedTuple):
    """Folds of one data set to fit with one model of a library."""

    library: str
    model: str
    setting: str
    folds: Path
    n_folds: int
    budget: float = float("inf")


def python_of(library: str) -> Path:
    """Return the interpreter that has the library, after making its environment if need be."""
    requirements = HERE / "requirements" / f"{library}.txt"
    if not requirements.exists():
        return Path(sys.executable)
    folder = ENVIRONMENTS / library
    python, installed = folder / "bin" / "python", folder / "installed.txt"
    if not installed.exists() or installed.read_text() != requirements.read_text():
        print(f"making the environment of {library}", file=sys.stderr)
        _run(sys.executable, "-m", "venv", "--clear", str(folder))
        _run(str(python), "-m", "pip", "install", "--quiet", "-r", str(requirements))
        installed.write_text(requirements.read_text())
    return python


def _run(*command: str) -> None:
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        raise PeerError(_last_line(result.stderr) or f"{command} failed")


def describe(library: str) -> dict[str, Any]:
    """Return the models, the settings and the versions of a library."""
    (answer,) = _ask(library, [], timeout=PATIENCE_SECONDS)
    return answer


def measure(task: Task) -> list[dict[str, Any]]:
    """Return what each fold gave; fewer than were asked for when the budget was used up."""
    options = [
        *("--model", task.model, "--setting", task.setting, "--folds", str(task.folds)),
        *("--n-folds", str(task.n_folds), "--budget", str(task.budget)),
    ]
    unlimited = task.budget == float("inf")
    timeout = None if unlimited else task.budget + PATIENCE_SECONDS
    return _ask(task.library, options, timeout)


def _ask(library: str, options: list[str], timeout: float | None) -> list[dict[str, Any]]:
    process = subprocess.Popen(
        [str(python_of(library)), "-m", "peers", library, *options],
        cwd=HERE.parent,
        env=os.environ | ONE_THREAD,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        answer, messages = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        answer, messages = process.communicate()
        messages = f"no fold was done within {timeout:.0f} s"
    finally:
        process.kill()  # when interrupted
    lines = [json.loads(line) for line in answer.splitlines()]
    if not lines or "failure" in lines[-1]:
        raise PeerError(lines[-1]["failure"] if lines else _last_line(messages))
    return lines


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["it ended without a word"])[-1][:200]
