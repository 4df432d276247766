import subprocess
import sys

import numpy as np
import pytest
from command_line import COMMAND, ENVIRONMENT, clusters_table, puselect
from typer.testing import CliRunner

from puselect import cli
from puselect.cli.application import one_line, printable
from puselect.cli.options import memory_size

runner = CliRunner()
GOOD = "a,b,c,label\n" + "".join(f"{i % 3},{i % 5},{i % 7},{int(i < 4)}\n" for i in range(40))

BAD_FILES = {
    "empty": (b"", "is empty"),
    "no label column": (b"a,b,lable\n1,2,1\n3,4,0\n", "did you mean 'lable'?"),
    "one class": (b"a,b,label\n1,2,1\n3,4,1\n", "nothing is unlabelled"),
    "two classes, neither plainly positive": (b"a,b,label\n1,2,x\n3,4,y\n", "--positive VALUE"),
    "ragged": (b"a,b,label\n1,2,1\n3,4,0,9\n", "line 3 of"),
    "binary": (bytes(range(256)) * 9, "not a text file"),
    "duplicated names": (b"a,a,label\n1,2,1\n3,4,0\n", "more than one column named 'a'"),
    "missing values": (b"a,b,label\n1,,1\n3,4,0\n5,6,0\n", "--impute median"),
    "text only": (b"a,b,label\nx,y,1\nz,w,0\n", "at least two usable features"),
}


def assert_one_line(done, message, code=1):
    assert done.returncode == code
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("error: ")
    assert message in done.stderr


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_gives_one_line_and_leaves_nothing_behind(tmp_path, name):
    content, message = BAD_FILES[name]
    (tmp_path / "d.csv").write_bytes(content)
    outputs = ("-o", "out.json", "--data-out", "out.csv", "--report", "out.html")
    done = puselect("select", "d.csv", "--label", "label", "-k", 1, *outputs, cwd=tmp_path)
    assert_one_line(done, message)
    assert [path.name for path in tmp_path.iterdir()] == ["d.csv"]


def test_no_permission(tmp_path):
    """As another user if the tests run as root, whom nothing is forbidden."""
    secret = tmp_path / "secret.csv"
    secret.write_text(GOOD)
    secret.chmod(0)
    code = (
        "import os, secrets, typer.rich_utils, puselect.cli, puselect.tables, puselect.cli.summary\n"
        "if os.geteuid() == 0: os.seteuid(65534)\n"
        "puselect.cli.main()"
    )
    words = [sys.executable, "-c", code, "select", str(secret), "--label", "label"]
    done = subprocess.run(words, capture_output=True, text=True, env=ENVIRONMENT)
    assert_one_line(done, "secret.csv: permission denied")


