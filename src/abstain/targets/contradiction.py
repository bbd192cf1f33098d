"""Do new samples contradict what was certified?

A certificate says that of the accepted answers that count for it, a share of at least a is good. Of
N such answers to new samples, E are bad. If the certificate is true then, given N, E is binomial
with a probability of at most 1 − a, so that

    p = P(Bin(N, 1 − a) ≥ E) = P(Bin(N, a) ≤ N − E)

is an exact p-value. Of m certificates that are tested on the same samples, those with p < `LEVEL`/m
are contradicted (Bonferroni): that any true one is among them has a probability of at most `LEVEL`.
A larger p confirms nothing: few samples contradict little.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from abstain.targets.guarantee import Guarantee, binomial_tail

# The probability that any true certificate is called contradicted.
LEVEL = 0.05


@dataclass(frozen=True)
class CertificateTest:
    """What new samples say about a certificate.

    Parameters
    ----------
    guarantee : Guarantee
        What has been certified.
    accepted, errors : int
        How many answers to new samples count for it, and how many of these are wrong.
    p_value : float or None
        How probable it is that so many or more are wrong, if the certificate just holds; None if
        it was not tested.
    n_tests : int
        How many certificates were tested on the same samples.
    why_not : str
        Why it was not tested; "" if it was.

    Examples
    --------
    >>> from abstain import Accuracy, RejectOptionClassifier
    >>> from abstain.monitor import check_certificates
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_digits(return_X_y=True)
    >>> target = Accuracy(0.85, confidence=0.9)
    >>> clf = RejectOptionClassifier(GaussianNB(), target=target, random_state=0)
    >>> (test,) = check_certificates(clf.fit(X[:1200], y[:1200]), X[1200:, ::-1], y[1200:])
    >>> test.verdict, test.p_value < 1e-9
    ('contradicted', True)
    """

    guarantee: Guarantee
    accepted: int = 0
    errors: int = 0
    p_value: float | None = None
    n_tests: int = 0
    why_not: str = ""

    @property
    def is_contradicted(self) -> bool:
        """Whether the samples contradict the certificate."""
        return self.p_value is not None and self.p_value < LEVEL / self.n_tests

    @property
    def verdict(self) -> str:
        """One of "contradicted", "not contradicted" and "not tested"."""
        if self.p_value is None:
            return "not tested"
        return "contradicted" if self.is_contradicted else "not contradicted"

    def as_dict(self) -> dict[str, Any]:
        """Return the certificate and its test as numbers and names, for JSON.

        Returns
        -------
        document : dict
            The guarantee, its verdict and the counts.

        Examples
        --------
        >>> from abstain.targets import Guarantee
        >>> from abstain.targets.contradiction import check_guarantees
        >>> given = Guarantee(0.9, 0.95, 100, 80, 2, 0.923, 5)
        >>> (test,) = check_guarantees([given], {"the accuracy": (50, 15)})
        >>> document = test.as_dict()
        >>> document["verdict"], document["accepted"], document["errors"], document["level"]
        ('contradicted', 50, 15, 0.05)
        """
        return {
            "guarantee": dict(vars(self.guarantee)),
            "verdict": self.verdict,
            "accepted": self.accepted,
            "errors": self.errors,
            "p_value": self.p_value,
            "n_tests": self.n_tests,
            "level": LEVEL,
            "why_not": self.why_not,
        }


def check_guarantees(
    guarantees: Sequence[Guarantee],
    counts: Mapping[str, tuple[int, int]],
    why_not: Mapping[str, str] | None = None,
) -> tuple[CertificateTest, ...]:
    """Return the test of each guarantee.

    ``counts`` are accepted answers and wrong ones by the name of the guarantee; those without an
    accepted answer are not tested. ``why_not`` gives reasons for others that are not.
    """
    reasons = why_not or {}
    tested = [
        each.name
        for each in guarantees
        if each.name not in reasons and counts.get(each.name, (0, 0))[0]
    ]
    tests = []
    for each in guarantees:
        accepted, errors = counts.get(each.name, (0, 0))
        if each.name not in tested:
            reason = reasons.get(each.name, "none of the samples that it is about is answered")
            tests.append(CertificateTest(each, why_not=reason))
            continue
        p = float(binomial_tail(accepted, accepted - errors, 1 - each.accuracy))
        tests.append(CertificateTest(each, accepted, errors, p, len(tested)))
    return tuple(tests)
