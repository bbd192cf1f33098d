"""What the documentation concludes is what the records show.

Numbers are rendered from the records (tools/render_numbers.py). After a new run of a benchmark, a
test that fails here names a sentence that has to be written anew.
"""

import inspect
from math import ceil, log, sqrt
from statistics import fmean

import pytest

from abstain import models
from abstain.models import rslvq
from tools.numbers import (
    auto_prototypes,
    costs,
    defaults,
    dependence,
    drift,
    exact_front,
    expected,
    guarantee,
    incremental,
    local_thresholds,
    monitor,
    online,
    outliers,
    priors,
    probability,
    rejection,
    scaling,
    tables_and_reports,
)
from tools.numbers import models as speeds
from tools.numbers.writing import DOCS, find, find_all, record

# --- fronts -------------------------------------------------------------------------------------


def test_an_exact_front_takes_a_few_sorts_and_grows_as_the_page_says():
    assert {f"{row['errors'] / row['samples']:.2f}" for row in exact_front.ROWS} <= {"0.06", "0.07"}
    assert max(row["exact_over_argsort"] for row in exact_front.USUAL) < 4
    assert max(row["hull_over_argsort"] for row in exact_front.USUAL) < 2
    # The ratios to a sort fall with the number of samples, because the sort slows down.
    for step in (exact_front.SMALL, exact_front.LARGE):
        assert step["exact"] < step["argsort"]
    slowest = exact_front.SLOWEST
    assert (slowest["samples"], slowest["cells"]) == (2000, 5)
    assert slowest["algorithm_1_over_exact"] > slowest["greedy_over_exact"] > 1


def test_a_pooled_front_of_a_million_samples_takes_at_most_two_sorts():
    row = find(record("pooled")["rows"], samples=1_000_000, cells=100)
    assert row["pooled_over_argsort"] <= 2


# --- what is expected ---------------------------------------------------------------------------


def test_what_is_expected_is_less_too_high_than_what_was_chosen():
    first, *_, last = expected.SIZES
    assert expected.means("accuracy_told", first) > 2
    assert expected.means("accuracy_expected", first) < expected.means("accuracy_told", first) / 2
    assert all(expected.means("accuracy_expected", size) < 1.5 for size in expected.SIZES)
    assert abs(expected.means("accuracy_expected", last)) < 1.5


# --- local thresholds ---------------------------------------------------------------------------


def test_the_study_of_thresholds_has_ten_draws_of_each_size():
    assert local_thresholds.STUDY["settings"]["draws"] >= 10
    assert local_thresholds.SIZES == [200, 600, 2000]


@pytest.mark.parametrize("size", local_thresholds.SIZES)
@pytest.mark.parametrize("sets", ["all", "confirming", "chosen on"])
def test_no_method_gains_more_on_average_than_pooled(size, sets):
    rows = find_all(local_thresholds.STUDY["by_method"], sets=sets, size=size)
    assert max(rows, key=lambda row: row["gain"][0])["method"] == "pooled"


def test_pooled_loses_little_on_any_set():
    rows = [row for row in local_thresholds.STUDY["by_set"] if row["size"] >= 600]
    assert {row["size"] for row in rows} == {600, 2000}
    for row in rows:
        mean, error = row["gains"]["pooled"]
        assert mean > -0.15 - 2 * error, row["set"]


def test_the_lowest_mean_of_pooled_is_within_two_standard_errors_of_zero():
    worst = min(local_thresholds.STUDY["pairs"], key=lambda row: row["gains"]["pooled"][0])
    assert (worst["set"], worst["classifier"], worst["size"]) == ("covtype", "GMLVQ", 200)
    mean, error = worst["gains"]["pooled"]
    assert -2 * error < mean < 0


