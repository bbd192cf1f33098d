"""Numbers of prototypes and weights of classes, by benchmarks/auto_prototypes.py."""

from math import exp
from statistics import fmean, median
from typing import Any

from tools.numbers.writing import Row, find, find_all, record, signed, table

STUDY = record("auto_prototypes")
SETS = [row["set"] for row in STUDY["sets"]]
HALVES = {
    half: [row["set"] for row in find_all(STUDY["sets"], half=half)]
    for half in ("choice", "report")
}
# The models as they are compared: model, number of prototypes per class, setting.
COMPARED: list[tuple[str, Any, str]] = [
    ("SVC", None, ""),
    *(("GMLVQ", number, "") for number in (1, 3, 5, 10, "auto")),
    ("SVC, fewer rows", None, ""),
    *(("LGMLVQ", number, "") for number in (1, 3, "auto")),
    *(("LGMLVQ", number, "regularization 0.1") for number in (1, "auto")),
    *((model, number, "") for model in ("GLVQ", "RSLVQ") for number in (1, "auto")),
]


def halves_of(model: str) -> list[str]:
    """Return the halves that a model was fitted on."""
    return ["report"] if model in ("GLVQ", "RSLVQ") else list(HALVES)


def mean(model: str, number: Any, key: str, half: str = "report", setting: str = "") -> float:
    """Return the mean of a figure over the sets of a half."""
    rows = find_all(STUDY["numbers"], model=model, number=number, setting=setting)
    return fmean(find(rows, set=name)[key] for name in HALVES[half])


def figure(name: str, model: str, number: Any, key: str = "accuracy", setting: str = "") -> float:
    """Return a figure of one set."""
    row = find(STUDY["numbers"], set=name, model=model, number=number, setting=setting)
    return float(row[key])


def lead(model: str, half: str, rival: str = "SVC") -> list[float]:
    """Return by how much the accuracy of "auto" is above that of SVC on each set of a half."""
    return [figure(name, model, "auto") - figure(name, rival, None) for name in HALVES[half]]


# The sets of report that are not artificial.
REAL = [
    name
    for name in HALVES["report"]
    if name not in ("checkerboard", "gaussian clusters", "moons", "rings")
]


def real_lead(model: str, rival: str, number: Any = None, without: str = "") -> str:
    """Return the mean lead of "auto" on the real sets of report, in points."""
    names = [name for name in REAL if name != without]
    leads = [figure(name, model, "auto") - figure(name, rival, number) for name in names]
    return signed(100 * fmean(leads), 1)


def sets() -> str:
    """Write what the data sets are like."""
    columns = ["rows", "features", "classes"]
    lines = [
        [row["set"], row["half"], *(f"{row[name]:,}" for name in columns)] for row in STUDY["sets"]
    ]
    return table(["set", "half", *columns], lines, 2)


def tried() -> str:
    """Write what other ways to grow gain on the sets of choice."""
    lines = [
        [
            row["setting"] or "as it is",
            f"{signed(100 * row['gain'], 1)} ± {100 * row['error']:.1f}",
            f"{row['per_class']:.1f}",
            f"{row['time']:.0f}",
        ]
        for row in STUDY["tried"]
    ]
    return table(["GMLVQ, auto", "gain", "prototypes per class", "time"], lines)


def summary() -> str:
    """Write the means over each half."""
    lines = []
    for model, number, setting in COMPARED:
        is_svc = number is None
        cells = [", ".join(filter(None, [model, setting])), "" if is_svc else str(number)]
        for half in HALVES:
            is_there = half in halves_of(model)
            accuracy = mean(model, number, "accuracy", half, setting) if is_there else None
            cells.append("" if accuracy is None else f"{accuracy:.3f}")
        if is_svc:
            cells += [""] * 4
        else:
            figures = {
                key: mean(model, number, key, "report", setting)
                for key in ("aurc", "per_class", "share", "log_time")
            }
            cells += [
                f"{figures['aurc']:.3f}",
                f"{figures['per_class']:.1f}",
                f"{100 * figures['share']:.1f}%",
                f"{exp(figures['log_time']):.1f}",
            ]
        lines.append(cells)
    head = ["model", "prototypes per class", "accuracy, choice", "accuracy, report", "AURC"]
    return table([*head, "found per class", "prototypes / samples", "time"], lines, 2)


