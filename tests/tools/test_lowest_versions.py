"""The constraints allow the lowest declared versions alone."""

import re
import tomllib

import pytest

from tools.lowest_versions import PROJECT, lowest_versions


def project(*required, **extras):
    return {"name": "ours", "dependencies": list(required), "optional-dependencies": extras}


def test_every_requirement_has_its_lowest_version():
    extras = {"plot": ["draw>=3.9"], "all": ["ours[plot]", "many[array,frame]>=2025.4"]}
    required = project("numpy>=2.0", "draw>=3.9", **extras)
    assert lowest_versions(required) == ["draw==3.9", "many==2025.4", "numpy==2.0"]


@pytest.mark.parametrize("requirement", ["numpy", "numpy<3", "numpy>=2.0,<3", "numpy>=2.1"])
def test_a_requirement_without_one_lowest_version_is_refused(requirement):
    with pytest.raises(ValueError, match=re.escape(requirement.rpartition("=")[2])):
        lowest_versions(project("numpy>=2.0", requirement))


def test_scikit_learn_is_tried_from_its_lowest_version_on():
    lowest = lowest_versions(tomllib.loads(PROJECT.read_text())["project"])
    tried = re.search(r"^SKLEARN = (\S+)", PROJECT.with_name("Makefile").read_text(), re.MULTILINE)
    assert f"scikit-learn=={tried[1]}" in lowest
