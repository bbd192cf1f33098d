"""A plan names what is run: every fold and every split once, and always the same."""

import sys
from collections import Counter

import numpy as np
import pytest

from abstain import InputError
from abstain.study import Plan, make_plan
from abstain.study.experiments import CLASSIFIERS, PROBLEMS, Data, Problem
from abstain.study.plan import (
    MORE_OUT_OF_FOLD,
    N_FOLDS,
    VARIANT_REPEATS,
    Task,
)

VARIANTS = {name for name, problem in PROBLEMS.items() if problem.is_variant}
EXTRA = {name for name, classifier in CLASSIFIERS.items() if classifier.is_extra}
ARTIFICIAL, BENCHMARK, MEDICAL = (
    [name for name, problem in PROBLEMS.items() if problem.kind == kind]
    for kind in ("artificial", "benchmark", "medical")
)


# --- tasks --------------------------------------------------------------------------------------


@pytest.mark.parametrize("quick", [False, True])
def test_the_protocol_is_the_papers(quick):
    plan = make_plan(quick=quick)
    sets = [name for name in PROBLEMS if not (quick and name in VARIANTS)]
    assert (plan.sets, plan.models) == (tuple(sets), tuple(CLASSIFIERS))
    counts = (plan.n_repeats, plan.n_extra_repeats, plan.n_medical_splits)
    assert counts == ((1, 0, 20) if quick else (10, 1, 1000))


def test_what_is_asked_for_by_name_is_run_quickly_too():
    assert make_plan(quick=True, only=["tecator-raw"]).sets == ("tecator-raw",)


@pytest.mark.parametrize("n_splits", [1, 7, 1000])
def test_every_fold_and_every_split_is_a_task_once(n_splits):
    plan = Plan(tuple(PROBLEMS), ("gmlvq", "mrslvq"), 3, 0, n_splits, 0)
    counts = Counter(plan.tasks())
    assert set(counts.values()) == {1}
    folds = {(repeat, fold) for repeat in range(3) for fold in range(N_FOLDS)}
    fewer = {(repeat, fold) for repeat, fold in folds if repeat < VARIANT_REPEATS}
    splits = {(0, split) for split in range(n_splits)}
    for name in PROBLEMS:
        expected = splits if name in MEDICAL else fewer if name in VARIANTS else folds
        tasks = {task[1:] for task in counts if task.name == name}
        assert tasks == {(*run, "gmlvq") for run in expected}  # MRSLVQ is not of the paper


def test_titles_tell_tasks_apart():
    tasks = make_plan().tasks()
    assert len({task.title for task in tasks}) == len(tasks)


@pytest.mark.parametrize("options", [{}, {"quick": True}, {"seed": 3}, {"only": ["pearl"]}])
def test_the_same_plan_has_the_same_tasks_in_the_same_order(options):
    assert make_plan(**options) == make_plan(**options)
    assert make_plan(**options).tasks() == make_plan(**options).tasks()


def test_the_seed_changes_the_order_alone():
    tasks, others = (make_plan(seed=seed).tasks() for seed in (0, 1))
    assert tasks != others
    assert sorted(tasks) == sorted(others)


# --- splits -------------------------------------------------------------------------------------


def numbered(kind, n=150):
    """Return a problem of which every sample tells its own number, and the repeat it is of."""
    return Problem(
        "numbered",
        "Numbered",
        kind,
        lambda repeat: Data(
            np.column_stack([np.arange(n), np.full(n, repeat)]), np.arange(n) % 3, None
        ),
        0.9,
    )


def split_of(plan, problem, task, monkeypatch):
    monkeypatch.setitem(PROBLEMS, "numbered", problem)
    data = problem.draw(plan.seed_of(task.repeat))
    return plan._split(problem, data, task)


