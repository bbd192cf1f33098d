"""The README and the quick start are true: their code and commands run, with what they install."""

import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
QUICK_START = (ROOT / "docs" / "quick-start.md").read_text(encoding="utf-8")


EXAMPLES = list(
    zip(
        re.findall(r"```python\n(.*?)```", README, re.DOTALL),
        re.findall(r"```text\n(.*?)```", README, re.DOTALL),
        strict=True,
    )
)


def run(code):
    printed, names = io.StringIO(), {}
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    return printed.getvalue(), names


@pytest.mark.parametrize(("code", "promised"), EXAMPLES, ids=["rejects", "models"])
def test_an_example_prints_what_the_readme_says(code, promised):
    assert run(code)[0] == promised


def test_the_first_example_has_ten_lines_and_certifies_what_it_asks_for():
    code = EXAMPLES[0][0]
    assert len([line for line in code.splitlines() if line]) == 10
    clf = run(code)[1]["clf"]
    assert clf.operating_point_.guarantee.bound >= clf.target.accuracy


def test_the_readme_is_short():
    assert len(README.encode()) < 9_000


def indented_commands(text):
    """Return the commands of a page, without those of blocks of code."""
    without_examples = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return [
        line.split("#")[0].strip()
        for line in without_examples.splitlines()
        if line.startswith("    ") and line.strip()
    ]


def test_commands_of_make_are_targets():
    named = [line.split()[1] for line in indented_commands(README) if line.startswith("make ")]
    assert {"demo", "test"} <= set(named)
    makefile = (ROOT / "Makefile").read_text()
    for target in named:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


@pytest.mark.slow
def test_make_demo_runs_and_ends_with_where_the_results_are():
    if subprocess.run(["make", "--question", ".venv/ready"], cwd=ROOT).returncode:
        pytest.skip("this environment is not the one that make would use: run `make test`")
    # Nothing of the make that may be running these tests.
    environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    done = subprocess.run(
        ["make", "demo"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1].strip() == "The results are in abstain-demo"


# --- an environment with nothing but what was installed -----------------------------------------

HIDING = """
import sys
from importlib.machinery import PathFinder

class Hiding(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name in {names} else super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Hiding
"""


def required(extras):
    """Return the distributions that pip brings for the package with some extras."""
    brought, waiting = set(), [("abstain", frozenset(extras))]
    while waiting:
        name, wanted = waiting.pop()
        if (name, wanted) in brought:
            continue
        brought.add((name, wanted))
        for line in metadata.requires(name) or ():
            requirement = Requirement(line)
            marker = requirement.marker
            if not marker or any(marker.evaluate({"extra": extra}) for extra in ("", *wanted)):
                waiting.append((canonical(requirement.name), frozenset(requirement.extras)))
    return {name for name, _ in brought}


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def hide_what_is_not_installed(folder, extras):
    """Hide all other distributions from Python processes whose path begins with the folder."""
    brought = required(extras)
    names = {
        module
        for module, owners in metadata.packages_distributions().items()
        if not brought.intersection(map(canonical, owners))
    }
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(HIDING.format(names=sorted(names)))


# The extras are those of the commands `pip install` that stand before.
@pytest.mark.slow
@pytest.mark.parametrize("page", [README, QUICK_START], ids=["README", "quick start"])
def test_the_commands_of_a_page_run_with_what_it_installs(page, tmp_path):
    site, folder, extras, n_run = tmp_path / "site", tmp_path / "work", set(), 0
    folder.mkdir()
    environment = {**os.environ, "COLUMNS": "100", "PYTHONPATH": str(site)}
    for command in indented_commands(page):
        program, *arguments = shlex.split(command)
        if program == "pip":
            extras.update(re.fullmatch(r"\.\[(.+)\]", arguments[-1])[1].split(","))
            hide_what_is_not_installed(site, extras)
        elif program == "abstain":
            done = subprocess.run(
                [sys.executable, "-m", "abstain", *arguments],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, done.stderr
            if "--out" in arguments:
                assert (folder / arguments[arguments.index("--out") + 1]).exists()
            n_run += 1
    assert n_run >= 4
    front = folder / "abstain-demo" / "my-front.json"
    if front.exists():
        assert json.loads(front.read_text())["accuracy"] >= 0.9


@pytest.mark.slow
def test_a_command_without_its_extra_names_it(tmp_path):
    hide_what_is_not_installed(tmp_path / "site", set())
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    command = [sys.executable, "-m", "abstain"]
    done = subprocess.run(
        [*command, "demo"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.rglob("*.html"))
    for extra in ("report", "plot"):
        assert f"pip install '.[{extra}]'" in done.stdout


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", README):
        assert (ROOT / target).exists(), target
