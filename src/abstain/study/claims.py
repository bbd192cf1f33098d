"""Does what the paper says hold here?

Every claim of the paper's text is a number with a 95% interval, computed from the records of the
study, and a verdict. A claim *holds* if the whole interval agrees with it, *differs* if none of it
does, and is *inconclusive* otherwise. Where the paper says "almost identical" or "about", the
margin is ours and is part of the statement; so is the reject rate at which curves end, if the claim
is about more. A claim that can be computed for less than half of its reject rates is inconclusive.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.study.curves import (
    Curves,
    Interval,
    RunKey,
    Setting,
    Where,
    has_independent_repeats,
    interval,
    mean_per_run,
)
from abstain.study.experiments import PROBLEMS
from abstain.study.measuring import Record

Verdict = Literal["holds", "differs", "inconclusive"]

LVQ = {"rslvq": "RSLVQ", "gmlvq": "GMLVQ", "lgmlvq": "LGMLVQ"}
HARDLY, ALIKE, COMPARABLE = 0.001, 0.01, 0.02
# 1,440 images without an error show an accuracy of at most 0.998 with 95% confidence.
NEARLY_ALL = 0.995
OUT_OF_FOLD = "out of fold"
# Differences of rounding do not count: of two equal curves, neither is ahead.
AHEAD, BEHIND = (1e-9, np.inf), (-np.inf, -1e-9)


class ClaimResult(NamedTuple):
    """A row of the table of claims."""

    id: str
    dataset: str
    statement: str
    value: float
    low: float
    high: float
    verdict: Verdict


@dataclass(frozen=True)
class Claim:
    """A statement, the range of values that agree with it, and how its value is computed.

    The value is the mean over ``rates`` of the accuracy of ``first``, minus that of ``second`` if
    there is one, minus that of ``first`` without rejects if the claim is about a ``gain``.
    ``where`` says what the rates are, as in `Curves.values`.
    """

    id: str
    statement: str
    low: float
    high: float
    first: Setting
    second: Setting | None = None
    rates: tuple[float, ...] = (0.0,)
    gain: bool = False
    where: Where = "at"

    @property
    def settings(self) -> list[Setting]:
        """All settings that the claim is about."""
        return [self.first] if self.second is None else [self.first, self.second]

    def values(self, curves: Curves) -> dict[RunKey, NDArray[np.float64]]:
        """Return the values of each run that all settings have, one per rate."""
        rates = np.array(self.rates)
        values = curves.values(self.first, rates, self.where)
        if self.second is not None:
            others = curves.values(self.second, rates, self.where)
            values = {key: values[key] - others[key] for key in values if key in others}
        if self.gain:
            plain = curves.values(self.first, np.zeros(1))
            values = {key: value - plain[key] for key, value in values.items()}
        return values

    def check(self, curves: Curves) -> ClaimResult:
        """Return value, interval and verdict."""
        runs, has_value = mean_per_run(self.values(curves))
        independent = has_independent_repeats(self.first.set)
        computed = interval(runs, independent_repeats=independent)
        if self.second is None and computed.low == computed.high:
            computed = _rule_of_three(computed.value, curves.n_tested(self.first))
        if self.second is None and not self.gain and computed.high < np.inf:
            computed = computed._replace(high=min(computed.high, 1.0))  # it is an accuracy
        is_known = has_value.mean() >= 0.5
        decided = verdict(computed, self.low, self.high) if is_known else "inconclusive"
        statement = self.statement + self._where_curves_end(curves, has_value)
        return ClaimResult(self.id, self.first.set, statement, *computed, decided)

    def _where_curves_end(self, curves: Curves, has_value: NDArray[np.bool_]) -> str:
        """Return where curves end, if it is before the reject rates of the claim."""
        if self.where == "at" and not has_value.all():
            if not has_value.any():
                return "; no curve goes so far"
            return f"; curves end at {100 * max(np.array(self.rates)[has_value]):.0f}%"
        if self.where == "by" and self.rates[-1] > 0:
            share = max(
                curves.share_that_ends_before(setting, self.rates[-1]) for setting in self.settings
            )
            return f"; {100 * share:.0f}% of the curves end before" if share > 0 else ""
        return ""


def _rule_of_three(value: float, n_tested: int) -> Interval:
    """Return an interval for an accuracy that was the same in all runs.

    An event that did not occur in n trials has a probability of at most 3/n with 95% confidence.
    """
    return Interval(value, value - 3 / n_tested, min(1.0, value + 3 / n_tested))


def verdict(computed: Interval, low: float, high: float) -> Verdict:
    """Return whether an interval agrees with a range of values."""
    if low <= computed.low and computed.high <= high:
        return "holds"
    if computed.high < low or computed.low > high:
        return "differs"
    return "inconclusive"


def check_claims(curves: Curves) -> list[ClaimResult]:
    """Return the results of all claims that the study has run the settings of."""
    results = [claim.check(curves) for claim in paper_claims() if curves.has(*claim.settings)]
    return [*results, *_on_support_vectors(curves.records)]


# --- the claims, in the order of the paper ------------------------------------------------------


def _rates(first: float, last: float) -> tuple[float, ...]:
    return tuple(np.round(np.arange(first, last + 0.005, 0.01), 2).tolist())


def _local(setting: Setting) -> Setting:
    return setting._replace(cells="local")


def _alike(
    key: str,
    statement: str,
    first: Setting,
    second: Setting,
    rates: tuple[float, ...],
    margin: float = ALIKE,
) -> Claim:
    """Claim that two curves differ by no more than a margin, on average over the rates."""
    statement = f"{statement} (within {margin:g} on average)"
    return Claim(key, statement, -margin, margin, first, second, rates)


def _is_right_in_about(
    key: str, statement: str, accuracy: float, setting: Setting, rate: float = 0.0
) -> Claim:
    low, high = accuracy - COMPARABLE, accuracy + COMPARABLE
    statement = f"{statement} (within {COMPARABLE:g})"
    return Claim(key, statement, low, high, setting, rates=(rate,), where="by")


def paper_claims() -> list[Claim]:
    """Return all claims about curves, in the order of the paper."""
    return [
        *_on_greedy(),
        *_on_gaussian_clusters(),
        *_on_pearl_necklace(),
        *_on_tecator(),
        *_on_segmentation(),
        *_on_haberman(),
        *_on_coil(),
        *_on_medical_data(),
    ]


def _on_greedy() -> Iterator[Claim]:
    whole, second_half = _rates(0.01, 1), _rates(0.5, 1)
    close, ahead, not_ahead = [], [], []
    for name in ("gaussian", "pearl", "segment", "tecator", "haberman", "coil20"):
        for model in ("gmlvq", "lgmlvq"):
            exact = Setting(name, model, "local", part="training")
            settings = exact, exact._replace(method="greedy")
            where = f"{LVQ[model]}, training part:"
            text = (
                f"{where} greedy thresholds are close to the exact ones "
                f"(within {ALIKE:g} on average over the whole curve)"
            )
            key = f"greedy-close-{name}-{model}"
            close.append(Claim(key, text, -ALIKE, ALIKE, *settings, whole, where="along"))
            half = "ahead where many are rejected (more than half of what rejects all errors)"
            if name in ("tecator", "haberman"):
                text = f"{where} the exact thresholds are {half}"
                key = f"exact-ahead-{name}-{model}"
                ahead.append(Claim(key, text, *AHEAD, *settings, second_half, where="along"))
            else:
                text = f"{where} the exact thresholds are no more than {HARDLY:g} {half}"
                key, limits = f"exact-not-ahead-{name}-{model}", (-np.inf, HARDLY)
                not_ahead.append(Claim(key, text, *limits, *settings, second_half, where="along"))
    yield from (*close, *ahead, *not_ahead)


def _on_gaussian_clusters() -> Iterator[Claim]:
    bayes = Setting("gaussian", "bayes")
    for model, title in LVQ.items():
        setting = Setting("gaussian", model)
        text = f"{title}: local and global curves are almost identical up to 40% rejects"
        key = f"gaussian-local-{model}"
        yield _alike(key, text, _local(setting), setting, _rates(0.01, 0.4))
        text = f"{title} reaches the Bayes curve up to 25% rejects"
        yield _alike(f"gaussian-bayes-{model}", text, setting, bayes, _rates(0, 0.25))
    text = (
        f"RSLVQ is close to the Bayes curve everywhere (within {ALIKE:g} on average at 26 to 90%)"
    )
    settings, rates = (Setting("gaussian", "rslvq"), bayes), _rates(0.26, 0.9)
    yield Claim("gaussian-bayes-all-rslvq", text, -ALIKE, ALIKE, *settings, rates)


def _on_pearl_necklace() -> Iterator[Claim]:
    bayes, rates = Setting("pearl", "bayes"), _rates(0.01, 0.1)
    for model in ("rslvq", "gmlvq"):
        setting = Setting("pearl", model)
        text = (
            f"{LVQ[model]}: local thresholds are clearly ahead of a global one at 1 to 10% "
            f"rejects (by more than {ALIKE:g} on average)"
        )
        key, limits = f"pearl-local-{model}", (ALIKE, np.inf)
        yield Claim(key, text, *limits, _local(setting), setting, rates)
        text = (
            f"{LVQ[model]} does not reach the Bayes curve at 1 to 10% rejects, with local "
            "thresholds either"
        )
        yield Claim(f"pearl-bayes-{model}", text, *BEHIND, _local(setting), bayes, rates)
    for cells in ("global", "local"):
        text = f"LGMLVQ reaches the Bayes curve at 1 to 10% rejects, {cells}"
        setting = Setting("pearl", "lgmlvq", cells)
        yield _alike(f"pearl-bayes-lgmlvq-{cells}", text, setting, bayes, rates)


def _on_tecator() -> Iterator[Claim]:
    for name in ("tecator", "tecator-raw", "tecator-curvature"):
        gmlvq, svm = Setting(name, "gmlvq"), Setting(name, "svm")
        for model in ("rslvq", "lgmlvq"):
            text = f"{LVQ[model]} is comparable to the SVM up to 25% rejects"
            setting, rates = Setting(name, model), _rates(0, 0.25)
            yield _alike(f"{name}-svm-{model}", text, setting, svm, rates, COMPARABLE)
        text = "GMLVQ is less accurate than the SVM"
        yield Claim(f"{name}-worse-gmlvq", text, *BEHIND, gmlvq, svm)
        yield _is_right_in_about(f"{name}-gmlvq", "GMLVQ is right in about 92%", 0.92, gmlvq)
        text = "GMLVQ is right in about 94% at 10% rejects"
        yield _is_right_in_about(f"{name}-gmlvq-10", text, 0.94, gmlvq, 0.1)
        text = "GMLVQ: local thresholds are slightly ahead at 10% rejects"
        key = f"{name}-local-gmlvq"
        yield Claim(key, text, *AHEAD, _local(gmlvq), gmlvq, (0.1,), where="by")


def _on_segmentation() -> Iterator[Claim]:
    lgmlvq, svm = Setting("segment", "lgmlvq"), Setting("segment", "svm")
    yield _is_right_in_about("segment-svm", "the SVM is right in 97%", 0.97, svm)
    yield _is_right_in_about("segment-lgmlvq", "LGMLVQ is right in 95%", 0.95, lgmlvq)
    text = "LGMLVQ is less accurate than the SVM"
    yield Claim("segment-best-svm", text, *BEHIND, lgmlvq, svm)
    for model in ("rslvq", "gmlvq"):
        setting = Setting("segment", model)
        text = f"{LVQ[model]} is less accurate than LGMLVQ"
        yield Claim(f"segment-less-{model}", text, *BEHIND, setting, lgmlvq)
        text = f"{LVQ[model]}: local thresholds are ahead of a global one at 1 to 25% rejects"
        key, rates = f"segment-local-{model}", _rates(0.01, 0.25)
        yield Claim(key, text, *AHEAD, _local(setting), setting, rates)
    text = "LGMLVQ gains 3 points (0.03) at 10% rejects (within 0.01)"
    key, rates = "segment-gain-lgmlvq", (0.1,)
    yield Claim(key, text, 0.02, 0.04, lgmlvq, rates=rates, gain=True, where="by")


def _on_haberman() -> Iterator[Claim]:
    svm = Setting("haberman", "svm")
    for model, title in LVQ.items():
        setting = Setting("haberman", model)
        text = f"{title} is like the SVM up to 25% rejects"
        yield _alike(f"haberman-svm-{model}", text, setting, svm, _rates(0, 0.25), COMPARABLE)
        text = f"{title} is ahead of the SVM beyond 25% rejects (26 to 70%)"
        yield Claim(f"haberman-beyond-{model}", text, *AHEAD, setting, svm, _rates(0.26, 0.7))


def _on_coil() -> Iterator[Claim]:
    for model, rate in (("gmlvq", 0.1), ("lgmlvq", 0.02)):
        text = (
            f"{LVQ[model]} reaches 100% (at least {NEARLY_ALL:g}) within {rate * 100:.0f}% "
            "rejects, set out of fold"
        )
        key, setting = f"coil20-all-{model}", Setting("coil20", model, source=OUT_OF_FOLD)
        yield Claim(key, text, NEARLY_ALL, np.inf, setting, rates=(rate,), where="within")
    rslvq, gmlvq = Setting("coil20", "rslvq"), Setting("coil20", "gmlvq")
    yield Claim("coil20-worse-rslvq", "RSLVQ is worse than GMLVQ", *BEHIND, rslvq, gmlvq)
    rslvq = rslvq._replace(source=OUT_OF_FOLD)
    text = "RSLVQ: local thresholds are ahead of a global one at 1 to 10% rejects, set out of fold"
    yield Claim("coil20-local-rslvq", text, *AHEAD, _local(rslvq), rslvq, _rates(0.01, 0.1))


def _on_medical_data() -> Iterator[Claim]:
    for name, problem in PROBLEMS.items():
        if problem.kind != "medical":
            continue
        # A separated training part has no errors to set thresholds on.
        source = OUT_OF_FOLD if problem.is_separable else "training"
        how = ", set out of fold" if problem.is_separable else ""
        setting, svm = Setting(name, "gmlvq", source=source), Setting(name, "svm", source=source)
        local = _local(setting)
        text = f"GMLVQ: local and global are the same up to 10% rejects{how}"
        yield _alike(f"{name}-same", text, local, setting, _rates(0.01, 0.1))
        text = f"GMLVQ: local thresholds{how} are ahead beyond 10% rejects (11 to 40%)"
        yield Claim(f"{name}-local", text, *AHEAD, local, setting, _rates(0.11, 0.4))
        text = f"GMLVQ with local thresholds{how} is comparable to the SVM up to 40% rejects"
        yield _alike(f"{name}-svm", text, local, svm, _rates(0, 0.4), COMPARABLE)


def _on_support_vectors(records: list[Record]) -> Iterator[ClaimResult]:
    """Yield the claim about the number of support vectors, for each medical data set."""
    for name in (name for name, problem in PROBLEMS.items() if problem.kind == "medical"):
        counts = {
            (record["repeat"], record["split"]): float(record["n_parts"])
            for record in records
            if record["kind"] == "fit" and (record["set"], record["model"]) == (name, "svm")
        }
        if counts:
            computed = interval(counts, independent_repeats=False)
            yield ClaimResult(
                f"{name}-vectors",
                name,
                "the SVM has about 31 support vectors (20 to 45) where GMLVQ has 2 prototypes",
                *computed,
                verdict(computed, 20.0, 45.0),
            )
