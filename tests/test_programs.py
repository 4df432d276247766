"""A program in a fork is one that was started from nothing, but for the time that takes."""

import os
import signal
import subprocess
import sys

import pytest
from command_line import in_shell
from programs import run

ENDS = {
    "exit code": "import sys; sys.exit(3)",
    "error": "1 / 0",
    "interrupted": "raise KeyboardInterrupt",
    "killed": "import os; os.kill(os.getpid(), 9)",
    "at the end": "import atexit, sys; atexit.register(print, 'last', flush=True); sys.stdout.write('first ')",
    "words": "import os, sys; print(sys.argv, os.getcwd(), os.environ['WORD'], sys.stdin.read(), sys.path[0])",
    "buffers": "import sys; print(sys.stdout.line_buffering, sys.stderr.line_buffering, sys.stdout.encoding)",
    "warnings": "import warnings; warnings.warn('odd')",
}


@pytest.mark.parametrize("code", ENDS.values(), ids=ENDS)
def test_it_ends_and_prints_as_another(code, tmp_path):
    environment = {**os.environ, "WORD": "given", "PYTHONWARNINGS": "error"}
    (tmp_path / "in").write_text("read")
    with (tmp_path / "in").open() as stdin:
        forked = run(code, "a", "b c", stdin=stdin, cwd=tmp_path, env=environment)
    program = [sys.executable, "-c", code, "a", "b c"]
    real = subprocess.run(program, input="read", capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert (forked.returncode, forked.stdout) == (real.returncode, real.stdout)
    assert forked.stderr.splitlines()[-1:] == real.stderr.splitlines()[-1:]


def test_a_shell_gets_its_exit_code():
    dies = in_shell(f"import os; os.kill(os.getpid(), {signal.SIGTERM:d}); ")
    assert subprocess.run(["bash", "-c", dies]).returncode == 128 + signal.SIGTERM
