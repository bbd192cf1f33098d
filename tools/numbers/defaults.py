"""The study of the models' defaults, by benchmarks/defaults.py."""

from collections import Counter

from tools.numbers.writing import Row, distinct, find, record, signed, table

STUDY = record("defaults")
BEFORE, CHOSEN = STUDY["before"], STUDY["chosen"]


def points(share: float) -> str:
    """Write a share of the samples as points of accuracy."""
    return signed(100 * share, 1)


def gain(figures: Row) -> str:
    """Write a gain with its standard error."""
    return f"{points(figures['gain'])} ± {100 * figures['error']:.1f}"


def percent(share: float) -> str:
    """Write a share in percent."""
    return f"{100 * share:.0f}%"


def halves(row: Row) -> str:
    """Write the gains on the sets of choice and of report."""
    return f"{gain(row['choice'])}; {points(row['report']['gain'])}"


def sets() -> str:
    """Write what the data sets are like."""
    columns = ["rows", "features", "classes", "missing"]
    lines = [
        [row["name"], row["half"], *(f"{row[name]:,}" for name in columns)] for row in STUDY["sets"]
    ]
    return table(["set", "half", *columns], lines, 2)


def betas() -> str:
    """Write the gains with each Φ (columns) and regularization (rows)."""
    tried = [row for row in STUDY["cost"] if "beta" in row]
    cells: dict[str, dict[str, str]] = {}
    for row in tried:
        names = [row["model"], *(f"{row[name]:g}" for name in row if name == "regularization")]
        beta = "identity" if row["beta"] is None else f"{row['beta']:g}"
        cells.setdefault(", ".join(names), {})[f"beta {beta}"] = halves(row)
    columns = distinct(column for line in cells.values() for column in line)
    lines = [[name, *(line[column] for column in columns)] for name, line in cells.items()]
    return table(["model, regularization", *columns], lines)


def bandwidths() -> str:
    """Write the gains with another bandwidth, or another regularization."""
    cells: dict[str, dict[str, str]] = {}
    for row in STUDY["cost"]:
        if "bandwidth" in row:
            for name in ("bandwidth", "regularization"):
                if row.get(name, BEFORE[name]) != BEFORE[name]:
                    cells.setdefault(row["model"], {})[f"{name} {row[name]:g}"] = halves(row)
    columns = distinct(column for line in cells.values() for column in line)
    lines = [[name, *(line.get(column, "") for column in columns)] for name, line in cells.items()]
    return table(["model, one change", *columns], lines)


def ends_of_fits() -> str:
    """Write the gain, the share of fits that warn and the time, over all sets."""
    lines: dict[str, list[str]] = {}
    for row in sorted(STUDY["end_of_fits"], key=lambda row: (-row["tol"], row["max_iter"])):
        over = row["all"]
        cell = f"{points(over['gain'])}; {percent(over['warned'])}; {over['time']:.2f}"
        lines.setdefault(f"{row['tol']:g}, {row['max_iter']}", []).append(cell)
    return table(["tol, max_iter", *CHOSEN], [[name, *line] for name, line in lines.items()])


def outcome() -> str:
    """Write what was chosen, and what it gains."""
    left_out, lines = STUDY["leave_one_out"], []
    for model, setting in CHOSEN.items():
        row = find(STUDY["outcome"], model=model)
        report, risk = row["report"], row["risk_all"]
        changes = [
            f"{name} {BEFORE[name]:g} → {value:g}"
            for name, value in setting.items()
            if value != BEFORE[name]
        ]
        lines.append(
            [
                model,
                ", ".join(changes),
                f"{report['accuracy']:.3f}",
                gain(row["choice"]),
                gain(report),
                gain({name: left_out[name][model] for name in ("gain", "error")}),
                gain({"gain": risk["change"], "error": risk["error"]}),
                percent(report["warned"]),
                f"{report['time']:.2f}",
            ]
        )
    gains = ["gain, choice", "gain, report", "gain, left out"]
    return table(["model", "change", "accuracy", *gains, "AURC", "warned", "time"], lines, 2)


def at_the_end(max_iter: int, tol: float = 1e-5) -> dict[str, Row]:
    """Return, for each model, how its fits ended."""
    return {
        model: find(STUDY["end_of_fits"], model=model, max_iter=max_iter, tol=tol)
        for model in CHOSEN
    }


SHORT, LONG = at_the_end(200), at_the_end(500)
TIGHT_TIMES = [row["all"]["time"] for row in at_the_end(1000, 1e-6).values()]
# How often each setting is chosen if one data set is left out.
COUNTS = Counter(
    (model, name, value)
    for choice in STUDY["leave_one_out"]["chosen"]
    for model, setting in choice.items()
    for name, value in setting.items()
)
# What a beta of 10 changes for the models that keep 5.
GMLVQ, LGMLVQ = (find(STUDY["one_for_all"], model=name)["risk_all"] for name in ("GMLVQ", "LGMLVQ"))

VALUES = {
    "sets": sets(),
    "betas": betas(),
    "bandwidths": bandwidths(),
    "ends_of_fits": ends_of_fits(),
    "outcome": outcome(),
    "mrslvq_warned": f"{100 * SHORT['MRSLVQ']['choice']['warned']:.0f}",
    "lgmlvq_warned": f"{100 * SHORT['LGMLVQ']['report']['warned']:.0f}",
    "slowest": f"{max(row['all']['time'] for row in LONG.values()):.2f}",
    "most_tight_time": f"{max(TIGHT_TIMES):.2f}",
    "gmlvq_aurc": f"{100 * GMLVQ['change']:.1f}",
    "lgmlvq_aurc": f"{100 * LGMLVQ['change']:.1f}",
    "lgmlvq_aurc_error": f"{100 * LGMLVQ['error']:.1f}",
    "glvq_10": f"{COUNTS['GLVQ', 'beta', 10]}",
    "grlvq_10": f"{COUNTS['GRLVQ', 'beta', 10]}",
    "rslvq_narrow": f"{COUNTS['RSLVQ', 'bandwidth', 0.03]}",
}
