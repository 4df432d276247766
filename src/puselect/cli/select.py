"""``puselect select``."""

import shlex
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from puselect.cli import options
from puselect.cli.advice import next_step
from puselect.cli.application import app, console, finishing, stopping
from puselect.cli.dask import RemoteFiles, select_remote
from puselect.cli.options import HOW, OUT, TABLE, WHAT, open_table, split_names, tell, tell_notes
from puselect.cli.progress import TimeCheck, search_progress, working
from puselect.cli.writing import check_outputs, result_outputs, write_each, written

if TYPE_CHECKING:
    from puselect.checks.suitability import Suitability as SuitabilityCheck
    from puselect.fscpu.final_clusters import Candidates
    from puselect.report import Selection
    from puselect.selectors.base import PUSelector
    from puselect.tables import LoadedTable

FOUND = ("auto", "related")  # the number of features is found
USUAL_SHUFFLES = 39


def feature_number(text: str) -> str:
    """Return the text if it is "auto", "related" or a whole number from 1 on."""
    if text not in FOUND and not (text.isdecimal() and int(text) >= 1):
        raise typer.BadParameter(f"expected a whole number from 1 on, auto or related, got {text!r}")
    return text


Keep = Annotated[
    list[str] | None,
    typer.Option(metavar="COLS", help="Columns that must be selected, comma-separated.", rich_help_panel=TABLE),
]
Number = Annotated[
    str | None,
    typer.Option("-k", "--n-features", parser=feature_number, metavar="N|auto|related", rich_help_panel=WHAT,
                 help="Number of features; auto: enough; related: all beyond chance (default: half)."),
]
MaxFalse = Annotated[
    float | None,
    typer.Option(min=0.001, max=1.0, metavar="SHARE", rich_help_panel=WHAT,
                 help="With -k auto or related: accepted share of features that are there by chance (default: 0.1)."),
]
Spend = Annotated[
    float | None,
    typer.Option("--budget", metavar="B", help="Instead of -k: limit on the total cost of the selected features.",
                 rich_help_panel=WHAT),
]
Costs = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="With --budget: cost of each feature, as CSV lines feature,cost or JSON.",
                 rich_help_panel=WHAT),
]
Method = Annotated[str, typer.Option(metavar="NAME", help="Method; puselect methods lists them.", rich_help_panel=HOW)]
Engine = Annotated[
    str | None, typer.Option(metavar="NAME", help="Clustering engine: auto, cpu, gpu, ... (default: auto).",
                             rich_help_panel=HOW)
]
Jobs = Annotated[int, typer.Option(metavar="N", help="Threads; -1 for all cores.", rich_help_panel=HOW)]
Checkpoint = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Save the search to this file, and resume from it if it exists.",
                 rich_help_panel=HOW),
]
MaxIter = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Maximum number of search steps (default: depends on the table).",
                 rich_help_panel=HOW),
]
MaxTime = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", help="End the search in time, with the best features so far.",
                 rich_help_panel=HOW),
]
Suitability = Annotated[
    bool,
    typer.Option("--suitability", help="Check against shuffled labels whether the positives form clusters.",
                 rich_help_panel=HOW),
]
Shuffles = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Most shuffles (default: 39); implies --suitability.",
                 rich_help_panel=HOW),
]
Searches = Annotated[
    int | None,
    typer.Option(min=2, max=1000, metavar="N", rich_help_panel=HOW,
                 help="Select again with N random halves of the labels and tell how stable the features are."),
]
Yes = Annotated[
    bool, typer.Option("--yes", "-y", help="Run a search even if it may take more than an hour.", rich_help_panel=HOW)
]
CandidatesOut = Annotated[
    Path | None,
    typer.Option("--candidates", metavar="FILE.csv", rich_help_panel=OUT,
                 help="Write all candidate positives, most likely first, with their lift and selected columns."),
]
Dask = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Let the workers of this Dask cluster read DATA, a pattern of Parquet files.",
                 rich_help_panel=HOW),
]
DataOut = Annotated[
    Path | None,
    typer.Option(metavar="FILE", rich_help_panel=OUT,
                 help="Write the selected columns and the label (csv, csv.gz, tsv, parquet, arrow)."),
]


