"""One small study that has run from its beginning to its end, for all tests to compare with."""

import pytest

from abstain import __version__
from abstain.study import make_plan, run_study

# As options of the command, and as a plan: ten tasks, a fifth of a second each.
SMALL = ["--quick", "--only", "pearl", "--models", "rslvq,gmlvq,bayes"]


def small_plan():
    return make_plan(quick=True, only=["pearl"], models=["rslvq", "gmlvq", "bayes"])


def run(plan, folder, n_jobs=1, watch=lambda done, total: None):
    return run_study(plan, folder, n_jobs, watch, __version__)


def contents(folder):
    """Return all files of a study, but when and how long it ran."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "run.json"
    }


def put_back(files, folder):
    """Make a folder of such files."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studies") / "finished"
    run(small_plan(), folder)
    return contents(folder)


def quickest_plan():
    return make_plan(quick=True, only=["pearl"], models=["bayes"])


@pytest.fixture(scope="session")
def quickest(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studies") / "quickest"
    run(quickest_plan(), folder)
    return contents(folder)
