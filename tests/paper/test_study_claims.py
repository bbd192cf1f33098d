"""Small versions of the paper's experiments: the sign of each claim, with a stated tolerance.

Few folds tell less than the hundred runs of the study, so that the ranges are wider here. They were
set after a look at such small samples of the study's own runs, and guard against change; the
evidence is the study. With other folds all hold but three: of ten samples, two leave the range of
``segment-less-rslvq``, two that of ``segment-local-gmlvq`` and one that of ``coil20-local-rslvq``.
Where a claim does not hold here, what is found instead is stated.
"""

import warnings
from functools import cache

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from abstain.study.claims import check_claims, paper_claims
from abstain.study.curves import Curves
from abstain.study.experiments import CLASSIFIERS, PROBLEMS, make_estimator
from abstain.study.plan import Plan
from tests.datasets.conftest import real_data  # noqa: F401

pytestmark = pytest.mark.paper
LVQ = ("rslvq", "gmlvq", "lgmlvq")

# Classifiers, repeats and folds of each small version; of medical data, the number of splits. Those
# whose training part GMLVQ separates have thresholds set out of fold too.
SMALL = {
    "gaussian": ((*LVQ, "bayes"), 3, range(4)),
    "pearl": ((*LVQ, "bayes"), 3, range(4)),
    "segment": ((*LVQ, "svm"), 1, range(2)),
    "tecator": ((*LVQ, "svm"), 1, range(4)),
    "tecator-raw": (("rslvq", "gmlvq", "svm"), 1, range(3)),
    "tecator-curvature": ((*LVQ, "svm"), 1, range(3)),
    "haberman": ((*LVQ, "svm"), 1, range(10)),
    "coil20": (LVQ, 1, range(1)),
    "steroid": (("gmlvq", "svm"), 1, 6),
    "wisconsin": (("gmlvq", "svm"), 1, 10),
    "cleveland": (("gmlvq", "svm"), 1, 10),
    "gastric": (("gmlvq", "svm"), 1, 3),
}
MATRIX = ("gmlvq", "lgmlvq")

