"""Options that several commands share, and reading the table they describe."""

import csv
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from puselect.cli.application import messages, printable, told_at

if TYPE_CHECKING:
    from puselect.tables.loading import LoadedTable, TableSpec

TABLE, WHAT, HOW, OUT = "The table", "What to select", "How", "Output"
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


def memory_size(text: str | int) -> int:
    """Return the number of bytes that a size such as 500MB or 2GB means."""
    match = re.fullmatch(r"\s*([0-9.]+)\s*([kmgt]?)i?b?\s*", str(text).lower())
    try:
        size = int(float(match[1]) * UNITS[match[2]]) if match else 0
    except ValueError:
        size = 0
    if size <= 0:
        raise typer.BadParameter(f"expected a size such as 500MB or 2GB, got {text!r}")
    return size


def option(panel: str, metavar: str, help: str, *names: str, **settings: Any) -> Any:
    """Return an option for a panel of the help; a flag has no metavar, and needs its name."""
    return typer.Option(*names, metavar=metavar, help=help, rich_help_panel=panel, **settings)


Data = Annotated[
    str, typer.Argument(metavar="DATA", help="CSV or TSV (plain or gzipped), Parquet or Arrow; - for standard input.")
]
RowId = Annotated[
    str | None, option(TABLE, "COL", "Column that names the rows; shown with candidates, never selected.", "--id")
]
Seed = Annotated[int, option(HOW, "S", "Random seed.", min=0)]
Jobs = Annotated[int, option(HOW, "N", "Threads; -1 for all cores.")]
Output = Annotated[Path | None, option(OUT, "FILE.json", "Write the result as JSON.", "-o", "--output")]
Report = Annotated[Path | None, option(OUT, "FILE.html", "Write a report for the browser, readable offline.")]
Quiet = Annotated[bool, option(OUT, "", "Print nothing but errors.", "--quiet", "-q")]
Json = Annotated[bool, option(OUT, "", "Print the result as JSON.", "--json")]
Debug = Annotated[bool, option(OUT, "", "Show the traceback of an error.", "--debug")]


@dataclass(frozen=True)
class TableOptions:
    """Which columns and rows of a table to read, and how."""

    label: Annotated[
        str, option("Options", "COL", "Column that marks the known positives.", "--label", "-l", show_default=False)
    ]
    positive: Annotated[
        str | None, option(TABLE, "VALUE", "Value of that column for known positives (default: 1, true, yes, ...).")
    ] = None
    negative: Annotated[
        str | None, option(TABLE, "VALUE", "Value of that column for rows that were checked and are negative.")
    ] = None
    labels: Annotated[
        list[Path] | None,
        option(TABLE, "FILE", "Answers about rows, by --id or row number: a file of puselect next, filled in."),
    ] = None
    drop: Annotated[list[str] | None, option(TABLE, "COLS", "Columns to leave out, comma-separated.")] = None
    prepare: Annotated[
        bool,
        option(TABLE, "", "Encode text and dates, fill missing values, leave out identifiers and copies.",
               "--prepare"),
    ] = False
    use: Annotated[
        list[str] | None,
        option(TABLE, "COLS", "With --prepare: columns to use although they look like identifiers or leaks."),
    ] = None
    row_id: RowId = None
    row_group: Annotated[
        str | None,
        option(TABLE, "COL", "Column that tells which rows belong together, such as a patient's; never selected."),
    ] = None
    missing: Annotated[
        list[str] | None, option(TABLE, "VALUES", "Values that stand for missing, as in --missing=-9,age=0.")
    ] = None
    decimal: Annotated[
        Literal[".", ","] | None,
        option(TABLE, "MARK", "Decimal mark, . or , where 1,299 may also be a thousand (default: found)."),
    ] = None
    drop_duplicates: Annotated[
        float | None,
        option(TABLE, "R", "Leave out columns whose rank correlation with an earlier one is R or more, as in .99.",
               min=0.5, max=1),
    ] = None
    categories: Annotated[
        list[str] | None, option(TABLE, "COLS", "Columns of numbers that are categories, such as zip codes.")
    ] = None
    max_categories: Annotated[
        int, option(TABLE, "N", "Encode the N most frequent values of text, and pool the others.", min=2)
    ] = 20
    max_rows: Annotated[
        int | None, option(TABLE, "N", "Read at most N rows: all labelled ones and a random sample.", min=2)
    ] = None
    max_memory: Annotated[
        int | None,
        option(TABLE, "SIZE", "Limit the rows by memory, as in 2GB (default: a quarter of the machine's).",
               parser=memory_size),
    ] = None

    def spec(self, seed: int, keep: Iterable[str] | None = None, truth: str | None = None) -> "TableSpec":
        """Return what to read."""
        from puselect.tables.loading import TableSpec

        return TableSpec(
            self.label,
            self.positive,
            negative=self.negative,
            answers=tuple(self.labels or ()),
            truth=truth,
            drop=split_names(self.drop),
            keep=split_names(keep),
            id=self.row_id,
            row_group=self.row_group,
            prepare=self.prepare,
            use=split_names(self.use),
            missing_codes=split_names(self.missing),
            decimal=self.decimal,
            drop_duplicates=self.drop_duplicates,
            categories=split_names(self.categories),
            max_categories=self.max_categories,
            max_rows=self.max_rows,
            max_memory=self.max_memory,
            seed=seed,
        )


