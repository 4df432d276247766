"""The command line. Each command is a module that parses its options, calls the library and prints.

Other packages add commands by entry points of the group ``puselect.commands``, which name a function for typer.
"""

import io
import signal
import sys
from importlib.metadata import entry_points

try:
    import rich  # noqa: F401
    import typer  # noqa: F401
except ImportError:
    sys.exit("the puselect command needs more libraries: pip install typer rich polars jinja2")

from puselect.cli import check, compare, demo, results, select  # noqa: F401  registers
from puselect.cli.application import app

for entry in entry_points(group="puselect.commands"):
    app.command(entry.name)(entry.load())


def main() -> None:
    """Run the command line."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # no SIGHUP on Windows
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores it on purpose
            signal.signal(number, lambda number, _: sys.exit(128 + number))  # removes temporary files
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # the terminal may not be able to show every name
    app(prog_name="puselect")
