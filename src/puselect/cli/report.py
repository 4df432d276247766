"""``puselect report``."""

from pathlib import Path
from typing import Annotated

import typer

from puselect.cli import options
from puselect.cli.application import app
from puselect.cli.options import tell
from puselect.cli.writing import check_outputs, output_file

Results = Annotated[
    list[Path], typer.Argument(metavar="RESULT...", help="JSON files from select and compare (-o).")
]
Output = Annotated[Path, typer.Option("-o", "--output", metavar="FILE.html", help="Where to write the report.")]


@app.command()
def report(results: Results, output: Output, quiet: options.Quiet = False, debug: options.Debug = False) -> None:
    """Write a report on saved results: one HTML file."""
    from puselect.report import read_result
    from puselect.report.render import render

    check_outputs({"-o": output}, results)
    for path in results:
        if path.is_dir():
            raise IsADirectoryError(f"{path} is a folder; if it holds a study, use puselect report-study")
    page = render([read_result(path) for path in results])
    with output_file(output) as file:
        file.write(page.encode())
    if not quiet:
        tell(f"written: {output}")
