"""The data folder is the one asked for, else the environment's, else the user's cache."""

from pathlib import Path

import pytest

from abstain import InputError
from abstain.datasets.real import data_folder


@pytest.fixture(autouse=True)
def _environment(monkeypatch):
    monkeypatch.delenv("ABSTAIN_DATA_HOME", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", "/home/ada")


def test_what_is_asked_for_wins(monkeypatch, tmp_path):
    monkeypatch.setenv("ABSTAIN_DATA_HOME", "/elsewhere")
    assert data_folder(tmp_path) == data_folder(str(tmp_path)) == tmp_path
    assert data_folder("~/data") == Path("/home/ada/data")


def test_the_environment_comes_next(monkeypatch):
    monkeypatch.setenv("ABSTAIN_DATA_HOME", "~/data")
    assert data_folder() == Path("/home/ada/data")


def test_the_cache_comes_last(monkeypatch):
    assert data_folder() == Path("/home/ada/.cache/abstain")
    monkeypatch.setenv("ABSTAIN_DATA_HOME", "")
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/cache")
    assert data_folder() == Path("/var/cache/abstain")


def test_what_is_no_folder_is_refused(tmp_path):
    with pytest.raises(InputError, match="data_home must be the path of a folder or None, got 3"):
        data_folder(3)
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(InputError, match=r"data_home must be a folder, got the file .*ABSTAIN_"):
        data_folder(file)
