"""Evidence of a monitor, from its definition: a bet for each start, added up one by one."""

from fractions import Fraction

from abstain.monitor.evidence import ODDS_RATIOS, ODDS_WEIGHTS, RATE_WEIGHTS, RATES


def evidence(events, limit, uses_restarts=True):
    """Return the evidence after all outcomes: over alternatives and rates, the mean of all bets.

    A bet that starts at an outcome has the capital (1 − γ) γ^(outcomes before), which is multiplied
    by the likelihood ratio of this and each later outcome. Exact arithmetic.
    """
    limit, total = Fraction(limit), Fraction(0)
    weights = RATE_WEIGHTS if uses_restarts else [float(rate == 0) for rate in RATES]
    for ratio, weight in zip(map(Fraction, ODDS_RATIOS), ODDS_WEIGHTS, strict=True):
        odds = ratio * limit / (1 - limit)
        alternative = odds / (1 + odds)
        for rate, share in zip(map(Fraction, RATES), weights, strict=True):
            capital = rate ** len(events)  # what has not started to bet
            for start in range(len(events)):
                bet = (1 - rate) * rate**start
                for event in events[start:]:
                    bet *= alternative / limit if event else (1 - alternative) / (1 - limit)
                capital += bet
            total += Fraction(weight) * Fraction(share) * capital
    return float(total)


def values_without_overshoot(events, limit, target):
    """Return the evidence after each outcome, with bets no larger than needed for the target.

    Once an event would lead beyond the target, less is staked: what an event would then bring above
    the target is had without one, so that the mean over both stays what it was.
    """
    factor, value, values = 1.0, 1.0, []
    for n, event in enumerate(events):
        before, after = value, factor * evidence(events[: n + 1], limit)
        is_reached = any(each >= target for each in values)
        if not event and not is_reached:
            above = factor * evidence([*events[:n], True], limit) - target
            if above > 0:
                more = after + limit * above / (1 - limit)
                assert (1 - limit) * more + limit * target <= before * (1 + 1e-9)
                factor, after = factor * more / after, more
        value = after
        values.append(value)
    return values
