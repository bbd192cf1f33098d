"""How is a library run in an environment of its own, on one thread?

``build/peers/LIBRARY`` is made from the library's pinned requirements when it is missing or when
these have changed. What has no requirements runs in the environment of the caller.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["PATIENCE_SECONDS", "PeerError", "ask", "python_with"]

HERE = Path(__file__).resolve().parent
ENVIRONMENTS = HERE.parent / "build" / "peers"
THREADS = ["OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR"]
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in THREADS} | {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
    "JAX_PLATFORMS": "cpu",
}
# How much longer than its budget a process may take to answer at all: others may use the machine.
PATIENCE_SECONDS = 600.0


class PeerError(Exception):
    """A library could not be installed or run; the message is one line that says why."""


def python_with(requirements: Path) -> Path:
    """Return the interpreter of a library, after making its environment if need be."""
    if not requirements.exists():
        return Path(sys.executable)
    folder = ENVIRONMENTS / requirements.stem
    python, installed = folder / "bin" / "python", folder / "installed.txt"
    if not installed.exists() or installed.read_text() != requirements.read_text():
        print(f"making the environment of {requirements.stem}", file=sys.stderr)
        _run(sys.executable, "-m", "venv", "--clear", str(folder))
        _run(str(python), "-m", "pip", "install", "--quiet", "-r", str(requirements))
        installed.write_text(requirements.read_text())
    return python


def _run(*command: str) -> None:
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        raise PeerError(_last_line(result.stderr) or f"{command} failed")


def ask(python: Path, arguments: list[str], timeout: float | None) -> list[dict[str, Any]]:
    """Return the lines of JSON that a module prints."""
    process = subprocess.Popen(
        [str(python), "-m", *arguments],
        cwd=HERE,
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
        messages = f"no answer within {timeout:.0f} s"
    finally:
        process.kill()  # when interrupted
    lines = [json.loads(line) for line in answer.splitlines()]
    if not lines or "failure" in lines[-1]:
        raise PeerError(lines[-1]["failure"] if lines else _last_line(messages))
    return lines


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["it ended without a word"])[-1][:200]
