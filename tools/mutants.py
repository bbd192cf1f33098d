"""Which small changes of the code do its tests not notice?

Draws places in a package at which cosmic-ray can change the code, applies one change at each of
them (a *mutant*), and runs the tests of the module on a copy of the project with that change alone.
Mutants that no test notices *survive*: ``python -m tools.mutants fronts`` says which and how many.
The sample depends only on the seed and on the code of the package. ``--again`` tries only the
mutants that survived the last run, for instance after a test has been added.
"""

import argparse
import ast
import difflib
import json
import os
import random
import resource
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "mutants"

SAMPLE_SIZES = {"fronts": 130, "targets": 90}

# The tests that state what a module does, the quickest first. A simulation of the guarantee, half
# of the time, is left out: the other laws compare the same functions with a reference.
SIMULATION = "tests/laws/test_guarantee.py::test_the_promise_is_broken_no_more_often_than_it_may_be"
FRONTS = ("src/abstain/fronts", "tests/fronts", "tests/laws/test_fronts.py")
SEARCH = (*FRONTS, "tests/laws/test_backtrace.py")
POOLED = (
    "src/abstain/fronts",
    "tests/targets",
    "tests/scale/test_fronts.py",
    "tests/laws/test_pooled.py",
)
TARGETS = (
    *("src/abstain/targets", "tests/targets", "tests/classifier/test_guarantee.py"),
    "tests/laws/test_guarantee.py",
)
TESTS = {
    "fronts/bins.py": POOLED,
    "fronts/candidates.py": SEARCH,
    "fronts/chunked.py": ("tests/fronts/test_chunked.py", "tests/scale/test_fronts.py"),
    "fronts/curves.py": POOLED,
    "fronts/dynamic_program.py": SEARCH,
    "fronts/exact.py": SEARCH,
    "fronts/front.py": (*FRONTS, "tests/targets"),
    "fronts/greedy.py": SEARCH,
    "fronts/held_out.py": ("tests/targets", "tests/laws/test_guarantee.py"),
    "fronts/hull.py": SEARCH,
    "fronts/joining.py": SEARCH,
    "fronts/pareto.py": FRONTS,
    "fronts/pooled.py": POOLED,
    "fronts/staircases.py": FRONTS,
    "fronts/weights.py": ("tests/laws/test_weights.py",),
    "targets/base.py": TARGETS,
    "targets/choosing.py": TARGETS,
    "targets/contradiction.py": ("tests/targets/test_contradiction.py",),
    "targets/costs.py": ("tests/targets/test_costs.py",),
    "targets/expectation.py": ("tests/classifier/test_expected.py",),
    "targets/guarantee.py": TARGETS,
    "targets/operating.py": TARGETS,
    "targets/outcomes.py": ("tests/targets/test_costs.py", "tests/targets/test_shares.py"),
    "targets/share_certificates.py": ("tests/targets/test_shares.py",),
    "targets/share_paths.py": ("tests/targets/test_shares.py",),
    "targets/shares.py": ("tests/targets/test_shares.py",),
}
PYTEST = (
    *(sys.executable, "-m", "pytest", "-x", "-q", "-m", "not cluster", "-p", "no:cacheprovider"),
    *("--hypothesis-profile=mutants", "--hypothesis-seed=0", "--deselect", SIMULATION),
)
# Limits of one run of tests: about three times the processor time that the longest takes, and a
# memory that a changed size of an array must not fill.
MAX_SECONDS = 60
MAX_BYTES = 8 << 30


@dataclass(frozen=True)
class Mutant:
    """The n-th change that an operator of cosmic-ray can make to a module."""

    module: str
    line: int
    operator: str
    occurrence: int

    def code(self, original: str) -> str:
        """Return the changed code of the module."""
        from cosmic_ray.mutating import mutate_code
        from cosmic_ray.plugins import get_operator

        return str(mutate_code(original, get_operator(self.operator)(), self.occurrence))


def draw_mutants(package: str, size: int, seed: int) -> list[Mutant]:
    """Draw places without replacement, and one of the mutants at each of them."""
    by_place = defaultdict(list)
    for path in sorted((ROOT / "src/abstain" / package).glob("*.py")):
        for mutant, place in _mutants(path):
            by_place[mutant.module, place].append(mutant)
    generator = random.Random(seed)
    places = generator.sample(sorted(by_place), min(size, len(by_place)))
    return [generator.choice(by_place[place]) for place in places]