@app.command()
def select(
    data: options.Data,
    label: options.Label,
    positive: options.Positive = None,
    drop: options.Drop = None,
    keep: Keep = None,
    prepare: options.Prepare = False,
    use: options.Use = None,
    row_id: options.RowId = None,
    row_group: options.RowGroup = None,
    missing: options.MissingCodes = None,
    drop_duplicates: options.DropDuplicates = None,
    encode: options.Encode = False,
    max_categories: options.MaxCategories = 20,
    impute: options.Impute = None,
    max_rows: options.MaxRows = None,
    max_memory: options.MaxMemory = None,
    k: Number = None,
    budget: Spend = None,
    costs: Costs = None,
    max_false: MaxFalse = None,
    method: Method = "fscpu",
    seed: options.Seed = 0,
    engine: Engine = None,
    jobs: Jobs = -1,
    checkpoint: Checkpoint = None,
    max_iter: MaxIter = None,
    max_time: MaxTime = None,
    dask: Dask = None,
    yes: Yes = False,
    searches: Searches = None,
    suitability: Suitability = False,
    shuffles: Shuffles = None,
    output: options.Output = None,
    data_out: DataOut = None,
    candidates: CandidatesOut = None,
    report: options.Report = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Select features of a table in which a few rows are known to be positive.

    Ctrl-C stops the search and keeps the best features so far.
    """
    from puselect.cli.summary import print_selection
    from puselect.tables import TableSpec
    from puselect.tables.files import output_format

    n_shuffles = shuffles or USUAL_SHUFFLES * suitability
    check_size(k, budget, costs, max_false, max_time)
    files = Outputs(output, data_out, candidates, report)
    options.check_quiet(quiet, *files.paths, checkpoint, json)
    named = {"-o": output, "--data-out": data_out, "--candidates": candidates, "--report": report}
    check_outputs({**named, "--checkpoint": checkpoint}, [data, costs])
    if data_out is not None:
        output_format(data_out)
    selector = make_selector(method, n_shuffles, {
        "--budget": budget, "--costs": costs, "--keep": keep, "--engine": engine, "--checkpoint": checkpoint,
        "--max-iter": max_iter, "--max-time": max_time, "--dask": dask, "-k auto": k if k in FOUND else None,
    }, wants_candidates=candidates is not None)
    if dask is not None:
        refuse_remote(keep, prepare, row_id, row_group, encode, impute, budget, data_out, candidates, n_shuffles,
                      searches, engine)
        set_given(selector, n_features_to_select=k if k in (None, *FOUND) else int(k), random_state=seed, engine="dask",
                  checkpoint=checkpoint, max_iter=max_iter, max_time=max_time)
        return select_remote(RemoteFiles(data, label, positive, split_names(drop), dask), selector, files, json, quiet)
    spec = TableSpec(
        label, positive, keep=split_names(keep), drop=split_names(drop), prepare=prepare, use=split_names(use),
        id=options.single_name("--id", row_id), row_group=row_group, missing_codes=options.missing_codes(missing),
        drop_duplicates=drop_duplicates, encode=encode, max_categories=max_categories, impute=impute,
        max_rows=max_rows, max_memory=max_memory, seed=seed,
    )
    table = open_table(data, spec, quiet)
    number, remarks = wanted_number(count_units(selector, table), k, budget)
    set_given(selector, n_features_to_select=number, random_state=seed, budget=budget, engine=engine,
              checkpoint=checkpoint, max_iter=max_iter, max_time=max_time, n_jobs=jobs, max_false=max_false,
              groups=table.groups or None, always_keep=list(table.keep) or None,
              feature_costs=None if costs is None else table.costs(costs))
    tell_start(remarks, checkpoint, quiet)
    seconds, heard = fit(selector, method, table, quiet, check_time=not yes and max_iter is None and max_time is None)
    tell_notes(() if quiet else heard)
    checked, checking = examine(selector, table, searches, n_shuffles, quiet)
    begin = time.perf_counter()
    with finishing(), working("describing and writing the result", quiet):
        found = find_candidates(selector, table)
        selection = describe(selector, method, table, seconds, [*remarks, *heard], checked, found, spec.id)
        files.write(selection, table, selector.support_, found, spec.id)
    if json:
        typer.echo(selection.to_json())
    elif not quiet:
        hint = next_step(data, spec, method, len(selection.selected), selection.n_features, report)
        times = {**table.seconds, "searching": seconds, **checking, "report": time.perf_counter() - begin}
        print_selection(console, selection, table, written, hint, times)


def check_size(
    k: str | None, budget: float | None, costs: Path | None, max_false: float | None, max_time: float | None
) -> None:
    """Raise a usage error for options that exclude or need each other."""
    if k is not None and k not in FOUND and budget is not None:
        raise typer.BadParameter("cannot be combined with --budget, unless it is auto or related", param_hint="-k")
    if costs is not None and budget is None and k not in FOUND:
        raise typer.BadParameter("needs --budget B", param_hint="--costs")
    if max_false is not None and k not in FOUND:
        raise typer.BadParameter("needs -k auto or -k related", param_hint="--max-false")
    if max_time is not None and not 0 < max_time < float("inf"):
        raise typer.BadParameter(f"must be a number of seconds above 0, got {max_time:g}", param_hint="--max-time")


def tell_start(notes: list[str], checkpoint: Path | None, quiet: bool) -> None:
    """Write notes on a search, and whether it is resumed, unless it is to be quiet."""
    tell_notes(() if quiet else notes)
    if not quiet and checkpoint is not None and checkpoint.exists():
        tell(f"resuming from {checkpoint}")


NOT_WITH_DASK = ("--keep", "--prepare", "--id", "--row-group", "--encode", "--impute", "--budget", "--data-out",
                 "--candidates", "--suitability", "--searches", "--engine")


def refuse_remote(*given: Any) -> None:
    """Raise a usage error for the first of the options `NOT_WITH_DASK` that was given."""
    for option, value in zip(NOT_WITH_DASK, given, strict=True):
        if value:
            raise typer.BadParameter("cannot be combined with --dask", param_hint=option)


PARAMETERS = {
    "-k auto": "max_false", "--costs": "feature_costs", "--keep": "always_keep", "--max-iter": "max_iter",
    "--max-time": "max_time", "--dask": "engine",
}


def make_selector(method: str, n_shuffles: int, given: dict[str, Any], wants_candidates: bool = False) -> Any:
    """Return a selector with default settings, or raise a usage error if it lacks what was asked for."""
    from puselect.methods import METHODS, REGISTRY

    options.check_method("--method", method)
    if given["--engine"] is not None:
        check_engine(given["--engine"])
    selector: PUSelector = METHODS[method]()
    known = selector.get_params(deep=False)
    missing = [
        option for option, value in given.items()
        if value is not None and PARAMETERS.get(option, option.removeprefix("--")) not in known
    ]
    if n_shuffles and not REGISTRY[method].clusters:
        missing.append("--suitability")
    if wants_candidates and not REGISTRY[method].clusters:
        missing.append("--candidates")
    if missing:
        raise typer.BadParameter(f"not supported by method {method!r}; use 'fscpu'", param_hint=missing[0])
    return selector


def check_engine(name: str) -> None:
    """Raise an error for an engine that does not exist or cannot run here, before the table is read."""
    from puselect.clustering import ENGINES, gpu_engine_class

    options.check_choice("--engine", name, ENGINES)
    if name == "gpu":
        gpu_engine_class()


def set_given(selector: "PUSelector", **values: Any) -> None:
    """Set the parameters that have a value and that the method knows."""
    known = selector.get_params(deep=False)
    selector.set_params(**{name: value for name, value in values.items() if value is not None and name in known})


def count_units(selector: "PUSelector", table: "LoadedTable") -> int:
    """Return how many features there are to choose from; those of one column are one, if the method knows groups."""
    return len(table.encoders) if "groups" in selector.get_params(deep=False) else len(table.names)


def wanted_number(n_features: int, k: str | None, budget: float | None) -> tuple[int | str | None, list[str]]:
    """Return the number of features to select, None with a budget, and notes on it."""
    if k in FOUND:
        return k, []
    if k is None and budget is None:
        half = (n_features + 1) // 2
        told = f"selecting {half} of {n_features} features, half of them; choose another number with -k N or -k auto"
        return half, [told]
    number = None if k is None else int(k)
    if number is not None and number > n_features:
        raise ValueError(f"-k must be at most {n_features}, the number of usable features, got {number}")
    return number, [f"-k {number} selects all features"] if number == n_features else []


def fit(
    selector: "PUSelector", method: str, table: "LoadedTable", quiet: bool, check_time: bool
) -> tuple[float, list[str]]:
    """Fit the selector and show its progress; return the seconds it took and its warnings."""
    from puselect.fscpu.selector import FSCPU
    from puselect.search.progress import watching

    selector.has_row_groups_ = table.row_groups is not None
    groups = {"row_groups": table.row_groups} if selector.has_row_groups_ and isinstance(selector, FSCPU) else {}
    with warnings.catch_warnings(record=True) as heard, search_progress(method, quiet) as observer:
        warnings.simplefilter("always")
        begin = time.perf_counter()
        with stopping(quiet), watching(TimeCheck() if check_time else lambda step: None), watching(observer):
            selector.fit(table.X, table.y, **groups)
        seconds = time.perf_counter() - begin
    return seconds, list(dict.fromkeys(str(warning.message) for warning in heard))


def examine(
    selector: "PUSelector", table: "LoadedTable", n_searches: int | None, n_shuffles: int, quiet: bool
) -> tuple["SuitabilityCheck | None", dict[str, float]]:
    """Assess the stability and the suitability as far as wanted; return the latter, and how long both took."""
    begin = time.perf_counter()
    with warnings.catch_warnings(action="ignore"):  # the fit and the findings say the same
        repeat(selector, table, n_searches, quiet)
        checked = shuffled_search(selector, table, n_shuffles, quiet) if n_shuffles else None
    return checked, {"checking": time.perf_counter() - begin} if n_searches or n_shuffles else {}


def repeat(selector: "PUSelector", table: "LoadedTable", n_searches: int | None, quiet: bool) -> None:
    """Select again with halves of the labels, for the stability of the features; Ctrl-C leaves it out."""
    from puselect.checks.stability import assess_stability

    if n_searches is None:
        return
    n_labelled = int((table.y == 1).sum())
    if min(n_labelled, len(table.y) - n_labelled) < 2:
        return tell("note: stability was not assessed; it needs two labelled and two unlabelled rows")
    try:
        with stopping(quiet):
            assess_stability(selector, table.X, table.y, n_searches, selector.random_state, table.row_groups)
    except KeyboardInterrupt:
        tell("note: the repeated searches were interrupted; stability was not assessed")


def shuffled_search(
    selector: "PUSelector", table: "LoadedTable", n_shuffles: int, quiet: bool
) -> "SuitabilityCheck | None":
    """Compare with shuffled labels; None if Ctrl-C ended that."""
    from puselect.checks.suitability import check_suitability

    try:
        with stopping(quiet):
            return check_suitability(
                table.X,
                table.y,
                n_shuffles=n_shuffles,
                row_groups=table.row_groups,
                random_state=selector.random_state,
                n_jobs=selector.get_params().get("n_jobs"),
            )
    except KeyboardInterrupt:
        tell("note: the comparison with shuffled labels was interrupted; suitability was not checked")
        return None


def find_candidates(selector: "PUSelector", table: "LoadedTable") -> "Candidates | None":
    """Return the candidate positives; None for a method that does not cluster."""
    model = selector.result_.row_model
    return None if model is None else model.candidates(table.X.to_numpy()[:, selector.support_], table.y == 1)


def describe(
    selector: "PUSelector", method: str, table: "LoadedTable", seconds: float, notes: list[str],
    checked: "SuitabilityCheck | None", found: "Candidates | None", row_name: str | None,
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
        row_name=row_name or "",
        columns=table.outcomes,
        recipes=table.encoders,
        candidates=found,
    )


@dataclass(frozen=True)
class Outputs:
    """The files to write; None for those that were not asked for."""

    result: Path | None
    data: Path | None
    candidates: Path | None
    report: Path | None

    @property
    def paths(self) -> list[Path]:
        """Those that were asked for."""
        return [path for path in (self.result, self.data, self.candidates, self.report) if path is not None]

    def write(
        self, selection: "Selection", table: "LoadedTable", support: Any, found: "Candidates | None",
        row_name: str | None,
    ) -> None:
        """Write the files that were asked for, each on its own."""
        from puselect.tables.files import output_format

        data_format = "" if self.data is None else output_format(self.data)

        def write_candidates(file: BinaryIO) -> None:
            if found is None:
                raise ValueError("no clustering of the selected features succeeded")
            table.rows.write_candidates(found, table.selected_columns(support), file)

        result, report = result_outputs(selection, self.result, self.report)
        data = (self.data, lambda file: table.write(support, file, data_format))
        write_each(result, data, (self.candidates, write_candidates), report)
