"""How are the results written?"""

import json
from typing import Any


def written(results: dict[str, Any]) -> str:
    """Return the results as JSON, a record a line."""
    rounded = _rounded(results)
    lines = []
    for name, value in rounded.items():
        if isinstance(value, list):
            rows = ",\n".join(f"    {json.dumps(row)}" for row in value)
            lines.append(f"  {json.dumps(name)}: [\n{rows}\n  ]")
        else:
            lines.append(f"  {json.dumps(name)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_rounded(entry) for entry in value]
    return round(value, 6) if isinstance(value, float) else value
