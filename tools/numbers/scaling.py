"""What computing on Dask takes: measured by benchmarks/dask_*.py, and extrapolated from that."""

from math import log2

from abstain.models.on_dask import SEGMENTS
from tools.numbers.writing import Row, find, record, table

FRONTS, CLASSIFIER, MODELS = (record(f"dask_{name}") for name in ("fronts", "classifier", "models"))
FEW, MANY, MISLED = (FRONTS[name] for name in ("fronts", "many_errors", "likelier_with_certainty"))
CALIBRATION = CLASSIFIER["classifier"]
GMLVQ = find(MODELS["evaluations"], model="GMLVQ")

# --- what was measured --------------------------------------------------------------------------


def fronts() -> str:
    """Write time and memory of the fronts of a hundred million samples."""

    def line(title: str, field: str, form: str) -> list[str]:
        return [title, *(cell(row, field, form) for row in (FEW, MANY, MISLED))]

    def cell(row: Row, field: str, form: str) -> str:
        if f"{field}_at_least" in row:
            return f"over {row[f'{field}_at_least']:.0f}"
        return form.format(row[field]) if field in row else "–"

    wrong = ["1 in 100 wrong", "1 in 5 wrong", "1 in 100 wrong, likelier with certainty"]
    return table(
        ["100,000,000 samples in 50 cells", *wrong],
        [
            line("errors", "errors", "{:,.0f}"),
            line("`argsort` of every block, seconds", "sort_seconds", "{:.1f}"),
            line("both passes, seconds", "staircases_seconds", "{:.1f}"),
            line("the exact front after them, seconds", "exact_seconds", "{:.1f}"),
            line("the hull after them, seconds", "hull_seconds", "{:.1f}"),
            line("**exact front over `argsort`**", "times_sort_exact", "**{:.1f}**"),
            line("hull over `argsort`", "times_sort_hull", "{:.1f}"),
            line("false rejects that the hull may miss", "largest_gap_of_hull", "{:,.0f}"),
            line("the samples, MB", "megabytes_of_samples", "{:,.0f}"),
            line("between workers, MB", "megabytes_between_workers", "{:,.0f}"),
            line("to the client, MB", "megabytes_to_client", "{:,.0f}"),
            line("largest worker, MB", "worker_megabytes", "{:,.0f}"),
            line("client, with the hull, MB", "client_megabytes", "{:,.0f}"),
            line("a process with the exact front, MB", "exact_megabytes", "{:,.0f}"),
        ],
    )


def models() -> str:
    """Write the time of one evaluation and of one pass of Adam."""
    columns = ("one_machine_ms", "two_workers_ms", "dask_itself_ms")
    lines = [
        [f"{row['model']}, {kind}", *(f"{row[name]:.0f}" for name in columns)]
        for kind, rows in [
            ("evaluation", MODELS["evaluations"]),
            ("evaluation, workers as they come", MODELS["workers_as_they_come"]),
            ("pass of Adam", MODELS["passes"]),
        ]
        for row in rows
    ]
    return table(["", "one machine, ms", "two workers, ms", "Dask itself, ms"], lines)


# --- what follows for more ----------------------------------------------------------------------

SAMPLES, WORKERS, SHARE_WRONG = 10**10, 100, 0.01
ERRORS, OWN = SAMPLES * SHARE_WRONG, SAMPLES / WORKERS
NETWORK = 1.25e9  # bytes per second: ten gigabits


def per_sample(seconds: float, row: Row, file: Row) -> float:
    """Return the seconds of a worker for each sample of its own."""
    return float(seconds * file["workers"] / row["samples"])


def per_error(field: str) -> float:
    """Return how a figure grows with the errors, from the two runs."""
    return float((MANY[field] - FEW[field]) / (MANY["errors"] - FEW["errors"]))


# The time of a worker grows with its samples and with all errors: two runs determine both.
AN_ERROR = per_error("staircases_seconds")
A_SAMPLE = per_sample(FEW["staircases_seconds"] - AN_ERROR * FEW["errors"], FEW, FRONTS)
WORKER_PER_ERROR = 1e6 * per_error("worker_megabytes")
CLIENT_PER_ERROR = 1e6 * per_error("exact_megabytes")
# For twice the errors the exact front takes this many times as long, by the record of one machine.
_, LARGE = record("fronts")["growth"]
GROWTH = LARGE["exact"] ** (1 / log2(LARGE["to"] / LARGE["from"]))


def moved_per_error(n_workers: int) -> float:
    """Return bytes: errors up a tree of pairs, all of them out, counts back, and both joined."""
    return 8 * log2(n_workers) + 2 * 16 * (n_workers - 1) + 16


