"""A quantile of blocks is that of all their values, bit for bit."""

import dask
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstain.classifier.quantile_on_dask import quantile_on_dask
from tests.examples import examples


@examples(0.5)
@given(
    st.lists(
        st.lists(st.sampled_from([0.0, 1.0, 2.0]) | st.floats(0, 1e9), max_size=20), max_size=5
    ),
    st.sampled_from([0.0, 0.5, 0.9, 0.99, 1.0]),
    st.sampled_from([1, 3, 1_000]),
)
def test_a_quantile_of_blocks_is_that_of_all_values(blocks, share, n_parts):
    blocks = [np.array(block, dtype=float) for block in [*blocks, [4.0]]]
    values = np.concatenate(blocks)
    with pytest.MonkeyPatch.context() as patch, dask.config.set(scheduler="synchronous"):
        patch.setattr("abstain.classifier.quantile_on_dask.LISTED", n_parts)
        found = quantile_on_dask([dask.delayed(block) for block in blocks], len(values), share)
    assert found == np.quantile(values, share)
