"""How fast tables and reports are, by benchmarks/predict.py, imports.py and report.py."""

from tools.numbers.writing import Row, record, table

PREDICT, REPORT = record("predict"), record("report")
STARTS = {row["program"]: row["times_sklearn"] for row in record("imports")["programs"]}


def judged(text: str, is_met: bool) -> str:
    """Write a figure, and whether the mark is met."""
    return f"{text}, {'met' if is_met else 'missed'}"


def predict() -> str:
    """Write what `abstain predict` takes for a long table."""
    rows, bars = PREDICT["tables"], PREDICT["bars"]
    times, memory = bars["times_polars"], bars["peak_megabytes"]
    lines = [
        ["file, MB", *(f"{row['file_megabytes']:,.0f}" for row in rows)],
        ["polars, s", *(f"{row['polars_seconds']:.2f}" for row in rows)],
        ["predict, s", *(f"{row['predict_seconds']:.1f}" for row in rows)],
        ["start, s", *(f"{row['start_seconds']:.1f}" for row in rows)],
        [
            f"predict, times polars (at most {times})",
            *(judged(f"{row['times_polars']:.1f}", row["times_polars"] <= times) for row in rows),
        ],
        [
            "predict less start, times polars",
            *(f"{row['times_polars_after_start']:.1f}" for row in rows),
        ],
        [
            f"memory, MB (below {memory:,})",
            *(
                judged(f"{row['peak_megabytes']:,.0f}", row["peak_megabytes"] < memory)
                for row in rows
            ),
        ],
    ]
    return table(["abstain predict", *(f"{row['columns']} columns" for row in rows)], lines)


def report() -> str:
    """Write how fast a report is in a browser."""
    rows, bars = REPORT["reports"], REPORT["bars"]
    size, load, most = (bars[name] for name in ("megabytes", "all_after_seconds", "slider_ms"))

    def slider(row: Row, seen: str) -> str:
        worst = row[f"{seen}_worst_ms_of_best_round"]
        return judged(f"{row[f'{seen}_median_ms']:.0f} to {worst:.0f}", worst < most)

    def loaded(row: Row) -> str:
        seconds = row["all_after_seconds"]
        return judged(f"{seconds:.1f}", seconds < load)

    lines = [
        [
            f"file, MB (below {size})",
            *(judged(f"{row['megabytes']:.1f}", row["megabytes"] < size) for row in rows),
        ],
        [f"loaded, s (under {load})", *map(loaded, rows)],
        [f"slider, curve, ms (under {most})", *(slider(row, "curve") for row in rows)],
        [f"slider, plane, ms (under {most})", *(slider(row, "view") for row in rows)],
        ["slider, any round, ms", *(f"{row['slider_worst_ms_in_any_round']:.0f}" for row in rows)],
    ]
    return table(["report", *(row["report"] for row in rows)], lines)


def starts() -> str:
    """Write the processor time of processes, beside one that imports scikit-learn."""
    programs = {
        "import abstain": "import abstain",
        "from abstain import pareto_front": "pareto_front",
        "from abstain import GMLVQ": "GMLVQ",
        "from abstain import RejectOptionClassifier": "RejectOptionClassifier",
        "import polars, typer, sklearn.compose": "needed by predict",
    }
    lines = [[f"`{program}`", f"{STARTS[name]:.2f}"] for program, name in programs.items()]
    lines.append(["`abstain predict`, ten rows", f"{STARTS['abstain predict']:.2f}"])
    return table(["process", "times `import sklearn`"], lines)


VALUES = {
    "starts": starts(),
    "start": f"{STARTS['abstain predict']:.1f}",
    "predict": predict(),
    "report": report(),
    "rows": f"{PREDICT['tables'][0]['rows']:,}",
    "cores": f"{PREDICT['cores']}",
    "rows_of_front": f"{REPORT['reports'][-1]['rows_of_front']:,}",
    "cells": f"{REPORT['reports'][-1]['cells']}",
    "rounds": f"{REPORT['rounds']}",
}