@pytest.mark.parametrize("size", local_thresholds.SIZES)
def test_pooled_misses_an_accuracy_no_more_often_than_one_threshold_or_exact(size):
    rows = {row["way"]: row for row in find_all(local_thresholds.BY_ACCURACY, size=size)}
    missed, answered = (
        {way: row[name][0] for way, row in rows.items()} for name in ("missed", "answered")
    )
    assert missed["pooled"] <= min(missed["one threshold"], missed["exact, cells of 10"])
    assert missed["exact, cells of 10"] > 0.5
    # Less with 200 samples, as much with 600, more with 2,000.
    error = rows["one threshold"]["answered"][1]
    more = (answered["pooled"] - answered["one threshold"]) / error
    assert more < -2 if size == 200 else abs(more) < 2 if size == 600 else more > 2
    # Chosen alike, one threshold misses more often, answers less and falls farther short.
    alike = rows["one threshold, pooled"]
    more, error = alike["pooled_misses_more"]
    assert more < -2 * error
    assert alike["answered"][0] < answered["pooled"]
    assert alike["short_by"] > rows["pooled"]["short_by"]


def test_pooled_misses_no_more_often_than_one_threshold_with_any_classifier():
    rows = find_all(local_thresholds.STUDY["by_classifier"], way="one threshold, pooled")
    assert len({row["classifier"] for row in rows}) == 4
    assert max(row["pooled_misses_more"][0] for row in rows) <= 0


@pytest.mark.parametrize("sets", ["chosen on", "confirming"])
@pytest.mark.parametrize("size", local_thresholds.SIZES)
def test_expected_errors_choose_cheaper_rows_than_errors_seen(size, sets):
    rows = find_all(local_thresholds.STUDY["by_price"], size=size, sets=sets)
    for way in ("pooled, errors seen", "one threshold"):
        more, error = find(rows, way=way)["more_than_pooled"]
        assert more > 2 * error


# --- guarantees ---------------------------------------------------------------------------------


def test_certified_accuracies_hold_as_often_as_promised():
    rows = guarantee.RECORD["validity"]
    assert len({row["population"] for row in rows}) >= 4
    for row in rows:
        assert row["runs"] == 1000
        assert row["missed"] <= guarantee.RECORD["allowed"], row


# On all sets, and on those on which no constant of the procedure was chosen.
@pytest.mark.parametrize("part", ["comparison", "fresh_sets"])
@pytest.mark.parametrize("size", [200, 300, 500, 700, 1000, 2000])
def test_no_other_procedure_certifies_more(part, size):
    coverages, best = guarantee.coverages(part), guarantee.best_of_others(part, size)
    assert coverages[guarantee.OURS][size] >= best
    assert coverages[guarantee.TAUGHT][size] >= best


# On sets that had no part in the choice; a difference counts from two standard errors on.
def test_no_other_share_is_clearly_better_than_half():
    rows = find_all(guarantee.RECORD["shares"], use="tried on")
    for size in {row["samples"] for row in rows}:
        best = max(find_all(rows, samples=size), key=lambda row: row["coverage"])
        assert best["share"] == 0.5
    for share in {row["share"] for row in rows}:
        gains = find_all(rows, share=share)
        assert not all(row["difference"] > 2 * row["standard_error"] > 0 for row in gains)


def test_how_many_answers_an_accuracy_needs_is_what_the_binomial_tail_says():
    guide = (DOCS / "guide" / "guarantees.md").read_text(encoding="utf-8")
    assert f"takes {ceil(log(1 - 0.95) / log(0.99))} answers without any error" in guide


# --- monitors -----------------------------------------------------------------------------------


def test_false_alarms_of_a_monitor_are_as_rare_as_promised():
    rows = monitor.RECORD["false_alarms"]
    assert monitor.LIVES == 10_000
    assert {row["audit"] for row in rows} == {1.0, 0.05}
    assert min(row["error"] for row in rows) < 1 - monitor.ACCURACY - 0.01
    assert max(row["error"] for row in rows) == pytest.approx(1 - monitor.ACCURACY)
    assert max(monitor.FALSE_ALARMS) <= monitor.ALLOWED


def test_a_monitor_takes_less_than_a_third_of_the_answers_that_mapie_takes():
    assert min(monitor.ratios(0, monitor.MAPIE)) > 3


