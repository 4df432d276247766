"""``puselect select --dask``: files that the workers of a cluster read."""

import shlex
import sys
import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from puselect.cli.application import finishing, printable, stopping
from puselect.cli.options import tell, tell_notes
from puselect.cli.progress import search_progress
from puselect.cli.writing import result_outputs, write_each

if TYPE_CHECKING:
    from puselect.arrays import BoolArray
    from puselect.cli.select import Outputs
    from puselect.fscpu.dask_table import PartitionedTable
    from puselect.selectors.base import PUSelector


@dataclass(frozen=True)
class RemoteFiles:
    """The files of a table, its label, and the cluster that reads it."""

    data: str
    label: str
    positive: str | None
    drop: tuple[str, ...]
    address: str

    def open(self, client: Any) -> "tuple[PartitionedTable, BoolArray]":
        """Return the table, which the workers read, and the labels, which travel."""
        from puselect.fscpu.dask_table import PartitionedTable, check_workers
        from puselect.tables.labels import labelled_rows
        from puselect.tables.parquet import matching_files, number_columns, parquet_parts

        check_workers(client)
        paths = matching_files(self.data)
        columns = number_columns(paths, (self.label, *self.drop))
        y = labelled_rows(paths, self.label, self.positive)
        return PartitionedTable(client, parquet_parts(paths, columns), columns), y


def select_remote(files: RemoteFiles, selector: "PUSelector", outputs: "Outputs") -> None:
    """Select features of a table on a cluster; write and print the result."""
    from puselect.fscpu.dask_table import connected_client
    from puselect.report import summarise
    from puselect.search.progress import watching

    with connected_client(files.address) as client, client.as_current():
        table, y = files.open(client)
        if not outputs.quiet:
            rows = f"{len(table)} rows in {len(table.lengths)} parts"
            tell(f"{rows}, {table.n_columns} columns of numbers, {int(y.sum())} labelled")
        with warnings.catch_warnings(record=True) as heard, search_progress("fscpu", outputs.quiet) as observer:
            warnings.simplefilter("always")
            begin = time.perf_counter()
            with stopping(outputs.quiet), watching(observer):
                selector.fit(table, y)
            seconds = time.perf_counter() - begin
    notes = list(dict.fromkeys(str(warning.message) for warning in heard))
    tell_notes(() if outputs.quiet else notes)
    command = shlex.join(["puselect", *sys.argv[1:]])
    selection = summarise(selector, method="fscpu", command=command, seconds=seconds, notes=notes)
    with finishing():
        write_each(*result_outputs(selection, outputs.output, outputs.report))
    if outputs.json:
        typer.echo(selection.to_json())
    elif not outputs.quiet:
        typer.echo("\n".join(map(printable, selection.selected)))
