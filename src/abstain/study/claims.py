"""Does what the paper says hold here?

Every claim of the paper's text is a number with a 95 % interval, worked out from the rows of the
study, and a verdict. A claim *holds* if the whole interval agrees with it, *differs* if none of it
does, and is *inconclusive* otherwise. Where the paper says "almost identical" or "about", the
margin is the claim's own and stands in its statement; so does the reject rate at which curves end,
if it is less than what the claim is about. A claim of which less than half can be read is
inconclusive.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.study.curves import MIN_SHARE, Curves, Way, mean_of_known
from abstain.study.intervals import Interval, interval
from abstain.study.measuring import Record
from abstain.study.problems import PROBLEMS

__all__ = ["Claim", "Judged", "judge_claims"]

Verdict = Literal["holds", "differs", "inconclusive"]

LVQ = {"rslvq": "RSLVQ", "gmlvq": "GMLVQ", "lgmlvq": "LGMLVQ"}
HARDLY, ALIKE, COMPARABLE = 0.001, 0.01, 0.02
# Of 1,440 images without an error, no more than 0.998 can be told with 95 % confidence.
NEARLY_ALL = 0.995
LATER = "out of fold"
# What rounding alone could make is no lead: two equal curves are not ahead of one another.
AHEAD, BEHIND = (1e-9, np.inf), (-np.inf, -1e-9)


class Judged(NamedTuple):
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
    """A statement, the range of values that agree with it, and how its value is found.

    The value is the mean over ``rates`` of the accuracy of ``first``, less that of ``second`` if
    there is one, less that of ``first`` without rejects if it is about a ``gain``. ``where`` tells
    what the rates are: reject rates "at" which a run may have a value; those "by" or "within" which
    it is reached, so that a curve that ends before is taken at its end; or shares of the way
    "along" the curve of each run, which ends where no error is left.
    """

    id: str
    statement: str
    low: float
    high: float
    first: Way
    second: Way | None = None
    rates: tuple[float, ...] = (0.0,)
    gain: bool = False
    where: Literal["at", "by", "within", "along"] = "at"

    @property
    def ways(self) -> list[Way]:
        """All ways that it is about."""
        return [way for way in (self.first, self.second) if way is not None]

    def values(self, curves: Curves) -> dict[tuple[int, int], NDArray[np.float64]]:
        """Return the values of each run that all ways have, one for each of the rates."""
        rates = np.array(self.rates)
        ask = {
            "at": curves.values,
            "by": curves.values_within,
            "within": curves.values_within,
            "along": curves.values_along,
        }[self.where]
        values = ask(self.first, rates)
        if self.second is not None:
            others = ask(self.second, rates)
            values = {key: values[key] - others[key] for key in values if key in others}
        if self.gain:
            plain = curves.values(self.first, np.zeros(1))
            values = {key: value - plain[key] for key, value in values.items()}
        return values

    def judge(self, curves: Curves) -> Judged:
        """Return value, interval and verdict."""
        values = self.values(curves)
        # Few runs reject so many: a mean of them would compare other runs than elsewhere.
        shares = np.mean([~np.isnan(value) for value in values.values()], axis=0)
        read = shares >= MIN_SHARE
        runs = {key: mean_of_known(value[read]) for key, value in values.items()}
        drawn_anew = PROBLEMS[self.first.set].kind == "artificial"
        found = interval(runs, drawn_anew=drawn_anew)
        if self.second is None and found.low == found.high:
            found = _by_three(found, curves.n_tested(self.first, drawn_anew=drawn_anew))
        if self.second is None and not self.gain:  # an accuracy, which is no more than 1
            found = found._replace(high=min(found.high, 1.0) if found.high < np.inf else np.inf)
        known = verdict(found, self.low, self.high) if read.mean() >= 0.5 else "inconclusive"
        statement = self.statement + self._how_far(curves, read)
        return Judged(self.id, self.first.set, statement, *found, known)

    def _how_far(self, curves: Curves, read: NDArray[np.bool_]) -> str:
        """Return where curves end, if it is before what the claim is about."""
        if self.where == "at" and not read.all():
            last = max(np.array(self.rates)[read], default=0)
            return f"; curves end at {100 * last:.0f} %" if read.any() else "; no curve goes so far"
        if self.where == "by" and self.rates[-1] > 0:
            short = max(curves.share_that_ends_before(way, self.rates[-1]) for way in self.ways)
            return f"; {100 * short:.0f} % of the curves end before" if short > 0 else ""
        return ""


def _by_three(found: Interval, n_tested: int) -> Interval:
    """Return an interval for an accuracy that was the same in all runs.

    What was not seen in n answers happens in at most 3 of n with 95 % confidence.
    """
    return Interval(found.value, found.value - 3 / n_tested, min(1.0, found.value + 3 / n_tested))


def verdict(found: Interval, low: float, high: float) -> Verdict:
    """Return whether an interval agrees with a range of values."""
    if low <= found.low and found.high <= high:
        return "holds"
    if found.high < low or found.low > high:
        return "differs"
    return "inconclusive"


def _rates(first: float, last: float) -> tuple[float, ...]:
    """Return reject rates; without rejects, one classifier's curves are the same of themselves."""
    return tuple(np.round(np.arange(first, last + 0.005, 0.01), 2).tolist())


