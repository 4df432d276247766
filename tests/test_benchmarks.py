"""The benchmark scripts: what they print, write and return. The figures themselves are for `make bench`."""

import json
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import bench
import whole_job
from journal import mean_and_error, measure_missing, read_rows, seed_range

from puselect.datasets import make_pu_clusters


def test_figures_are_printed_and_written_and_a_missed_budget_is_an_error(monkeypatch, tmp_path, capsys):
    checks = [bench.Check("ratio", 3.0, ">=", 5, 10), bench.Check("seconds", 1.0, "<=", 1, 0)]
    monkeypatch.setattr(bench, "run_cpu_bench", lambda quick, tell: ([bench.Measurement("thing", 1.5, "s")], checks))
    assert bench.main(["--out", str(tmp_path / "out.json")]) == 1
    assert capsys.readouterr().out.count("MISSED") == 1
    content = json.loads((tmp_path / "out.json").read_text())
    assert content["measurements"][0]["value"] == 1.5
    assert [check["passed"] for check in content["checks"]] == [False, True]


def test_cells_are_measured_once_and_a_line_that_was_cut_again(tmp_path):
    path, measured = tmp_path / "folder" / "cells.jsonl", []

    def measure(cell):
        measured.append(cell)
        return {"cell": cell, "square": cell**2}

    for _ in range(2):
        rows = measure_missing([3, 4], measure, lambda row: row["cell"], path, 1)
        assert [row["square"] for row in rows] == [9, 16]
    assert measured == [3, 4]
    path.write_text(path.read_text()[:-4])
    measure_missing([3, 4], measure, lambda row: row["cell"], path, 1)
    assert measured == [3, 4, 4]
    assert [row["cell"] for row in read_rows(path)] == [3, 4]


def test_means_come_with_standard_errors_and_seeds_in_ranges():
    assert [mean_and_error(values) for values in ([1.0, 1.0], [0.9, 1.0], [0.5], [])] == [
        "1.000 ± .000", ".950 ± .050", ".500", "",
    ]  # fmt: skip
    assert [*seed_range("3-5"), *seed_range("7")] == [3, 4, 5, 7]


def test_whole_jobs_are_timed_and_written(monkeypatch, tmp_path, capsys):
    small = partial(make_pu_clusters, n_negative=150, n_positive=60, n_relevant=4, n_irrelevant=4)
    monkeypatch.setattr(whole_job, "make_pu_clusters", small)
    out = tmp_path / "times.json"
    whole_job.main(["--tables", "Table 1", "--fits", "2", "--out", str(out)])
    (row,) = json.loads(out.read_text())
    assert row["table"] == "Table 1"
    assert capsys.readouterr().out.splitlines() == list(whole_job.table_lines([row]))
