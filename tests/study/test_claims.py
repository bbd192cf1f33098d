"""Every claim of the paper is stated with its margin, and the rows alone decide about it."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from abstain.study.claims import ClaimResult, check_claims, paper_claims, verdict
from abstain.study.curves import Curves, Interval
from abstain.study.experiments import PROBLEMS
from tests.study.records import N, curve, fit, flat_curve

CLAIMS = {claim.id: claim for claim in paper_claims()}
every_claim = pytest.mark.parametrize("claim", CLAIMS.values(), ids=list(CLAIMS))
MEDICAL = [name for name, problem in PROBLEMS.items() if problem.kind == "medical"]
SIX = ["gaussian", "pearl", "segment", "tecator", "haberman", "coil20"]

# What the text of the paper claims, each with the ids that it must have here.
TEXT = {
    "training: greedy is close to exact": [
        f"greedy-close-{name}-{model}" for name in SIX for model in ("gmlvq", "lgmlvq")
    ],
    "training: exact is ahead where many are rejected": [
        f"exact-ahead-{name}-{model}"
        for name in ("tecator", "haberman")
        for model in ("gmlvq", "lgmlvq")
    ],
    "Gaussian clusters: global and local are almost identical": [
        f"gaussian-local-{model}" for model in ("rslvq", "gmlvq", "lgmlvq")
    ],
    "Gaussian clusters: all reach Bayes up to 25%": [
        f"gaussian-bayes-{model}" for model in ("rslvq", "gmlvq", "lgmlvq")
    ],
    "Gaussian clusters: RSLVQ is close to Bayes everywhere": ["gaussian-bayes-all-rslvq"],
    "Pearl necklace: local is ahead": ["pearl-local-rslvq", "pearl-local-gmlvq"],
    "Pearl necklace: these do not reach Bayes": ["pearl-bayes-rslvq", "pearl-bayes-gmlvq"],
    "Pearl necklace: LGMLVQ reaches Bayes with both": [
        "pearl-bayes-lgmlvq-global",
        "pearl-bayes-lgmlvq-local",
    ],
    "Tecator: like the SVM": ["tecator-svm-rslvq", "tecator-svm-lgmlvq"],
    "Tecator: GMLVQ 92%, 94% at 10%": ["tecator-gmlvq", "tecator-gmlvq-10"],
    "Tecator: local is slightly ahead": ["tecator-local-gmlvq"],
    "Segmentation: SVM 97%, LGMLVQ 95%": ["segment-svm", "segment-lgmlvq"],
    "Segmentation: others less": ["segment-less-rslvq", "segment-less-gmlvq"],
    "Segmentation: LGMLVQ gains 3 points at 10%": ["segment-gain-lgmlvq"],
    "Segmentation: local is ahead": ["segment-local-rslvq", "segment-local-gmlvq"],
    "Haberman: all like the SVM up to 25%": [
        f"haberman-svm-{model}" for model in ("rslvq", "gmlvq", "lgmlvq")
    ],
    "Haberman: ahead beyond": [
        f"haberman-beyond-{model}" for model in ("rslvq", "gmlvq", "lgmlvq")
    ],
    "Coil: all right at 10% and at 2%": ["coil20-all-gmlvq", "coil20-all-lgmlvq"],
    "Coil: RSLVQ is worse": ["coil20-worse-rslvq"],
    "Coil: local is ahead for RSLVQ": ["coil20-local-rslvq"],
    "medical: the same up to 10%": [f"{name}-same" for name in MEDICAL],
    "medical: local is ahead beyond": [f"{name}-local" for name in MEDICAL],
    "medical: like the SVM": [f"{name}-svm" for name in MEDICAL],
}


# --- what is claimed ----------------------------------------------------------------------------


@pytest.mark.parametrize("ids", TEXT.values(), ids=list(TEXT))
def test_the_text_of_the_paper_is_covered(ids):
    assert set(ids) <= set(CLAIMS)


def test_ids_are_unique():
    ids = [claim.id for claim in paper_claims()]
    assert len(ids) == len(set(ids))
    assert not {f"{name}-vectors" for name in MEDICAL} & set(ids)


@every_claim
def test_a_statement_states_its_margin_and_its_reject_rates(claim):
    bounds = [bound for bound in (claim.low, claim.high) if math.isfinite(bound)]
    if len(bounds) == 2:
        assert f"within {(claim.high - claim.low) / 2:g}" in claim.statement
    elif abs(bounds[0]) > 1e-6:  # else it is about who is ahead
        assert f"{bounds[0]:g}" in claim.statement
    last = f"{claim.rates[-1]:.0%}"
    named = ("whole curve", "half of what rejects all") if claim.where == "along" else (last,)
    assert claim.rates == (0.0,) or any(words in claim.statement for words in named)


@every_claim
def test_a_claim_is_about_one_set_and_two_different_settings(claim):
    assert {setting.set for setting in claim.settings} == {claim.first.set} <= set(PROBLEMS)
    assert claim.first != claim.second
    assert claim.low < claim.high
    assert all(0 <= rate <= (1 if claim.where == "along" else 0.9) for rate in claim.rates)
    assert np.all(np.diff(claim.rates) > 0)


# Two curves of one classifier have their first point in common: no claim is to hold by that.
@every_claim
def test_what_must_be_so_is_no_evidence(claim):
    if claim.second is not None and claim.first.model == claim.second.model:
        assert 0 not in claim.rates


# --- results ----------------------------------------------------------------------------------

RUNS = [(repeat, split) for repeat in range(5) for split in range(2)]


def values_of(claim):
    """Return a value that agrees with a claim, and one that does not."""
    if math.isinf(claim.high):
        return (0.02, -0.02) if claim.low < 0.1 else (0.9995, claim.low - 0.002)
    if math.isinf(claim.low):
        return -0.02, 0.02
    return (claim.low + claim.high) / 2, claim.low - 0.02


def records_of(claim, values):
    """Return curves for which the claim's value is the given one in each run."""
    records = []
    for (repeat, split), value in zip(RUNS, values, strict=True):
        if claim.gain:
            new = [flat_curve(claim.first, repeat, split, 0.6 + value, plain=0.6)]
        elif claim.second is None:
            new = [flat_curve(claim.first, repeat, split, value)]
        else:
            new = [
                flat_curve(claim.first, repeat, split, 0.6 + value),
                flat_curve(claim.second, repeat, split, 0.6),
            ]
        records += new
    return records


