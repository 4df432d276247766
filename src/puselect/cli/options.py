"""Options that several commands share, and the door through which their table comes in."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puselect.cli.application import messages, printable

if TYPE_CHECKING:
    from puselect.tables import Problem, Reading

TABLE, WHAT, HOW, OUT = "The table", "What to select", "How", "Output"
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


def memory_size(text: str | int) -> int:
    """Return a number of bytes from text such as 500MB or 2GB.

    Examples
    --------
    >>> memory_size("1.5GB")
    1500000000
    """
    match = re.fullmatch(r"\s*([0-9.]+)\s*([kmgt]?)i?b?\s*", str(text).lower())
    try:
        size = int(float(match[1]) * UNITS[match[2]]) if match else 0
    except ValueError:
        size = 0
    if size <= 0:
        raise typer.BadParameter(f"wanted a size such as 500MB or 2GB, got {text!r}")
    return size


Data = Annotated[
    str, typer.Argument(metavar="DATA", help="CSV (also gzipped), TSV, Parquet or Arrow file; - reads CSV from a pipe.")
]
Label = Annotated[
    str, typer.Option("--label", "-l", metavar="COL", help="Column that marks the known positives.", show_default=False)
]
Positive = Annotated[
    str | None,
    typer.Option(metavar="VALUE", help="Its value for known positives (by default 1, true, yes, ...).",
                 rich_help_panel=TABLE),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="COLS", help="Columns to leave out, separated by commas.", rich_help_panel=TABLE),
]
Encode = Annotated[
    bool, typer.Option("--encode", help="One-hot encode text and date columns instead of leaving them out.",
                       rich_help_panel=TABLE),
]
MaxCategories = Annotated[
    int, typer.Option(min=2, metavar="N", help="With --encode: columns with more values are left out.",
                      rich_help_panel=TABLE),
]
Impute = Annotated[
    str | None,
    typer.Option(metavar="median", help="Fill missing and infinite values with the column's median.",
                 rich_help_panel=TABLE),
]
MaxRows = Annotated[
    int | None,
    typer.Option(min=2, metavar="N", help="Read at most so many rows: all labelled ones and random others.",
                 rich_help_panel=TABLE),
]
MaxMemory = Annotated[
    int | None,
    typer.Option(parser=memory_size, metavar="SIZE", rich_help_panel=TABLE,
                 help="The same by memory, as in 2GB (by default a quarter of the machine's)."),
]
Seed = Annotated[int, typer.Option(min=0, metavar="S", help="Of everything random.", rich_help_panel=HOW)]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Write nothing but errors to the terminal.", rich_help_panel=OUT)
]
Json = Annotated[
    bool, typer.Option("--json", help="Write the result to standard output, as JSON.", rich_help_panel=OUT)
]
Report = Annotated[
    Path | None, typer.Option(metavar="FILE.html", help="Write a report that opens in any browser, offline.",
                              rich_help_panel=OUT),
]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.", rich_help_panel=OUT)]


def check_choice(option: str, value: str | None, choices: Any) -> None:
    """Refuse a value that is not among the choices: a wrong call."""
    from puselect.tables.names import nearest

    if value is not None and value not in choices:
        raise typer.BadParameter(
            f"{value!r} is none of {', '.join(choices)}{nearest(value, list(choices))}",
            param_hint=option,
        )


def check_heard(quiet: bool, *outputs: object) -> None:
    """Refuse to work for nobody: a quiet call without any output."""
    if quiet and not any(outputs):
        raise typer.BadParameter("nothing would come out: add -o FILE, --report FILE or --json", param_hint="--quiet")


def open_table(data: str, reading: "Reading", quiet: bool) -> "Problem":
    """Read the table and tell what is worth knowing about it."""
    from puselect.tables import read_problem
    from puselect.tables.counts import counted

    check_choice("--impute", reading.impute, ["median"])
    problem = read_problem(data, reading)
    if not quiet:
        n_rows, n_features = problem.X.shape
        tell(f"{n_rows} rows, {n_features} usable features, {counted(problem.y.sum(), 'row')} with "
             f"{problem.label} = {problem.positive}")
        for note in problem.notes:
            tell(f"note: {note}")
    return problem


def tell(text: str) -> None:
    """Write a line to standard error."""
    messages.print(printable(text), markup=False, style="dim")