def test_the_folds_of_a_repeat_test_every_sample_once(monkeypatch):
    problem, plan = numbered("benchmark"), Plan((), (), 2, 0, 0, 5)
    shuffles = []
    for repeat in range(2):
        tested = []
        for fold in range(N_FOLDS):
            task = Task("numbered", repeat, fold, "gmlvq")
            split = split_of(plan, problem, task, monkeypatch)
            (X_train, _), (X_test, y_test) = split
            both = np.concatenate([X_train[:, 0], X_test[:, 0]])
            assert np.array_equal(np.sort(both), np.arange(150))
            assert np.array_equal(X_test[:, 0] % 3, y_test)
            assert len(set(np.bincount(y_test))) == 1  # stratified
            tested.append(X_test[:, 0])
        assert np.array_equal(np.sort(np.concatenate(tested)), np.arange(150))
        shuffles.append(np.concatenate(tested).tolist())
    assert shuffles[0] != shuffles[1]


def test_every_split_of_medical_data_is_another(monkeypatch):
    problem, plan = numbered("medical"), Plan((), (), 1, 0, 22, 5)
    splits = [
        split_of(plan, problem, Task("numbered", 0, number, "gmlvq"), monkeypatch)
        for number in range(22)
    ]
    numbers = [(set(train[0][:, 0]), set(test[0][:, 0])) for train, test in splits]
    assert all(len(test) == 15 for _, test in numbers)
    assert all(not test & train for train, test in numbers)
    assert len({frozenset(test) for _, test in numbers}) == 22


# Each classifier is a task of its own: what they are compared by are the same samples.
def test_all_classifiers_have_the_same_splits(monkeypatch):
    for kind in ("benchmark", "medical"):
        problem, plan = numbered(kind), Plan((), (), 2, 0, 40, 5)
        split, same = (
            split_of(plan, problem, Task("numbered", 0, 1, model), monkeypatch)
            for model in ("gmlvq", "svm")
        )
        assert np.array_equal(split.train[0], same.train[0])
        assert np.array_equal(split.test[0], same.test[0])


def test_only_artificial_samples_are_drawn_anew():
    for name in ARTIFICIAL:
        first, again, other = (PROBLEMS[name].draw(seed) for seed in (0, 0, 1))
        assert np.array_equal(first.X, again.X)
        assert not np.array_equal(first.X, other.X)
        assert first.true_model is not None


def test_no_two_seeds_share_what_they_draw():
    plans = [Plan((), (), 10, 0, 0, seed) for seed in range(20)]
    repeats = [plan.seed_of(repeat) for plan in plans for repeat in range(10)]
    splits = [
        plan.seed_of(repeat, split) for plan in plans for repeat in (0, 1) for split in (0, 1)
    ]
    assert len({*repeats, *splits}) == len(repeats) + len(splits)
    assert repeats == [plan.seed_of(repeat) for plan in plans for repeat in range(10)]


def test_sets_prepared_otherwise_are_repeated_less():
    for n_repeats, expected in ((1, 1), (10, 2)):
        plan = Plan(("tecator", "tecator-raw"), ("gmlvq",), n_repeats, 1, 0, 0)
        repeats = {name: {t.repeat for t in plan.tasks() if t.name == name} for name in plan.sets}
        assert repeats == {"tecator": set(range(n_repeats)), "tecator-raw": set(range(expected))}
    assert models_of(plan, "tecator", 0, 0) == models_of(plan, "tecator-raw", 0, 0) | EXTRA


# --- classifiers --------------------------------------------------------------------------------


def models_of(plan, name, repeat, split):
    return {
        model
        for model, classifier in CLASSIFIERS.items()
        if plan._includes(PROBLEMS[name], classifier, repeat, split)
    }


