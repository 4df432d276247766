import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from command_line import clusters_table
from typer.testing import CliRunner

from puselect import cli
from puselect.checks.suitability import Verdict


def check(*words, code=0):
    """Run check on d.csv in this process."""
    done = CliRunner().invoke(cli.app, ["check", "d.csv", "--label", "label", *map(str, words)])
    assert done.exit_code == code, done.output
    return done


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    clusters_table().write_csv("d.csv")


def test_clusters_are_told_in_words_and_in_json():
    said = check().stdout
    assert "verdict  Known positives gather clearly" in said
    found = json.loads(check("--json", "-k", 2, "--shuffles", 19).stdout)
    assert found["code"] == Verdict.HOLDS
    assert found["n_features"] == 2
    assert found["n_shuffles"] == 19
    assert found["p_value"] == 0.05
    assert found["prior"]["code"] in ("estimated", "not_separated")
    assert "positives  About" in said


def test_rows_that_belong_together_are_named_by_a_column():
    table = clusters_table()
    twice = pl.concat([table, table]).with_columns(
        patient=pl.Series(np.tile(np.arange(len(table)), 2)), ward=pl.lit("a"), row=pl.Series(range(2 * len(table)))
    )
    twice.write_csv("d.csv")
    alone = check("--drop", "patient,ward,row")
    assert "note: Many rows are copies of others" in alone.stderr
    assert "--row-group" in alone.stderr
    found = json.loads(check("--json", "--drop", "ward,row", "--row-group", "patient").stdout)
    assert found["dependence"] == ""
    assert json.loads(check("--json", "--drop", "patient,ward,row").stdout)["dependence"] == "copies"
    assert "row_groups ('ward') must hold two groups" in check("--row-group", "ward", code=1).stderr
    assert "row_groups ('row') has 240 groups of one row" in check("--row-group", "row", "--max-rows", 240).stderr
    assert "has no column 'x'" in check("--row-group", "x", code=1).stderr
    assert "error: n_features_to_select" in check("-k", 11, code=1).stderr


def test_one_labelled_row_is_a_note_and_a_verdict():
    lines = clusters_table().write_csv().splitlines()
    labelled = [line for line in lines[1:] if line.endswith(",1")]
    Path("d.csv").write_text("\n".join(line for line in lines if line not in labelled[1:]))
    done = check()
    assert "verdict  It cannot be told" in done.stdout
    assert done.stderr.count("note: one labelled positive") == 1
    assert "Warning" not in done.stderr


def test_columns_that_are_left_out_are_named_and_the_table_is_read_as_in_select():
    town = pl.Series(["Rome", "Oslo", "Bonn", "Bonn"] * 100)
    number = pl.Series([f"{i % 50}.5%" if i % 50 else " " for i in range(400)])
    clusters_table().with_columns(town=town, rate=number, id=pl.int_range(400)).write_csv("d.csv")
    said = check("--drop", "rate", "--id", "id").stderr
    assert "7 of 8 columns" in said
    assert re.search("left out, text.*: town", said)
    assert "left out" not in check("--prepare", "--id", "id").stderr
    assert "left out, identifier: all values differ (use it with --use): id" in check("--prepare").stderr
