"""The application that the commands register with."""

from typing import Annotated

import typer
from rich.console import Console

from puselect._version import __version__

app = typer.Typer(
    help="Choose features from a handful of labelled positives among unlabelled rows.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
console = Console()


def show_version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        console.print(__version__)
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Choose features from a handful of labelled positives among unlabelled rows."""
