"""Laws of the class report: counts add up, limits hold their share, labels and order are names."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from abstain import InputError
from abstain.metrics import class_report, confusion_matrix_with_rejects, group_report
from abstain.targets.guarantee import accuracy_bound

COUNTS = ["samples", "answered", "right", "wrong", "rejected"]
samples = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans()), min_size=1, max_size=60
)
confidences = st.sampled_from([0.5, 0.9, 0.95, 0.999])


NAN = float("nan")


def columns(rows):
    return tuple(map(np.array, zip(*rows, strict=True)))


def by_class(report):
    rows = zip(*(column.tolist() for column in report), strict=True)
    return [dict(zip(report._fields, row, strict=True)) for row in rows]


def equal(report, other):
    return all(
        np.array_equal(mine, others, equal_nan=mine.dtype.kind == "f")
        for mine, others in zip(report, other, strict=True)
    )


def counted_one_by_one(rows, label):
    """Count the decisions about a class, sample by sample."""
    own = [(answer, rejected) for true, answer, rejected in rows if true == label]
    answers = [(true, answer) for true, answer, rejected in rows if not rejected]
    right = sum(answer == label for answer, rejected in own if not rejected)
    answered = sum(not rejected for _, rejected in own)
    named = sum(answer == label for _, answer in answers)
    return {
        "classes": label,
        "samples": len(own),
        "answered": answered,
        "right": right,
        "wrong": sum(answer != label for answer, rejected in own if not rejected),
        "rejected": sum(rejected for _, rejected in own),
        "recall": right / answered if answered else NAN,
        "recall_with_rejects": 1 - (answered - right) / len(own) if own else NAN,
        "recall_rejects_missed": right / len(own) if own else NAN,
        "precision": right / named if named else NAN,
        "named": named,
    }


def limits(right, n, confidence):
    interval = binomtest(right, n).proportion_ci(confidence, method="exact")
    return pytest.approx((interval.low, interval.high), abs=1e-9)


@given(samples, confidences)
def test_it_equals_what_is_counted_one_by_one(rows, confidence):
    report = class_report(*columns(rows), confidence=confidence)
    occurring = {true for true, *_ in rows} | {
        answer for _, answer, rejected in rows if not rejected
    }
    assert report.classes.tolist() == sorted(occurring)
    for row in by_class(report):
        expected = counted_one_by_one(rows, row["classes"])
        wholes = {"recall": expected["answered"], "precision": expected.pop("named")}
        for name, whole in wholes.items():
            low, high = row.pop(f"{name}_low"), row.pop(f"{name}_high")
            if whole:
                assert (low, high) == limits(expected["right"], whole, confidence)
            else:
                assert np.isnan([low, high]).all()
        assert row == pytest.approx(expected, nan_ok=True)


@given(samples)
def test_counts_add_up(rows):
    arrays = columns(rows)
    report, matrix = class_report(*arrays), confusion_matrix_with_rejects(*arrays)
    assert report.samples.sum() == len(rows)
    assert (report.answered + report.rejected == report.samples).all()
    assert (report.right + report.wrong == report.answered).all()
    assert report.samples.tolist() == matrix.sum(axis=1).tolist()
    assert report.rejected.tolist() == matrix[:, -1].tolist()


@given(samples, confidences)
def test_limits_contain_the_share_and_widen_with_the_confidence(rows, confidence):
    report = class_report(*columns(rows), confidence=confidence)
    wider = class_report(*columns(rows), confidence=(1 + confidence) / 2)
    for name in ("recall", "precision"):
        rising = np.array(
            [
                np.zeros(len(report.classes)),
                getattr(wider, f"{name}_low"),
                getattr(report, f"{name}_low"),
                getattr(report, name),
                getattr(report, f"{name}_high"),
                getattr(wider, f"{name}_high"),
                np.ones(len(report.classes)),
            ]
        )
        known = rising[:, ~np.isnan(getattr(report, name))]
        assert (np.diff(known, axis=0) >= 0).all()


# Rejected samples are not missed in one reading and missed in another; recall leaves them out.
@given(samples)
def test_recall_lies_between_the_readings_of_a_reject(rows):
    report = class_report(*columns(rows))
    known = report.answered > 0
    recall, with_rejects = report.recall[known], report.recall_with_rejects[known]
    rejects_missed = report.recall_rejects_missed[known]
    assert (with_rejects >= recall - 1e-12).all()
    assert (rejects_missed <= recall + 1e-12).all()
    is_all = report.rejected[known] == 0
    assert with_rejects[is_all] == pytest.approx(recall[is_all])
    assert rejects_missed[is_all] == pytest.approx(recall[is_all])


@given(samples, st.randoms(use_true_random=False))
def test_the_order_of_samples_does_not_matter(rows, random):
    shuffled = random.sample(rows, len(rows))
    assert equal(class_report(*columns(rows)), class_report(*columns(shuffled)))


@given(samples)
def test_labels_are_names(rows):
    y_true, y_pred, rejected = columns(rows)
    names = np.array(["a", "b", "c", "d"])
    report = class_report(y_true, y_pred, rejected)
    renamed = class_report(names[y_true], names[y_pred], rejected)
    assert renamed.classes.tolist() == names[report.classes].tolist()
    assert equal(renamed[1:], report[1:])


# They may be a reject label.
@given(samples)
def test_answers_to_rejected_samples_do_not_matter(rows):
    y_true, y_pred, rejected = columns(rows)
    other = np.where(rejected, 99, y_pred)
    assert equal(class_report(y_true, other, rejected), class_report(y_true, y_pred, rejected))


def test_a_class_without_answers_has_no_shares():
    report = class_report(["a", "b", "b"], ["a", "b", "a"], [False, True, True])
    a, b = by_class(report)
    assert (a["recall"], a["precision"]) == (1.0, 1.0)
    assert [b[name] for name in COUNTS] == [2, 0, 0, 0, 2]
    assert (b["recall_with_rejects"], b["recall_rejects_missed"]) == (1, 0)
    for name in ("recall", "recall_low", "recall_high", "precision"):
        assert np.isnan(b[name])


def test_labels_of_several_kinds_can_be_counted():
    assert class_report([1, "a"], [1, "a"], [False, True]).samples.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"confidence": 1}, "^confidence must be a number in "),
        ({"confidence": 95}, "95% is 0.95$"),
        ({"rejected": [0, 1, 2]}, "^rejected must be boolean .*got 2 at index 2$"),
        ({"rejected": [0, 1]}, "y_true has 3, y_pred has 3, rejected has 2"),
        ({"y_true": [1, 2, None]}, "^y_true must hold no missing value, got None at index 2$"),
        ({"y_pred": ["1", "2", "3"]}, "^y_pred must hold numbers as y_true does"),
    ],
)
def test_what_cannot_be_counted_is_refused(changed, message):
    given = {"y_true": [0, 1, 1], "y_pred": [0, 0, 1], "rejected": [True, False, False]}
    with pytest.raises(InputError, match=message):
        class_report(**{**given, **changed})


# --- groups -------------------------------------------------------------------------------------


@given(samples, confidences)
def test_a_group_gets_what_its_samples_get(rows, confidence):
    y_true, y_pred, rejected = columns(rows)
    groups = np.arange(len(rows)) % 3
    report = group_report(y_true, y_pred, rejected, groups, confidence=confidence)
    assert report.groups.tolist() == sorted(set(groups.tolist()))
    for place, group in enumerate(report.groups.tolist()):
        own = groups == group
        right, accepted = (y_true == y_pred)[own], ~rejected[own]
        assert report.samples[place] == own.sum()
        assert report.rejected[place] == rejected[own].sum()
        assert report.answered[place] == report.right[place] + report.wrong[place]
        assert report.accuracy_without_rejects[place] == pytest.approx(right.mean())
        if accepted.any():
            assert report.accuracy[place] == pytest.approx(right[accepted].mean())
            low, high = report.accuracy_low[place], report.accuracy_high[place]
            n_right, n_accepted = int(right[accepted].sum()), int(accepted.sum())
            assert (low, high) == limits(n_right, n_accepted, confidence)
            bound = accuracy_bound(n_accepted, n_accepted - n_right, 1 - confidence)
            assert report.accuracy_bound[place] == pytest.approx(bound, abs=1e-9)
        else:
            assert np.isnan([report.accuracy[place], report.accuracy_bound[place]]).all()


def test_groups_must_be_of_the_same_samples():
    with pytest.raises(InputError, match="y_true has 2, groups has 1"):
        group_report([0, 1], [0, 1], [False, False], ["a"])
