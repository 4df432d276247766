"""The scripts in examples/, run as scripts; the gallery shows their output, and `make docs` runs two as notebooks."""

import re
import runpy
import tempfile
from pathlib import Path

import pytest

pyplot = pytest.importorskip("matplotlib.pyplot")

pytestmark = pytest.mark.usefixtures("remembered_fits")
FOLDER = Path(__file__).parents[1] / "examples"
EXAMPLES = sorted(path.stem for path in FOLDER.glob("*.py"))


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs an example in an empty folder, where its temporary files are, too, and returns what it prints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def output(name):
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


def test_a_messy_export_becomes_a_decision(run, tmp_path, few_steps):
    printed = run("a_messy_export")
    for caught in ("account: left out: identifier", "is_fraud: left out: as asked", "booked_at: days since",
                   "amount_2_usd: left out: says the same", "channel: categories", "gather clearly"):  # fmt: skip
        assert caught in printed
    assert int(re.search(r"(\d) of 9 relevant columns", printed)[1]) >= 7
    assert int(re.search(r"of the first 100, (\d+) are fraud", printed)[1]) >= 70
    assert "Columns of the file" in next(tmp_path.glob("*/report.html")).read_text(encoding="utf-8")
    candidates = next(tmp_path.glob("*/candidates.csv")).read_text()
    assert candidates.startswith("transaction_id,lift,confidence,account")


def test_a_classifier_is_chosen_and_judged_without_true_classes(run, few_steps):
    pytest.importorskip("pulearn")
    printed = run("a_classifier")
    scores = {match[1]: float(match[2]) for match in re.finditer(r"^(.*) features +([\d.]+) ±", printed, re.MULTILINE)}
    assert len(scores) == 9
    assert "all" not in max(scores, key=scores.get)
    assert int(re.search(r"(\d+) of the first 50 are fraud", printed)[1]) >= 15


def test_every_example_is_run_here():
    assert EXAMPLES == ["a_classifier", "a_messy_export", "compare_methods", "costs_and_budget"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_begins_with_a_title_for_the_gallery(name):
    title, line = (FOLDER / f"{name}.py").read_text(encoding="utf-8").splitlines()[1:3]
    assert title and line == "=" * len(title)
