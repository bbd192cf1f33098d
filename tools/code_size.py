"""How large is the code: lines and files per package, single-importer modules, public names?

``python -m tools.code_size [src]`` measures the package in that folder, so that two versions can be
compared.
"""

from __future__ import annotations  # signatures then show the names of types

import ast
import statistics
import subprocess
import sys
from collections import Counter
from pathlib import Path

REPEATS = 7


def main(source: Path) -> None:
    """Print the sizes."""
    package = source / "abstain"
    lines = {
        path.relative_to(package): len(path.read_text().splitlines())
        for path in sorted(package.rglob("*.py"))
    }
    files: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for path, size in lines.items():
        room = path.parts[0] if len(path.parts) > 1 else "abstain"
        files[room] += 1
        total[room] += size
    for room in sorted(total):
        print(f"{room:14}{files[room]:5} files {total[room]:7,} lines")
    largest = max(lines, key=lambda path: lines[path])
    print(f"{'all':14}{len(lines):5} files {sum(lines.values()):7,} lines")
    print(f"median module: {statistics.median(lines.values()):.0f} lines")
    print(f"largest module: {largest}, {lines[largest]} lines")
    print(f"modules with a single importer: {len(single_importer_modules(source))}")
    print(f"public names: {count_public_names(package)}")
    for statement in (
        "import sklearn.model_selection",
        "from abstain import RejectOptionClassifier",
    ):
        print(f"{statement}: {import_seconds(source, statement):.2f} s")


def single_importer_modules(source: Path) -> list[str]:
    """Return the modules that are imported by one other module only."""
    sys.path.insert(0, str(source))
    import grimp

    graph = grimp.build_graph("abstain", cache_dir=None)
    return sorted(
        module
        for module in graph.modules
        if len(graph.find_modules_that_directly_import(module)) == 1
        and not graph.find_children(module)
    )


def count_public_names(package: Path) -> int:
    """Return how many names the ``__all__`` of all public packages and modules hold."""
    names = 0
    for path in (
        package / "__init__.py",
        package / "cells.py",
        *package.glob("[a-z]*/__init__.py"),
    ):
        for node in ast.parse(path.read_text()).body if path.exists() else []:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                names += len(getattr(node.value, "elts", []))
    return names


def import_seconds(source: Path, statement: str) -> float:
    """Return the median time that an import takes in a new interpreter."""
    program = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
    command = [sys.executable, "-c", program]
    times = [
        float(
            subprocess.run(
                command, env={"PYTHONPATH": str(source)}, capture_output=True, check=True
            ).stdout
        )
        for _ in range(REPEATS)
    ]
    return statistics.median(times)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "src").resolve())