# The claim, and the range that its value lies in.
RANGES = [
    # Greedy thresholds are close to the exact ones on the training part: within 0.01.
    *(
        (f"greedy-close-{name}-{model}", -0.001, 0.01)
        for name in ("gaussian", "pearl", "segment", "tecator", "haberman", "coil20")
        for model in MATRIX
    ),
    # Where many are rejected, exact ones are ahead on Haberman, by less than half a point, and,
    # other than in the paper, on the Gaussian clusters; on Tecator they cannot be: hardly an error.
    *((f"exact-ahead-haberman-{model}", 0.0001, 0.006) for model in MATRIX),
    *((f"exact-ahead-tecator-{model}", 0.0, 0.001) for model in MATRIX),
    *((f"exact-not-ahead-gaussian-{model}", 0.001, 0.015) for model in MATRIX),
    *((f"exact-not-ahead-pearl-{model}", 0.0, 0.004) for model in MATRIX),
    *((f"exact-not-ahead-segment-{model}", 0.0, 0.004) for model in MATRIX),
    *((f"exact-not-ahead-coil20-{model}", 0.0, 0.001) for model in MATRIX),
    # Gaussian clusters: local and global are almost identical, within 0.01; so is Bayes up to 25%.
    *((f"gaussian-local-{model}", -0.01, 0.01) for model in LVQ),
    *((f"gaussian-bayes-{model}", -0.01, 0.01) for model in LVQ),
    # RSLVQ stays within 0.03 of Bayes beyond 25%, where few samples are left to test on.
    ("gaussian-bayes-all-rslvq", -0.03, 0.005),
    # Pearl necklace: local is clearly ahead of GMLVQ, by little of RSLVQ; neither reaches Bayes.
    ("pearl-local-rslvq", 0.0005, 0.02),
    ("pearl-local-gmlvq", 0.005, 0.03),
    ("pearl-bayes-rslvq", -0.04, -0.003),
    ("pearl-bayes-gmlvq", -0.04, -0.003),
    # LGMLVQ reaches Bayes, within 0.01.
    ("pearl-bayes-lgmlvq-global", -0.01, 0.01),
    ("pearl-bayes-lgmlvq-local", -0.01, 0.01),
    # Segmentation, two folds: the order of the models, and a gain at 10% of half a point or more.
    # Local thresholds are ahead for GMLVQ; for RSLVQ they make no difference.
    ("segment-svm", 0.95, 1.0),
    ("segment-lgmlvq", 0.94, 1.0),
    ("segment-best-svm", -0.02, 0.02),
    ("segment-less-rslvq", -0.08, -0.001),
    ("segment-less-gmlvq", -0.08, -0.001),
    ("segment-local-gmlvq", 0.001, 0.03),
    ("segment-local-rslvq", -0.01, 0.01),
    ("segment-gain-lgmlvq", 0.005, 0.04),
    # Tecator: all are like the SVM, within 0.06 in a few folds of 22 samples; GMLVQ is better than
    # the paper's 0.92 and 0.94, raw and z-scored; its local thresholds are behind by at most one
    # answer, of 88 and of 66.
    *((f"tecator-svm-{model}", -0.06, 0.06) for model in ("rslvq", "lgmlvq")),
    ("tecator-worse-gmlvq", -0.06, 0.06),
    ("tecator-gmlvq", 0.93, 1.0),
    ("tecator-gmlvq-10", 0.93, 1.0),
    ("tecator-local-gmlvq", -0.012, 0.03),
    ("tecator-raw-svm-rslvq", -0.06, 0.06),
    ("tecator-raw-worse-gmlvq", -0.06, 0.06),
    ("tecator-raw-gmlvq", 0.93, 1.0),
    ("tecator-raw-gmlvq-10", 0.93, 1.0),
    ("tecator-raw-local-gmlvq", -0.016, 0.03),
    # Second differences serve the SVM: nothing is ahead of it.
    *((f"tecator-curvature-svm-{model}", -0.06, 0.02) for model in ("rslvq", "lgmlvq")),
    ("tecator-curvature-worse-gmlvq", -0.12, 0.02),
    ("tecator-curvature-gmlvq", 0.85, 1.0),
    ("tecator-curvature-gmlvq-10", 0.85, 1.0),
    ("tecator-curvature-local-gmlvq", -0.01, 0.03),
    # Haberman: all are like the SVM up to 25%, within 0.05, and no better beyond, within 0.06.
    *((f"haberman-svm-{model}", -0.05, 0.05) for model in LVQ),
    *((f"haberman-beyond-{model}", -0.06, 0.06) for model in LVQ),
    # Coil: 100% within 2% rejects for LGMLVQ; GMLVQ leaves one error within 10%, and none in the
    # nine other folds. RSLVQ is not worse, and local is not behind.
    ("coil20-all-gmlvq", 0.99, 1.0),
    ("coil20-all-lgmlvq", 0.995, 1.0),
    ("coil20-worse-rslvq", -0.01, 0.03),
    ("coil20-local-rslvq", -0.005, 0.01),
    # Medical data: local and global are the same up to 10%, within 0.01 (0.03 on few splits).
    ("wisconsin-same", -0.01, 0.01),
    ("cleveland-same", -0.01, 0.01),
    ("steroid-same", -0.03, 0.03),
    ("gastric-same", -0.03, 0.03),
    # Beyond they are not clearly ahead, nor far behind.
    ("wisconsin-local", -0.01, 0.01),
    ("cleveland-local", -0.03, 0.01),
    ("steroid-local", -0.05, 0.05),
    ("gastric-local", -0.06, 0.06),
    # GMLVQ is like the SVM on Wisconsin, somewhat behind on Cleveland, ahead on gastric cancer.
    ("wisconsin-svm", -0.02, 0.02),
    ("cleveland-svm", -0.08, 0.01),
    ("steroid-svm", -0.1, 0.05),
    ("gastric-svm", -0.15, 0.15),
    # The SVM has more support vectors than the paper's 31 on all of them; GMLVQ has 2 prototypes.
    *((f"{name}-vectors", 40, 160) for name in ("steroid", "wisconsin", "cleveland", "gastric")),
]
SET_OF = {claim.id: claim.first.set for claim in paper_claims()} | {
    f"{name}-vectors": name for name, problem in PROBLEMS.items() if problem.kind == "medical"
}
SEED = 0
DRAWN = ("gaussian", "pearl", "steroid")


