"""Does a table that is read ahead come out as it would block by block?"""

import threading

import pytest

from abstain import InputError
from abstain.tables.reading import N_BLOCKS_AHEAD, ReadAhead, open_table


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("n,kind\n" + "".join(f"{n},k{n % 7}\n" for n in range(3_000)))
    return open_table(path, block_size=256)


def readers():
    return [each for each in threading.enumerate() if each.name.startswith("abstain")]


def test_blocks_come_in_their_order(table):
    with ReadAhead(table) as blocks:
        frames = [frame.result() for _, frame in blocks]
    assert len(frames) > 2 * N_BLOCKS_AHEAD
    assert [n for frame in frames for n in frame["n"]] == list(range(3_000))
    assert not readers()


def test_no_more_is_read_than_may_wait(table, monkeypatch):
    read = []
    blocks_of = type(table).blocks

    def counted(self):
        for block in blocks_of(self):
            read.append(block)
            yield block

    monkeypatch.setattr(type(table), "blocks", counted)
    with ReadAhead(table) as blocks:
        for number, (_, frame) in enumerate(blocks, start=1):
            frame.result()
            assert len(read) <= number + N_BLOCKS_AHEAD


def test_leaving_early_leaves_no_thread_behind(table):
    with ReadAhead(table) as blocks:
        next(iter(blocks))
    assert not readers()


def test_an_error_is_raised_at_its_block(table, monkeypatch):
    blocks_of = type(table).blocks

    def torn(self):
        for number, block in enumerate(blocks_of(self)):
            if number == 40:
                raise InputError("the disk is gone")
            yield block

    monkeypatch.setattr(type(table), "blocks", torn)
    heights = []

    def read():
        with ReadAhead(table) as blocks:
            for _, frame in blocks:
                heights.append(frame.result().height)

    with pytest.raises(InputError, match="the disk is gone"):
        read()
    assert len(heights) == 40
    assert not readers()
