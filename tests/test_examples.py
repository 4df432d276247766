"""The scripts in examples/, run as scripts; the gallery of the guide shows their output."""

import re
import runpy
import sys
from pathlib import Path

import pytest

pyplot = pytest.importorskip("matplotlib.pyplot")

pytestmark = pytest.mark.usefixtures("remembered_fits")
FOLDER = Path(__file__).parents[1] / "examples"
EXAMPLES = sorted(path.stem for path in FOLDER.glob("*.py"))


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs an example in an empty folder and returns what it prints."""
    monkeypatch.chdir(tmp_path)

    def output(name, *words):
        monkeypatch.setattr(sys, "argv", [name, *words])
        runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
        return capsys.readouterr().out

    yield output
    pyplot.close("all")


def test_a_method_is_compared_with_others(run, tmp_path, few_steps):
    printed = run("compare_methods")
    found = [float(share) for share in re.findall(r"[\d.]+", printed.split("40/8/2 ")[1].splitlines()[0])]
    assert len(found) == 4 and found[0] == max(found) >= 0.9
    assert len(re.findall(r"AUC \.?\d", printed)) == 4
    assert not list(tmp_path.iterdir())


def test_a_budget_is_spent(run, few_steps):
    assert "budget 12: spent 12" in run("costs_and_budget")


def test_the_picture_of_the_readme_is_drawn(run, tmp_path):
    assert "found 25 of 25 relevant features with 1600 clusterings" in run("convergence", "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_a_csv_file_becomes_a_report(run, tmp_path):
    assert "gather clearly" in run("csv_to_report", "results")
    assert "worst area" in (tmp_path / "results" / "report.html").read_text(encoding="utf-8")
    assert (tmp_path / "results" / "small.csv").read_text().splitlines()[0].endswith(",known")


def test_a_messy_export_becomes_a_decision(run, tmp_path, few_steps):
    printed = run("a_messy_export", "results")
    for caught in ("account: left out: identifier", "is_fraud: left out: as asked", "booked_at: days since",
                   "amount_1_usd: left out: says the same", "channel: categories"):  # fmt: skip
        assert caught in printed
    assert "Columns of the file" in (tmp_path / "results" / "report.html").read_text(encoding="utf-8")
    assert (tmp_path / "results" / "candidates.csv").read_text().startswith("transaction_id,lift,confidence,account")


def test_most_of_the_first_candidates_are_hidden_positives(run):
    said = re.search(r"first +100 rows: +(\d+) of them malignant", run("hidden_positives"))
    assert int(said[1]) >= 95


def test_every_example_is_run_here():
    assert EXAMPLES == [
        "a_messy_export", "compare_methods", "convergence", "costs_and_budget", "csv_to_report", "hidden_positives",
    ]  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_begins_with_a_title_for_the_gallery(name):
    title, line = (FOLDER / f"{name}.py").read_text(encoding="utf-8").splitlines()[1:3]
    assert title and line == "=" * len(title)
