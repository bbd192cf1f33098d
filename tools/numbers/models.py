"""How accurate and fast the models are, by benchmarks/models.py and benchmarks/model_limits.py."""

from tools.numbers.writing import Row, distinct, find, find_all, record, table

MODELS, LIMITS = record("models"), record("model_limits")
PEERS = ["sklvq", "sklearn_lvq", "prosemble", "prototorch"]


def accuracies() -> str:
    """Write the accuracy of each model on each set."""
    rows = MODELS["accuracies"]
    sets = distinct(row["set"] for row in rows)
    lines = [
        [model, *(f"{find(rows, model=model, set=name)['accuracy']:.3f}" for name in sets)]
        for model in distinct(row["model"] for row in rows)
    ]
    return table(["model", *sets], lines)


def times_as_long(peer: Row, own: list[Row]) -> str:
    """Write how many times as long as ours a peer takes, with ours no less accurate."""
    if "failure" in peer:
        return "fails"
    seconds = [row["processor_seconds"] for row in own if row["accuracy"] >= peer["accuracy"]]
    if not seconds:
        return "–"
    ratio = peer["processor_seconds"] / min(seconds)
    return f"{ratio:.2f}" if ratio < 1 else f"{ratio:.1f}" if ratio < 10 else f"{ratio:,.0f}"


def speeds() -> str:
    """Write the ratios to each peer in its best setting, and to prosemble's defaults."""
    lines = []
    for model in ("GLVQ", "GMLVQ", "LGMLVQ", "RSLVQ"):
        for verdict in find_all(MODELS["verdicts"], model=model):
            fits = find_all(MODELS["peers"], model=model, set=verdict["set"])
            rows = {row["library"]: row for row in fits}
            cells = [
                times_as_long(rows[name], rows[name]["our_settings"]) if name in rows else ""
                for name in PEERS
            ]
            untuned = find(rows["prosemble"]["settings"], setting="defaults")
            cells.append(times_as_long(untuned, rows["prosemble"]["our_settings"]))
            lines.append([model, verdict["set"], *cells])
    return table(["fit", "set", *PEERS, "prosemble, its defaults"], lines, 2)


def limits() -> str:
    """Write the time of one call as a multiple of its matrix products."""
    parts = {"cost and gradient": "evaluation", "`predict`": "predict", "`distances`": "distances"}
    rows = LIMITS["products"]
    lines = [
        [title, *(f"{row[f'{name}_over_products']:.1f}" for row in rows)]
        for title, name in parts.items()
    ]
    return table(["time, in matrix products", *(row["model"] for row in rows)], lines)


GROWTHS = [row["times_as_long"] for row in LIMITS["growth"]]
GROWTHS_PER_EVALUATION = [
    row["times_as_long"] / row["times_as_many_evaluations"] for row in LIMITS["growth"]
]
MEMORY = [row["peak_over_samples_times_features_and_prototypes"] for row in LIMITS["memory"]]
TWO_CLASSES, TEN_CLASSES = (row["gmlvq_over_sgd"] for row in LIMITS["sgd"])

VALUES = {
    "accuracies": accuracies(),
    "speeds": speeds(),
    "limits": limits(),
    "budget": f"{MODELS['budget_seconds']:g}",
    "n_fast": f"{sum(row['holds'] for row in MODELS['verdicts'])}",
    "n_cases": f"{len(MODELS['verdicts'])}",
    "least_growth": f"{min(GROWTHS):.1f}",
    "most_growth": f"{max(GROWTHS):.1f}",
    "growth_per_evaluation": f"{max(GROWTHS_PER_EVALUATION):.1f}",
    "memory": f"{max(MEMORY):.2f}",
    "sgd_two_classes": f"{TWO_CLASSES:.2f}",
    "sgd_ten_classes": f"{TEN_CLASSES:.2f}",
}
