"""Some cases of each fuzzer; `make fuzz` runs thousands."""

import warnings

import numpy as np
import pytest

from fuzz import models, tables, thresholds


@pytest.mark.parametrize("fuzzer", [tables, thresholds], ids=["tables", "thresholds"])
def test_damaged_files_are_read_or_refused_in_one_line(fuzzer, tmp_path):
    outcomes = set()
    for number in range(25):
        (tmp_path / str(number)).mkdir()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outcomes.add(fuzzer.case(np.random.default_rng([0, number]), tmp_path / str(number)))
    assert len(outcomes) == 2  # some are refused, and some are not


def test_no_changed_model_file_does_harm():
    outcomes = models.run(runs=120, seed=0)
    assert sum(outcomes.values()) == 120
    assert [outcome for outcome in outcomes if outcome.startswith("HARM")] == []
