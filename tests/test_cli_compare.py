import json
import signal
import sys

import numpy as np
import polars as pl
import psutil
import pytest
from command_line import CODE, clusters_table, noise_table, puselect_signalled
from typer.testing import CliRunner

from puselect import cli
from puselect.evaluation import holdout
from puselect.methods import YARDSTICKS
from puselect.report import Comparison

runner = CliRunner()


@pytest.fixture
def folder(tmp_path, monkeypatch, few_steps, few_trees):
    monkeypatch.setattr(holdout, "N_RANDOM", 2)
    monkeypatch.chdir(tmp_path)
    table = clusters_table()
    table.with_columns(truth=pl.Series((np.arange(len(table)) < 60).astype(int))).write_csv("d.csv")
    return tmp_path


def compare(*words, code=0):
    settings = ("--methods", "kbest,lasso", "--splits", 3, "--jobs", 1)
    words = ["compare", "d.csv", "--label", "label", "-k", 3, "--drop", "truth", *settings, *words]
    done = runner.invoke(cli.app, list(map(str, words)))
    assert done.exit_code == code, done.output
    return done


def test_methods_are_compared_from_a_file_to_a_report(folder, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["/usr/bin/puselect", "compare", "d.csv", "-k", "3"])
    done = compare("--methods", "fscpu,kbest", "--splits", 2, "-o", "c.json", "--report", "r.html", "--seed", 5)
    found = Comparison.from_json((folder / "c.json").read_text())
    assert {result.method for result in found.methods} == {"fscpu", "kbest", *YARDSTICKS.values()}
    assert all(len(result.scores) == 2 for result in found.methods)
    assert found.n_labelled == 40
    assert found.command == "puselect compare d.csv -k 3"
    assert str(found.seed) == "5"
    for text in ("all features", "random", "proxy", "2 paired splits", "labelled rows from unlabelled"):
        assert text in done.stdout
    result = next(result for result in found.methods if result.method == "kbest")
    listed = ", ".join(f"{name} ({result.frequency.get(name, 0):.0%})" for name in result.selected)
    assert f"kbest  {listed}\n" in done.stdout
    assert "kbest" in (folder / "r.html").read_text()
    assert {path.name for path in folder.iterdir()} == {"d.csv", "c.json", "r.html"}


def test_splits_go_by_group(folder):
    assert compare("--quiet", "-o", "c.json").output == ""
    pl.read_csv("d.csv").with_columns(row=pl.Series(range(len(clusters_table())))).write_csv("d.csv")
    assert "note: row_groups ('row') has" in compare("--row-group", "row", "--model", "lightgbm-rf").stderr
    assert "error: -k must be less than 8" in compare("-k", 8, code=1).stderr
    assert "at least 4 labelled row groups, got 1" in compare("--drop", "row", "--row-group", "truth", code=1).stderr


def test_with_the_truth_it_is_not_and_the_truth_is_no_feature(folder):
    settings = ("--methods", "kbest,lasso", "--splits", "3", "--jobs", "1", "--json", "--quiet", "--truth", "truth")
    done = runner.invoke(cli.app, ["compare", "d.csv", "--label", "label", "-k", "3", *settings])
    found = json.loads(done.stdout)
    assert "true classes" in found["score_name"]
    assert found["n_features"] == 7
    assert found["score_is_proxy"] is False


def has_workers(process):
    """Return whether two processes are at work, not only being started."""
    times = [child.cpu_times() for child in psutil.Process(process).children()]
    return sum(time.user + time.system > 0.5 for time in times) >= 2


class TestInterrupted:
    @pytest.mark.parametrize(("methods", "note"), [("kbest", "2 of 3"), ("kbest,l1-logistic", "left out: l1-logistic")])
    def test_what_is_finished_is_compared(self, folder, monkeypatch, methods, note):
        select = holdout.select_features

        def interrupted(method, X, y, k, seed, groups):
            if method == methods.split(",")[-1] and seed == 3:
                raise KeyboardInterrupt
            return select(method, X, y, k, seed, groups)

        monkeypatch.setattr(holdout, "select_features", interrupted)
        found = json.loads(compare("--methods", methods, "--json").stdout)
        assert note in found["notes"][0]
        assert {"kbest", *YARDSTICKS.values()} == {result["method"] for result in found["methods"]}

    def test_workers_end_in_silence(self, tmp_path):
        noise_table(20_000, 40).write_csv(tmp_path / "n.csv")
        words = ("compare", "n.csv", "--label", "label", "-k", 20, "--methods", "fscpu", "-o", "c.json", "--jobs", 2)
        done = puselect_signalled(signal.SIGINT, has_workers, *words, "--quiet", cwd=tmp_path, code=CODE)
        assert done.returncode == 1
        assert done.stderr == "error: interrupted; nothing was written\n"
        assert [path.name for path in tmp_path.iterdir()] == ["n.csv"]


def test_a_category_is_one_feature_of_every_method(folder):
    colours = pl.Series(["red"] * 50 + ["green", "blue"] * 175)
    pl.read_csv("d.csv").with_columns(colour=colours).write_csv("d.csv")
    compare("--prepare", "-o", "c.json", "--report", "r.html")
    found = Comparison.from_json((folder / "c.json").read_text())
    assert found.n_features == 8
    chosen = {result.method: result.selected for result in found.methods}
    assert "colour" in chosen["all features"]
    assert all(len(names) == (8 if method == "all features" else 3) for method, names in chosen.items())
    assert not any("=" in name for names in chosen.values() for name in names)
    shares = [result.frequency for result in found.methods if result.frequency is not None]
    assert all(sum(share.values()) == pytest.approx(3) for share in shares)