def _local(way: Way) -> Way:
    return way._replace(cells="local")


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
    for name in ("gaussian", "pearl", "segment", "tecator", "haberman", "coil20"):
        for model in ("gmlvq", "lgmlvq"):
            exact = Way(name, model, "local", part="training")
            yield Claim(
                f"greedy-close-{name}-{model}",
                f"{LVQ[model]}, training part: greedy thresholds are close to the exact ones "
                f"(within {ALIKE:g} on average over the whole curve)",
                -ALIKE,
                ALIKE,
                exact,
                exact._replace(method="greedy"),
                _rates(0.01, 1),
                where="along",
            )
    for name in ("tecator", "haberman"):
        for model in ("gmlvq", "lgmlvq"):
            exact = Way(name, model, "local", part="training")
            yield Claim(
                f"exact-ahead-{name}-{model}",
                f"{LVQ[model]}, training part: the exact thresholds are ahead where many are "
                "rejected (more than half of what rejects all errors)",
                *AHEAD,
                exact,
                exact._replace(method="greedy"),
                _rates(0.5, 1),
                where="along",
            )
    for name in ("gaussian", "pearl", "segment", "coil20"):
        for model in ("gmlvq", "lgmlvq"):
            exact = Way(name, model, "local", part="training")
            yield Claim(
                f"exact-not-ahead-{name}-{model}",
                f"{LVQ[model]}, training part: the exact thresholds are no more than {HARDLY:g} "
                "ahead where many are rejected (more than half of what rejects all errors)",
                -np.inf,
                HARDLY,
                exact,
                exact._replace(method="greedy"),
                _rates(0.5, 1),
                where="along",
            )


def _on_gaussian_clusters() -> Iterator[Claim]:
    bayes = Way("gaussian", "bayes")
    for model, title in LVQ.items():
        way = Way("gaussian", model)
        yield Claim(
            f"gaussian-local-{model}",
            f"{title}: local and global curves are almost identical up to 40 % rejects "
            f"(within {ALIKE:g} on average)",
            -ALIKE,
            ALIKE,
            _local(way),
            way,
            _rates(0.01, 0.4),
        )
        yield Claim(
            f"gaussian-bayes-{model}",
            f"{title} reaches the Bayes curve up to 25 % rejects (within {ALIKE:g} on average)",
            -ALIKE,
            ALIKE,
            way,
            bayes,
            _rates(0, 0.25),
        )
    yield Claim(
        "gaussian-bayes-all-rslvq",
        f"RSLVQ is close to the Bayes curve everywhere (within {ALIKE:g} on average at 26 to 90 %)",
        -ALIKE,
        ALIKE,
        Way("gaussian", "rslvq"),
        bayes,
        _rates(0.26, 0.9),
    )