def test_no_file(tmp_path):
    assert_one_line(puselect("select", "nothing.csv", "-l", "x", cwd=tmp_path), "nothing.csv: no such file")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["select"], "Missing argument 'DATA'"),
        (["select", "d.csv"], "Missing option '--label'"),
        (["select", "d.csv", "-l", "label", "-k", "0"], "-k"),
        (["select", "d.csv", "-l", "label", "-k", "2", "--budget", "3"], "either -k or --budget"),
        (["select", "d.csv", "-l", "label", "--costs", "c.csv"], "add --budget"),
        (["select", "d.csv", "-l", "label", "--method", "lass"], "did you mean 'lasso'"),
        (["select", "d.csv", "-l", "label", "--method", "lasso", "--keep", "a"], "--keep"),
        (["select", "d.csv", "-l", "label", "--method", "kbest", "--checkpoint", "f"], "--checkpoint"),
        (["select", "d.csv", "-l", "label", "--impute", "mean"], "'mean' is none of median"),
        (["select", "d.csv", "-l", "label", "--max-memory", "lots"], "such as 500MB"),
        (["select", "no.csv", "-l", "label", "--engine", "steam"], "--engine: 'steam' is none of auto, cpu, gpu"),
        (["select", "d.csv", "-l", "label", "--quiet"], "add -o FILE, --report FILE or --json"),
        (["select", "d.csv", "-l", "label", "--impute"], "takes a value: --impute median (see puselect select --help)"),
        (["compare", "d.csv", "-l"], "it takes a value: -l COL (see puselect compare --help)"),
        (["compare", "d.csv", "-l", "label", "-k", "2", "-q"], "add -o FILE, --report FILE or --json"),
        (["compare", "d.csv", "-l", "label"], "Missing option"),
        (["compare", "d.csv", "-l", "label", "-k", "2", "--methods", "x"], "'x' is none of"),
        (["compare", "d.csv", "-l", "label", "-k", "2", "--model", "x"], "--model"),
        (["report", "d.csv"], "say where the report goes: -o report.html"),
        (["report", "nothing"], "must hold study.json"),
        (["nonsense"], "No such command 'nonsense'"),
    ],
)
def test_a_wrong_call_is_one_line_with_exit_code_2(tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.csv").write_text(GOOD)
    done = runner.invoke(cli.app, words)
    assert done.exit_code == 2
    *notes, error = done.stderr.splitlines()
    assert message in error
    assert error.startswith("error: ")
    assert "--help)" in error
    assert not any("Traceback" in note for note in notes)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-k", "4"], "-k must lie in 1..3"),
        (["-o", "no/such/out.json"], "there is no folder no/such"),
        (["-o", "."], "is a folder"),
        (["--data-out", "out.xlsx"], "must end in .csv"),
        (["--drop", "z"], "--drop names the column 'z'"),
        (["--budget", "2", "--costs", "nothing.csv"], "nothing.csv: no such file"),
        (["--budget", "2", "--costs", "d.csv"], "must hold lines of name,cost"),
        (["--budget", "2", "--costs", "c.csv"], "got none for c"),
        (["--max-rows", "3"], "4 rows are labelled positive"),
    ],
)
def test_a_wish_that_the_table_cannot_grant_is_one_line(tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.csv").write_text(GOOD)
    (tmp_path / "c.csv").write_text("a,1\nb,2\n")
    done = runner.invoke(cli.app, ["select", "d.csv", "--label", "label", "--quiet", "--json", *words])
    assert done.exit_code == 1
    assert done.stderr.count("\n") == 1
    assert message in done.stderr


def test_debug_shows_where_it_happened(tmp_path):
    (tmp_path / "d.csv").write_bytes(b"")
    done = puselect("select", "d.csv", "--label", "x", "--debug", cwd=tmp_path)
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("error: d.csv is empty")


def test_a_reader_that_leaves_early_is_no_disaster():
    shell = f"{subprocess.list2cmdline(COMMAND)} methods | head -n 1"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, env=ENVIRONMENT)
    assert done.stdout.startswith("name")
    assert done.stderr == ""


@pytest.mark.parametrize("words", [["--help"], ["methods"]])
def test_what_needs_no_data_loads_nothing_heavy(words):
    code = (
        "import sys; from puselect.cli import app; import contextlib\n"
        f"with contextlib.suppress(SystemExit): app({words!r})\n"
        "print([name for name in ('numpy', 'sklearn', 'numba', 'polars', 'puselect.selectors') if name in sys.modules])"
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
            (ValueError("a \x1b[31m name"), "a ?[31m name"),
        ],
    )
    def test_says_what_to_do(self, error, text):
        line = one_line(error)
        assert text in line
        assert "\n" not in line

    def test_letters_of_all_kinds_stay(self):
        assert printable("größe <b> 重さ") == "größe <b> 重さ"


@pytest.mark.parametrize(("text", "size"), [("500MB", 5e8), ("2GB", 2e9), ("1.5 g", 1.5e9), ("64k", 64e3), ("9", 9)])
def test_memory_is_understood(text, size):
    assert memory_size(text) == size


def test_ten_thousand_columns_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wide = np.random.default_rng(0).random((9_997, 60))
    table = clusters_table(60, n_noise=0).with_columns(**{f"c{i}": column for i, column in enumerate(wide)})
    table.write_csv("wide.csv")
    done = runner.invoke(cli.app, ["select", "wide.csv", "--label", "label", "--method", "kbest", "-k", "3"])
    assert done.exit_code == 0
    assert "3 of 10000 features" in done.stdout
