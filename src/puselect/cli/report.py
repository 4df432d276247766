"""``puselect report``."""

from pathlib import Path
from typing import Annotated

import typer

from puselect.cli import options
from puselect.cli.application import app
from puselect.cli.options import tell
from puselect.cli.writing import check_outputs, output_file

Results = Annotated[
    list[Path],
    typer.Argument(metavar="RESULT...", help="JSON files from select and compare (-o), or the folder of a study."),
]
Output = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="FILE.html", help="Where to write the report.")
]
Folder = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Of a study: where to write report and figures (default: the study's folder)."),
]


@app.command()
def report(
    results: Results,
    output: Output = None,
    folder: Folder = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Write a report on saved results: one HTML file."""
    is_study = len(results) == 1 and (results[0].is_dir() or (output is None and not results[0].exists()))
    if is_study and output is not None:
        raise typer.BadParameter("the report of a study is more than one file; use --folder DIR", param_hint="-o")
    if is_study:
        page = write_study(results[0], folder)
    elif output is None:
        raise typer.BadParameter("a file name is needed, as in -o report.html", param_hint="-o")
    else:
        page = write(results, output)
    if not quiet:
        tell(f"written: {page}")


def write_study(study: Path, folder: Path | None) -> Path:
    """Write the report of a study."""
    from puselect.studies import report_study

    try:
        return report_study(study, folder)
    except ValueError as error:  # not the folder of a study
        raise typer.BadParameter(str(error)) from error


def write(results: list[Path], output: Path) -> Path:
    """Write one report on several results."""
    from puselect.report import read_result
    from puselect.report.render import render

    check_outputs({"-o": output}, results)
    for path in results:
        if path.is_dir():
            raise IsADirectoryError(f"{path} is a folder; report a study on its own")
    page = render([read_result(path) for path in results])
    with output_file(output) as file:
        file.write(page.encode())
    return output
