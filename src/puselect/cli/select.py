"""``puselect select``, and ``puselect next``: which rows to label."""

import shlex
import sys
import time
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from puselect.cli import options
from puselect.cli.application import command, console, finishing, stopping
from puselect.cli.check import CheckOptions, check_selection
from puselect.cli.options import HOW, OUT, TABLE, WHAT, TableOptions, open_table, option, tell, tell_notes
from puselect.cli.progress import state_of, working
from puselect.cli.writing import check_outputs, result_outputs, write_each, written

if TYPE_CHECKING:
    from puselect.arrays import BoolArray, IntArray
    from puselect.checks.suitability import Suitability as SuitabilityCheck
    from puselect.fscpu.final_clusters import Candidates
    from puselect.report import Selection
    from puselect.search.progress import Step
    from puselect.selectors.base import PUSelector
    from puselect.tables.frames import pl
    from puselect.tables.loading import LoadedTable

AUTO = "auto"
FOUND = (AUTO, "related")  # the number of features is found
PARAMETERS = {
    "keep": "always_keep", "budget": "budget", "costs": "feature_costs", "engine": "engine", "checkpoint": "checkpoint",
    "max_iter": "max_iter", "max_time": "max_time", "max_false": "max_false",
}  # fmt: skip
"""Of selectors, by the option that needs one."""


def feature_number(text: str) -> str:
    """Return the text if it is "auto", "related" or a whole number from 1 on."""
    if text not in FOUND and not (text.isdecimal() and int(text) >= 1):
        raise typer.BadParameter(f"expected a whole number from 1 on, auto or related, got {text!r}")
    return text


@dataclass(frozen=True)
class SearchOptions:
    """How many features to select, and how."""

    keep: Annotated[list[str] | None, option(TABLE, "COLS", "Columns that must be selected, comma-separated.")] = None
    k: Annotated[
        str | None,
        option(WHAT, "N|auto|related", "Number of features; auto, the default: enough; related: all beyond chance.",
               "-k", "--n-features", parser=feature_number),
    ] = None
    budget: Annotated[
        float | None, option(WHAT, "B", "Instead of -k: limit on the total cost of the selected features.")
    ] = None
    costs: Annotated[
        Path | None,
        option(WHAT, "FILE", "With --budget: cost of each column, as CSV lines name,cost; * for all others."),
    ] = None
    max_false: Annotated[
        float | None,
        option(WHAT, "SHARE", "With -k auto or related: accepted share of features by chance (default: 0.1).",
               min=0.001, max=1.0),
    ] = None
    method: Annotated[str, option(HOW, "NAME", "Method; puselect methods lists them.")] = "fscpu"
    seed: options.Seed = 0
    engine: Annotated[
        str | None, option(HOW, "NAME", "Clustering engine: auto, cpu, gpu, ... (default: auto).")
    ] = None
    jobs: options.Jobs = -1
    checkpoint: Annotated[
        Path | None, option(HOW, "FILE", "Save the search to this file, and resume from it if it exists.")
    ] = None
    max_iter: Annotated[
        int | None, option(HOW, "N", "Maximum number of search steps (default: depends on the table).", min=1)
    ] = None
    max_time: Annotated[
        float | None, option(HOW, "SECONDS", "End search and checks in time, with the best features so far.")
    ] = None

    def check(self) -> None:
        """Raise a usage error for options that exclude or need each other."""
        is_found = self.k in FOUND or (self.k is None and self.budget is None)
        if self.k is not None and not is_found and self.budget is not None:
            raise typer.BadParameter("cannot be combined with --budget, unless it is auto or related", param_hint="-k")
        if self.costs is not None and self.budget is None and not is_found:
            raise typer.BadParameter("needs --budget B", param_hint="--costs")
        if self.max_false is not None and not is_found:
            raise typer.BadParameter("needs -k auto or -k related", param_hint="--max-false")
        if self.max_time is not None and not 0 < self.max_time < float("inf"):
            raise typer.BadParameter(f"must be a number of seconds above 0, got {self.max_time:g}",
                                     param_hint="--max-time")

    def number(self, n_features: int, finds_number: bool) -> tuple[int | str | None, list[str]]:
        """Return the number of features to select, None with a budget, and notes on it."""
        if self.k is None and self.budget is None and not finds_number:
            half = (n_features + 1) // 2
            return half, [f"{self.method} finds no number by itself: selecting {half}, half of the features; see -k"]
        if self.k is None or self.k in FOUND:
            return self.k or (AUTO if self.budget is None else None), []
        if int(self.k) > n_features:
            raise ValueError(f"-k must be at most {n_features}, the number of usable features, got {self.k}")
        return int(self.k), [f"-k {self.k} selects all features"] if int(self.k) == n_features else []