def result_of(claim, records):
    (row,) = [row for row in check_claims(Curves(records)) if row.id == claim.id]
    return row


@every_claim
def test_a_verdict_follows_from_the_runs(claim):
    good, bad = values_of(claim)
    noise = 1e-5 * np.random.default_rng(0).standard_normal(len(RUNS))
    turns = np.where([repeat % 2 for repeat, _ in RUNS], good, bad)
    for values, expected in (
        (good + noise, "holds"),
        (bad + noise, "differs"),
        (turns, "inconclusive"),
    ):
        result = result_of(claim, records_of(claim, values))
        assert result.verdict == expected
        assert result.value == pytest.approx(np.mean(values), abs=1e-9)
        assert result.low <= result.value <= result.high
        assert (result.dataset, result.statement) == (claim.first.set, claim.statement)


@pytest.mark.parametrize(
    "claim",
    [claim for claim in CLAIMS.values() if {claim.low, claim.high} & {math.inf, -math.inf}],
    ids=lambda claim: claim.id,
)
def test_equal_curves_are_not_ahead_of_one_another(claim):
    if claim.second is not None:
        expected = "holds" if "not-ahead" in claim.id else "differs"
        assert result_of(claim, records_of(claim, np.zeros(len(RUNS)))).verdict == expected


@pytest.mark.parametrize(("n_short", "counts"), [(2, True), (3, False)])
def test_a_reject_rate_counts_where_four_in_five_runs_have_a_value(n_short, counts):
    claim = CLAIMS["haberman-beyond-gmlvq"]  # from 26 to 70%
    records = []
    for number, (repeat, split) in enumerate(RUNS):
        ours = flat_curve(claim.first, repeat, split, 0.62, last=0.35 if number < n_short else 0.95)
        # Ahead by 0.02 up to 35% rejects, and by 0.3 from 40% on.
        accepted = np.array(ours["accepted"])
        ours["errors"] = np.where(accepted < 620, 0.1, 0.38) * accepted
        records += [ours, flat_curve(claim.second, repeat, split, 0.6)]
    result = result_of(claim, records)
    assert (result.value > 0.1) == counts
    assert counts or result.value == pytest.approx(0.02)


def test_what_is_reached_within_a_rate_is_read_from_a_curve_that_ends_before():
    claim = CLAIMS["coil20-all-gmlvq"]
    for last in (0.0, 0.04, 0.5):
        records = [
            flat_curve(claim.first, repeat, split, 1.0, plain=1.0 if last == 0 else 0.97, last=last)
            for repeat, split in RUNS
        ]
        result = result_of(claim, records)
        assert result.value == 1
        assert result.verdict == "holds"


def test_what_was_not_run_is_not_checked():
    claim = CLAIMS["haberman-beyond-gmlvq"]
    records = records_of(claim, np.full(len(RUNS), 0.02))
    ids = {row.id for row in check_claims(Curves(records))}
    assert ids == {"haberman-beyond-gmlvq", "haberman-svm-gmlvq"}
    only_ours = [record for record in records if record["model"] == "gmlvq"]
    assert check_claims(Curves(only_ours)) == check_claims(Curves([])) == []


def test_a_curve_that_ends_too_early_is_inconclusive():
    claim = CLAIMS["haberman-beyond-gmlvq"]
    records = [
        flat_curve(setting, repeat, split, accuracy, last=0.2)
        for repeat, split in RUNS
        for setting, accuracy in zip(claim.settings, (0.9, 0.8), strict=True)
    ]
    result = result_of(claim, records)
    assert np.isnan(result.value)
    assert result.verdict == "inconclusive"


