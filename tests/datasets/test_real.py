"""The real data sets are those of their description."""

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from abstain import InputError, datasets
from tests.datasets.facts import FACTS

every_set = pytest.mark.parametrize("facts", FACTS, ids=lambda facts: facts.name)


def _load(name, **options):
    return getattr(datasets, f"load_{name}")(**options)


@every_set
def test_a_set_has_its_size_its_classes_and_its_missing_values(facts, real_data):
    bunch = _load(facts.name, data_home=real_data)
    named = dict(zip(bunch.target_names.tolist(), np.bincount(bunch.target), strict=True))
    assert bunch.data.shape == facts.shape
    assert bunch.data.dtype == np.float64
    assert bunch.target.dtype == np.int64
    assert named == facts.classes
    assert np.isnan(bunch.data).sum() == facts.missing
    assert np.isnan(bunch.data).any(axis=1).sum() == facts.incomplete_rows
    assert len(bunch.feature_names) == len(set(bunch.feature_names)) == facts.shape[1]
    assert bunch.frame is None


@every_set
def test_the_description_tells_the_numbers_and_the_origin(facts, real_data):
    text = _load(facts.name, data_home=real_data).DESCR
    n_samples, n_features = facts.shape
    assert f"{n_samples} samples, {n_features} features, {facts.missing} values missing" in text
    assert all(f"{name} ({count})" in text for name, count in facts.classes.items())
    assert facts.origin in text
    assert max(map(len, text.splitlines()[4:])) <= 100


@every_set
def test_samples_and_classes_can_be_had_alone_or_as_frames(facts, real_data):
    bunch = _load(facts.name, data_home=real_data)
    X, y = _load(facts.name, data_home=real_data, return_X_y=True)
    frames = _load(facts.name, data_home=real_data, as_frame=True)
    frame_X, frame_y = _load(facts.name, data_home=real_data, as_frame=True, return_X_y=True)
    np.testing.assert_array_equal(X, bunch.data)
    np.testing.assert_array_equal(y, bunch.target)
    np.testing.assert_array_equal(frames.data.to_numpy(), X)
    assert frames.data.columns.tolist() == bunch.feature_names
    assert frames.frame.columns.tolist() == [*bunch.feature_names, "target"]
    assert frame_X.equals(frames.data)
    pd.testing.assert_series_equal(frame_y, frames.target)
    pd.testing.assert_series_equal(frames.frame["target"], frame_y)
    np.testing.assert_array_equal(frame_y, y)


def test_tecator_knows_the_contents_that_its_classes_come_from(real_data):
    tecator = datasets.load_tecator(data_home=real_data)
    fat = tecator.contents[:, tecator.content_names.index("fat")]
    assert tecator.content_names == ["water", "fat", "protein"]
    assert np.median(fat) == 14
    assert np.array_equal(tecator.target_names[tecator.target] == "high", fat >= 14)
    assert np.sum(fat > 20) == 77
    assert "".join(tecator.part) == "C" * 129 + "M" * 43 + "T" * 43
    assert "The data can be redistributed as long as this permission note" in tecator.DESCR
    frames = datasets.load_tecator(data_home=real_data, as_frame=True)
    assert np.array_equal(frames.contents["fat"], fat)


def test_coil20_keeps_its_pictures_by_object_and_pose(real_data):
    coil = datasets.load_coil20(data_home=real_data)
    assert coil.images.shape == (1440, 128, 128)
    assert np.array_equal(coil.data, coil.images.reshape(1440, -1))
    assert np.array_equal(coil.target, np.repeat(np.arange(20), 72))
    assert np.array_equal(coil.pose, np.tile(np.arange(72), 20))
    column = coil.feature_names.index("pixel_40_70")
    assert np.array_equal(coil.data[:, column], coil.images[:, 40, 70])


def test_wisconsin_lacks_values_of_one_feature_only(real_data):
    wisconsin = datasets.load_wisconsin(data_home=real_data, as_frame=True)
    lacking = wisconsin.data.isna().sum()
    assert lacking[lacking > 0].to_dict() == {"bare_nuclei": 16}


def test_cleveland_lacks_values_of_two_features(real_data):
    cleveland = datasets.load_cleveland(data_home=real_data, as_frame=True)
    lacking = cleveland.data.isna().sum()
    assert lacking[lacking > 0].to_dict() == {"ca": 4, "thal": 2}


# Accuracies that were found with the files themselves, before there were loaders.
@pytest.mark.parametrize(
    ("name", "C", "accuracy"),
    [
        ("segment", 10, 0.966),
        ("haberman", 1, 0.735),
        ("tecator", 100, 0.930),
        ("gastric", 1, 0.694),
        ("wisconsin", 1, 0.967),
        ("cleveland", 1, 0.832),
    ],
)
def test_a_set_is_as_easy_as_its_file(name, C, accuracy, real_data):
    X, y = _load(name, data_home=real_data, return_X_y=True)
    model = make_pipeline(SimpleImputer(), StandardScaler(), SVC(C=C))
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    assert cross_val_score(model, X, y, cv=folds).mean() == pytest.approx(accuracy, abs=0.002)


def test_frames_without_pandas_are_refused_in_one_line(real_data, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError) as caught:
        datasets.load_haberman(data_home=real_data, as_frame=True)
    assert str(caught.value) == (
        "as_frame=True needs pandas, which is not installed: pip install pandas"
    )
