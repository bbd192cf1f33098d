"""The repository polices itself."""

from tools import lazy_imports, option_texts, public_names


def test_every_public_name_is_documented_with_an_example():
    assert public_names.faults() == []


def test_the_documentation_check_sees_every_name():
    names = set(public_names.public_names())
    assert {"abstain.pareto_front", "abstain.ParetoFront", "abstain.RejectRate"} <= names
    assert "abstain.models.GMLVQ.transform" in names  # inherited


def test_the_documentation_check_sees_a_name_that_an_example_does_not_import():
    example = ">>> import os.path\n>>> f = lambda n: os.sep * n\n>>> f(np.pi), [k for k in X]"
    assert public_names.undefined_names(example) == ["np", "X"]


def test_importing_the_package_imports_nothing_heavy():
    assert lazy_imports.imported_by_accident() == []


def test_nothing_below_the_command_line_names_an_option():
    assert option_texts.option_texts() == []


def test_the_option_check_sees_options_but_no_rules_between_sections():
    assert option_texts.OPTION.findall('f"give --test-size", "(--cv 5)"') == ["--test-size", "--cv"]
    assert not option_texts.OPTION.findall("# --- text ------ a--b")
