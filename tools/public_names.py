"""Is every public name documented in numpydoc form, with an example that runs as pasted?

Run it for a list of what is missing: ``python -m tools.public_names``.
"""

import ast
import builtins
import importlib
import inspect
import sys
from collections.abc import Iterator
from doctest import DocTestParser

from numpydoc.validate import validate

PUBLIC_MODULES = [
    "abstain",
    "abstain.cells",
    "abstain.certainty",
    "abstain.datasets",
    "abstain.fronts",
    "abstain.metrics",
    "abstain.models",
    "abstain.models.relevances",
    "abstain.plotting",
    "abstain.report",
    "abstain.saving",
    "abstain.tables",
]

# What numpydoc calls the faults that matter to a reader: no docstring; no summary; parameters
# that are missing, unknown, out of order or undescribed; no account of the result; no example.
FAULTS = {"GL08", "SS01", "PR01", "PR02", "PR03", "PR07", "RT01", "RT03", "EX01"}


def public_names() -> Iterator[str]:
    """Yield the dotted name of everything that callers are meant to use, methods included."""
    for module_name in PUBLIC_MODULES:
        module = importlib.import_module(module_name)
        for name in module.__all__:
            thing = getattr(module, name)
            # The constructor that Python gives a protocol is nobody's to call or to document.
            if callable(thing) and not getattr(thing, "_is_protocol", False):
                yield f"{module_name}.{name}"
            if inspect.isclass(thing):
                for member, method in inspect.getmembers(thing, callable):
                    # What others have written, others have documented.
                    is_ours = (getattr(method, "__module__", None) or "").startswith("abstain")
                    if is_ours and not member.startswith("_"):
                        yield f"{module_name}.{name}.{member}"


def faults() -> list[str]:
    """Return one line for every fault found."""
    lines = []
    for name in public_names():
        checked = validate(name)
        lines += [f"{name}: {code} {text}" for code, text in checked["errors"] if code in FAULTS]
        lines += [
            f"{name}: the example uses {each} and does not import it"
            for each in undefined_names(checked["docstring"])
        ]
    return lines


def undefined_names(docstring: str) -> list[str]:
    """Return the names that the examples of a docstring use before they define or import them."""
    undefined: dict[str, None] = {}
    defined = set(dir(builtins)) | {"_"}
    for example in DocTestParser().get_examples(docstring):
        nodes = list(ast.walk(ast.parse(example.source)))
        names = [node for node in nodes if isinstance(node, ast.Name)]
        imported = [node for node in nodes if isinstance(node, ast.alias)]
        defined |= {name.id for name in names if isinstance(name.ctx, ast.Store)}
        defined |= {(each.asname or each.name).partition(".")[0] for each in imported}
        defined |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        named = (ast.FunctionDef, ast.ClassDef, ast.ExceptHandler)
        defined |= {node.name for node in nodes if isinstance(node, named) and node.name}
        undefined.update(dict.fromkeys(name.id for name in names if name.id not in defined))
    return list(undefined)


if __name__ == "__main__":
    names = faults()
    print("\n".join(names) or f"all {len(list(public_names()))} public names are documented")
    sys.exit(bool(names))
