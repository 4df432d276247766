"""The command line: parses, calls one function, prints."""

import sys
from pathlib import Path
from typing import Annotated

try:
    import typer
    from rich.console import Console
    from rich.table import Table
except ImportError:
    sys.exit("the puselect command needs the extra 'cli': pip install 'puselect[cli]'")

from puselect._version import __version__
from puselect.bench import Check, Measurement, run_bench, write_json
from puselect.demo import artificial_demo, real_demo

app = typer.Typer(
    help="Choose features from a handful of labelled positives among unlabelled rows.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
console = Console()


def show_version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        console.print(__version__)
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Choose features from a handful of labelled positives among unlabelled rows."""


@app.command()
def demo(seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0) -> None:
    """Select features on artificial and on real data, and see how good they are (no network needed)."""
    with console.status("artificial data (the first run compiles its kernels, about ten seconds) ..."):
        made = artificial_demo(seed)
    console.print(
        f"\n[bold]Artificial data[/bold]: {made.n_rows} rows, {made.n_features} features, "
        f"{made.n_labelled} labelled positives\n"
        f"  FSCPU found [bold]{made.found} of the {made.n_relevant}[/bold] relevant features in {made.seconds:.1f} s "
        f"({made.evaluations} clusterings); the chi-squared filter finds {made.found_by_chi2}."
    )
    with console.status("breast cancer data ..."):
        real = real_demo(seed)
    console.print(
        f"\n[bold]Breast cancer data[/bold]: {real.n_rows} rows, {real.n_features} features, "
        f"{real.n_labelled} malignant ones labelled, the rest unlabelled\n"
        f"  selected in {real.seconds:.1f} s: {', '.join(real.selected)}\n"
        f"  AUC of a logistic model on test rows: [bold]{real.auc_selected:.3f}[/bold] with these "
        f"{len(real.selected)}, {real.auc_all:.3f} with all {real.n_features}, "
        f"{real.auc_random:.3f} with {len(real.selected)} random ones."
    )
    console.print(
        "\nTry next: [bold]FSCPU(n_features_to_select=10).fit(X, y)[/bold] on your own table, where y is 1 for the "
        "rows you know to be positive and 0 for all others."
    )


@app.command()
def bench(
    quick: Annotated[bool, typer.Option("--quick", help="Smaller shapes and fewer repeats, about a minute.")] = False,
    out: Annotated[Path | None, typer.Option("--out", help="Write the figures here, as JSON.")] = None,
) -> None:
    """Measure speed and memory against scikit-learn in the same run; fails if a ratio misses its budget."""
    measurements, checks = run_bench(quick, lambda part: console.print(f"[dim]{part}[/dim]"))
    console.print(measurement_table(measurements))
    console.print(check_table(checks))
    if out is not None:
        write_json(out, measurements, checks)
    if not all(check.passed for check in checks):
        raise typer.Exit(1)


def measurement_table(measurements: list[Measurement]) -> Table:
    """Return the measurements as a table."""
    table = Table("what", "where", "value", "unit", title="Measured")
    for row in measurements:
        table.add_row(row.what, row.where, f"{row.value:.4g}", row.unit)
    return table


def check_table(checks: list[Check]) -> Table:
    """Return the ratios beside their budgets."""
    table = Table("ratio", "measured", "budget", "goal", "", title="Against scikit-learn")
    for check in checks:
        mark = "ok" if check.passed else "MISSED"
        table.add_row(check.name, f"{check.value:.4g}", f"{check.sign} {check.budget:g}", f"{check.goal:g}", mark)
    return table


def main() -> None:
    """Run the command line."""
    app()
