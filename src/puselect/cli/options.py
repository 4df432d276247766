"""Options that several commands share, and reading the table they describe."""

import csv
import re
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puselect.cli.application import messages, printable

if TYPE_CHECKING:
    from puselect.tables import LoadedTable, TableSpec

TABLE, WHAT, HOW, OUT = "The table", "What to select", "How", "Output"
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


def memory_size(text: str | int) -> int:
    """Return the number of bytes that a size such as 500MB or 2GB means.

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
        raise typer.BadParameter(f"expected a size such as 500MB or 2GB, got {text!r}")
    return size


Data = Annotated[
    str, typer.Argument(metavar="DATA", help="CSV or TSV (plain or gzipped), Parquet or Arrow; - for standard input.")
]
Label = Annotated[
    str, typer.Option("--label", "-l", metavar="COL", help="Column that marks the known positives.", show_default=False)
]
Positive = Annotated[
    str | None,
    typer.Option(metavar="VALUE", help="Value of that column for known positives (default: 1, true, yes, ...).",
                 rich_help_panel=TABLE),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="COLS", help="Columns to leave out, comma-separated.", rich_help_panel=TABLE),
]
Prepare = Annotated[
    bool, typer.Option("--prepare", rich_help_panel=TABLE,
                       help="Encode text and dates, fill missing values, leave out identifiers and copies."),
]
Use = Annotated[
    list[str] | None,
    typer.Option(metavar="COLS", help="With --prepare: columns to use although they look like identifiers.",
                 rich_help_panel=TABLE),
]
RowId = Annotated[
    list[str] | None,
    typer.Option("--id", metavar="COL", help="Column that names the rows; shown with candidates, never selected.",
                 rich_help_panel=TABLE),
]
RowGroup = Annotated[
    str | None, typer.Option(metavar="COL", rich_help_panel=TABLE,
                             help="Column that tells which rows belong together, such as a patient's; never selected.")
]
MissingCodes = Annotated[
    list[str] | None,
    typer.Option("--missing", metavar="VALUES", help="Numbers that stand for missing, as in --missing=-9,99.",
                 rich_help_panel=TABLE),
]
DropDuplicates = Annotated[
    float | None,
    typer.Option(min=0.5, max=1, metavar="R", rich_help_panel=TABLE,
                 help="Leave out columns whose rank correlation with an earlier one is R or more, as in .99."),
]
Encode = Annotated[
    bool, typer.Option("--encode", help="One-hot encode text and turn dates into numbers instead of leaving them out.",
                       rich_help_panel=TABLE),
]
MaxCategories = Annotated[
    int, typer.Option(min=2, metavar="N", help="With --encode: leave out columns with more values.",
                      rich_help_panel=TABLE),
]
Impute = Annotated[
    str | None,
    typer.Option(metavar="median", help="Fill missing and infinite values with the column's median.",
                 rich_help_panel=TABLE),
]
MaxRows = Annotated[
    int | None,
    typer.Option(min=2, metavar="N", help="Read at most N rows: all labelled ones and a random sample.",
                 rich_help_panel=TABLE),
]
MaxMemory = Annotated[
    int | None,
    typer.Option(parser=memory_size, metavar="SIZE", rich_help_panel=TABLE,
                 help="Limit the rows by memory, as in 2GB (default: a quarter of the machine's)."),
]
Seed = Annotated[int, typer.Option(min=0, metavar="S", help="Random seed.", rich_help_panel=HOW)]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print nothing but errors.", rich_help_panel=OUT)
]
Json = Annotated[
    bool, typer.Option("--json", help="Print the result as JSON.", rich_help_panel=OUT)
]
Report = Annotated[
    Path | None, typer.Option(metavar="FILE.html", help="Write a report for the browser, readable offline.",
                              rich_help_panel=OUT),
]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE.json", help="Write the result as JSON.", rich_help_panel=OUT),
]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.", rich_help_panel=OUT)]


def check_choice(option: str, value: str | None, choices: Any) -> None:
    """Raise a usage error if a value is not among the choices."""
    if value is not None and value not in choices:
        from puselect.cli.wording import nearest

        raise typer.BadParameter(
            f"{value!r} is not one of {', '.join(choices)}{nearest(value, list(choices))}", param_hint=option
        )


def check_method(option: str, name: str) -> None:
    """Raise an error if a method is not known or not installed, before the table is read."""
    from puselect.methods import IN_PAPER, PAPER_HINT, REGISTRY

    if name in IN_PAPER and name not in REGISTRY:
        raise typer.BadParameter(f"{name} {PAPER_HINT}", param_hint=option)
    check_choice(option, name, REGISTRY)
    check_extra(REGISTRY[name].extra)


def check_extra(name: str) -> None:
    """Raise an error if an optional dependency is not installed, before the table is read."""
    if name:
        try:
            import_module(name)
        except ImportError as error:
            raise ImportError(f"{name} is not installed: pip install {name}") from error


def check_quiet(quiet: bool, *outputs: object) -> None:
    """Raise a usage error if `--quiet` is given without any output."""
    if quiet and not any(outputs):
        raise typer.BadParameter("no output requested: add -o FILE, --report FILE or --json", param_hint="--quiet")


def split_names(texts: Iterable[str] | None) -> tuple[str, ...]:
    """Return the names in comma-separated lists; a name with a comma goes in double quotes.

    Examples
    --------
    >>> split_names(["age, income", '"height, cm"'])
    ('age', 'income', 'height, cm')
    """
    rows = csv.reader(texts or (), skipinitialspace=True)
    return tuple(dict.fromkeys(name.strip() for row in rows for name in row if name.strip()))


def single_name(option: str, texts: Iterable[str] | None) -> str | None:
    """Return the only name that was given, or raise a usage error."""
    names = split_names(texts)
    if len(names) > 1:
        raise typer.BadParameter(f"one column is needed, got {len(names)}: {', '.join(names)}", param_hint=option)
    return names[0] if names else None


def missing_codes(texts: Iterable[str] | None) -> tuple[str, ...]:
    """Return the values that stand for missing, or raise a usage error if one is not a number."""
    codes = split_names(texts)
    for code in codes:
        try:
            float(code)
        except ValueError as error:
            raise typer.BadParameter(f"numbers are needed, got {code!r}", param_hint="--missing") from error
    return codes


def quoted_name(name: str) -> str:
    """Return a name as `split_names` reads it.

    Examples
    --------
    >>> quoted_name("age"), quoted_name("height, cm")
    ('age', '"height, cm"')
    """
    return '"' + name.replace('"', '""') + '"' if set(name) & set(',"') else name


def open_table(data: str, spec: "TableSpec", quiet: bool) -> "LoadedTable":
    """Read the table and print its size and the notes on it."""
    from puselect.cli.progress import working
    from puselect.cli.wording import note_text
    from puselect.phrases import counted
    from puselect.tables import load_table

    check_choice("--impute", spec.impute, ["median"])
    with working(f"reading {data}", quiet):
        table = load_table(data, spec)
    if not quiet:
        tell(f"{len(table.y)} rows, {len(table.encoders)} usable features, {counted(int(table.y.sum()), 'row')} with "
             f"{table.label} = {table.positive}")
        tell_notes(map(note_text, table.notes))
    return table


def table_notes(table: "LoadedTable") -> list[str]:
    """Return what a result says about its table."""
    from puselect.cli.wording import note_text, reason_text

    left_out = [f"left out: {column.name}, {reason_text(column)}" for column in table.left_out]
    return [*map(note_text, table.notes), *left_out]


def tell_notes(notes: Iterable[str]) -> None:
    """Write notes to standard error."""
    for note in notes:
        tell(f"note: {note}")


def tell(text: str) -> None:
    """Write a line to standard error."""
    messages.print(printable(text), markup=False, style="dim")
