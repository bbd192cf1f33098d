"""How do the results read, on the page and in the file?"""

import json
from typing import Any

from settings.tried import BEFORE, FACTORS

__all__ = ["show", "written"]


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


def show(results: dict[str, Any]) -> None:
    """Print the tables of docs/defaults.md."""
    columns = ["half", "rows", "features", "classes", "missing"]
    sets = [[row["name"], *(f"{row[name]}" for name in columns)] for row in results["sets"]]
    print_table(["set", *columns], sets)
    show_costs(results["cost"])
    show_ends(results["end_of_fits"])
    show_outcome(results)


def show_costs(rows: list[dict[str, Any]]) -> None:
    """Print the gains on the two halves, with a column for each Φ, or for each single change."""
    hard: dict[str, dict[str, str]] = {}
    soft: dict[str, dict[str, str]] = {}
    for row in rows:
        cell = f"{points(row['choice'])}; {signed(row['report']['gain'])}"
        if "beta" in row:
            names = [row["model"], *(f"{row[name]:g}" for name in row if name == "regularization")]
            value = "identity" if row["beta"] is None else f"{row['beta']:g}"
            hard.setdefault(", ".join(names), {})[f"beta {value}"] = cell
        else:
            changed = [name for name in FACTORS[row["model"]] if row[name] != BEFORE[name]]
            for name in changed:
                soft.setdefault(row["model"], {})[f"{name} {row[name]:g}"] = cell
    for title, lines in [("model, regularization", hard), ("model, one change", soft)]:
        columns = list(dict.fromkeys(at for line in lines.values() for at in line))
        print_table(
            [title, *columns],
            [[name, *(line.get(at, "") for at in columns)] for name, line in lines.items()],
        )


def show_ends(rows: list[dict[str, Any]]) -> None:
    """Print, for all sets, the gain, the share of fits that warn and the time."""
    lines: dict[str, list[str]] = {}
    for row in sorted(rows, key=lambda row: (-row["tol"], row["max_iter"])):
        over = row["all"]
        cell = f"{signed(over['gain'])}; {100 * over['warned']:.0f} %; {over['time']:.2f}"
        lines.setdefault(f"{row['tol']:g}, {row['max_iter']}", []).append(cell)
    print_table(["tol, max_iter", *FACTORS], [[at, *line] for at, line in lines.items()])


def show_outcome(results: dict[str, Any]) -> None:
    """Print what was chosen and what it brings."""
    left_out, lines = results["leave_one_out"], []
    for row in results["outcome"]:
        model, report, risk = row["model"], row["report"], row["risk_all"]
        alone = {"gain": left_out["gain"][model], "error": left_out["error"][model]}
        changes = [
            f"{name} {BEFORE[name]:g} → {value:g}"
            for name, value in results["chosen"][model].items()
            if value != BEFORE[name]
        ]
        gains = [points(row["choice"]), points(report), points(alone)]
        risks = points({"gain": risk["change"], "error": risk["error"]})
        rare = [f"{100 * report['warned']:.0f} %", f"{report['time']:.2f}"]
        lines.append([model, ", ".join(changes), f"{report['accuracy']:.3f}", *gains, risks, *rare])
    columns = ["model", "change", "accuracy", "gain, choice", "gain, report", "gain, left out"]
    print_table([*columns, "AURC", "warned", "time"], lines)


def signed(share: float) -> str:
    return f"{100 * share:+.1f}".replace("-", "−")


def points(figures: dict[str, float]) -> str:
    return f"{signed(figures['gain'])} ± {100 * figures['error']:.1f}"


def print_table(columns: list[str], rows: list[list[str]]) -> None:
    print(f"\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")
