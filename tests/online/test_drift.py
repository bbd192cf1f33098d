"""Evidence of drift: rare where nothing changes, soon where something does."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from abstain.online.drift import MARGIN, MEAN_RUN, add_block, have_drifted, no_drift


def blocks_until_alarm(rng, probability, expected, n_blocks, size=50):
    sums = no_drift(1)
    cells, weight = np.zeros(size, int), np.full(size, 1e6)
    for block in range(n_blocks):
        events = rng.random(size) < probability
        sums = add_block(sums, cells, events, np.full(size, expected), weight)
        if have_drifted(sums).any():
            return block + 1
    return None


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.randoms())
def test_the_order_within_a_block_changes_nothing(events, random):
    other = list(events)
    random.shuffle(other)
    one, two = (
        add_block(
            no_drift(1),
            np.zeros(len(each), int),
            np.array(each),
            np.full(len(each), 0.3),
            np.full(len(each), 50.0),
        )
        for each in (events, other)
    )
    np.testing.assert_allclose(one, two, rtol=1e-9)


def test_evidence_grows_no_faster_than_the_samples_without_drift():
    rng, size = np.random.default_rng(0), 20
    limit = 0.2 * MARGIN / (1 - 0.2 + 0.2 * MARGIN)
    final = []
    for _ in range(2000):
        sums = no_drift(1)
        for _ in range(3):
            events = rng.random(size) < limit
            sums = add_block(
                sums, np.zeros(size, int), events, np.full(size, 0.2), np.full(size, 1e12)
            )
        final.append(np.exp(sums[0, 0]))
    mean, error = np.mean(final, axis=0), np.std(final, axis=0) / np.sqrt(len(final))
    assert (mean[:3] < 60 + 4 * error[:3]).all()  # alternatives with a finite spread


def test_false_alarms_are_rare():
    rng = np.random.default_rng(0)
    found = [blocks_until_alarm(rng, 0.2, 0.2, 200) for _ in range(10)]
    assert found == [None] * 10  # each of half the length of a mean run
    assert MEAN_RUN == 200 * 50 * 2


def test_a_change_in_either_direction_is_found():
    rng = np.random.default_rng(0)
    assert blocks_until_alarm(rng, 0.4, 0.2, 20) is not None
    assert blocks_until_alarm(rng, 0.07, 0.2, 20) is not None


def test_only_the_cell_that_changed_has_an_alarm():
    rng, sums = np.random.default_rng(0), no_drift(8)
    cells = np.repeat(np.arange(8), 40)
    for _ in range(6):
        events = rng.random(320) < np.where(cells == 3, 0.7, 0.2)
        sums = add_block(sums, cells, events, np.full(320, 0.2), np.full(320, 1e6))
        if have_drifted(sums).any():
            break
    assert np.flatnonzero(have_drifted(sums)[1:]).tolist() == [3]
