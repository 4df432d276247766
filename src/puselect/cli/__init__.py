"""The command line: each command parses, calls one function, prints. One module per family of commands."""

import io
import signal
import sys

try:
    import rich  # noqa: F401
    import typer  # noqa: F401
except ImportError:
    sys.exit("the puselect command needs the extra 'cli': pip install 'puselect[cli]'")

from puselect.cli import compare, demo, methods, report, reproduce, select  # noqa: F401  registers them
from puselect.cli.application import app


def main() -> None:
    """Run the command line."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # so that scratch files are removed
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a name that the terminal cannot show is no reason to fail
    app(prog_name="puselect")
