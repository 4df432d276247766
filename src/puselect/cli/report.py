"""``puselect report``."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from puselect.cli.application import app, console
from puselect.studies import report_study


@app.command()
def report(
    directory: Annotated[Path, typer.Argument(help="Folder of a study: the --out of puselect reproduce.")],
    out: Annotated[Path | None, typer.Option("--out", help="Write the report here instead.")] = None,
) -> None:
    """Write tables and figures anew from the results of a study: report.html, report.md, figures."""
    try:
        page = report_study(directory, out)
    except (ValueError, OSError) as error:
        console.print(f"[red]error:[/red] {escape(str(error))}", soft_wrap=True)
        raise typer.Exit(2) from error
    console.print(f"report: [bold]{escape(str(page))}[/bold]", soft_wrap=True)
