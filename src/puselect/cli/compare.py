"""``puselect compare``."""

import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puselect.cli import options
from puselect.cli.application import app, console, finishing
from puselect.cli.options import HOW, OUT, TABLE, WHAT, open_table, tell
from puselect.cli.progress import counted_progress
from puselect.cli.writing import check_target, whole_files

if TYPE_CHECKING:
    from puselect.report import Comparison
    from puselect.studies import TableResults, TableStudy
    from puselect.tables import Problem

Number = Annotated[
    int, typer.Option("-k", "--features", min=1, metavar="N", help="How many features each method selects.",
                      show_default=False, rich_help_panel=WHAT),
]
Methods = Annotated[
    str, typer.Option(metavar="NAMES", help="Separated by commas; see puselect methods.", rich_help_panel=WHAT)
]
Splits = Annotated[
    int, typer.Option(min=2, metavar="N", help="Random splits into training and test rows.", rich_help_panel=HOW)
]
Truth = Annotated[
    str | None,
    typer.Option(metavar="COL", help="Column with the true classes, if you have them; used for scores only.",
                 rich_help_panel=TABLE),
]
Model = Annotated[
    str, typer.Option(metavar="NAME", help="What predicts from the features: logistic, lightgbm or lightgbm-rf.",
                      rich_help_panel=HOW),
]
Jobs = Annotated[int, typer.Option(metavar="N", help="Processes; -1 for all cores.", rich_help_panel=HOW)]
Out = Annotated[
    Path | None, typer.Option("-o", "--out", metavar="FILE.json", help="Write the result.", rich_help_panel=OUT)
]


@app.command()
def compare(
    data: options.Data,
    label: options.Label,
    k: Number,
    methods: Methods = "fscpu,semi-jmi,lasso,kbest",
    positive: options.Positive = None,
    truth: Truth = None,
    drop: options.Drop = None,
    encode: options.Encode = False,
    max_categories: options.MaxCategories = 20,
    impute: options.Impute = None,
    max_rows: options.MaxRows = None,
    max_memory: options.MaxMemory = None,
    splits: Splits = 20,
    model: Model = "logistic",
    seed: options.Seed = 0,
    jobs: Jobs = -1,
    out: Out = None,
    report: options.Report = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Run several methods on the same table and the same splits: what they agree on, how good, how fast.

    Without --truth the score says how well held-out labelled rows are told from unlabelled ones. That is a stand-in
    for the truth: unlabelled rows may be positive, too. Ctrl-C keeps the splits that are finished.
    """
    from puselect.cli.summary import print_comparison
    from puselect.tables import Reading
    from puselect.tables.names import split_names

    names = split_names([methods])
    check_call(names, model)
    options.check_heard(quiet, out, report, json)
    for target in (out, report):
        check_target(target)
    reading = Reading(
        label, positive, truth, split_names(drop or ()), (), encode, max_categories, impute, max_rows, max_memory, seed
    )
    problem = open_table(data, reading, quiet)
    comparison = run(problem, names, k, splits, model, seed, jobs, quiet)
    with finishing(), whole_files(out, report) as (result_file, report_file):
        if result_file is not None:
            result_file.write_text(comparison.to_json() + "\n", encoding="utf-8")
        if report_file is not None:
            from puselect.report import write_report

            write_report([comparison], report_file)
    if json:
        typer.echo(comparison.to_json())
    elif not quiet:
        print_comparison(console, comparison, [path for path in (out, report) if path is not None])


def check_call(names: tuple[str, ...], model: str) -> None:
    """Refuse names that nobody knows."""
    from puselect.methods import REGISTRY

    if not names:
        raise typer.BadParameter("wanted at least one method", param_hint="--methods")
    for name in names:
        options.check_choice("--methods", name, REGISTRY)
    options.check_choice("--model", model, ("logistic", "lightgbm", "lightgbm-rf"))


def run(
    problem: "Problem", names: tuple[str, ...], k: int, splits: int, model: str, seed: int, jobs: int, quiet: bool
) -> "Comparison":
    """Run the comparison and show its progress."""
    from puselect.studies import TableStudy, compare_methods

    n_features = len(problem.names)
    if k >= n_features:
        raise ValueError(f"-k must lie in 1..{n_features - 1} to compare anything with all {n_features}, got {k}")
    study = TableStudy(problem.X, problem.y, k, problem.truth, model, splits, seed)
    with counted_progress("comparing", len(study.cells(names)), quiet) as done:
        results = compare_methods(
            study, names, jobs, lambda progress: done(progress.row.cell.method) if progress.row else None
        )
    notes = comparison_notes(study, results)
    if not quiet:
        for note in notes:
            tell(f"note: {note}")
    return comparison_of(problem, study, results, notes)


def comparison_notes(study: "TableStudy", results: "TableResults") -> list[str]:
    """Return what the user should know about the run."""
    notes = [f"{name}: {text}" for name, texts in results.warnings.items() for text in texts]
    if results.n_splits < study.n_splits:
        notes.insert(0, f"interrupted after {results.n_splits} of {study.n_splits} splits; only these are compared")
    return notes


def comparison_of(
    problem: "Problem", study: "TableStudy", results: "TableResults", notes: list[str]
) -> "Comparison":
    """Return the results as they are written and reported."""
    from puselect.methods import YARDSTICKS
    from puselect.report import Comparison
    from puselect.report.summary import versions
    from puselect.studies.table_study import TEST_SHARE

    shown = {name: YARDSTICKS.get(name, name) for name in results.selected}
    return Comparison.of(
        {shown[name]: [problem.names[i] for i in columns] for name, columns in results.selected.items()},
        {shown[name]: seconds for name, seconds in results.seconds.items()},
        {shown[name]: scores for name, scores in results.scores.items()},
        test_share=TEST_SHARE,
        score_name=study.score_name,
        score_is_proxy=problem.truth is None,
        n_features=len(problem.names),
        n_rows=len(problem.y),
        n_labelled=int(problem.y.sum()),
        command=shlex.join(["puselect", *sys.argv[1:]]),
        seed=study.seed,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        notes=[*problem.notes, *(f"left out: {c.name} ({c.why})" for c in problem.left_out), *notes],
        versions=versions(),
    )
