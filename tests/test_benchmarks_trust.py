"""The benchmarks of auto-k and of the check: they run, resume and sum up."""

import sys
from functools import partial
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import auto_k
import suitability

from puselect.datasets import make_pu_clusters

SMALL = partial(make_pu_clusters, n_negative=150, n_positive=50, n_relevant=4, n_irrelevant=4)


@pytest.mark.parametrize(("script", "options"), [(auto_k, ["--quick"]), (suitability, [])], ids=["auto_k", "check"])
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
    assert "| all | 2 |" in first.out


def test_labels_are_shuffled_where_nothing_is_to_be_found():
    cell = auto_k.Cell("gaussian", "40/1/1", True, True, 0)
    X, y, _ = make_pu_clusters("40/1/1", noise="gaussian", random_state=0)
    assert (cell.draw()[0] == X).all()
    assert cell.draw()[1].sum() == y.sum()
    assert (cell.draw()[1] != y).any()
