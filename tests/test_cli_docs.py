"""The commands of README.md, docs/cli.md and the guide, run as they stand there, but for shorter comparisons."""

import json
import re
import shlex
import subprocess
from pathlib import Path
from unittest.mock import patch

import pytest
from command_line import ENVIRONMENT, in_shell
from typer.main import get_command
from typer.testing import CliRunner

from puselect import cli
from puselect.evaluation import holdout
from puselect.fscpu import settings
from puselect.report import Comparison, Selection
from puselect.report.answer import next_step, trust

pytestmark = pytest.mark.usefixtures("remembered_fits", "few_trees")
ROOT = Path(__file__).parents[1]
FEW_STEPS = "from puselect.fscpu import settings; settings.MOST_STEPS = 5; "
REFERENCE = ROOT / "docs" / "cli.md"
SHOWN = r"^  (\w+)  +\w.* \d of 8"


def commands(page):
    blocks = re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    lines = "".join(blocks).replace("\\\n", "")
    return re.sub(r"--splits \d+", "--splits 2 --jobs 1", lines).splitlines()


def run(line, folder, in_full=False):
    """Run a line: in this process if it is a plain call of puselect, otherwise in a shell that knows the command.

    Unless in full, searches are short and not checked, and comparisons draw few random features.
    """
    if not in_full:
        line = line.replace("puselect select ", "puselect select --no-checks ")
    if line.startswith("puselect ") and not set("|<>") & set(line):
        steps = settings.MOST_STEPS if in_full else 5
        with patch.object(settings, "MOST_STEPS", steps), patch.object(holdout, "N_RANDOM", 2):
            done = CliRunner().invoke(cli.app, shlex.split(line, comments=True)[1:])
        assert done.exit_code == 0, done.output
        return
    program = folder / "bin" / "puselect"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\nexec {in_shell(FEW_STEPS)} "$@"\n')
    program.chmod(0o755)
    environment = {**ENVIRONMENT, "PATH": f"{program.parent}:{ENVIRONMENT['PATH']}"}
    shell = ["bash", "-e", "-o", "pipefail", "-c", line]
    done = subprocess.run(shell, capture_output=True, text=True, cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_the_commands_of_the_readme_and_on_choosing_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for line in commands(ROOT / "README.md"):
        run(line, tmp_path)
    assert "transaction_id" in (tmp_path / "report.html").read_text()
    monkeypatch.chdir(tmp_path)
    for line in commands(ROOT / "docs" / "guide" / "choosing.md"):
        run(line, tmp_path)


def test_the_commands_of_the_reference_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for line in commands(REFERENCE):
        run(line, tmp_path)
    assert (tmp_path / "small.csv").read_text().splitlines()[0].endswith(",known_fraud")
    assert (tmp_path / "candidates.csv").read_text().startswith("transaction_id,")
    words = "--label known_fraud --prepare --drop case_number,is_fraud -k 9 --quiet -o short.json"
    run(f"puselect select export.csv {words}", tmp_path)
    piped, read = (json.loads((tmp_path / file).read_text()) for file in ("piped.json", "short.json"))
    assert (piped["selected"], piped["objective"]) == (read["selected"], read["objective"])
    assert len(Comparison.from_json((tmp_path / "comparison.json").read_text()).methods) == 7
    assert "semi-jmi" in (tmp_path / "both.html").read_text()


def test_the_commands_of_the_quick_start_work_and_print_what_it_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "guide" / "quickstart.md"
    for line in commands(page):
        run(line, tmp_path, in_full=True)
    selection = Selection.from_json((tmp_path / "result.json").read_text())
    text = " ".join(page.read_text(encoding="utf-8").split())
    table = page.read_text(encoding="utf-8")
    assert re.findall(SHOWN, table, flags=re.MULTILINE) == list(selection.selected)
    assert trust(selection).text in text
    assert next_step(selection) in text


@pytest.mark.parametrize("command", ["select", "check", "compare", "report", "demo"])
def test_every_option_is_explained(command):
    text = REFERENCE.read_text(encoding="utf-8")
    parameters = get_command(cli.app).commands[command].params
    options = [name for parameter in parameters for name in parameter.opts if name.startswith("-")]
    missing = [name for name in options if f"`{name}" not in text and name not in ("--help", "-h")]
    assert not missing


def test_every_command_is_named():
    text = REFERENCE.read_text(encoding="utf-8")
    assert [name for name in get_command(cli.app).commands if name not in text] == []
