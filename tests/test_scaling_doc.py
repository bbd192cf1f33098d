"""What the page on scaling says is what was measured, or follows from it."""

import json
from math import log2
from pathlib import Path

import pytest

from abstain.models.on_dask import SEGMENTS

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = (DOCS / "scaling.md").read_text(encoding="utf-8")
TEXT = " ".join(PAGE.split())


def record(name):
    return json.loads((DOCS / "benchmarks" / name).read_text(encoding="utf-8"))


FRONTS, CLASSIFIER, MODELS = (
    record(f"dask_{name}.json") for name in ("fronts", "classifier", "models")
)
FEW, MANY, CALIBRATION = FRONTS["fronts"], FRONTS["many_errors"], CLASSIFIER["classifier"]
MISLED = FRONTS["likelier_with_certainty"]
(GMLVQ,) = (row for row in MODELS["evaluations"] if row["model"] == "GMLVQ")

# --- what was measured ----------------------------------------------------------------------------


COLUMNS = FEW, MANY, MISLED


def front_table():
    def told(row, field, form):
        if f"{field}_at_least" in row:
            return f"over {row[f'{field}_at_least']:.0f}"
        return form.format(row[field]) if field in row else "–"

    def line(name, field, form):
        return f"| {name} | {' | '.join(told(row, field, form) for row in COLUMNS)} |\n"

    return "".join(
        [
            "| 100,000,000 samples in 50 cells | 1 in 100 wrong | 1 in 5 wrong "
            "| 1 in 100 wrong, likelier with certainty |\n",
            "| --- | ---: | ---: | ---: |\n",
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
        ]
    )


def model_table():
    lines = [
        "| | one machine, ms | two workers, ms | Dask itself, ms |\n| --- | ---: | ---: | ---: |\n"
    ]
    for kind, rows in (("evaluation", MODELS["evaluations"]), ("pass of Adam", MODELS["passes"])):
        lines += [
            f"| {row['model']}, {kind} | {row['one_machine_ms']:.0f} | "
            f"{row['two_workers_ms']:.0f} | {row['dask_itself_ms']:.0f} |\n"
            for row in rows
        ]
    return "".join(lines)


# Had the errors of the calibration taken as much as those of the front, in megabytes.
FRONT_SHARE = CALIBRATION["errors"] * MANY["megabytes_between_workers"] / MANY["errors"]
*OTHERS, LAST = (f"{row['two_workers_ms']:.0f}" for row in MODELS["workers_as_they_come"])
AS_THEY_COME = f"{', '.join(OTHERS)} and {LAST}"


# --- what follows for more ------------------------------------------------------------------------

SAMPLES, WORKERS, SHARE_WRONG = 10**10, 100, 0.01
ERRORS, OWN = SAMPLES * SHARE_WRONG, SAMPLES / WORKERS
NETWORK = 1.25e9  # bytes a second: ten gigabits


def per_sample(seconds, row, file):
    return seconds * file["workers"] / row["samples"]


# Time of a worker grows with its samples and with all errors: two runs tell both.
AN_ERROR = (MANY["staircases_seconds"] - FEW["staircases_seconds"]) / (
    MANY["errors"] - FEW["errors"]
)
A_SAMPLE = per_sample(FEW["staircases_seconds"] - AN_ERROR * FEW["errors"], FEW, FRONTS)
WORKER_PER_ERROR = (
    1e6 * (MANY["worker_megabytes"] - FEW["worker_megabytes"]) / (MANY["errors"] - FEW["errors"])
)
CLIENT_PER_ERROR = (
    1e6 * (MANY["exact_megabytes"] - FEW["exact_megabytes"]) / (MANY["errors"] - FEW["errors"])
)


def moved_per_error(n_workers):
    """Return bytes: errors up a tree of pairs, all of them out, counts back, and both joined."""
    return 8 * log2(n_workers) + 2 * 16 * (n_workers - 1) + 16


