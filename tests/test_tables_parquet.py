import json

import polars as pl
import pytest
from typer.testing import CliRunner

from puselect import cli
from puselect.datasets import make_pu_clusters

runner = CliRunner()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Three Parquet files, to work in."""
    monkeypatch.chdir(tmp_path)
    X, y, _ = make_pu_clusters("40/3/1", n_negative=240, n_positive=60, n_relevant=4, n_irrelevant=4, random_state=0)
    frame = pl.DataFrame(X, schema=[f"c{j}" for j in range(8)]).with_columns(pl.Series("label", y))
    for number in range(3):
        frame[100 * number : 100 * number + 100].write_parquet(f"part-{number}.parquet")
    frame.write_parquet("whole.parquet")
    return frame


def select(data, *words, code=0):
    done = runner.invoke(cli.app, ["select", data, "--label", "label", "-k", "4", "--no-checks", *map(str, words)])
    assert done.exit_code == code, done.output
    return done


def test_a_pattern_of_files_is_one_table(folder):
    parts = json.loads(select("part-*.parquet", "--max-iter", 20, "--json").stdout)
    whole = json.loads(select("whole.parquet", "--max-iter", 20, "--json").stdout)
    assert parts["selected"] == whole["selected"]


def test_a_pattern_is_sampled_where_it_is_too_large(folder):
    done = select("part-*.parquet", "--max-iter", 5, "--max-rows", 60, "--json")
    assert "60" in done.stderr
    assert json.loads(done.stdout)["n_rows"] == 60


def test_files_that_do_not_fit_together_are_one_line(folder):
    pl.DataFrame({"c0": [1.0], "other": [2]}).write_parquet("part-9.parquet")
    error = select("part-*.parquet", code=1).stderr
    assert error.count("\n") == 1
    assert "part-9.parquet has other columns" in error


def test_an_unreadable_file_among_many_is_named(folder, tmp_path):
    (tmp_path / "part-1.parquet").write_bytes(b"PAR1 no table PAR1")
    error = select("part-*.parquet", code=1).stderr
    assert error.count("\n") == 1
    assert "part-1.parquet" in error


def test_a_file_with_damaged_values_among_many_is_named(folder, tmp_path):
    whole = bytearray((tmp_path / "part-2.parquet").read_bytes())
    whole[200:1500] = b"x" * 1300  # its schema can be read
    (tmp_path / "part-2.parquet").write_bytes(whole)
    error = select("part-*.parquet", code=1).stderr
    assert error.count("\n") == 1
    assert "part-2.parquet" in error


def test_a_pattern_that_matches_nothing_is_named(folder):
    assert "nothing-*.parquet" in select("nothing-*.parquet", code=1).stderr
