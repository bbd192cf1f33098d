"""A fitted classifier in a file, and back again with every threshold as it was."""

from abstain.saving.persisting import load, save

__all__ = ["load", "save"]
