"""A process that reads tables as the command line does: where a library ends it, its exit code and last words count.

Run as a program, it answers requests from standard input on standard output.
"""

import atexit
import contextlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from outcome import FindingError, attempt, require

from puselect.cli.application import one_line
from puselect.cli.wording import note_text
from puselect.tables import TableError, TableSpec, load_table

BINARY = (".parquet", ".arrow", ".arrows")


class Reader:
    """A process that reads one table after the other."""

    def __init__(self) -> None:
        self.errors = tempfile.TemporaryFile("w+b")  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors
        )
        atexit.register(self.process.kill)

    def read(self, path: str, spec: TableSpec) -> str:
        """Return what came of reading a file; raise a `FindingError` for anything but an answer or a clear error."""
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            pickle.dump((path, spec), self.process.stdin)
            self.process.stdin.flush()
            outcome, finding = pickle.load(self.process.stdout)
        except (EOFError, BrokenPipeError):
            return self.end(path)
        require(not finding, finding)
        return str(outcome)

    def end(self, path: str) -> str:
        """Judge the end of the process, which was to go on."""
        running.cache_clear()
        assert self.process.stdin is not None and self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.close()
        code = self.process.wait()
        with self.errors:
            self.errors.seek(0)
            lines = self.errors.read().decode(errors="replace").splitlines()
        is_known = code == -signal.SIGABRT and path.endswith(BINARY) and "memory allocation of" in "".join(lines)
        require(is_known, f"reading ends with {code} and says: {lines[-5:]}")
        return "the end, for a page that asks for too much memory"


@cache
def running() -> Reader:
    """Return a process that has not ended."""
    return Reader()


def read_elsewhere(path: str, spec: TableSpec) -> str:
    """Read a table in a process of its own; return what came of it."""
    return running().read(path, spec)


def read(path: str, spec: TableSpec) -> str:
    """Read a table here, and check it."""

    loaded, error = attempt(lambda: load_table(path, spec), (TableError, OSError), deliberate=False)
    if error is not None:
        return checked_error(error)
    check_table(loaded, Path(path).with_name("written.csv"))
    return "table"


def check_table(loaded: Any, output: Path) -> None:
    """Check that selectors can work on a table."""
    values = loaded.X.to_numpy()
    require(values.dtype == np.float64 and np.isfinite(values).all(), "values that are not finite")
    require(values.shape[1] >= 2 and len(loaded.y) == len(values) == len(loaded.rows.names), f"shape {values.shape}")
    require(set(np.unique(loaded.y)) == {0, 1}, f"labels {np.unique(loaded.y)}")
    require(len(set(loaded.names)) == len(loaded.names) == len(loaded.sources), "names")
    for note in loaded.notes:
        attempt(lambda note=note: note_text(note), ())
    with output.open("wb") as file:
        attempt(lambda: loaded.write(np.ones(values.shape[1], dtype=bool), file, ".csv"), (OSError,), deliberate=False)


def checked_error(error: BaseException) -> str:
    """Check that an error has words."""
    text, _ = attempt(lambda: one_line(error), ())
    require(text and "\n" not in text and "this is a bug" not in text, f"in words: {text!r}")
    require(len(text or "") < 2000, f"a message of {len(text or '')} characters")
    return "clear error"


def serve() -> None:
    """Read tables until standard input ends."""
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)  # what is tried may print
        while True:
            try:
                path, spec = pickle.load(sys.stdin.buffer)
            except EOFError:
                return
            try:
                answer = read(path, spec), ""
            except FindingError as finding:
                answer = "", str(finding)
            pickle.dump(answer, answers)
            answers.flush()


if __name__ == "__main__":
    serve()
