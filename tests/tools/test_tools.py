"""The repository polices itself."""

from tools import lazy_imports, public_names


def test_every_public_name_is_documented_with_an_example():
    assert public_names.faults() == []


def test_the_documentation_check_sees_every_name():
    names = set(public_names.public_names())
    assert {"abstain.pareto_front", "abstain.ParetoFront", "abstain.RejectRate"} <= names
    assert "abstain.models.GMLVQ.transform" in names  # inherited


def test_importing_the_package_imports_nothing_heavy():
    assert lazy_imports.imported_by_accident() == []
