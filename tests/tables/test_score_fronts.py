"""Laws of the files that a front leaves: they hold its own numbers, and replace no input."""

import json

import polars as pl
import pytest

from abstain import Accuracy, InputError, RejectCost, RejectRate, pareto_front
from abstain.tables.score_fronts import choose, output_files, write_choice
from abstain.tables.scores import ScoreColumns, read_scores

COLUMNS = ScoreColumns("c", correct="ok", cell="region")
TEXT = """c,ok,region
0.1,false,left
0.4,true,left
0.5,false,left
0.2,true,right
0.3,false,right
0.9,true,right
"""


def score_file(tmp_path, text=TEXT):
    path = tmp_path / "scores.csv"
    path.write_text(text)
    return path


def made(tmp_path, target=None):
    scores = read_scores([score_file(tmp_path)], COLUMNS)
    front = pareto_front(scores.certainty, scores.correct, scores.cells)
    return choose(scores, front, target or Accuracy(0.75))


@pytest.mark.parametrize(
    ("suffix", "separator"), [(".csv", ","), (".tsv", "\t"), (".parquet", None)]
)
def test_names_of_cells_are_no_formulas_in_text(tmp_path, suffix, separator):
    text = TEXT.replace("left", "=1+1").replace("right", "-2")
    scores = read_scores([score_file(tmp_path, text)], COLUMNS)
    front = pareto_front(scores.certainty, scores.correct, scores.cells)
    files = output_files(tmp_path / f"front{suffix}")
    write_choice(choose(scores, front, RejectRate(0.5)), files, "1.2.3")
    if separator is None:
        assert set(pl.read_parquet(files[1])["cell"]) == {"=1+1", "-2"}
    else:
        cells = pl.read_csv(files[1], separator=separator, infer_schema=False)
        assert set(cells["cell"]) == {"'=1+1", "-2"}
    assert {cell["cell"] for cell in json.loads(files[2].read_text())["cells"]} == {"=1+1", "-2"}


@pytest.mark.parametrize(
    ("suffix", "load"),
    [
        (".csv", pl.read_csv),
        (".tsv", lambda path: pl.read_csv(path, separator="\t")),
        (".parquet", pl.read_parquet),
    ],
)
def test_the_files_hold_the_front_and_the_chosen_row(tmp_path, suffix, load):
    choice = made(tmp_path)
    files = output_files(tmp_path / f"front.v1{suffix}", tmp_path / "scores.csv")
    write_choice(choice, files, "1.2.3")
    assert [file.name for file in files] == [
        f"front.v1{suffix}",
        f"front.v1.thresholds{suffix}",
        "front.v1.json",
    ]
    front, cells = load(files[0]), load(files[1])
    assert front["true_rejects"].to_list() == choice.front.true_rejects.tolist()
    assert front["false_rejects"].to_list() == choice.front.false_rejects.tolist()
    assert front["reject_rate"].to_list() == choice.front.reject_rates.tolist()
    assert front["is_pareto"].to_list() == choice.front.is_pareto.tolist()
    assert cells["cell"].to_list() == ["left", "right"]
    assert cells["threshold"].to_list() == choice.point.thresholds.tolist()


def test_an_undefined_accuracy_is_empty(tmp_path):
    # Two wrong samples: the row that catches both accepts nothing.
    path = score_file(tmp_path, "c,ok\n1,0\n2,0\n")
    scores = read_scores([path], ScoreColumns("c", correct="ok"))
    front = pareto_front(scores.certainty, scores.correct, scores.cells)
    choice = choose(scores, front, RejectCost(0.2))
    files = output_files(tmp_path / "front.csv", path)
    write_choice(choice, files, "1")
    assert pl.read_csv(files[0])["accuracy"].to_list() == [0.0, 0.0, None]
    assert json.loads(files[2].read_text())["accuracy"] is None


def test_the_cells_add_up_to_the_chosen_row(tmp_path):
    for value in (0.0, 0.2, 0.5, 1.0):
        choice = made(tmp_path, RejectRate(value))
        totals = choice.cells.sum().row(0, named=True)
        assert totals["samples"] == choice.point.n_samples
        assert totals["errors"] == choice.point.n_errors
        assert totals["true_rejects"] == choice.point.true_rejects
        assert totals["false_rejects"] == choice.point.false_rejects


def test_the_document_is_strict_json(tmp_path):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    choice, files = made(tmp_path, RejectCost(0.2)), output_files(tmp_path / "front.csv")
    write_choice(choice, files, "1.2.3")
    document = json.loads(files[2].read_text(), parse_constant=refuse)
    assert document["abstain"] == "1.2.3"
    assert document["target"] == {"reject_cost": 0.2}
    assert document["method"] == "exact"
    assert document["row"] == choice.point.row
    thresholds = [float(cell["threshold"]) for cell in document["cells"]]
    assert thresholds == choice.point.thresholds.tolist()
    nothing = made(tmp_path, RejectRate(0.0)).as_dict()
    assert [cell["threshold"] for cell in nothing["cells"]] == ["-inf", "-inf"]


def test_refuses_an_unknown_output_format(tmp_path):
    with pytest.raises(InputError, match=r"front\.pdf: its name must end with one of \.csv, "):
        output_files(tmp_path / "front.pdf", tmp_path / "scores.csv")


@pytest.mark.parametrize("out", ["scores.csv", "link.csv"])
def test_refuses_to_replace_the_score_file(tmp_path, out):
    score_file(tmp_path)
    (tmp_path / "link.csv").symlink_to(tmp_path / "scores.csv")
    with pytest.raises(InputError, match="it is the score file"):
        output_files(tmp_path / out, tmp_path / "scores.csv")


def test_a_full_disk_is_reported_in_one_line(tmp_path, monkeypatch):
    def fail(self, path):
        raise pl.exceptions.ComputeError("parquet: No space left on device")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", fail)
    files = output_files(tmp_path / "front.parquet", tmp_path / "scores.csv")
    with pytest.raises(InputError, match=r"cannot write .*front\.parquet, .*: .*No space left"):
        write_choice(made(tmp_path), files, "1")
    assert [path.name for path in tmp_path.iterdir()] == ["scores.csv"]