def by_set() -> str:
    """Write the accuracy on each set."""
    columns = [column for column in COMPARED if column[0] in ("SVC", "GMLVQ")] + [
        ("SVC, fewer rows", None, ""),
        ("LGMLVQ", 1, ""),
        ("LGMLVQ", "auto", ""),
    ]
    lines = [
        [
            name,
            find(STUDY["sets"], set=name)["half"],
            *(f"{figure(name, model, number):.3f}" for model, number, _ in columns),
        ]
        for name in SETS
    ]
    head = [" ".join(filter(None, [m, "" if n is None else str(n)])) for m, n, _ in columns]
    return table(["set", "half", *head], lines, 2)


def weight_rows(model: str, number: Any, weight: str) -> list[Row]:
    """Return the rows with or without weights of classes."""
    return find_all(STUDY["weights"], model=model, number=number, setting=f"class_weight {weight}")


def weights() -> str:
    """Write accuracy, balanced accuracy and missed classes without and with balanced weights."""
    lines = []
    for model, number in (("GMLVQ", 1), ("GMLVQ", "auto"), ("LGMLVQ", 1)):
        pairs = zip(
            weight_rows(model, number, "None"), weight_rows(model, number, "balanced"), strict=True
        )
        for none, balanced in pairs:
            cells = [none["set"], f"{model} {number}"]
            for key in ("accuracy", "balanced_accuracy", "missed"):
                cells.append(
                    f"{none[key]:.3f} → {balanced[key]:.3f}"
                    if key != "missed"
                    else f"{none[key]:.0%} → {balanced[key]:.0%}"
                )
            lines.append(cells)
    head = ["set", "model", "accuracy", "balanced accuracy", "fits that miss a class"]
    return table(head, lines, 2)


def change(key: str, model: str = "GMLVQ", number: Any = 1) -> float:
    """Return the mean change of a figure by balanced weights, in points."""
    none, balanced = (weight_rows(model, number, weight) for weight in ("None", "balanced"))
    return 100 * fmean(b[key] - a[key] for a, b in zip(none, balanced, strict=True))


TIMES = [exp(row["log_time"]) for row in find_all(STUDY["numbers"], model="GMLVQ", number="auto")]

VALUES = {
    "sets": sets(),
    "tried": tried(),
    "summary": summary(),
    "by_set": by_set(),
    "weights": weights(),
    "n_sets": f"{len(SETS)}",
    "gmlvq": f"{mean('GMLVQ', 'auto', 'accuracy'):.3f}",
    "svc": f"{mean('SVC', None, 'accuracy'):.3f}",
    "lgmlvq": f"{mean('LGMLVQ', 'auto', 'accuracy'):.3f}",
    "svc_fewer": f"{mean('SVC, fewer rows', None, 'accuracy'):.3f}",
    "gmlvq_one": f"{mean('GMLVQ', 1, 'accuracy'):.3f}",
    "lgmlvq_one": f"{mean('LGMLVQ', 1, 'accuracy'):.3f}",
    "gmlvq_lead": signed(100 * fmean(lead("GMLVQ", "report")), 1),
    "gmlvq_median": signed(100 * median(lead("GMLVQ", "report")), 1),
    "gmlvq_lead_choice": signed(100 * fmean(lead("GMLVQ", "choice")), 1),
    "lgmlvq_lead": signed(100 * fmean(lead("LGMLVQ", "report", "SVC, fewer rows")), 1),
    "lgmlvq_median": signed(100 * median(lead("LGMLVQ", "report", "SVC, fewer rows")), 1),
    "lgmlvq_lead_choice": signed(100 * fmean(lead("LGMLVQ", "choice", "SVC, fewer rows")), 1),
    "real": f"{len(REAL)}",
    "gmlvq_real": real_lead("GMLVQ", "SVC"),
    "gmlvq_real_without": real_lead("GMLVQ", "SVC", without="tecator"),
    "gmlvq_real_one": real_lead("GMLVQ", "GMLVQ", 1),
    "lgmlvq_real": real_lead("LGMLVQ", "SVC, fewer rows"),
    "lgmlvq_real_without": real_lead("LGMLVQ", "SVC, fewer rows", without="tecator"),
    "lgmlvq_real_one": real_lead("LGMLVQ", "LGMLVQ", 1),
    "aurc_one": f"{mean('GMLVQ', 1, 'aurc'):.3f}",
    "aurc_auto": f"{mean('GMLVQ', 'auto', 'aurc'):.3f}",
    "time": f"{exp(mean('GMLVQ', 'auto', 'log_time')):.0f}",
    "time_local": f"{exp(mean('LGMLVQ', 'auto', 'log_time')):.0f}",
    "most_time": f"{max(TIMES):.0f}",
    "accuracy_lost": f"{-change('accuracy'):.1f}",
    "balanced_gained": f"{change('balanced_accuracy'):.1f}",
}
