"""``puselect report``."""

from pathlib import Path
from typing import Annotated

import typer

from puselect.cli import options
from puselect.cli.application import app
from puselect.cli.options import tell
from puselect.cli.writing import check_target, whole_files

Results = Annotated[
    list[Path],
    typer.Argument(metavar="RESULT...", help="JSON files from select and compare (-o), or one folder of a study."),
]
Out = Annotated[
    Path | None,
    typer.Option("-o", "--out", metavar="FILE.html", help="The report (of a study: by default in its folder)."),
]


@app.command()
def report(results: Results, out: Out = None, quiet: options.Quiet = False, debug: options.Debug = False) -> None:
    """Write a report on results that were kept: one HTML file."""
    if len(results) == 1 and (results[0].is_dir() or (out is None and not results[0].exists())):
        page = write_study(results[0], out)
    elif out is None:
        raise typer.BadParameter("say where the report goes: -o report.html", param_hint="--out")
    else:
        page = write(results, out)
    if not quiet:
        tell(f"written: {page}")


def write_study(folder: Path, out: Path | None) -> Path:
    """Write the report of a study."""
    from puselect.studies import report_study

    try:
        return report_study(folder, out)
    except ValueError as error:  # no study in this folder
        raise typer.BadParameter(str(error)) from error


def write(results: list[Path], out: Path) -> Path:
    """Write one report on several results."""
    from puselect.report import read_result, write_report

    check_target(out)
    for path in results:
        if path.is_dir():
            raise IsADirectoryError(f"{path} is a folder; a study is reported by itself, other results are files")
    found = [read_result(path) for path in results]
    with whole_files(out) as (scratch,):
        write_report(found, scratch or out)
    return out
