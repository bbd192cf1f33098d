"""Checks of this repository's own, run with the tests."""
