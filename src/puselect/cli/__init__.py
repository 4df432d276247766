"""The command line: each command parses, calls one function, prints. One module per family of commands."""

import sys

try:
    import rich  # noqa: F401
    import typer  # noqa: F401
except ImportError:
    sys.exit("the puselect command needs the extra 'cli': pip install 'puselect[cli]'")

from puselect.cli import bench, demo, report, reproduce  # noqa: F401  registers the commands
from puselect.cli.application import app


def main() -> None:
    """Run the command line."""
    app()
