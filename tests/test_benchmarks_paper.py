"""The script of whole jobs: what it times, writes and prints."""

import json
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import whole_job

from puselect.datasets import make_pu_clusters

SMALL = partial(make_pu_clusters, n_negative=150, n_positive=60, n_relevant=4, n_irrelevant=4)


def test_whole_jobs_are_timed_and_written(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(whole_job, "make_pu_clusters", SMALL)
    out = tmp_path / "times.json"
    whole_job.main(["--tables", "Table 1", "--fits", "2", "--out", str(out)])
    (row,) = json.loads(out.read_text())
    assert row["table"] == "Table 1"
    assert capsys.readouterr().out.splitlines() == list(whole_job.table_lines([row]))


def test_ratios_are_of_six_thousand_fits():
    line = whole_job.Times("Spam", scikit_learn=1.5, published=0.25, default=20.0).line()
    assert line == "| Spam | 2.5 h | 25.0 min | 6.0 | 20.0 s | 450 |"
