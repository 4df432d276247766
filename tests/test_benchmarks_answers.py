"""The benchmark of answers: its boards run, resume and sum up."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import answers


@pytest.mark.parametrize("board", ["rows", "sets"])
def test_a_board_is_run_once_and_summed_up(board, monkeypatch, tmp_path, capsys):
    rng = np.random.default_rng(0)
    X, classes = rng.normal(size=(600, 4)), np.arange(600) < 200
    X[classes, :2] += 4
    monkeypatch.setattr(answers, "load", lambda name: (pd.DataFrame(X).rename(columns="x{}".format), classes))
    for name, value in {"SHARE_KNOWN": 0.2, "N_TREES": 20, "N_ROUNDS": 1, "N_SEARCHES": 2}.items():
        monkeypatch.setattr(answers, name, value)
    words = [board, "--tables", "small", "--seeds", "0-1", "--out", str(tmp_path / "b")]
    answers.main(words)
    first = capsys.readouterr()
    assert first.err.count("is done") == 2
    answers.main(words)
    assert capsys.readouterr() == (first.out, "")
    header, _, table, total = ([cell.strip() for cell in line.split("|")[1:-1]] for line in first.out.splitlines())
    assert table[1:] == total[1:]
    found = dict(zip(header, total, strict=True))
    assert float(found["precision" if board == "rows" else "AUC, auto"]) > 0.95