@dataclass(frozen=True)
class Outputs:
    """The files to write, and what to print."""

    output: options.Output = None
    data_out: Annotated[
        Path | None, option(OUT, "FILE", "Write the selected columns and the label (csv, csv.gz, tsv, parquet, arrow).")
    ] = None
    candidates: Annotated[
        Path | None,
        option(OUT, "FILE.csv", "Write all candidate positives, most likely first, with lift and selected columns."),
    ] = None
    report: options.Report = None
    quiet: options.Quiet = False
    json: options.Json = False

    @property
    def paths(self) -> dict[str, Path | None]:
        """The files by the names of their options."""
        return {"-o": self.output, "--data-out": self.data_out, "--candidates": self.candidates,
                "--report": self.report}

    def write(
        self, selection: "Selection", table: "LoadedTable", support: "BoolArray", found: "Candidates | None"
    ) -> None:
        """Write the files that were asked for, each on its own."""
        from puselect.tables.files import output_format, write_table

        columns = table.columns_of(support)

        def write_candidates(file: BinaryIO) -> None:
            if found is None:
                raise ValueError("no clustering of the selected features succeeded")
            write_table(table.rows.ranked(found, columns), file, ".csv")

        data_format = "" if self.data_out is None else output_format(self.data_out)
        result, report = result_outputs(selection, self.output, self.report)
        data = (self.data_out, lambda file: table.write(columns, file, data_format))
        write_each(result, data, (self.candidates, write_candidates), report)


@command
def select(
    *, data: options.Data, table: TableOptions, search: SearchOptions, checks: CheckOptions, outputs: Outputs,
    debug: options.Debug = False,
) -> None:
    """Select features of a table in which a few rows are known to be positive.

    Ctrl-C stops the search and keeps the best features so far.
    """
    from puselect.cli.summary import print_selection
    from puselect.report.answer import changes, standing
    from puselect.tables.files import output_format

    search.check()
    checks.check()
    options.be_quiet(outputs.quiet, *outputs.paths.values(), search.checkpoint, outputs.json)
    check_outputs({**outputs.paths, "--checkpoint": search.checkpoint}, [data, search.costs, *(table.labels or ())])
    if outputs.data_out is not None:
        output_format(outputs.data_out)
    with working("starting"):
        selector = make_selector(search, checks, wants_candidates=outputs.candidates is not None)
    spec = table.spec(search.seed, search.keep)
    before = selection_before(outputs.output) if table.labels else None
    loaded = open_table(data, spec)
    remarks = configure(selector, search, loaded)
    seconds, heard = fit(selector, search, loaded)
    tell_notes(heard)
    suitability, unchecked = check_selection(selector, loaded, checks, seconds, search.max_time)
    tell_notes(unchecked)
    with finishing(), working("describing and writing the result"):
        model = selector.result_.row_model
        found = model and model.candidates(loaded.X.to_numpy()[:, selector.support_], loaded.y != 0)
        notes = [*remarks, *heard, *unchecked]
        selection = describe(selector, search.method, loaded, seconds, notes, suitability, found)
        if before is not None:
            selection = replace(selection, changed=changes(before, selection))
        outputs.write(selection, loaded, selector.support_, found)
    if outputs.candidates is not None and standing(selection).is_doubtful:
        tell_notes([f"nothing shows that rows of {outputs.candidates} are more likely positive than others"])
    if outputs.json:
        typer.echo(selection.to_json())
    elif not outputs.quiet:
        print_selection(console, selection, loaded, written)


def selection_before(path: Path | None) -> "Selection | None":
    """Return the selection that a file holds before it is replaced; None if there is none."""
    from puselect.report import Selection, read_result

    if path is None or not path.is_file():
        return None
    try:
        found = read_result(path)
    except ValueError:  # another kind of file is replaced, too
        return None
    return found if isinstance(found, Selection) else None


