"""The documentation is whole and true, as far as that can be told without building it.

`make docs` builds it, with every warning an error; it draws the pictures and runs the gallery.
"""

import contextlib
import importlib
import io
import pkgutil
import re
import shlex
from pathlib import Path

import pytest
import typer

import abstain
from abstain.cli import app

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
MADE_BY_THE_BUILD = ("api/generated", "auto_examples")
PAGES = sorted(
    path
    for path in [*DOCS.rglob("*.md"), *DOCS.rglob("*.rst")]
    if not path.relative_to(DOCS).as_posix().startswith((*MADE_BY_THE_BUILD, "_", "sg_"))
)


def name_of(page):
    return page.relative_to(DOCS).with_suffix("").as_posix()


# --- one thing is written in one way ------------------------------------------------------------

WRITTEN = [
    *PAGES,
    *ROOT.glob("*.md"),
    *(ROOT / "src").rglob("*.jinja"),
    *(ROOT / "src").rglob("*.js"),
]


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_percentages_have_no_blank_as_on_the_screens(page):
    assert not re.findall(r".{0,20}[0-9>] %(?!\}).{0,20}", page.read_text(encoding="utf-8"))


# --- every page can be found --------------------------------------------------------------------


def entries(page):
    """Return the pages that the toctrees of a page name, from the root of the documentation."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```{toctree}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    blocks += re.findall(r"^\.\. toctree::\n((?:   .*\n|\n)+)", text, re.MULTILINE)
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    named = [re.sub(r".*<(.*)>", r"\1", line) for line in lines if line and line[0] != ":"]
    return [(page.parent / name).relative_to(DOCS).as_posix() for name in named]


def test_every_page_is_in_one_toctree():
    named = [name for page in PAGES for name in entries(page)]
    written = [name for name in named if not name.startswith(MADE_BY_THE_BUILD)]
    assert sorted([*written, "index"]) == [name_of(page) for page in PAGES]
    assert "auto_examples/index" in named


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", text):
            is_made = "auto_examples" in target
            is_elsewhere = re.match("https?:", target)
            assert is_made or is_elsewhere or (page.parent / target).exists(), (page.name, target)


# --- every public name is in the reference ------------------------------------------------------

# Commands are documented by their --help and in the guide.
NOT_IN_THE_REFERENCE = {"cli"}


def public_modules():
    names = [info.name for info in pkgutil.iter_modules(abstain.__path__)]
    return [name for name in names if name[0] != "_" and name not in NOT_IN_THE_REFERENCE]


def listed(text):
    """Return the dotted names that a page of the reference documents."""
    names, module = [], "abstain"
    is_inside = False
    for line in text.splitlines():
        if line.startswith(".. currentmodule:: "):
            module = line.split()[-1]
        elif line.startswith(".. data:: "):
            names.append(line.split()[-1])
            is_inside = False
        elif line and not line.startswith("   "):
            is_inside = line.startswith(".. autosummary::")
        elif is_inside and line.strip() and not line.strip().startswith(":"):
            names.append(f"{module}.{line.strip()}")
    return names


REFERENCE = [name for page in DOCS.glob("api/*.rst") for name in listed(page.read_text())]


def test_the_reference_names_what_exists_once():
    assert len(set(REFERENCE)) == len(REFERENCE)
    for name in REFERENCE:
        pkgutil.resolve_name(name)


@pytest.mark.parametrize("module", ["", *public_modules()])
def test_every_public_name_is_in_the_reference(module):
    home = importlib.import_module(f"abstain.{module}".rstrip("."))
    # A name may be documented where callers import it from, rather than where it lies; what is
    # no function or class can only be told by its own name.
    documented = {id(pkgutil.resolve_name(name)) for name in REFERENCE}
    missing = [
        f"{home.__name__}.{name}"
        for name in home.__all__
        if f"{home.__name__}.{name}" not in REFERENCE
        and id(getattr(home, name)) not in documented
        and name not in public_modules()
    ]
    assert missing == [], "list these in an autosummary of docs/api"


def test_every_page_of_the_reference_documents_something():
    for page in PAGES:
        if page.parent.name == "api" and page.stem != "index":
            assert listed(page.read_text(encoding="utf-8")), page


# --- the code runs ------------------------------------------------------------------------------

BLOCK = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", re.DOTALL)
WITH_CODE = [page for page in PAGES if BLOCK.search(page.read_text(encoding="utf-8"))]


def test_there_is_code():
    assert {"quick-start", "guide/coming-from"} <= {name_of(page) for page in WITH_CODE}


@pytest.mark.parametrize("page", WITH_CODE, ids=name_of)
def test_the_code_of_a_page_prints_what_the_page_says(page, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason="pip install '.[plot]' to run the quick start")
    monkeypatch.chdir(tmp_path)
    names = {}
    for code, promised in BLOCK.findall(page.read_text(encoding="utf-8")):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        assert printed.getvalue() == promised


# --- commands exist -----------------------------------------------------------------------------

COMMAND_LINE = (DOCS / "guide" / "command-line.md").read_text(encoding="utf-8")
QUICK_START = (DOCS / "quick-start.md").read_text(encoding="utf-8")
GROUP = typer.main.get_command(app)
# The build runs those of a block `{console}`, and shows what they print.
RUN = "".join(re.findall(r"^```{console}\n(.*?)^```", COMMAND_LINE, re.MULTILINE | re.DOTALL))
LINES = [
    *re.findall(
        r"^    abstain (.+)$", (COMMAND_LINE + QUICK_START).replace("\\\n", " "), re.MULTILINE
    ),
    *re.findall(r"^abstain (.+)$", RUN.replace("\\\n", " "), re.MULTILINE),
]


def options_of(command):
    return {option for parameter in command.params for option in parameter.opts}


def test_every_command_is_on_the_page():
    assert set(re.findall(r"(?<![.\w])abstain ([a-z]+)", COMMAND_LINE)) == set(GROUP.commands)


def test_every_option_on_the_page_is_one_of_some_command():
    known = {"--help"} | options_of(GROUP)
    known = known.union(*map(options_of, GROUP.commands.values()))
    assert set(re.findall(r"--[a-z][a-z-]+", COMMAND_LINE)) <= known


def test_the_page_shows_what_commands_print():
    assert {"demo", "fit", "predict", "report", "monitor", "recalibrate", "front"} <= set(
        re.findall(r"^abstain ([a-z]+)", RUN, re.MULTILINE)
    )


@pytest.mark.parametrize("line", LINES)
def test_a_command_on_the_pages_takes_its_options(line):
    name, *arguments = shlex.split(line)
    given = {word for word in arguments if word.startswith("--")}
    assert given <= options_of(GROUP.commands[name])


def test_reports_are_made_of_other_rows_than_models():
    fitted = {shlex.split(line)[1] for line in LINES if line.startswith("fit ")}
    reported = {shlex.split(line)[2] for line in LINES if line.startswith("report ")}
    assert fitted
    assert reported
    assert fitted.isdisjoint(reported)


# --- examples and building ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "script", sorted((ROOT / "examples").rglob("*.py")), ids=lambda it: it.stem
)
def test_an_example_opens_with_the_title_of_its_page(script):
    title, underline = script.read_text(encoding="utf-8").lstrip('"\n').splitlines()[:2]
    assert set(underline) == {"="}
    assert len(underline) >= len(title)


def test_what_must_hold_before_a_change_lands_has_all_tests_and_the_documentation():
    makefile, ci = (ROOT / name for name in ("Makefile", ".ci/run"))
    commands = re.findall(r"^make (.+?)(?: PYTEST_ARGS.*)?$", ci.read_text(), re.MULTILINE)
    assert {"test", "test-slow", "docs"} <= set(commands)
    assert "sphinx --fail-on-warning" in makefile.read_text()


# What make test leaves out is exactly what make test-slow runs.
def test_the_markers_that_make_names_are_registered(pytestconfig):
    makefile = (ROOT / "Makefile").read_text()
    (marked,) = re.findall(r"^MARKED = (.+)$", makefile, re.MULTILINE)
    assert '-m "not ($(MARKED))"' in makefile
    assert '-m "$(MARKED)"' in makefile
    known = {line.split(":")[0] for line in pytestconfig.getini("markers")}
    assert set(marked.split(" or ")) <= known