# With these promises and error rates, no weight was chosen.
def test_it_does_so_where_no_weight_was_chosen():
    rows = monitor.OTHERS + [
        row for row in monitor.after(0) if row["error"] not in monitor.RECORD["chosen_with"]
    ]
    changes = {(row["accuracy"], row["error"]) for row in rows}
    assert len(changes) == 6
    for accuracy, error in changes:
        own, other = (
            find(rows, accuracy=accuracy, error=error, monitor=name)["median"]
            for name in (monitor.OURS, monitor.MAPIE)
        )
        assert other is None or other > 3 * own


def test_ten_times_as_long_a_past_adds_little_to_the_delay():
    for error in (0.15, 0.17, 0.2, 0.25, 0.3, 0.4):
        short, long = (
            find(monitor.after(past), monitor=monitor.OURS, error=error)["median"]
            for past in (1000, 10_000)
        )
        assert 1.15 <= long / short <= 1.36


def test_restarts_cost_little_from_the_start_and_gain_much_after_a_good_past():
    assert min(monitor.ratios(0, monitor.WITHOUT)) > 0.75
    assert min(monitor.ratios(1000, monitor.WITHOUT)) > 2
    hidden = find_all(monitor.after(10_000), monitor=monitor.WITHOUT)
    assert max(row["detected"] for row in hidden) < 0.5
    seen = find_all(monitor.after(10_000), monitor=monitor.OURS)
    assert min(row["detected"] for row in seen if row["error"] >= 0.15) > 0.9


def test_little_is_left_to_a_bet_that_knows_the_error_rate():
    rows = monitor.RECORD["single_bets"]
    assert {row["error"] for row in rows} == {row["error"] for row in monitor.after(0)}
    for row in rows:
        own = find(monitor.after(0), monitor=monitor.OURS, error=row["error"])
        assert own["lives"] == row["lives"] >= 5000
        assert row["median"] < own["median"] <= max(2.05 * row["median"], row["median"] + 10)
    at_0_15 = find(monitor.after(0), monitor=monitor.OURS, error=0.15)["median"]
    assert at_0_15 < 1.1 * find(rows, error=0.15)["median"]


def test_more_capital_from_the_start_is_sooner_there_and_later_after_a_good_past():
    for row in monitor.RECORD["shares"]:
        delays = [row[share] for share in ("0.6", "0.75", "0.85", "0.95")]
        assert delays == sorted(delays, reverse=row["past"] == 0)


def test_detectors_of_change_have_as_many_false_alarms_but_one_that_cannot():
    for key, row in monitor.PARAMETERS.items():
        error = sqrt(monitor.LEVEL * (1 - monitor.LEVEL) / row["lives"])
        if key in monitor.DETECTORS:
            assert abs(row["false_alarms"] - monitor.LEVEL) < error
            assert abs(row["false_alarms_elsewhere"] - monitor.LEVEL) < 3 * error
    slowest = monitor.PARAMETERS["DDM", monitor.GOOD]
    assert not slowest["is_reached"]
    assert abs(slowest["false_alarms"] - 0.95**30) < 0.03
    assert monitor.before(monitor.OURS, 10_000) < 0.001


def test_only_detectors_of_change_report_a_change_that_breaks_no_promise():
    alarms = {row["monitor"]: row["alarms"] for row in monitor.RECORD["harmless"]}
    assert alarms[monitor.OURS] <= monitor.LEVEL
    assert min(alarms["ADWIN"], alarms["DDM"]) > 0.9
    adwin, own = (
        find(monitor.after(1000), monitor=name, error=0.15)["median"]
        for name in ("ADWIN", monitor.OURS)
    )
    assert adwin < own


# --- outliers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("group", ["chosen on", "confirming"])
def test_no_other_score_finds_more_values_that_leave_their_range_and_noise(group):
    scores = outliers.SCORES[group]
    for fault in (*outliers.UNITS, *outliers.FAR, "noise of two deviations"):
        best = max(row[fault] for row in scores.values())
        assert scores[outliers.OURS][fault] > best - 0.005


# Others than its two parts.
@pytest.mark.parametrize("group", ["chosen on", "confirming"])
def test_no_other_score_finds_more_permuted_values(group):
    scores = {score: row["values permuted"] for score, row in outliers.SCORES[group].items()}
    assert max(scores, key=lambda score: scores[score]) == "residual"
    del scores["residual"]
    assert max(scores, key=lambda score: scores[score]) == outliers.OURS