@pytest.mark.parametrize("n_extra", [0, 1, 3])
def test_what_the_paper_has_not_runs_on_extra_repeats_only(n_extra):
    plan = Plan(tuple(PROBLEMS), tuple(CLASSIFIERS), 5, n_extra, 100, 0)
    papers = {"rslvq", "gmlvq", "lgmlvq", "svm"}
    for name in PROBLEMS:
        usual = {"gmlvq", "svm"} if name in MEDICAL else papers
        usual = usual | {"bayes"} if name in ARTIFICIAL else usual
        more = usual | papers | EXTRA
        for number in range(50):
            is_extra = number < N_FOLDS * n_extra and name not in VARIANTS
            where = (0, number) if name in MEDICAL else divmod(number, N_FOLDS)
            assert models_of(plan, name, *where) == (more if is_extra else usual)


@pytest.mark.parametrize("n_extra", [0, 1, 2])
def test_thresholds_are_set_out_of_fold_more_often_where_claims_depend_on_it(n_extra):
    plan = Plan(tuple(PROBLEMS), tuple(CLASSIFIERS), 10, n_extra, 200, 0)
    for name, problem in PROBLEMS.items():
        for model, classifier in CLASSIFIERS.items():
            counts = Counter(
                extra
                for number in range(100)
                for extra, is_so in plan._extras(
                    problem,
                    classifier,
                    *((0, number) if name in MEDICAL else divmod(number, N_FOLDS)),
                )
                ._asdict()
                .items()
                if is_so
            )
            is_decisive = name in ("steroid", "gastric") and model in ("gmlvq", "svm")
            n_runs = 0 if name in VARIANTS else N_FOLDS * n_extra
            assert counts["guarantee"] == n_runs
            assert counts["greedy"] == (0 if name in MEDICAL else 100)
            is_left_out = model in ("svm", "bayes") or (
                model == "lgmlvq" and not problem.is_separable
            )
            expected = MORE_OUT_OF_FOLD * n_runs if is_decisive else n_runs * (not is_left_out)
            assert counts["out_of_fold"] == expected


# --- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "known"), [("only", PROBLEMS), ("models", CLASSIFIERS)], ids=["only", "models"]
)
@pytest.mark.parametrize("wrong", [["iris"], ["iris", "gmlvq", "pearl"], [""], []])
def test_an_unknown_name_is_refused_with_the_known_ones(option, known, wrong):
    with pytest.raises(InputError) as caught:
        make_plan(**{option: wrong})
    said = str(caught.value)
    assert said.startswith(f"{option} must name some of {', '.join(known)}, got ")
    assert said.count("\n") == 0
    assert said.endswith("nothing") == (not any(wrong))
    assert ("iris" in said) == ("iris" in wrong)


def test_neither_order_nor_repetition_of_names_matters():
    plan = make_plan(only=["segment", "pearl", "segment"], models=["svm", "gmlvq"])
    assert plan == make_plan(only=["pearl", "segment"], models=["gmlvq", "svm"])


@pytest.mark.parametrize(
    ("sets", "models", "quick"),
    [
        (["haberman", "steroid"], ["bayes"], False),
        (["pearl"], ["mrslvq", "glvq-5", "forest", "boosting"], True),
        (["steroid"], ["rslvq", "lgmlvq"], True),
    ],
)
def test_a_plan_without_anything_to_run_is_refused(sets, models, quick):
    plan = make_plan(only=sets, models=models, quick=quick)
    with pytest.raises(InputError, match=f"models {','.join(plan.models)} has no part"):
        plan.check()


@pytest.mark.parametrize(("name", "model"), [("pearl", "bayes"), ("steroid", "gmlvq")])
def test_a_plan_with_something_to_run_is_not(name, model):
    make_plan(only=[name], models=[model], quick=True).check()


def test_without_libsvm_it_is_said_before_anything_runs(monkeypatch):
    monkeypatch.setitem(sys.modules, "libsvm", None)
    make_plan(only=["pearl"], models=["gmlvq"], quick=True).check()
    with pytest.raises(InputError, match=r"pip install '.\[study\]', or leave svm out of models"):
        make_plan(only=["pearl"], models=["gmlvq", "svm"], quick=True).check()
