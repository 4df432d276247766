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


def damage(path):
    whole = bytearray(path.read_bytes())
    whole[200:1500] = b"x" * 1300  # the schema can be read
    path.write_bytes(whole)


@pytest.mark.parametrize(("name", "spoil", "message"), [
    ("part-9.parquet", pl.DataFrame({"c0": [1.0], "other": [2]}).write_parquet, "part-9.parquet has other columns"),
    ("part-1.parquet", lambda path: path.write_bytes(b"PAR1 no table PAR1"), "part-1.parquet"),
    ("part-2.parquet", damage, "part-2.parquet"),
])  # fmt: skip
def test_a_file_that_does_not_fit_or_cannot_be_read_is_named_in_one_line(folder, tmp_path, name, spoil, message):
    spoil(tmp_path / name)
    error = select("part-*.parquet", code=1).stderr
    assert error.count("\n") == 1
    assert message in error


def test_a_pattern_that_matches_nothing_is_named(folder):
    assert "nothing-*.parquet" in select("nothing-*.parquet", code=1).stderr
