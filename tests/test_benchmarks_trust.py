"""The benchmark of the checks: its boards run, resume and sum up."""

import gzip
import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import trust

from puselect.datasets import make_pu_clusters
from puselect_paper.studies.open_data import Split

SMALL = {"n_negative": 150, "n_positive": 50, "n_relevant": 4, "n_irrelevant": 4}
DOCS = Path(__file__).parents[1] / "docs"
STORED = sorted((DOCS / "results" / "trust").glob("*.jsonl.gz"))


@pytest.fixture
def short(monkeypatch):
    """Small tables and short searches."""
    monkeypatch.setattr(trust, "make_pu_clusters", lambda *given, **named: make_pu_clusters(*given, **SMALL | named))
    monkeypatch.setattr(trust, "N_STEPS", 3)
    monkeypatch.setattr(trust, "N_REPEATS", 16)


@pytest.mark.parametrize("board", ["number", "check", "stability", "twins", "prior"])
def test_a_board_is_run_once_and_summed_up(board, short, tmp_path, capsys):
    condition = trust.BOARDS[board][-1].condition
    words = [board, "--laws", "gaussian", "--conditions", condition, "--quick", "--out", str(tmp_path / "b")]
    trust.main([*words, "--seeds", "3-4"])
    first = capsys.readouterr()
    assert first.err.count("is done") == 2
    trust.main([*words, "--seeds", "3-4"])
    assert capsys.readouterr() == (first.out, "")
    assert first.out.splitlines()[-1].startswith(f"| {board} | 2 | ")


def test_the_share_of_hidden_positives_is_that_of_the_training_rows(monkeypatch):
    X, y, _, classes = make_pu_clusters("40/1/1", random_state=0, return_classes=True, **SMALL)
    split = Split(X[:150], y[:150], X[150:], classes[150:], classes[:150])
    monkeypatch.setattr(trust, "split_real_table", lambda name, seed: split)
    monkeypatch.setattr(trust, "load_real_table", lambda name: trust.Table(X, classes, None, 0))
    unlabelled = y[:150] == 0
    assert trust.draw(trust.REAL[0]).share == pytest.approx(classes[:150][unlabelled].mean())
    assert trust.draw(trust.BOARDS["prior-labelled"][0]).share == 0.5


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.name)
def test_the_page_shows_the_stored_results(path):
    with gzip.open(path, "rt") as file:
        rows = [json.loads(line) for line in file]
    board = path.name.removesuffix(".jsonl.gz")
    lines = [line for line in trust.summary(board, rows).splitlines() if line]
    page = (DOCS / "internals" / "trust.md").read_text().splitlines()
    shown = [line for line in lines if line.startswith((f"| {board} ", "Kolmo"))]
    assert {lines[0], *shown} <= set(page)