# The runs on a set are made once: with the same arguments, for a default would be another key.
@cache
def small_records(name, seed):
    models, n_repeats, chosen = SMALL[name]
    n_extra = int(PROBLEMS[name].is_separable)
    if PROBLEMS[name].kind == "medical":
        plan = Plan((name,), models, 1, n_extra, chosen, seed)
        tasks = plan.tasks()
    else:
        plan = Plan((name,), models, n_repeats, n_extra, 0, seed)
        tasks = [task for task in plan.tasks() if task.split in chosen]
    with threadpool_limits(1):
        return [record for task in tasks for record in plan.run(task)]


def out_of_range(name, seed=SEED):
    """Return the claims about a set whose values are not where they are expected."""
    values = {row.id: row.value for row in check_claims(Curves(small_records(name, seed)))}
    ranges = [row for row in RANGES if SET_OF[row[0]] == name]
    assert ranges
    return {claim: values[claim] for claim, low, high in ranges if not low <= values[claim] <= high}


@pytest.fixture
def _data(real_data, monkeypatch):  # noqa: F811
    monkeypatch.setenv("ABSTAIN_DATA_HOME", str(real_data))


# All claims about a set in one test, so that its runs are made once.
@pytest.mark.parametrize("name", DRAWN)
def test_drawn_samples(name):
    assert out_of_range(name) == {}


@pytest.mark.usefixtures("_data")
@pytest.mark.parametrize("name", [name for name in SMALL if name not in DRAWN])
def test_real_samples(name):
    assert out_of_range(name) == {}


def test_every_claim_has_a_small_version():
    # LGMLVQ on raw spectra takes longest of all, and says what it says on z-scores.
    assert set(SET_OF) - {claim for claim, _, _ in RANGES} == {"tecator-raw-svm-lgmlvq"}


# GMLVQ has something to reject, and needs few rejects for all but one error; LGMLVQ is right
# everywhere.
@pytest.mark.usefixtures("_data")
def test_few_rejects_take_nearly_all_errors_of_coil():
    wanted = {"part": "test", "cells": "global", "source": "out of fold", "min_cell_size": 1}
    curves = {
        record["model"]: record
        for record in small_records("coil20", SEED)
        if record["kind"] == "curve" and wanted.items() <= record.items()
    }
    assert curves["gmlvq"]["errors"][0] > 1
    for model, most_rejects, left in (("gmlvq", 0.1, 1), ("lgmlvq", 0.02, 0)):
        accepted, errors = (curves[model][name] for name in ("accepted", "errors"))
        enough = (1 - most_rejects) * curves[model]["n"]
        assert min(e for a, e in zip(accepted, errors, strict=True) if a >= enough) == left


# Why GMLVQ is better on Tecator here: it is fitted to the end. Stopped early, it is the paper's.
@pytest.mark.usefixtures("_data")
def test_stopped_early_gmlvq_is_as_accurate_on_tecator_as_in_the_paper():
    problem = PROBLEMS["tecator"]
    plan = Plan(("tecator",), ("gmlvq",), 1, 0, 0, 0)
    data = problem.draw(plan.seed_of(0))
    accuracies_of = {20: [], 500: []}
    for task in plan.tasks()[:6]:
        split = plan._split(problem, data, task)
        for max_iter, accuracies in accuracies_of.items():
            estimator = make_estimator(CLASSIFIERS["gmlvq"], problem, data, 0)
            estimator[-1].set_params(max_iter=max_iter)
            with warnings.catch_warnings(), threadpool_limits(1):
                warnings.simplefilter("ignore", ConvergenceWarning)
                accuracies.append(estimator.fit(*split.train).score(*split.test))
    assert np.mean(accuracies_of[20]) == pytest.approx(0.92, abs=0.02)
    assert np.mean(accuracies_of[500]) > np.mean(accuracies_of[20]) + 0.02


@pytest.mark.usefixtures("_data")
def test_two_prototypes_stand_against_many_support_vectors():
    fits = [record for record in small_records("wisconsin", SEED) if record["kind"] == "fit"]
    assert {record["n_parts"] for record in fits if record["model"] == "gmlvq"} == {2}
    assert min(record["n_parts"] for record in fits if record["model"] == "svm") > 20
