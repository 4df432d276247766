"""``puselect select``."""

import shlex
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puselect.cli import options
from puselect.cli.advice import next_step
from puselect.cli.application import app, console, finishing
from puselect.cli.options import HOW, OUT, TABLE, WHAT, open_table, tell
from puselect.cli.progress import search_progress
from puselect.cli.writing import check_target, whole_files

if TYPE_CHECKING:
    from puselect.report import Selection
    from puselect.selectors.suitability import Suitability as Evidence
    from puselect.tables import Problem

Keep = Annotated[
    list[str] | None,
    typer.Option(metavar="COLS", help="Columns that must be selected, separated by commas.", rich_help_panel=TABLE),
]
Number = Annotated[
    int | None,
    typer.Option("-k", "--features", min=1, metavar="N", help="How many features (by default half of them).",
                 rich_help_panel=WHAT),
]
Spend = Annotated[
    float | None,
    typer.Option("--budget", metavar="B", help="Instead of -k: the most that the selected features may cost together.",
                 rich_help_panel=WHAT),
]
Costs = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="With --budget: CSV lines feature,cost, or JSON.", rich_help_panel=WHAT),
]
Method = Annotated[str, typer.Option(metavar="NAME", help="See puselect methods.", rich_help_panel=HOW)]
Engine = Annotated[
    str | None, typer.Option(metavar="NAME", help="What does the clustering (by default auto).", rich_help_panel=HOW)
]
Jobs = Annotated[int, typer.Option(metavar="N", help="Threads; -1 for all cores.", rich_help_panel=HOW)]
Checkpoint = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Save the search here, and go on from here if the file exists.",
                 rich_help_panel=HOW),
]
MaxIter = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Steps of the search at most (by default enough for a faint signal).",
                 rich_help_panel=HOW),
]
Suitability = Annotated[
    bool,
    typer.Option("--suitability", "--null", help="Search shuffled labels too: do the positives form clusters at all?",
                 rich_help_panel=HOW),
]
Shuffles = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="So many searches of shuffled labels; implies --suitability.",
                 rich_help_panel=HOW),
]
Out = Annotated[
    Path | None,
    typer.Option("-o", "--out", metavar="FILE.json", help="Write the result.", rich_help_panel=OUT),
]
DataOut = Annotated[
    Path | None,
    typer.Option(metavar="FILE", rich_help_panel=OUT,
                 help="Write the table, selected columns and label only (csv, csv.gz, tsv, parquet, arrow)."),
]