def test_unseen_classes_are_found_in_few_cases_and_isolation_forests_see_no_single_value():
    for scores in outliers.SCORES.values():
        assert max(row[outliers.UNSEEN] for row in scores.values()) < 0.25
        forest = scores["isolation forest"]
        assert max(forest[fault] for fault in (*outliers.UNITS, *outliers.FAR)) < 0.15


def test_nine_in_ten_changes_of_unit_by_12_and_to_fahrenheit_are_found_and_not_by_0_45():
    by_12, by_045, fahrenheit = outliers.UNITS
    for fault in (by_12, fahrenheit):
        assert outliers.of_all(fault) > 0.9
        assert len(outliers.holding(fault)) > 0.75 * len(outliers.visible(fault))
    assert outliers.of_all(by_045) < outliers.of_varying(by_045) < 0.9
    assert len(outliers.holding(by_045)) < len(outliers.visible(by_045)) / 2


def test_finding_nine_in_ten_values_045_takes_more_false_alarms_than_asked_for():
    needed, outside = ([row[kind] for row in outliers.PRICE] for kind in ("needed", "outside"))
    for shares in (needed, outside):
        assert fmean(shares) > 4 * outliers.RECORD["rate"]
        assert sum(share > outliers.RECORD["rate"] for share in shares) > len(shares) / 2


# The last interval is that of constant columns.
def test_from_a_tenth_of_the_width_on_nine_in_ten_are_found():
    first = outliers.RECORD["distances"].index(0.1)
    for fault in outliers.UNITS:
        for index in range(first, len(outliers.RECORD["distances"])):
            n_found, n_all = outliers.counts_at(fault, index)
            assert n_found >= 0.9 * n_all
        n_found, n_all = outliers.counts_at(fault, 0)
        assert n_found < 0.6 * n_all


def test_false_alarms_are_not_more_than_chance_explains():
    assert len(outliers.ALARMS) >= 8
    verdicts = [outliers.verdict(row) for row in outliers.ALARMS]
    assert verdicts.count("above") <= 1
    assert sum(row["alarms"] for row in outliers.ALARMS) < 0.01 * sum(
        row["samples"] for row in outliers.ALARMS
    )
    assert verdicts.count("within") > 2 / 3 * len(verdicts)


def test_outliers_cost_at_most_three_tenths_and_little_with_slower_classifiers():
    assert max(outliers.ratios(outliers.ONE)) < outliers.MOST_COST
    assert max(outliers.ratios(outliers.MANY)) < outliers.MOST_COST
    slow = ("RandomForestClassifier", "HistGradientBoostingClassifier")
    for row in outliers.COST:
        if row["rows"] == outliers.MANY and row["classifier"] in slow:
            assert row["ratio"] < 1.1


# --- drift --------------------------------------------------------------------------------------


def test_as_fitted_a_promise_is_broken_on_every_set_while_data_drift():
    for name in drift.SETS:
        row = drift.row_of(name, drift.AS_FITTED)
        assert row["accuracy"] < row["promised"]
        assert row["chunks_below"] > row["chunks"] / 2
    gas = drift.row_of("gas_drift", drift.AS_FITTED)
    assert gas["chunks_below"] == gas["chunks"]


def test_rejecting_outliers_gains_no_accuracy_while_data_drift_except_a_little_on_gas_sensors():
    gains = {
        name: drift.row_of(name, drift.OUTLIERS)["accuracy"]
        - drift.row_of(name, drift.AS_FITTED)["accuracy"]
        for name in drift.SETS
    }
    assert [name for name in gains if gains[name] > 0] == ["gas_drift"]
    assert gains["gas_drift"] < 0.01
    for name in ("electricity", "weather"):
        assert drift.refused_right(name) > drift.row_of(name, drift.OUTLIERS)["accuracy"]
    by_batch = dict(
        zip(
            drift.row_of("gas_drift", drift.OUTLIERS)["by_chunk"]["name"],
            drift.outliers_by_chunk("gas_drift"),
            strict=True,
        )
    )
    assert [batch for batch in by_batch if by_batch[batch] > 0.02] == ["batch 4"]


