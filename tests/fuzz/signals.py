"""Signals at random moments to ``puselect select`` with a checkpoint, which is then run again."""

import atexit
import contextlib
import os
import shutil
import signal
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import polars  # noqa: F401  (imported before forks, and not used: its threads would not survive)
from damage import Draw
from outcome import attempt, require

import puselect.cli.summary
import puselect.fscpu.search_run
import puselect.tables.loading
from puselect import FSCPU
from puselect.cli import main
from puselect.report import read_result, summarise
from puselect.report.render import render
from puselect.search.checkpoint import load_state

FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-signals-"))
TABLE = FOLDER / "table.csv"
SIGNALS = {"INT": signal.SIGINT, "TERM": signal.SIGTERM, "HUP": signal.SIGHUP, "KILL": signal.SIGKILL}
CODES = {"INT": {0, 1}, "TERM": {0, 143}, "HUP": {0, 129}, "KILL": {0, -9}}
"""Exit codes that are right: done before the signal, or ended by it."""
STARTING = {"INT": {-2, 1, 130}, "TERM": {-15}, "HUP": {-1}, "KILL": set[int]()}
"""Codes of a process that has not set up its handlers yet."""
OUTPUTS = {"messages", "out.html", "out.json", "point"}


def words(folder: Path) -> list[str]:
    """Return the command line of a run in a folder."""
    return ["select", str(TABLE), "--label", "label", "-k", "4", "--max-iter", "25", "--jobs", "1",
            "--checkpoint", str(folder / "point"), "-o", str(folder / "out.json"), "--report", str(folder / "out.html")]


def run(folder: Path, moment: float | None = None, number: int = 0) -> int:
    """Run the command in a fork; send a signal after some seconds, if any; return the exit code."""
    child = os.fork()
    if child == 0:
        become_command(folder)
    if moment is not None:
        time.sleep(moment)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, number)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def become_command(folder: Path) -> None:
    """Run the command and end as a process of its own would."""
    code = 1
    try:
        for number in (signal.SIGHUP, signal.SIGTERM):  # which nohup and background jobs of a shell ignore
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        messages = os.open(folder / "messages", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(messages, 1)
        os.dup2(messages, 2)
        os.environ["TMPDIR"] = str(folder)
        sys.argv = ["puselect", *words(folder)]
        puselect.fscpu.search_run.SAVE_SECONDS = 0.0
        main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except KeyboardInterrupt:
        code = 130
    finally:
        atexit._run_exitfuncs()
        os._exit(code)


@cache
def uninterrupted() -> tuple[float, list[str]]:
    """Write a table; return the seconds and the selected features of a search that is left alone."""
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 6)), np.arange(40) < 8
    render([summarise(FSCPU(2, max_iter=1, random_state=0, n_jobs=1).fit(X, y), X, y)])  # loads what is compiled
    rows = np.c_[rng.random((300, 12)), np.arange(300) < 20]
    header = ",".join([*(f"c{i}" for i in range(12)), "label"])
    np.savetxt(TABLE, rows, "%.6g", delimiter=",", header=header, comments="")
    folder, begin = Path(tempfile.mkdtemp(dir=FOLDER)), time.monotonic()
    code = run(folder)
    require(code == 0, f"a run on its own exits with {code}: {(folder / 'messages').read_text()}")
    return time.monotonic() - begin, selected(folder)


def selected(folder: Path) -> list[str]:
    """Return the features of a result, which must be whole."""
    result: Any = read_result(folder / "out.json")
    return sorted(result.selected)


def is_pythons_trial(path: Path) -> bool:
    """Return whether this is the file by which `tempfile` tries if it can write to a folder, killed at that moment."""
    return len(path.name) == 8 and path.name != "messages" and path.read_bytes() in (b"", b"blat")


def example(draw: Draw) -> str:
    """Interrupt a run, look at what it left, and run it again."""
    seconds, expected = uninterrupted()
    name = draw(st.sampled_from(sorted(SIGNALS)))
    moment = draw(st.floats(0, 1)) * 1.05 * seconds
    when = f"SIG{name} after {moment:.3f} s"
    folder, table = Path(tempfile.mkdtemp(dir=FOLDER)), TABLE.read_bytes()
    (folder / "messages").touch()
    code = run(folder, moment, SIGNALS[name])
    messages = (folder / "messages").read_text(errors="replace")
    allowed = CODES[name] | (STARTING[name] if "start" in messages or not messages else set())
    require(code in allowed, f"{when}: exit code {code}, {messages[-800:]}")
    require("this is a bug" not in messages, f"{when}: {messages[-800:]}")
    check_left(folder, name, code, expected)
    again = run(folder)
    messages = (folder / "messages").read_text(errors="replace")
    require(again == 0, f"{when}: the next run exits with {again}: {messages[-800:]}")
    require(selected(folder) == expected, f"{when}: the next run has another result")
    left = {path.name for path in folder.iterdir() if name != "KILL" or not is_pythons_trial(path)}
    require(left == OUTPUTS, f"{when} and a resumed run: {left}")
    require(TABLE.read_bytes() == table, "the table was changed")
    shutil.rmtree(folder)
    return f"{name} {'finished' if code == 0 else 'ended'}"


def check_left(folder: Path, name: str, code: int, expected: list[str]) -> None:
    """Check the files after a signal: each whole or absent, nothing else unless the process was killed."""
    if (folder / "point").exists():
        attempt(lambda: load_state(folder / "point"), ())
    if (folder / "out.json").exists():
        found, _ = attempt(lambda: selected(folder), ())
        require(len(found or ()) == len(expected), f"SIG{name}: a result of {found}")
    if (folder / "out.html").exists():
        require((folder / "out.html").read_text().rstrip().endswith("</html>"), f"SIG{name}: a page that was cut")
    if name == "INT" and code == 0:
        require((folder / "out.json").exists(), "SIGINT: exit code 0, but no result")
    if name != "KILL":
        left = {path.name for path in folder.iterdir()} - OUTPUTS
        require(not left, f"SIG{name}: files are left: {sorted(left)}")
