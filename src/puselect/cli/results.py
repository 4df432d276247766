"""Commands on saved results: ``puselect apply`` and ``puselect report``."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puselect.cli import options
from puselect.cli.application import command, console, finishing, printable
from puselect.cli.options import OUT, option, tell
from puselect.cli.progress import working
from puselect.cli.writing import Output, check_outputs, output_file, write_each, written

if TYPE_CHECKING:
    from puselect.fscpu.final_clusters import Candidates
    from puselect.report import Selection
    from puselect.tables.loading import AppliedTable

SHOWN = 10

Result = Annotated[Path, typer.Argument(metavar="RESULT.json", help="A result of select, written with -o.")]
DataOut = Annotated[
    Path | None, option(OUT, "FILE", "Write the selected columns of all rows (csv, csv.gz, tsv, parquet, arrow).")
]
CandidatesOut = Annotated[
    Path | None,
    option(OUT, "FILE.csv", "Write the candidate positives, most likely first, with lift and selected columns.",
           "--candidates"),
]
Results = Annotated[
    list[Path], typer.Argument(metavar="RESULT...", help="JSON files from select and compare (-o).")
]
ReportFile = Annotated[Path, typer.Option("-o", "--output", metavar="FILE.html", help="Where to write the report.")]


@command
def apply(
    result: Result,
    data: options.Data,
    row_id: options.RowId = None,
    data_out: DataOut = None,
    candidates: CandidatesOut = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Apply a saved selection to another file: take its columns, and find likely positives among its rows.

    Columns are read as in select: the same types and formats, categories and medians. Values that cannot be read are
    counted; if they are most of a column, it is an error. The labels of the new file, if it has any, are not used.
    """
    from puselect.tables.files import output_format
    from puselect.tables.loading import apply_encoders

    if quiet and not (data_out or candidates):
        raise typer.BadParameter("no output requested: add --data-out FILE or --candidates FILE", param_hint="--quiet")
    check_outputs({"--data-out": data_out, "--candidates": candidates}, [result, data])
    data_format = "" if data_out is None else output_format(data_out)
    selection = read_selection(result)
    row_name = options.single_name("--id", row_id)
    with working(f"reading {data}", quiet):
        table = apply_encoders(data, selection.recipes, selected_columns(selection), row_name)
    found = score(selection, table, candidates is not None)
    outputs: list[Output] = [(data_out, lambda file: table.write(file, data_format))]
    if found is not None:
        outputs.append((candidates, partial(table.rows.write_candidates, found, table.sources)))
    with finishing():
        write_each(*outputs)
    if not quiet:
        show(table, found, written)


def read_selection(path: Path) -> "Selection":
    """Return a saved selection; a ValueError for a comparison."""
    from puselect.report import Selection, read_result

    selection = read_result(path)
    if not isinstance(selection, Selection):
        raise ValueError(f"{path} is a comparison of methods; apply needs a result of select")
    return selection


def selected_columns(selection: "Selection") -> list[str]:
    """Return the columns of the selected features, in the order of the model."""
    if selection.model is not None:
        return list(selection.model.features)
    chosen = (feature for feature in selection.features if feature.selected)
    return [name for feature in chosen for name in (feature.members or (feature.name,))]


def score(selection: "Selection", table: "AppliedTable", is_wanted: bool) -> "Candidates | None":
    """Return the candidate positives; None if the result holds no model of rows."""
    if selection.model is not None:
        return selection.model.restore().candidates(table.X)
    if is_wanted:
        raise ValueError("the result holds no model to rank rows with; select with --method fscpu")
    return None


def show(table: "AppliedTable", found: "Candidates | None", written: list[Path]) -> None:
    """Print what was found and written."""
    from puselect.phrases import counted

    tell(f"{counted(len(table.X), 'row')}, {counted(len(table.sources), 'selected column')}")
    for note in table.notes:
        tell(f"{'warning' if note.is_many else 'note'}: {note}")
    if found is not None:
        likely = "" if found.n_likely is None else f", {found.n_likely} of them with a probability of 50% or more"
        console.print(f"{counted(len(found.rows), 'candidate positive')}{likely}")
        for place, row in enumerate(found.rows[:SHOWN]):
            name = printable(f"{table.rows.name or 'row'} {table.rows.names[row]}")
            sure = "" if found.confidence is None else f"{found.confidence[place]:.0%}, "
            console.print(f"  {name}: {sure}{found.lift[place]:.1f} times as often as an average row", markup=False)
    for path in written:
        tell(f"written: {path}")


@command
def report(results: Results, output: ReportFile, quiet: options.Quiet = False, debug: options.Debug = False) -> None:
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
