"""The benchmarks of auto-k, of the check and of stability: they run, resume and sum up."""

import gzip
import json
import sys
from functools import partial
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import auto_k
import label_spread
import prior
import stability
import suitability

from puselect import FSCPU
from puselect.datasets import make_pu_clusters
from puselect_paper.studies.open_data import Split

pytestmark = pytest.mark.usefixtures("few_trees")
SMALL = partial(make_pu_clusters, n_negative=150, n_positive=50, n_relevant=4, n_irrelevant=4)


@pytest.mark.parametrize(
    ("script", "options"),
    [(auto_k, ["--quick"]), (suitability, []), (label_spread, ["--board", "one"]), (prior, [])],
    ids=["auto_k", "check", "labels", "prior"],
)
def test_a_board_is_run_once_and_summed_up(script, options, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(script, "make_pu_clusters", SMALL)
    words = ["--laws", "gaussian", "--conditions", "40/1/1", "--seeds", "3-4", "--out", str(tmp_path / "b"), *options]
    script.main(words)
    first = capsys.readouterr()
    assert "2 of 2" in first.err
    script.main(words)
    again = capsys.readouterr()
    assert again.err == ""
    assert again.out == first.out
    assert any(line.startswith("| all") and " | 2 | " in line for line in first.out.splitlines())


def test_labels_are_shuffled_where_nothing_is_to_be_found():
    cell = auto_k.Cell("gaussian", "40/1/1", True, True, 0)
    X, y, _ = make_pu_clusters("40/1/1", noise="gaussian", random_state=0)
    assert (cell.draw()[0] == X).all()
    assert cell.draw()[1].sum() == y.sum()
    assert (cell.draw()[1] != y).any()


def test_numbers_of_features_are_judged_on_real_tables(monkeypatch):
    X, y, _ = SMALL("40/1/1", random_state=0)
    monkeypatch.setattr(auto_k, "split_real_table", lambda name, seed: Split(X, y, X, y, y))
    monkeypatch.setattr(auto_k, "FSCPU", partial(FSCPU, max_iter=5))
    monkeypatch.setattr(auto_k, "MODELS", ("logistic",))
    rows = [auto_k.measure(auto_k.Cell("real", "spambase", False, False, seed)) for seed in (0, 1)]
    assert all(0.5 < row[f"auc_{number}"] <= 1 for row in rows for number in auto_k.NUMBERS)
    shown = auto_k.summary(rows).splitlines()
    assert shown[-3] == "| AUC | auto | enough | half | all |"
    assert shown[-1].startswith("| spambase | ")


@pytest.mark.parametrize("board", stability.BOARDS)
def test_intervals_are_held_against_many_searches(board, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(stability, "N_STEPS", 3)
    monkeypatch.setitem(stability.BOARDS, board, [("gaussian", "40/1/1")])
    stability.main(["--board", board, "--seeds", "3", "--repeats", "16", "--out", str(tmp_path / "b")])
    assert ("100.0%" if board == "twins" else "| all | 1 |") in capsys.readouterr().out


DOCS = Path(__file__).parents[1] / "docs"
SCRIPTS = {
    "auto_k": auto_k, "check": suitability, "label_spread": label_spread, "prior": prior, "stability": stability,
    "twins": stability,
}  # fmt: skip


@pytest.mark.parametrize("path", sorted((DOCS / "results" / "trust").glob("*.jsonl.gz")), ids=lambda path: path.name)
def test_the_page_shows_the_stored_results(path):
    with gzip.open(path, "rt") as file:
        rows = [json.loads(line) for line in file]
    script = next(script for start, script in SCRIPTS.items() if path.name.startswith(start))
    assert script.summary(rows) in (DOCS / "internals" / "trust.md").read_text()
