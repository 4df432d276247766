"""``puselect next``: which rows to label."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puselect.cli import options
from puselect.cli.application import command, finishing
from puselect.cli.checking import CheckOptions
from puselect.cli.options import OUT, WHAT, TableOptions, open_table, option, tell, tell_notes
from puselect.cli.progress import working
from puselect.cli.select import SearchOptions, configure, fit, make_selector
from puselect.cli.writing import check_outputs, write_each

if TYPE_CHECKING:
    from puselect.arrays import IntArray
    from puselect.tables.frames import pl
    from puselect.tables.loading import LoadedTable

Number = Annotated[int, option(WHAT, "N", "Number of rows.", "-n", "--rows", min=1)]
RowsFile = Annotated[
    Path,
    option(OUT, "FILE", "Write the rows: id, an empty label, selected columns (csv, csv.gz, tsv, parquet, arrow).",
           "-o", "--output", show_default=False),
]


@command
def next(
    *, data: options.Data, table: TableOptions, search: SearchOptions, output: RowsFile, n: Number = 20,
    quiet: options.Quiet = False, debug: options.Debug = False,
) -> None:
    """Propose the rows to label next. Fill in their labels, and pass the file to select --labels."""
    from puselect.fscpu.selector import FSCPU
    from puselect.tables.files import output_format, write_table

    search.check()
    options.be_quiet(quiet, output)
    check_outputs({"-o": output}, [data, search.costs, *(table.labels or ())])
    file_format = output_format(output)
    with working("starting"):
        selector = make_selector(search, CheckOptions(), wants_candidates=True)
    if not isinstance(selector, FSCPU):
        raise typer.BadParameter(f"not supported by method {search.method!r}; use 'fscpu'", param_hint="--method")
    loaded = open_table(data, table.spec(search.seed, search.keep))
    n_open = int((loaded.y == 0).sum())
    if n > n_open:
        raise ValueError(f"-n must be at most {n_open}, the number of unlabelled rows, got {n}")
    configure(selector, search, loaded)
    tell_notes(fit(selector, search, loaded)[1])
    with finishing():
        asked = selector.next_rows(loaded.X, loaded.y, n)
        columns = loaded.columns_of(selector.support_)
        write_each((output, lambda file: write_table(rows_to_label(loaded, asked.rows, columns), file, file_format)))
    tell(f"fill in {loaded.label} ({loaded.positive} for a positive, empty if you cannot tell), then add "
         f"--labels {output} to select")
    tell(f"written: {output}")


def rows_to_label(table: "LoadedTable", rows: "IntArray", columns: list[str]) -> "pl.DataFrame":
    """Return the names of the rows, an empty label, and columns of the file."""
    from puselect.tables.frames import pl

    shown = table.rows.select(columns)[rows.tolist()]
    names = pl.Series(table.row_column, table.rows.names[rows].tolist())
    return pl.DataFrame([names, pl.Series(table.label, [None] * len(rows), dtype=pl.String)]).hstack(shown)