def test_the_monitor_sees_a_large_loss_within_a_batch_and_a_small_one_late_or_never():
    weather = drift.row_of("weather", drift.RECALIBRATED)
    assert sum(not alarms for alarms in weather["alarms"]) == 1
    assert min(drift.first_alarms(weather)) > 5_000
    gas = drift.row_of("gas_drift", drift.RECALIBRATED)
    assert all(gas["alarms"])
    assert max(drift.first_alarms(gas)) < 200


def test_recalibration_mends_weather_and_leaves_nearly_all_gas_sensors_unanswered():
    assert drift.row_of("gas_drift", drift.RECALIBRATED)["answered"] < 0.05
    chunks = drift.row_of("weather", drift.RECALIBRATED)["by_chunk"]
    assert min(chunks["accuracy"][-4:]) > 0.85
    assert min(chunks["answered"][-4:]) > 0.1


def test_a_new_fit_answers_more_and_on_weather_the_newest_rows_calibrate_better():
    for name in drift.SETS:
        thresholds, fit, newest = (
            drift.row_of(name, arm) for arm in (drift.RECALIBRATED, drift.AGAIN, drift.NEWEST)
        )
        assert fit["answered"] > newest["answered"] > thresholds["answered"]
        gain = newest["accuracy"] - fit["accuracy"]
        assert gain > 0 if name == "weather" else abs(gain) < 0.005
        if name == "gas_drift":
            assert min(fit["accuracy"], newest["accuracy"]) > fit["promised"] - 0.01
        assert max(fit["accuracy"], newest["accuracy"]) < fit["promised"]
        assert newest["chunks_below"] > 0


# --- probabilities ------------------------------------------------------------------------------


@pytest.mark.parametrize("score", ["brier", "log_loss"])
@pytest.mark.parametrize("beside", ["posterior", "isotonic"])
def test_the_estimate_is_mostly_better_than_posterior_and_isotonic_regression(beside, score):
    row = find(probability.RECORD["verdicts"], beside=beside, score=score)
    assert row["better"] > 4 * row["worse"]


# --- beside other libraries ---------------------------------------------------------------------


def test_the_default_misses_less_often_than_one_threshold_by_hand_and_answers_nearly_as_much():
    ways = [("abstain", "default"), ("sweep", "one threshold"), ("abstain", "exact")]
    missed = [rejection.clearly_below(*way) for way in ways]
    assert missed == sorted(missed)
    assert abs(rejection.coverage(*ways[0]) - rejection.coverage(*ways[1])) < 0.005


def test_a_certified_default_answers_at_least_as_much_as_any_other():
    shares = [rejection.coverage(*way) for way in rejection.CERTIFIED.values()]
    assert shares == sorted(shares, reverse=True)


# Where the default answers significantly less than what is written by hand, it loses at most two
# points, on average less than half a point. Certified, it never answers significantly less.
def test_the_default_loses_little_against_thresholds_by_hand():
    rows = rejection.RECORD["by_hand"]
    losses = [row for row in rows if row["gain"] < -2 * row["standard_error"]]
    assert min(row["gain"] for row in losses) > -0.02
    assert not [row for row in losses if "confidence" in row["method"]]
    gains = [row["gain"] for row in rows if "confidence" not in row["method"]]
    assert sum(gains) / len(gains) > -0.005
    assert rejection.CAUTIOUS["accuracy"] > 0.98


def test_certified_answers_are_below_the_target_within_the_confidence():
    certified = [row for row in rejection.RECORD["thresholds"] if row["certifies"]]
    assert max(row["clearly_below"] for row in certified) <= 1 - rejection.RECORD["confidence"]


def test_no_library_failed():
    rows = rejection.RECORD["thresholds"] + rejection.RECORD["out_of_fold"]
    assert [row for row in rows if "failure" in row] == []
    assert {row["library"] for row in rejection.RECORD["thresholds"]} == set(rejection.NAMES)


# --- costs, classes and groups ------------------------------------------------------------------


