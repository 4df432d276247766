"""Python programs in forks of a process that has imported the libraries, which is most of a short program's time.

``python tests/fork_server.py serve SOCKET`` forks for every request. A fork is what ``python -c CODE WORDS`` is once it
has imported NumPy, SciPy, scikit-learn and numba: it has the descriptors, folder, environment, signals and, if asked
for, the session and terminal that it was given; it imports puselect afresh and ends as the interpreter ends. Between it
and the server stands a process that waits for it and tells its number and its end. The server computes nothing, and
does without libraries that start threads: they would not survive a fork.

``python -I -S tests/fork_server.py call SOCKET CODE WORDS`` is for shells: the same with its own standard streams.
"""

import array
import json
import os
import socket
import sys

LIBRARIES = [
    "scipy.linalg", "scipy.optimize", "scipy.sparse", "scipy.special", "scipy.stats", "sklearn.cluster",
    "sklearn.datasets", "sklearn.ensemble", "sklearn.feature_selection", "sklearn.linear_model", "sklearn.metrics",
    "sklearn.mixture", "sklearn.model_selection", "sklearn.neighbors", "sklearn.pipeline", "sklearn.preprocessing",
    "numba", "numba.np.linalg", "numba.np.npyimpl", "numba.np.random.generator_methods", "numba.typed", "joblib",
    "jinja2", "rich.progress", "typer",
]  # fmt: skip
LONGEST = 1 << 20
"""Characters of a request."""


def ask(path, streams, code, words, *, folder, environment, session=False, terminal=False):
    """Start a program; return its process number and a file with a line to come: its exit code."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    wanted = {"code": code, "words": [str(word) for word in words], "folder": str(folder), "session": session,
              "environment": dict(environment), "terminal": terminal}  # fmt: skip
    descriptors = array.array("i", streams)
    connection.sendmsg([b"\n"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)])
    connection.sendall(json.dumps(wanted).encode() + b"\n")
    answers = connection.makefile("r")
    connection.close()  # the file keeps it open
    return int(answers.readline()), answers


def serve(path):
    """Fork for every request until standard input ends; return, in a fork, the code to run."""
    import gc
    import select
    import signal
    from importlib import import_module

    for name in LIBRARIES:
        import_module(name)
    prepare_numba()
    gc.freeze()  # what is never looked at is never copied
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the tests
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    print("ready", flush=True)
    while 0 not in select.select([0, listener], [], [])[0]:
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            return stand_between(connection)
        connection.close()
        reap()
    return ""


def prepare_numba():
    """Do what numba does before it runs its first function, compiled or from the cache."""
    import numba

    numba.njit(lambda: 0)()


def reap():
    """Take note of processes that have ended, so that their time is counted."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def stand_between(connection):
    """Fork, and tell of the program's end; return the code to run in the program."""
    _, streams, _, _ = socket.recv_fds(connection, 1, 3)
    wanted = json.loads(connection.makefile().readline())
    program = os.fork()
    if program == 0:
        connection.close()
        become(streams, **{name: wanted[name] for name in ("words", "folder", "environment", "session", "terminal")})
        return wanted["code"]
    for stream in (0, 1, 2, *streams):
        os.close(stream)
    connection.sendall(f"{program}\n".encode())
    _, status = os.waitpid(program, 0)
    connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def become(streams, words, folder, environment, session, terminal):
    """Make this process what the one that was asked for would be at its start."""
    import io
    import signal
    import types
    import warnings

    if session or terminal:
        os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    if terminal:
        import fcntl
        import termios

        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        old = getattr(sys, name)
        file = io.FileIO(number, "r" if name == "stdin" else "w", closefd=False)
        buffer = io.BufferedReader(file) if name == "stdin" else io.BufferedWriter(file)
        lines = not old.write_through and (os.isatty(number) or name == "stderr")
        like = {"encoding": old.encoding, "errors": old.errors, "write_through": old.write_through}
        new = io.TextIOWrapper(buffer, line_buffering=lines, **like)
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    if environment.get("PYTHONWARNINGS") == "error":
        warnings.simplefilter("error")
    sys.argv, sys.path[0] = ["-c", *words], ""
    sys.modules["__main__"] = types.ModuleType("__main__")


def call(path, code, *words):
    """Run a program with the streams of this process; return its exit code as a shell would."""
    _, answers = ask(path, [0, 1, 2], code, words, folder=os.getcwd(), environment=os.environ)
    ended = int(answers.readline())
    return ended if ended >= 0 else 128 - ended


if __name__ == "__main__":
    if sys.argv[1] == "call":
        sys.exit(call(*sys.argv[2:]))
    server = sys.modules["__main__"]  # its names are needed though it will be another module
    exec(compile(serve(sys.argv[2]), "<string>", "exec"), vars(sys.modules["__main__"]))
