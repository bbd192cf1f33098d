"""The metrics once more, from their definitions: one sample and one threshold at a time."""

import itertools
import math
import statistics
from fractions import Fraction


def _counted(y_true, y_pred, certainty, weights):
    rows = zip(y_true, y_pred, certainty, weights, strict=True)
    return [row for row in rows if row[3] > 0]


def _thresholds(rows):
    distinct = sorted({certainty for _, _, certainty, _ in rows})
    return [-math.inf, *distinct[1:]]


def _ratio(numerator, denominator):
    return numerator / denominator if denominator else math.nan


def _curve(rows, is_candidate):
    """Return the share of hits among the accepted candidates at every threshold."""
    values, reject_rates, thresholds = [], [], _thresholds(rows)
    total = sum(w for *_, w in rows)
    for threshold in thresholds:
        accepted = [row for row in rows if not row[2] < threshold]
        candidates = [row for row in accepted if is_candidate(row)]
        hits = [row for row in candidates if row[0] == row[1]]
        values.append(_ratio(sum(w for *_, w in hits), sum(w for *_, w in candidates)))
        reject_rates.append((total - sum(w for *_, w in accepted)) / total)
    return values, reject_rates, thresholds


def accuracy_reject_curve(y_true, y_pred, certainty, weights):
    return _curve(_counted(y_true, y_pred, certainty, weights), lambda row: True)


def precision_reject_curve(y_true, y_pred, certainty, weights, pos_label):
    rows = _counted(y_true, y_pred, certainty, weights)
    return _curve(rows, lambda row: row[1] == pos_label)


def recall_reject_curve(y_true, y_pred, certainty, weights, pos_label):
    rows = _counted(y_true, y_pred, certainty, weights)
    return _curve(rows, lambda row: row[0] == pos_label)


def aurc_score(y_true, y_pred, certainty, weights):
    rows = _counted(y_true, y_pred, certainty, weights)
    area = 0.0
    for *_, threshold, weight in rows:
        accepted = [row for row in rows if row[2] >= threshold]
        wrong = sum(w for label, prediction, _, w in accepted if label != prediction)
        area += weight * wrong / sum(w for *_, w in accepted)
    return area / sum(w for *_, w in rows)


def eaurc_score(y_true, y_pred, certainty):
    ones = [1] * len(y_true)
    # The best certainty: correct samples first, and no two alike.
    by_outcome = sorted(zip(y_true, y_pred, strict=True), key=lambda pair: pair[0] != pair[1])
    best_true, best_pred = zip(*by_outcome, strict=True)
    best_certainty = range(len(y_true), 0, -1)
    return aurc_score(y_true, y_pred, certainty, ones) - aurc_score(
        best_true, best_pred, best_certainty, ones
    )


def augrc_score(y_true, y_pred, certainty, weights):
    rows = _counted(y_true, y_pred, certainty, weights)
    total = sum(w for *_, w in rows)
    points = [(0.0, 0.0)]
    for threshold in sorted({row[2] for row in rows}, reverse=True):
        accepted = [row for row in rows if row[2] >= threshold]
        wrong = sum(w for label, prediction, _, w in accepted if label != prediction)
        points.append((sum(w for *_, w in accepted) / total, wrong / total))
    return sum(
        (right - left) * (low + high) / 2
        for (left, low), (right, high) in itertools.pairwise(points)
    )


def _weight_of(y_true, y_pred, rejected, weights, *, is_correct, is_rejected):
    return sum(
        w
        for label, prediction, reject, w in zip(y_true, y_pred, rejected, weights, strict=True)
        if (label == prediction) == is_correct and bool(reject) == is_rejected
    )


def classification_quality(*samples):
    right = _weight_of(*samples, is_correct=True, is_rejected=False)
    right += _weight_of(*samples, is_correct=False, is_rejected=True)
    return right / sum(samples[-1])


def rejection_quality(*samples):
    wrong_rejected = _weight_of(*samples, is_correct=False, is_rejected=True)
    correct_rejected = _weight_of(*samples, is_correct=True, is_rejected=True)
    wrong = wrong_rejected + _weight_of(*samples, is_correct=False, is_rejected=False)
    correct = correct_rejected + _weight_of(*samples, is_correct=True, is_rejected=False)
    if wrong == 0 or correct == 0 or wrong_rejected + correct_rejected == 0:
        return math.nan
    if correct_rejected == 0:
        return math.inf
    return (wrong_rejected / correct_rejected) / (wrong / correct)


def _value_at(rate, values, reject_rates):
    """Return the curve's value at a reject rate, or NaN where it has none."""
    points = list(zip(reject_rates, values, strict=True))
    for x, y in points:
        if x == rate:
            return y
    for (left, low), (right, high) in itertools.pairwise(points):
        if left < rate < right:
            return low + (high - low) * (rate - left) / (right - left)
    return math.nan


def average_curves(curves, grid, min_share):
    """Return (mean, std, share) at each grid point."""
    averaged = []
    for rate in grid:
        at_rate = [_value_at(rate, values, rates) for values, rates, *_ in curves]
        known = [value for value in at_rate if not math.isnan(value)]
        share = len(known) / len(curves)
        if share >= min_share:
            averaged.append((statistics.fmean(known), statistics.pstdev(known), share))
        else:
            averaged.append((math.nan, math.nan, share))
    return averaged


def _share_below(share, values):
    """Return the quantile of a share, on the line between two neighbouring values."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)  # an exact fraction
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + float(place - low) * (ordered[high] - ordered[low])


def reliability_curve(correct, probability, n_bins, strategy):
    """Return (mean probability, accuracy, count) of each bin that is not empty, one by one."""
    edges = [Fraction(number, n_bins) for number in range(1, n_bins)]
    if strategy == "quantile":
        edges = [_share_below(edge, probability) for edge in edges]
    curve = []
    for number in range(n_bins):
        low = -math.inf if number == 0 else edges[number - 1]
        high = math.inf if number == n_bins - 1 else edges[number]
        inside = [
            (p, right) for p, right in zip(probability, correct, strict=True) if low < p <= high
        ]
        if inside:
            mean, accuracy = (statistics.fmean(column) for column in zip(*inside, strict=True))
            curve.append((mean, accuracy, len(inside)))
    return curve


def is_in_wilson_interval(share, n_right, n, z):
    """Tell whether a share is at most z of its own standard errors from the one observed."""
    return abs(n_right / n - share) <= z * math.sqrt(share * (1 - share) / n)