@app.command()
def select(
    data: options.Data,
    label: options.Label,
    positive: options.Positive = None,
    drop: options.Drop = None,
    keep: Keep = None,
    encode: options.Encode = False,
    max_categories: options.MaxCategories = 20,
    impute: options.Impute = None,
    max_rows: options.MaxRows = None,
    max_memory: options.MaxMemory = None,
    k: Number = None,
    budget: Spend = None,
    costs: Costs = None,
    method: Method = "fscpu",
    seed: options.Seed = 0,
    engine: Engine = None,
    jobs: Jobs = -1,
    checkpoint: Checkpoint = None,
    max_iter: MaxIter = None,
    suitability: Suitability = False,
    shuffles: Shuffles = None,
    out: Out = None,
    data_out: DataOut = None,
    report: options.Report = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Select features of a table in which a few rows are known to be positive.

    Ctrl-C ends the search and keeps the best features so far.
    """
    from puselect.cli.summary import print_selection
    from puselect.tables import Reading
    from puselect.tables.files import output_format
    from puselect.tables.names import split_names

    n_shuffles = shuffles or int(suitability)
    check_call(method, k, budget, costs, n_shuffles)
    if engine is not None:
        check_engine(engine)
    options.check_heard(quiet, out, data_out, report, checkpoint, json)
    for target in (out, data_out, report, checkpoint):
        check_target(target)
    if data_out is not None:
        output_format(data_out)
    reading = Reading(
        label, positive, None, split_names(drop or ()), split_names(keep or ()), encode, max_categories, impute,
        max_rows, max_memory, seed,
    )
    problem = open_table(data, reading, quiet)
    wishes = {"budget": budget, "feature_costs": costs_of(problem, costs), "always_keep": list(problem.keep) or None,
              "engine": engine, "checkpoint": checkpoint, "max_iter": max_iter}
    number, remarks = wanted_number(problem, k, budget)
    selector = make_selector(method, number, seed, jobs, wishes)
    if checkpoint is not None and checkpoint.exists() and not quiet:
        tell(f"going on from {checkpoint}")
    seconds, heard = fit(selector, method, problem, quiet)
    notes = [*remarks, *heard]
    if not quiet:
        for note in notes:
            tell(f"note: {note}")
    evidence = shuffled_search(selector, problem, n_shuffles, quiet) if n_shuffles else None
    with finishing():
        selection = describe(selector, problem, seconds, notes, evidence)
        write(selection, problem, selector.support_, out, data_out, report)
    if json:
        typer.echo(selection.to_json())
    elif not quiet:
        written = [path for path in (out, data_out, report) if path is not None]
        hint = next_step(data, reading, method, len(selection.selected), selection.n_features, report)
        print_selection(console, selection, problem, written, hint)


def check_call(method: str, k: int | None, budget: float | None, costs: Path | None, n_shuffles: int) -> None:
    """Refuse options that do not go together."""
    from puselect.methods import REGISTRY

    options.check_choice("--method", method, REGISTRY)
    if k is not None and budget is not None:
        raise typer.BadParameter("give either -k or --budget, not both", param_hint="-k")
    if costs is not None and budget is None:
        raise typer.BadParameter("costs need a limit: add --budget B", param_hint="--costs")
    if n_shuffles and not REGISTRY[method].clusters:
        raise typer.BadParameter(f"the method {method} does not cluster; fscpu does", param_hint="--suitability")


def check_engine(name: str) -> None:
    """Refuse an engine that nobody knows or that cannot work here, before the table is read."""
    from puselect.engines import ENGINES, gpu_engine_class

    options.check_choice("--engine", name, ENGINES)
    if name == "gpu":
        gpu_engine_class()


def wanted_number(problem: "Problem", k: int | None, budget: float | None) -> tuple[int | None, list[str]]:
    """Return how many features are to be selected, if not those that a budget buys, and what is to be said about it."""
    n_features = len(problem.names)
    if k is None and budget is None:
        half = (n_features + 1) // 2
        return half, [f"-k was not given: half of the {n_features} features are selected, {half}"]
    if k is not None and k > n_features:
        raise ValueError(f"-k must lie in 1..{n_features}, the number of usable features, got {k}")
    return k, [f"-k {k} is all of the features: there was nothing to choose"] if k == n_features else []


def costs_of(problem: "Problem", path: Path | None) -> list[float] | None:
    """Return the cost of each feature; those made by one-hot encoding may go by the name of their column."""
    from puselect.tables import read_costs

    if path is None:
        return None
    costs = read_costs(path)
    known = {**{name: costs.get(source) for name, source in zip(problem.names, problem.sources, strict=True)}, **costs}
    missing = [name for name in problem.names if known[name] is None]
    if missing:
        raise ValueError(f"{path} must hold a cost for every feature, got none for {', '.join(missing[:8])}")
    return [float(known[name] or 0) for name in problem.names]


def make_selector(method: str, k: int | None, seed: int, jobs: int, wishes: dict[str, Any]) -> Any:
    """Return the selector, or refuse a wish that the method does not know."""
    from puselect.methods import METHODS

    selector = METHODS[method](k, random_state=seed)
    known = selector.get_params(deep=False)
    flags = {"feature_costs": "--costs", "always_keep": "--keep", "max_iter": "--max-iter"}
    wanted = {name: value for name, value in wishes.items() if value is not None}
    for name in wanted:
        if name not in known:
            flag = flags.get(name, f"--{name}")
            raise typer.BadParameter(f"the method {method} does not know it; fscpu does", param_hint=flag)
    if "n_jobs" in known:
        wanted["n_jobs"] = jobs
    return selector.set_params(**wanted)


def fit(selector: Any, method: str, problem: "Problem", quiet: bool) -> tuple[float, list[str]]:
    """Fit the selector under the user's eyes; return the seconds it took and what it had to say."""
    from puselect.search.progress import watching

    with warnings.catch_warnings(record=True) as heard, search_progress(method, quiet) as observer:
        warnings.simplefilter("always")
        begin = time.perf_counter()
        with watching(observer):
            selector.fit(problem.X, problem.y)
        seconds = time.perf_counter() - begin
    return seconds, list(dict.fromkeys(str(warning.message) for warning in heard))


def shuffled_search(selector: Any, problem: "Problem", n_shuffles: int, quiet: bool) -> "Evidence | None":
    """Search again with shuffled labels; None if Ctrl-C ended that too early to say anything."""
    from puselect.search.progress import InterruptedSearchWarning, watching
    from puselect.selectors.suitability import check_suitability

    with warnings.catch_warnings(record=True) as heard, search_progress("shuffled labels", quiet) as observer:
        warnings.simplefilter("always")
        with watching(observer):
            evidence = check_suitability(selector, problem.X, problem.y, n_shuffles, selector.random_state)
    if any(issubclass(warning.category, InterruptedSearchWarning) for warning in heard):
        tell("note: the search on shuffled labels was interrupted; nothing is said about suitability")
        return None
    return evidence


def describe(
    selector: Any, problem: "Problem", seconds: float, notes: list[str], evidence: "Evidence | None"
) -> "Selection":
    """Return everything that a report shows."""
    from puselect.report import summarise

    left_out = [f"left out: {column.name} ({column.why})" for column in problem.left_out]
    return summarise(
        selector,
        problem.X,
        problem.y,
        feature_names=problem.names,
        command=shlex.join(["puselect", *sys.argv[1:]]),
        seconds=seconds,
        notes=[*problem.notes, *left_out, *notes],
        suitability=evidence,
        row_numbers=problem.row_numbers,
    )


def write(
    selection: "Selection", problem: "Problem", support: Any, out: Path | None, data_out: Path | None,
    report: Path | None,
) -> None:
    """Write the files that were asked for, all of them or none."""
    with whole_files(out, data_out, report) as (result_file, data_file, report_file):
        if result_file is not None:
            result_file.write_text(selection.to_json() + "\n", encoding="utf-8")
        if data_file is not None:
            problem.write(support, data_file)
        if report_file is not None:
            from puselect.report import write_report

            write_report([selection], report_file)
