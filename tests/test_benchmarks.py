"""The benchmark script: what it prints, writes and returns. The figures themselves are for `make bench`."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import bench
import bench_gpu
import real_tables
import wide

from puselect_paper.studies import load_study
from puselect_paper.studies.real_tables import load_real_table


def test_figures_are_printed_and_written_and_a_missed_budget_is_an_error(monkeypatch, tmp_path, capsys):
    rows = [bench.Measurement("thing", "here", 1.5, "s")]
    checks = [bench.Check("ratio", 3.0, ">=", 5, 10)]
    monkeypatch.setattr(bench, "run_cpu_bench", lambda quick, tell: (rows, checks))
    assert bench.main(["--out", str(tmp_path / "out.json")]) == 1
    assert "MISSED" in capsys.readouterr().out
    content = json.loads((tmp_path / "out.json").read_text())
    assert content["measurements"][0]["value"] == 1.5
    assert content["checks"][0]["passed"] is False


def test_the_gpu_is_measured_only_where_there_is_one(monkeypatch):
    def no_gpu():
        raise ValueError("engine='gpu' needs a GPU")

    monkeypatch.setattr(bench_gpu, "gpu_engine_class", no_gpu)
    with pytest.raises(ValueError, match="needs a GPU"):
        bench_gpu.run_gpu_bench(True, print)


def test_a_check_passes_on_the_right_side():
    assert bench.Check("x", 5, ">=", 5, 10).passed
    assert not bench.Check("x", 4.9, ">=", 5, 10).passed
    assert bench.Check("x", 1, "<=", 1, 0).passed
    assert not bench.Check("x", 1.1, "<=", 1, 0).passed


@pytest.mark.parametrize("name", bench.SHAPES)
def test_shapes_are_as_named(name):
    rows, features, selected, labelled = bench.SHAPES[name]
    shape = bench.make_shape(min(rows, 500), features, selected, min(labelled, 20), n_masks=2)
    assert shape.X.shape == (min(rows, 500), features)
    assert shape.positive.sum() == min(labelled, 20)
    assert (shape.masks.sum(axis=1) == selected).all()


class TestRealTables:
    def test_missing_extras_are_left_out(self, monkeypatch, capsys):
        study = load_study(real_tables.STUDY)
        monkeypatch.setitem(sys.modules, "fastcan", None)
        found = real_tables.chosen_methods(study, [])
        assert set(found) == {method.id for method in study.methods} - {"fastcan"}
        assert "fastcan" in capsys.readouterr().out
        with pytest.raises(SystemExit, match="nothing"):
            real_tables.chosen_methods(study, ["nothing"])

    def test_only_the_chosen_cells_are_run_and_a_failed_one_is_tried_again(self, monkeypatch, tmp_path, capsys):
        words = ["--folder", str(tmp_path / "out"), "--tables", "tiny,wpbc", "--splits", "1", "--fractions", "0.2"]
        monkeypatch.setenv("PUSELECT_DATA", str(tmp_path))
        (tmp_path / "real").mkdir()
        assert real_tables.main([*words, "--methods", "lepage,all"]) == 1
        y = np.arange(100) % 3 == 0
        np.savez(tmp_path / "real" / "wpbc.npz", X=np.random.default_rng(0).normal(size=(100, 5)) + y[:, None], y=y)
        load_real_table.cache_clear()
        assert real_tables.main([*words, "--methods", "lepage,all"]) == 0
        assert "2 cells measured" in capsys.readouterr().out
        assert real_tables.main(["--folder", str(tmp_path / "out"), "--report"]) == 0
        assert "| yardsticks | all features | 1 |" in capsys.readouterr().out
        load_real_table.cache_clear()

    def test_splits_are_a_range_with_both_ends(self):
        assert list(real_tables.splits("3-5")) == [3, 4, 5]
        assert list(real_tables.splits("7")) == [7]


def test_the_page_on_scale_shows_the_stored_results_of_wide_tables():
    docs = Path(__file__).parents[1] / "docs"
    rows = wide.read_rows(docs / "results" / "wide" / "results.jsonl")
    laws = [row for row in rows if row["case"].startswith(("uniform", "gaussian"))]
    page = (docs / "internals" / "scale.md").read_text()
    assert len(rows) == 383
    assert wide.compared(laws) in page
    assert wide.compared([row for row in rows if row not in laws]) in page
    more = wide.read_rows(docs / "results" / "wide" / "more_splits.jsonl")
    cases = {row["case"] for row in more}
    every = [row for row in (*rows, *more) if row["case"] in cases]
    assert wide.paired(every, ["forest", "lepage", "semi-jmi"]) in page
