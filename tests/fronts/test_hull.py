"""The convex envelope: below every step, touched at its vertices, by integers where it matters."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from abstain.fronts.hull import _drop_reflex, build_envelope
from abstain.fronts.staircases import build_staircases
from tests.fronts.strategies import half_tied


@given(half_tied(max_size=60))
def test_minorants_are_convex_and_below_every_step(data):
    staircases = build_staircases(*data)
    envelope = build_envelope(staircases)
    for cell in range(staircases.n_cells):
        own = slice(*envelope.vertex_starts[cell : cell + 2])
        vertices = envelope.vertices[own]
        e, l = staircases.true_rejects[vertices], staircases.false_rejects[vertices]  # noqa: E741
        slopes = np.diff(l) / np.diff(e)
        assert (np.diff(slopes) > 0).all()
        steps = slice(*staircases.starts[cell : cell + 2])
        line = np.interp(staircases.true_rejects[steps], e, l)
        assert (line <= staircases.false_rejects[steps] + 1e-9).all()


# Rounding may leave a vertex where the minorant goes straight on.
@given(st.lists(st.integers(1, 9), min_size=2, max_size=12))
def test_reflex_vertices_are_dropped(runs):
    e = np.append(0, np.cumsum(runs))
    n = len(e)
    # Two cells, one behind the other.
    twice = replace(
        build_staircases([0.1], [True]), true_rejects=np.tile(e, 2), false_rejects=3 * np.tile(e, 2)
    )
    vertices, starts = _drop_reflex(np.arange(2 * n), np.array([0, n, 2 * n]), twice)
    assert vertices.tolist() == [0, n - 1, n, 2 * n - 1]
    assert starts.tolist() == [0, 2, 4]


def turn(e, l):  # noqa: E741
    """Return by how much a path turns upwards at each of its inner points."""
    return np.diff(l)[1:] * np.diff(e)[:-1] - np.diff(l)[:-1] * np.diff(e)[1:]


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), min_size=1, max_size=12))
def test_what_is_not_dropped_turns_upwards(runs_and_rises):
    e, l = (np.append(0, np.cumsum(counts)) for counts in zip(*runs_and_rises, strict=True))  # noqa: E741
    n = len(e)
    twice = replace(
        build_staircases([0.1], [True]), true_rejects=np.tile(e, 2), false_rejects=np.tile(l, 2)
    )
    vertices, starts = _drop_reflex(np.arange(2 * n), np.array([0, n, 2 * n]), twice)
    first, second = np.split(vertices, [starts[1]])
    assert first.tolist() == (second - n).tolist()
    assert first[[0, -1]].tolist() == [0, n - 1]
    assert (turn(e[first], l[first]) > 0).all()