def test_costs_are_measured_on_at_least_four_sets_with_ten_draws():
    assert len(costs.SETS) >= 4
    assert min(row["draws"] for row in costs.RECORD["methods"]) >= 10
    assert not [row for row in costs.RECORD["methods"] if "failure" in row]


@pytest.mark.parametrize("classifier", costs.SHORT)
def test_on_fraud_the_default_costs_no_more_than_the_best_pair_by_hand(classifier):
    row = find(costs.of_method("abstain", "default"), set="fraud", classifier=classifier)
    assert row["difference"] <= 0


def test_the_default_costs_mostly_less_than_the_best_pair_by_hand_but_not_significantly():
    assert costs.verdicts("abstain", "default") == (0, 0)
    rows = costs.of_method("abstain", "default")
    assert sum(row["difference"] < 0 for row in rows) > len(rows) / 2


def test_where_the_rule_of_chow_costs_less_than_the_default():
    assert costs.wins(*costs.CHOW) == [("breast cancer", "LR"), ("wisconsin", "HGB")]


def test_mapie_refuses_electricity_and_small_sets():
    sets = ["electricity", "breast cancer", "wisconsin", "cleveland"]
    for method in ("precision of both answers", "class-specific precision"):
        rows = find_all(costs.RECORD["methods"], library="mapie", method=method)
        refused = [row for row in rows if row["refused"] == 1 and row["set"] != "weather"]
        assert {row["set"] for row in refused} == set(sets)
        assert len(refused) == 2 * len(sets)


# Of breast cancer and cleveland, with both classifiers.
def test_with_few_samples_the_default_mostly_costs_less_than_exact_thresholds():
    both = [costs.of_method("abstain", method) for method in ("default", "exact")]
    pairs = [pair for pair in zip(*both, strict=True) if pair[0]["set"] in costs.FEW]
    assert [default["cost"] < exact["cost"] for default, exact in pairs].count(True) == 3


# Both are best on the calibration data; ties and cells without samples make small differences.
@pytest.mark.parametrize("name", ["fraud", "electricity", "weather"])
def test_exact_thresholds_cost_what_the_best_pair_by_hand_costs(name):
    for row in costs.of_method("abstain", "exact", set=name):
        assert abs(row["difference"]) < 0.0005


def test_thresholds_without_rejects_cost_more_on_large_sets():
    for name in ("fraud", "electricity", "weather"):
        for row in find_all(costs.RECORD["methods"], library="scikit_learn", set=name):
            assert row["cost"] > 1.15 * (row["cost"] - row["difference"])


def test_certified_shares_hold_as_often_as_promised():
    assert len({row["population"] for row in costs.OURS}) >= 3
    for row in costs.OURS:
        assert row["runs"] == 1000
        assert row["missed"] <= costs.SHARES["allowed"], row


def test_more_is_certified_than_by_hand_for_one_of_six_classes_groups_and_several_targets():
    assert min(costs.share_of("abstain")) > 1.25 * max(costs.share_of("by hand"))
    for population, target in costs.CASES:
        if "groups" in target or "AllOf" in target:
            coverage = {
                way: costs.best_of(population, target, way)["coverage"] for way in costs.WAYS
            }
            assert coverage["abstain, half tests"] > coverage["by hand, second half"]
            assert coverage["abstain, 80% test"] > coverage["by hand, all samples"]


def test_certificates_hold_for_other_class_proportions_and_need_the_prior():
    assert len(priors.CASES) == 12
    for row in priors.WITH_PRIOR:
        assert row["runs"] == 1000
        assert row["missed"] <= priors.RECORD["allowed"], row
    # Without the prior, some certificates are nearly always false.
    assert max(row["missed"] for row in priors.WITHOUT) > 0.9
    pairs = list(zip(priors.WITHOUT, priors.WITH_PRIOR, strict=True))
    holding = [pair for pair in pairs if pair[0]["missed"] <= priors.RECORD["allowed"]]
    assert len(holding) <= len(pairs) / 2
    assert sum(row["coverage"] > with_prior["coverage"] for row, with_prior in holding) == 1


