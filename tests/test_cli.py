import re
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from command_line import CODE
from programs import run
from typer.testing import CliRunner

from puselect import __version__, cli
from puselect.datasets.fraud import fraud_export_columns
from puselect.methods import PAPER_HINT

runner = CliRunner()


@pytest.mark.parametrize("command", ["reproduce", "report-study"])
def test_commands_of_another_package_say_where_they_are(monkeypatch, command):
    others = [known for known in cli.app.registered_commands if known.name != command]
    monkeypatch.setattr(cli.app, "registered_commands", others)
    done = runner.invoke(cli.app, [command, "table1"])
    assert done.exit_code == 2
    assert done.stderr.startswith(f"error: {command} {PAPER_HINT}")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("words", [[], ["select"], ["demo"]])
def test_help_names_commands(words):
    text = runner.invoke(cli.app, [*words, "--help"]).output
    assert all(name in text for name in ([] if words else ["demo", "report", "select", "compare", "methods"]))
    assert "--help" in text
    assert runner.invoke(cli.app, ["--version"]).output.strip() == __version__


def test_without_a_command_there_is_help_instead_of_an_error():
    done = runner.invoke(cli.app, [])
    assert done.exit_code == 2
    assert "compare" in done.output
    assert "error:" not in done.output


def test_entry_points_add_commands():
    greet = "SimpleNamespace(name='greet', load=lambda: lambda: print('hello'))"
    patched = f"metadata.entry_points = lambda group: [{greet}] if group == 'puselect.commands' else []"
    code = f"from importlib import metadata; from types import SimpleNamespace; {patched}; {CODE}"
    done = subprocess.run([sys.executable, "-c", code, "greet"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "hello\n")


def test_demo_through_a_pipe_tells_what_was_found_and_what_to_try_next():
    done = run(f"from puselect.fscpu import settings; settings.MOST_STEPS = 5; {CODE}", "demo")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert "of the 25 relevant features" in " ".join(done.stdout.split())
    auc = re.search(r"AUC of a logistic model on test rows: ([\d.]+) with these", done.stdout)
    assert float(auc[1]) > 0.9
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert any(line.endswith("puselect demo --messy export.csv") for line in lines)
    assert any("puselect select export.csv --label known_fraud --prepare " in line for line in lines)


def test_without_its_extra_the_command_says_how_to_get_it():
    code = "import sys; sys.modules['typer'] = None; from puselect.cli import main"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.strip() == "the puselect command needs more libraries: pip install typer rich polars jinja2"


def test_the_demo_writes_a_messy_export_without_pandas(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    path = tmp_path / ("a long name " * 12 + ".csv")
    done = runner.invoke(cli.app, ["demo", "--messy", str(path), "--seed", "3"])
    assert done.exit_code == 0
    assert f"select '{path}' --label known_fraud --prepare" in done.output  # not broken into lines
    columns, _ = fraud_export_columns(6000, 3)
    written = pl.read_csv(path)
    assert written.columns == list(columns)
    assert written["known_fraud"].drop_nulls().to_list() == ["yes"] * 60
    assert written["imputed_1"].null_count() == np.isnan(columns["imputed_1"]).sum() > 0
