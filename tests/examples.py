"""How many random examples is a test tried on?

100, by the profile in conftest.py. The laws of fronts and targets take ``@many_examples``, which
are 2,000 under CI. A test whose examples are slow takes a share of them: ``@examples(0.25)``.
"""

import os

from hypothesis import settings


def examples(factor, **others):
    """Scale the number of examples of the profile."""
    return settings(max_examples=round(factor * settings.default.max_examples), **others)


MANY = 20 if "CI" in os.environ else 1
many_examples = examples(MANY)
