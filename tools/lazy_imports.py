"""Does `import abstain` stay cheap?

Heavy or optional packages are imported where they are used, never by the import of the package.
Run it for the list: ``python -m tools.lazy_imports``.
"""

import subprocess
import sys

HEAVY = [
    "dask",
    "jinja2",
    "matplotlib",
    "numba",
    "pandas",
    "plotly",
    "polars",
    "rich",
    "sklearn",
    "typer",
]


def imported_by_accident() -> list[str]:
    """Return the heavy packages that a fresh interpreter has loaded after ``import abstain``."""
    program = f"import abstain, sys; print(*[name for name in {HEAVY} if name in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return result.stdout.split()


if __name__ == "__main__":
    names = imported_by_accident()
    print(f"import abstain also imports {', '.join(names)}" if names else "import abstain is lean")
    sys.exit(bool(names))
