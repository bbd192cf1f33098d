"""Laws of output files: whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from abstain import InputError
from abstain._core import files as _files
from abstain._core.files import (
    atomic_files,
    check_can_write,
    check_keeps_inputs,
    check_regular_file,
    name_file_if,
    temporary_folder,
)
from tests.drafts import left_draft


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_an_error_that_names_its_file_keeps_its_parts(tmp_path):
    parts = {"argument": "cell", "value": "x", "requirement": "is no column", "remedy": "use y"}
    with pytest.raises(InputError) as caught, name_file_if(True, tmp_path / "a.csv"):
        raise InputError(**parts)
    assert str(caught.value) == f"{tmp_path / 'a.csv'}: cell='x' is no column; use y"
    assert {name: getattr(caught.value, name) for name in parts} == parts


def test_files_appear_together_at_the_end(tmp_path):
    with atomic_files(tmp_path / "a.csv", tmp_path / "b.json") as drafts:
        for draft in drafts:
            draft.write_text("new")
        assert not {"a.csv", "b.json"} & set(names(tmp_path))
    assert names(tmp_path) == ["a.csv", "b.json"]
    assert (tmp_path / "a.csv").read_text() == "new"


def test_a_draft_lies_beside_its_target_with_the_same_suffix(tmp_path):
    with atomic_files(tmp_path / "a.parquet") as (draft,):
        assert (draft.parent, draft.suffix) == (tmp_path, ".parquet")


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_a_failure_leaves_nothing_new_and_keeps_the_old(tmp_path, failure):
    (tmp_path / "old.csv").write_text("old")

    def write_half():
        with atomic_files(tmp_path / "old.csv", tmp_path / "new.csv") as (draft, _):
            draft.write_text("half")
            raise failure

    with pytest.raises(failure):
        write_half()
    assert names(tmp_path) == ["old.csv"]
    assert (tmp_path / "old.csv").read_text() == "old"


def test_a_full_disk_is_reported_in_one_line(tmp_path):
    def write():
        with atomic_files(tmp_path / "a.csv", tmp_path / "b.csv"):
            raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match=r"cannot write .*a\.csv, .*b\.csv: No space left"):
        write()
    assert names(tmp_path) == []


def test_a_failing_move_names_the_path_and_leaves_no_draft(tmp_path, monkeypatch):
    def refuse(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    with (
        pytest.raises(InputError, match=r"cannot write .*a\.csv: No space left"),
        atomic_files(tmp_path / "a.csv"),
    ):
        pass
    assert names(tmp_path) == []


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    with atomic_files(tmp_path / "link.csv") as (draft,):
        draft.write_text("new")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text() == "new"


def test_permissions_are_those_of_the_file_that_is_replaced(tmp_path):
    (tmp_path / "a.csv").touch(mode=0o600)
    with atomic_files(tmp_path / "a.csv"):
        pass
    assert stat.S_IMODE((tmp_path / "a.csv").stat().st_mode) == 0o600


def test_permissions_of_a_new_file_are_the_usual_ones(tmp_path):
    (tmp_path / "usual").touch()
    with atomic_files(tmp_path / "a.csv"):
        pass
    assert (tmp_path / "a.csv").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_name_as_long_as_names_can_be(tmp_path):
    path = tmp_path / ("n" * 251 + ".csv")
    with atomic_files(path) as (draft,):
        draft.write_text("x")
    assert path.read_text() == "x"


def test_check_leaves_nothing_behind(tmp_path):
    check_can_write(tmp_path / "a.csv")
    assert names(tmp_path) == []


def test_refuses_a_missing_folder(tmp_path):
    with pytest.raises(InputError, match=r"cannot write .*a\.csv: there is no folder .*nowhere;"):
        check_can_write(tmp_path / "nowhere" / "a.csv")


def test_refuses_a_file_as_folder(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"cannot write .*a\.csv: .*file is not a folder;"):
        check_can_write(tmp_path / "file" / "a.csv")


def test_refuses_a_folder_as_target(tmp_path):
    with pytest.raises(InputError, match="it is a folder; name a file in it"):
        check_can_write(tmp_path)


def test_refuses_what_is_no_regular_file(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(InputError, match="not a regular file"):
        check_can_write(tmp_path / "pipe.csv")


def test_refuses_a_name_that_is_too_long(tmp_path):
    with pytest.raises(InputError, match=r"cannot write .*too long; choose another "):
        check_can_write(tmp_path / ("n" * 300 + ".csv"))


def test_refuses_a_folder_that_is_not_writable(tmp_path, monkeypatch):
    def refuse(self, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "touch", refuse)
    with pytest.raises(InputError, match=r"cannot write .*a\.csv: Permission denied; "):
        check_can_write(tmp_path / "a.csv")


# --- drafts of processes that were killed -------------------------------------------------------


def test_the_next_run_removes_what_a_killed_process_has_left(tmp_path):
    left_draft(tmp_path / "a.csv").write_text("half")
    folder = left_draft(tmp_path / "a")
    folder.mkdir()
    (folder / "part").write_text("half")
    check_can_write(tmp_path / "b.csv")
    assert names(tmp_path) == []


def test_drafts_that_may_be_in_use_are_left_alone(tmp_path, monkeypatch):
    left = left_draft(tmp_path / "a.csv")
    machine, process = left.name.split("-")[1:3]
    others = [
        left.name.replace(machine, "0123456789abcdef"),  # of another machine
        left.name.replace(f"-{process}-", f"-{os.getpid()}-"),  # of this process
        left.name.replace(f"-{process}-", f"-{os.getppid()}-"),  # of one that is alive
        ".abstain-0123456789abcdef.csv",  # nobody knows of whom
        ".abstain-notes",
    ]
    for name in others:
        (tmp_path / name).touch()
    check_can_write(tmp_path / "b.csv")
    assert names(tmp_path) == sorted(others)
    # Where machines cannot be distinguished, nothing is removed.
    left.touch()
    monkeypatch.setattr(_files, "_machine", lambda: None)
    check_can_write(tmp_path / "b.csv")
    assert names(tmp_path) == sorted([*others, left.name])


def test_a_folder_is_removed_with_all_that_is_in_it(tmp_path):
    with temporary_folder(tmp_path / "a.csv") as folder:
        assert folder.parent == tmp_path
        (folder / "part").touch()
    assert names(tmp_path) == []


# Before a name leads to a file, the file is on the disk; then so is the name.
def test_files_and_folders_are_synced(tmp_path, monkeypatch):
    done = []

    def sync(number):
        done.append(os.readlink(f"/proc/self/fd/{number}"))

    def replace(source, target):
        done.append(("moved", str(source)))

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(os, "replace", replace)
    with atomic_files(tmp_path / "a.csv", tmp_path / "b.csv") as drafts:
        pass
    first, second = map(str, drafts)
    moved = [("moved", first), ("moved", second)]
    assert done == [first, second, *moved, str(tmp_path)]


# --- inputs are regular files -------------------------------------------------------------------


def test_a_regular_file_may_be_read_by_name_or_link(tmp_path):
    (tmp_path / "a.csv").touch()
    (tmp_path / "link.csv").symlink_to("a.csv")
    check_regular_file(tmp_path / "a.csv")
    check_regular_file(tmp_path / "link.csv")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("none.csv", r".*none\.csv does not exist; check the path"),
        ("file/none.csv", r".*none\.csv does not exist; check the path"),
        ("folder", ".*folder is a folder; name a file in it"),
        ("pipe", ".*pipe is a pipe; write its content to a file, and name that"),
        ("/dev/zero", "/dev/zero is a device; write its content to a file, and name that"),
        ("loop", ".*loop cannot be read: Too many levels of symbolic links; check the path"),
        ("n" * 300, ".*n cannot be read: File name too long; check the path"),
    ],
)
def test_refuses_to_read_what_is_no_regular_file(tmp_path, name, said):
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match=f"^{said}$"):
        check_regular_file(tmp_path / name)


# --- inputs are left alone ----------------------------------------------------------------------


def link_by_name(link, file):
    link.symlink_to(file)


def link_twice(link, file):
    link.with_name("between").symlink_to(file)
    link.symlink_to(link.with_name("between"))


def link_folder(link, file):
    link.symlink_to(file.parent, target_is_directory=True)


@pytest.mark.parametrize(
    ("make", "output", "said"),
    [
        (None, "in.csv", "it is the table itself; choose another name"),
        (None, "../{folder}/in.csv", r"it is the table .*in\.csv; choose another name"),
        (link_by_name, "link", r"it is the table .*in\.csv;"),
        (link_twice, "link", r"it is the table .*in\.csv;"),
        (link_folder, "link/in.csv", r"it is the table .*in\.csv;"),
    ],
    ids=["name", "way round", "link", "two links", "linked folder"],
)
@pytest.mark.parametrize("is_there", [True, False])
def test_refuses_an_output_that_is_an_input(tmp_path, make, output, said, is_there):
    file = tmp_path / "in.csv"
    file.write_text("kept")
    if make is not None:
        make(tmp_path / "link", file)
    if not is_there:
        file.unlink()
    with pytest.raises(InputError, match=f"cannot write .*: {said}"):
        check_keeps_inputs([tmp_path / output.format(folder=tmp_path.name)], {file: "the table"})


def test_a_hard_link_to_an_input_is_the_input(tmp_path):
    (tmp_path / "in.csv").write_text("kept")
    os.link(tmp_path / "in.csv", tmp_path / "out.csv")
    with pytest.raises(InputError, match=r"it is the table .*in\.csv;"):
        check_keeps_inputs([tmp_path / "out.csv"], {tmp_path / "in.csv": "the table"})


def test_refuses_two_outputs_that_are_one(tmp_path):
    (tmp_path / "b.csv").symlink_to(tmp_path / "a.csv")
    with pytest.raises(InputError, match=r"cannot write .*b\.csv: it is another output, .*a\.csv;"):
        check_keeps_inputs([tmp_path / "a.csv", tmp_path / "b.csv"], {})


def test_other_files_of_the_same_content_are_no_inputs(tmp_path):
    for name in ("in.csv", "out.csv"):
        (tmp_path / name).write_text("same")
    check_keeps_inputs([tmp_path / "out.csv", tmp_path / "new.csv"], {tmp_path / "in.csv": "it"})


def test_a_circle_of_links_is_no_place_for_an_output(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    one.symlink_to(other)
    other.symlink_to(one)
    with pytest.raises(InputError, match="its links lead in a circle; choose another name"):
        check_can_write(one)
    assert one.is_symlink()
