"""The puselect command as users run it: as a process of its own, in a pipe or in a terminal."""

import os
import pty
import select
import shlex
import sys
import time

import numpy as np
import polars as pl
from programs import PATIENCE, run, start

STRICT = "import warnings, numba, scipy.stats, sklearn.ensemble; warnings.simplefilter('error')"
"""Warnings are errors, but for those of libraries while they are imported."""
CODE = f"{STRICT}; from puselect.cli import main; main()"
SLOWLY = f"""
{STRICT}
import time
from puselect.cli import main
from puselect.search.progress import watching
from puselect.fscpu import search_run
search_run.SAVE_SECONDS = 0.0
with watching(lambda step: time.sleep(0.02)):
    main()
"""
COMMAND = [sys.executable, "-c", CODE]
ENVIRONMENT = {**os.environ, "TERM": "xterm-256color"}


def in_shell(first=""):
    """Return the command as a shell runs it; `first` is code to run before it."""
    return shlex.join([sys.executable, "-c", first + CODE])


def puselect(*words, **settings):
    """Run the command to its end through pipes."""
    return run(CODE, *words, env=ENVIRONMENT, **settings)


def puselect_signalled(number, ready, *words, code=SLOWLY, temporary=None, **settings):
    """Run the command in a group of its own; signal the group once it is ready.

    `ready` is a file that then exists, or a function of the process number. The command hears the signal even if this
    process ignores it, as one started by nohup does. By default it saves its checkpoint after each step, and sleeps.
    """
    is_ready = ready if callable(ready) else lambda process: ready.exists()
    environment = ENVIRONMENT if temporary is None else {**ENVIRONMENT, "TMPDIR": str(temporary)}

    def send(process):
        deadline = time.monotonic() + PATIENCE
        while process.poll() is None and not is_ready(process.pid) and time.monotonic() < deadline:
            time.sleep(0.02)
        os.killpg(process.pid, number)

    return run(code, *words, env=environment, start_new_session=True, meanwhile=send, **settings)


def puselect_in_terminal(*words, cwd, press=None, code=CODE):
    """Run the command in a pseudo-terminal; `press` is (text to wait for, keys to press then)."""
    keyboard, terminal = pty.openpty()
    environment = {**ENVIRONMENT, "COLUMNS": "110"}
    process = start(code, *words, cwd=cwd, env=environment, preexec_fn=lambda: os.login_tty(terminal))
    os.close(terminal)
    seen, deadline = b"", time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if select.select([keyboard], [], [], 0.1)[0]:
            try:
                seen += os.read(keyboard, 65536)
            except OSError:  # the other end is closed
                break
        if press is not None and press[0] in seen:
            os.write(keyboard, press[1])
            press = None
    else:
        process.kill()
    os.close(keyboard)
    return process.wait(PATIENCE), seen.decode(errors="replace")


def clusters_table(n_rows=400, n_noise=4, seed=0):
    """A table whose columns "signal 0" to "signal 2" put the 40 labelled rows into one cluster."""
    rng = np.random.default_rng(seed)
    positive = np.arange(n_rows) < 60
    signal_columns = {f"signal {i}": rng.normal(4.0 * positive, 1.0) for i in range(3)}
    noise = {f"noise {i}": rng.random(n_rows) for i in range(n_noise)}
    return pl.DataFrame({**signal_columns, **noise, "label": (np.arange(n_rows) < 40).astype(int)})


def noise_table(n_rows=300, n_columns=24):
    """A table without any signal, on which a search goes on to its last step."""
    columns = {f"c{i}": column for i, column in enumerate(np.random.default_rng(0).random((n_columns, n_rows)))}
    return pl.DataFrame({**columns, "label": (np.arange(n_rows) < 30).astype(int)})
