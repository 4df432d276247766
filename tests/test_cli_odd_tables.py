"""Odd tables, by one command each: an answer that says how little it knows."""

import json
import re
import warnings
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from puselect import cli
from puselect.checks.suitability import Verdict
from puselect.datasets import make_pu_clusters
from puselect.fscpu.problem import ChoiceCode

SIZES = {"n_negative": 240, "n_positive": 80, "n_relevant": 5, "n_irrelevant": 5, "noise": "gaussian"}
X, y, relevant = make_pu_clusters("60/3/1", **SIZES, random_state=1)


def puselect(command, *words):
    """Run a command on d.csv in this process and return what it says as JSON."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        done = CliRunner().invoke(cli.app, [command, "d.csv", "--label", "known", "--json", *map(str, words)])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def write(values, labels):
    table = pd.DataFrame(values, columns=[f"c{j}" for j in range(np.shape(values)[1])])
    table.assign(known=np.asarray(labels).astype(int)).to_csv("d.csv", index=False)


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def selected(*words):
    return puselect("select", "--max-iter", 5, "--searches", 3, "--report", "r.html", *words)


@pytest.mark.parametrize("n_labelled", [1, 3])
def test_one_to_four_labelled_rows(n_labelled):
    write(X, np.where(np.cumsum(y) <= n_labelled, y, 0))
    found = selected("-k", "auto")
    page = Path("r.html").read_text()
    assert found["path"]["code"] == ChoiceCode.TOO_FEW_LABELS
    assert len(found["features"]) == 10
    assert found["stability"] is None
    assert "%" not in unescape(re.sub("<script.*?</script>|<style.*?</style>|<[^>]*>", "", page, flags=re.DOTALL))
    told = puselect("check")
    assert told["code"] == Verdict.TOO_FEW_LABELS
    assert told["prior"]["code"] == "too_few_labels"


def test_two_columns_and_columns_that_are_all_relevant_or_none():
    write(X[:, relevant][:, :2], y)
    assert 1 <= len(selected("-k", "auto")["selected"]) <= 2
    assert puselect("check")["code"] in list(Verdict)
    write(X[:, relevant], y)
    found = selected("-k", "related")
    assert found["path"]["code"] == ChoiceCode.CHOSEN
    assert len(found["selected"]) == 3  # p-values of the two others, from the labelled rows alone: .17 and .35
    write(X[:, ~relevant], y)
    found = selected("-k", "auto")
    assert found["path"]["code"] == ChoiceCode.NOTHING
    assert found["path"]["interval"][0] == 0
    assert len(found["selected"]) >= 1
    assert puselect("check")["code"] != Verdict.HOLDS


def test_all_columns_are_twins():
    write(X[:, relevant][:, :1] + 0.01 * np.random.default_rng(0).normal(size=(len(X), 6)), y)
    found = selected("-k", "auto")
    assert found["stability"]["twins"] == [list(range(6))]
    assert len(set(found["stability"]["twin_frequency"])) == 1


def test_costs_allow_one_feature_only():
    write(X, y)
    pd.DataFrame({"feature": [f"c{j}" for j in range(10)], "cost": 2.0}).to_csv("costs.csv", index=False)
    found = selected("-k", "auto", "--costs", "costs.csv", "--budget", 3)
    assert len(found["selected"]) == 1
    assert found["path"]["cost"][0] == 2 * found["path"]["size"][0]
    assert found["path"]["n_features"] == 1


RATES = [f"{i % 97}.5%" for i in range(len(X))]
BAD_INPUT = {
    "mixed currencies": ({"paid": [f"{'€$'[i % 3 == 0]}{i}.50" for i in range(len(X))]}, "", [],
                         "paid: amounts in several units ($, €); convert them to one first (or leave it out with"),
    "text in a percentage": ({"rate": ["pending" if i % 4 == 0 else rate for i, rate in enumerate(RATES)]}, "", [],
                             "such as 'pending' (if it means missing, add --missing=rate=pending)"),
    "a few texts": ({"rate": ["soon", *RATES[1:]]}, "", [],
                    "'rate': 1 of 320 values cannot be read as number, such as 'soon'. They count as missing."),
    "unknown cost": ({}, "c0,1\nheight,2\n*,1\n", ["--costs", "costs.csv", "--budget", 3],
                     "has a cost for height, which is no column: delete the line, or correct the name; it has"),
    "an id with repeats": ({"nr": [i // 2 for i in range(len(X))]}, "", ["--id", "nr"],
                           "160 values of 'nr' in more than one row, such as '"),
    "a far value": ({"age": [455, *(20 + i % 60 for i in range(len(X) - 1))]}, "", [],
                    "455 in age (1 row; --missing=age=455)"),
    "codes": ({"zip": [10_000 + i % 97 for i in range(len(X))]}, "", [],
              "Numbers that may be codes: 1 column. By the name of the column: --categories=zip."),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_gets_one_sentence_with_the_column_and_what_to_type(case):
    more, costs, words, sentence = BAD_INPUT[case]
    write(X, y)
    pd.read_csv("d.csv").assign(**more).to_csv("d.csv", index=False)
    Path("costs.csv").write_text(costs)
    number = [] if costs else ["-k", "2"]
    words = ["select", "d.csv", "-l", "known", "--prepare", "--no-checks", "--max-iter", "2", *number, *map(str, words)]
    done = CliRunner().invoke(cli.app, words)
    assert any(sentence in line for line in done.output.splitlines()), done.output


def test_numbers_that_are_categories_are_pooled_and_applied_to_another_table():
    zips = np.where(np.arange(len(X)) % 3 == 0, 1067 + np.arange(len(X)) % 50, 10 + np.arange(len(X)) % 2)
    write(X, y)
    pd.read_csv("d.csv").assign(zip=[f"{code:05d}" for code in zips]).to_csv("d.csv", index=False)
    found = selected("-k", 2, "--keep", "zip", "--id", "none", "--prepare", "--categories", "zip", "-o", "s.json")
    (zip_column,) = [column for column in found["columns"] if column["column"] == "zip"]
    assert zip_column["features"] == ["zip=00010", "zip=00011"]
    assert zip_column["text"] == "categories, selected as a whole: 00010, 00011; 50 rarer values pooled"
    done = CliRunner().invoke(cli.app, ["apply", "s.json", "d.csv", "-o", "new.csv"])
    assert done.exit_code == 0, done.output
    assert "zip" in pd.read_csv("new.csv").columns
