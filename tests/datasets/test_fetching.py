"""A set that is not in the data folder is downloaded whole and checked, or not at all."""

import socket
import sys
from dataclasses import replace
from hashlib import sha256

import numpy as np
import pytest

from abstain import InputError, datasets
from abstain.datasets import real
from abstain.datasets.sources import SHA256, SOURCES, Source
from tests.datasets import published
from tests.datasets.facts import FACTS

RAW = b"width,height,target\n1.5,2,a\n,4,b\n5,6,a\n"
REMEDY = "or set ABSTAIN_DATA_HOME to a folder that has toy.csv"


def _toy(address):
    return Source(
        name="toy",
        title="A toy",
        summary="Load a toy.",
        files={"toy.csv": (3, 2)},
        addresses=(address,),
        convert=lambda raw: [raw],
        classes={"a": "first", "b": "second"},
        attributes=(),
        description="Made up.\n",
    )


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "not" / "yet" / "there"


@pytest.fixture
def address(publisher, monkeypatch):
    address = publisher.publish("toy", RAW)
    monkeypatch.setitem(SOURCES, "toy", _toy(address))
    monkeypatch.setitem(SHA256, "toy.csv", sha256(RAW).hexdigest())
    return address


def _load_toy(folder):
    return real._loader("toy")(data_home=folder)


def _message(folder):
    """The one line that a failed download tells; nothing is left in the folder."""
    with pytest.raises(InputError) as caught:
        _load_toy(folder)
    message = str(caught.value)
    assert "\n" not in message
    assert not folder.exists() or list(folder.iterdir()) == []
    return message


def test_what_is_not_there_is_downloaded_and_kept(publisher, address, folder):
    toy = _load_toy(folder)
    np.testing.assert_array_equal(toy.data, [[1.5, 2], [np.nan, 4], [5, 6]])
    assert toy.target_names[toy.target].tolist() == ["first", "second", "first"]
    assert [path.name for path in folder.iterdir()] == ["toy.csv"]
    assert (folder / "toy.csv").read_bytes() == RAW


def test_what_is_there_is_not_downloaded_again(publisher, address, folder):
    _load_toy(folder)
    _load_toy(folder)
    assert publisher.asked == ["/toy"]


def test_the_folder_of_the_environment_is_used(publisher, address, folder, monkeypatch):
    monkeypatch.setenv("ABSTAIN_DATA_HOME", str(folder))
    _load_toy(None)
    assert (folder / "toy.csv").read_bytes() == RAW


@pytest.mark.parametrize("facts", FACTS, ids=lambda facts: facts.name)
def test_every_set_comes_from_what_its_source_publishes(
    facts, publisher, folder, real_data, monkeypatch
):
    source = SOURCES[facts.name]
    raws = getattr(published, facts.name)(real_data)
    addresses = [publisher.publish(f"raw{i}", raw) for i, raw in enumerate(raws)]
    assert len(addresses) == len(source.addresses)
    monkeypatch.setitem(SOURCES, facts.name, replace(source, addresses=tuple(addresses)))
    load = getattr(datasets, f"load_{facts.name}")
    X, y = load(return_X_y=True, data_home=folder)
    expected_X, expected_y = load(return_X_y=True, data_home=real_data)
    np.testing.assert_array_equal(X, expected_X)
    np.testing.assert_array_equal(y, expected_y)
    assert {path.name for path in folder.iterdir()} == set(source.files)


def test_other_values_are_refused(publisher, address, folder):
    publisher.publish("toy", RAW.replace(b"1.5", b"1.6"))
    digest = sha256(RAW.replace(b"1.5", b"1.6")).hexdigest()
    assert _message(folder) == (
        f"cannot get the toy data from {address}: the download is not the known data: "
        f"its SHA-256 is {digest} instead of {sha256(RAW).hexdigest()}; try again later, {REMEDY}"
    )


def test_fewer_samples_are_refused(publisher, address, folder):
    publisher.publish("toy", RAW.replace(b"5,6,a\n", b""))
    assert "its shape is (2, 2) instead of (3, 2); try again later" in _message(folder)


@pytest.mark.parametrize(
    "content", [b"", b"<html>\n<p>Sign in, please</p>\n</html>\n", b"\xff\xfe\x00", RAW + b"7\n"]
)
def test_what_is_no_table_is_refused(content, publisher, address, folder):
    publisher.publish("toy", content)
    assert f"from {address}: the download is not the known data: " in _message(folder)


