"""Programs that tests start and wait for, in forks of a server that has imported the libraries (see `fork_server`)."""

import atexit
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from functools import cache

import fork_server

PATIENCE = 180


@cache
def server():
    """Start the server of this process; return the path of its socket."""
    folder = tempfile.mkdtemp(prefix="fork-server-")
    path = os.path.join(folder, "socket")
    one_thread = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
    process = subprocess.Popen(
        [sys.executable, fork_server.__file__, "serve", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**os.environ, **one_thread}, preexec_fn=_hear_signals,
    )  # fmt: skip
    atexit.register(shutil.rmtree, folder)
    atexit.register(process.communicate)
    assert process.stdout.readline() == b"ready\n"
    return path


def _hear_signals():
    """Undo what nohup and background jobs of a shell ignore."""
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


class Program:
    """A process that runs ``python -c code words`` with the given standard streams."""

    def __init__(self, code, *words, streams, cwd=None, env=None, session=False, terminal=False):
        self.returncode = None
        self.pid, self._answers = fork_server.ask(
            server(), streams, code, words, folder=cwd or os.getcwd(), environment=os.environ if env is None else env,
            session=session, terminal=terminal,
        )  # fmt: skip

    def poll(self):
        """Return the exit code, None as long as there is none."""
        return self.wait(0)

    def wait(self, timeout=PATIENCE):
        """Return the exit code, None if it has not come in time."""
        if self.returncode is None and select.select([self._answers], [], [], timeout)[0]:
            self.returncode = int(self._answers.readline())
            self._answers.close()
        return self.returncode

    def kill(self):
        """End it at once."""
        os.kill(self.pid, signal.SIGKILL)


def run(code, *words, stdin=None, meanwhile=None, **settings):
    """Run ``python -c code words`` to its end; `meanwhile` is called with the process."""
    with (
        open(os.devnull) as nothing, tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors
    ):  # fmt: skip
        streams = [file.fileno() for file in (stdin or nothing, output, errors)]
        program = Program(code, *words, streams=streams, **settings)
        try:
            if meanwhile is not None:
                meanwhile(program)
            if program.wait() is None:
                raise subprocess.TimeoutExpired(words, PATIENCE)
        finally:
            if program.poll() is None:
                program.kill()
                program.wait()
        output.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(words, program.returncode, output.read(), errors.read())
