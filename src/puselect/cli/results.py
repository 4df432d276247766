"""Commands on saved results: ``puselect apply`` and ``puselect report``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puselect.cli import options
from puselect.cli.application import command, console, finishing, printable
from puselect.cli.options import OUT, TABLE, option, tell
from puselect.cli.progress import working
from puselect.cli.writing import check_outputs, output_file, write_each, written

if TYPE_CHECKING:
    from puselect.fscpu.final_clusters import Candidates
    from puselect.fscpu.row_model import RowModel
    from puselect.report import Selection
    from puselect.tables.frames import pl
    from puselect.tables.loading import AppliedTable

SHOWN = 10

Result = Annotated[Path, typer.Argument(metavar="RESULT.json", help="A result of select, written with -o.")]
RowId = Annotated[
    str | None, option(TABLE, "COL", "Column that names the rows (default: as in select); none to number them.", "--id")
]
RowsFile = Annotated[
    Path | None,
    option(OUT, "FILE", "Write the rows, most likely positive first: id, rank, lift, confidence, selected columns "
           "(csv, csv.gz, tsv, parquet, arrow).", "-o", "--output"),
]
Results = Annotated[
    list[Path], typer.Argument(metavar="RESULT...", help="JSON files from select and compare (-o).")
]
ReportFile = Annotated[Path, typer.Option("-o", "--output", metavar="FILE.html", help="Where to write the report.")]


@command
def apply(
    result: Result,
    data: options.Data,
    row_id: RowId = None,
    output: RowsFile = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Apply a saved selection to another file: take its columns, and find likely positives among its rows.

    Columns are read as in select: the same types and formats, categories and medians. Values that cannot be read are
    counted; if they are most of a column, it is an error. The labels of the new file, if it has any, are not used.
    """
    from puselect.report import Selection, read_result
    from puselect.tables.files import output_format, write_table
    from puselect.tables.loading import apply_encoders

    options.be_quiet(quiet, output)
    check_outputs({"-o": output}, [result, data])
    file_format = "" if output is None else output_format(output)
    selection = read_result(result)
    if not isinstance(selection, Selection):
        raise ValueError(f"{result} is a comparison of methods; apply needs a result of select")
    usual = None if selection.candidates is None else selection.candidates.row_name
    with working(f"reading {data}"):
        table = apply_encoders(data, selection.recipes, selected_columns(selection), row_id, usual or None)
    model = None if selection.model is None else selection.model.restore()
    found = None if model is None else model.candidates(table.X)
    with finishing():
        write_each((output, lambda file: write_table(ranked_rows(table, model, found), file, file_format)))
    if not quiet:
        show(table, found)


def ranked_rows(table: "AppliedTable", model: "RowModel | None", found: "Candidates | None") -> "pl.DataFrame":
    """Return all rows, those that are most likely positive first; without a model in the order of the file."""
    if model is None or found is None:
        return table.rows.select([*table.sources, table.rows.name or ""])
    order = (-model.scores(table.X)).argsort(kind="stable").tolist()
    candidates = set(found.rows.tolist())
    return table.rows.ranked(found, table.sources, [row for row in order if row not in candidates])


def selected_columns(selection: "Selection") -> list[str]:
    """Return the columns of the selected features, in the order of the model."""
    if selection.model is not None:
        return list(selection.model.features)
    chosen = (feature for feature in selection.features if feature.selected)
    return [name for feature in chosen for name in (feature.members or (feature.name,))]


def show(table: "AppliedTable", found: "Candidates | None") -> None:
    """Print what was found and written."""
    from puselect.phrases import counted, times

    tell(f"{counted(len(table.X), 'row')}, {counted(len(table.sources), 'selected column')}")
    for note in table.notes:
        tell(f"{'warning' if note.is_many else 'note'}: {note}")
    if found is not None:
        likely = "" if found.n_likely is None else f", {found.n_likely} of them with a probability of 50% or more"
        console.print(f"{counted(len(found.rows), 'candidate positive')}{likely}")
        for place, row in enumerate(found.rows[:SHOWN]):
            name = printable(f"{table.rows.name or 'row'} {table.rows.names[row]}")
            sure = "" if found.confidence is None else f"{found.confidence[place]:.0%}, "
            console.print(f"  {name}: {sure}{times(found.lift[place])} times as often as an average row", markup=False)
    for path in written:
        tell(f"written: {path}")


@command
def report(results: Results, output: ReportFile, quiet: options.Quiet = False, debug: options.Debug = False) -> None:
    """Write a report on saved results: one HTML file."""
    from puselect.report import read_result
    from puselect.report.render import render

    options.be_quiet(quiet, output)
    check_outputs({"-o": output}, results)
    page = render([read_result(path) for path in results])
    with output_file(output) as file:
        file.write(page.encode())
    tell(f"written: {output}")
