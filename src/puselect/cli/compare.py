"""``puselect compare`` and ``puselect methods``."""

import shlex
import sys
import warnings
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from puselect.cli import options
from puselect.cli.application import command, console, finishing
from puselect.cli.options import HOW, TABLE, WHAT, TableOptions, open_table, option, split_names, tell, tell_notes
from puselect.cli.progress import working
from puselect.cli.writing import check_outputs, result_outputs, write_each, written
from puselect.phrases import duration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from puselect.evaluation.holdout import Holdout, HoldoutResults, Run
    from puselect.fscpu.row_model import ClassPrior
    from puselect.report import Comparison
    from puselect.tables.loading import LoadedTable

Number = Annotated[
    int, option(WHAT, "N", "Number of features each method selects.", "-k", "--n-features", min=1, show_default=False)
]
Methods = Annotated[str, option(WHAT, "NAMES", "Comma-separated; puselect methods lists them.")]
Splits = Annotated[int, option(HOW, "N", "Number of splits into training and test rows.", min=2)]
Truth = Annotated[str | None, option(TABLE, "COL", "Column with the true classes, if known; used for scores only.")]
Model = Annotated[
    str,
    option(HOW, "NAME", "Trained on the features: logistic, random-forest, extra-trees, pu-bagging, lightgbm(-rf)."),
]


@command
def compare(
    *,
    data: options.Data,
    table: TableOptions,
    truth: Truth = None,
    k: Number,
    methods: Methods = "fscpu,semi-jmi,lasso,kbest",
    splits: Splits = 20,
    model: Model = "logistic",
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    output: options.Output = None,
    report: options.Report = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Compare methods on the same table and splits: score, features, time.

    Without --truth, the score tells how well held-out labelled rows are separated from unlabelled ones. Since some
    unlabelled rows are positive, it ranks methods but does not measure their true accuracy. Ctrl-C keeps the splits
    that are finished.
    """
    from puselect.cli.summary import print_comparison

    names = split_names([methods])
    options.be_quiet(quiet, output, report, json)
    with working("starting"):
        check_call(names, model)
    check_outputs({"-o": output, "--report": report}, [data])
    loaded = open_table(data, table.spec(seed, truth=truth), tells_all=True)
    comparison = run(loaded, names, k, splits, model, seed, jobs)
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
    table: "LoadedTable", names: tuple[str, ...], k: int, splits: int, model: str, seed: int, jobs: int
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
    known = (table.y == 1).astype(int)
    study = Holdout(table.X.to_numpy(), known, k, table.truth, model, splits, seed, groups, row_groups)
    finished: list[Run] = []
    n_fits = len(study.fits(names))
    with working("comparing") as show:

        def done(run: "Run") -> None:
            finished.append(run)
            show(f"{len(finished)} of {n_fits} done, last: {run.method}", len(finished) / n_fits)
            own = [each for each in finished if each.method == run.method]
            if len(own) == splits + 1:
                tell(method_line(own))

        results = compare_methods(study, names, jobs, done)
    notes = [*(str(warning.message) for warning in heard), *comparison_notes(study, results)]
    tell_notes(notes)
    return comparison_of(table, study, results, notes)


def hidden_share(study: "Holdout") -> "ClassPrior | None":
    """Return the share of positives among the unlabelled rows; None where true classes are known."""
    from puselect.fscpu.selector import FSCPU

    if study.truth is not None:
        return None
    selector = FSCPU(study.n_features_to_select, groups=dict(study.groups) or None, random_state=study.seed)
    with warnings.catch_warnings(action="ignore"):  # the methods warn of the same
        selector.fit(study.X, study.y)
    return selector.prior_


def method_line(runs: "Sequence[Run]") -> str:
    """Return the score and the time of a method, as soon as they are known."""
    from puselect.methods import YARDSTICKS

    scores = [run.score for run in runs if run.score is not None]
    seconds = sum(run.seconds for run in runs) / len(runs)
    name = YARDSTICKS.get(runs[0].method, runs[0].method)
    return f"{name}: score {sum(scores) / len(scores):.3f}, {duration(seconds)} a fit"


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
    from puselect.report.findings import note_lines
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
        prior=hidden_share(study),
        n_features=len(table.encoders),
        n_rows=len(table.y),
        n_labelled=int((table.y == 1).sum()),
        command=shlex.join(["puselect", *sys.argv[1:]]),
        seed=study.seed,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        notes=(*note_lines(table.notes), *(f"left out: {one.name}, {one}" for one in table.left_out), *notes),
        versions=versions(),
    )


def _by_feature(names: "Sequence[str]", shares: "Mapping[int, float]") -> dict[str, float]:
    """Return the shares of columns by the names of their features; of a feature's columns the highest counts."""
    found: dict[str, float] = {}
    for column, share in shares.items():
        found[names[column]] = max(share, found.get(names[column], 0.0))
    return found


@command
def methods(debug: options.Debug = False) -> None:
    """List the methods: idea, use of the labels, speed."""
    from puselect.methods import REGISTRY

    table = Table("name", "idea", "sees of the labels", "speed", "needs", box=None, pad_edge=False, header_style="bold")
    for name, about in REGISTRY.items():
        needs = f"puselect\\[{about.extra}]" if about.extra else ""
        table.add_row(f"[bold]{name}[/bold]", about.idea, about.labels, about.speed, needs)
    console.print(table)
    console.print(
        "\n[dim]labels: 'all, as classes' treats unlabelled rows as negatives, 'the positives' does not.\n"
        "speed: on a few thousand rows and fifty features. docs/paper/methods.md compares their accuracy.\n"
        "To compare them on your table: puselect compare DATA --label COL -k N --methods fscpu,semi-jmi,lasso[/dim]"
    )