# Thresholds that are set on few errors soon reject them all: "many rejects" are few samples then.
@pytest.mark.parametrize("last", [0.02, 0.3, 0.95])
@pytest.mark.parametrize(("lead", "expected"), [(0.1, "holds"), (0.0, "differs")])
def test_many_rejects_are_the_second_half_of_a_curve(last, lead, expected):
    claim = CLAIMS["exact-ahead-tecator-gmlvq"]
    records = []
    for repeat, split in RUNS:
        ours, theirs = (
            flat_curve(setting, repeat, split, 0.8, last=last) for setting in claim.settings
        )
        accepted = np.array(ours["accepted"])
        far = N - accepted > 0.4 * last * N
        ours["errors"] = np.where(far, 0.2 - lead, 0.5) * accepted
        records += [ours, theirs]
    result = result_of(claim, records)
    assert result.value == pytest.approx(lead)
    assert result.verdict == expected


def test_without_errors_greedy_and_exact_are_the_same():
    for name, expected in (("greedy-close", "holds"), ("exact-ahead", "differs")):
        claim = CLAIMS[f"{name}-tecator-lgmlvq"]
        records = [
            curve(setting, *run, [100], [0], 100) for run in RUNS for setting in claim.settings
        ]
        result = result_of(claim, records)
        assert (result.value, result.verdict) == (0, expected)


def test_how_far_the_curves_go_is_stated():
    claim = CLAIMS["tecator-svm-rslvq"]  # up to 25% rejects
    for last, said, verdicts in (
        (0.95, "", {"holds"}),
        (0.2, "; curves end at 20%", {"holds"}),
        (0.1, "; curves end at 10%", {"inconclusive"}),
    ):
        records = [
            flat_curve(setting, *run, 0.9, last=last) for run in RUNS for setting in claim.settings
        ]
        result = result_of(claim, records)
        assert result.statement == claim.statement + said
        assert result.verdict in verdicts


def test_how_many_curves_end_before_the_rate_is_stated():
    claim = CLAIMS["tecator-gmlvq-10"]
    records = [
        flat_curve(claim.first, *run, 0.94, last=0.05 if number % 5 == 0 else 0.5)
        for number, run in enumerate(RUNS)
    ]
    assert result_of(claim, records).statement == f"{claim.statement}; 20% of the curves end before"


# No error in n answers does not say that there is none.
@pytest.mark.parametrize(("n_runs", "expected"), [(2, "inconclusive"), (4, "holds")])
@pytest.mark.parametrize("n_repeats", [1, 3])  # tests the same samples again
def test_no_error_in_n_answers_leaves_three_in_n(n_runs, expected, n_repeats, monkeypatch):
    monkeypatch.setattr("tests.study.records.N", 200)
    claim = CLAIMS["coil20-all-gmlvq"]
    runs = [(repeat, split) for repeat in range(n_repeats) for split in range(n_runs)]
    result = result_of(claim, [flat_curve(claim.first, *run, 1.0) for run in runs])
    assert result[3:6] == pytest.approx((1.0, 1 - 3 / (200 * n_runs), 1.0))
    assert result.verdict == expected


@pytest.mark.parametrize(("n_vectors", "expected"), [(31, "holds"), (90, "differs")])
@pytest.mark.parametrize("name", MEDICAL)
def test_support_vectors_are_counted(name, n_vectors, expected):
    fits = [fit(name, "svm", 0, split, n_vectors + split % 3) for split in range(20)]
    fits += [fit(name, "gmlvq", 0, split, 2) for split in range(20)]
    (result,) = check_claims(Curves(fits))
    assert isinstance(result, ClaimResult)
    assert (result.id, result.dataset, result.verdict) == (f"{name}-vectors", name, expected)
    assert result.value == pytest.approx(n_vectors, abs=1)


# --- the verdict --------------------------------------------------------------------------------

numbers = st.floats(-2, 2) | st.sampled_from([-np.inf, np.inf])


@given(st.tuples(numbers, numbers).map(sorted), st.tuples(numbers, numbers).map(sorted))
def test_all_of_the_interval_agrees_or_none_or_it_is_open(computed, claimed):
    low, high = claimed
    assume(low < high)
    given_verdict = verdict(Interval(0.0, *computed), low, high)
    points = np.array([*computed, low, high, *np.linspace(-3, 3, 7)])
    inside = points[(points >= computed[0]) & (points <= computed[1])]
    agrees = (inside >= low) & (inside <= high)
    assert (given_verdict == "holds") == agrees.all()
    assert (given_verdict == "differs") == (not agrees.any())


def test_an_unknown_value_is_inconclusive():
    assert verdict(Interval(np.nan, -np.inf, np.inf), 0, np.inf) == "inconclusive"
    assert verdict(Interval(0.5, np.nan, np.nan), 0, 1) == "inconclusive"
