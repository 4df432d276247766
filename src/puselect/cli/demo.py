"""``puselect demo``."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from puselect.cli.advice import program
from puselect.cli.application import app, console
from puselect.cli.writing import check_target, whole_files

TRY = "select {table} --label known --drop diagnosis -k 6 --report report.html"


@app.command()
def demo(
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    table: Annotated[
        Path | None,
        typer.Option(metavar="FILE.csv", help="Only write the real data as a table, to try the other commands on."),
    ] = None,
) -> None:
    """Select features on artificial and on real data, and see how good they are (no network needed)."""
    from puselect.cli.showcase import artificial_demo, real_demo

    if table is not None:
        write_table(table, seed)
        return

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
    console.print("\nTry next, on a file:")
    show_command("demo --table breast.csv")
    show_command(TRY.format(table="breast.csv"))
    console.print(
        "or in Python, on your own table, where y is 1 for the rows you know to be positive and 0 for all others:\n"
        "  [bold]FSCPU(n_features_to_select=10).fit(X, y)[/bold]"
    )


def show_command(words: str) -> None:
    """Print a command on a line of its own that can be copied whole."""
    console.print(f"  {program()} {words}", style="bold", markup=False, soft_wrap=True)


def write_table(path: Path, seed: int) -> None:
    """Write the table of the demonstration and say what to do with it."""
    from puselect.cli.showcase import write_demo_table

    check_target(path)
    with whole_files(path) as (scratch,):
        write_demo_table(scratch or path, seed)
    console.print(
        f"{path}: 569 breast tumours, 30 measurements each; [bold]known[/bold] is 1 for a tenth of the malignant\n"
        "ones, [bold]diagnosis[/bold] is the truth: 1 for all of them.\nTry next:",
        soft_wrap=True,
    )
    show_command(TRY.format(table=shlex.quote(str(path))))
