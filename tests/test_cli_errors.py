import gzip
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from command_line import CODE, COMMAND, ENVIRONMENT, clusters_table, puselect
from programs import run
from typer.testing import CliRunner

from puselect import cli
from puselect.cli.application import one_line
from puselect.cli.options import memory_size

runner = CliRunner()
DATA = Path(__file__).parent / "data"
GOOD = "a,b,c,label\n" + "".join(f"{i % 3},{i % 5},{i % 7},{int(i < 4)}\n" for i in range(40))

BAD_FILES = {
    "no label column": (b"a,b,lable\n1,2,1\n3,4,0\n", "did you mean 'lable'?"),
    "one class": (b"a,b,label\n1,2,1\n3,4,1\n", "add rows of which it is not known"),
    "two classes, neither plainly positive": (b"a,b,label\n1,2,x\n3,4,y\n", "--positive VALUE"),
    "ragged": (b"a,b,label\n1,2,1\n3,4,0,9\n", "line 3"),
    "duplicated names": (b"a,a,label\n1,2,1\n3,4,0\n", "more than one column named 'a'"),
    "missing values": (b"a,b,label\n1,,1\n3,4,0\n5,6,0\n", "fill them with --prepare"),
    "text only": (b"a,b,label\nx,y,1\nz,w,0\n", "2 usable features"),
}


def assert_one_line(done, message, code=1):
    assert getattr(done, "returncode", None) == code or getattr(done, "exit_code", None) == code
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("error: ")
    assert message in done.stderr


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_gives_one_line_and_leaves_nothing_behind(tmp_path, monkeypatch, name):
    content, message = BAD_FILES[name]
    (tmp_path / "d.csv").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    outputs = ("-o", "out.json", "--data-out", "out.csv", "--report", "out.html")
    assert_one_line(runner.invoke(cli.app, ["select", "d.csv", "--label", "label", "-k", "1", *outputs]), message)
    assert [path.name for path in tmp_path.iterdir()] == ["d.csv"]


def test_a_parquet_file_that_breaks_off_is_one_line(tmp_path):
    clusters_table().write_parquet(tmp_path / "d.parquet")
    (tmp_path / "d.parquet").write_bytes((tmp_path / "d.parquet").read_bytes()[:1000])
    done = runner.invoke(cli.app, ["select", str(tmp_path / "d.parquet"), "--label", "label"])
    assert_one_line(done, "cannot read")


def test_a_panic_of_the_reader_is_an_error(monkeypatch):
    def panic(*_, **__):
        raise pl.exceptions.PanicException("out of range")

    monkeypatch.setattr("puselect.tables.files.pl.scan_parquet", panic)
    done = runner.invoke(cli.app, ["select", str(DATA / "endless_page.parquet"), "--label", "label"])
    assert_one_line(done, "out of range")


def test_a_copy_of_standard_input_that_a_crash_has_left_is_removed_at_the_next_start(tmp_path):
    environment = {**ENVIRONMENT, "TMPDIR": str(tmp_path)}
    with (DATA / "endless_page.parquet").open() as damaged:
        # a page of this file wants 2 ** 61 bytes; polars says so and aborts
        done = run(CODE, "select", "-", "--label", "label", stdin=damaged, env=environment)
    assert done.returncode not in (0, 1, 2)
    assert "memory allocation of" in done.stderr
    assert done.stdout == ""
    assert len(list(tmp_path.iterdir())) == 1
    run(CODE, "select", "nothing.csv", "--label", "label", cwd=tmp_path, env=environment)
    assert list(tmp_path.iterdir()) == []


class TestSameFile:
    """An output must not be an input or another output, whatever it is called."""

    @pytest.mark.parametrize(
        "words",
        [
            ["select", "-o", "d.csv"],
            ["select", "--report", "././d.csv"],
            ["select", "--checkpoint", "hard.csv"],
            ["select", "--budget", "2", "--costs", "c.csv", "-o", "c.csv"],
            ["select", "-o", "new", "--checkpoint", "dangling"],
            ["compare", "-k", "2", "--report", "link.csv"],
            ["compare", "-k", "2", "-o", "x", "--report", "x"],
            ["apply", "c.csv", "-o", "link.csv"],
        ],
    )
    def test_is_refused_before_anything_is_written(self, folder, words):
        before = {path.name: path.read_bytes() for path in folder.iterdir() if path.exists()}
        label = [] if words[0] == "apply" else ["--label", "label"]
        done = runner.invoke(cli.app, [*words, "d.csv", *label])
        assert done.exit_code == 2
        assert "same file" in done.stderr
        assert {path.name: path.read_bytes() for path in folder.iterdir() if path.exists()} == before

    def test_a_device_that_keeps_nothing_may_be_named_twice(self, folder):
        words = ["-k", "2", "--method", "kbest", "--no-checks", "-o", os.devnull, "--report", os.devnull]
        assert runner.invoke(cli.app, ["select", "d.csv", "--label", "label", *words]).exit_code == 0

    def test_standard_input(self, folder):
        with (folder / "d.csv").open() as file:
            done = puselect("select", "-", "--label", "label", "-o", "d.csv", stdin=file)
        assert done.returncode == 2
        assert (folder / "d.csv").read_text() == GOOD

    @pytest.fixture
    def folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "d.csv").write_text(GOOD)
        (tmp_path / "c.csv").write_text("a,1\nb,2\nc,3\n")
        (tmp_path / "link.csv").symlink_to("d.csv")
        (tmp_path / "dangling").symlink_to("new")
        os.link("d.csv", "hard.csv")
        return tmp_path


@pytest.mark.parametrize("words", [["compare", "--model", "lightgbm"], ["compare", "--methods", "lgbm-opt"],
                                   ["select", "--method", "lgbm-opt"]])