def constants() -> str:
    """Write what one sample and one error cost."""
    measured = [
        1e6 * row["megabytes_between_workers"] / row["errors"] for row in (FEW, MANY, MISLED)
    ]
    lines = [
        ["time of a worker for each sample of its own", f"{1e6 * A_SAMPLE:.2f} µs"],
        ["time of a worker for each error of all", f"{1e6 * AN_ERROR:.1f} µs"],
        ["memory of a worker for each error", f"{WORKER_PER_ERROR:.0f} bytes"],
        ["memory of the client for each error", f"{CLIENT_PER_ERROR:.0f} bytes"],
        ["traffic for each error, two workers", f"{moved_per_error(2):.0f} bytes"],
        ["the same, the most measured", f"{max(measured):.0f} bytes"],
        ["traffic for each error, 100 workers", f"{moved_per_error(WORKERS) / 1e3:.1f} kB"],
        ["exact front for twice the errors", f"{GROWTH:.2f} times as long"],
    ]
    return table(["cost", "from the two runs"], lines)


def on_paper() -> str:
    """Write what ten billion samples would take on a hundred workers."""
    arithmetic = GMLVQ["two_workers_ms"] - GMLVQ["dask_itself_ms"]
    evaluation = arithmetic / 1e3 * 2 / MODELS["samples"] * OWN
    fit = per_sample(CALIBRATION["fit_seconds"], CALIBRATION, CLASSIFIER) * OWN
    reject = per_sample(CALIBRATION["reject_seconds"], CALIBRATION, CLASSIFIER) * OWN
    passes = A_SAMPLE * OWN + AN_ERROR * ERRORS
    network = moved_per_error(WORKERS) * ERRORS / WORKERS / NETWORK
    tree = (log2(WORKERS) - 1) * 16 * ERRORS / NETWORK
    exact = MANY["exact_seconds"] * GROWTH ** log2(ERRORS / MANY["errors"])
    hull = MANY["hull_seconds"] * ERRORS / MANY["errors"]
    # A fit sends one sum per segment of blocks to the client, and one per worker.
    sums_back = (SEGMENTS + WORKERS) * GMLVQ["parameters_kB"] / 1e3
    lines = [
        [
            "answers and calibration of a GMLVQ",
            f"{fit / 60:.0f} min",
            f"{25 * OWN / 1e9:.1f} GB of answers",
            "answers that idle workers take over",
        ],
        [
            "both passes of the front",
            f"{passes / 60:.1f} min, and {network:.0f} to {network + tree:.0f} s of network",
            f"{(WORKER_PER_ERROR * ERRORS) / 1e9:.0f} GB",
            f"{moved_per_error(WORKERS) * ERRORS / 1e9:.0f} GB in all",
        ],
        [
            "the client: exact front",
            f"{exact / 60:.0f} min",
            f"{CLIENT_PER_ERROR * ERRORS / 1e9:.0f} GB",
            f"{24 * ERRORS / 1e9:.1f} GB to it",
        ],
        ["the client: hull", f"{hull:.0f} s", "as much", "the same"],
        ["lazy `reject` of as many", f"{reject / 60:.0f} min", "one block at a time", "none"],
        [
            "one evaluation of GMLVQ, 20 features",
            f"{evaluation:.0f} s and {GMLVQ['dask_itself_ms']:.0f} ms of Dask",
            f"{20 * 8 * OWN / 1e9:.0f} GB, half in single precision",
            f"{sums_back:.1f} MB",
        ],
    ]
    return table(["stage", "time", "memory where it runs", "traffic"], lines, 4)


# What the errors of the calibration would move if each took as much as in the front, in megabytes.
FRONT_SHARE = CALIBRATION["errors"] * MANY["megabytes_between_workers"] / MANY["errors"]

VALUES = {
    "fronts": fronts(),
    "models": models(),
    "constants": constants(),
    "on_paper": on_paper(),
    "times_sort": f"{FEW['times_sort_exact']:.1f}",
    "worker": f"{FEW['worker_megabytes']:.0f}",
    "seconds_many": f"{MANY['exact_seconds'] + MANY['staircases_seconds']:.0f}",
    "gap_many": f"{100 * MANY['largest_gap_of_hull'] / MANY['samples']:.2f}",
    "gap_misled": f"{100 * MISLED['largest_gap_of_hull'] / MISLED['samples']:.1f}",
    "samples": f"{CALIBRATION['samples']:,}",
    "fit": f"{CALIBRATION['fit_over_distances']:.1f}",
    "reject": f"{CALIBRATION['reject_over_distances']:.1f}",
    "moved": f"{CALIBRATION['megabytes_between_workers']:.0f}",
    "of": f"{CALIBRATION['megabytes_of_samples']:.0f}",
    "moved_by_front": f"{FRONT_SHARE:.0f}",
    "client_grew": f"{CALIBRATION['client_grew_megabytes']:.0f}",
    "break_even": f"{100 * 10 / moved_per_error(WORKERS):.1f}",
    "times_samples": f"{moved_per_error(WORKERS) * ERRORS / (10 * SAMPLES):.1f}",
    "client_of_billion": f"{CLIENT_PER_ERROR:.0f}",
}
