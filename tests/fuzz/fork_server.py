"""Reads command lines of puselect from standard input and runs each in a fork of this process.

For each line, a JSON list of the words and a folder for messages and temporary files, it prints the number of the new
process, and its exit code once it has ended.
"""

import atexit
import json
import os
import signal
import sys

import numpy as np
import polars  # noqa: F401  (not used before the fork: its threads would not survive)

import puselect.cli.summary
import puselect.fscpu.search_run
import puselect.tables.loading
from puselect import FSCPU
from puselect.cli import main
from puselect.report import summarise
from puselect.report.render import render


def run(words: list[str], folder: str) -> None:
    """Become the command."""
    messages = os.open(f"{folder}/messages", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(messages, 1)
    os.dup2(messages, 2)
    os.environ["TMPDIR"] = folder
    sys.argv = ["puselect", *words]
    puselect.fscpu.search_run.SAVE_SECONDS = 0.0
    main()


def become(words: list[str], folder: str) -> None:
    """Run the command and end as a process of its own would."""
    code = 1
    try:
        run(words, folder)
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except KeyboardInterrupt:
        code = 130
    finally:
        atexit._run_exitfuncs()
        os._exit(code)


def serve() -> None:
    """Fork for every line."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    X, y = np.random.default_rng(0).random((40, 6)), np.arange(40) < 8
    render([summarise(FSCPU(2, max_iter=1, random_state=0, n_jobs=1).fit(X, y), X, y)])  # loads what is compiled
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    for line in iter(sys.stdin.readline, ""):
        child = os.fork()
        if child == 0:
            become(*json.loads(line))
        print(child, file=answers)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), file=answers)


if __name__ == "__main__":
    serve()