def test_a_missing_extra_is_found_before_the_table_is_read(monkeypatch, words):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    done = runner.invoke(cli.app, [*words, "nothing.csv", "--label", "label", "-k", "2"])
    assert done.exit_code == 1
    assert "pip install lightgbm" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["select"], "Missing argument 'DATA'"),
        (["select", "d.csv"], "Missing option '--label'"),
        (["select", "d.csv", "-l", "label", "-k", "2", "--budget", "3"], "--budget"),
        (["select", "d.csv", "-l", "label", "-k", "2", "--costs", "c.csv"], "needs --budget"),
        (["select", "d.csv", "-l", "label", "--method", "lass"], "did you mean 'lasso'"),
        (["select", "d.csv", "-l", "label", "--method", "lasso", "--keep", "a"], "--keep"),
        (["select", "d.csv", "-l", "label", "--method", "kbest", "--checkpoint", "f"], "--checkpoint"),
        (["select", "d.csv", "-l", "label", "--decimal", ";"], "';' is not one of '.', ','"),
        (["select", "d.csv", "-l", "label", "--max-memory", "lots"], "such as 500MB"),
        (["select", "no.csv", "-l", "label", "--engine", "steam"], "--engine: 'steam'"),
        (["select", "d.csv", "-l", "label", "--quiet"], "--quiet"),
        (["compare", "d.csv", "-l"], "requires an argument"),
        (["select", "d.csv", "-l", "label", "--max-memory", "-1"], "such as 500MB"),
        (["compare", "d.csv", "-l", "label", "-k", "2", "-q"], "--quiet"),
        (["compare", "d.csv", "-l", "label"], "Missing option"),
        (["compare", "d.csv", "-l", "label", "-k", "2", "--methods", "x"], "--methods: 'x'"),
        (["compare", "d.csv", "-l", "label", "-k", "2", "--methods", ","], "--methods"),
        (["compare", "d.csv", "-l", "label", "-k", "2", "--model", "x"], "--model"),
        (["report", "d.csv"], "Missing option '-o'"),
        (["nonsense"], "No such command 'nonsense'"),
    ],
)
def test_a_wrong_call_is_one_line_with_exit_code_2(tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.csv").write_text(GOOD)
    done = runner.invoke(cli.app, words)
    assert done.exit_code == 2
    assert message in done.stderr.splitlines()[-1]
    assert done.stderr.splitlines()[-1].startswith("error: ")
    assert "--help)" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-k", "4"], "at most 3"),
        (["-o", "no/such/out.json"], "no/such does not exist"),
        (["-o", "."], "is a directory"),
        (["--data-out", "out.xlsx"], "must end in .csv"),
        (["--drop", "z"], "--drop: d.csv has no column 'z'"),
        (["--costs", "nothing.csv"], "nothing.csv: no such file"),
        (["--costs", "d.csv"], "must hold lines of name,cost"),
        (["--costs", "c.csv"], "no cost for c"),
        (["--costs", "cut.csv"], "error: --costs: "),
        (["--max-rows", "3"], "4 rows are labelled"),
    ],
)
def test_an_option_that_does_not_fit_the_table_is_one_line(tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.csv").write_text(GOOD)
    (tmp_path / "c.csv").write_text("a,1\nb,2\n")
    (tmp_path / "cut.csv").write_bytes(gzip.compress(b"a,1\n" * 1000, mtime=0)[:-12])
    budget = ["--budget", "2"] if "--costs" in words else []
    assert_one_line(
        runner.invoke(cli.app, ["select", "d.csv", "--label", "label", "--quiet", "--json", *budget, *words]), message
    )


def test_debug_shows_where_it_happened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.csv").write_bytes(b"")
    done = runner.invoke(cli.app, ["select", "d.csv", "--label", "x", "--debug"])
    assert done.exit_code == 1
    assert "Traceback" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("error: d.csv is empty")


def test_a_reader_that_closes_the_pipe_early_is_no_error():
    shell = f"{subprocess.list2cmdline(COMMAND)} methods | head -n 1"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, env=ENVIRONMENT)
    assert done.stdout.startswith("name")
    assert done.stderr == ""


@pytest.mark.parametrize("words", [["--help"], ["methods"]])
def test_what_needs_no_data_loads_nothing_heavy(words):
    code = (
        "import sys; from puselect.cli import app; import contextlib\n"
        f"with contextlib.suppress(SystemExit): app({words!r})\n"
        "print([name for name in ('numpy', 'sklearn', 'numba', 'polars', 'puselect.fscpu') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"


class TestOneLine:
    @pytest.mark.parametrize(
        ("error", "text"),
        [
            (ValueError("two\nlines"), "two lines"),
            (FileNotFoundError(2, "No such file or directory", "x.csv"), "x.csv: no such file or directory"),
            (MemoryError(), "--max-rows"),
            (KeyError("x"), "unexpected KeyError"),
            (ValueError("größe \x1b[31m 重さ"), "größe ?[31m 重さ"),
            (PermissionError(13, "Permission denied", "secret.csv"), "secret.csv: permission denied"),
        ],
    )
    def test_says_what_to_do(self, error, text):
        line = one_line(error)
        assert text in line
        assert "\n" not in line


@pytest.mark.parametrize(("text", "size"), [("500MB", 5e8), ("1.5 g", 1.5e9), ("64k", 64e3), ("9", 9)])
def test_memory_is_understood(text, size):
    assert memory_size(text) == size


def test_a_closed_standard_input_is_one_line():
    done = run("import os, sys; sys.stdin = None; " + CODE, "select", "-", "--label", "label")
    assert done.returncode == 1
    assert done.stderr.startswith("error: standard input: ")
    assert done.stderr.count("\n") == 1