def _on_pearl_necklace() -> Iterator[Claim]:
    bayes, rates = Way("pearl", "bayes"), _rates(0.01, 0.1)
    for model in ("rslvq", "gmlvq"):
        way = Way("pearl", model)
        yield Claim(
            f"pearl-local-{model}",
            f"{LVQ[model]}: local thresholds are clearly ahead of a global one at 1 to 10 % "
            f"rejects (by more than {ALIKE:g} on average)",
            ALIKE,
            np.inf,
            _local(way),
            way,
            rates,
        )
        yield Claim(
            f"pearl-bayes-{model}",
            f"{LVQ[model]} does not reach the Bayes curve at 1 to 10 % rejects, with local "
            "thresholds either",
            *BEHIND,
            _local(way),
            bayes,
            rates,
        )
    way = Way("pearl", "lgmlvq")
    for chosen in (way, _local(way)):
        yield Claim(
            f"pearl-bayes-lgmlvq-{chosen.cells}",
            f"LGMLVQ reaches the Bayes curve at 1 to 10 % rejects, {chosen.cells} "
            f"(within {ALIKE:g} on average)",
            -ALIKE,
            ALIKE,
            chosen,
            bayes,
            rates,
        )


def _on_tecator() -> Iterator[Claim]:
    for name in ("tecator", "tecator-raw", "tecator-curvature"):
        for model in ("rslvq", "lgmlvq"):
            yield Claim(
                f"{name}-svm-{model}",
                f"{LVQ[model]} is comparable to the SVM up to 25 % rejects "
                f"(within {COMPARABLE:g} on average)",
                -COMPARABLE,
                COMPARABLE,
                Way(name, model),
                Way(name, "svm"),
                _rates(0, 0.25),
            )
        way = Way(name, "gmlvq")
        yield Claim(
            f"{name}-worse-gmlvq",
            "GMLVQ is less accurate than the SVM",
            *BEHIND,
            way,
            Way(name, "svm"),
        )
        yield _about(f"{name}-gmlvq", "GMLVQ is right in about 92 %", 0.92, way)
        yield _about(
            f"{name}-gmlvq-10", "GMLVQ is right in about 94 % at 10 % rejects", 0.94, way, 0.1
        )
        yield Claim(
            f"{name}-local-gmlvq",
            "GMLVQ: local thresholds are slightly ahead at 10 % rejects",
            *AHEAD,
            _local(way),
            way,
            (0.1,),
            where="by",
        )


def _about(name: str, statement: str, accuracy: float, way: Way, rate: float = 0.0) -> Claim:
    return Claim(
        name,
        f"{statement} (within {COMPARABLE:g})",
        accuracy - COMPARABLE,
        accuracy + COMPARABLE,
        way,
        rates=(rate,),
        where="by",
    )


def _on_segmentation() -> Iterator[Claim]:
    best = Way("segment", "lgmlvq")
    yield _about("segment-svm", "the SVM is right in 97 %", 0.97, Way("segment", "svm"))
    yield _about("segment-lgmlvq", "LGMLVQ is right in 95 %", 0.95, best)
    yield Claim(
        "segment-best-svm",
        "LGMLVQ is less accurate than the SVM",
        *BEHIND,
        best,
        Way("segment", "svm"),
    )
    for model in ("rslvq", "gmlvq"):
        way = Way("segment", model)
        yield Claim(
            f"segment-less-{model}",
            f"{LVQ[model]} is less accurate than LGMLVQ",
            *BEHIND,
            way,
            best,
        )
        yield Claim(
            f"segment-local-{model}",
            f"{LVQ[model]}: local thresholds are ahead of a global one at 1 to 25 % rejects",
            *AHEAD,
            _local(way),
            way,
            _rates(0.01, 0.25),
        )
    yield Claim(
        "segment-gain-lgmlvq",
        "LGMLVQ gains 3 points (0.03) at 10 % rejects (within 0.01)",
        0.02,
        0.04,
        best,
        rates=(0.1,),
        gain=True,
        where="by",
    )


