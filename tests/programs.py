"""Programs that tests start and wait for."""

import signal
import subprocess
import sys

PATIENCE = 180


def hear_signals():
    """Undo what nohup and background jobs of a shell ignore."""
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def start(code, *words, **settings):
    """Start ``python -c code words``."""
    command = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.Popen(command, **{"text": True, "preexec_fn": hear_signals, **settings})


def run(code, *words, stdin=subprocess.DEVNULL, meanwhile=None, **settings):
    """Run ``python -c code words`` to its end; `meanwhile` is called with the process."""
    with start(code, *words, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **settings) as process:
        try:
            if meanwhile is not None:
                meanwhile(process)
            output, errors = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    return subprocess.CompletedProcess(words, process.returncode, output, errors)
