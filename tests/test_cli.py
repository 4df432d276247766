import json
import shlex
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from puselect import __version__, bench, bench_gpu, cli
from puselect.cli import advice
from puselect.cli.demo import artificial_demo, real_demo

runner = CliRunner()


def test_help_names_every_command():
    text = runner.invoke(cli.app, ["--help"]).output
    for command in ("demo", "bench", "reproduce", "report", "select", "compare", "methods"):
        assert command in text


@pytest.mark.parametrize("words", [["--help"], ["select", "--help"], ["compare", "--help"], ["demo", "--help"]])
def test_flags_take_no_value_in_the_help(words):
    text = runner.invoke(cli.app, words).output
    assert "--help" in text
    assert "bool" not in text.lower()


def test_version():
    assert runner.invoke(cli.app, ["--version"]).output.strip() == __version__


def test_demo_tells_what_was_found_and_what_to_try_next():
    result = runner.invoke(cli.app, ["demo"])
    assert result.exit_code == 0
    text = " ".join(result.output.split())
    assert "of the 25 relevant features" in text
    assert "AUC" in text
    assert "Try next" in text
    lines = [line.strip() for line in result.output.splitlines()]
    assert "puselect demo --table breast.csv" in lines
    assert "puselect select breast.csv --label known --drop diagnosis -k 6 --report report.html" in lines


def test_commands_to_try_name_the_program_as_it_was_called(tmp_path, monkeypatch):
    program = tmp_path / "a folder" / "bin" / "puselect"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path / "a folder")

    def shown(called, path):
        monkeypatch.setattr(sys, "argv", [str(called), "demo"])
        monkeypatch.setenv("PATH", str(path))
        return advice.program()

    assert shown("bin/puselect", "/nowhere") == "bin/puselect"
    assert shown(program, "/nowhere") == f"'{program}'"
    assert shown(program, program.parent) == "puselect"
    assert shown("/lib/puselect/__main__.py", "/nowhere") == f"{sys.executable} -m puselect"
    assert shown("-c", "/nowhere") == "puselect"


def test_a_command_to_try_is_not_broken_into_lines(tmp_path):
    path = tmp_path / ("a long name " * 12 + ".csv")
    output = runner.invoke(cli.app, ["demo", "--table", str(path)]).output
    line = next(line for line in output.splitlines() if "puselect select" in line)
    assert shlex.split(line)[2] == str(path)
    assert line.endswith("--report report.html")


def test_demo_runs_as_a_program_through_a_pipe():
    done = subprocess.run(
        [sys.executable, "-c", "from puselect.cli import main; main()", "demo"], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in done.stdout


def test_unknown_command_is_a_wrong_call():
    assert runner.invoke(cli.app, ["nonsense"]).exit_code == 2


def test_demo_finds_nearly_everything_on_another_seed():
    assert artificial_demo(11).found >= 24
    real = real_demo(3)
    assert len(real.selected) == 6
    assert real.auc_selected > 0.9


class TestBench:
    def test_table_and_json_and_exit_code(self, monkeypatch, tmp_path):
        rows = [bench.Measurement("thing", "here", 1.5, "s")]
        checks = [bench.Check("ratio", 3.0, ">=", 5, 10)]
        monkeypatch.setattr(bench, "run_bench", lambda quick, tell: (rows, checks))
        result = runner.invoke(cli.app, ["bench", "--out", str(tmp_path / "out.json")])
        assert result.exit_code == 1
        assert "MISSED" in result.output
        content = json.loads((tmp_path / "out.json").read_text())
        assert content["measurements"][0]["value"] == 1.5
        assert content["checks"][0]["passed"] is False

    def test_an_unknown_engine_is_a_wrong_call(self):
        result = runner.invoke(cli.app, ["bench", "--engine", "tpu"])
        assert result.exit_code == 2
        assert "--engine must be cpu or gpu, got tpu" in result.output

    def test_the_gpu_is_measured_only_where_there_is_one(self, monkeypatch):
        def no_gpu():
            raise ValueError("engine='gpu' needs a GPU")

        monkeypatch.setattr(bench_gpu, "gpu_engine_class", no_gpu)
        with pytest.raises(ValueError, match="needs a GPU"):
            bench_gpu.run_gpu_bench(True, print)

    def test_a_check_passes_on_the_right_side(self):
        assert bench.Check("x", 5, ">=", 5, 10).passed
        assert not bench.Check("x", 4.9, ">=", 5, 10).passed
        assert bench.Check("x", 1, "<=", 1, 0).passed
        assert not bench.Check("x", 1.1, "<=", 1, 0).passed

    @pytest.mark.parametrize("name", bench.SHAPES)
    def test_shapes_are_as_named(self, name):
        rows, features, selected, labelled = bench.SHAPES[name]
        shape = bench.make_shape(min(rows, 500), features, selected, min(labelled, 20), n_masks=2)
        assert shape.X.shape == (min(rows, 500), features)
        assert shape.positive.sum() == min(labelled, 20)
        assert (shape.masks.sum(axis=1) == selected).all()


def test_without_its_extra_the_command_says_how_to_get_it():
    code = "import sys; sys.modules['typer'] = None; from puselect.cli import main"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.strip() == "the puselect command needs the extra 'cli': pip install 'puselect[cli]'"