def _on_haberman() -> Iterator[Claim]:
    svm = Way("haberman", "svm")
    for model, title in LVQ.items():
        way = Way("haberman", model)
        yield Claim(
            f"haberman-svm-{model}",
            f"{title} is like the SVM up to 25 % rejects (within {COMPARABLE:g} on average)",
            -COMPARABLE,
            COMPARABLE,
            way,
            svm,
            _rates(0, 0.25),
        )
        yield Claim(
            f"haberman-beyond-{model}",
            f"{title} is ahead of the SVM beyond 25 % rejects (26 to 70 %)",
            *AHEAD,
            way,
            svm,
            _rates(0.26, 0.7),
        )


def _on_coil() -> Iterator[Claim]:
    for model, rate in (("gmlvq", 0.1), ("lgmlvq", 0.02)):
        yield Claim(
            f"coil20-all-{model}",
            f"{LVQ[model]} reaches 100 % (at least {NEARLY_ALL:g}) within {rate * 100:.0f} % "
            "rejects, set out of fold",
            NEARLY_ALL,
            np.inf,
            Way("coil20", model, source=LATER),
            rates=(rate,),
            where="within",
        )
    yield Claim(
        "coil20-worse-rslvq",
        "RSLVQ is worse than GMLVQ",
        *BEHIND,
        Way("coil20", "rslvq"),
        Way("coil20", "gmlvq"),
    )
    weak = Way("coil20", "rslvq", source=LATER)
    yield Claim(
        "coil20-local-rslvq",
        "RSLVQ: local thresholds are ahead of a global one at 1 to 10 % rejects, set out of fold",
        *AHEAD,
        _local(weak),
        weak,
        _rates(0.01, 0.1),
    )


def _on_medical_data() -> Iterator[Claim]:
    for name, problem in PROBLEMS.items():
        if problem.kind != "medical":
            continue
        # What separates the training part has no errors there to set thresholds on.
        source, how = (LATER, ", set out of fold") if problem.is_separable else ("training", "")
        way = Way(name, "gmlvq", source=source)
        yield Claim(
            f"{name}-same",
            f"GMLVQ: local and global are the same up to 10 % rejects{how} "
            f"(within {ALIKE:g} on average)",
            -ALIKE,
            ALIKE,
            _local(way),
            way,
            _rates(0.01, 0.1),
        )
        yield Claim(
            f"{name}-local",
            f"GMLVQ: local thresholds{how} are ahead beyond 10 % rejects (11 to 40 %)",
            *AHEAD,
            _local(way),
            way,
            _rates(0.11, 0.4),
        )
        yield Claim(
            f"{name}-svm",
            f"GMLVQ with local thresholds{how} is comparable to the SVM up to 40 % rejects "
            f"(within {COMPARABLE:g} on average)",
            -COMPARABLE,
            COMPARABLE,
            _local(way),
            Way(name, "svm", source=source),
            _rates(0, 0.4),
        )


def _on_sparseness(fits: list[Record]) -> Iterator[Judged]:
    """Yield what is said of the number of support vectors."""
    for name in (name for name, problem in PROBLEMS.items() if problem.kind == "medical"):
        found = {
            (record["repeat"], record["split"]): float(record["n_parts"])
            for record in fits
            if (record["set"], record["model"]) == (name, "svm")
        }
        if found:
            vectors = interval(found, drawn_anew=False)
            yield Judged(
                f"{name}-vectors",
                name,
                "the SVM has about 31 support vectors (20 to 45) where GMLVQ has 2 prototypes",
                *vectors,
                verdict(vectors, 20.0, 45.0),
            )


def judge_claims(curves: Curves) -> list[Judged]:
    """Return all claims that the records can tell of."""
    fits: list[Any] = [record for record in curves.records if record["kind"] == "fit"]
    judged = [claim.judge(curves) for claim in paper_claims() if curves.has(*claim.ways)]
    return [*judged, *_on_sparseness(fits)]
