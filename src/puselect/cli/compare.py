"""``puselect compare``."""

import shlex
import sys
import warnings
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from puselect.cli import options
from puselect.cli.application import app, console, finishing
from puselect.cli.options import HOW, TABLE, WHAT, open_table, split_names, table_notes, tell_notes
from puselect.cli.progress import counted_progress
from puselect.cli.writing import check_outputs, result_outputs, write_each, written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from puselect.evaluation.holdout import Holdout, HoldoutResults
    from puselect.report import Comparison
    from puselect.tables import LoadedTable

Number = Annotated[
    int, typer.Option("-k", "--n-features", min=1, metavar="N", help="Number of features each method selects.",
                      show_default=False, rich_help_panel=WHAT),
]
Methods = Annotated[
    str, typer.Option(metavar="NAMES", help="Comma-separated; puselect methods lists them.", rich_help_panel=WHAT)
]
Splits = Annotated[
    int, typer.Option(min=2, metavar="N", help="Number of splits into training and test rows.", rich_help_panel=HOW)
]
Truth = Annotated[
    str | None,
    typer.Option(metavar="COL", help="Column with the true classes, if known; used for scores only.",
                 rich_help_panel=TABLE),
]
Model = Annotated[
    str,
    typer.Option(metavar="NAME", rich_help_panel=HOW,
                 help="Trained on the features: logistic, random-forest, extra-trees, pu-bagging, lightgbm(-rf)."),
]
Jobs = Annotated[int, typer.Option(metavar="N", help="Processes; -1 for all cores.", rich_help_panel=HOW)]


@app.command()
def compare(
    data: options.Data,
    label: options.Label,
    k: Number,
    methods: Methods = "fscpu,semi-jmi,lasso,kbest",
    positive: options.Positive = None,
    truth: Truth = None,
    drop: options.Drop = None,
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
    splits: Splits = 20,
    model: Model = "logistic",
    seed: options.Seed = 0,
    jobs: Jobs = -1,
    output: options.Output = None,
    report: options.Report = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Compare methods on the same table and splits: score, agreement, time.

    Without --truth, the score tells how well held-out labelled rows are separated from unlabelled ones. Since some
    unlabelled rows are positive, it ranks methods but does not measure their true accuracy. Ctrl-C keeps the splits
    that are finished.
    """
    from puselect.cli.summary import print_comparison
    from puselect.tables import TableSpec

    names = split_names([methods])
    check_call(names, model)
    options.check_quiet(quiet, output, report, json)
    check_outputs({"-o": output, "--report": report}, [data])
    spec = TableSpec(
        label, positive, truth=truth, drop=split_names(drop), prepare=prepare, use=split_names(use),
        id=options.single_name("--id", row_id), row_group=row_group, missing_codes=options.missing_codes(missing),
        drop_duplicates=drop_duplicates, encode=encode, max_categories=max_categories, impute=impute,
        max_rows=max_rows, max_memory=max_memory, seed=seed,
    )
    table = open_table(data, spec, quiet)
    comparison = run(table, names, k, splits, model, seed, jobs, quiet)
    with finishing():
        write_each(*result_outputs(comparison, output, report))
    if json:
        typer.echo(comparison.to_json())
    elif not quiet:
        print_comparison(console, comparison, written)


def check_call(names: tuple[str, ...], model: str) -> None:
    """Raise an error for unknown names, and for methods and models that are not installed."""
    from puselect.evaluation.models import DOWNSTREAM

    if not names:
        raise typer.BadParameter("at least one method is needed", param_hint="--methods")
    for name in names:
        options.check_method("--methods", name)
    options.check_choice("--model", model, DOWNSTREAM)
    DOWNSTREAM[model](random_state=0)  # fails now, not after the first split, if its library is missing


def run(
    table: "LoadedTable", names: tuple[str, ...], k: int, splits: int, model: str, seed: int, jobs: int, quiet: bool
) -> "Comparison":
    """Run the comparison and show its progress."""
    from puselect.evaluation.holdout import Holdout, compare_methods
    from puselect.row_groups import read_row_groups

    n_features = len(table.encoders)
    if k >= n_features:
        raise ValueError(f"-k must be less than {n_features}, the number of usable features, got {k}")
    place = {name: column for column, name in enumerate(table.names)}
    groups = {group: [place[name] for name in members] for group, members in table.groups.items()}
    with warnings.catch_warnings(record=True, action="always") as heard:
        row_groups = read_row_groups(table.row_groups, table.y == 1)
    study = Holdout(table.X.to_numpy(), table.y, k, table.truth, model, splits, seed, groups, row_groups)
    with counted_progress("comparing", len(study.fits(names)), quiet) as done:
        results = compare_methods(study, names, jobs, done)
    notes = [*(str(warning.message) for warning in heard), *comparison_notes(study, results)]
    if not quiet:
        tell_notes(notes)
    return comparison_of(table, study, results, notes)


def comparison_notes(study: "Holdout", results: "HoldoutResults") -> list[str]:
    """Return what the user should know about the run."""
    notes = [f"{name}: {text}" for name, texts in results.warnings.items() for text in texts]
    if results.unfinished:
        notes.insert(0, f"interrupted; not finished and left out: {', '.join(results.unfinished)}")
    elif results.n_splits < study.n_splits:
        notes.insert(0, f"interrupted after {results.n_splits} of {study.n_splits} splits; only these are compared")
    return notes


def comparison_of(
    table: "LoadedTable", study: "Holdout", results: "HoldoutResults", notes: list[str]
) -> "Comparison":
    """Return the results as they are written and reported."""
    from puselect._version import versions
    from puselect.evaluation.holdout import TEST_SHARE
    from puselect.methods import YARDSTICKS
    from puselect.report import Comparison
    from puselect.selectors.groups import feature_names

    shown = {name: YARDSTICKS.get(name, name) for name in results.selected}
    names = feature_names(study.groups, table.names)
    return Comparison.of(
        {shown[name]: list(dict.fromkeys(names[i] for i in columns)) for name, columns in results.selected.items()},
        {shown[name]: seconds for name, seconds in results.seconds.items()},
        {shown[name]: scores for name, scores in results.scores.items()},
        frequency={
            shown[name]: _by_feature(names, shares)
            for name, shares in results.frequency.items()
            if name not in ("all", "random")
        },
        test_share=TEST_SHARE,
        score_name=study.score_name,
        score_is_proxy=table.truth is None,
        n_features=len(table.encoders),
        n_rows=len(table.y),
        n_labelled=int(table.y.sum()),
        command=shlex.join(["puselect", *sys.argv[1:]]),
        seed=study.seed,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        notes=[*table_notes(table), *notes],
        versions=versions(),
    )


def _by_feature(names: "Sequence[str]", shares: "Mapping[int, float]") -> dict[str, float]:
    """Return the shares of columns by the names of their features; of a feature's columns the highest counts."""
    found: dict[str, float] = {}
    for column, share in shares.items():
        found[names[column]] = max(share, found.get(names[column], 0.0))
    return found
