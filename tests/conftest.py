"""Settings of all tests."""

import os

from hypothesis import settings

# Timings are never asserted. Under CI the examples are the same every time.
settings.register_profile("abstain", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("abstain")
