"""Prototype-based classifiers that a person can read."""
