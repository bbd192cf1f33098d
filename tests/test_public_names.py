"""What is imported from the package, and what is not imported by accident."""

import builtins

import abstain

# Modules and functions of others that code around a classifier is likely to use by these names.
IN_COMMON_USE = {"load", "save", "open", "datasets", "metrics", "models", "plotting", "report"}
IN_COMMON_USE |= {"cells", "certainty", "fit", "predict", "score", "plot", "np", "pd", "X", "y"}


def test_a_star_import_shadows_nothing_in_common_use():
    names: dict[str, object] = {}
    exec("from abstain import *", names)
    brought = set(names) - {"__builtins__"}
    assert brought == set(abstain.__all__)
    assert not brought & (IN_COMMON_USE | set(dir(builtins)))
    assert not [name for name in brought if name.startswith("_")]
    modules = [name for name in brought if type(names[name]) is type(abstain)]
    assert modules == []


def test_every_public_name_can_be_imported():
    for name in dir(abstain):
        assert getattr(abstain, name) is not None
    assert {"load", "save", "metrics", "__version__", *abstain.__all__} <= set(dir(abstain))