def test_certificates_hold_for_samples_that_belong_together_and_need_the_remedies():
    allowed = dependence.RECORD["allowed"]
    assert all(row["runs"] >= 300 for row in dependence.FITS)
    for row in dependence.WITH:
        assert row["missed"] <= allowed, row
    looks = find(dependence.FITS, data=dependence.SEEDS, way=dependence.LOOKS)
    alone = find(dependence.FITS, data=dependence.SEEDS, way="one seed")
    assert looks["missed"] > allowed > alone["missed"]
    for data in (dependence.PATIENTS, "600 rows, 2 times each", "600 rows, 5 times each"):
        assert max(row["missed"] for row in find_all(dependence.WITHOUT, data=data)) > allowed
    # Several targets hold together as often as the sum of what they lack.
    several = find(dependence.FITS, way="five targets, each with δ = 0.02")
    assert several["missed"] <= allowed
    # Independent samples are not taken for dependent ones.
    n_false = sum(row["runs"] * row["contradiction"] for row in dependence.BY_CHANCE)
    assert n_false <= 0.001 * sum(row["runs"] for row in dependence.BY_CHANCE)


# --- models -------------------------------------------------------------------------------------


def test_no_model_falls_below_the_accuracy_it_is_held_to():
    held = [row for row in speeds.MODELS["accuracies"] if row["bar"] is not None]
    assert len(held) == 8
    assert all(row["accuracy"] >= row["bar"] for row in held)


def test_glvq_is_no_slower_than_the_fastest_peer():
    assert all(row["holds"] for row in find_all(speeds.MODELS["verdicts"], model="GLVQ"))


def test_models_keep_their_limits():
    for row in speeds.LIMITS["products"]:
        assert row["evaluation_over_products"] <= {"GMLVQ": 2.0, "LGMLVQ": 1.4}[row["model"]]
        assert row["predict_over_products"] <= 2
        assert row["distances_over_products"] <= 2
    assert max(speeds.MEMORY) < 3
    assert max(speeds.TWO_CLASSES, speeds.TEN_CLASSES) <= 1
    assert max(speeds.GROWTHS_PER_EVALUATION) < 12


# --- defaults -----------------------------------------------------------------------------------


@pytest.mark.parametrize("model", defaults.CHOSEN)
def test_what_was_chosen_is_what_the_models_have(model):
    parameters = inspect.signature(getattr(models, model)).parameters
    chosen = dict(defaults.CHOSEN[model])
    assert chosen.pop("bandwidth", rslvq.BANDWIDTH) == rslvq.BANDWIDTH
    assert {name: parameters[name].default for name in chosen} == chosen


