"""Small versions of the paper's experiments: the sign of each claim, with a stated tolerance.

Few folds tell less than the hundred runs of the study, so that the ranges are wider here. They hold
for other seeds as well. Where a claim does not hold here, what is found instead is stated.
"""

from functools import cache

import pytest

from abstain.study.claims import judge_claims, paper_claims
from abstain.study.curves import Curves
from abstain.study.plan import Plan
from abstain.study.problems import PROBLEMS
from tests.datasets.conftest import real_data  # noqa: F401

LVQ = ("rslvq", "gmlvq", "lgmlvq")

# Classifiers, repeats and folds of each small version; of medical data, the number of splits.
SMALL = {
    "gaussian": ((*LVQ, "bayes"), 3, range(4)),
    "pearl": ((*LVQ, "bayes"), 3, range(4)),
    "segment": ((*LVQ, "svm"), 1, range(2)),
    "tecator": (("rslvq", "svm"), 1, range(10)),
    "haberman": ((*LVQ, "svm"), 1, range(10)),
    "coil20": (("gmlvq", "lgmlvq"), 1, range(1)),
    "wisconsin": (("gmlvq", "svm"), 1, 10),
}

# The claim, and the range that its value lies in.
RANGES = [
    # Greedy thresholds are close to the exact ones on the training part: within 0.01.
    *(
        (f"greedy-close-{name}-{model}", -0.001, 0.01)
        for name in ("gaussian", "pearl", "segment", "haberman")
        for model in ("gmlvq", "lgmlvq")
    ),
    # Gaussian clusters: local and global are almost identical, within 0.01; so is Bayes up to 25 %.
    *((f"gaussian-local-{model}", -0.01, 0.01) for model in LVQ),
    *((f"gaussian-bayes-{model}", -0.01, 0.01) for model in LVQ),
    # RSLVQ stays within 0.03 of Bayes beyond 25 %, where few samples are left to test on.
    ("gaussian-bayes-all-rslvq", -0.03, 0.005),
    # Pearl necklace: local is ahead; neither reaches Bayes, by more than 0.003.
    ("pearl-local-rslvq", 0.0, 0.02),
    ("pearl-local-gmlvq", 0.005, 0.03),
    ("pearl-bayes-rslvq", -0.04, -0.003),
    ("pearl-bayes-gmlvq", -0.04, -0.003),
    # LGMLVQ reaches Bayes, within 0.01.
    ("pearl-bayes-lgmlvq-global", -0.01, 0.01),
    ("pearl-bayes-lgmlvq-local", -0.01, 0.01),
    # Segmentation, two folds: the order of the models, and a gain at 10 % of half a point or more.
    ("segment-svm", 0.95, 1.0),
    ("segment-lgmlvq", 0.94, 1.0),
    ("segment-less-rslvq", -0.08, -0.001),
    ("segment-less-gmlvq", -0.08, -0.001),
    ("segment-gain-lgmlvq", 0.005, 0.04),
    # Tecator: RSLVQ is no worse than the SVM, within 0.02.
    ("tecator-svm-rslvq", -0.02, 0.1),
    # Haberman: all are like the SVM up to 25 %, within 0.05.
    *((f"haberman-svm-{model}", -0.05, 0.05) for model in LVQ),
    # Medical data: local and global are the same up to 10 %, within 0.01; GMLVQ is like the SVM.
    ("wisconsin-same", -0.01, 0.01),
    ("wisconsin-svm", -0.02, 0.02),
]
SET_OF = {claim.id: claim.first.set for claim in paper_claims()}
ARTIFICIAL = [row for row in RANGES if SET_OF[row[0]] in ("gaussian", "pearl")]
REAL = [row for row in RANGES if row not in ARTIFICIAL]


@cache
def small_records(name, seed=0):
    models, n_repeats, chosen = SMALL[name]
    if PROBLEMS[name].kind == "medical":
        plan = Plan((name,), models, 1, 0, chosen, seed)
        tasks = plan.tasks()
    else:
        plan = Plan((name,), models, n_repeats, 0, 0, seed)
        tasks = [task for task in plan.tasks() if task.block in chosen]
    return [record for task in tasks for record in plan.run(task)]


def value_of(claim, seed=0):
    curves = Curves(small_records(SET_OF[claim], seed))
    (found,) = [row for row in judge_claims(curves) if row.id == claim]
    return found.value


@pytest.fixture
def _data(real_data, monkeypatch):  # noqa: F811
    monkeypatch.setenv("ABSTAIN_DATA_HOME", str(real_data))


@pytest.mark.parametrize(("claim", "low", "high"), ARTIFICIAL)
def test_drawn_samples(claim, low, high):
    assert low <= value_of(claim) <= high


@pytest.mark.usefixtures("_data")
@pytest.mark.parametrize(("claim", "low", "high"), REAL)
def test_real_samples(claim, low, high):
    assert low <= value_of(claim) <= high


# By thresholds set on the training part; the study sets them out of fold, which takes longer.
@pytest.mark.usefixtures("_data")
def test_few_rejects_take_all_errors_of_coil():
    curves = {
        record["model"]: record
        for record in small_records("coil20")
        if record["kind"] == "curve" and (record["part"], record["cells"]) == ("test", "global")
    }
    plain, least = {}, {}
    for model, most_rejects in (("gmlvq", 0.1), ("lgmlvq", 0.02)):
        accepted, errors = (curves[model][name] for name in ("accepted", "errors"))
        enough = (1 - most_rejects) * curves[model]["n"]
        plain[model] = errors[0]
        least[model] = min(e for a, e in zip(accepted, errors, strict=True) if a >= enough)
    assert plain["gmlvq"] >= 2  # so that there is something to reject
    assert least == {"gmlvq": 0, "lgmlvq": 0}


@pytest.mark.usefixtures("_data")
def test_two_prototypes_stand_against_many_support_vectors():
    fits = [record for record in small_records("wisconsin") if record["kind"] == "fit"]
    assert {record["n_parts"] for record in fits if record["model"] == "gmlvq"} == {2}
    assert min(record["n_parts"] for record in fits if record["model"] == "svm") > 20