def _mutants(path: Path) -> Iterator[tuple[Mutant, tuple[int, int]]]:
    """Yield each mutant of a module with its place; annotations are not changed."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    code = path.read_text()
    tree, annotated = get_ast(code), _annotated(code)
    for name in sorted(operator_names()):
        if get_operator(name).arguments():
            continue  # it takes names that somebody must choose
        operator = get_operator(name)()
        places = [
            start for node in ast_nodes(tree) for start, _ in operator.mutation_positions(node)
        ]
        for occurrence, place in enumerate(places):
            if not any(start <= place < end for start, end in annotated):
                module = str(path.relative_to(ROOT))
                yield Mutant(module, place[0], name, occurrence), place


def _annotated(code: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return where the annotations of a module begin and end, as lines and columns."""
    nodes = list(ast.walk(ast.parse(code)))
    annotations = [getattr(node, "annotation", None) for node in nodes]
    annotations += [getattr(node, "returns", None) for node in nodes]
    return [
        ((one.lineno, one.col_offset), (one.end_lineno or one.lineno, one.end_col_offset or 0))
        for one in annotations
        if one is not None
    ]


def try_mutants(package: str, mutants: list[Mutant]) -> list[Mutant]:
    """Return those mutants that pass their tests."""
    copy = _copy(BUILD / package / "copy")
    for tests in sorted({_tests(mutant) for mutant in mutants}):
        if not _pass(copy, tests):
            raise SystemExit(f"the tests must pass before code is changed: {' '.join(tests)}")
    survivors = []
    for number, mutant in enumerate(mutants, start=1):
        module = copy / mutant.module
        original = module.read_text()
        changed = mutant.code(original)
        try:
            module.write_text(changed)
            survives = _pass(copy, _tests(mutant))
        finally:
            module.write_text(original)
        if survives:
            survivors.append(mutant)
        outcome = "survived" if survives else "killed"
        print(
            f"{number}/{len(mutants)} {outcome} {_describe(mutant, original, changed)}", flush=True
        )
    return survivors


def _copy(folder: Path) -> Path:
    """Copy what the tests need."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("src", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("conftest.py", "pyproject.toml"):
        shutil.copy2(ROOT / name, folder / name)
    return folder


def _tests(mutant: Mutant) -> tuple[str, ...]:
    return TESTS[mutant.module.removeprefix("src/abstain/")]


def _pass(copy: Path, tests: tuple[str, ...]) -> bool:
    """Return whether the tests pass; tests that take too long or crash do not."""
    inherited = {name: value for name, value in os.environ.items() if name != "CI"}
    # Bytecode would be taken for current if the code changes within a second.
    settings = {"PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [*PYTEST, *tests],
        cwd=copy,
        env=inherited | settings | {"OMP_NUM_THREADS": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=_limit,
    )
    return done.returncode == 0


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MAX_BYTES, MAX_BYTES))


def _describe(mutant: Mutant, original: str, changed: str) -> str:
    """Return the place of a mutant with its lines before and after the change."""
    lines = difflib.unified_diff(original.splitlines(), changed.splitlines(), n=0, lineterm="")
    return "\n    ".join([f"{mutant.module}:{mutant.line}", *list(lines)[3:]])


def main() -> None:
    """Try a sample of mutants, and say how many survive."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", choices=sorted(SAMPLE_SIZES))
    parser.add_argument("--size", type=int, help="how many mutants to draw")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--again", action="store_true", help="try the last survivors alone")
    options = parser.parse_args()
    record = BUILD / options.package / "survivors.json"
    if options.again:
        mutants = [Mutant(**fields) for fields in json.loads(record.read_text())]
    else:
        size = options.size or SAMPLE_SIZES[options.package]
        mutants = draw_mutants(options.package, size, options.seed)
    survivors = try_mutants(options.package, mutants)
    record.write_text(json.dumps([asdict(one) for one in survivors], indent=1))
    print(f"{len(survivors)} of {len(mutants)} mutants survived")


if __name__ == "__main__":
    main()
