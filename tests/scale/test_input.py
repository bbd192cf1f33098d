"""What would bring samples of Dask to the client, or is none, is refused in one line."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import GMLVQ, RSLVQ, InputError

X = np.random.default_rng(0).normal(size=(20, 2)) * [1, 9]
y = (X[:, 0] > 0).astype(int)
LAZY_X, LAZY_Y = da.from_array(X, chunks=(5, -1)), da.from_array(y, chunks=5)
SERIES = dd.from_pandas(pd.Series(y), npartitions=2)


def assert_one_line(caught, said):
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


# --- samples in memory, and the rest not --------------------------------------------------------


@pytest.mark.parametrize("model", [GMLVQ(1), RSLVQ(1)])
@pytest.mark.parametrize(("labels", "kind"), [(LAZY_Y, "Array"), (SERIES, "Series")])
def test_labels_of_dask_need_samples_of_dask(model, labels, kind):
    with pytest.raises(InputError) as caught:
        model.fit(X, labels)
    assert_one_line(caught, f"y must not be a Dask {kind} where X is a ndarray; give X as a Dask")


def test_weights_of_dask_need_samples_of_dask():
    with pytest.raises(InputError) as caught:
        GMLVQ(1).fit(X.tolist(), y, sample_weight=LAZY_Y + 1)
    assert_one_line(caught, "sample_weight must not be a Dask Array where X is a list; give X as")


@pytest.mark.filterwarnings("ignore:.*is not implemented by Dask:FutureWarning")  # of the step
def test_a_step_that_collects_samples_is_reported():
    with pytest.raises(InputError) as caught:
        make_pipeline(StandardScaler(), GMLVQ(1)).fit(LAZY_X, LAZY_Y)
    assert_one_line(caught, "Steps of a pipeline collect samples: scale them by Dask")


# What the error advises gives the model of the pipeline.
def test_samples_may_be_scaled_by_dask():
    lazy = GMLVQ(1, random_state=0).fit((LAZY_X - LAZY_X.mean(0)) / LAZY_X.std(0), LAZY_Y)
    here = make_pipeline(StandardScaler(), GMLVQ(1, random_state=0)).fit(X, y)
    np.testing.assert_allclose(lazy.prototypes_, here[-1].prototypes_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("value", [1e307, -1e200])
def test_values_that_cannot_be_squared_are_refused(value):
    huge = X.copy()
    huge[12, 1] = value
    with pytest.raises(InputError) as caught:
        GMLVQ(1).fit(da.from_array(huge, chunks=(5, -1)), LAZY_Y)
    assert_one_line(caught, f"got {value:.1e} in feature 1; scale the features")
    frame = dd.from_pandas(pd.DataFrame(huge, columns=["a", "b"]), npartitions=2)
    with pytest.raises(InputError) as caught:
        GMLVQ(1).fit(frame, SERIES)
    assert_one_line(caught, f"got {value:.1e} in feature 'b'; scale the features")
