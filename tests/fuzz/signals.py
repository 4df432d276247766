"""Signals at random moments to ``puselect select`` with a checkpoint, which is then run again.

Most processes are forked from one that has imported the package, so that hundreds of moments can be tried; one in ten
is started from nothing.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
from damage import Draw, chance
from outcome import attempt, require

from puselect.report import read_result
from puselect.search.checkpoint import load_state

FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-signals-"))
TABLE = FOLDER / "table.csv"
STEPS = 25
PATIENCE = 60
SIGNALS = {"INT": signal.SIGINT, "TERM": signal.SIGTERM, "HUP": signal.SIGHUP, "KILL": signal.SIGKILL}
CODES = {"INT": {0, 1}, "TERM": {0, 143}, "HUP": {0, 129}, "KILL": {0, -9}}
"""Exit codes that are right: done before the signal, or ended by it."""
STARTING = {"INT": {-2, 1, 130}, "TERM": {-15}, "HUP": {-1}, "KILL": set[int]()}
"""Codes of a process that has not set up its handlers yet."""
RUN = "import puselect.fscpu.search_run as s; s.SAVE_SECONDS = 0.0; from puselect.cli import main; main()"


def write_table() -> None:
    """Write a table on which a search of a few tenths of a second goes on to its last step."""
    rng = np.random.default_rng(0)
    rows = np.c_[rng.random((300, 12)), np.arange(300) < 20]
    header = ",".join([*(f"c{i}" for i in range(12)), "label"])
    TABLE.write_text("\n".join([header, *(",".join(f"{value:.6g}" for value in row) for row in rows)]) + "\n")


def words(folder: Path) -> list[str]:
    """Return the command line of a run in a folder."""
    return ["select", str(TABLE), "--label", "label", "-k", "4", "--max-iter", str(STEPS), "--jobs", "1",
            "--checkpoint", str(folder / "point"), "-o", str(folder / "out.json"), "--report", str(folder / "out.html")]


class ForkServer:
    """A process that has imported the package and forks to run a command line."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("fork_server.py"))], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=hear_signals,
        )

    def start(self, line: list[str], folder: Path) -> int:
        """Return the process that runs a command line."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps([line, str(folder)]) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def wait(self) -> int:
        """Return the exit code of the process that was started last."""
        assert self.process.stdout is not None
        return int(self.process.stdout.readline())


@cache
def server() -> ForkServer:
    """Return the server of this process."""
    write_table()
    return ForkServer()


def hear_signals() -> None:
    """Undo what nohup and background jobs of a shell ignore."""
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def run(folder: Path, scratch: Path, moment: float | None, number: int, from_nothing: bool) -> int:
    """Run the command; send a signal after so many seconds, if any; return the exit code."""
    if from_nothing:
        environment = {**os.environ, "TMPDIR": str(scratch)}
        with (folder / "messages").open("wb") as messages:
            process = subprocess.Popen(
                [sys.executable, "-c", RUN, *words(folder)], stdout=subprocess.DEVNULL, stderr=messages,
                env=environment, preexec_fn=hear_signals,
            )  # fmt: skip
        if moment is not None:
            time.sleep(moment)
            process.send_signal(number)
        return process.wait(timeout=PATIENCE)
    child = server().start(words(folder), folder)
    if moment is not None:
        time.sleep(moment)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, number)
    return server().wait()


@cache
def uninterrupted() -> tuple[float, list[str]]:
    """Return the seconds and the selected features of a run that is left alone."""
    folder = Path(tempfile.mkdtemp(dir=FOLDER))
    run(folder, folder, None, 0, False)
    begin = time.monotonic()
    code = run(folder, folder, None, 0, False)
    require(code == 0, f"a run on its own exits with {code}: {(folder / 'messages').read_text()}")
    (folder / "point").unlink()
    begin = time.monotonic()
    run(folder, folder, None, 0, False)
    return time.monotonic() - begin, selected(folder / "out.json")


def selected(path: Path) -> list[str]:
    """Return the features of a result, which must be whole."""
    result: Any = read_result(path)
    return sorted(result.selected)


def is_pythons_trial(path: Path) -> bool:
    """Return whether this is the file by which `tempfile` tries if it can write to a folder, killed at that moment."""
    return len(path.name) == 8 and path.name != "messages" and path.read_bytes() in (b"", b"blat")


def example(draw: Draw) -> str:
    """Interrupt a run, look at what it left, and run it again."""
    server()
    seconds, expected = uninterrupted()
    name = draw(st.sampled_from(sorted(SIGNALS)))
    from_nothing = chance(draw, 10)
    share = draw(st.floats(0, 1))
    folder, scratch = Path(tempfile.mkdtemp(dir=FOLDER)), Path(tempfile.mkdtemp(dir=FOLDER))
    (folder / "messages").touch()
    table = TABLE.read_bytes()
    moment = share * (seconds + 2.5 if from_nothing else seconds * 1.05)
    code = run(folder, folder if not from_nothing else scratch, moment, SIGNALS[name], from_nothing)
    messages = (folder / "messages").read_text(errors="replace")
    allowed = CODES[name] | (STARTING[name] if from_nothing or "start" in messages or not messages else set())
    require(code in allowed, f"SIG{name} after {moment:.3f} s: exit code {code}, {messages[-800:]}")
    require("this is a bug" not in messages, f"SIG{name} after {moment:.3f} s: {messages[-800:]}")
    check_left(folder, scratch, name, code, expected)
    again = run(folder, folder, None, 0, False)
    messages = (folder / "messages").read_text(errors="replace")
    require(again == 0, f"after SIG{name} at {moment:.3f} s the next run exits with {again}: {messages[-800:]}")
    require(selected(folder / "out.json") == expected, f"after SIG{name} at {moment:.3f} s the result differs")
    left = {path.name for path in folder.iterdir() if name != "KILL" or not is_pythons_trial(path)}
    require(left == {"messages", "out.html", "out.json", "point"}, f"after SIG{name} and a resumed run: {left}")
    require(TABLE.read_bytes() == table, "the table was changed")
    shutil.rmtree(folder)
    shutil.rmtree(scratch)
    return f"{name} {'finished' if code == 0 else 'ended'}"


def check_left(folder: Path, scratch: Path, name: str, code: int, expected: list[str]) -> None:
    """Check the files after a signal: each whole or absent, nothing else unless the process was killed."""
    if (folder / "point").exists():
        attempt(lambda: load_state(folder / "point"), ())
    if (folder / "out.json").exists():
        found, _ = attempt(lambda: selected(folder / "out.json"), ())
        require(len(found or ()) == len(expected), f"SIG{name}: a result of {found}")
    if (folder / "out.html").exists():
        require((folder / "out.html").read_text().rstrip().endswith("</html>"), f"SIG{name}: a page that was cut")
    if name == "INT" and code == 0:
        require((folder / "out.json").exists(), "SIGINT: exit code 0, but no result")
    if name != "KILL":
        left = {path.name for path in folder.iterdir()} - {"messages", "out.html", "out.json", "point"}
        left |= {path.name for path in scratch.iterdir()}
        require(not left, f"SIG{name}: files are left: {sorted(left)}")