def check_choice(option: str, value: str | None, choices: Iterable[str]) -> None:
    """Raise a usage error if a value is not among the choices."""
    if value is not None and value not in choices:
        from puselect.tables.errors import nearest

        raise typer.BadParameter(
            f"{value!r} is not one of {', '.join(choices)}{nearest(value, list(choices))}", param_hint=option
        )


def check_method(option: str, name: str) -> None:
    """Raise an error if a method is not known or not installed, before the table is read."""
    from puselect.methods import REGISTRY

    try:
        extra = REGISTRY[name].extra
    except KeyError as error:
        raise typer.BadParameter(error.args[0], param_hint=option) from error
    if extra and find_spec(extra) is None:
        raise ImportError(f"{extra} is not installed: pip install {extra}")


def be_quiet(quiet: bool, *outputs: object) -> None:
    """Print no messages from here on, if asked for; a usage error if there is no output either."""
    if quiet and not any(outputs):
        raise typer.BadParameter("no output requested: add -o FILE", param_hint="--quiet")
    messages.quiet = quiet


def split_names(texts: Iterable[str] | None) -> tuple[str, ...]:
    """Return the names in comma-separated lists; a name with a comma goes in double quotes.

    Examples
    --------
    >>> split_names(["age, income", '"height, cm"'])
    ('age', 'income', 'height, cm')
    """
    rows = csv.reader(texts or (), skipinitialspace=True)
    return tuple(dict.fromkeys(name.strip() for row in rows for name in row if name.strip()))


def open_table(data: str, spec: "TableSpec", tells_all: bool = False) -> "LoadedTable":
    """Read the table and print its size and the notes on it, and also the columns left out if it `tells_all`."""
    from puselect.cli.progress import working
    from puselect.phrases import counted, shortened

    with working(f"reading {data}"):
        from puselect.report.findings import note_lines
        from puselect.tables.loading import load_table

        table = load_table(data, spec)
    n_columns, n_negative = len(table.encoders) + len(table.left_out), int((table.y == -1).sum())
    tell(f"{len(table.y)} rows, {len(table.encoders)} of {n_columns} columns usable as features, "
         f"{counted(int((table.y == 1).sum()), 'row')} with {table.label} = {table.positive}"
         + (f", {counted(n_negative, 'checked negative')}" if n_negative else ""))
    tell_notes(note_lines(table.notes))
    for reason in dict.fromkeys(map(str, table.left_out)) if tells_all else ():
        names = [column.name for column in table.left_out if str(column) == reason]
        tell(f"left out, {reason}: {shortened(names)}")
    return table


def tell_notes(notes: Iterable[str]) -> None:
    """Write notes to standard error."""
    for note in notes:
        tell(f"note: {note}")


def tell(text: str) -> None:
    """Write a line to standard error."""
    told_at[0] = time.monotonic()
    messages.print(printable(text), markup=False, style="dim")