def make_selector(search: SearchOptions, checks: CheckOptions, wants_candidates: bool) -> "PUSelector":
    """Return a selector with default settings, or raise a usage error if it lacks what was asked for."""
    from puselect.clustering import ENGINES, gpu_engine_class
    from puselect.methods import METHODS, REGISTRY

    options.check_method("--method", search.method)
    if search.engine is not None:
        options.check_choice("--engine", search.engine, ENGINES)
    if search.engine == "gpu":
        gpu_engine_class()  # fails now, not after the table is read, if it cannot run here
    selector: PUSelector = METHODS[search.method]()
    known = selector.get_params(deep=False)
    lacking = [name for name, parameter in PARAMETERS.items() if parameter not in known]
    missing = [f"--{name.replace('_', '-')}" for name in lacking if getattr(search, name) is not None]
    if search.k in FOUND and "max_false" not in known:
        missing.append(f"-k {search.k}")
    if not REGISTRY[search.method].clusters:
        missing += ["--shuffles"] * (checks.shuffles is not None) + ["--candidates"] * wants_candidates
    if missing:
        raise typer.BadParameter(f"not supported by method {search.method!r}; use 'fscpu'", param_hint=missing[0])
    return selector


def configure(selector: "PUSelector", search: SearchOptions, table: "LoadedTable") -> list[str]:
    """Set the parameters that have a value and that the method knows; write and return notes on the number."""
    known = selector.get_params(deep=False)
    number, notes = search.number(len(table.encoders), "max_false" in known)
    values = {
        "n_features_to_select": number,
        "random_state": search.seed,
        "budget": search.budget,
        "feature_costs": None if search.costs is None else table.costs(search.costs),
        "max_false": search.max_false,
        "engine": search.engine,
        "n_jobs": search.jobs,
        "checkpoint": search.checkpoint,
        "max_iter": search.max_iter,
        "max_time": search.max_time,
        "groups": table.groups or None,
        "always_keep": list(table.keep) or None,
        "neg_label": table.neg_label,
    }
    selector.set_params(**{name: value for name, value in values.items() if value is not None and name in known})
    tell_notes(notes)
    if search.checkpoint is not None and search.checkpoint.exists():
        tell(f"resuming from {search.checkpoint}")
    return notes


def fit(selector: "PUSelector", search: SearchOptions, table: "LoadedTable") -> tuple[float, list[str]]:
    """Fit the selector and show its progress; return the seconds it took and its warnings."""
    from puselect.fscpu.search_run import SearchSelector
    from puselect.fscpu.selector import FSCPU
    from puselect.search.progress import watching
    from puselect.selectors.ranking import RankingSelector

    selector.has_row_groups_ = table.row_groups is not None
    groups: dict[str, object] = {"groups": table.groups} if isinstance(selector, RankingSelector) else {}
    if selector.has_row_groups_ and isinstance(selector, FSCPU):
        groups["row_groups"] = table.row_groups
    last: list[Step] = []
    begin = time.perf_counter()
    with (
        warnings.catch_warnings(record=True, action="always") as heard, working(search.method) as show,
        stopping(), watching(lambda step: show(state_of(step), step.share_done)), watching(last.append),
    ):  # fmt: skip
        selector.fit(table.X, table.y, **groups)
    seconds = time.perf_counter() - begin
    notes = list(dict.fromkeys(str(warning.message) for warning in heard))
    if isinstance(selector, SearchSelector) and selector.timed_out_ and last:
        notes.append(f"--max-time ended the search after {last[-1].number} of {last[-1].max_iter} steps")
    return seconds, notes


def describe(
    selector: "PUSelector", method: str, table: "LoadedTable", seconds: float, notes: list[str],
    checked: "SuitabilityCheck | None", found: "Candidates | None",
) -> "Selection":
    """Return the result as it is written and reported."""
    from puselect.report import summarise
    from puselect.report.findings import table_findings

    return summarise(
        selector,
        table.X,
        table.y,
        method=method,
        command=shlex.join(["puselect", *sys.argv[1:]]),
        seconds=seconds,
        notes=notes,
        findings=table_findings(table.notes),
        suitability=checked,
        row_numbers=table.rows.names,
        row_name=table.rows.name or "",
        columns=table.outcomes,
        recipes=table.encoders,
        candidates=found,
    )


RowNumber = Annotated[int, option(WHAT, "N", "Number of rows.", "-n", "--rows", min=1)]
RowsFile = Annotated[
    Path,
    option(OUT, "FILE", "Write the rows: id, an empty label, selected columns (csv, csv.gz, tsv, parquet, arrow).",
           "-o", "--output", show_default=False),
]


@command
def next(
    *, data: options.Data, table: TableOptions, search: SearchOptions, output: RowsFile, n: RowNumber = 20,
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
