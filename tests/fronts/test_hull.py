"""The convex envelope: below every step, touched at its vertices, by integers where it matters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstain.fronts.hull import build_envelope
from abstain.fronts.staircases import build_staircases
from tests.examples import many_examples
from tests.fronts.strategies import half_tied
from tests.laws.test_backtrace import make_staircases


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


def lower_hull(e, l):  # noqa: E741
    """Return the vertices of the minorant by trying all lines from each vertex."""
    vertices = [0]
    while vertices[-1] < len(e) - 1:
        last = vertices[-1]
        slopes = (l[last + 1 :] - l[last]) / (e[last + 1 :] - e[last])
        vertices.append(last + 1 + int(np.flatnonzero(slopes == slopes.min())[-1]))
    return vertices


# Small integers, for many steps on one line; with few passes that compare neighbours, or many.
@many_examples
@given(
    st.lists(
        st.lists(st.tuples(st.integers(1, 4), st.integers(0, 4)), max_size=40),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from([0, 1, 20]),
)
def test_vertices_are_those_of_the_lower_hull(cells, near_passes):
    staircases = make_staircases([tuple(np.array(cell, int).reshape(-1, 2).T) for cell in cells])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("abstain.fronts.hull.NEAR_PASSES", near_passes)
        envelope = build_envelope(staircases)
    for cell, own in enumerate(staircases.cell_slices()):
        vertices = envelope.vertices[slice(*envelope.vertex_starts[cell : cell + 2])] - own.start
        counts = staircases.true_rejects[own], staircases.false_rejects[own]
        assert vertices.tolist() == lower_hull(*counts)


# Of steps that get ever steeper and then flat, a comparison with neighbours drops one per pass.
def test_the_minorant_of_a_long_convex_part_that_ends_flat():
    rises = np.append(np.arange(1000), np.zeros(1000, int))
    staircases = make_staircases([(np.ones(2000, int), rises)])
    expected = lower_hull(staircases.true_rejects, staircases.false_rejects)
    assert build_envelope(staircases).vertices.tolist() == expected
    assert len(expected) > 100