@pytest.mark.parametrize("facts", FACTS, ids=lambda facts: facts.name)
@pytest.mark.parametrize("content", [b"", b"<html>\n<p>a, b</p>\n</html>\n", b"\xff\xfe\x00"])
def test_what_is_not_in_the_format_of_its_source_is_refused(
    facts, content, publisher, folder, monkeypatch
):
    source = SOURCES[facts.name]
    address = publisher.publish("raw", content)
    addresses = (address,) * len(source.addresses)
    monkeypatch.setitem(SOURCES, facts.name, replace(source, addresses=addresses))
    with pytest.raises(InputError, match=r"the download is not the known data: .+; ") as caught:
        getattr(datasets, f"load_{facts.name}")(data_home=folder)
    assert "\n" not in str(caught.value)
    assert list(folder.iterdir()) == []


def test_a_connection_that_is_cut_leaves_nothing(publisher, address, folder):
    publisher.faults = ["cut"]
    assert _message(folder) == (
        f"cannot get the toy data from {address}: the connection was cut before the end; "
        f"check the network, {REMEDY}"
    )


def test_nor_does_one_whose_length_was_not_sent(publisher, address, folder):
    publisher.faults = ["cut, length unknown"]
    assert "the download is not the known data" in _message(folder)


def test_a_second_attempt_may_succeed(publisher, address, folder, monkeypatch):
    monkeypatch.setattr(real, "RETRIES", 1)
    publisher.faults = ["cut"]
    assert _load_toy(folder).data.shape == (3, 2)
    assert publisher.asked == ["/toy", "/toy"]


def test_no_connection_is_reported(publisher, folder, monkeypatch):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/toy"
    monkeypatch.setitem(SOURCES, "toy", _toy(address))
    assert _message(folder) == (
        f"cannot get the toy data from {address}: there is no connection to the server; "
        f"check the network, {REMEDY}"
    )


def test_a_file_that_is_no_longer_published_is_reported(publisher, address, folder):
    publisher.files.clear()
    assert f"from {address}: the server answered 404 Not Found; " in _message(folder)


def test_a_server_that_does_not_answer_is_not_waited_for(publisher, address, folder, monkeypatch):
    monkeypatch.setattr(real, "TIMEOUT", 0.2)
    publisher.faults = ["silent"]
    assert f"from {address}: no answer within 0.2 seconds; " in _message(folder)


def test_an_address_that_is_none_is_reported(publisher, folder, monkeypatch):
    monkeypatch.setitem(SOURCES, "toy", _toy("http://"))
    assert "cannot get the toy data from http://: Invalid URL" in _message(folder)


def test_a_failed_download_leaves_other_files_alone(publisher, address, folder):
    folder.mkdir(parents=True)
    (folder / "other.csv").write_text("mine")
    publisher.faults = ["cut"]
    with pytest.raises(InputError, match="the connection was cut"):
        _load_toy(folder)
    assert [path.name for path in folder.iterdir()] == ["other.csv"]


def test_a_file_that_has_changed_is_refused_and_kept(publisher, address, folder):
    _load_toy(folder)
    changed = RAW.replace(b"a", b"b", 1)
    (folder / "toy.csv").write_bytes(changed)
    with pytest.raises(InputError) as caught:
        _load_toy(folder)
    message = str(caught.value)
    assert message.startswith(f"{folder / 'toy.csv'} is not the known data: its SHA-256 is ")
    assert message.endswith("to have it downloaded again, or choose another data_home")
    assert "\n" not in message
    assert (folder / "toy.csv").read_bytes() == changed
    assert publisher.asked == ["/toy"]


def test_a_file_that_cannot_be_read_is_reported(address, folder):
    (folder / "toy.csv").mkdir(parents=True)
    with pytest.raises(InputError, match=r"cannot read .*toy\.csv: Is a directory; choose"):
        _load_toy(folder)


def test_a_folder_that_cannot_be_made_is_reported_before_the_download(publisher, address, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"cannot create the data folder .*file/sub: Not a dir"):
        _load_toy(tmp_path / "file" / "sub")
    assert publisher.asked == []


@pytest.mark.parametrize(("name", "package"), [("haberman", "pooch"), ("coil20", "PIL")])
def test_without_the_extra_a_download_is_refused_in_one_line(name, package, folder, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError) as caught:
        getattr(datasets, f"load_{name}")(data_home=folder)
    assert str(caught.value) == (
        f"downloading the {name} data needs {package}, which is not installed: "
        "pip install '.[data]', in a copy of the project"
    )
    assert not folder.exists()


def test_without_the_extra_what_is_there_can_be_read(address, folder, monkeypatch):
    _load_toy(folder)
    monkeypatch.setitem(sys.modules, "pooch", None)
    assert _load_toy(folder).data.shape == (3, 2)