def paper_table():
    arithmetic = GMLVQ["two_workers_ms"] - GMLVQ["dask_itself_ms"]
    evaluation = arithmetic / 1e3 * 2 / MODELS["samples"] * OWN
    fit = per_sample(CALIBRATION["fit_seconds"], CALIBRATION, CLASSIFIER) * OWN
    reject = per_sample(CALIBRATION["reject_seconds"], CALIBRATION, CLASSIFIER) * OWN
    passes = A_SAMPLE * OWN + AN_ERROR * ERRORS
    network = moved_per_error(WORKERS) * ERRORS / WORKERS / NETWORK
    tree = (log2(WORKERS) - 1) * 16 * ERRORS / NETWORK
    exact = MANY["exact_seconds"] * GROWTH ** log2(ERRORS / MANY["errors"])
    hull = MANY["hull_seconds"] * ERRORS / MANY["errors"]
    sums_back = (SEGMENTS + WORKERS) * GMLVQ["parameters_kB"] / 1e3
    rows = [
        (
            "answers and calibration of a GMLVQ",
            f"{fit / 60:.0f} min",
            f"{25 * OWN / 1e9:.1f} GB of answers",
            "answers that idle workers take over",
        ),
        (
            "both passes of the front",
            f"{passes / 60:.1f} min, and {network:.0f} to {network + tree:.0f} s of network",
            f"{(WORKER_PER_ERROR * ERRORS) / 1e9:.0f} GB",
            f"{moved_per_error(WORKERS) * ERRORS / 1e9:.0f} GB in all",
        ),
        (
            "the client: exact front",
            f"{exact / 60:.0f} min",
            f"{CLIENT_PER_ERROR * ERRORS / 1e9:.0f} GB",
            f"{24 * ERRORS / 1e9:.1f} GB to it",
        ),
        ("the client: hull", f"{hull:.0f} s", "as much", "the same"),
        (
            "lazy `reject` of as many",
            f"{reject / 60:.0f} min",
            "a block at a time",
            "none",
        ),
        (
            "one evaluation of GMLVQ, 20 features",
            f"{evaluation:.0f} s and {GMLVQ['dask_itself_ms']:.0f} ms of Dask",
            f"{20 * 8 * OWN / 1e9:.0f} GB, half in single precision",
            f"{sums_back:.1f} MB",
        ),
    ]
    head = "| stage | time | memory where it runs | traffic |\n| --- | --- | --- | --- |\n"
    return head + "".join(f"| {' | '.join(row)} |\n" for row in rows)


# Of twice the errors the exact front takes so many times as long, by the record of one machine.
_, LARGE = record("fronts.json")["growth"]
GROWTH = LARGE["exact"] ** (1 / log2(LARGE["to"] / LARGE["from"]))


@pytest.mark.parametrize("table", [front_table, model_table, paper_table])
def test_the_tables_are_those_of_the_records(table):
    assert f"\n{table()}\n" in PAGE


def test_the_constants_are_those_of_the_records():
    assert f"{1e6 * A_SAMPLE:.2f} µs for each sample of its own" in TEXT
    assert f"{1e6 * AN_ERROR:.1f} µs for each error of all" in TEXT
    assert f"{WORKER_PER_ERROR:.0f} bytes for each error" in TEXT
    assert f"{CLIENT_PER_ERROR:.0f} bytes for each error of memory" in TEXT
    assert f"{moved_per_error(2):.0f} bytes for each error with two workers" in TEXT
    for row in COLUMNS:
        measured = 1e6 * row["megabytes_between_workers"] / row["errors"]
        assert f"{measured:.0f} were measured" in TEXT
    assert f"{moved_per_error(WORKERS) / 1e3:.1f} kB for each error with {WORKERS}" in TEXT
    break_even = 10 / moved_per_error(WORKERS)
    assert f"fewer than {100 * break_even:.1f} % of the samples are wrong" in TEXT
    assert f"{GROWTH:.2f} times as long for twice the errors" in TEXT


def test_the_readme_says_what_was_measured():
    readme = " ".join((DOCS.parent / "README.md").read_text(encoding="utf-8").split())
    assert (
        f"two workers {FEW['times_sort_exact']:.1f} times as long as sorting each block" in readme
    )
    assert f"no more than {FEW['worker_megabytes']:.0f} MB of memory each" in readme


def test_what_the_environment_of_workers_does_is_that_of_the_record():
    assert f"evaluations took {AS_THEY_COME} ms" in TEXT


def test_fits_on_two_workers_end_where_those_on_one_machine_do():
    assert "Fits by L-BFGS end at the same cost to rounding." in TEXT
    ends = [row["difference_of_costs"] for row in MODELS["fits"] if row["solver"] == "lbfgs"]
    assert max(ends) < 1e-12


def test_what_is_said_of_the_hull_is_that_of_the_record():
    gap = MANY["largest_gap_of_hull"]
    assert (
        f"at most {gap:,} false rejects from the best, {100 * gap / MANY['samples']:.2f} %" in TEXT
    )
    assert FEW["exact_seconds"] < 2
    assert f"{MANY['exact_seconds'] + MANY['staircases_seconds']:.0f} seconds" in TEXT
    lost = MISLED["largest_gap_of_hull"]
    assert f"may miss {lost:,} false rejects, {100 * lost / MISLED['samples']:.1f} %" in TEXT


def test_the_case_on_paper_is_beyond_where_it_pays():
    times = moved_per_error(WORKERS) * ERRORS / (10 * SAMPLES)
    assert f"{times:.1f} times as much travels as the samples hold" in TEXT
    distances = 0.01 * SAMPLES * 8 / 1e9
    assert f"{distances:.1f} GB of distances" in TEXT


def test_the_calibration_is_that_of_the_record():
    row = CALIBRATION
    assert f"{row['samples']:,} samples of 20 features" in TEXT
    assert f"takes {row['fit_over_distances']:.1f} times as long as the distances" in TEXT
    assert f"`reject` {row['reject_over_distances']:.1f} times" in TEXT
    moved = f"{row['megabytes_between_workers']:.0f} MB of {row['megabytes_of_samples']:.0f} MB"
    assert f"{moved} went between workers, {FRONT_SHARE:.0f} MB of it for the front" in TEXT
    assert f"the client grew by {row['client_grew_megabytes']:.0f} MB" in TEXT