def test_sets_were_dealt_out_in_turn():
    names, halves = ([row[name] for row in defaults.STUDY["sets"]] for name in ("name", "half"))
    assert names == sorted(names)
    assert halves == ["choice", "report"] * (len(names) // 2)


def test_no_fit_warns_with_the_chosen_limit():
    assert not any(sum(row["fits_warned"]) for row in defaults.LONG.values())


def test_a_looser_tolerance_costs_half_a_point_and_one_beta_for_all_gains_nothing():
    loose = defaults.at_the_end(200, 1e-4)
    assert all(loose[model]["all"]["gain"] <= -0.0045 for model in ("LGMLVQ", "MRSLVQ"))
    for model in ("GMLVQ", "LGMLVQ"):
        row = find(defaults.STUDY["one_for_all"], model=model)
        assert row["beta"] == 10
        for half in ("choice", "report"):
            assert row[half]["gain"] <= 2 * row[half]["error"]
        assert row["risk_all"]["change"] > 0


# --- tables and reports -------------------------------------------------------------------------


def test_memory_does_not_grow_with_the_table_and_wide_ones_are_relatively_faster():
    narrow, wide = tables_and_reports.PREDICT["tables"]
    assert narrow["rows"] == wide["rows"]
    assert narrow["columns"] < wide["columns"]
    assert narrow["times_polars"] > wide["times_polars"]
    assert wide["file_megabytes"] > 2 * narrow["file_megabytes"]
    assert wide["peak_megabytes"] < 1.2 * narrow["peak_megabytes"]


def test_the_import_is_free_and_a_start_is_mostly_that_of_other_packages():
    starts = tables_and_reports.STARTS
    assert starts["import abstain"] < 0.1
    assert starts["needed by predict"] > starts["abstain predict"]


def test_a_large_report_shows_its_numbers_early_and_loads_little_later_than_a_small_one():
    small, large = tables_and_reports.REPORT["reports"]
    for row in (small, large):
        assert row["numbers_after_seconds"] < row["all_after_seconds"] / 4
    assert large["all_after_seconds"] < 1.25 * small["all_after_seconds"]


# --- numbers of prototypes, weights of classes --------------------------------------------------


def test_prototypes_that_are_found_make_gmlvq_as_accurate_as_svc_and_lgmlvq_more_accurate():
    mean = auto_prototypes.mean
    assert mean("GMLVQ", "auto", "accuracy") > mean("SVC", None, "accuracy") - 0.01
    assert mean("LGMLVQ", "auto", "accuracy") > mean("SVC, fewer rows", None, "accuracy")
    for model in ("GMLVQ", "LGMLVQ", "GLVQ", "RSLVQ"):
        assert mean(model, "auto", "accuracy") > mean(model, 1, "accuracy")
        assert mean(model, "auto", "aurc") < mean(model, 1, "aurc")


def test_no_fit_has_more_prototypes_than_two_percent_of_its_samples():
    rows = find_all(auto_prototypes.STUDY["numbers"], number="auto")
    assert {row["beyond_cap"] for row in rows} == {0}


def test_no_other_way_to_grow_is_significantly_better_on_the_sets_of_choice():
    assert not [row for row in auto_prototypes.STUDY["tried"] if row["is_significant"]]


def test_balanced_weights_gain_balanced_accuracy_and_cost_accuracy():
    for number in (1, "auto"):
        assert auto_prototypes.change("balanced_accuracy", number=number) > 5
        assert auto_prototypes.change("accuracy", number=number) < -1
        rows = auto_prototypes.weight_rows("GMLVQ", number, "balanced")
        assert {row["missed"] for row in rows} == {0}


# --- scaling ------------------------------------------------------------------------------------


def test_fits_on_two_workers_end_where_those_on_one_machine_do():
    fits = find_all(scaling.MODELS["fits"], solver="lbfgs")
    assert max(row["difference_of_costs"] for row in fits) < 1e-12


def test_the_exact_front_is_fast_with_a_million_errors_and_the_hull_always():
    assert scaling.FEW["exact_seconds"] < 2
    for row in (scaling.FEW, scaling.MANY, scaling.MISLED):
        assert row["hull_seconds"] < 2
    # What travels is as computed.
    for row in (scaling.FEW, scaling.MANY, scaling.MISLED):
        measured = 1e6 * row["megabytes_between_workers"] / row["errors"]
        assert measured == pytest.approx(scaling.moved_per_error(2), rel=0.02)


# --- streams ------------------------------------------------------------------------------------


def test_thresholds_that_follow_a_stream_stay_nearer_to_the_target():
    assert max(online.STATIONARY) <= 1
    assert float(online.VALUES["mean_ratio"]) <= 0.5
    assert max(online.COMPARED) < 1


def test_thresholds_that_follow_a_stream_take_little_time_and_memory():
    assert max(row["over_us"] for row in online.RECORD["times"]) <= online.RECORD["at_most_us"]
    assert online.RECORD["memory"]["growth_bytes"] < 20e6


def test_models_on_streams_are_ahead_of_sgd_on_most_sets_and_behind_repeated_fits():
    of_arm = {
        arm: [find(incremental.STREAMS, set=name, arm=arm)["accuracy"] for name in incremental.SETS]
        for arm in incremental.ARMS
    }
    of_sgd, again = of_arm["SGDClassifier.partial_fit"], of_arm["GMLVQ.fit, every 1,024"]
    for name in ("GMLVQ", "LGMLVQ"):
        own = of_arm[f"{name}.partial_fit"]
        assert sum(a > b for a, b in zip(own, of_sgd, strict=True)) > len(own) / 2
        assert all(a < b for a, b in zip(own, again, strict=True))
