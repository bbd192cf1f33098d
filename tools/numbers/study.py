"""What became of the paper's claims, by `make study`. A value has the id of its claim as name."""

import json
from collections import Counter

import polars as pl

from tools.numbers.writing import DOCS, Row


def read(name: str) -> list[Row]:
    """Read one table of the results."""
    return pl.read_csv(DOCS / "results" / f"{name}.csv", infer_schema_length=None).to_dicts()


CLAIMS, SUMMARY, GUARANTEES = read("claims"), read("summary"), read("guarantees")
RUN = json.loads((DOCS / "results" / "run.json").read_text())
# Data and preparations that the paper lacks. Its own steroid data are imitated here.
NOT_IN_THE_PAPER = {"tecator-raw", "tecator-curvature", "wisconsin", "cleveland", "gastric"}


def svm(name: str) -> str:
    """Write the accuracy of the SVM on a set, in percent."""
    (row,) = (row for row in SUMMARY if (row["set"], row["model"]) == (name, "svm"))
    return f"{100 * row['at_0']:.1f}"


def certified(name: str) -> float:
    """Return the accuracy on test data of the answers to a set that were certified."""
    wanted = {"set": name, "source": "guaranteed"}
    (row,) = (row for row in GUARANTEES if wanted.items() <= row.items())
    return float(row["reached"])


VERDICTS = Counter(row["verdict"] for row in CLAIMS)
VECTORS = [row["value"] for row in CLAIMS if "support vectors" in row["statement"]]

VALUES = {
    **{row["id"]: f"{row['value']:.3f}".replace("-", "−") for row in CLAIMS},
    "claims": f"{len(CLAIMS)}",
    **{f"claims-{verdict}": f"{n}" for verdict, n in VERDICTS.items()},
    "elsewhere": f"{sum(row['dataset'] in NOT_IN_THE_PAPER for row in CLAIMS)}",
    "svm-raw": svm("tecator-raw"),
    "svm-curvature": svm("tecator-curvature"),
    "processor-minutes": f"{RUN['processor_seconds'] / 60:.0f}",
    "certified-haberman": f"{100 * certified('haberman'):.1f}",
    "least-vectors": f"{min(VECTORS):.0f}",
    "most-vectors": f"{max(VECTORS):.0f}",
}
