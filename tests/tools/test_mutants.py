"""Mutants are tried on tests that exist, and annotations are left alone."""

import ast

from tools.mutants import ROOT, SAMPLE_SIZES, SIMULATION, TESTS, _annotated


def test_every_module_has_tests_that_exist():
    modules = [
        path.relative_to(ROOT / "src/abstain").as_posix()
        for package in SAMPLE_SIZES
        for path in sorted((ROOT / "src/abstain" / package).glob("*.py"))
        if path.name != "__init__.py"
    ]
    assert sorted(TESTS) == modules
    assert all((ROOT / test).exists() for tests in TESTS.values() for test in tests)
    file, _, name = SIMULATION.partition("::")
    functions = ast.walk(ast.parse((ROOT / file).read_text()))
    assert name in [node.name for node in functions if isinstance(node, ast.FunctionDef)]


def test_annotations_are_found_where_they_are():
    code = "def f(x: int | None, y=1 | 2) -> int | str:\n    z: int | bool = x | y\n"
    lines = code.splitlines()
    annotations = {lines[start[0] - 1][start[1] : end[1]] for start, end in _annotated(code)}
    assert annotations == {"int | None", "int | str", "int | bool"}
