"""The README is true: its code and commands run."""

import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


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


def indented_commands():
    without_examples = re.sub(r"```.*?```", "", README, flags=re.DOTALL)
    return [
        line.split("#")[0].strip()
        for line in without_examples.splitlines()
        if line.startswith("    ") and line.strip()
    ]


def test_the_two_commands_are_targets_of_make():
    assert indented_commands()[:2] == ["make demo", "make test"]
    makefile = (ROOT / "Makefile").read_text()
    assert re.search(r"^demo:", makefile, re.MULTILINE)
    assert re.search(r"^test:", makefile, re.MULTILINE)


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


@pytest.mark.slow
def test_the_other_commands_run(tmp_path):
    abstain = [sys.executable, "-m", "abstain"]
    environment = {**os.environ, "COLUMNS": "100"}
    subprocess.run([*abstain, "demo"], cwd=tmp_path, check=True, capture_output=True)
    commands = indented_commands()[2:]
    assert len(commands) == 5
    for command in commands:
        name, *arguments = shlex.split(command)
        assert name == "abstain"
        done = subprocess.run(
            [*abstain, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
    for name in ("my-front.csv", "my-model.abstain", "answers.csv", "my-report.html"):
        assert (tmp_path / "abstain-demo" / name).exists()
    point = json.loads((tmp_path / "abstain-demo" / "my-front.json").read_text())
    assert point["accuracy"] >= 0.9
    assert (tmp_path / "abstain-study" / "claims.csv").exists()


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
