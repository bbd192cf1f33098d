"""Settings of all tests, those in docstrings included."""

import os
import signal
import sys
from collections.abc import Iterator

import pytest
from hypothesis import Phase, settings

# Before NumPy is imported: tests run in parallel, and threads of each would wait for one another.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
os.environ["MPLBACKEND"] = "Agg"  # figures are drawn, never shown
os.environ["SCIPY_ARRAY_API"] = "1"  # without it, scikit-learn skips one of its checks

# What runs in the background ignores Ctrl-C, and so would the programs that tests send it to.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Timings are never asserted. Under CI the examples are the same every time. Tests that need more or
# fewer examples scale this number, in tests/examples.py.
settings.register_profile(
    "abstain", deadline=None, derandomize="CI" in os.environ, max_examples=100
)
settings.load_profile("abstain")
# For tools/mutants.py: examples that fail are neither simplified nor kept.
settings.register_profile(
    "mutants", settings.get_profile("abstain"), phases=[Phase.explicit, Phase.generate]
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that use the cluster of tests/scale."""
    for item in items:
        if "client" in getattr(item, "fixturenames", ()):
            item.add_marker("cluster")


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
